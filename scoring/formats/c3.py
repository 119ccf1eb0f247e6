"""C3-Bench and MMTB lines (formats 3): reading them as cases and writing cases as them."""

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
from scoring.formats.relations import CHINESE, read_relation
from scoring.model.case import Case, Source, Task
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
_CODES = {"single": "单", "multi": "多", "clarify": "反", "chat": "拒"}
_MAIN_TYPES = {code: main_type for main_type, code in _CODES.items()}
_MULTI = {
    Structure.SERIAL: Policy.MULTI_SERIAL,
    Structure.PARALLEL: Policy.MULTI_PARALLEL,
    Structure.MIXED: Policy.MULTI_MIXED,
}
_TRUTHS = {"真": True, "假": False, "true": True, "false": False}


def decode(record: JsonObject, *, file: str, line: int) -> Case:
    """Read one C3-Bench or MMTB line.

    Args:
        record: The line as parsed.
        file: Name of the file it stands in.
        line: Its number, from 1.

    Raises:
        InputError: The line is no case, with the field and what is wrong with it.
    """
    return read(record, file=file, line=line).case


def read(record: JsonObject, *, file: str, line: int) -> Reading:
    """Read one C3-Bench or MMTB line as `decode` does, with the notes made on the way."""
    entry = Line(record, _NAMES)
    tasks = read_tasks(entry)
    now, _ = read_now(entry.get("env"), entry.name("env"), len(tasks))
    case = Case(
        id=read_id(entry.get("id"), file=file, line=line),
        language=entry.language,
        now=now,
        tools=read_tools(entry.get("tools"), entry.name("tools")),
        tasks=_with_labels(entry, tasks),
        source=Source(format=CaseFormat.C3, file=file, line=line),
    )
    layout = entry.layout(_usual(case.language))
    case = keeping.remember(case, record, format=CaseFormat.C3, layout=layout, write=_write)
    return Reading(case=case, warnings=tuple(entry.notes))


def encode(case: Case) -> JsonObject:
    """Write a case as a C3-Bench line, as its file had it where it came from one.

    Raises:
        InputError: A task has no answer yet.
    """
    source = case.source
    file, line = (source.file or "", source.line or 0) if source else ("", 0)
    return keeping.recall(
        case,
        format=CaseFormat.C3,
        write=_write,
        read=lambda record: decode(record, file=file, line=line),
    )


def _usual(language: str) -> dict[str, str]:
    return _USUAL_EN if language == "en" else _USUAL_ZH


def _with_labels(entry: Line, tasks: Sequence[Task]) -> tuple[Task, ...]:
    codes = read_labels(entry, "types", len(tasks))
    policies = [
        _policy(code, task, f"{entry.name('types')}[{t}]", entry.notes)
        for t, (code, task) in enumerate(zip(codes, tasks, strict=True))
    ]
    informations = _informations(entry, len(tasks))
    return tuple(
        task.model_copy(update={"policy": policy, "information": information})
        for task, policy, information in zip(tasks, policies, informations, strict=True)
    )


def _policy(code: JsonValue, task: Task, where: str, notes: list[str]) -> Policy | None:
    """Four codes; which kind of multi a task is, its dependencies say."""
    if code is None or code == "":
        return None
    if not isinstance(code, str):
        refuse(where, code, "a text")
    main_type = _MAIN_TYPES.get(code.strip())
    if main_type is None:
        notes.append(f"{where} holds the unknown type {code[:60]!r}; left open.")
        return None
    if main_type != "multi":
        return Policy(main_type)
    structure = structure_of(step_graph(task))
    if structure not in _MULTI:
        # The file still says multi; with one call or none every kind of multi is as wrong.
        notes.append(f"{where} says several calls, but the task has {len(task.calls)}; read as serial.")
    return _MULTI.get(structure, Policy.MULTI_SERIAL)


def _informations(entry: Line, count: int) -> list[Information | None]:
    """Relations are aligned with all tasks, with the dependent ones, or with all but the first."""
    where = entry.name("subtypes")
    value = entry.get("subtypes")
    listed = [] if value is None else list_at(value, where)
    found = [read_relation(item, f"{where}[{i}]", entry.notes) for i, item in enumerate(listed)]
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


def _write(case: Case, layout: JsonObject) -> JsonObject:
    relations = [CHINESE.get(task.information) if task.information else None for task in case.tasks]
    labels: JsonObject = {
        "turn_types": [relation is not None for relation in relations],
        "subtypes": [relation for relation in relations if relation is not None],
    }
    if any(task.policy for task in case.tasks):
        labels["types"] = [_CODES[task.policy.main_type] if task.policy else None for task in case.tasks]
    return write_fields(case, _usual(case.language), layout=layout, labels=labels)
