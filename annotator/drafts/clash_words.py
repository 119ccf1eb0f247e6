"""Saying where two people changed a case differently, and what each of them says there."""

import json

from pydantic import JsonValue

from annotator.cases.pointers import keys_of
from annotator.cases.versions.conflicts import Clash, SideValue
from scoring.model.case import Call, Case

_NAMES = {
    "user": "the request",
    "now": "the time",
    "policy": "the policy",
    "information": "the information",
    "text": "the text",
    "reply": "the reply",
    "observation": "the observation",
    "name": "the tool",
    "thought": "the thought",
    "review": "the review label",
    "plan": "the plan",
    "asks_for": "what it asks for",
    "order": "the order",
}
_AT_A_GLANCE, _LONGEST = 40, 240


def clash_place(clash: Clash, case: Case) -> str:
    """Name the place of a clash, e.g. `Task 2, step 1 (reroute): depot`."""
    if clash.task is None:
        return "The order of the tasks" if clash.field == "order" else f"The case: {clash.field}"
    where = place_words(case, clash.task, clash.step)
    if clash.edge is not None:
        return f"{where}: dependency {clash.edge[0]} → {clash.edge[1]}"
    if clash.field in ("step", "task"):
        return where
    path = ".".join(keys_of(clash.path))
    name = path if clash.field == "arguments" and path else _NAMES.get(clash.field, clash.field)
    return f"{where}: {name}{f' · {path}' if path and clash.field != 'arguments' else ''}"


def place_words(case: Case, task: int, step: int | None) -> str:
    """Name a task or a step of a case, e.g. `Task 2, step 1 (reroute)`; a null step names the task."""
    if step is None:
        return f"Task {task + 1}"
    steps = case.tasks[task].steps if task < len(case.tasks) else ()
    found = steps[step] if step < len(steps) else None
    return f"Task {task + 1}, step {step}" + (f" ({found.name})" if isinstance(found, Call) else "")


def clash_message(clash: Clash, case: Case) -> str:
    """Say in one sentence what clashes and what settles it."""
    return f"{clash_place(clash, case)}, changed by both. F takes theirs, W keeps yours."


def side_words(clash: Clash, said: SideValue | None) -> str:
    """What one side says at the place of a clash, in a few words."""
    if clash.field in ("step", "task") and said is None:
        return "removed"
    if clash.field in ("step", "task"):
        return "changed" if clash.field == "task" else "changed or connected"
    if said is None:
        return "nothing"
    if clash.field == "order":
        numbers = said.value if isinstance(said.value, list) else []
        return " ".join(str(number) for number in numbers)
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
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
