"""Owner, cross-checkers and verifier of a case are different people, whatever happened to it before."""

import json

import pytest

from annotator.cases.history import replace_content
from annotator.project.people import add_person, set_active, set_roles
from annotator.review.drafts import open_assignment
from annotator.review.expert.decisions import Decision, Own
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.assignments import assign_batch, reassign
from annotator.review.queue.case_rows import CaseFilter, list_cases
from annotator.review.queue.claims import claim_case, claim_next, leave
from annotator.review.queue.queue_status import waiting_for, why_nothing
from annotator.review.submissions import submission_key, submit
from annotator.review.withdrawals import reopen
from db.read.reviews import events_of
from scoring.errors import ForbiddenError
from scoring.model.taxonomy import Role, Stage, Verdict
from tests.annotator.team import Team, approval, two_round_case


def _owner(team: Team, case_id: str = "c-1") -> str | None:
    return next(row.owner for row in list_cases(team["max"], CaseFilter()) if row.case_id == case_id)


def _first_self_check(team: Team, name: str, case_id: str = "c-1") -> None:
    held = claim_case(team[name], case_id).value
    shown = open_assignment(team[name], held.id).base
    submit(team[name], held.id, judgment=approval(shown), key=submission_key())


def test_a_former_owner_cannot_cross_check_their_own_work(team: Team) -> None:
    team.bring(two_round_case())
    _first_self_check(team, "ann")
    reassign(team["max"], "c-1", to="bob")
    held = claim_case(team["bob"], "c-1").value
    submit(team["bob"], held.id, judgment=approval(two_round_case()), key=submission_key())
    assert team.stage("c-1") is Stage.CROSS_CHECK
    with pytest.raises(ForbiddenError, match="Part of this case is your own work"):
        claim_case(team["ann"], "c-1")
    assert claim_next(team["ann"]).value is None
    assert waiting_for(team["ann"]).cross_check == 0


