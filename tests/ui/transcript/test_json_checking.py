"""Typed JSON is read, and what is wrong with it is named with its place."""

from hypothesis import given
from pydantic import JsonValue

from tests.ui.transcript.test_json_text import values
from ui.transcript.json_checking import JsonProblem, read_typed
from ui.transcript.json_scan import places_in
from ui.transcript.json_text import write_json


def nothing(value: JsonValue) -> tuple[JsonProblem, ...]:
    return ()


def test_good_text_has_a_value_and_no_problem() -> None:
    typed = read_typed('{"a": 1}', nothing, must_be_object=True)
    assert (typed.value, typed.is_json, typed.problems) == ({"a": 1}, True, ())


def test_a_missing_comma_is_named_with_line_and_column() -> None:
    typed = read_typed('{"a": 1\n"b": 2}', nothing, must_be_object=True)
    assert not typed.is_json
    assert typed.problems[0].message == "Line 2, column 1: a comma or a closing bracket is missing."
    assert typed.problems[0].span == (8, 9)


def test_arguments_that_are_no_object_are_refused() -> None:
    assert not read_typed("[1]", nothing, must_be_object=True).is_json
    assert read_typed("[1]", nothing, must_be_object=False).is_json


def test_a_number_no_file_can_hold_is_refused() -> None:
    assert not read_typed('{"a": NaN}', nothing, must_be_object=True).is_json


def test_a_problem_of_the_schema_is_marked_at_its_value() -> None:
    def city(value: JsonValue) -> tuple[JsonProblem, ...]:
        return (JsonProblem(message="Not a text.", path="/city"),)

    text = '{"n": 1,\n   "city"  :  3 }'
    problem = read_typed(text, city, must_be_object=True).problems[0]
    assert text[slice(*problem.span)] == "3"


def test_a_missing_parameter_is_marked_at_the_object() -> None:
    def missing(value: JsonValue) -> tuple[JsonProblem, ...]:
        return (JsonProblem(message="c is missing.", path="/a/c"), JsonProblem(message="No.", path="/c"))

    problems = read_typed('{"a": {"b": 1}}', missing, must_be_object=True).problems
    assert [problem.span for problem in problems] == [(1, 4), (0, 15)]


@given(values)
def test_every_scalar_is_located_however_the_text_is_spaced(value: JsonValue) -> None:
    tight = write_json(value)
    loose = "".join(f"\n {token.text.strip()} " for token in tight.tokens)
    for token in tight.tokens:
        if token.kind not in ("key", "punctuation"):
            places = places_in(loose, {token.path})
            assert loose[slice(*places[token.path])] == token.text


def test_a_number_with_too_many_digits_is_refused_in_words() -> None:
    problem = read_typed(f'{{"a": {"1" * 5000}}}', nothing, must_be_object=True).problems[0]
    assert problem.message == "An integer has 5000 digits; at most 400 are read."


def test_broken_grammar_is_named_before_a_name_that_stands_twice() -> None:
    problem = read_typed('{"a": 1, "a": 2', nothing, must_be_object=True).problems[0]
    assert problem.message == "Line 1, column 16: a comma or a closing bracket is missing."


def test_values_under_names_with_slashes_and_escapes_are_located() -> None:
    text = '{"x": [1, {"a/b~": {"\\u0063": true}}]}'
    places = places_in(text, {"/x/1/a~1b~0", "/x/1/a~1b~0/c", "/x/0", "/y", "/x/7"})
    assert {path: text[slice(*span)] for path, span in places.items()} == {
        "/x/1/a~1b~0": '"a/b~"',
        "/x/1/a~1b~0/c": "true",
        "/x/0": "1",
    }
