"""Samples of what an expert has decided: for other experts; what they find wrong goes back."""

import pytest

from annotator.project.people import add_person, set_active, set_roles
from annotator.release.quality import draw_planned, plan, quality
from annotator.review.drafts import open_assignment
from annotator.review.escalation import EscalationReason
from annotator.review.expert.decisions import Decision, Own
from annotator.review.measures.accuracy_curve import AccuracyReading, AccuracySlice, accuracy
from annotator.review.measures.progress import samples
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.case_rows import list_cases
from annotator.review.queue.claims import claim_case, claim_next
from annotator.review.queue.expert_list import expert_list
from annotator.review.queue.takers import who_could_take
from annotator.review.shortages import stuck_cases
from annotator.review.submissions import submission_key, submit
from db.read.rows import CaseFilter
from scoring.errors import ForbiddenError
from scoring.model.taxonomy import Role, Stage, Verdict
from tests.annotator.team import Team, approval, two_step_case

APPROVE = Decision(verdict=Verdict.APPROVE)
CORRECT = Decision(
    fields={"task.0.edge.0-1": Own(own="parameter")}, verdict=Verdict.APPROVE, note="the depot flows"
)
REJECT = Decision(verdict=Verdict.REJECT, note="no tool can do this")
RETURN = Decision(verdict=Verdict.RETURN, note="say where to")


def _at(team: Team, stage: Stage) -> list[str]:
    return [row.case_id for row in list_cases(team["max"], CaseFilter(stages=(stage,), order="case"))]


def _decided(team: Team) -> None:
    """Twenty cases: of ten that were approved five were sampled, and Eve decided ten that were escalated."""
    change_review_policy(team["max"], ("cross_check=false", "sample_share=0.5"))
    set_roles(team["max"], "max", roles=(Role.MANAGER,))
    ids = [f"c-{number:02d}" for number in range(20)]
    team.bring(*map(two_step_case, ids))
    for case_id in ids[:10]:
        team.check_once("ann", case_id)
    for case_id in ids[10:]:
        held = claim_case(team["ann"], case_id).value
        judgment = approval(open_assignment(team["ann"], held.id).base)
        unsure = {"verdict": Verdict.ESCALATE, "reasons": team.reasons("which depot?")}
        submit(team["ann"], held.id, judgment=judgment.model_copy(update=unsure), key=submission_key())
    for stage in (Stage.ESCALATED, Stage.EXPERT):
        for case_id in _at(team, stage):
            team.decide(case_id, APPROVE)


@pytest.fixture
def decided(team: Team) -> Team:
    """See `_decided`; Eve is the only expert."""
    team.walk(_decided)
    return team


@pytest.fixture
def drawn(decided: Team) -> Team:
    """Finn has come, and further samples were drawn: of what Eve decided, and of what nobody looked at."""
    add_person(decided["max"], "finn", roles=(Role.EXPERT,))
    draw_planned(decided["max"], bound=0.3)
    return decided


def test_one_expert_leaves_the_own_decisions_out_and_the_bound_says_so(decided: Team) -> None:
    found = quality(decided["max"])
    assert (found.bound.cases, found.settled, found.left_out, found.decided) == (5, 15, 10, 0)
    assert "Left out: 10 cases that one expert decided and no other has sampled." in found.details
    assert plan(decided["max"], bound=0.1).cases <= 5
    draw_planned(decided["max"], bound=0.1)
    assert all(int(case_id[2:]) < 10 for case_id in _at(decided, Stage.EXPERT))


def test_what_the_only_other_expert_had_a_part_in_is_left_out_too(decided: Team) -> None:
    before = plan(decided["max"], bound=0.1)
    add_person(decided["max"], "finn", roles=(Role.EXPERT,))
    assert plan(decided["max"], bound=0.1).cases > max(5, before.cases)
    set_active(decided["max"], "finn", active=False)
    assert plan(decided["max"], bound=0.1) == before


def test_decided_and_approved_cases_are_drawn_apart_each_with_its_own_share(drawn: Team) -> None:
    first, approved, alone = samples(drawn["max"])
    assert (first.kind, first.population) == ("once", 10)
    assert (approved.kind, approved.population, alone.kind, alone.population) == ("further", 5, "further", 10)
    assert all(int(case_id[2:]) >= 10 for case_id in alone.outcomes)
    assert len(alone.outcomes) / 10 > len(approved.outcomes) / 5  # the approved were sampled before
    assert quality(drawn["max"]).open_samples == 2


