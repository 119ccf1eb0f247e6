"""What was submitted can be taken back at every stage while nobody has built on it, and is offered again."""

import pytest

from annotator.cases.access import show_case
from annotator.cases.edits.text_edits import set_user_text
from annotator.review.drafts import open_assignment
from annotator.review.expert.decisions import Decision
from annotator.review.expert_review import open_adjudication
from annotator.review.measures.progress import stage_report
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.assignments import reassign
from annotator.review.queue.claims import claim_case, leave
from annotator.review.submissions import submission_key, submit
from annotator.review.withdrawals import withdraw
from scoring.errors import ForbiddenError
from scoring.model.taxonomy import CheckAnswer, Policy, Stage, Verdict
from tests.annotator.team import Team, approval, two_round_case, two_step_case


def _say(team: Team, verdict: Verdict, *, name: str = "ann") -> None:
    held = claim_case(team[name], "c-1").value
    judgment = approval(open_assignment(team[name], held.id).base)
    if verdict is not Verdict.APPROVE:
        judgment = judgment.model_copy(update={"verdict": verdict, "reasons": team.reasons("unsure")})
    submit(team[name], held.id, judgment=judgment, key=submission_key())


def test_the_task_check_can_be_taken_back_also_after_the_dialogue_check_was_begun(team: Team) -> None:
    team.bring(two_round_case())
    _say(team, Verdict.APPROVE)
    begun = claim_case(team["ann"], "c-1").value
    assert begun.stage is Stage.SELF_CHECK_DIALOGUE
    held = withdraw(team["ann"], "c-1").value
    assert (held.stage, held.status) == (Stage.SELF_CHECK_TASK, "claimed")
    assert team.stage("c-1") is Stage.SELF_CHECK_TASK
    _say(team, Verdict.APPROVE)
    assert team.stage("c-1") is Stage.SELF_CHECK_DIALOGUE


@pytest.mark.parametrize("verdict", [Verdict.ESCALATE, Verdict.REJECT])
@pytest.mark.parametrize("stage", [Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE])
def test_an_owners_escalation_can_be_taken_back_to_where_it_came_from(
    team: Team, stage: Stage, verdict: Verdict
) -> None:
    team.bring(two_round_case())
    if stage is Stage.SELF_CHECK_DIALOGUE:
        _say(team, Verdict.APPROVE)
    _say(team, verdict)
    assert team.stage("c-1") is Stage.ESCALATED
    assert withdraw(team["ann"], "c-1").value.stage is stage
    assert team.stage("c-1") is stage


