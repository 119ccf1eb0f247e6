"""Editing the texts, values and labels of a case; every function gives a new case and keeps the former."""

from collections.abc import Sequence

from pydantic import JsonValue

from annotator.cases.places import step_of_kind, task_at, with_step, with_task
from annotator.cases.pointers import has_value, value_at, with_value_at, without_value_at
from scoring.errors import InputError, reworded
from scoring.model.case import AcceptedValue, Answer, Ask, AskedTool, Call, Case, Now, checked_accepted
from scoring.model.flow import squeeze
from scoring.model.graph import with_drawn_edges
from scoring.model.record import JsonObject, to_json
from scoring.model.strict_json import parse_embedded
from scoring.model.taxonomy import Information, Policy, ReviewLabel


def require_json(value: JsonValue) -> None:
    """Refuse a value no file could hold: NaN, half a surrogate pair, too deep, too many digits.

    Raises:
        InputError: With what is wrong.
    """
    with reworded(
        ValueError,
        RecursionError,
        into=lambda _: InputError(
            "The value cannot be written as JSON.", "Remove NaN, infinity or deep nesting."
        ),
    ):
        text = to_json(value)
    parse_embedded(text)


def set_user_text(case: Case, task: int, *, text: str) -> Case:
    """Change what the user asks for.

    Raises:
        InputError: There is no such task, or the text is no text a file could hold.
    """
    require_json(text)
    return with_task(case, task, changed=task_at(case, task).model_copy(update={"user": text}))


def set_answer_text(case: Case, task: int, *, text: str) -> Case:
    """Change the final answer of a task, or write one where there is none.

    A new answer is the last step and follows every sink; it is `chat` where the task has no call.

    Raises:
        InputError: There is no such task, or the text is no text a file could hold.
    """
    require_json(text)
    found = task_at(case, task)
    index, answer = found.answer_index, found.answer
    if index is not None and answer is not None:
        return with_step(case, task, step=index, changed=answer.model_copy(update={"text": text}))
    written = Answer(text=text, answer_type="tool" if found.calls else "chat")
    bare = found.model_copy(update={"steps": (*found.steps, written)})
    return with_task(case, task, changed=with_drawn_edges(bare, found.drawn_edges))


def set_ask(
    case: Case,
    task: int,
    *,
    step: int,
    text: str | None = None,
    reply: str | None = None,
    asks_for: Sequence[AskedTool] | None = None,
) -> Case:
    """Change a clarifying question, the user's reply, or what it asks for; None leaves a part as it is.

    Raises:
        InputError: The step is no question, or a text is no text a file could hold.
    """
    ask = step_of_kind(case, task, step=step, kind=Ask)
    update: dict[str, object] = {}
    for name, words in (("text", text), ("reply", reply)):
        if words is not None:
            require_json(words)
            update[name] = words
    if asks_for is not None:
        update["asks_for"] = tuple(asks_for)
    return with_step(case, task, step=step, changed=ask.model_copy(update=update))


def set_arguments(case: Case, task: int, *, step: int, arguments: JsonObject) -> Case:
    """Replace all arguments of a call.

    Raises:
        InputError: The step is no call, or the arguments are no JSON object a file could hold.
    """
    found = step_of_kind(case, task, step=step, kind=Call)
    if not isinstance(arguments, dict):
        raise InputError("Arguments are a JSON object.", 'Write them as { "name": value }.')
    require_json(arguments)
    return with_step(case, task, step=step, changed=with_arguments(found, arguments))


def with_arguments(call: Call, arguments: JsonObject, **other: object) -> Call:
    """A call with other arguments; what was accepted beside a value goes with that value."""

    def said(whole: JsonObject, path: str) -> str:
        return to_json(value_at(whole, path)) if has_value(whole, path) else ""

    kept = {
        path: rule
        for path, rule in (call.accepted or {}).items()
        if said(call.arguments, path) == said(arguments, path)
    }
    return call.model_copy(update={"arguments": arguments, "accepted": kept or None, **other})


def set_argument_value(case: Case, task: int, *, step: int, path: str, value: JsonValue) -> Case:
    """Change one argument value, or add one argument.

    Args:
        case: The case.
        task: Task number.
        step: Step number of a call.
        path: JSON Pointer into the arguments; its last key may be absent from an object.
        value: The value to put there.

    Raises:
        InputError: The step is no call, or the way to the place does not exist.
    """
    found = step_of_kind(case, task, step=step, kind=Call)
    if not path:
        raise InputError("Name the argument to change.", "To replace all arguments edit them as a whole.")
    changed = with_value_at(found.arguments, path, replacement=value)
    return set_arguments(case, task, step=step, arguments=changed if isinstance(changed, dict) else {})


def remove_argument(case: Case, task: int, *, step: int, path: str) -> Case:
    """Remove one argument, or one item of a list inside an argument.

    Raises:
        InputError: The step is no call, or there is no value at the path.
    """
    found = step_of_kind(case, task, step=step, kind=Call)
    if not path or not has_value(found.arguments, path):
        raise InputError(f"There is no argument at {path or 'the top'}.", "Choose a path that exists.")
    changed = without_value_at(found.arguments, path)
    return set_arguments(case, task, step=step, arguments=changed if isinstance(changed, dict) else {})


