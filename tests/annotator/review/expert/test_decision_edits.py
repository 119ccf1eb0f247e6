"""A decision grows field by field, and says what it would make of the case."""

import pytest

from annotator.review.expert.decision_edits import (
    Result,
    answer_edit,
    feedback_to,
    is_correction,
    keep,
    kept_reason,
    left_to_decide,
    result_of,
    take_side,
    tell,
    with_edit,
)
from annotator.review.expert.decisions import Adjudication, Decision, Own, drawn_tasks
from scoring.model.taxonomy import EdgeKind, FeedbackCategory
from tests.annotator.review.expert.disputes import bring_dispute
from tests.annotator.team import Team, two_step_case

EDIT = "A:task.0.step.2.text"


@pytest.fixture
def dispute(team: Team) -> Adjudication:
    team.walk(bring_dispute)
    return team.open_expert("c-1")


def settled() -> Decision:
    """Every field of the dispute decided."""
    decision = take_side(Decision(), "task.0.policy", choice="A")
    decision = take_side(decision, "task.0.edge.0-1", choice="A")
    return answer_edit(decision, EDIT, answer="accept")


def test_an_own_value_is_neither_sides(dispute: Adjudication) -> None:
    decision = take_side(settled(), "task.0.edge.0-1", choice=Own(own="logical"))
    result = result_of(dispute, decision).case
    assert result is not None
    assert [edge.kind for edge in result.tasks[0].drawn_edges] == [EdgeKind.LOGICAL]


def test_a_field_can_be_opened_again(dispute: Adjudication) -> None:
    decision = take_side(settled(), "task.0.policy", choice=None)
    assert left_to_decide(dispute, decision) == ("task.0.policy",)


def test_another_case_than_before_is_a_correction(dispute: Adjudication) -> None:
    assert is_correction(dispute, result_of(dispute, settled()))
    same = Result(dispute.case)
    assert not is_correction(dispute, same)
    assert not is_correction(dispute, Result(None))


def test_a_declined_edit_is_decided_but_changes_nothing(dispute: Adjudication) -> None:
    decision = answer_edit(settled(), EDIT, answer="decline")
    assert left_to_decide(dispute, decision) == ()
    result = result_of(dispute, decision).case
    assert result is not None
    assert result.tasks[0].answer == two_step_case().tasks[0].answer


def test_an_answer_or_a_reason_is_that_of_its_own_place() -> None:
    answered = answer_edit(answer_edit(Decision(), EDIT, answer="accept"), "B:other", answer="decline")
    assert answered.edits == {EDIT: "accept", "B:other": "decline"}
    kept = keep(keep(Decision(), "one", reason="rare"), "other", reason="meant")
    assert [kept_reason(kept, name) for name in ("one", "other", "none")] == ["rare", "meant", ""]


def test_a_drawing_that_breaks_a_rule_is_said_and_gives_no_result(dispute: Adjudication) -> None:
    decision = take_side(settled(), "task.0.edge.1-0", choice=Own(own="logical"))
    found = result_of(dispute, decision)
    assert found.case is None
    assert "circle" in found.problem


def test_one_person_is_told_one_thing_and_it_can_be_taken_back() -> None:
    decision = tell(Decision(), "B", category=FeedbackCategory.WRONG_DEPENDENCY, note="it flows")
    decision = tell(decision, "B", category=FeedbackCategory.POLICY_MISMATCH, note="it flows")
    item = feedback_to(decision, "B")
    assert item is not None
    assert (len(decision.feedback), item.category) == (1, FeedbackCategory.POLICY_MISMATCH)
    assert tell(decision, "B", category=None, note="").feedback == ()


def test_an_edit_back_to_what_was_shown_is_no_edit() -> None:
    case = two_step_case()
    assert with_edit(Decision(edit=case), case, shown=case).edit is None


def test_deciding_a_dependency_or_the_drawing_draws_the_task() -> None:
    assert drawn_tasks(["task.0.drawn", "task.1.edge.0-1", "task.2.policy", "language"]) == {0, 1}
