"""The main path of the review, from import to final, on both databases."""

import pytest

from annotator.project.stages import MOVES, Actor, check_move
from annotator.review.drafts import open_assignment
from annotator.review.expert.decision_edits import result_of
from annotator.review.expert.decisions import Decision, FeedbackItem, Own
from annotator.review.measures.progress import samples, stage_report
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.assignments import reassign
from annotator.review.queue.claims import claim_case, claim_next, leave
from annotator.review.queue.queue_status import waiting_for, why_nothing
from annotator.review.submissions import submission_key, submit
from annotator.review.withdrawals import reopen, withdraw
from scoring.errors import BlockedError, ConflictError, ForbiddenError
from scoring.model.labels import without_labels
from scoring.model.taxonomy import EdgeKind, FeedbackCategory, Policy, Stage, Verdict
from tests.annotator.team import Team, approval, two_step_case


def test_everybody_agrees_and_the_case_becomes_final_through_the_sample(team: Team) -> None:
    team.bring(two_step_case())
    assert team.self_check("ann", "c-1").stage is Stage.CROSS_CHECK
    assert team.cross_check("bob", "c-1").stage is Stage.CROSS_CHECK
    assert team.cross_check("cleo", "c-1").stage is Stage.EXPERT
    decided = team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    assert (decided.stage, decided.is_correction, decided.owner) == (Stage.FINAL, False, "ann")
    assert [sample.status for sample in samples(team["max"])] == ["clean"]


