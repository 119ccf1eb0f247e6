"""What a model sees of a case: its tools, the time, the earlier dialogue, and what its replies bring back.

Scoring 3.6 and formats 5.3; C3-Bench Challenge 2 and Multi-Mission Tool Bench show the visible dialogue
alone ("ua"), C3-Bench Challenge 3 and WildToolBench replay its tool traffic too ("upta").
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue

from scoring.formats.benchmark.segments import label_of
from scoring.matching.gold import Gold
from scoring.matching.outcomes import OutcomeKind, ReplyOutcome
from scoring.model.case import Ask, Call, Case, Task
from scoring.model.graph import PSEUDO_ACTIONS, step_graph
from scoring.model.record import JsonObject, Record, to_text
from scoring.model.strict_json import embedded
from scoring.model.taxonomy import Protocol
from scoring.orders.lattice import lattice_of
from scoring.orders.legal_orders import first_optimal_order
from scoring.predictions import Reply

_ID_LENGTH = 9
"""Nine lower-case letters and digits: the one form of id every endpoint takes."""
_ID_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_WEEKDAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
}
_TIME_LABEL = re.compile(
    r"^\s*(?:当前时间|当前日期|环境|current time|current date)\s*[:：]\s*", re.IGNORECASE
)


class MessageLayout(Record):
    """How messages are laid out for models that do not take the usual form.

    `merge_results` gives all results of a round as one tool message, a JSON list under the id of the
    first call; `date_in_request` puts the date below the request instead of into a system message.
    """

    merge_results: bool = False
    date_in_request: bool = False


def offered_tools(case: Case) -> list[JsonObject]:
    """The tools of a case as a request offers them: standard type names, each name once, no pseudo-actions.

    Of two tools with one name the last counts (IMP-07). The list is empty where the case has none.
    """
    names = [name for name in dict.fromkeys(tool.name for tool in case.tools) if name not in PSEUDO_ACTIONS]
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            },
        }
        for name in names
        if (tool := case.tool(name))
    ]


def shown_time(case: Case, task_number: int, *, protocol: Protocol) -> str | None:
    """The simulated time as a model reads it; None where the case has none.

    WildToolBench shows the text of the file; C3-Bench and Multi-Mission Tool Bench show the moment and
    the day of the week in the language of the case. A text without a readable moment is shown as it is.
    """
    now = case.tasks[task_number].now or case.now
    if now is None or not now.raw.strip():
        return None
    if protocol is Protocol.WILDTOOL or now.moment is None:
        return _TIME_LABEL.sub("", now.raw).strip()
    return with_weekday(now.moment, "zh" if case.language == "zh" else "en")


def with_weekday(moment: datetime, language: str) -> str:
    """A moment of the simulated world with its day of the week, in English (`en`) or Chinese (`zh`)."""
    return f"{moment:%Y-%m-%d %H:%M:%S} {_WEEKDAYS[language][moment.weekday()]}"


def opening_messages(
    case: Case, task_number: int, *, protocol: Protocol, layout: MessageLayout | None = None
) -> list[JsonObject]:
    """The messages of a task before the model's first reply, in OpenAI shape.

    The date, then every earlier task replayed from its gold solution along its first shortest order (under
    `c2` without calls and results), then the request. Nothing the model answered earlier enters, so that
    errors do not cascade.

    Args:
        case: The case.
        task_number: Which task is asked, from 0.
        protocol: What of the earlier dialogue is shown.
        layout: How messages are laid out; the usual form where None.
    """
    layout = layout or MessageLayout()
    date = _date_line(case, task_number, protocol=protocol)
    is_first = bool(date) and not layout.date_in_request
    messages: list[JsonObject] = [{"role": "system", "content": date}] if is_first else []
    for number in range(task_number):
        messages.extend(_replayed(case, number, with_calls=protocol is not Protocol.C2, layout=layout))
    request = _unlabelled(case.tasks[task_number].user)
    if date and layout.date_in_request:
        request = f"{request}\n\n{date}"
    return [*messages, {"role": "user", "content": request}]


def opening_message_count(
    case: Case,
    task_number: int,
    golds: Mapping[tuple[str, int], Gold],
    *,
    protocol: Protocol,
    as_released: bool = False,
) -> int | None:
    """How many messages `opening_messages` gives; None where an earlier task has no gold.

    Args:
        case: The case.
        task_number: Which task is asked, from 0.
        golds: The tasks made ready, by case and number.
        protocol: What of the earlier dialogue is shown.
        as_released: Count as C3-Bench and MMTB do: the date is no message, all results of a round are one.
    """
    has_date = not as_released and shown_time(case, task_number, protocol=protocol) is not None
    count = 1 + has_date
    for number in range(task_number):
        gold = golds.get((case.id, number))
        if gold is None:
            return None
        calls, asks = gold.sizes
        # The request, two for each question, the answer; and for each call its result, for each round
        # of calls the message that makes them: all rounds but those of questions and of the answer.
        count += 2 + 2 * asks
        if protocol is not Protocol.C2:
            rounds = gold.rounds - asks - 1
            count += rounds + (rounds if as_released else calls)
    return count


def _date_line(case: Case, task_number: int, *, protocol: Protocol) -> str | None:
    shown = shown_time(case, task_number, protocol=protocol)
    if shown is None:
        return None
    if protocol is Protocol.WILDTOOL:
        return f"Current Date: {shown}"
    return f"当前日期：{shown}" if case.language == "zh" else f"Current Date:{shown}"


def _replayed(case: Case, number: int, *, with_calls: bool, layout: MessageLayout) -> Iterator[JsonObject]:
    """One earlier task: its request and, round by round, what its gold solution did."""
    task = case.tasks[number]
    yield {"role": "user", "content": _unlabelled(task.user)}
    for steps in first_optimal_order(lattice_of(step_graph(task))):
        calls = [(s, step) for s in steps if isinstance(step := task.steps[s], Call)]
        if calls and with_calls:
            ids = [call_id(case.id, number, f"step {s}") for s, _ in calls]
            yield {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    _call_part(one, call.name, to_text(call.arguments))
                    for one, (_, call) in zip(ids, calls, strict=True)
                ],
            }
            yield from _results(ids, [(task, s) for s, _ in calls], layout=layout)
        yield from _texts(task, steps)


def _texts(task: Task, steps: Sequence[int]) -> Iterator[JsonObject]:
    for s in steps:
        step = task.steps[s]
        if not isinstance(step, Call):
            yield {"role": "assistant", "content": _unlabelled(step.text)}
        if isinstance(step, Ask):
            yield {"role": "user", "content": _unlabelled(step.reply)}


def with_call_ids(reply: Reply, gold: Gold, *, turn: int) -> Reply:
    """Give every call of a reply an id of its own where it has none, or one that another call has (IMP-18).

    Args:
        reply: The reply as the model gave it.
        gold: The task.
        turn: Which reply of the task it is, from 0; the same reply gets the same ids in every run.
    """
    calls = []
    taken: set[str] = set()
    for number, call in enumerate(reply.tool_calls):
        if call.id is None or call.id in taken:
            call = call.model_copy(
                update={"id": call_id(gold.case_id, gold.task_number, f"reply {turn} call {number}")}
            )
        taken.add(call.id or "")
        calls.append(call)
    return reply.model_copy(update={"tool_calls": tuple(calls)})


def reply_messages(
    gold: Gold, reply: Reply, outcome: ReplyOutcome, *, layout: MessageLayout | None = None
) -> list[JsonObject]:
    """What a reply adds to the conversation: the reply itself and what it brings back, from the gold case.

    Args:
        gold: The task.
        reply: The reply, its calls with ids; arguments that hold no JSON object are handed back as `{}`,
            since many endpoints refuse the whole conversation otherwise.
        outcome: What became of it.
        layout: How messages are laid out.

    Returns:
        The messages; none after the end of the run.
    """
    said: JsonObject = {"role": "assistant", "content": reply.content or ""}
    if reply.reasoning_content:
        said["reasoning_content"] = reply.reasoning_content
    if outcome.kind is OutcomeKind.QUESTION:
        asked = gold.task.steps[outcome.feedback[0]]
        return [said, {"role": "user", "content": _unlabelled(asked.reply if isinstance(asked, Ask) else "")}]
    if outcome.kind is not OutcomeKind.CALLS:
        return []
    said["tool_calls"] = [
        _call_part(call.id or "", call.name or "", _readable(call.arguments)) for call in reply.tool_calls
    ]
    ids = [call.id or "" for call in reply.tool_calls]
    feedback = [(gold.task, step) for step in outcome.feedback]
    return [said, *_results(ids, feedback, layout=layout or MessageLayout())]


def call_id(case_id: str, task_number: int, where: str) -> str:
    """The id of a call that has none of its own: it depends only on where the call stands."""
    number = int.from_bytes(hashlib.sha256(f"{case_id}\n{task_number}\n{where}".encode()).digest()[:8])
    digits = []
    for _ in range(_ID_LENGTH):
        number, digit = divmod(number, len(_ID_DIGITS))
        digits.append(_ID_DIGITS[digit])
    return "".join(digits)


def _results(
    ids: Sequence[str], steps: Sequence[tuple[Task, int]], *, layout: MessageLayout
) -> Iterator[JsonObject]:
    """One message for each result, or all in one (scoring 3.6, feedback inside the task)."""
    # A result that was never recorded is an empty one (IMP-09).
    observations: list[JsonValue] = [
        "" if step.observation is None else step.observation
        for task, s in steps
        if isinstance(step := task.steps[s], Call)
    ]
    if layout.merge_results and len(ids) > 1:
        ids, observations = ids[:1], [observations]
    for one, observation in zip(ids, observations, strict=True):
        yield {"role": "tool", "tool_call_id": one, "content": to_text(observation)}


def _call_part(call_id: str, name: str, arguments: str) -> JsonObject:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _readable(arguments: str | None) -> str:
    return arguments if arguments and isinstance(embedded(arguments), dict) else "{}"


def _unlabelled(text: str) -> str:
    """A text without the role label the published dialogues begin with."""
    return text[len(label_of(text)) :]
