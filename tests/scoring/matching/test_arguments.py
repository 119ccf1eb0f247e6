"""Judging the arguments of one call."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from scoring.matching.argument_problems import (
    ArgumentProblem,
    ArgumentRule,
    CallCheck,
    c3_mistake_of,
    worst_mistakes,
)
from scoring.matching.arguments import check_arguments, is_readable
from scoring.matching.wildtool_arguments import gold_problem, schema_problem
from scoring.model.case import Tool
from scoring.model.record import JsonObject
from scoring.model.taxonomy import ArgumentProfile, C3Mistake, WildtoolMistake
from tests.factories import tool
from tests.scoring.matching.published_words import published_message

WTB, C3, STRICT = ArgumentProfile.WTB, ArgumentProfile.C3, ArgumentProfile.WTB_STRICT
TEXT = tool("f", x={"type": "string", "description": "One of JSON or XML; null when unknown"})


def check(
    predicted: JsonObject | str,
    gold: JsonObject,
    *,
    by: ArgumentProfile = WTB,
    of: Tool | None = None,
) -> CallCheck:
    text = predicted if isinstance(predicted, str) else json.dumps(predicted)
    return check_arguments(text, gold, tool=of, profile=by)


def rule_of(result: CallCheck) -> ArgumentRule | None:
    return result.problems[0].rule if result.problems else None


@pytest.mark.parametrize(
    ("predicted", "gold", "rule"),
    [
        ("Las Vegas", "LasVegas", None),
        ("chicago", "Chicago", None),
        ("Chicag", "Chicago", ArgumentRule.ROUGE),
        ("2024-07-13", "2024-07-14", ArgumentRule.ROUGE),
        ("12345", "12346", ArgumentRule.ROUGE),
        ("125.532.55.08", "125.532.55.09", None),
        ("https://bit.ly/def457", "https://bit.ly/def456", ArgumentRule.ROUGE),
        ("New York", "New York City", None),
        ("New York City", "New York", ArgumentRule.EDIT_RATIO),
        ("Environmental protection law", "Environmental protection", None),
        ("protection Environmental", "Environmental protection", ArgumentRule.ROUGE),
        ("User activity report for May", "User activity report for June", None),
        ("AI Security", "Artificial Intelligence Security", ArgumentRule.ROUGE),
        ("北京天气", "北京的天气", None),
        ("", "some long answer text", ArgumentRule.NOT_COMPUTABLE),
        ("+123456789", "123456789", ArgumentRule.ROUGE),
        (["a", "b"], ["b", "a"], ArgumentRule.EDIT_RATIO),
        (["a"], ["a", "b"], ArgumentRule.GOLD_LENGTH),
        (5, 5, None),
        (5.0, 5, ArgumentRule.GOLD_TYPE),
        (True, 1, ArgumentRule.GOLD_TYPE),
        (4, 5, ArgumentRule.VALUE),
        ({"a": 1}, {"a": 2}, ArgumentRule.VALUE),
        (None, None, None),
    ],
)
def test_wtb_compares_values_by_the_published_rules(
    predicted: JsonValue, gold: JsonValue, rule: ArgumentRule | None
) -> None:
    assert rule_of(check({"x": predicted}, {"x": gold})) is rule


def test_wtb_refuses_every_key_gold_does_not_have() -> None:
    result = check({"x": "q", "format": "JSON"}, {"x": "q"})
    assert rule_of(result) is ArgumentRule.GOLD_KEYS
    assert result.message == "arguments: adds format"
    assert check({"y": 1}, {"x": 1}).message == "arguments: lacks x and adds y"


def test_every_problem_says_path_and_rule() -> None:
    problem = gold_problem({"a/b": [{"c~d": 1}]}, {"a/b": [{"c~d": 2}]})
    assert problem is not None
    assert problem.path == "/a~1b/0/c~0d"
    assert problem.message == "/a~1b/0/c~0d: differs from the gold value"
    short = check({"x": "Berlin"}, {"x": "Chicago"})
    # blocks of Berlin in Chicago: only "i": 2 * 1 / (6 + 7) = 0.15
    assert short.message == "/x: edit ratio below 0.8 (0.15)"


SCHEMA: JsonObject = {
    "type": "object",
    "required": ["city"],
    "properties": {
        "city": {"type": "string", "enum": ["Oslo", "Bergen"]},
        "days": {"type": "array", "items": {"type": "integer"}},
        "free": {"type": "object"},
        "open": {"type": "object", "additionalProperties": True},
        "either": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}]},
        "several": {"type": ["integer", "null"]},
        "untyped": {},
        "odd": {"type": "coordinate"},
        "nested": {"type": "object", "required": ["a"], "properties": {"a": {"type": "boolean"}}},
    },
}


@pytest.mark.parametrize(
    ("value", "rule", "place"),
    [
        ({"city": "Oslo"}, None, None),
        ({}, ArgumentRule.SCHEMA_MISSING, ()),
        ({"city": "oslo"}, ArgumentRule.SCHEMA_ENUM, ("city",)),
        ({"city": "Oslo", "town": 1}, ArgumentRule.SCHEMA_UNDEFINED, ()),
        ({"city": "Oslo", "days": [1, "2"]}, ArgumentRule.SCHEMA_TYPE, ("days", 1)),
        ({"city": "Oslo", "days": [True]}, None, None),
        ({"city": "Oslo", "days": [5.0]}, ArgumentRule.SCHEMA_TYPE, ("days", 0)),
        ({"city": "Oslo", "free": {"a": 1}}, ArgumentRule.SCHEMA_UNDEFINED, ("free",)),
        ({"city": "Oslo", "open": {"a": 1}}, None, None),
        ({"city": "Oslo", "either": 3}, None, None),
        ({"city": "Oslo", "either": ["a"]}, None, None),
        ({"city": "Oslo", "either": "a"}, ArgumentRule.SCHEMA_TYPE, ("either",)),
        ({"city": "Oslo", "several": None}, None, None),
        ({"city": "Oslo", "several": "x"}, ArgumentRule.SCHEMA_TYPE, ("several",)),
        ({"city": "Oslo", "untyped": 3}, ArgumentRule.SCHEMA_TYPE, ("untyped",)),
        ({"city": "Oslo", "odd": [3]}, None, None),
        ({"city": "Oslo", "nested": {}}, ArgumentRule.SCHEMA_MISSING, ("nested",)),
        ({"city": "Oslo", "nested": {"a": "yes"}}, ArgumentRule.SCHEMA_TYPE, ("nested", "a")),
        ([], ArgumentRule.SCHEMA_TYPE, ()),
    ],
)
def test_the_schema_pass_names_the_first_rule_broken(
    value: JsonValue, rule: ArgumentRule | None, place: tuple[str | int, ...] | None
) -> None:
    problem = schema_problem(value, SCHEMA)
    assert (problem.rule if problem else None) is rule
    assert (problem.place if problem else None) == place


def test_an_enum_grouped_under_headings_accepts_every_value_in_it() -> None:
    schema: JsonObject = {"type": "string", "enum": {"north": ["Oslo"], "south": ["Rome"]}}
    assert schema_problem("Rome", schema) is None
    assert schema_problem("Paris", schema) is not None


def test_the_schema_is_tested_before_gold() -> None:
    of = tool("f", required=["city"], city={"type": "string"})
    assert rule_of(check({}, {}, of=of)) is ArgumentRule.SCHEMA_MISSING
    assert check({}, {}, of=None).correct


def test_a_parameter_called_properties_is_a_parameter() -> None:
    of = tool("f", properties={"type": "object", "properties": {"a": {"type": "integer"}}})
    assert check({"properties": {"a": 1}}, {"properties": {"a": 1}}, of=of).correct


@pytest.mark.parametrize("text", ["", "{", "not json", "[" * 100_000, "1" * 5000])
@pytest.mark.parametrize("profile", list(ArgumentProfile))
def test_arguments_that_are_no_json_are_wrong_and_never_a_crash(text: str, profile: ArgumentProfile) -> None:
    result = check(text, {"x": 1}, by=profile, of=TEXT)
    assert not result.correct
    assert result.score == 0


@pytest.mark.parametrize("text", ["null", "[1]", '"text"', "3"])
@pytest.mark.parametrize("profile", list(ArgumentProfile))
def test_arguments_that_are_no_object_are_wrong(text: str, profile: ArgumentProfile) -> None:
    assert not check(text, {}, by=profile, of=TEXT).correct


def test_wtb_strict_wants_texts_without_blanks_exactly() -> None:
    assert check({"x": "125.532.55.08"}, {"x": "125.532.55.09"}).correct
    assert (
        rule_of(check({"x": "125.532.55.08"}, {"x": "125.532.55.09"}, by=STRICT)) is ArgumentRule.STRICT_TEXT
    )
    assert check({"x": "LAS vegas"}, {"x": "LasVegas"}, by=STRICT).correct
    assert check({"x": "New York"}, {"x": "New York City"}, by=STRICT).correct
    assert check({"x": ["a.b.c.d.e"]}, {"x": ["a.b.c.d.f"]}, by=STRICT).problems[0].place == ("x", 0)


def test_the_wtb_score_is_the_share_of_names_that_agree() -> None:
    # names a, b, c in either; only a agrees: 1/3
    assert check({"a": 1, "b": 2}, {"a": 1, "c": 2}).score == pytest.approx(1 / 3)
    # schema errors do not lower it (scoring 4.3)
    assert check({"a": 1}, {"a": 1}, of=tool("f")).score == 1.0
    assert check({}, {}).score == 1.0


@pytest.mark.parametrize(
    ("predicted", "gold", "score"),
    [
        ("2024-07-13", "2024-07-14", 0.8),
        ("https://bit.ly/def457", "https://bit.ly/def456", 8 / 9),
        ("34.05,118.24", "1.0,2.0", 1.0),
        ("New York City", "New York", 0.75),
        ("New York", "New York City", 0.75),
        ("125.532.55.08", "125.532.55.09", 2 / 3),
        ("OSLO", "Oslo", 1.0),
        ("Las Vegas", "lasvegas", 1.0),
        (5, "5", 0.0),
    ],
)
def test_c3_scores_texts_by_shared_tokens(predicted: JsonValue, gold: JsonValue, score: float) -> None:
    result = check({"x": predicted}, {"x": gold}, by=C3, of=TEXT)
    assert result.score == pytest.approx(score)
    assert result.correct is (score >= 0.7)


def test_c3_lets_one_of_four_arguments_be_wrong() -> None:
    number: JsonObject = {"type": "integer"}
    of = tool("f", a=number, b=number, c=number, d=number)
    gold: JsonObject = {"a": 1, "b": 1, "c": 1, "d": 1}
    result = check({**gold, "d": 2}, gold, by=C3, of=of)
    assert (result.score, result.correct) == (0.75, True)  # mean of 1, 1, 1, 0
    assert [problem.place for problem in result.problems] == [("d",)]
    assert not check({**gold, "c": 2, "d": 2}, gold, by=C3, of=of).correct


def test_c3_takes_integers_as_floats_but_not_truth_values() -> None:
    of = tool("f", x={"type": "float"})
    assert check({"x": 5}, {"x": 5.0}, by=C3, of=of).correct
    assert rule_of(check({"x": True}, {"x": 1}, by=C3, of=of)) is ArgumentRule.GOLD_TYPE


def test_c3_forgives_what_gold_has_and_the_prediction_leaves_out() -> None:
    of = tool("f", x={"type": "string"}, y={"type": "string"})
    assert check({"x": "a"}, {"x": "a", "y": "b"}, by=C3, of=of).score == 1.0


def test_c3_wants_every_required_argument() -> None:
    of = tool("f", required=["x"], x={"type": "string"}, y={"type": "string"})
    result = check({"y": "b"}, {"x": "a", "y": "b"}, by=C3, of=of)
    assert (result.score, rule_of(result)) == (0.0, ArgumentRule.SCHEMA_MISSING)


def test_c3_knows_invented_parameters_from_invented_values() -> None:
    assert rule_of(check({"z": 1}, {}, by=C3, of=TEXT)) is ArgumentRule.SCHEMA_UNDEFINED
    assert rule_of(check({"x": "yaml"}, {}, by=C3, of=TEXT)) is ArgumentRule.INVENTED_VALUE
    assert check({"x": "json"}, {}, by=C3, of=TEXT).correct  # its description names the value
    assert check({"x": "none"}, {}, by=C3, of=TEXT).correct  # "none" where the description says null


def test_c3_compares_lists_in_any_order_and_objects_key_by_key() -> None:
    of = tool(
        "f",
        l={"type": "array", "items": {"type": "integer"}},
        o={"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
    )
    assert check({"l": [2, 1]}, {"l": [1, 2]}, by=C3, of=of).correct
    assert rule_of(check({"l": [1]}, {"l": [1, 2]}, by=C3, of=of)) is ArgumentRule.GOLD_LENGTH
    half = check({"o": {"a": 1, "b": 2}}, {"o": {"a": 1, "b": 3}}, by=C3, of=of)
    assert half.score == 0.5  # mean of 1 and 0
    assert half.problems[0].path == "/o/b"
    assert check({"o": {"a": 1}}, {"o": {"a": 1, "b": 3}}, by=C3, of=of).score == 1.0
    assert check({"o": {}}, {"o": {"a": 1}}, by=C3, of=of).score == 0.0
    assert rule_of(check({"o": {"z": 1}}, {"o": {"a": 1}}, by=C3, of=of)) is ArgumentRule.SCHEMA_UNDEFINED


@pytest.mark.parametrize(
    ("predicted", "gold", "of"),
    [
        ({"x": "a"}, {"x": "b"}, tool("f", x={"type": "coordinate"})),
        ({"x": "a"}, {"x": "b"}, tool("f", x={})),
        ({"x": "a"}, {"x": "b"}, None),
        ({}, {"x": "b"}, tool("f", x={"type": "string"})),
        ({"x": [1]}, {"x": [2]}, tool("f", x={"type": "string"})),
    ],
    ids=["unknown type", "no type", "no tool", "mean over nothing", "list under a text schema"],
)
def test_c3_fails_politely_where_the_published_comparison_breaks_down(
    predicted: JsonObject, gold: JsonObject, of: Tool | None
) -> None:
    result = check(predicted, gold, by=C3, of=of)
    assert (result.score, rule_of(result)) == (0.0, ArgumentRule.UNCOMPARABLE)
    assert not is_readable(result)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab .", max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from("abc"), JSON, max_size=3))
def test_gold_arguments_are_correct_against_themselves(gold: JsonObject) -> None:
    for profile in (WTB, STRICT):
        result = check(gold, gold, by=profile)
        assert (result.correct, result.score, result.problems) == (True, 1.0, ())


@given(
    st.dictionaries(st.sampled_from("abc"), JSON, max_size=3),
    st.dictionaries(st.sampled_from("abc"), JSON, max_size=3),
    st.sampled_from(list(ArgumentProfile)),
)
def test_a_wrong_call_always_has_a_problem(
    predicted: JsonObject, gold: JsonObject, profile: ArgumentProfile
) -> None:
    of = tool("f", a={"type": "string"}, b={"type": "array"}, c={"type": "object"})
    result = check(predicted, gold, by=profile, of=of)
    assert 0 <= result.score <= 1
    assert result.correct or result.problems


def problem(
    rule: ArgumentRule, *, missing: tuple[str, ...] = (), extra: tuple[str, ...] = ()
) -> ArgumentProblem:
    return ArgumentProblem(rule=rule, missing=missing, extra=extra)


@pytest.mark.parametrize(
    ("found", "mistake", "column"),
    [
        (problem(ArgumentRule.INVALID_JSON), C3Mistake.TYPE_ERROR, WildtoolMistake.PARAM_TYPE),
        (problem(ArgumentRule.SCHEMA_MISSING), C3Mistake.MISS_REQUIRED, WildtoolMistake.PARAM_TYPE),
        (problem(ArgumentRule.SCHEMA_ENUM), C3Mistake.TYPE_ERROR, WildtoolMistake.PARAM_TYPE),
        (problem(ArgumentRule.GOLD_TYPE), C3Mistake.TYPE_ERROR, WildtoolMistake.PARAM_TYPE),
        (
            problem(ArgumentRule.SCHEMA_UNDEFINED),
            C3Mistake.PARAM_HALLUCINATION,
            WildtoolMistake.PARAM_HALLUCINATION,
        ),
        (
            problem(ArgumentRule.GOLD_KEYS, extra=("a",), missing=("b",)),
            C3Mistake.VALUE_HALLUCINATION,
            WildtoolMistake.PARAM_HALLUCINATION,
        ),
        (
            problem(ArgumentRule.GOLD_KEYS, missing=("b",)),
            C3Mistake.VALUE_ERROR,
            WildtoolMistake.PARAM_VALUE,
        ),
        (problem(ArgumentRule.ROUGE), C3Mistake.VALUE_ERROR, WildtoolMistake.PARAM_VALUE),
    ],
)
def test_each_problem_has_its_class_in_both_taxonomies(
    found: ArgumentProblem, mistake: C3Mistake, column: WildtoolMistake
) -> None:
    bad = CallCheck(profile=WTB, correct=False, score=0, problems=(found,))
    assert c3_mistake_of(found) is mistake
    assert worst_mistakes((bad,)) == (column, mistake)


def test_the_worst_problem_of_a_step_decides_its_class() -> None:
    def bad(rule: ArgumentRule) -> CallCheck:
        return CallCheck(profile=WTB, correct=False, score=0, problems=(problem(rule),))

    value, invented, undefined = (
        bad(ArgumentRule.VALUE),
        bad(ArgumentRule.INVENTED_VALUE),
        bad(ArgumentRule.SCHEMA_UNDEFINED),
    )
    wrong_type = bad(ArgumentRule.SCHEMA_TYPE)
    # Type > Hallucination > Value in WildToolBench; hallucinated parameter > type in C3-Bench
    assert worst_mistakes((value, undefined, wrong_type)) == (
        WildtoolMistake.PARAM_TYPE,
        C3Mistake.PARAM_HALLUCINATION,
    )
    assert worst_mistakes((value, invented)) == (
        WildtoolMistake.PARAM_HALLUCINATION,
        C3Mistake.VALUE_HALLUCINATION,
    )
    assert worst_mistakes((check({"x": 1}, {"x": 1}),)) is None


def test_published_messages_name_rule_and_place() -> None:
    assert published_message(None) == "correct"
    assert published_message(gold_problem({"a": [{"b": 1}]}, {"a": [{"b": 2}]})) == (
        "error_match: value mismatch at 'a[0].b'"
    )
    assert published_message(gold_problem({"b": 1}, {"a": 1})) == (
        "error_match: args keys mismatch (missing: ['a'], extra: ['b'])"
    )


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(arguments=st.dictionaries(st.text(max_size=3), _JSON, max_size=3), strict=st.booleans())
def test_no_value_differs_from_itself_so_equal_arguments_need_no_comparison(
    arguments: JsonObject, strict: bool
) -> None:
    assert gold_problem(arguments, arguments, strict=strict) is None
    assert all(
        gold_problem(value, value, (name,), strict=strict) is None for name, value in arguments.items()
    )
