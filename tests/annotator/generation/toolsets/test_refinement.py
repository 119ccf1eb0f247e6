"""What a person accepts is written beside the file, with its history, and found again."""

import json
from pathlib import Path

import pytest

from annotator.generation.toolsets.refinement import (
    accept,
    history_path,
    open_toolsets,
    part_at,
    read_history,
    refined_path,
)
from annotator.generation.toolsets.toolset_checks import check_toolset
from annotator.generation.toolsets.toolset_files import read_toolsets
from scoring.errors import ConflictError, InputError

SPEED = {"type": "string", "description": "Speed, supports 'fast' or 'slow'."}
TOOL = {
    "name": "send",
    "description": "Send a parcel on its way.",
    "parameters": {"type": "object", "properties": {"speed": SPEED}, "required": ["speed"]},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tools.jsonl"
    path.write_text(json.dumps([TOOL]) + "\n")
    return path


def test_an_accepted_proposal_settles_the_finding_and_is_found_again(file: Path) -> None:
    toolsets = open_toolsets(file)
    (finding,) = check_toolset(toolsets[0])
    assert finding.proposal is not None
    (better,) = accept(file, toolsets, finding, after=finding.proposal, person="ann")

    assert check_toolset(better) == ()
    assert open_toolsets(file) == (better,)
    assert json.loads(file.read_text()) == [TOOL], "the file itself stays as it was"
    assert [tool.definition for tool in read_toolsets(refined_path(file))[0].tools] == [
        tool.definition for tool in better.tools
    ]
    (change,) = read_history(file)
    assert (change.person, change.tool, change.path) == ("ann", "send", "/properties/speed")
    assert (change.before, change.after) == (SPEED, finding.proposal)


def test_a_description_is_worded_by_the_person(file: Path) -> None:
    toolsets = open_toolsets(file)
    finding = check_toolset(toolsets[0])[0].model_copy(update={"path": ""})
    (better,) = accept(file, toolsets, finding, after={"description": "Send it."}, person="ann")

    assert better.tools[0].description == "Send it."
    assert part_at(better.tools[0], "") == {"description": "Send it."}


def test_two_people_do_not_overwrite_each_other(file: Path) -> None:
    toolsets = open_toolsets(file)
    (finding,) = check_toolset(toolsets[0])
    accept(file, toolsets, finding, after={**SPEED, "enum": ["fast"]}, person="ann")

    with pytest.raises(ConflictError, match="changed by somebody else"):
        accept(file, toolsets, finding, after={**SPEED, "enum": ["slow"]}, person="ben")
    assert [change.person for change in read_history(file)] == ["ann"]


def test_a_damaged_history_is_named(file: Path) -> None:
    history_path(file).write_text("{}\n")

    with pytest.raises(InputError, match=r"tools\.history\.jsonl:1"):
        open_toolsets(file)


def test_a_history_of_another_file_is_refused(file: Path) -> None:
    toolsets = open_toolsets(file)
    (finding,) = check_toolset(toolsets[0])
    accept(file, toolsets, finding, after=finding.proposal or {}, person="ann")
    moved = file.with_name("other.jsonl")
    moved.write_text(file.read_text())
    history_path(moved).write_text(history_path(file).read_text())

    with pytest.raises(InputError, match=r"which other\.jsonl lacks"):
        open_toolsets(moved)
