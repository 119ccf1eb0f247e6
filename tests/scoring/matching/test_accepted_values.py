"""Arguments are met exactly, but for what a call accepts besides."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from scoring.errors import InputError
from scoring.evaluation import score
from scoring.matching.argument_problems import ArgumentRule
from scoring.matching.arguments import check_arguments
from scoring.matching.gold import prepare
from scoring.model.case import Answer, Call, Task, content_sha256
from scoring.model.record import JsonObject
from scoring.model.taxonomy import ArgumentProfile, Semantics
from scoring.predictions import Prediction, Reply, ToolCall
from tests.factories import case, tool

GOLD: JsonObject = {"city": "New York", "days": 2, "tags": ["a", "b"], "near": {"km": 1}}
ACCEPTED: JsonObject = {
    "/city": {"values": ["NYC", None]},
    "/days": {"tolerance": 0.1},
    "/tags": {"any_order": True},
    "/near/km": {"values": [5], "optional": True},
    "/note": {"any_text": True},
    "/unit": {"values": ["C"], "optional": True},
}


def problem(said: JsonObject, accepted: JsonObject | None = ACCEPTED) -> str:
    """What is wrong with gold's arguments but for those given; empty for nothing, `...` leaves one out."""
    named = {name: value for name, value in (GOLD | said).items() if value != "..."}
    call = Call(name="f", arguments=GOLD, accepted=accepted)
    check = check_arguments(
        json.dumps(named), GOLD, tool=None, profile=ArgumentProfile.ACCEPTED, accepts=call.accepts
    )
    assert check.correct == (not check.problems)
    return "".join(one.message for one in check.problems)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"city": "NYC"},
        {"city": None},
        {"days": 2.1},
        {"days": 1.9},
        {"days": 2.0},
        {"tags": ["b", "a"]},
        {"near": {"km": 5}},
        {"near": {}},
        {"note": "whatever"},
        {"unit": "C"},
        {"city": "NYC", "near": {}, "unit": "C"},
    ],
)
def test_what_a_call_accepts_is_right(said: JsonObject) -> None:
    assert problem(said) == ""


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"city": "new york"}, "/city: differs from the gold value"),
        ({"city": "..."}, "arguments: lacks city"),
        ({"days": 2.11}, "/days: differs from the gold value"),
        ({"days": True}, "/days: other type than the gold value"),
        ({"days": "2"}, "/days: other type than the gold value"),
        ({"tags": ["b", "b"]}, "/tags/0: differs from the gold value"),
        ({"tags": ["b", "a", "a"]}, "/tags: other length than the gold list"),
        ({"near": {"km": 4}}, "/near/km: differs from the gold value"),
        ({"near": {"km": 1, "mi": 1}}, "/near: adds mi"),
        ({"note": 3}, "arguments: adds note"),
        ({"unit": "F"}, "arguments: adds unit"),
        ({"city": "x", "days": 9}, "/city: differs from the gold value"),
    ],
)
def test_anything_else_is_wrong_and_the_first_place_is_named(said: JsonObject, words: str) -> None:
    assert problem(said) == words


def test_without_accepted_values_everything_is_met_exactly() -> None:
    assert problem({}, None) == ""
    assert problem({"city": "NYC"}, None) == "/city: differs from the gold value"
    assert problem({"days": 2.0}, None) == ""


def test_the_score_is_the_share_of_arguments_that_agree_and_the_schema_comes_first() -> None:
    said = json.dumps(GOLD | {"city": "NYC", "days": 9})
    of = tool("f", city={"type": "integer"}, days={"type": "any"}, tags={"type": "any"}, near={"type": "any"})
    accepts = Call(name="f", arguments=GOLD, accepted=ACCEPTED).accepts
    check = check_arguments(said, GOLD, tool=of, profile=ArgumentProfile.ACCEPTED, accepts=accepts)
    assert check.score == 0.75
    assert check.problems[0].rule is ArgumentRule.SCHEMA_TYPE


LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=2)
OBJECTS = st.dictionaries(st.text(max_size=2), LEAVES | st.lists(LEAVES, max_size=2), max_size=3)


@given(OBJECTS, OBJECTS)
def test_two_are_right_for_each_other_only_if_they_are_equal(one: JsonObject, other: JsonObject) -> None:
    check = check_arguments(json.dumps(one), other, tool=None, profile=ArgumentProfile.ACCEPTED)
    assert check.correct == (json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True))


def test_a_run_is_judged_by_what_calls_accept_under_that_rule_alone() -> None:
    steps = (Call(name="f", arguments={"city": "New York"}, accepted={"/city": {"values": ["NYC"]}}),)
    whole = case(Task(user="?", steps=(*steps, Answer(text="Done."))))
    made = ToolCall(id="1", name="f", arguments='{"city": "NYC"}')
    run = [Prediction(case="c-1", task=0, replies=(Reply(tool_calls=(made,)), Reply(content="Done.")))]
    rates = {
        rule: score([whole], run, arguments=rule).summary.accuracy.tasks.count for rule in ArgumentProfile
    }
    assert rates == {"wtb": 0, "c3": 0, "wtb-strict": 0, "accepted": 1}
    with pytest.raises(InputError, match="know no accepted values"):
        score([whole], run, arguments=ArgumentProfile.ACCEPTED, semantics=Semantics.REFERENCE)


def test_two_calls_that_accept_different_values_do_not_stand_for_each_other() -> None:
    plain = Call(name="f", arguments={"city": "New York"})
    other = plain.model_copy(update={"accepted": {"/city": {"values": ["NYC"]}}})
    kinds = [
        prepare(case(Task(user="?", steps=(plain, second, Answer(text="Done.")))), 0).kinds[:2]
        for second in (plain, other)
    ]
    assert kinds == [(0, 0), (0, 1)]


def test_accepted_values_are_content_and_nothing_is_no_content() -> None:
    def hashed(accepted: JsonObject | None) -> str:
        call = Call(name="f", arguments={"city": "Oslo"}, accepted=accepted)
        return content_sha256(case(Task(user="?", steps=(call,))))

    assert hashed(None) == hashed({}) != hashed({"/city": {"values": ["NYC"]}})


@pytest.mark.parametrize(
    "accepted", [{"city": {}}, {"/city": {"value": 1}}, {"/city": {"optional": "yes"}}, {"/city": 1}]
)
def test_what_is_no_accepted_value_is_refused(accepted: JsonObject) -> None:
    with pytest.raises(ValidationError):
        Call(name="f", arguments={}, accepted=accepted)
