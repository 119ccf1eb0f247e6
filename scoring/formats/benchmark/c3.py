"""C3-Bench and MMTB lines (formats 3): reading them as cases and writing cases as them."""

from collections.abc import Sequence

from pydantic import JsonValue

from scoring.formats.benchmark.entries import KeyNames, PublishedLine, read_labels
from scoring.formats.benchmark.line_format import Labels, LineFormat
from scoring.formats.benchmark.relations import CHINESE, read_relations
from scoring.formats.fields import label_at, refuse
from scoring.model.case import Case, Task
from scoring.model.graph import step_graph, structure_of
from scoring.model.record import JsonObject
from scoring.model.taxonomy import CaseFormat, Information, Policy, Structure

_NAMES: KeyNames = {
    "id": ("id",),
    "env": ("env_info", "english_env_info"),
    "types": ("type",),
    "turn_types": ("turn_type",),
    "subtypes": ("turn_subtypes",),
    "task_ids": ("task_ids",),
    "tasks": ("english_task", "english_tasks", "task", "tasks"),
    "tools": ("english_tools", "tools"),
    "messages": ("english_messages", "messages"),
    "answers": ("english_answer_list", "answer_list"),
}
_USUAL_EN = {field: keys[0] for field, keys in _NAMES.items()}
_USUAL_ZH = _USUAL_EN | {
    "tasks": "task",
    "tools": "tools",
    "messages": "messages",
    "answers": "answer_list",
}
CODES = {"single": "单", "multi": "多", "clarify": "反", "chat": "拒"}
_MAIN_TYPES = {code: main_type for main_type, code in CODES.items()}
_MULTI = {
    Structure.SERIAL: Policy.MULTI_SERIAL,
    Structure.PARALLEL: Policy.MULTI_PARALLEL,
    Structure.MIXED: Policy.MULTI_MIXED,
}
_TRUTHS = {"真": True, "假": False, "true": True, "false": False}


def _read_labels(entry: PublishedLine, tasks: Sequence[Task]) -> list[Labels]:
    policies = [
        _policy(code, task, f"{entry.name('types')}[{t}]", entry.notes)
        for t, (code, task) in enumerate(zip(read_labels(entry, "types", len(tasks)), tasks, strict=True))
    ]
    return list(zip(policies, _informations(entry, len(tasks)), strict=True))


def _policy(code: JsonValue, task: Task, where: str, notes: list[str]) -> Policy | None:
    """Four codes; which kind of multi a task is, its dependencies say."""
    main_type = label_at(code, where, notes, known=_MAIN_TYPES, noun="type")
    if main_type is None:
        return None
    if main_type != "multi":
        return Policy(main_type)
    structure = structure_of(step_graph(task))
    if structure not in _MULTI:
        # The file still says multi; with one call or none every kind of multi is as wrong.
        notes.append(f"{where} says several calls, but the task has {len(task.calls)}; read as serial.")
    return _MULTI.get(structure, Policy.MULTI_SERIAL)


def _informations(entry: PublishedLine, count: int) -> list[Information | None]:
    """Relations are aligned with all tasks, with the dependent ones, or with all but the first."""
    where = entry.name("subtypes")
    found = read_relations(entry.get("subtypes"), where, entry.notes)
    dependent = [
        t
        for t, value in enumerate(read_labels(entry, "turn_types", count))
        if _truth(value, f"turn_type[{t}]")
    ]
    if len(found) == count:
        placed = dict(enumerate(found))
    elif len(found) == len(dependent):
        placed = dict(zip(dependent, found, strict=True))
    elif len(found) == count - 1:
        placed = dict(enumerate(found, start=1))
    else:
        entry.notes.append(f"{where} has {len(found)} items for {count} tasks; left open.")
        placed = {}
    return [Information.FIRST, *(placed.get(t) for t in range(1, count))]


def _truth(value: JsonValue, where: str) -> bool:
    if value is None:
        return False
    truth = value if isinstance(value, bool) else _TRUTHS.get(str(value).strip().casefold())
    if truth is None:
        refuse(where, value, "true or false")
    return truth


def _write_labels(case: Case) -> JsonObject:
    relations = [CHINESE.get(task.information) if task.information else None for task in case.tasks]
    labels: JsonObject = {
        "turn_types": [relation is not None for relation in relations],
        "subtypes": [relation for relation in relations if relation is not None],
    }
    if any(task.policy for task in case.tasks):
        labels["types"] = [CODES[task.policy.main_type] if task.policy else None for task in case.tasks]
    return labels


LINE = LineFormat(
    format=CaseFormat.C3,
    names=_NAMES,
    usual_en=_USUAL_EN,
    usual_zh=_USUAL_ZH,
    read_labels=_read_labels,
    write_labels=_write_labels,
)
decode, read, encode = LINE.decode, LINE.read, LINE.encode
