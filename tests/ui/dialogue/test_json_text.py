"""JSON is written readably and every value can be found in the text again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from scoring.model.flow import leaves
from ui.dialogue.json_text import same_json, summary_line, write_json

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def test_a_short_value_stands_on_one_line() -> None:
    assert write_json({"city": "Oslo", "days": [1, 2]}).text == '{ "city": "Oslo", "days": [1, 2] }'


def test_a_long_value_is_indented() -> None:
    assert write_json({"city": "Oslo"}, line_length=10).text == '{\n  "city": "Oslo"\n}'


def test_empty_values_keep_their_brackets() -> None:
    assert write_json({"a": {}, "b": []}, line_length=0).text == '{\n  "a": {},\n  "b": []\n}'


@given(values)
def test_what_is_written_reads_as_the_same_value(value: JsonValue) -> None:
    for line_length in (0, 88):
        assert json.loads(write_json(value, line_length=line_length).text) == value


@given(values)
def test_every_scalar_is_found_at_its_place(value: JsonValue) -> None:
    written = write_json(value)
    for path, scalar in leaves(value):
        span = written.span_of(path)
        assert span is not None
        assert json.loads(written.text[slice(*span)]) == scalar
        assert written.path_at(span[0]) == path


@given(values, values)
def test_two_values_are_the_same_where_they_are_written_alike(one: JsonValue, other: JsonValue) -> None:
    copy = json.loads(json.dumps(one))
    assert same_json(one, copy)
    assert same_json(one, other) == (json.dumps(one) == json.dumps(other))


@pytest.mark.parametrize(
    ("one", "other"), [(1, 1.0), (1, True), (0.0, -0.0), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ([0], [False])]
)
def test_what_is_equal_and_written_otherwise_is_not_the_same(one: JsonValue, other: JsonValue) -> None:
    assert one == other
    assert not same_json(one, other)


def test_no_value_stands_on_a_bracket() -> None:
    assert write_json({"a": 1}).path_at(0) is None


def test_a_value_beyond_the_limit_ends_in_an_ellipsis() -> None:
    text = write_json(list(range(1000)), limit=200).text
    assert text.endswith("…")
    assert len(text) < 260


def test_an_observation_is_summed_up_in_one_line() -> None:
    value: JsonValue = {"forecast": [{"date": "2024-07-13", "AQI": 45}, {"date": "2024-07-14", "AQI": 50}]}
    assert summary_line(value) == "forecast[2]: date 2024-07-13, AQI 45; date 2024-07-14, AQI 50"


def test_a_long_summary_is_cut() -> None:
    assert len(summary_line("word " * 100, length=40)) == 40


def test_a_huge_observation_is_summed_up_without_reading_all_of_it() -> None:
    value: JsonValue = {"rows": ["x" * 50] * 1_000_000}
    assert summary_line(value, length=60).startswith("rows[1000000]: xxx")
