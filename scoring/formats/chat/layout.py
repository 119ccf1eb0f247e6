"""How a case becomes chat messages: ids of calls, rounds, what its file did its own way (formats 10.1)."""

from collections.abc import Mapping, Sequence

from scoring.formats.alignment import align, digest
from scoring.formats.chat.messages import call_message, call_part, result_message, text_message
from scoring.formats.chat.rounds import rounds_of
from scoring.model.case import Answer, Ask, Call, Case, Task
from scoring.model.record import JsonObject, Record

CallId = str | None
CallIds = Mapping[tuple[int, int], CallId]
"""(task, step) of each call -> its id."""


class ChatLayout(Record):
    """What one dialogue did its own way.

    `system` are its leading system messages; `system_now` is the time read from them, as it stands
    there. `ids` are the ids of its calls where they are not call_1, call_2, ..., and `calls` the
    marks of those calls, by which ids find their calls again. A `legacy` dialogue calls functions
    one by one (`function_call`) instead of tools.
    """

    tools_key: str = "tools"
    system: tuple[JsonObject, ...] = ()
    system_now: str | None = None
    ids: tuple[CallId, ...] = ()
    calls: tuple[str, ...] = ()
    legacy: bool = False

    def dump(self) -> JsonObject:
        """Write the layout to be kept; `{}` where everything is as usual."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def with_ids(self, case: Case, ids: Sequence[CallId]) -> "ChatLayout":
        """Add the ids of a case's calls, in their order, unless they are the usual ones."""
        if all(call_id == _usual_id(k) for k, call_id in enumerate(ids)):
            return self
        marks = tuple(_mark(call) for _, _, call in _calls(case))
        return self.model_copy(update={"ids": tuple(ids), "calls": marks})


def _usual_id(position: int) -> str:
    return f"call_{position + 1}"


def _calls(case: Case) -> list[tuple[int, int, Call]]:
    return [(t, s, step) for t, s, step in case.steps() if isinstance(step, Call)]


def _mark(call: Call) -> str:
    return digest([call.name, call.arguments])


def call_ids(case: Case, layout: ChatLayout) -> CallIds:
    """Give every call its id: the one its file had, else the next of call_1, call_2, ... that is free.

    Args:
        case: The case to write.
        layout: The layout of its file; the usual one numbers the calls through.
    """
    calls = _calls(case)
    ids: dict[int, CallId] = {}
    if layout.ids and len(layout.ids) == len(layout.calls):
        pairs = align(layout.calls, [_mark(call) for _, _, call in calls])
        ids = {now: layout.ids[before] for before, now in pairs.items()}
    taken = {call_id for call_id in ids.values() if call_id is not None}
    number = 0
    for k in range(len(calls)):
        if k in ids:
            continue
        number = max(number, k)
        while _usual_id(number) in taken:
            number += 1
        ids[k] = _usual_id(number)
        taken.add(_usual_id(number))
    return {(t, s): ids[k] for k, (t, s, _) in enumerate(calls)}


def write_task(task: Task, number: int, *, ids: CallIds, legacy: bool) -> list[JsonObject]:
    """Write one task as messages: the request, then its steps round by round.

    Args:
        task: Any task; one without steps is its request alone.
        number: Which task of the case it is, from 0.
        ids: The ids of the calls.
        legacy: Whether single calls are written as `function_call`.
    """
    messages = [text_message("user", task.user)]
    for numbers in rounds_of(task):
        calls = [(ids.get((number, s)), step) for s in numbers if isinstance(step := task.steps[s], Call)]
        if calls:
            messages.extend(_write_calls(calls, legacy=legacy and len(calls) == 1))
        for s in numbers:
            step = task.steps[s]
            if not isinstance(step, Call):
                thought = step.thought if isinstance(step, Answer) else None
                messages.append(text_message("assistant", step.text, reasoning=thought))
            if isinstance(step, Ask):
                messages.append(text_message("user", step.reply))
    return messages


def _write_calls(calls: Sequence[tuple[CallId, Call]], *, legacy: bool) -> list[JsonObject]:
    """One assistant message with all calls of a round, then a result for each that has one."""
    thoughts = dict.fromkeys(call.thought for _, call in calls if call.thought)
    parts = [call_part(call_id, call.name, call.arguments) for call_id, call in calls]
    head = call_message("\n".join(thoughts) or None, parts, legacy=legacy)
    results = [
        result_message(call_id, call.observation, function=call.name if legacy else None)
        for call_id, call in calls
        if call.observation is not None
    ]
    return [head, *results]
