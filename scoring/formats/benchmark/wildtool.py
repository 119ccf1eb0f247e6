"""WildToolBench lines (formats 4): reading them as cases and writing cases as them."""

from collections.abc import Sequence

from scoring.formats.benchmark.entries import KeyNames, PublishedLine, read_labels
from scoring.formats.benchmark.line_format import Labels, LineFormat
from scoring.formats.benchmark.relations import ENGLISH, read_relations
from scoring.formats.fields import label_at
from scoring.model.case import Case, Task
from scoring.model.record import JsonObject
from scoring.model.taxonomy import CaseFormat, Information, Policy

_NAMES: KeyNames = {
    "id": ("id",),
    "env": ("english_env_info", "env_info"),
    "tools": ("english_tools", "tools"),
    "tasks": ("english_tasks", "english_task", "tasks", "task"),
    "answers": ("english_answer_list", "answer_list"),
    "types": ("english_task_types", "task_types"),
    "subtypes": ("english_turn_subtypes", "turn_subtypes"),
    "messages": ("english_messages", "messages"),
}
_USUAL_EN = {field: keys[0] for field, keys in _NAMES.items() if field != "messages"}
_USUAL_ZH = {field: keys[-1] for field, keys in _NAMES.items() if field != "messages"} | {"tasks": "tasks"}
TYPES = {
    Policy.SINGLE: "Single-Tool",
    Policy.MULTI_PARALLEL: "Parallel Multi-Tool",
    Policy.MULTI_SERIAL: "Sequential Multi-Tool",
    Policy.MULTI_MIXED: "Mixed Multi-Tool",
    Policy.CLARIFY: "Clarify",
    Policy.CHAT: "Chat",
}
_POLICIES = {name.casefold(): policy for policy, name in TYPES.items()} | {
    "serial multi-tool": Policy.MULTI_SERIAL
}


def _read_labels(entry: PublishedLine, tasks: Sequence[Task]) -> list[Labels]:
    policies = [
        label_at(value, f"{entry.name('types')}[{t}]", entry.notes, known=_POLICIES, noun="type")
        for t, value in enumerate(read_labels(entry, "types", len(tasks)))
    ]
    return list(zip(policies, _informations(entry, len(tasks)), strict=True))


def _informations(entry: PublishedLine, count: int) -> list[Information | None]:
    """Item i-1 belongs to task i; a list as long as the tasks is aligned with them."""
    where = entry.name("subtypes")
    found = read_relations(entry.get("subtypes"), where, entry.notes)
    if len(found) == count:
        found = found[1:]
    elif len(found) != count - 1:
        if found:
            entry.notes.append(f"{where} has {len(found)} items for {count} tasks; left open.")
        found = [None] * (count - 1)
    return [Information.FIRST, *found]


def _write_labels(case: Case) -> JsonObject:
    labels: JsonObject = {}
    if any(task.policy for task in case.tasks):
        labels["types"] = [TYPES[task.policy] if task.policy else None for task in case.tasks]
    relations = [ENGLISH.get(task.information) if task.information else None for task in case.tasks[1:]]
    labels["subtypes"] = list(relations) if any(relations) else []
    return labels


LINE = LineFormat(
    format=CaseFormat.WILDTOOL,
    names=_NAMES,
    usual_en=_USUAL_EN,
    usual_zh=_USUAL_ZH,
    read_labels=_read_labels,
    write_labels=_write_labels,
)
decode, read, encode = LINE.decode, LINE.read, LINE.encode
