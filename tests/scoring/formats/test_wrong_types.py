"""Whatever stands under the right keys, a line gives a case or a reason, never a traceback."""

import json
from contextlib import suppress
from types import ModuleType

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats import native
from scoring.formats.benchmark import c3, wildtool
from scoring.formats.case_reader import parse_line
from scoring.formats.chat import openai
from scoring.formats.codecs import sniff
from scoring.formats.differences import same
from scoring.model.case import Case, content_sha256, dump_case
from scoring.model.record import JsonObject
from tests.factories import answer, ask, call, case, task, tool
from tests.scoring.formats.json_values import FEW, json_values
from tests.scoring.formats.lines import c3_lines, openai_lines, wildtool_lines


def outcome(codec: ModuleType, line: JsonObject) -> Case | str:
    """The case of a line, or the reason there is none."""
    try:
        case: Case = codec.decode(line, file="x.jsonl", line=1)
    except InputError as exc:
        return exc.message
    return case


def read_or_refuse(codec: ModuleType, line: JsonObject) -> None:
    """Read a line; one that is read comes back exactly, one that is not has a reason."""
    found = outcome(codec, line)
    if isinstance(found, str):
        assert found.endswith(".")
        return
    if codec is not native:
        assert same(codec.encode(found), line)
    again = native.decode(json.loads(json.dumps(native.encode(found))), file="x.jsonl", line=1)
    assert content_sha256(again) == content_sha256(found)


def _replaced(draw: st.DrawFn, value: JsonValue) -> JsonValue:
    if isinstance(value, dict | list) and value and draw(st.integers(0, 3)):
        if isinstance(value, dict):
            key = draw(st.sampled_from(list(value)))
            return value | {key: _replaced(draw, value[key])}
        i = draw(st.integers(0, len(value) - 1))
        return [*value[:i], _replaced(draw, value[i]), *value[i + 1 :]]
    return draw(json_values())


@st.composite
def spoilt(draw: st.DrawFn, lines: st.SearchStrategy[JsonObject]) -> JsonObject:
    """A line with one place, however deep, replaced by any JSON value."""
    line = draw(lines)
    key = draw(st.sampled_from(list(line)))
    return line | {key: _replaced(draw, line[key])}


@FEW
@given(spoilt(wildtool_lines()))
def test_a_spoilt_wildtool_line_is_read_or_refused(line: JsonObject) -> None:
    read_or_refuse(wildtool, line)


@FEW
@given(spoilt(c3_lines()))
def test_a_spoilt_c3_line_is_read_or_refused(line: JsonObject) -> None:
    read_or_refuse(c3, line)


@FEW
@given(spoilt(openai_lines()))
def test_a_spoilt_chat_is_read_or_refused(line: JsonObject) -> None:
    read_or_refuse(openai, line)


NATIVE = dump_case(
    case(
        task(ask(), call(city="Oslo"), answer(), edges=[(0, 1)]),
        task(call()),
        tools=[tool()],
        now="2024-07-11",
    )
)


@FEW
@given(spoilt(st.just(NATIVE)))
def test_a_spoilt_native_line_is_read_or_refused(line: JsonObject) -> None:
    read_or_refuse(native, line)


KEYS = [
    *("id", "tools", "messages", "functions", "env_info", "task", "tasks", "task_ids", "answer_list", "type"),
    *("turn_type", "turn_subtypes", "english_task", "english_tasks", "english_tools", "english_answer_list"),
    *(
        "english_messages",
        "english_env_info",
        "english_task_types",
        "english_turn_subtypes",
        "extras",
        "annotator",
    ),
]


@FEW
@given(st.dictionaries(st.sampled_from(KEYS), json_values(), max_size=8))
def test_any_value_under_any_known_key_is_read_or_refused(line: JsonObject) -> None:
    sniff(line)
    for codec in (wildtool, c3, openai, native):
        read_or_refuse(codec, line)


@FEW
@given(st.binary(max_size=60))
def test_any_bytes_are_parsed_or_refused(line: bytes) -> None:
    with suppress(InputError):
        assert isinstance(parse_line(line), dict)
