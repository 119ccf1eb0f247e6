"""Arguments against the schemas toolsets really have: types, closed sets, alternatives and oddities."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import JsonValue

from annotator.cases.findings.argument_checks import Violation, violations_of
from scoring.model.case import Call, Tool
from scoring.model.record import JsonObject
from tests.factories import tool


def found(schema: JsonObject, value: JsonValue) -> list[tuple[str, str]]:
    """What is wrong with one argument, as rule and path."""
    return [(one.rule, one.path) for one in violations(schema, value)]


def violations(schema: JsonObject, value: JsonValue) -> tuple[Violation, ...]:
    return violations_of(tool("act", x=schema), Call(name="act", arguments={"x": value}))


@pytest.mark.parametrize("value", ["x", 0, False, [], {}])
def test_a_schema_of_type_null_takes_null_and_nothing_else(value: JsonValue) -> None:
    assert found({"type": "null"}, value) == [("args.type", "/x")]
    assert found({"type": "null"}, None) == []


@pytest.mark.parametrize(
    ("name", "fits", "fails"),
    [
        ("float", 1.5, "1.5"),
        ("dict", {"a": 1}, [1]),
        ("int", 2.0, 2.5),
        ("tuple", [1], "a"),
        ("string|integer", "a", 1),
        ('enum["a","b"]', "a", "c"),
        (["string", "null"], None, 1),
    ],
)
def test_the_type_names_of_published_toolsets_are_understood(
    name: JsonValue, fits: JsonValue, fails: JsonValue
) -> None:
    assert found({"type": name}, fits) == []
    assert len(found({"type": name}, fails)) == 1


@pytest.mark.parametrize("schema", [{"type": "any"}, {"type": 3}, {"items": "x"}, {"enum": {"a": [1]}}, {}])
def test_what_makes_no_sense_in_a_schema_allows_anything(schema: JsonObject) -> None:
    values: list[JsonValue] = [None, "", 1, [1], {"a": 1}]
    for value in values:
        assert found(schema, value) == []


def test_true_is_no_number_and_no_member_of_a_set_of_numbers() -> None:
    assert found({"type": "integer"}, True) == [("args.type", "/x")]
    assert found({"enum": [1, 2]}, True) == [("args.enum", "/x")]
    assert found({"enum": [1, 2]}, 1.0) == []


def test_a_closed_set_beside_a_list_is_about_its_items() -> None:
    assert found({"type": "array", "enum": ["a", "b"]}, ["a", "c"]) == [("args.enum", "/x/1")]


def test_a_list_where_one_word_of_a_closed_set_is_wanted_is_of_the_wrong_type_only() -> None:
    assert found({"type": "string", "enum": ["a", "b"]}, ["c"]) == [("args.type", "/x")]


def test_a_closed_set_that_contradicts_its_type_gives_way_to_the_type() -> None:
    assert found({"type": "integer", "enum": ["one"]}, 1) == []


@pytest.mark.parametrize("blank", [None, ""])
def test_what_is_required_inside_an_object_must_be_more_than_null_or_empty(blank: str | None) -> None:
    inner: JsonObject = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    (wrong,) = violations({"type": "array", "items": inner}, [{"id": "a"}, {"id": blank}])
    assert (wrong.rule, wrong.path) == ("args.missing", "/x/1/id")
    assert wrong.message == f'"1" requires "id", but the call gives only {json.dumps(blank)}.'


def test_a_required_argument_that_may_be_null_may_not_be_left_out() -> None:
    used = tool("act", required=["x"], x={"type": ["string", "null"]})
    assert [one.rule for one in violations_of(used, Call(name="act", arguments={}))] == ["args.missing"]
    assert violations_of(used, Call(name="act", arguments={"x": None})) == ()


def test_a_default_is_proposed_for_what_is_missing() -> None:
    used = tool("act", required=["x"], x={"type": "integer", "default": 3})
    (wrong,) = violations_of(used, Call(name="act", arguments={}))
    assert wrong.proposal == 3


def test_of_alternatives_the_one_of_the_values_own_type_is_meant() -> None:
    either: JsonObject = {
        "oneOf": [{"type": "string"}, {"type": "object", "properties": {"id": {"type": "integer"}}}]
    }
    assert found(either, {"id": "7"}) == [("args.type", "/x/id")]
    (wrong,) = violations(either, 7)
    assert wrong.message == '"x" is 7, but the tool wants string or object.'
    assert wrong.proposal == "7"


def test_an_object_without_declared_names_takes_any_and_one_that_is_closed_none() -> None:
    assert found({"type": "object"}, {"any": 1}) == []
    assert found({"type": "object", "additionalProperties": False}, {"any": 1}) == [
        ("args.undefined", "/x/any")
    ]
    assert found({"type": "object", "additionalProperties": {"type": "string"}}, {"any": 1}) == [
        ("args.type", "/x/any")
    ]


def test_a_pattern_that_would_take_forever_is_not_tried() -> None:
    assert found({"type": "string", "pattern": "(a+)+$"}, "a" * 40 + "!") == []


types = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])
schemas = st.recursive(
    st.fixed_dictionaries({"type": types | st.lists(types, min_size=1, max_size=2)}),
    lambda inner: (
        st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        | st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
                "additionalProperties": st.booleans(),
            }
        )
        | st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)})
    ),
    max_leaves=6,
)
any_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=6,
)


@given(schemas, any_value)
def test_without_our_dialect_it_agrees_with_the_standard(schema: JsonObject, value: JsonValue) -> None:
    used = Tool(definition={"name": "act", "parameters": {"properties": {"x": schema}}})
    is_good = not violations_of(used, Call(name="act", arguments={"x": value}))
    assert is_good == Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(("count", "more"), [(8, '"o6" or "o7" is'), (10, '"o6" or "o7" (and 2 more) is')])
def test_a_long_list_of_allowed_values_is_cut_and_says_so(count: int, more: str) -> None:
    (wrong,) = violations({"enum": [f"o{number}" for number in range(count)]}, "none of them")
    assert more in wrong.message
