"""How right cases are after each stage, and the cases behind each point of the curve."""

import pytest

from annotator.cases.edits.text_edits import set_user_text
from annotator.review.expert.decisions import Decision
from annotator.review.measures.accuracy_curve import (
    NOTHING_RIGHT,
    AccuracyReading,
    AccuracySlice,
    accuracy,
    accuracy_by,
    stage_cases,
)
from annotator.review.measures.progress import stage_report
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.case_rows import list_cases
from annotator.review.withdrawals import reopen
from db.read.rows import CaseFilter
from scoring.errors import ForbiddenError, InputError, NotFoundError
from scoring.model.taxonomy import Policy, Stage, Verdict
from tests.annotator.review.walked import KIND, decided, walked
from tests.annotator.team import Team, two_step_case


def test_stage_accuracy_of_nobody_and_of_no_batch_is_refused(team: Team) -> None:
    team.walk(walked)
    for where in (AccuracySlice(person="nobody"), AccuracySlice(batch="nope")):
        with pytest.raises(NotFoundError):
            accuracy(team["max"], where)
        with pytest.raises(NotFoundError):
            stage_cases(team["max"], where, stage=Stage.EXPERT)


@pytest.mark.parametrize(
    ("where", "correct", "total"),
    [
        (AccuracySlice(), 1, 2),
        (AccuracySlice(person="ann"), 0, 1),
        (AccuracySlice(person="dan"), 1, 1),
        (AccuracySlice(batch="b1"), 0, 1),
        (AccuracySlice(policy=Policy.MULTI_SERIAL), 1, 2),
        (AccuracySlice(policy=Policy.CHAT), 0, 0),
        (AccuracySlice(field="edges"), 1, 2),
        (AccuracySlice(field="policy"), 2, 2),
        (AccuracySlice(field="answer", person="ann"), 1, 1),
    ],
)
def test_stage_accuracy_is_cut_by_policy_person_batch_and_field(
    team: Team, where: AccuracySlice, correct: int, total: int
) -> None:
    team.walk(decided)
    points = {point.stage: point for point in accuracy(team["max"], where)}
    for stage in (Stage.IMPORTED, Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE, Stage.CROSS_CHECK):
        assert (points[stage].correct, points[stage].total) == (correct, total)
    assert (points[Stage.EXPERT].correct, points[Stage.EXPERT].total) == (total, total)
    if total:
        point = points[Stage.CROSS_CHECK]
        assert point.low is not None
        assert point.high is not None
        assert point.low <= correct / total <= point.high


@pytest.mark.parametrize(
    "where",
    [AccuracySlice(), AccuracySlice(person="ann"), AccuracySlice(field="edges"), AccuracySlice(batch="b2")],
)
def test_behind_every_point_of_the_curve_stand_as_many_cases_as_it_counts(
    team: Team, where: AccuracySlice
) -> None:
    team.walk(decided)
    for point in accuracy(team["max"], where):
        cases = stage_cases(team["max"], where, stage=point.stage)
        assert (sum(case.is_right for case in cases), len(cases)) == (point.correct, point.total)


def test_the_cases_behind_a_point_say_what_was_changed_later_those_first(team: Team) -> None:
    team.walk(decided)
    found = stage_cases(team["max"], AccuracySlice(), stage=Stage.CROSS_CHECK)
    assert [(case.case_id, case.owner, case.is_right, case.changed) for case in found] == [
        ("c-1", "ann", False, ("edges",)),
        ("c-2", "dan", True, ()),
    ]


def test_cases_behind_a_point_follow_who_may_ask_and_what_may_be_asked(team: Team) -> None:
    team.walk(decided)
    with pytest.raises(ForbiddenError, match="experts and managers"):
        stage_cases(team["bob"], AccuracySlice(person="ann"), stage=Stage.CROSS_CHECK)
    with pytest.raises(InputError, match="no point on the curve"):
        stage_cases(team["max"], AccuracySlice(), stage=Stage.RETURNED)
    with pytest.raises(InputError, match="not a part of a case"):
        stage_cases(team["max"], AccuracySlice(field="weather"), stage=Stage.EXPERT)


