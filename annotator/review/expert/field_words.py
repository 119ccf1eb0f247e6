"""A compared field, and what may be decided about it, in words."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from scoring.model.labels import CASE_CHECKLIST, TASK_CHECKLIST, ComparedField
from scoring.model.taxonomy import EdgeKind
from scoring.texts import tr
from scoring.wording import EDGE_KIND, INFORMATION, POLICY, REVIEW

_LABELS: Mapping[str, Mapping[Any, str]] = {"policy": POLICY, "information": INFORMATION, "review": REVIEW}
"""The words for the values of fields that take one of a closed set."""


def own_choices(field: ComparedField) -> tuple[tuple[str, JsonValue], ...]:
    """The values an expert may give a field themselves, each with its words."""
    if field.kind in _LABELS:
        return tuple((tr(words), label.value) for label, words in _LABELS[field.kind].items())
    match field.kind:
        case "edge":
            kinds = (EdgeKind.PARAMETER, EdgeKind.LOGICAL)
            return (*((tr(EDGE_KIND[kind]), kind.value) for kind in kinds), (tr("not drawn"), None))
        case "drawn":
            return ((tr("drawn as decided here"), True),)
        case _:
            return ((tr("yes"), True), (tr("no"), False))


def field_title(field: ComparedField) -> str:
    """A field as people call it; tasks count from 1."""
    task = tr("task {task}", task=field.task + 1)
    match field.kind:
        case "edge" if field.pair is not None:
            return tr("Edge {pair} → {pair2} · {task}", pair=field.pair[0], pair2=field.pair[1], task=task)
        case "call":
            return tr("Call {step} right · {task}", step=field.step, task=task)
        case "review":
            return tr("How call {step} ended · {task}", step=field.step, task=task)
        case "checklist":
            is_of_case, item = field.is_of_case, field.item
            return (
                tr("{case_checklist} · dialogue", case_checklist=CASE_CHECKLIST[item])
                if is_of_case
                else f"{TASK_CHECKLIST.get(item, item)} · {task}"
            )
        case "policy":
            return tr("Policy · {task}", task=task)
        case "information":
            return tr("Information · {task}", task=task)
        case "completed":
            return tr("Completed · {task}", task=task)
        case _:
            return tr("Drawing · {task}", task=task)
