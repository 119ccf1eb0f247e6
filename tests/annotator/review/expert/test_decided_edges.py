"""Edges are taken from the sides, left out, or drawn by the expert alone."""

import pytest

from annotator.review.expert.decided_edges import (
    change_kind,
    choice_for,
    decided_edges,
    draw_edge,
    leave_out_edge,
    own_edges,
    own_fields,
)
from annotator.review.expert.decision_edits import take_side
from annotator.review.expert.decisions import Adjudication, Decision, Own
from scoring.errors import CycleError, GraphError
from scoring.model.taxonomy import Verdict
from tests.annotator.review.expert.disputes import bring_three_ways
from tests.annotator.team import Team, two_step_case

FIRST_TO_THIRD, SECOND_TO_THIRD = "task.0.edge.0-2", "task.0.edge.1-2"


@pytest.fixture
def three(team: Team) -> Adjudication:
    team.walk(bring_three_ways)
    return team.open_expert("c-1")


def test_a_drawn_edge_takes_the_side_that_drew_it(three: Adjudication) -> None:
    decision = draw_edge(three, Decision(), 0, pair=(0, 1))
    assert decision.fields == {"task.0.edge.0-1": "B"}


def test_an_edge_nobody_drew_is_an_own_value_of_the_kind_the_values_give(three: Adjudication) -> None:
    decision = draw_edge(three, Decision(), 0, pair=(1, 2))
    # step 1 brings {"sky": "clear"}, of which step 2 takes nothing
    assert decision.fields == {SECOND_TO_THIRD: Own(own="logical")}
    assert [edge.pair for edge in own_edges(three, decision, 0)] == [(1, 2)]


def test_an_edge_that_all_sides_drew_needs_no_decision(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    shown = team.open_expert("c-1")
    assert [edge.pair for edge in decided_edges(shown, Decision(), 0)] == [(0, 1)]


def test_an_own_edge_left_out_again_leaves_no_trace(three: Adjudication) -> None:
    decision = draw_edge(three, Decision(), 0, pair=(1, 2))
    assert leave_out_edge(three, decision, 0, pair=(1, 2)) == Decision()


def test_leaving_out_an_edge_of_a_side_takes_a_side_without_it(three: Adjudication) -> None:
    decision = leave_out_edge(three, Decision(), 0, pair=(0, 2))
    assert decision.fields == {FIRST_TO_THIRD: "B"}
    assert decided_edges(three, decision, 0) == ()


def test_the_other_kind_is_taken_from_the_side_that_says_it(three: Adjudication) -> None:
    decision = change_kind(three, take_side(Decision(), FIRST_TO_THIRD, choice="A"), 0, pair=(0, 2))
    assert decision.fields == {FIRST_TO_THIRD: "C"}
    assert change_kind(three, Decision(), 0, pair=(0, 2)) == decision  # though nothing was decided
    own = change_kind(three, draw_edge(three, Decision(), 0, pair=(1, 2)), 0, pair=(1, 2))
    assert own.fields == {SECOND_TO_THIRD: Own(own="parameter")}


def test_an_edge_against_a_decided_one_closes_a_circle(three: Adjudication) -> None:
    decision = take_side(Decision(), FIRST_TO_THIRD, choice="A")
    with pytest.raises(CycleError) as refused:
        draw_edge(three, decision, 0, pair=(2, 0))
    assert refused.value.cycle == (2, 0, 2)


def test_an_edge_that_is_there_is_not_drawn_twice(three: Adjudication) -> None:
    decision = draw_edge(three, Decision(), 0, pair=(1, 2))
    with pytest.raises(GraphError, match="exists already"):
        draw_edge(three, decision, 0, pair=(1, 2))


def test_true_and_one_are_different_values(three: Adjudication) -> None:
    (call, *_) = [field for field in three.fields if field.kind == "call"]
    assert choice_for(three, call, True) == "A"
    assert choice_for(three, call, 1) == Own(own=1)


def test_labels_are_no_own_fields(three: Adjudication) -> None:
    assert own_fields(three, take_side(Decision(), "task.0.policy", choice=Own(own="single"))) == ()
