"""What follows from a cross-check by rule: any number of raters, thresholds at the limit, mixes, circles."""

import pytest

from annotator.project.people import add_person
from annotator.review.escalation import Escalation, EscalationReason
from annotator.review.expert.decisions import Decision
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.case_rows import CaseFilter, batches, list_cases
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import submission_key, submit
from scoring.errors import BlockedError
from scoring.model.case import Case
from scoring.model.labels import EdgeTriple
from scoring.model.taxonomy import EdgeKind, Information, Policy, Role, Stage, Verdict
from tests.annotator.team import Team, approval, two_step_case
from tests.factories import answer, call, case, task, tool

REVIEWERS = ("bob", "cleo", "dan", "fay", "gus")


def _with_reviewers(team: Team, count: int) -> tuple[str, ...]:
    for name in REVIEWERS[3:count]:
        add_person(team["max"], name, roles=[Role.ANNOTATOR])
    change_review_policy(team["max"], (f"reviewers={count}",))
    return REVIEWERS[:count]


def _note(team: Team, case_id: str = "c-1") -> str:
    return next(row.note for row in list_cases(team["max"], CaseFilter()) if row.case_id == case_id)


def _policies(team: Team, case_id: str = "c-1") -> tuple[str, ...]:
    return next(row.policies for row in list_cases(team["max"], CaseFilter()) if row.case_id == case_id)


@pytest.mark.parametrize(
    ("count", "dissenters", "stage"),
    [
        # raters are the owner and k reviewers; the field is decided when more than half say the same
        (1, 0, Stage.EXPERT),
        (1, 1, Stage.ESCALATED),  # 1 : 1
        (2, 1, Stage.EXPERT),  # 2 : 1
        (2, 2, Stage.EXPERT),  # 1 : 2, the reviewers have the majority
        (3, 1, Stage.EXPERT),  # 3 : 1
        (3, 2, Stage.ESCALATED),  # 2 : 2
        (3, 3, Stage.EXPERT),  # 1 : 3
        (4, 2, Stage.EXPERT),  # 3 : 2
        (4, 3, Stage.EXPERT),  # 2 : 3
        (5, 2, Stage.EXPERT),  # 4 : 2
        (5, 3, Stage.ESCALATED),  # 3 : 3
        (5, 4, Stage.EXPERT),  # 2 : 4
    ],
)
def test_a_field_needs_a_strict_majority_of_all_raters(
    team: Team, count: int, dissenters: int, stage: Stage
) -> None:
    names = _with_reviewers(team, count)
    change_review_policy(team["max"], ("case_threshold=1",))
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    for number, name in enumerate(names):
        said = {0: Policy.MULTI_MIXED} if number < dissenters else None
        done = team.cross_check(name, "c-1", policies=said)
    assert done.stage is stage
    if stage is Stage.ESCALATED:
        assert _note(team) == "a field has no majority"
    else:
        is_overruled = dissenters * 2 > count + 1
        assert _policies(team) == (("multi_mixed",) if is_overruled else ("multi_serial",))


def _many_calls(count: int) -> Case:
    """One parallel task: 3 fields of the task, one for each call, and one for every edge somebody draws."""
    steps = [call("look", "fine", place=f"Place-{i}") for i in range(count)]
    looking = task(
        *steps,
        answer("All fine."),
        user="Look at " + ", ".join(f"Place-{i}" for i in range(count)),
        policy=Policy.MULTI_PARALLEL,
        information=Information.FIRST,
    )
    return case(looking, tools=[tool("look", place={"type": "string"})])


@pytest.mark.parametrize(
    ("calls", "threshold", "stage"),
    [
        # 3 + 17 = 20 fields, 1 differs: 5 % is not above 5 %
        (17, "0.05", Stage.EXPERT),
        # 3 + 16 = 19 fields, 1 differs: 5.26 % is above 5 %
        (16, "0.05", Stage.ESCALATED),
        # 3 + 7 = 10 fields: 10 % is not above 10 %, which a float 0.1 would spoil
        (7, "0.1", Stage.EXPERT),
        (6, "0.1", Stage.ESCALATED),
        # 3 + 0 fields: 33.3 % is above 33 % and not above 34 %
        (0, "0.33", Stage.ESCALATED),
        (0, "0.34", Stage.EXPERT),
    ],
)
def test_the_share_of_differing_fields_is_compared_exactly(
    team: Team, calls: int, threshold: str, stage: Stage
) -> None:
    change_review_policy(team["max"], (f"case_threshold={threshold}",))
    shown = _many_calls(calls)
    if not calls:
        only = shown.tasks[0].model_copy(update={"policy": Policy.CHAT})
        shown = shown.model_copy(update={"tasks": (only,)})
    team.bring(shown)
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", policies={0: Policy.CLARIFY})
    assert team.cross_check("cleo", "c-1").stage is stage


def _edge(a: int, b: int) -> EdgeTriple:
    return (a, b, EdgeKind.LOGICAL)


