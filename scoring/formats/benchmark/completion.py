"""What the released evaluators need of a line beyond what its file had: fields added, times completed.

A value the released code reads as it is stays as the file had it; a value it would stumble over is
written our own way. What the line then no longer says of the case is the remainder's business.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats.benchmark import c3, wildtool
from scoring.formats.benchmark.entries import PublishedLine
from scoring.formats.benchmark.line_format import LineFormat
from scoring.formats.benchmark.relations import CHINESE, ENGLISH
from scoring.formats.benchmark.segments import cut_segments, write_segments
from scoring.model.case import Case, Now, Task
from scoring.model.graph import derive_policy
from scoring.model.record import JsonObject, items_in
from scoring.model.taxonomy import CaseFormat, Information

MOST_TASKS = 4
"""Tasks of a dialogue that the released metric codes have a place for (formats 6.3, scoring 5.2)."""
WEEKDAYS = ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日")
NO_TIME = "2024-01-01 00:00:00 星期一"
"""Stands in for a missing time in a C3-Bench line, whose released code drops tasks without one."""
_C3_TIME = re.compile(
    r"(?:(?:当前时间|环境)：)?(\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) ?星期[一二三四五六日]", re.ASCII
)

Fits = Callable[[JsonValue], bool]


@dataclass(frozen=True)
class Completed:
    """A line the released code can run, and what stands in it that nobody said of the case."""

    line: JsonObject
    notes: tuple[str, ...]


def completed(case: Case, line: JsonObject, format: CaseFormat) -> Completed:  # noqa: A002
    """Make a line one that the released code of its format runs.

    Args:
        case: The case.
        line: Its line as our codec writes it.
        format: wildtool or c3; lines of other formats stay as they are.

    Raises:
        InputError: The released code could not run it whatever was added, with the reason.
    """
    if format is CaseFormat.WILDTOOL:
        return _wildtool(case, line)
    return _c3(case, line) if format is CaseFormat.C3 else Completed(line, ())


def _wildtool(case: Case, line: JsonObject) -> Completed:
    _check_size(case, "WildToolBench")
    own = {task.now.raw for task in case.tasks if task.now}
    if own - {case.now.raw if case.now else ""}:
        raise InputError(
            f"Case {case.id} has tasks with a time of their own; the released WildToolBench code "
            "knows one time for a case.",
            "Export it as c3, openai or native.",
        )
    ours = _by_field(wildtool.LINE, _filled(case, no_information=Information.LONG_RANGE))
    ours["subtypes"] = ours["subtypes"] if len(case.tasks) > 1 else []
    ours["env"] = case.now.raw if case.now else ""
    from_here = case.source is not None and case.source.format == CaseFormat.WILDTOOL
    lengths = (len(case.tasks) - 1, 0) if from_here else (len(case.tasks) - 1,)
    checks: dict[str, Fits] = {
        "env": lambda value: isinstance(value, str),
        "tools": _are_plain_tools,
        "tasks": lambda value: _are_texts(value, lengths=(len(case.tasks),)),
        "answers": lambda value: _are_answers(value, case.tasks),
        "types": lambda value: _are_texts(value, lengths=(len(case.tasks),), among=wildtool.TYPES.values()),
        "subtypes": lambda value: _are_texts(value, lengths=lengths, among=ENGLISH.values()),
    }
    result = _with_fields(wildtool.LINE, line, ours, checks)
    english = {field: keys[0] for field, keys in wildtool.LINE.names.items() if field in checks}
    _add_twins(result, [*english.values(), "answer_list"], wildtool.LINE, ours, case.tasks)
    notes = tuple(_notes(case, with_relations=result[english["subtypes"]] == ours["subtypes"]))
    return Completed(result, notes)


def _c3(case: Case, line: JsonObject) -> Completed:
    _check_size(case, "C3-Bench")
    ours = _by_field(c3.LINE, _filled(case, no_information=None))
    ours["env"] = _c3_time(case)
    ours["messages"] = [*write_segments(case.tasks, ("", ""))]
    ours["task_ids"] = [0] * len(case.tasks)
    count = len(case.tasks)
    dialogue = line.get(PublishedLine(line, c3.LINE.names).names.get("messages", ""))
    tells = _tell_tasks(dialogue, line.get("task_ids"), case.tasks)
    checks: dict[str, Fits] = {
        "id": lambda value: isinstance(value, str | list),
        "env": lambda value: _are_c3_times(value, count),
        "types": lambda value: _are_texts(value, lengths=(count,), among=c3.CODES.values()),
        "turn_types": lambda value: _are_truths(value, count),
        "subtypes": lambda value: _are_texts(value, lengths=range(count + 1), among=("", *CHINESE.values())),
        "tasks": lambda value: _are_texts(value, lengths=(count,)),
        "tools": _are_plain_tools,
        "messages": lambda _: tells,
        "task_ids": lambda value: tells and value is not None,
        "answers": lambda value: _are_answers(value, case.tasks),
    }
    result = _with_fields(c3.LINE, line, ours, checks)
    keys = [*c3.LINE.usual_en.values(), *c3.LINE.usual_zh.values()]
    _add_twins(result, list(dict.fromkeys(keys)), c3.LINE, ours, case.tasks)
    notes = list(_notes(case, with_relations=False))
    if case.now is None and not all(task.now for task in case.tasks):
        notes.append(f"It has no time; {NO_TIME} stands in, since C3-Bench drops tasks without one.")
    return Completed(result, tuple(notes))


def _check_size(case: Case, name: str) -> None:
    if len(case.tasks) > MOST_TASKS:
        raise InputError(
            f"Case {case.id} has {len(case.tasks)} tasks; the released {name} code counts the first "
            f"{MOST_TASKS} only.",
            "Split the case, or export it as openai or native.",
        )
    if not case.tools:
        raise InputError(
            f"Case {case.id} has no tools; the released {name} code offers a model the list, "
            "and endpoints refuse an empty one.",
            "Give it its tools, or export it as openai or native.",
        )


def _filled(case: Case, *, no_information: Information | None) -> Case:
    """The case with a policy for every task, as its graph shows it where none is declared."""
    tasks = [
        task.model_copy(
            update={
                "policy": task.policy or derive_policy(task),
                "information": task.information or (no_information if t else Information.FIRST),
            }
        )
        for t, task in enumerate(case.tasks)
    ]
    return case.model_copy(update={"tasks": tuple(tasks)})


def _notes(case: Case, *, with_relations: bool) -> Iterator[str]:
    unnamed = [t for t, task in enumerate(case.tasks) if task.policy is None]
    if unnamed:
        yield f"{_tasks(unnamed)} no policy; the type its graph shows stands in."
    unrelated = [t for t, task in enumerate(case.tasks) if t and task.information is None]
    if unrelated and with_relations:
        name = ENGLISH[Information.LONG_RANGE]
        yield f"{_tasks(unrelated)} no information label; {name} stands in."


def _tasks(numbers: Sequence[int]) -> str:
    listed = ", ".join(map(str, numbers))
    return f"Task {listed} has" if len(numbers) == 1 else f"Tasks {listed} have"


def _by_field(line_format: LineFormat, case: Case) -> dict[str, JsonValue]:
    written = line_format.write(case, {})
    usual = line_format.usual_en if case.language == "en" else line_format.usual_zh
    return {field: written[key] for field, key in usual.items() if key in written}


def _with_fields(
    line_format: LineFormat, line: JsonObject, ours: Mapping[str, JsonValue], checks: Mapping[str, Fits]
) -> JsonObject:
    """Replace what the released code would stumble over; add what is missing, under the case's own keys."""
    present = PublishedLine(line, line_format.names).names
    result = dict(line)
    for field, fits in checks.items():
        key = present.get(field)
        if key is not None and not fits(result[key]):
            result[key] = (
                [_plain_tool(tool) if isinstance(tool, dict) else tool for tool in items_in(result[key])]
                if field == "tools"
                else ours[field]
            )
    return result