def set_accepted(case: Case, task: int, *, step: int, accepted: JsonObject | None) -> Case:
    """Say what a call accepts besides its arguments: an `AcceptedValue` for places of them; None for nothing.

    Raises:
        InputError: The step is no call, or this is none of it.
    """
    found = step_of_kind(case, task, step=step, kind=Call)
    require_json(accepted)
    try:
        kept = checked_accepted(accepted)
    except ValueError as exc:
        fields = ", ".join(AcceptedValue.model_fields)
        raise InputError(
            "This is not what a call accepts besides its arguments.",
            f'Write {{ "/city": {{ "values": ["NYC"] }} }}: a place, and any of {fields}.',
        ) from exc
    return with_step(case, task, step=step, changed=found.model_copy(update={"accepted": kept}))


def set_accepted_value(case: Case, task: int, *, step: int, path: str, rule: AcceptedValue) -> Case:
    """Say what is accepted at one place of a call's arguments; an empty rule accepts nothing else.

    Raises:
        InputError: The step is no call, or a value is none a file could hold.
    """
    found = step_of_kind(case, task, step=step, kind=Call)
    others = {at: one for at, one in (found.accepted or {}).items() if at != path}
    said = rule.model_dump(mode="json", exclude_defaults=True)
    return set_accepted(case, task, step=step, accepted=others | ({path: said} if said else {}))


def set_observation(case: Case, task: int, *, step: int, observation: JsonValue) -> Case:
    """Change what a call brought back; None means that it was never recorded.

    Raises:
        InputError: The step is no call, or the value is none a file could hold.
    """
    found = step_of_kind(case, task, step=step, kind=Call)
    require_json(observation)
    return with_step(case, task, step=step, changed=found.model_copy(update={"observation": observation}))


def set_thought(case: Case, task: int, *, step: int, thought: str | None) -> Case:
    """Change the recorded reasoning before a call or an answer; None removes it.

    Raises:
        InputError: The step is neither, or the text is no text a file could hold.
    """
    require_json(thought)
    found = (
        step_of_kind(case, task, step=step, kind=Answer)
        if step == task_at(case, task).answer_index
        else step_of_kind(case, task, step=step, kind=Call)
    )
    return with_step(case, task, step=step, changed=found.model_copy(update={"thought": thought}))


def set_review(case: Case, task: int, *, step: int, review: ReviewLabel | None) -> Case:
    """Say how a call ended; None takes it back.

    Raises:
        InputError: The step is no call.
    """
    call = step_of_kind(case, task, step=step, kind=Call)
    value = review.value if review is not None else None
    return with_step(case, task, step=step, changed=call.model_copy(update={"review": value}))


def set_plan(case: Case, task: int, *, plan: str | None) -> Case:
    """Change what the solver of a task meant to do; None removes it.

    Raises:
        InputError: There is no such task, or the text is no text a file could hold.
    """
    require_json(plan)
    return with_task(case, task, changed=task_at(case, task).model_copy(update={"plan": plan}))


def set_tool(case: Case, task: int, *, step: int, name: str) -> Case:
    """Let a call use another tool; arguments the other tool has too are carried over.

    An argument is carried over under its own name, or under a name that differs only in case and
    punctuation (`map_id` and `mapId`); all others are dropped.

    Raises:
        InputError: The step is no call, or the toolset has no such tool.
    """
    call = step_of_kind(case, task, step=step, kind=Call)
    tool = case.tool(name)
    if tool is None:
        names = ", ".join(tool.name for tool in case.tools) or "none"
        raise InputError(f"There is no tool {name!r} in this case.", f"Choose one of: {names}.")
    known = tool.properties
    carried: JsonObject = {}
    for argument, value in call.arguments.items():
        same = (
            argument
            if argument in known
            else next((k for k in known if squeeze(k) == squeeze(argument)), None)
        )
        if same is not None:
            carried.setdefault(same, value)
    return with_step(case, task, step=step, changed=with_arguments(call, carried, name=name))


def set_policy(case: Case, task: int, *, policy: Policy | None) -> Case:
    """Declare what the agent must do in a task; None takes the label off.

    Raises:
        InputError: There is no such task.
    """
    return with_task(case, task, changed=task_at(case, task).model_copy(update={"policy": policy}))


def set_information(case: Case, task: int, *, information: Information | None) -> Case:
    """Declare how a task hides what it needs; None takes the label off.

    Raises:
        InputError: There is no such task.
    """
    return with_task(case, task, changed=task_at(case, task).model_copy(update={"information": information}))


def set_now(case: Case, raw: str | None, *, task: int | None = None) -> Case:
    """Change the simulated time of the case, or the one a task has instead.

    Args:
        case: The case.
        raw: The time as text, kept as it is; None or blank removes it.
        task: Number of the task that has its own time; None for the case's.

    Raises:
        InputError: There is no such task, or the text is no text a file could hold.
    """
    require_json(raw)
    now = Now.read(raw) if raw and raw.strip() else None
    if task is None:
        return case.model_copy(update={"now": now})
    return with_task(case, task, changed=task_at(case, task).model_copy(update={"now": now}))