def test_a_majority_that_draws_a_circle_is_escalated(team: Team) -> None:
    # Each edge of the circle 0 -> 1 -> 2 -> 0 is drawn by two of three raters, none of whom drew a circle.
    change_review_policy(team["max"], ("case_threshold=1",))
    shown = _many_calls(3)
    drawn = shown.model_copy(
        update={"tasks": (shown.tasks[0].model_copy(update={"policy": Policy.MULTI_SERIAL}),)}
    )
    team.bring(drawn)
    held = claim_case(team["ann"], "c-1").value
    said = approval(drawn)
    labels = said.tasks[0].model_copy(update={"edges": (_edge(0, 1), _edge(1, 2))})
    submit(team["ann"], held.id, judgment=said.model_copy(update={"tasks": (labels,)}), key=submission_key())
    team.cross_check("bob", "c-1", edges={0: [_edge(1, 2), _edge(2, 0)]})
    done = team.cross_check("cleo", "c-1", edges={0: [_edge(2, 0), _edge(0, 1)]})
    assert done.stage is Stage.ESCALATED
    assert "run in a circle" in _note(team)


@pytest.mark.parametrize(
    ("verdicts", "stage"),
    [
        ((Verdict.APPROVE, Verdict.APPROVE), Stage.EXPERT),
        ((Verdict.RETURN, Verdict.RETURN), Stage.RETURNED),
        ((Verdict.APPROVE, Verdict.RETURN), Stage.ESCALATED),
        ((Verdict.APPROVE, Verdict.REJECT), Stage.ESCALATED),
        ((Verdict.REJECT, Verdict.REJECT), Stage.ESCALATED),
        ((Verdict.ESCALATE, Verdict.ESCALATE), Stage.ESCALATED),
        ((Verdict.RETURN, Verdict.ESCALATE), Stage.ESCALATED),
    ],
)
def test_only_unanimous_verdicts_settle_a_round(
    team: Team, verdicts: tuple[Verdict, Verdict], stage: Stage
) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", verdict=verdicts[0])
    assert team.cross_check("cleo", "c-1", verdict=verdicts[1]).stage is stage


def test_a_verdict_against_a_case_needs_a_reason(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value
    unreasoned = approval(two_step_case()).model_copy(update={"verdict": Verdict.RETURN})
    with pytest.raises(BlockedError, match="'return' needs a reason"):
        submit(team["bob"], held.id, judgment=unreasoned, key=submission_key())


def test_what_most_raters_call_wrong_is_not_approved_silently(team: Team) -> None:
    # 1 of 23 fields differs, far below the threshold, and two of three raters say no.
    team.bring(_many_calls(20))
    team.self_check("ann", "c-1")
    for name in ("bob", "cleo"):
        done = team.cross_check(name, "c-1", wrong_calls={0: [4]})
    assert done.stage is Stage.ESCALATED
    assert _note(team) == "most raters say no to task.0.call.4.correct"
    assert team.open_expert("c-1").escalation == Escalation(
        reason=EscalationReason.MOST_SAY_NO, field="task.0.call.4.correct"
    )


def test_one_rater_who_calls_something_wrong_is_outvoted(team: Team) -> None:
    team.bring(_many_calls(20))
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", wrong_calls={0: [4]})
    assert team.cross_check("cleo", "c-1").stage is Stage.EXPERT


def test_an_edit_nobody_voted_on_goes_to_the_expert(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", edit=two_step_case().model_copy(update={"language": "nb"}))
    assert team.cross_check("cleo", "c-1").stage is Stage.ESCALATED
    assert _note(team) == "a reviewer proposes an edit"
    assert [(edit.id, edit.after) for edit in team.open_expert("c-1").edits] == [("A:language", "nb")]


def test_the_batch_is_flagged_above_its_threshold_only(team: Team) -> None:
    change_review_policy(team["max"], ("batch_threshold=0.5",))
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    for case_id in ("c-1", "c-2"):
        team.self_check("ann", case_id)
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    assert [batch.is_flagged for batch in batches(team["max"])] == [False]  # 1 of 2 is not above 0.5
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))  # an escalation that is decided counts on
    team.cross_check("bob", "c-2")
    team.cross_check("cleo", "c-2", verdict=Verdict.ESCALATE)
    assert [batch.is_flagged for batch in batches(team["max"])] == [True]


def test_an_owners_escalation_counts_for_the_flag(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    unsure = approval(two_step_case()).model_copy(
        update={"verdict": Verdict.ESCALATE, "reasons": team.reasons("unsure")}
    )
    submit(team["ann"], held.id, judgment=unsure, key=submission_key())
    assert [batch.is_flagged for batch in batches(team["max"])] == [True]


def test_a_flagged_batch_can_be_escalated_whole(team: Team) -> None:
    change_review_policy(team["max"], ("escalate_flagged_batch=true",))
    ids = ["c-1", "c-2", "c-3"]
    team.bring(*map(two_step_case, ids))
    for case_id in ids:
        team.self_check("ann", case_id)
    for case_id, verdict in zip(ids, (Verdict.APPROVE, Verdict.ESCALATE, Verdict.APPROVE), strict=True):
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id, verdict=verdict)
    # c-1 was approved before the flag, c-3 after it.
    assert [team.stage(case_id) for case_id in ids] == [Stage.ESCALATED] * 3
    assert _note(team, "c-3") == "its batch is flagged"
    assert team.open_expert("c-3").escalation == Escalation(reason=EscalationReason.BATCH_FLAGGED)