def _add_twins(
    line: JsonObject,
    keys: Sequence[str],
    line_format: LineFormat,
    ours: Mapping[str, JsonValue],
    tasks: Sequence[Task],
) -> None:
    """Give a line the keys of both languages; a translation stays while it has as many items."""
    present = PublishedLine(line, line_format.names).names
    for field, names in line_format.names.items():
        own = line[present[field]] if field in present else ours.get(field)
        for key in names:
            if key in keys and not (key in line and _has_same_shape(field, line[key], tasks)):
                line[key] = own


def _has_same_shape(field: str, twin: JsonValue, tasks: Sequence[Task]) -> bool:
    """Whether a value in the other language has what the released code counts or cuts."""
    match field:
        case "answers":
            lengths = [len(nodes) if isinstance(nodes, list) else -1 for nodes in items_in(twin)]
            return lengths == [len(task.steps) for task in tasks]
        case "messages":
            try:
                return len(cut_segments(items_in(twin), field)) == len(tasks)
            except InputError:
                return False
        case "tasks":
            return _are_texts(twin, lengths=(len(tasks),))
        case "tools":
            return _are_plain_tools(twin)
        case _:
            return twin is not None


def _are_texts(value: JsonValue, *, lengths: Collection[int], among: Collection[str] | None = None) -> bool:
    return (
        isinstance(value, list)
        and len(value) in lengths
        and all(isinstance(item, str) and (among is None or item in among) for item in value)
    )


