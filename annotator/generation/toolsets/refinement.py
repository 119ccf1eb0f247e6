"""Making a toolset better: what a person accepts is written beside the file, with its history."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from pydantic import ValidationError

from annotator.cases.pointers import value_at, with_value_at
from annotator.files import replace_text
from annotator.generation.plan import Toolset
from annotator.generation.toolsets.toolset_checks import check_toolset
from annotator.generation.toolsets.toolset_files import PARAMETER_KEYS, FoundToolset, read_toolsets
from annotator.generation.toolsets.toolset_findings import ToolsetFinding
from annotator.jobs import JobContext
from scoring.errors import ConflictError, InputError, existing
from scoring.groups import collected
from scoring.model.case import Tool
from scoring.model.record import JsonObject, Record, members_in, to_json


class ToolChange(Record):
    """One change a person accepted: the part at `path` of a tool's parameters, before and after.

    An empty path is the tool's description, under `description`.
    """

    at: datetime
    person: str
    toolset: str
    tool: str
    rule: str
    path: str
    before: JsonObject
    after: JsonObject


def refined_path(file: Path) -> Path:
    """Where the better toolsets of a file are written: beside it."""
    return file.with_name(f"{_stem(file)}.refined.jsonl")


def history_path(file: Path) -> Path:
    """Where the accepted changes of a file are kept, one a line."""
    return file.with_name(f"{_stem(file)}.history.jsonl")


def _stem(file: Path) -> str:
    name = file.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")
    return name.removesuffix(".refined")


def open_toolsets(file: Path) -> tuple[FoundToolset, ...]:
    """The toolsets of a file as they are by now: with every change that was accepted.

    Raises:
        InputError: The file cannot be read, or the changes were made to another version of it.
    """
    found = {toolset.toolset.name: toolset for toolset in read_toolsets(file)}
    for change in read_history(file):
        toolset = existing(
            found.get(change.toolset),
            InputError(
                f"{history_path(file).name} has changes to {change.toolset}, which {file.name} lacks.",
                "Move the history away if it belongs to another file.",
            ),
        )
        found[change.toolset] = with_change(toolset, change)
    return tuple(found.values())


@collected
def read_history(file: Path) -> Iterator[ToolChange]:
    """The accepted changes of a file, oldest first; none where nobody changed anything.

    Raises:
        InputError: A line cannot be read.
    """
    path = history_path(file)
    if not path.is_file():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            yield ToolChange.model_validate_json(line)
        except ValidationError as exc:
            raise InputError(
                f"{path.name}:{number} is not an accepted change.",
                "Remove the line, or take a copy of the file.",
            ) from exc


def part_at(tool: Tool, path: str) -> JsonObject:
    """The part of a tool's parameters a finding is about; its description for the tool as a whole."""
    if not path:
        return {"description": tool.description}
    return members_in(value_at(tool.original_parameters, path))


def accept(
    file: Path, toolsets: Sequence[FoundToolset], finding: ToolsetFinding, *, after: JsonObject, person: str
) -> tuple[FoundToolset, ...]:
    """Accept a better part, as proposed or as a person has worded it.

    Args:
        file: Where the toolsets are from; history and result are written beside it.
        toolsets: As they are now.
        finding: What it settles.
        after: The part as it becomes.
        person: Who accepts it.

    Returns:
        The toolsets with the change.

    Raises:
        InputError: There is no such tool, or the place cannot be written.
        ConflictError: Somebody else changed this file meanwhile.
    """
    held = {found.toolset.name: found for found in toolsets}
    found = held.get(finding.toolset)
    tool = next((tool for tool in found.tools if tool.name == finding.tool), None) if found else None
    if found is None or tool is None:
        raise InputError(f"There is no tool {finding.tool} in {finding.toolset}.", "Read the file again.")
    if open_toolsets(file) != tuple(toolsets):
        raise ConflictError(f"{file.name} was changed by somebody else.", "Read it again.")
    change = ToolChange(
        at=datetime.now(UTC),
        person=person,
        toolset=finding.toolset,
        tool=finding.tool,
        rule=finding.rule,
        path=finding.path,
        before=part_at(tool, finding.path),
        after=after,
    )
    held[finding.toolset] = with_change(found, change)
    history = "".join(f"{to_json(one.model_dump(mode='json'))}\n" for one in (*read_history(file), change))
    lines = (to_json([tool.definition for tool in one.tools]) for one in held.values())
    replace_text(history_path(file), history)  # first: the other file follows from it
    replace_text(refined_path(file), "".join(f"{line}\n" for line in lines))
    return tuple(held.values())


def with_change(found: FoundToolset, change: ToolChange) -> FoundToolset:
    """A toolset with one change made to one tool."""
    tools = tuple(_changed(tool, change) if tool.name == change.tool else tool for tool in found.tools)
    return found.model_copy(update={"toolset": Toolset(name=found.toolset.name, tools=tools)})


def _changed(tool: Tool, change: ToolChange) -> Tool:
    definition: JsonObject = json.loads(to_json(tool.definition))
    inner = definition.get("function")
    function = inner if isinstance(inner, dict) else definition
    if not change.path:
        function["description"] = change.after.get("description", "")
    else:
        holder = next(
            (key for key in PARAMETER_KEYS if isinstance(function.get(key), dict)), PARAMETER_KEYS[0]
        )
        function[holder] = with_value_at(function[holder], change.path, replacement=change.after)
    return Tool(definition=definition)


class CheckedToolsets(Record):
    """A file of toolsets as it is by now, what they lack, and what was accepted so far."""

    file: Path
    toolsets: tuple[FoundToolset, ...]
    findings: tuple[ToolsetFinding, ...]
    history: tuple[ToolChange, ...]


def check_file(file: Path, *, context: JobContext) -> CheckedToolsets:
    """Read a file with the changes that were accepted, and check every toolset of it. A job.

    Raises:
        InputError: See `open_toolsets`.
    """
    return _checked(file, open_toolsets(file), context)


def accept_and_check(
    before: CheckedToolsets, finding: ToolsetFinding, *, after: JsonObject, person: str, context: JobContext
) -> CheckedToolsets:
    """Accept a change, and check again. A job."""
    return _checked(
        before.file, accept(before.file, before.toolsets, finding, after=after, person=person), context
    )


def _checked(file: Path, toolsets: tuple[FoundToolset, ...], context: JobContext) -> CheckedToolsets:
    findings = chain.from_iterable(map(check_toolset, context.each(toolsets, "checking toolsets")))
    return CheckedToolsets(file=file, toolsets=toolsets, findings=tuple(findings), history=read_history(file))
