"""Many fields are decided at once where enough sides say the same, and three sides stand side by side."""

import pytest

from annotator.review.verifying import Adjudication, Decision, Own
from scoring.model.taxonomy import FeedbackCategory, Policy, Verdict
from tests.annotator.team import Team, two_step_case
from tests.ui.adjudication.driving import Court, bring_dispute, bring_three_ways
from tests.ui.find import find
from ui.adjudication.deciding import take_side
from ui.adjudication.merging import Strategy, decided_count, merged, taken_from
from ui.theme import Button

ANSWER = "task.0.step.3.text"


@pytest.fixture
def three(team: Team) -> Adjudication:
    bring_three_ways(team)
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
    bring_dispute(team)
    assert merged(team.open_expert("c-1"), Decision(), Strategy.MAJORITY) == Decision()


def test_what_is_decided_already_stays(three: Adjudication) -> None:
    mine = take_side(Decision(), "task.0.policy", choice=Own(own="single"))
    assert merged(three, mine, Strategy.MAJORITY).fields["task.0.policy"] == Own(own="single")
    assert taken_from(three, mine, "B").fields["task.0.policy"] == Own(own="single")


def test_one_side_decides_everything_open_and_gets_its_edits(three: Adjudication) -> None:
    decision = taken_from(three, Decision(), "C")
    assert set(decision.fields.values()) == {"C"}
    assert decision.edits == {f"C:{ANSWER}": "accept"}


# on the page


def test_the_merges_are_a_menu_with_digits_and_counts(court: Court) -> None:
    bring_three_ways(court.team)
    court.open()
    court.press("U")
    texts = [action.text() for action in court.target.actions()]
    assert texts[:3] == [
        "&1  what all reviewers say (0)",
        "&2  what most reviewers say (4)",
        "&3  everything open as A says (4)",
    ]
    court.press("2")
    assert court.document.left == ("task.0.edge.0-2",)
    assert court.row_id() == "task.0.edge.0-2"
    court.press("Ctrl+Z")
    assert court.document.decision == Decision()


def test_three_sides_have_columns_and_any_two_drawings_are_compared(court: Court) -> None:
    bring_three_ways(court.team)
    court.open()
    table = court.page.columns.table
    assert [table.model().headerData(i, table.horizontalHeader().orientation()) for i in range(5)] == [
        "Field",
        "A",
        "B",
        "C",
        "Decision",
    ]
    drawings = court.page.columns.drawings
    assert drawings.lines[-1] == ("Edge F1", "0.00", "", "0 of 2 shared")
    court.press("P")
    assert find(drawings, Button, "graph-compare").isVisible()
    # both drew 0 -> 2, for different reasons
    assert drawings.lines[-1] == ("Edge F1", "1.00", "", "1 of 1 shared")
    court.press("C")
    assert court.document.decision.fields == {"task.0.policy": "C"}


def test_a_letter_nobody_has_says_so(court: Court) -> None:
    bring_dispute(court.team)
    court.open()
    assert not find(court.page, Button, "graph-compare").isVisible()
    court.press("C")
    assert court.document.decision == Decision()


def test_feedback_is_given_by_keys(court: Court) -> None:
    bring_dispute(court.team)
    court.open()
    court.press("T", "T", "Down")
    (item,) = court.document.decision.feedback
    assert (item.to, item.category) == ("B", FeedbackCategory.INSUFFICIENT_EVIDENCE)
