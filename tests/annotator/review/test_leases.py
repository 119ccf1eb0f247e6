"""Claims end when nobody gives a sign of life, are handed on, and the work is offered to whoever lost it."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from annotator.drafts.draft_body import DraftBody
from annotator.project.people import set_roles
from annotator.project.workspace import Work, open_workspace
from annotator.review.drafts import open_assignment, save_draft
from annotator.review.loaded_case import claim_next_annotation
from annotator.review.queue.assignments import assign_batch, reassign
from annotator.review.queue.claims import claim_case, claim_next, keep_alive, leave
from annotator.review.queue.queue_status import waiting_for, why_nothing
from annotator.review.submissions import submission_key, submit
from scoring.errors import ConflictError, ForbiddenError
from scoring.model.taxonomy import Role, Stage, Verdict
from tests.annotator.team import Team, approval, two_round_case, two_step_case


def _draft(team: Team, name: str, assignment_id: int, *, seconds: float = 7) -> None:
    opened = open_assignment(team[name], assignment_id)
    judgment = opened.template.model_copy(update={"seconds": seconds})
    save_draft(team[name], assignment_id, body=DraftBody(case=opened.base, judgment=judgment), sequence=0)


def test_a_case_somebody_took_and_left_lying_is_handed_on(team: Team) -> None:
    team.bring(two_step_case())
    lost = claim_next(team["ann"]).value
    assert lost is not None
    assert claim_next(team["bob"]).value is None
    team.clock.forward(hours=3)
    held = claim_next(team["bob"]).value
    assert held is not None
    assert held.case_id == "c-1"
    with pytest.raises(ConflictError, match="somebody else took the case"):
        submit(team["ann"], lost.id, judgment=approval(two_step_case()), key=submission_key())


def test_what_nobody_has_begun_comes_before_what_somebody_left_lying(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    claim_case(team["ann"], "c-1")
    team.clock.forward(hours=3)
    held = claim_next(team["bob"]).value
    assert held is not None
    assert held.case_id == "c-2"


def test_own_work_comes_before_the_check_of_others_and_then_nothing_waits(team: Team) -> None:
    team.bring(*(two_step_case(f"c-{number}") for number in (1, 2, 3)))
    team.self_check("ann", "c-1")
    team.self_check("cleo", "c-3")  # who has checked nothing yet is not given others' work
    first = claim_next_annotation(team["bob"]).value
    assert first is not None
    assert (first.case_id, first.stage) == ("c-2", Stage.SELF_CHECK_TASK)
    second = claim_next_annotation(team["cleo"]).value
    assert second is not None
    assert (second.case_id, second.stage) == ("c-1", Stage.CROSS_CHECK)
    assert claim_next_annotation(team["dan"]).value is None


def test_an_assigned_case_stays_with_its_owner(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    assign_batch(team["max"], "b1", to=["ann", "dan"])
    claim_case(team["ann"], "c-1")
    team.clock.forward(hours=3)
    assert claim_next(team["bob"]).value is None
    held = claim_next(team["ann"]).value
    assert held is not None
    assert held.case_id == "c-1"


def test_a_returned_case_stays_with_its_owner(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", verdict=Verdict.RETURN)
    team.cross_check("cleo", "c-1", verdict=Verdict.RETURN)
    claim_case(team["ann"], "c-1")
    team.clock.forward(hours=3)
    assert claim_next(team["dan"]).value is None


def test_what_came_back_is_done_before_what_was_begun(team: Team) -> None:
    team.bring(two_round_case("c-1"), two_step_case("c-2"))
    assign_batch(team["max"], "b1", to=["ann"])
    team.check_once("ann", "c-1")  # its dialogue is still to be checked
    team.self_check("ann", "c-2")
    for name in ("bob", "cleo"):
        team.cross_check(name, "c-2", verdict=Verdict.RETURN)
    waiting = waiting_for(team["ann"])
    assert (waiting.returned, waiting.self_check) == (1, 1)
    held = claim_next(team["ann"]).value
    assert held is not None
    assert (held.case_id, held.round) == ("c-2", 2)


def test_a_sign_of_life_keeps_the_claim(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    for _ in range(4):
        team.clock.forward(minutes=45)
        keep_alive(team["ann"], held.id)
    assert claim_next(team["bob"]).value is None


def test_a_lease_that_ended_is_taken_up_again_while_the_slot_is_free(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    held = claim_case(team["ann"], "c-1").value
    team.clock.forward(hours=3)
    claim_next(team["bob"])
    _draft(team, "ann", held.id)
    kept = claim_next(team["ann"]).value
    assert kept is not None
    assert (kept.id, kept.status) == (held.id, "claimed")


@pytest.mark.parametrize("stage", [Stage.SELF_CHECK_TASK, Stage.CROSS_CHECK])
def test_the_draft_of_a_lost_slot_is_offered_when_the_case_is_taken_again(team: Team, stage: Stage) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    name = "ann"
    if stage is Stage.CROSS_CHECK:
        team.self_check("ann", "c-1")
        name = "bob"
    held = claim_case(team[name], "c-1").value
    _draft(team, name, held.id, seconds=42)
    team.clock.forward(hours=3)
    claim_case(team["dan"], "c-2")
    again = claim_case(team[name], "c-1").value
    assert again.id != held.id
    draft = open_assignment(team[name], again.id).draft
    assert draft is not None
    assert draft.judgment.seconds == 42


def test_a_draft_from_before_the_case_changed_is_offered_with_what_it_began_with(team: Team) -> None:
    from annotator.cases.history import replace_content

    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    _draft(team, "ann", held.id)
    leave(team["ann"], held.id, skip=False)
    other = two_step_case().model_copy(update={"language": "nb"})
    replace_content(team["max"], "c-1", case=other, reason="language")
    again = claim_case(team["ann"], "c-1").value
    opened = open_assignment(team["ann"], again.id)
    assert opened.draft is not None
    assert opened.draft_base == two_step_case()


def test_a_slot_that_went_to_somebody_else_keeps_no_more_work(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    reassign(team["max"], "c-1", to="bob")
    claim_case(team["bob"], "c-1")
    with pytest.raises(ForbiddenError, match="do not hold c-1 any more: it was handed back or reass"):
        keep_alive(team["ann"], held.id)


def test_a_skipped_case_can_be_taken_deliberately(team: Team) -> None:
    set_roles(team["max"], "max", roles=[Role.MANAGER])
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    for name in ("bob", "cleo", "dan"):
        held = claim_next(team[name], stage=Stage.CROSS_CHECK).value
        assert held is not None
        leave(team[name], held.id, skip=True, reason="I do not read this")
    assert claim_next(team["bob"]).value is None
    assert "nobody is left to make" in why_nothing(team["bob"])
    assert team.cross_check("bob", "c-1").stage is Stage.CROSS_CHECK


def test_an_expert_is_told_that_others_still_have_the_cases(team: Team) -> None:
    team.bring(two_step_case())
    assert why_nothing(team["eve"]) == "1 case is still with annotators and reviewers."


def test_on_a_server_the_servers_clock_rules(team: Team) -> None:
    # Whoever's computer runs three hours ahead must not end everybody's leases.
    workspace = open_workspace(team.url, "max")

    def instants(w: Work) -> tuple[float, float]:
        server = w.tx.scalar(select(func.clock_timestamp()))
        assert server is not None
        return w.at.timestamp(), server.timestamp()

    try:
        if workspace.is_shared:
            given, server = workspace.run("test:clock:read", instants).value
            assert 0 <= server - given < timedelta(seconds=5).total_seconds()
            assert abs(workspace.now().timestamp() - server) < 5
        else:
            assert workspace.now().tzinfo is not None
    finally:
        workspace.close()


def test_returned_work_comes_first_then_begun_then_the_oldest_then_escalations(team: Team) -> None:
    set_roles(team["max"], "dan", roles=[Role.ANNOTATOR, Role.EXPERT])
    team.bring(*(two_step_case(f"c-{i}") for i in range(1, 6)), two_round_case("c-6"))
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)  # an escalation for dan
    team.self_check("ann", "c-2")  # the oldest: to cross-check
    for case_id in ("c-4", "c-5"):
        team.self_check("dan", case_id)
    team.cross_check("bob", "c-5", verdict=Verdict.RETURN)
    team.cross_check("cleo", "c-5", verdict=Verdict.RETURN)  # returned to dan
    held = claim_case(team["dan"], "c-6").value
    submit(team["dan"], held.id, judgment=approval(two_round_case("c-6")), key=submission_key())  # begun

    order = []
    for _ in range(5):
        held_now = claim_next(team["dan"]).value
        assert held_now is not None
        order.append((held_now.case_id, held_now.stage))
        leave(team["dan"], held_now.id, skip=True, reason="only looking")
    assert order == [
        ("c-5", Stage.SELF_CHECK_TASK),
        ("c-6", Stage.SELF_CHECK_DIALOGUE),
        ("c-2", Stage.CROSS_CHECK),
        ("c-3", Stage.SELF_CHECK_TASK),
        ("c-1", Stage.ESCALATED),
    ]
