"""Saying where two people changed a case differently, and what each of them says there."""

from pydantic import JsonValue

from annotator.cases.pointers import keys_of
from annotator.cases.versions.conflicts import Clash, EdgePlace, ItemPlace, OrderPlace, SideValue
from scoring.model.case import Case
from scoring.model.record import to_text

_NAMES = {
    "user": "the request",
    "now": "the time",
    "policy": "the policy",
    "information": "the information",
    "text": "the text",
    "reply": "the reply",
    "observation": "the observation",
    "accepted": "the accepted values",
    "name": "the tool",
    "thought": "the thought",
    "review": "the review label",
    "plan": "the plan",
    "asks_for": "what it asks for",
}
_AT_A_GLANCE, _LONGEST = 40, 240


def clash_place(clash: Clash, case: Case) -> str:
    """Name the place of a clash, e.g. `Task 2, step 1 (reroute): depot`."""
    place = clash.place
    if place.task is None:
        return "The order of the tasks" if isinstance(place, OrderPlace) else f"The case: {place.field}"
    where = place_words(case, place.task, getattr(place, "step", None))
    match place:
        case ItemPlace():
            return where
        case OrderPlace():
            return f"{where}: the order"
        case EdgePlace(edge=(source, target)):
            return f"{where}: dependency {source} → {target}"
    path = ".".join(keys_of(place.path))
    name = path if place.field == "arguments" and path else _NAMES.get(place.field, place.field)
    return f"{where}: {name}{f' · {path}' if path and place.field != 'arguments' else ''}"


def place_words(case: Case, task: int, step: int | None) -> str:
    """Name a task or a step of a case, e.g. `Task 2, step 1 (reroute)`; a null step names the task."""
    if step is None:
        return f"Task {task + 1}"
    call = case.call_at(task, step)
    return f"Task {task + 1}, step {step}" + (f" ({call.name})" if call is not None else "")


def clash_message(clash: Clash, case: Case) -> str:
    """Say in one sentence what clashes and what settles it."""
    return f"{clash_place(clash, case)}, changed by both. F takes theirs, W keeps yours."


def side_words(clash: Clash, said: SideValue | None) -> str:
    """What one side says at the place of a clash, in a few words."""
    if isinstance(clash.place, ItemPlace):
        if said is None:
            return "removed"
        return "changed" if clash.place.step is None else "changed or connected"
    if said is None:
        return "nothing"
    if isinstance(clash.place, OrderPlace):
        return " ".join(str(number) for number in (said.value if isinstance(said.value, list) else []))
    return _short(said.value)


def compared_texts(clash: Clash) -> tuple[str, str] | None:
    """Their text and mine where both are texts too long to be compared at a glance; None elsewhere."""
    if clash.mine is None or clash.theirs is None:
        return None
    mine, theirs = clash.mine.value, clash.theirs.value
    if not isinstance(mine, str) or not isinstance(theirs, str):
        return None
    return (theirs, mine) if max(len(mine), len(theirs)) > _AT_A_GLANCE else None


def _short(value: JsonValue) -> str:
    text = to_text(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