def test_who_decided_a_case_does_not_look_at_it_in_the_sample(drawn: Team) -> None:
    case_id = next(iter(samples(drawn["max"])[-1].outcomes))
    with pytest.raises(ForbiddenError, match="You have decided this case as an expert"):
        claim_case(drawn["eve"], case_id)
    about = {one.person: one for one in who_could_take(drawn["max"], case_id).value.people}
    assert (about["eve"].may, about["eve"].why, about["finn"].may) == (False, "Has decided it.", True)
    assert case_id not in {wait.case_id for wait in expert_list(drawn["max"], person="eve")}
    assert case_id in {wait.case_id for wait in expert_list(drawn["max"], person="finn")}
    assert stuck_cases(drawn["max"]) == ()
    set_active(drawn["max"], "finn", active=False)
    assert set(stuck_cases(drawn["max"])) == set(samples(drawn["max"])[-1].outcomes)


def test_a_clean_sample_brings_the_decided_cases_into_the_bound(drawn: Team) -> None:
    expected = plan_of_all(drawn)
    for case_id in _at(drawn, Stage.EXPERT):
        drawn.decide(case_id, APPROVE, "finn")
    found = quality(drawn["max"])
    looked_at = len(samples(drawn["max"])[-1].outcomes)
    assert (found.left_out, found.decided) == (0, 10 - looked_at)
    assert found.bound.share <= 0.3
    assert found.bound.cases == 20 - expected
    assert f"One expert decided {10 - looked_at} cases of these alone; others sampled them." in found.details


def plan_of_all(team: Team) -> int:
    """How many cases somebody has looked at in a sample, once all open ones are decided."""
    return len({case_id for sample in samples(team["max"]) for case_id in sample.outcomes})


@pytest.mark.parametrize("decision", [CORRECT, REJECT])
def test_what_is_found_wrong_goes_back_as_a_suspect_first_to_who_decided_it(
    drawn: Team, decision: Decision
) -> None:
    case_id, *others = samples(drawn["max"])[-1].outcomes
    drawn.decide(case_id, decision, "finn")
    assert drawn.stage(case_id) is Stage.ESCALATED
    for other in others:
        drawn.decide(other, APPROVE, "finn")
    assert samples(drawn["max"])[-1].error_count == 1
    for other in _at(drawn, Stage.EXPERT):
        drawn.decide(other, APPROVE, "finn")
    before = quality(drawn["max"]).bound
    assert before.found == 1
    adjudication = drawn.open_expert(case_id, "eve")
    assert adjudication.escalation is not None
    assert adjudication.escalation.reason is EscalationReason.WRONG_IN_SAMPLE
    assert adjudication.why == f"another expert found it wrong in a sample: {decision.note}"
    assert adjudication.handed_to == "eve"
    drawn.decide(case_id, APPROVE, "eve")
    assert drawn.stage(case_id) is Stage.FINAL
    found = quality(drawn["max"])
    # Both have seen what Finn wrote; where he wrote nothing, Eve's word is hers alone again.
    assert found.left_out == (decision is REJECT)
    assert found.bound.wrong_cases == before.wrong_cases


def test_a_returned_case_goes_to_its_owner(drawn: Team) -> None:
    case_id = next(iter(samples(drawn["max"])[-1].outcomes))
    drawn.decide(case_id, RETURN, "finn")
    assert drawn.stage(case_id) is Stage.RETURNED


def test_the_queue_offers_it_to_the_other_expert_alone(drawn: Team) -> None:
    approved = set(samples(drawn["max"])[1].outcomes)
    for case_id in sorted(approved):
        drawn.decide(case_id, APPROVE, "finn")
    assert claim_next(drawn["eve"]).value is None
    taken = claim_next(drawn["finn"]).value
    assert taken is not None
    assert taken.case_id in samples(drawn["max"])[-1].outcomes


def test_judged_right_rests_on_approved_cases_alone(drawn: Team) -> None:
    def judged() -> list[tuple[int, int]]:
        points = accuracy(drawn["max"], AccuracySlice(reading=AccuracyReading.JUDGED))
        return [(point.correct, point.total) for point in points]

    alone = samples(drawn["max"])[-1].outcomes
    before = judged()
    for case_id in alone:
        drawn.decide(case_id, CORRECT, "finn")
    assert judged() == before


def test_a_decision_after_the_sample_is_out_of_the_bound_again(drawn: Team) -> None:
    from annotator.review.withdrawals import reopen

    for case_id in _at(drawn, Stage.EXPERT):
        drawn.decide(case_id, APPROVE, "finn")
    before = quality(drawn["max"])
    case_id = next(f"c-{n}" for n in range(10, 20) if f"c-{n}" not in samples(drawn["max"])[-1].outcomes)
    reopen(drawn["eve"], case_id, reason="look again")
    held = claim_case(drawn["ann"], case_id).value
    judgment = approval(open_assignment(drawn["ann"], held.id).base)
    unsure = {"verdict": Verdict.ESCALATE, "reasons": drawn.reasons("still not sure")}
    submit(drawn["ann"], held.id, judgment=judgment.model_copy(update=unsure), key=submission_key())
    drawn.decide(case_id, APPROVE, "eve")
    after = quality(drawn["max"])
    assert (after.decided, after.left_out) == (before.decided - 1, 1)