def test_whoever_put_the_content_there_cannot_judge_it(team: Team) -> None:
    team.bring(two_round_case())
    other = two_round_case().model_copy(update={"language": "nb"})
    replace_content(team["max"], "c-1", case=other, reason="language")
    team.self_check("ann", "c-1")
    with pytest.raises(ForbiddenError, match="your own work"):
        claim_case(team["max"], "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    with pytest.raises(ForbiddenError, match="An expert who had no part in it must decide it"):
        claim_case(team["max"], "c-1")


def test_a_reviewer_cannot_become_the_owner_after_a_return(team: Team) -> None:
    team.bring(two_round_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", verdict=Verdict.RETURN)
    team.cross_check("cleo", "c-1", verdict=Verdict.RETURN)
    with pytest.raises(ForbiddenError, match="bob has cross-checked c-1"):
        reassign(team["max"], "c-1", to="bob")
    held = claim_next(team["ann"]).value
    assert held is not None
    leave(team["ann"], held.id, skip=False)
    with pytest.raises(ForbiddenError, match="You have cross-checked c-1"):
        claim_case(team["bob"], "c-1")
    assert assign_batch(team["max"], "b1", to=["bob", "cleo", "dan"]).value == 1
    assert _owner(team) == "dan"
    told, *_ = team["max"].read(lambda tx: events_of(tx, ["batch:b1"]))
    assert json.loads(told.payload) == {"to": ["bob", "cleo", "dan"], "cases": 1}


def test_an_expert_who_decided_a_reopened_case_cannot_cross_check_or_own_it(team: Team) -> None:
    set_roles(team["max"], "eve", roles=[Role.EXPERT, Role.ANNOTATOR])
    team.bring(two_round_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1")
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    reopen(team["eve"], "c-1", reason="one more look")
    with pytest.raises(ForbiddenError, match="eve has decided c-1"):
        reassign(team["max"], "c-1", to="eve")
    team.self_check("ann", "c-1")
    with pytest.raises(ForbiddenError, match="decided this case as an expert"):
        claim_case(team["eve"], "c-1")
    assert team.cross_check("bob", "c-1").stage is Stage.CROSS_CHECK
    assert team.cross_check("cleo", "c-1").stage is Stage.EXPERT
    assert team.decide("c-1", Decision(verdict=Verdict.APPROVE)).stage is Stage.FINAL


def test_a_returned_and_resubmitted_case_may_go_to_the_same_reviewers(team: Team) -> None:
    team.bring(two_round_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", verdict=Verdict.RETURN)
    team.cross_check("cleo", "c-1", verdict=Verdict.RETURN)
    assert team.self_check("ann", "c-1").stage is Stage.CROSS_CHECK
    held = claim_next(team["bob"]).value
    assert held is not None
    assert (held.case_id, held.round) == ("c-1", 2)


def test_solo_switched_off_midway_separates_from_then_on(team: Team) -> None:
    change_review_policy(team["max"], ("solo=true",))
    team.bring(two_round_case())
    _first_self_check(team, "max")
    change_review_policy(team["max"], ("solo=false",))
    held = claim_case(team["max"], "c-1").value
    submit(team["max"], held.id, judgment=approval(two_round_case()), key=submission_key())
    assert team.stage("c-1") is Stage.CROSS_CHECK
    with pytest.raises(ForbiddenError, match="You own this case"):
        claim_case(team["max"], "c-1")


def test_solo_switched_on_lets_the_only_person_finish_what_waits_for_others(team: Team) -> None:
    team.bring(two_round_case(), two_round_case("c-2"))
    team.self_check("max", "c-1")
    held = claim_case(team["max"], "c-2").value
    escalated = approval(two_round_case()).model_copy(
        update={"verdict": Verdict.ESCALATE, "reasons": team.reasons("unsure")}
    )
    submit(team["max"], held.id, judgment=escalated, key=submission_key())
    with pytest.raises(ForbiddenError, match="An expert who had no part in it must decide it"):
        claim_case(team["max"], "c-2")
    change_review_policy(team["max"], ("solo=true",))
    assert team.decide("c-2", Decision(verdict=Verdict.APPROVE), "max").stage is Stage.FINAL
    assert team.stage("c-1") is Stage.FINAL  # what nobody had judged passed the cross-check


def test_a_disabled_reviewer_frees_the_slot_and_keeps_the_draft(team: Team) -> None:
    from annotator.drafts.draft_body import DraftBody
    from annotator.review.drafts import open_assignment, save_draft

    team.bring(two_round_case())
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value
    opened = open_assignment(team["bob"], held.id)
    save_draft(team["bob"], held.id, body=DraftBody(case=opened.base, judgment=opened.template), sequence=0)
    set_active(team["max"], "bob", active=False)
    with pytest.raises(ForbiddenError, match="bob is not active"):
        submit(team["bob"], held.id, judgment=approval(two_round_case()), key=submission_key())
    team.cross_check("cleo", "c-1")
    assert claim_case(team["dan"], "c-1").value.slot in (0, 1)
    set_active(team["max"], "bob", active=True)
    with pytest.raises(ForbiddenError, match="not yours any more: it was handed back or reassigned, or"):
        submit(team["bob"], held.id, judgment=approval(two_round_case()), key=submission_key())


def test_a_disabled_owner_leaves_their_self_checks_to_others(team: Team) -> None:
    team.bring(two_round_case())
    _first_self_check(team, "ann")
    set_active(team["max"], "ann", active=False)
    held = claim_next(team["bob"]).value
    assert held is not None
    assert (held.case_id, held.stage) == ("c-1", Stage.SELF_CHECK_DIALOGUE)
    assert _owner(team) == "bob"


def test_the_last_manager_stays_one(team: Team) -> None:
    with pytest.raises(ForbiddenError, match="only manager"):
        set_roles(team["max"], "max", roles=[Role.EXPERT])
    add_person(team["max"], "mia", roles=[Role.MANAGER])
    set_roles(team["mia"], "max", roles=[Role.EXPERT])
    with pytest.raises(ForbiddenError, match="max is not a manager"):
        change_review_policy(team["max"], ("solo=true",))


def test_a_role_that_is_taken_away_frees_what_was_held_for_it(team: Team) -> None:
    team.bring(two_round_case())
    claim_case(team["ann"], "c-1")
    set_roles(team["max"], "ann", roles=[Role.EXPERT])
    with pytest.raises(ForbiddenError, match="not an annotator"):
        submit(team["ann"], 1, judgment=approval(two_round_case()), key=submission_key())
    assert waiting_for(team["ann"]).held == 0


def test_a_team_too_small_is_told_so(team: Team) -> None:
    for name in ("cleo", "dan"):
        set_active(team["max"], name, active=False)
    set_roles(team["max"], "max", roles=[Role.MANAGER])
    team.bring(two_round_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    for name in ("ann", "bob"):
        assert claim_next(team[name]).value is None
        assert "nobody is left to make" in why_nothing(team[name])
        assert "A manager can add people" in why_nothing(team[name])


def test_a_recheck_that_nobody_is_left_for_says_so(team: Team) -> None:
    set_roles(team["max"], "max", roles=[Role.MANAGER])
    ids = [f"c-{i}" for i in range(11)]
    team.bring(*map(two_round_case, ids))
    for case_id in ids:
        team.self_check("ann", case_id)
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id)
    drawn = [row.case_id for row in list_cases(team["max"], CaseFilter(stages=(Stage.EXPERT,)))]
    kind: dict[str, str | Own] = {"task.0.edge.0-1": Own(own="parameter")}
    for case_id in drawn:
        team.decide(case_id, Decision(fields=kind, verdict=Verdict.APPROVE))
    rest = 11 - len(drawn)
    for case_id in sorted(set(ids) - set(drawn)):
        team.cross_check("dan", case_id)
    # dan was the only one left; a second judgment of the same content is nobody's.
    assert why_nothing(team["dan"]).startswith(f"{rest} cases wait for cross-checks that nobody is left")


def test_a_missing_expert_is_named_as_what_is_missing(team: Team) -> None:
    set_roles(team["max"], "max", roles=[Role.MANAGER, Role.ANNOTATOR])
    set_roles(team["max"], "eve", roles=[Role.EXPERT, Role.ANNOTATOR])
    team.bring(two_round_case())
    team.self_check("eve", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    assert claim_next(team["eve"]).value is None
    assert why_nothing(team["eve"]).startswith("1 case waits for an expert who has had no part so far. ")
    assert why_nothing(team["dan"]).startswith(
        "1 case waits for an expert. Every expert has had a part in 1 case: "
    )