def test_what_was_edited_with_a_rejection_is_there_again_when_it_is_taken_back(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    shown = open_assignment(team["ann"], held.id).base
    changed = set_user_text(shown, 0, text="Something else entirely?")
    said = approval(changed).model_copy(
        update={"verdict": Verdict.REJECT, "reasons": team.reasons("unsure"), "edit": changed}
    )
    submit(team["ann"], held.id, judgment=said, key=submission_key())
    draft = open_assignment(team["ann"], withdraw(team["ann"], "c-1").value.id).draft
    assert draft is not None
    assert draft.case.tasks[0].user == "Something else entirely?"


def test_an_escalation_an_expert_is_deciding_stays(team: Team) -> None:
    team.bring(two_step_case())
    _say(team, Verdict.ESCALATE)
    open_adjudication(team["eve"], "c-1")
    with pytest.raises(ForbiddenError, match=r"c-1 is at stage .*: others have gone on with it"):
        withdraw(team["ann"], "c-1")


def test_a_case_given_to_another_owner_is_not_taken_back(team: Team) -> None:
    team.bring(two_round_case())
    _say(team, Verdict.APPROVE)
    reassign(team["max"], "c-1", to="bob")
    with pytest.raises(ForbiddenError, match=r"c-1 is at stage .*: bob owns it"):
        withdraw(team["ann"], "c-1")


def test_a_case_somebody_is_cross_checking_is_not_taken_back(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value
    with pytest.raises(ForbiddenError, match="others have gone on"):
        withdraw(team["ann"], "c-1")
    leave(team["bob"], held.id, skip=False)
    assert withdraw(team["ann"], "c-1").value.stage is Stage.SELF_CHECK_TASK


@pytest.mark.parametrize(
    ("policy", "stage", "hint"),
    [
        (("cross_check=false", "sample_share=0"), Stage.EXPERT, "comment to the expert"),
        (("cross_check=false", "expert_sample=false"), Stage.FINAL, "An expert can reopen it"),
    ],
)
def test_what_has_gone_on_by_rule_says_who_can_bring_it_back(
    team: Team, policy: tuple[str, ...], stage: Stage, hint: str
) -> None:
    change_review_policy(team["max"], policy)
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    assert team.stage("c-1") is stage
    with pytest.raises(ForbiddenError, match=hint):
        withdraw(team["ann"], "c-1")


def test_an_approved_case_names_the_manager(team: Team) -> None:
    change_review_policy(team["max"], ("cross_check=false",))
    team.bring(two_step_case(), two_step_case("c-2"))
    team.self_check("ann", "c-1")
    assert team.stage("c-1") is Stage.APPROVED
    with pytest.raises(ForbiddenError, match="A manager can return its batch"):
        withdraw(team["ann"], "c-1")


def test_nothing_said_is_nothing_to_take_back(team: Team) -> None:
    team.bring(two_step_case())
    with pytest.raises(ForbiddenError, match="nothing to take back"):
        withdraw(team["ann"], "c-1")


def test_what_a_reviewer_took_back_is_offered_to_go_on_from(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    said = two_step_case().tasks[0].user + " Please."
    edit = two_step_case()
    edit = edit.model_copy(update={"tasks": (edit.tasks[0].model_copy(update={"user": said}),)})
    team.cross_check("bob", "c-1", policies={0: Policy.CLARIFY}, edit=edit)
    held = withdraw(team["bob"], "c-1").value
    opened = open_assignment(team["bob"], held.id)
    assert opened.is_blind
    assert opened.draft is not None
    assert opened.draft.case.tasks[0].user == said
    assert opened.draft.judgment.tasks[0].policy is Policy.CLARIFY
    assert opened.draft.judgment.tasks[0].calls_correct == (True, True)
    assert opened.draft.judgment.verdict is None


def test_what_stands_is_nothing_to_go_on_from(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    submit(team["ann"], held.id, judgment=approval(two_step_case()), key=submission_key())
    assert open_assignment(team["ann"], held.id).draft is None


def test_what_an_owner_took_back_keeps_checklist_and_evidence(team: Team) -> None:
    team.bring(two_step_case())
    edited = two_step_case().model_copy(update={"language": "nb"})
    held = claim_case(team["ann"], "c-1").value
    submit(team["ann"], held.id, judgment=approval(edited, edit=edited), key=submission_key())
    held = withdraw(team["ann"], "c-1").value
    draft = open_assignment(team["ann"], held.id).draft
    assert draft is not None
    assert draft.case == show_case(team["ann"], "c-1")
    assert draft.case.language == "nb"
    assert set(draft.judgment.tasks[0].checklist.values()) == {CheckAnswer.PASS}
    assert len(draft.judgment.evidence) == 2


def test_a_self_check_that_was_taken_back_is_no_first_exit(team: Team) -> None:
    team.bring(two_round_case())
    wrong = two_round_case().model_copy(update={"language": "xx"})
    held = claim_case(team["ann"], "c-1").value
    submit(team["ann"], held.id, judgment=approval(wrong, edit=wrong), key=submission_key())
    held = withdraw(team["ann"], "c-1").value
    right = two_round_case()
    submit(team["ann"], held.id, judgment=approval(right, edit=right), key=submission_key())
    _say(team, Verdict.APPROVE)
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1")
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    points = {p.stage: (p.correct, p.total) for p in stage_report(team["max"]).curve}
    # By hand: what left the task check for good is what became final; the withdrawn content never left it.
    assert points[Stage.SELF_CHECK_TASK] == (1, 1)
    assert points[Stage.SELF_CHECK_DIALOGUE] == (1, 1)


def test_the_one_round_of_a_case_of_one_task_that_was_taken_back_passed_neither_self_check(
    team: Team,
) -> None:
    team.bring(two_step_case())
    wrong = two_step_case().model_copy(update={"language": "xx"})
    held = claim_case(team["ann"], "c-1").value
    submit(team["ann"], held.id, judgment=approval(wrong, edit=wrong), key=submission_key())
    assert team.stage("c-1") is Stage.CROSS_CHECK
    assert withdraw(team["ann"], "c-1").value.stage is Stage.SELF_CHECK_TASK
    right = two_step_case()
    submit(team["ann"], held.id, judgment=approval(right, edit=right), key=submission_key())
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1")
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    points = {p.stage: (p.correct, p.total) for p in stage_report(team["max"]).curve}
    # By hand: one round that counts as both, and what was taken back never left either.
    assert points[Stage.SELF_CHECK_TASK] == points[Stage.SELF_CHECK_DIALOGUE] == (1, 1)