def test_a_wrong_edge_above_the_threshold_escalates_and_the_expert_decides_it(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", edges={0: []}, policies={0: Policy.MULTI_PARALLEL})
    assert team.cross_check("cleo", "c-1").stage is Stage.ESCALATED

    seen = team.open_expert("c-1")
    assert [field.id for field in seen.differing] == ["task.0.policy", "task.0.edge.0-1"]
    assert seen.is_owner_hidden
    assert seen.case == without_labels(seen.case)

    with pytest.raises(BlockedError, match="2 left to decide"):
        team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    fields: dict[str, str | Own] = {"task.0.policy": "B", "task.0.edge.0-1": Own(own="parameter")}
    told = (FeedbackItem(to="A", category=FeedbackCategory.WRONG_DEPENDENCY, note="the depot flows"),)
    decided = team.decide("c-1", Decision(fields=fields, feedback=told, verdict=Verdict.APPROVE))
    assert (decided.stage, decided.is_correction) == (Stage.FINAL, True)
    from annotator.cases.access import show_case
    from tests.annotator.team import feedback_for_me

    final = show_case(team["max"], "c-1")
    assert [edge.kind for edge in final.tasks[0].drawn_edges] == [EdgeKind.PARAMETER]
    assert final.tasks[0].policy is Policy.MULTI_SERIAL
    assert [row.note for row in feedback_for_me(team["bob"])] == ["the depot flows"]
    assert feedback_for_me(team["cleo"]) == ()


def test_what_was_assigned_to_somebody_comes_before_older_cases_of_nobody(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"), two_step_case("c-3"))
    reassign(team["max"], "c-2", to="ann")
    taken = [claim_next(team[name]).value for name in ("ann", "bob")]
    assert [held.case_id for held in taken if held is not None] == ["c-2", "c-1"]


def test_older_cross_checks_come_before_what_was_assigned(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    team.self_check("bob", "c-1")
    reassign(team["max"], "c-2", to="ann")
    held = claim_next(team["ann"]).value
    assert held is not None
    assert (held.case_id, held.stage) == ("c-1", Stage.CROSS_CHECK)


def test_reviewers_who_all_return_send_the_case_back_to_its_owner(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", verdict=Verdict.RETURN)
    assert team.cross_check("cleo", "c-1", verdict=Verdict.RETURN).stage is Stage.RETURNED
    held = claim_next(team["ann"]).value
    assert held is not None
    assert (held.case_id, held.stage, held.round) == ("c-1", Stage.SELF_CHECK_TASK, 2)
    assert claim_next(team["dan"]).value is None


def test_a_reviewer_who_escalates_is_enough(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    assert team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE).stage is Stage.ESCALATED


def test_a_cross_checker_sees_neither_labels_nor_the_others_judgment(team: Team) -> None:
    from annotator.cases.access import show_case
    from annotator.cases.history import case_events, case_history

    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    held = claim_case(team["cleo"], "c-1").value
    opened = open_assignment(team["cleo"], held.id)
    assert opened.is_blind
    assert [(t.policy, t.information, t.edges) for t in opened.base.tasks] == [(None, None, ())]
    assert [labels.policy for labels in opened.template.tasks] == [None]
    assert show_case(team["cleo"], "c-1") == opened.base
    assert len(case_history(team["cleo"], "c-1")) == 1
    assert case_events(team["cleo"], "c-1") == ()
    assert show_case(team["max"], "c-1").tasks[0].policy is Policy.MULTI_SERIAL


def test_the_owner_cannot_cross_check_and_a_reviewer_cannot_verify(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    with pytest.raises(ForbiddenError, match="You own this case"):
        claim_case(team["ann"], "c-1")
    team.cross_check("bob", "c-1")
    with pytest.raises(ForbiddenError, match="judged this case already"):
        claim_case(team["bob"], "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    with pytest.raises(ForbiddenError, match="waits for somebody with the role expert"):
        claim_case(team["bob"], "c-1")


def test_an_expert_who_owns_the_case_cannot_decide_it(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("max", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    with pytest.raises(ForbiddenError, match="You own this case"):
        claim_case(team["max"], "c-1")
    assert claim_next(team["max"]).value is None


def test_a_gate_names_what_is_missing(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    nothing = approval(two_step_case()).model_copy(update={"evidence": ()})
    with pytest.raises(BlockedError, match="say where /number of findParcel comes from"):
        submit(team["ann"], held.id, judgment=nothing, key=submission_key())
    assert team.stage("c-1") is Stage.SELF_CHECK_TASK


def test_the_same_submission_sent_twice_counts_once(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    key = submission_key()
    first = submit(team["ann"], held.id, judgment=approval(two_step_case()), key=key).value
    second = submit(team["ann"], held.id, judgment=approval(two_step_case()), key=key).value
    assert first == second
    assert team.stage("c-1") is Stage.CROSS_CHECK


def test_a_stale_submission_overwrites_nothing(team: Team) -> None:
    from annotator.cases.history import replace_content

    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    other = two_step_case().model_copy(update={"language": "nb"})
    replace_content(team["max"], "c-1", case=other, reason="language was wrong")
    with pytest.raises(ConflictError, match="changed since you opened it"):
        submit(team["ann"], held.id, judgment=approval(two_step_case()), key=submission_key())


def test_a_lease_that_ended_still_counts_while_the_slot_is_free(team: Team) -> None:
    team.bring(two_step_case(), two_step_case("c-2"))
    held = claim_case(team["ann"], "c-1").value
    team.clock.forward(hours=3)
    claim_case(team["bob"], "c-2")
    done = submit(team["ann"], held.id, judgment=approval(two_step_case()), key=submission_key()).value
    assert done.stage is Stage.CROSS_CHECK


def test_a_cross_check_slot_lost_to_somebody_else_is_a_conflict_that_keeps_the_work(team: Team) -> None:
    from annotator.drafts.draft_body import DraftBody
    from annotator.review.drafts import open_assignment, save_draft

    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    held = claim_case(team["cleo"], "c-1").value
    opened = open_assignment(team["cleo"], held.id)
    body = DraftBody(case=opened.base, judgment=opened.template.model_copy(update={"seconds": 7}))
    save_draft(team["cleo"], held.id, body=body, sequence=0)
    team.clock.forward(hours=3)
    claim_case(team["dan"], "c-1")
    with pytest.raises(ConflictError, match="somebody else took the case"):
        submit(team["cleo"], held.id, judgment=approval(two_step_case()), key=submission_key())
    kept = open_assignment(team["cleo"], held.id).draft
    assert kept is not None
    assert kept.judgment.seconds == 7


def test_a_skipped_case_is_not_offered_again_and_says_why_nothing_is(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_next(team["ann"]).value
    assert held is not None
    leave(team["ann"], held.id, skip=True, reason="I know the customer")
    assert claim_next(team["ann"]).value is None
    assert why_nothing(team["ann"]) == "What is left belongs to other people or is held by them."
    assert waiting_for(team["bob"]).self_check == 1


def test_a_withdrawn_judgment_can_be_given_again(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    held = withdraw(team["bob"], "c-1").value
    assert (held.status, held.stage) == ("claimed", Stage.CROSS_CHECK)
    submit(team["bob"], held.id, judgment=approval(two_step_case()), key=submission_key())
    assert team.cross_check("cleo", "c-1").stage is Stage.EXPERT
    with pytest.raises(ForbiddenError, match="round is closed"):
        withdraw(team["bob"], "c-1")


def test_the_owner_can_take_back_a_self_check_nobody_built_on(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    held = withdraw(team["ann"], "c-1").value
    assert (held.stage, team.stage("c-1")) == (Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_TASK)
    submit(team["ann"], held.id, judgment=approval(two_step_case()), key=submission_key())
    team.cross_check("bob", "c-1")
    with pytest.raises(ForbiddenError, match="others have gone on"):
        withdraw(team["ann"], "c-1")


def test_an_expert_reopens_a_final_case_with_a_reason(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1")
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    with pytest.raises(ForbiddenError, match="not an expert"):
        reopen(team["ann"], "c-1", reason="typo")
    reopen(team["eve"], "c-1", reason="typo")
    assert team.stage("c-1") is Stage.SELF_CHECK_TASK
    assert team.self_check("ann", "c-1").stage is Stage.CROSS_CHECK


def test_stage_accuracy_counts_what_the_expert_changed(team: Team) -> None:
    team.bring(two_step_case(), two_step_case("c-2"))
    for case_id in ("c-1", "c-2"):
        team.self_check("ann", case_id)
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    fields: dict[str, str | Own] = {"task.0.edge.0-1": Own(own="parameter")}
    team.decide("c-1", Decision(fields=fields, verdict=Verdict.APPROVE))
    team.cross_check("bob", "c-2")
    team.cross_check("cleo", "c-2")
    team.decide("c-2", Decision(verdict=Verdict.APPROVE))
    points = {point.stage: (point.correct, point.total) for point in stage_report(team["max"]).curve}
    # c-1 was imported, self-checked and cross-checked with a logical edge that the expert made a parameter
    # one; c-2 never changed: 1 of 2 everywhere before the expert.
    assert points[Stage.IMPORTED] == (1, 2)
    assert points[Stage.SELF_CHECK_DIALOGUE] == (1, 2)
    assert points[Stage.CROSS_CHECK] == (1, 2)
    assert points[Stage.EXPERT] == (2, 2)


def test_every_legal_move_is_accepted_and_every_other_refused() -> None:
    legal = set(MOVES)
    for at in Stage:
        for to in Stage:
            for action in {move.action for move in MOVES}:
                for who in Actor:
                    is_legal = any((m.at, m.who, m.action, m.to) == (at, who, action, to) for m in legal)
                    if is_legal:
                        check_move(at, action, actor=who, to=to)
                    else:
                        with pytest.raises(ForbiddenError, match="not possible at stage"):
                            check_move(at, action, actor=who, to=to)


def test_a_reviewer_who_escalates_before_labelling_leaves_the_expert_a_case_without_a_problem(
    team: Team,
) -> None:
    change_review_policy(team["max"], ("reviewers=1",))
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value
    said = open_assignment(team["bob"], held.id).template
    reasons = team.reasons("The request has two readings.")
    escalated = said.model_copy(update={"verdict": Verdict.ESCALATE, "reasons": reasons})
    submit(team["bob"], held.id, judgment=escalated, key=submission_key())
    shown = team.open_expert("c-1")
    assert result_of(shown, shown.template).problem == ""