def test_stage_accuracy_comes_as_a_table_of_every_value(team: Team) -> None:
    team.walk(decided)
    by_person = accuracy_by(team["max"], "person")
    assert {name: points[3].correct for name, points in by_person.items()} == {"ann": 0, "dan": 1}
    assert list(accuracy_by(team["dan"], "person")) == ["dan"]
    by_field = accuracy_by(team["max"], "field")
    assert [name for name, points in by_field.items() if points[0].correct < 2] == ["edges"]
    with pytest.raises(InputError, match="is not a dimension"):
        accuracy_by(team["max"], "weather")
    with pytest.raises(InputError, match="not a part of a case"):
        accuracy(team["max"], AccuracySlice(field="weather"))


JUDGED = AccuracySlice(reading=AccuracyReading.JUDGED)


def _half_sampled(team: Team) -> list[str]:
    """Four cases whose request ann words anew; half of what reviewers approve is drawn for the expert."""
    change_review_policy(team["max"], ("sample_share=0.5",))
    ids = [f"c-{number}" for number in range(4)]
    team.bring(*map(two_step_case, ids))
    for case_id in ids:
        team.self_check(
            "ann", case_id, edit=set_user_text(two_step_case(case_id), 0, text="Send it on, please.")
        )
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id)
    return [row.case_id for row in list_cases(team["max"], CaseFilter(stages=(Stage.EXPERT,), order="case"))]


def _counts(team: Team, where: AccuracySlice) -> dict[Stage, tuple[int, int]]:
    return {point.stage: (point.correct, point.total) for point in accuracy(team["max"], where)}


def test_judged_right_is_the_experts_word_on_their_random_sample_alone(team: Team) -> None:
    """Of two that were drawn the expert keeps one and corrects one; two were never looked at."""
    kept, corrected = team.walk(_half_sampled)
    assert set(_counts(team, JUDGED).values()) == {(0, 0)}
    team.decide(kept, Decision(verdict=Verdict.APPROVE))
    assert _counts(team, JUDGED)[Stage.CROSS_CHECK] == (1, 1)
    team.decide(corrected, Decision(fields=KIND, verdict=Verdict.APPROVE))
    assert _counts(team, JUDGED) == {
        Stage.IMPORTED: (0, 2),
        Stage.SELF_CHECK_TASK: (1, 2),
        Stage.SELF_CHECK_DIALOGUE: (1, 2),
        Stage.CROSS_CHECK: (1, 2),
    }
    assert [point.stage for point in stage_report(team["max"]).judged] == list(_counts(team, JUDGED))
    by_field = JUDGED.model_copy(update={"field": "request"})
    assert _counts(team, by_field)[Stage.IMPORTED] == (0, 2)
    assert _counts(team, by_field)[Stage.CROSS_CHECK] == (2, 2)
    found = stage_cases(team["max"], JUDGED, stage=Stage.CROSS_CHECK)
    assert [(one.case_id, one.is_right, one.changed) for one in found] == [
        (corrected, False, ("edges",)),
        (kept, True, ()),
    ]
    assert list(accuracy_by(team["max"], "person", reading=AccuracyReading.JUDGED)) == ["ann"]


def test_what_an_expert_returned_was_right_at_no_stage(team: Team) -> None:
    returned, _ = team.walk(_half_sampled)
    team.decide(returned, Decision(verdict=Verdict.RETURN, note="The request is stiff."))
    assert set(_counts(team, JUDGED).values()) == {(0, 1)}
    found = stage_cases(team["max"], JUDGED, stage=Stage.CROSS_CHECK)
    assert [(one.case_id, one.changed) for one in found] == [(returned, (NOTHING_RIGHT,))]


def test_what_becomes_of_a_case_after_an_expert_judged_it_changes_no_verdict(team: Team) -> None:
    kept, _ = team.walk(_half_sampled)
    team.decide(kept, Decision(verdict=Verdict.APPROVE))
    reopen(team["eve"], kept, reason="A better wording is known.")
    team.self_check("ann", kept, edit=set_user_text(two_step_case(kept), 0, text="Forward it."))
    for name in ("dan", "max"):
        team.cross_check(name, kept)
    assert _counts(team, JUDGED)[Stage.CROSS_CHECK] == (1, 1)
