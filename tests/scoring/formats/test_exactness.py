"""An unedited case exported in the format it came from equals its line, field by field."""

import json

import pytest
from hypothesis import given

from scoring.formats import native
from scoring.formats.benchmark import c3, wildtool
from scoring.formats.chat import openai
from scoring.formats.differences import same
from scoring.model.case import Case
from scoring.model.record import JsonObject
from tests.scoring.formats.json_values import FEW
from tests.scoring.formats.lines import c3_lines, openai_lines, wildtool_lines
from tests.shared import SHARED, needs_shared


def through_native(case: Case) -> Case:
    """The case after a trip through a native file."""
    line = json.loads(json.dumps(native.encode(case)))
    return native.decode(line, file="n.jsonl", line=1)


@FEW
@given(wildtool_lines())
def test_a_wildtool_line_comes_back_exactly(line: JsonObject) -> None:
    case = wildtool.decode(line, file="w.jsonl", line=3)
    assert same(wildtool.encode(case), line)
    assert same(wildtool.encode(through_native(case)), line)


@FEW
@given(c3_lines())
def test_a_c3_line_comes_back_exactly(line: JsonObject) -> None:
    case = c3.decode(line, file="c.jsonl", line=3)
    assert same(c3.encode(case), line)
    assert same(c3.encode(through_native(case)), line)


@FEW
@given(openai_lines())
def test_a_chat_line_comes_back_exactly(line: JsonObject) -> None:
    case = openai.decode(line, file="o.jsonl", line=3)
    assert same(openai.encode(case), line)
    assert same(openai.encode(through_native(case)), line)


@FEW
@given(wildtool_lines())
def test_a_native_trip_keeps_everything(line: JsonObject) -> None:
    case = wildtool.decode(line, file="w.jsonl", line=3)
    assert through_native(case) == case


@pytest.mark.shared
@needs_shared
def test_the_published_cases_come_back_exactly() -> None:
    lines = _lines("published_cases.jsonl")
    assert len(lines) == 13
    for number, line in enumerate(lines, start=1):
        assert same(wildtool.encode(wildtool.decode(line, file="p.jsonl", line=number)), line)


@pytest.mark.shared
@needs_shared
def test_the_recorded_dialogues_come_back_exactly() -> None:
    lines = _lines("bfcl_multi_turn_base.openai.jsonl")
    assert len(lines) == 200
    for number, line in enumerate(lines, start=1):
        assert same(openai.encode(openai.decode(line, file="b.jsonl", line=number)), line)


def _lines(name: str) -> list[JsonObject]:
    return [json.loads(line) for line in (SHARED / "data" / name).read_text("utf-8").splitlines()]
