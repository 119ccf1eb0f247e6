"""WildToolBench lines (formats 4): reading them as cases and writing cases as them."""

from collections.abc import Sequence

from pydantic import JsonValue

from scoring.formats import keeping
from scoring.formats.entries import (
    KeyNames,
    Line,
    read_id,
    read_labels,
    read_now,
    read_tasks,
    read_tools,
    write_fields,
)
from scoring.formats.fields import list_at, refuse
from scoring.formats.outcome import Reading
from scoring.formats.relations import ENGLISH, read_relation
from scoring.model.case import Case, Source, Task
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
_USUAL_FIELDS = tuple(field for field in _NAMES if field != "messages")
_TYPES = {
    Policy.SINGLE: "Single-Tool",
    Policy.MULTI_PARALLEL: "Parallel Multi-Tool",
    Policy.MULTI_SERIAL: "Sequential Multi-Tool",
    Policy.MULTI_MIXED: "Mixed Multi-Tool",
    Policy.CLARIFY: "Clarify",
    Policy.CHAT: "Chat",
}
_POLICIES = {name.casefold(): policy for policy, name in _TYPES.items()} | {
    "serial multi-tool": Policy.MULTI_SERIAL
}


def decode(record: JsonObject, *, file: str, line: int) -> Case:
    """Read one WildToolBench line.

    Args:
        record: The line as parsed.
        file: Name of the file it stands in.
        line: Its number, from 1.

    Raises:
        InputError: The line is no case, with the field and what is wrong with it.
    """
    return read(record, file=file, line=line).case


def read(record: JsonObject, *, file: str, line: int) -> Reading:
    """Read one WildToolBench line as `decode` does, with the notes made on the way."""
    entry = Line(record, _NAMES)
    tasks = read_tasks(entry)
    now, _ = read_now(entry.get("env"), entry.name("env"), len(tasks))
    case = Case(
        id=read_id(entry.get("id"), file=file, line=line),
        language=entry.language,
        now=now,
        tools=read_tools(entry.get("tools"), entry.name("tools")),
        tasks=_with_labels(entry, tasks),
        source=Source(format=CaseFormat.WILDTOOL, file=file, line=line),
    )
    layout = entry.layout(_usual(case.language))
    case = keeping.remember(case, record, format=CaseFormat.WILDTOOL, layout=layout, write=_write)
    return Reading(case=case, warnings=tuple(entry.notes))


def encode(case: Case) -> JsonObject:
    """Write a case as a WildToolBench line, as its file had it where it came from one.

    Raises:
        InputError: A task has no answer yet.
    """
    source = case.source
    file, line = (source.file or "", source.line or 0) if source else ("", 0)
    return keeping.recall(
        case,
        format=CaseFormat.WILDTOOL,
        write=_write,
        read=lambda record: decode(record, file=file, line=line),
    )


def _usual(language: str) -> dict[str, str]:
    position = 0 if language == "en" else -1
    plain = {"tasks": "tasks"} if language != "en" else {}
    return {field: _NAMES[field][position] for field in _USUAL_FIELDS} | plain


def _with_labels(entry: Line, tasks: Sequence[Task]) -> tuple[Task, ...]:
    policies = [
        _policy(value, f"{entry.name('types')}[{t}]", entry.notes)
        for t, value in enumerate(read_labels(entry, "types", len(tasks)))
    ]
    informations = _informations(entry, len(tasks))
    return tuple(
        task.model_copy(update={"policy": policy, "information": information})
        for task, policy, information in zip(tasks, policies, informations, strict=True)
    )


def _policy(value: JsonValue, where: str, notes: list[str]) -> Policy | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        refuse(where, value, "a text")
    policy = _POLICIES.get(value.strip().casefold())
    if policy is None:
        notes.append(f"{where} holds the unknown type {value[:60]!r}; left open.")
    return policy


def _informations(entry: Line, count: int) -> list[Information | None]:
    """Item i-1 belongs to task i; a list as long as the tasks is aligned with them."""
    where = entry.name("subtypes")
    value = entry.get("subtypes")
    listed = [] if value is None else list_at(value, where)
    found = [read_relation(item, f"{where}[{i}]", entry.notes) for i, item in enumerate(listed)]
    if len(found) == count:
        found = found[1:]
    elif len(found) != count - 1:
        if found:
            entry.notes.append(f"{where} has {len(found)} items for {count} tasks; left open.")
        found = [None] * (count - 1)
    return [Information.FIRST, *found]


def _write(case: Case, layout: JsonObject) -> JsonObject:
    labels: JsonObject = {}
    if any(task.policy for task in case.tasks):
        labels["types"] = [_TYPES[task.policy] if task.policy else None for task in case.tasks]
    relations = [ENGLISH.get(task.information) if task.information else None for task in case.tasks[1:]]
    labels["subtypes"] = list(relations) if any(relations) else []
    return write_fields(case, _usual(case.language), layout=layout, labels=labels)