def _are_truths(value: JsonValue, count: int) -> bool:
    return len(items_in(value)) == count and all(
        item in (True, False, "真", "假") for item in items_in(value)
    )


def _are_plain_tools(value: JsonValue) -> bool:
    return isinstance(value, list) and all(
        isinstance(tool, dict) and _plain_tool(tool) == tool for tool in value
    )


def _are_answers(value: JsonValue, tasks: Sequence[Task]) -> bool:
    """Whether answer lists say the dependencies as positions, since the released code knows no other way."""
    listed = items_in(value)
    return len(listed) == len(tasks) and all(map(_are_nodes, listed, tasks))


def _are_nodes(nodes: JsonValue, task: Task) -> bool:
    found = [node.get("dependency_list") if isinstance(node, dict) else None for node in items_in(nodes)]
    before = [sorted(edge.source for edge in task.edges if edge.target == s) for s in range(len(task.steps))]
    numbers = [
        sorted(item for item in sources if isinstance(item, int)) if isinstance(sources, list) else None
        for sources in found
    ]
    whole = all(isinstance(s, list) and all(isinstance(item, int) for item in s) for s in found)
    return whole and numbers == before


def _tell_tasks(messages: JsonValue, task_ids: JsonValue, tasks: Sequence[Task]) -> bool:
    """Whether a dialogue has a segment for each task, with its request where `task_ids` says."""
    try:
        segments = cut_segments(items_in(messages), "messages")
    except InputError:
        return False
    offsets = items_in(task_ids) or [0] * len(tasks)
    return len(segments) == len(offsets) == len(tasks) and all(
        isinstance(offset, int)
        and 0 <= offset < len(segment)
        and task.user in str(segment[offset]["content"])
        for segment, offset, task in zip(segments, offsets, tasks, strict=True)
    )


def _are_c3_times(value: JsonValue, count: int) -> bool:
    times = value if isinstance(value, list) else [value] * count
    return len(times) == count and all(isinstance(time, str) and _is_c3_time(time) for time in times)


def _is_c3_time(text: str) -> bool:
    found = _C3_TIME.fullmatch(text)
    return found is not None and Now.read(found[1]).at is not None


def _c3_time(case: Case) -> JsonValue:
    """The time of a case as `2024-07-10 09:30:00 星期三`; one for each task where a task has its own."""
    whole = _with_weekday(case.now, case.id)
    if not any(task.now for task in case.tasks):
        return whole
    return [_with_weekday(task.now or case.now, case.id) for task in case.tasks]


def _with_weekday(now: Now | None, case_id: str) -> str:
    if now is None or not now.raw.strip():
        return NO_TIME
    if _is_c3_time(now.raw):
        return now.raw
    if now.moment is None:
        raise InputError(
            f"Case {case_id} has the time {now.raw[:60]!r}, in which no date can be read; "
            "the released C3-Bench code needs one.",
            "Write it as 2024-07-10 09:30:00, or export the case otherwise.",
        )
    return f"{now.moment:%Y-%m-%d %H:%M:%S} {WEEKDAYS[now.moment.weekday()]}"


def _plain_tool(definition: JsonObject) -> JsonObject:
    """A tool in the one shape the released code reads (formats 5.1); what it says stays."""
    inner = definition.get("function")
    function = inner if isinstance(inner, dict) else definition
    other_names = ("inputSchema", "input_schema")
    schema = next((s for k in ("parameters", *other_names) if isinstance(s := function.get(k), dict)), {})
    parameters: JsonObject = {"type": "object", "properties": {}, "required": []}
    kept = {key: value for key, value in function.items() if key not in other_names}
    if function is definition:
        definition, kept = {}, {key: value for key, value in kept.items() if key != "type"}
    filled = {"name": "", "description": ""} | kept | {"parameters": parameters | schema}
    return {"type": "function"} | definition | {"function": filled}
