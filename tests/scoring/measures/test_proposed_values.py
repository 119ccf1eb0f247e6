"""What a call may accept besides: proposed where models of several makes agree, and for defaults."""

import json

import pytest

from scoring.golds import gold_set
from scoring.matching.gold import Gold
from scoring.measures.proposed_values import ProposedValue, Voice, propose_values, widened
from scoring.model.case import AcceptedValue
from scoring.model.record import JsonObject
from scoring.predictions import Prediction, Reply, ToolCall
from tests.factories import answer, call, case, task, tool

OWN: JsonObject = {"city": "New York", "days": 3, "tags": ["a", "b"]}


def _gold(
    accepted: JsonObject | None = None, *, required: tuple[str, ...] = (), **schema: JsonObject
) -> Gold:
    properties: dict[str, JsonObject] = {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "tags": {"type": "array"},
    }
    step = call("forecast", **OWN).model_copy(update={"accepted": accepted})
    forecast = tool("forecast", required=required, **(properties | schema))
    [gold] = gold_set([case(task(step, answer()), tools=[forecast])]).golds.values()
    return gold


def _said(model: str, gold: Gold, arguments: object) -> Voice:
    """A model that calls the tool with these arguments and then answers."""
    asked = Reply(tool_calls=(ToolCall(name="forecast", arguments=json.dumps(arguments)),))
    return model, gold, Prediction(case="c-1", task=0, replies=(asked, Reply(content="Sunny.")))


def _proposed(gold: Gold, **said: object) -> list[ProposedValue]:
    return list(propose_values([gold], [_said(name, gold, one) for name, one in said.items()]))


def test_a_value_two_makes_agree_on_is_proposed_with_how_many_were_asked() -> None:
    other = OWN | {"city": "NYC"}
    [found] = _proposed(_gold(), gpt=other, qwen=other, glm=OWN)
    assert (found.path, found.gold, found.added) == ("/city", "New York", AcceptedValue(values=("NYC",)))
    assert (found.models, found.asked) == (("gpt", "qwen"), 3)


def test_models_of_one_make_and_repeated_runs_count_once() -> None:
    gold, other = _gold(), OWN | {"city": "NYC"}
    voices = [_said("gpt-4o", gold, other), _said("gpt-5", gold, other), _said("gpt-5", gold, other)]
    assert not list(propose_values([gold], voices))


@pytest.mark.parametrize(
    "arguments",
    [
        OWN | {"city": "NYC", "days": 4},
        OWN | {"zip": "10001"},
        {"city": "NYC"},
        "no object",
    ],
    ids=["two places", "a name gold lacks", "several left out", "no object"],
)
def test_what_one_place_does_not_mend_is_not_proposed(arguments: object) -> None:
    assert not _proposed(_gold(), gpt=arguments, qwen=arguments)


def test_a_list_is_proposed_as_a_whole() -> None:
    other = OWN | {"tags": ["b", "a"]}
    [found] = _proposed(_gold(), gpt=other, qwen=other)
    assert (found.path, found.added.values) == ("/tags", (["b", "a"],))


def test_what_is_accepted_already_is_not_proposed_again() -> None:
    other = OWN | {"city": "NYC"}
    assert not _proposed(_gold({"/city": {"values": ["NYC"]}}), gpt=other, qwen=other)


def test_a_default_may_be_left_out_unless_the_schema_requires_it() -> None:
    gold = _gold(days={"type": "integer", "default": 3})
    [found] = _proposed(gold)
    assert (found.path, found.added, found.models) == ("/days", AcceptedValue(optional=True), ())
    assert not _proposed(_gold(days={"type": "integer", "default": 4}))
    assert not _proposed(_gold(required=("days",), days={"type": "integer", "default": 3}))


def test_a_proposal_widens_what_is_accepted_and_repeats_nothing() -> None:
    before = AcceptedValue(values=("NYC",), tolerance=0.5)
    after = widened(before, AcceptedValue(values=("NYC", 1, True)))
    assert after == AcceptedValue(values=("NYC", 1, True), tolerance=0.5)
    assert widened(before, AcceptedValue(optional=True)).optional
