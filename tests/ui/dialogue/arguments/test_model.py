"""Typed JSON is read, and what is wrong with it is named with its place."""

from pydantic import JsonValue

from ui.dialogue.arguments.model import JsonProblem, TypedJson


def nothing(value: JsonValue) -> tuple[JsonProblem, ...]:
    return ()


def test_good_text_has_a_value_and_no_problem() -> None:
    typed = TypedJson('{"a": 1}', nothing, must_be_object=True)
    assert (typed.value, typed.is_json, typed.problems) == ({"a": 1}, True, ())


def test_a_missing_comma_is_named_with_line_and_column() -> None:
    typed = TypedJson('{"a": 1\n"b": 2}', nothing, must_be_object=True)
    assert not typed.is_json
    assert typed.problems[0].message == "Line 2, column 1: a comma or a closing bracket is missing."
    assert typed.problems[0].span == (8, 9)


def test_arguments_that_are_no_object_are_refused() -> None:
    assert not TypedJson("[1]", nothing, must_be_object=True).is_json
    assert TypedJson("[1]", nothing, must_be_object=False).is_json


def test_a_number_no_file_can_hold_is_refused() -> None:
    assert not TypedJson('{"a": NaN}', nothing, must_be_object=True).is_json


def test_a_problem_of_the_schema_is_marked_at_its_value() -> None:
    def city(value: JsonValue) -> tuple[JsonProblem, ...]:
        return (JsonProblem(message="Not a text.", path="/city"),)

    text = '{"n": 1,\n   "city"  :  3 }'
    problem = TypedJson(text, city, must_be_object=True).problems[0]
    assert text[slice(*problem.span)] == "3"


def test_a_missing_parameter_is_marked_at_the_object() -> None:
    def missing(value: JsonValue) -> tuple[JsonProblem, ...]:
        return (JsonProblem(message="c is missing.", path="/a/c"), JsonProblem(message="No.", path="/c"))

    problems = TypedJson('{"a": {"b": 1}}', missing, must_be_object=True).problems
    assert [problem.span for problem in problems] == [(1, 4), (0, 15)]


def test_a_number_with_too_many_digits_is_refused_in_words() -> None:
    problem = TypedJson(f'{{"a": {"1" * 5000}}}', nothing, must_be_object=True).problems[0]
    assert problem.message == "An integer has 5000 digits; at most 400 are read."


def test_broken_grammar_is_named_before_a_name_that_stands_twice() -> None:
    problem = TypedJson('{"a": 1, "a": 2', nothing, must_be_object=True).problems[0]
    assert problem.message == "Line 1, column 16: a comma or a closing bracket is missing."
