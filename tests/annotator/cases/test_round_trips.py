"""Whatever is edited, an export reads back with the same content, or is refused with what cannot be kept."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats import native
from scoring.formats.benchmark import c3, wildtool
from scoring.formats.case_reader import parse_line
from scoring.formats.case_writer import encode, encode_line
from scoring.formats.chat import openai
from scoring.formats.codecs import sniff
from scoring.model.case import Case, Edge, Now, Tool, content_sha256
from scoring.model.graph import with_drawn_edges
from scoring.model.taxonomy import CaseFormat, EdgeKind, Information, Policy
from tests.annotator.cases.any_edits import edits
from tests.factories import answer, call, case, task, tool
from tests.scoring.formats.cases import answered_cases, recorded_cases
from tests.scoring.formats.json_values import FEW
from tests.scoring.formats.lines import c3_lines, openai_lines, wildtool_lines

DECODE: dict[CaseFormat, Callable[..., Case]] = {
    CaseFormat.NATIVE: native.decode,
    CaseFormat.WILDTOOL: wildtool.decode,
    CaseFormat.C3: c3.decode,
    CaseFormat.OPENAI: openai.decode,
}
IMPORTED = {
    "wildtool": wildtool_lines().map(lambda line: wildtool.decode(line, file="f.jsonl", line=1)),
    "c3": c3_lines().map(lambda line: c3.decode(line, file="f.jsonl", line=1)),
    "openai": openai_lines().map(lambda line: openai.decode(line, file="f.jsonl", line=1)),
    "recorded": recorded_cases(),
    "made": answered_cases(),
}


def read_back(text: bytes, format: CaseFormat) -> Case:  # noqa: A002
    """The case of a line that stands in another file than the one it came from."""
    record = parse_line(text)
    assert sniff(record) is format
    return DECODE[format](record, file="back.jsonl", line=9)


@st.composite
def edited_cases(draw: st.DrawFn, source: str) -> Case:
    """An imported case after some edits, its labels and language changed, too."""
    edited = draw(edits(draw(IMPORTED[source])))
    informations = st.sampled_from([None, *Information])
    tasks = [task.model_copy(update={"information": draw(informations)}) for task in edited.tasks]
    language = draw(st.sampled_from(["en", "zh", "nb", edited.language]))
    return edited.model_copy(update={"tasks": tuple(tasks), "language": language})


def as_needed(case: Case, format: CaseFormat) -> Case:  # noqa: A002
    """The case with the answers and tools without which no evaluator runs it."""
    if format not in (CaseFormat.WILDTOOL, CaseFormat.C3):
        return case
    tasks = [
        one
        if one.answer
        else with_drawn_edges(one.model_copy(update={"steps": (*one.steps, answer())}), one.drawn_edges)
        for one in case.tasks
    ]
    return case.model_copy(update={"tasks": tuple(tasks), "tools": case.tools or (tool(),)})


SAID = ("time of their own", "no date can be read", "tasks; the released")


@pytest.mark.parametrize("source", list(IMPORTED))
@settings(FEW, max_examples=15)
@given(st.data())
def test_an_edited_case_reads_back_or_is_refused_with_the_reason(source: str, data: st.DataObject) -> None:
    edited = data.draw(edited_cases(source))
    for form in CaseFormat:
        after = as_needed(edited, form)
        try:
            line = encode_line(after, form, position=3)
        except InputError as exc:
            assert any(said in exc.message for said in SAID), exc.message  # noqa: PT017
        else:
            assert content_sha256(read_back(line, form)) == content_sha256(after)


def nested(depth: int) -> JsonValue:
    """A value of so many levels."""
    value: JsonValue = "deep"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("format", list(CaseFormat))
@pytest.mark.parametrize("depth", [60, 85, 90, 93, 95, 100, 105])
def test_deep_values_read_back_or_are_refused_as_too_deep(depth: int, format: CaseFormat) -> None:  # noqa: A002
    deep = case(task(call(at=nested(depth), observation=nested(depth)), answer()), tools=[tool()])
    try:
        line = encode_line(deep, format)
    except InputError as exc:
        assert depth > 90
        assert "nests deeper than" in exc.message  # noqa: PT017
    else:
        assert content_sha256(read_back(line, format)) == content_sha256(deep)


def test_the_kind_of_an_edge_language_and_information_are_kept_by_every_format() -> None:
    edges = [Edge(source=0, target=1, kind=EdgeKind.PARAMETER)]
    drawn = with_drawn_edges(task(call("b"), call("a"), answer(), information=Information.OMISSION), edges)
    one = case(drawn, tools=[tool()]).model_copy(update={"language": "nb"})
    for form in (CaseFormat.WILDTOOL, CaseFormat.C3, CaseFormat.OPENAI):
        again = read_back(encode_line(one, form), form)
        assert again.language == "nb"
        assert again.tasks[0].information is Information.OMISSION
        assert again.tasks[0].edges[0].kind is EdgeKind.PARAMETER


def test_a_chat_with_drawn_edges_keeps_the_order_of_the_calls() -> None:
    drawn = task(call("c"), call("b"), call("a"), answer(), edges=[(2, 0)])
    again = read_back(encode_line(case(drawn), CaseFormat.OPENAI), CaseFormat.OPENAI)
    assert [step.name for _, step in again.tasks[0].calls] == ["c", "b", "a"]


def test_a_line_that_somebody_edited_is_read_as_it_stands_with_a_note() -> None:
    one = case(task(call("b"), call("a"), answer(), edges=[(0, 1)]))
    line = encode(one, CaseFormat.OPENAI)
    messages = line["messages"]
    assert isinstance(messages, list)
    line["messages"] = [{"role": "user", "content": "Else?"}, *messages[1:]]
    found = openai.read(line, file="o.jsonl", line=1)
    assert found.case.tasks[0].user == "Else?"
    assert "annotator_case does not belong to this line any more" in found.warnings[0]


def test_an_openai_line_without_an_id_keeps_the_one_it_was_given() -> None:
    line: dict[str, JsonValue] = {"messages": [{"role": "user", "content": "Weather?"}]}
    one = openai.decode(line, file="f.jsonl", line=1)
    assert read_back(encode_line(one, CaseFormat.OPENAI), CaseFormat.OPENAI).id == "f:1"


def test_what_a_format_says_by_itself_is_not_said_twice() -> None:
    function: dict[str, JsonValue] = {
        "name": "getForecast",
        "description": "",
        "parameters": {"type": "object", "properties": {}, "required": []},
    }
    labelled = task(answer(), policy=Policy.CHAT, information=Information.FIRST)
    one = case(labelled, tools=[Tool(definition={"type": "function", "function": function})])
    one = one.model_copy(update={"now": Now.read("2024-07-10 09:30:00 星期三")})
    for form in (CaseFormat.WILDTOOL, CaseFormat.C3):
        assert "annotator_case" not in encode(one, form)
