"""Who cannot have a case is told the one reason that applies, and what to do about it."""

import pytest

from annotator.project.people import set_active, set_roles
from annotator.review.expert.decisions import Decision
from annotator.review.expert_review import decide, open_adjudication
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import submission_key
from scoring.errors import AnnotatorError, ConflictError, ForbiddenError
from scoring.model.taxonomy import Role, Verdict
from tests.annotator.team import Team, two_step_case

APPROVE = Decision(verdict=Verdict.APPROVE)


@pytest.fixture
def disputed(team: Team) -> Team:
    """A case ann owns and an expert must decide; bob, an annotator and expert, escalated it."""
    set_roles(team["max"], "ann", roles=[Role.ANNOTATOR, Role.EXPERT])
    set_roles(team["max"], "bob", roles=[Role.ANNOTATOR, Role.EXPERT])
    set_roles(team["max"], "dan", roles=[Role.EXPERT])
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", verdict=Verdict.ESCALATE)
    team.cross_check("cleo", "c-1")
    return team


@pytest.mark.parametrize(
    ("name", "why", "hint"),
    [
        ("ann", "You own this case.", "An expert who had no part in it must decide it"),
        ("bob", "You have judged this case already.", "An expert who has not judged it must decide it"),
    ],
)
def test_an_expert_is_told_which_part_they_had(disputed: Team, name: str, why: str, hint: str) -> None:
    with pytest.raises(ForbiddenError) as refused:
        open_adjudication(disputed[name], "c-1")
    assert refused.value.message == why
    assert refused.value.hint.startswith(hint)


def test_an_expert_is_told_who_is_deciding_a_case(disputed: Team) -> None:
    open_adjudication(disputed["eve"], "c-1")
    with pytest.raises(ForbiddenError) as refused:
        open_adjudication(disputed["dan"], "c-1")
    assert refused.value.message == "eve is deciding c-1 now."
    assert "when they hand it back" in refused.value.hint


@pytest.mark.parametrize("name", ["bob", "dan"])
def test_each_reason_stands_alone(disputed: Team, name: str) -> None:
    if name == "dan":
        open_adjudication(disputed["eve"], "c-1")
    with pytest.raises(AnnotatorError) as refused:
        open_adjudication(disputed[name], "c-1")
    assert " or " not in refused.value.message


def _disable_and_enable(team: Team, name: str) -> None:
    set_active(team["max"], name, active=False)
    set_active(team["max"], name, active=True)


def test_an_expert_whose_slot_was_released_is_not_told_that_the_case_changed(disputed: Team) -> None:
    seen = open_adjudication(disputed["eve"], "c-1").value
    _disable_and_enable(disputed, "eve")
    with pytest.raises(ConflictError) as refused:
        decide(disputed["eve"], seen.assignment_id, decision=APPROVE, key=submission_key())
    assert refused.value.message == "Your slot on c-1 ended, but nobody else has taken it."
    assert "your decision comes back with it" in refused.value.hint


def test_an_expert_whose_case_somebody_else_has_by_now_is_told_who(disputed: Team) -> None:
    seen = open_adjudication(disputed["eve"], "c-1").value
    _disable_and_enable(disputed, "eve")
    open_adjudication(disputed["dan"], "c-1")
    with pytest.raises(ConflictError, match="ended, and dan is deciding it now"):
        decide(disputed["eve"], seen.assignment_id, decision=APPROVE, key=submission_key())


def test_an_expert_who_decided_already_is_told_so(disputed: Team) -> None:
    seen = open_adjudication(disputed["eve"], "c-1").value
    decide(disputed["eve"], seen.assignment_id, decision=APPROVE, key=submission_key())
    with pytest.raises(ConflictError, match="You have decided c-1 already"):
        decide(disputed["eve"], seen.assignment_id, decision=APPROVE, key=submission_key())


def test_a_reviewer_of_a_full_case_is_told_when_it_is_free_again(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    for name in ("bob", "cleo"):
        claim_case(team[name], "c-1")
    with pytest.raises(ForbiddenError) as refused:
        claim_case(team["dan"], "c-1")
    assert refused.value.message == "All the slots of this case are taken."
    assert "when somebody hands theirs back" in refused.value.hint
