"""Many fields are decided at once where enough sides say the same."""

import pytest

from annotator.review.expert.decision_edits import take_side
from annotator.review.expert.decisions import Adjudication, Decision, Own
from annotator.review.expert.merge_strategies import Strategy, decided_count, merged, taken_from
from scoring.model.taxonomy import Policy, Verdict
from tests.annotator.review.expert.disputes import bring_dispute, bring_three_ways
from tests.annotator.team import Team, two_step_case

ANSWER = "task.0.step.3.text"


@pytest.fixture
def three(team: Team) -> Adjudication:
    team.walk(bring_three_ways)
    return team.open_expert("c-1")


def test_the_majority_decides_what_two_of_three_say(three: Adjudication) -> None:
    decision = merged(three, Decision(), Strategy.MAJORITY)
    # 0 -> 2 is parameter, absent, logical: no two say the same
    assert decision.fields == {"task.0.policy": "A", "task.0.edge.0-1": "A"}
    assert decision.edits == {f"A:{ANSWER}": "accept", f"C:{ANSWER}": "accept"}
    assert decided_count(Decision(), decision) == 4


def test_unanimity_decides_nothing_two_of_three_say(three: Adjudication) -> None:
    assert merged(three, Decision(), Strategy.UNANIMOUS) == Decision()


def test_unanimity_decides_what_only_the_owner_saw_otherwise(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    for name in ("bob", "cleo"):
        verdict = Verdict.ESCALATE if name == "bob" else Verdict.APPROVE
        team.cross_check(name, "c-1", policies={0: Policy.SINGLE}, verdict=verdict)
    found = team.open_expert("c-1")
    assert merged(found, Decision(), Strategy.UNANIMOUS).fields == {"task.0.policy": "A"}


def test_half_of_two_is_no_majority(team: Team) -> None:
    team.walk(bring_dispute)
    assert merged(team.open_expert("c-1"), Decision(), Strategy.MAJORITY) == Decision()


def test_what_is_decided_already_stays(three: Adjudication) -> None:
    mine = take_side(Decision(), "task.0.policy", choice=Own(own="single"))
    assert merged(three, mine, Strategy.MAJORITY).fields["task.0.policy"] == Own(own="single")
    assert taken_from(three, mine, "B").fields["task.0.policy"] == Own(own="single")


def test_one_side_decides_everything_open_and_gets_its_edits(three: Adjudication) -> None:
    decision = taken_from(three, Decision(), "C")
    assert set(decision.fields.values()) == {"C"}
    assert decision.edits == {f"C:{ANSWER}": "accept"}
