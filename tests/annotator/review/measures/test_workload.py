"""Who holds what, how much is done a day and a week, and how that changes."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from annotator.jobs import JobContext, ProgressReport
from annotator.review.expert.decisions import Decision, FeedbackItem
from annotator.review.feedback import feedback_over_time
from annotator.review.measures.progress import stage_report
from annotator.review.measures.rater_agreement import AgreementSlice, agreement
from annotator.review.measures.slice_agreement import measure, refine, week_span
from annotator.review.measures.trends import TrendPoint, TrendStep, agreement_trend
from annotator.review.measures.workload import my_day, throughput, workloads
from annotator.review.queue.assignments import held_by
from annotator.review.queue.claims import claim_case
from annotator.review.withdrawals import withdraw
from db.engine import disposed, open_engine, writing
from db.tables import JudgmentRecord, Person
from scoring.agreement.fields import AgreementMeasure
from scoring.agreement.rated_cases import RatedField
from scoring.errors import ForbiddenError, NotFoundError
from scoring.model.taxonomy import FeedbackCategory, Policy, Stage, Verdict
from tests.annotator.drafts.cases import parcel_case
from tests.annotator.review.walked import decided, walked
from tests.annotator.team import START, Team, two_step_case


def test_a_point_of_the_trend_is_the_agreement_of_its_batch_intervals_and_all(team: Team) -> None:
    team.walk(walked)
    points = agreement_trend(team["max"], AgreementSlice(), by=TrendStep.BATCH)
    assert [point.label for point in points] == ["b1", "b2"]
    for point in points:
        assert point.table == agreement(team["max"], where=AgreementSlice(batch=point.label))


@pytest.mark.parametrize(("batch", "points"), [("b1", 1), ("", 2)])
def test_the_only_point_of_a_trend_is_not_measured_once_more(team: Team, batch: str, points: int) -> None:
    team.walk(walked)
    where = AgreementSlice(batch=batch)
    whole = agreement(team["max"], where=where)
    bare = agreement(team["max"], where=where, resamples=0)
    measured = agreement_trend(team["max"], where, by=TrendStep.BATCH)
    assert agreement_trend(team["max"], where, by=TrendStep.BATCH, whole=whole) == measured
    # Without intervals one sees what was taken.
    found = agreement_trend(team["max"], where, by=TrendStep.BATCH, whole=bare)
    assert [point.table == bare for point in found] == [points == 1] * points


def test_the_workload_says_who_holds_what_and_how_they_agree(team: Team) -> None:
    team.walk(walked)
    claim_case(team["cleo"], "c-4")
    lines = {line.person: line for line in workloads(team["max"])}
    assert (lines["cleo"].held, lines["cleo"].submitted) == (1, 3)
    assert [held_by(team["max"], name=name) for name in ("cleo", "eve")] == [("c-4",), ()]
    assert (lines["ann"].held, lines["ann"].submitted, lines["ann"].median_seconds) == (0, 3, 60)
    assert (lines["eve"].submitted, lines["eve"].median_seconds, lines["eve"].agreement.value) == (
        0,
        None,
        None,
    )
    # Six fields a case (3 of the task, 2 calls, 1 edge), two others a round, three rounds: 36 pairs, of
    # which both of bob's about the policy of c-1 differ.
    assert (lines["bob"].agreement.count, lines["bob"].agreement.total) == (34, 36)
    assert (lines["cleo"].agreement.count, lines["cleo"].agreement.total) == (35, 36)


def test_throughput_counts_days_quiet_ones_too(team: Team) -> None:
    team.walk(decided)
    team.clock.forward(days=2)
    days = throughput(team["max"], days=3)
    assert [day.day for day in days] == [(START + timedelta(days=i)).date() for i in range(3)]
    assert days[0].counts == {
        Stage.SELF_CHECK_TASK: 2,
        Stage.CROSS_CHECK: 4,
        Stage.EXPERT: 2,
    }
    assert days[1].counts == {}


def test_what_is_withdrawn_counts_nowhere(team: Team) -> None:
    team.bring(two_step_case("c-1"))
    team.self_check("ann", "c-1")
    assert throughput(team["max"], days=1)[0].counts == {Stage.SELF_CHECK_TASK: 1}
    withdraw(team["ann"], "c-1")
    assert throughput(team["max"], days=1)[0].counts == {}
    [line] = (line for line in workloads(team["max"]) if line.person == "ann")
    assert (line.submitted, line.median_seconds) == (0, None)
    assert stage_report(team["max"]).median_seconds == {}


def _policy_percent(point: TrendPoint) -> tuple[str, int, float | None]:
    row = next(row for row in point.table if row.field is RatedField.POLICY)
    return point.label, point.round_count, row.coefficients[AgreementMeasure.PERCENT].value


def test_a_trend_by_week_has_quiet_weeks_too(team: Team) -> None:
    team.walk(walked)
    team.clock.forward(days=17)
    team.cross_check("cleo", "c-4", policies={0: Policy.MULTI_MIXED})
    points = agreement_trend(team["max"], AgreementSlice())
    # Week 47 closed three rounds of 3 pairs, bob's 2 about c-1 differ; week 50 one, cleo's 2 of 3 differ.
    assert [_policy_percent(point) for point in points] == [
        ("2026-W47", 3, pytest.approx(7 / 9)),
        ("2026-W48", 0, None),
        ("2026-W49", 0, None),
        ("2026-W50", 1, pytest.approx(1 / 3)),
    ]


def test_a_trend_by_batch_follows_their_first_rounds(team: Team) -> None:
    team.walk(walked)
    points = agreement_trend(team["max"], AgreementSlice(), by=TrendStep.BATCH)
    assert [_policy_percent(point) for point in points] == [("b1", 2, pytest.approx(4 / 6)), ("b2", 1, 1.0)]
    with pytest.raises(NotFoundError):
        agreement_trend(team["max"], AgreementSlice(batch="b9"))


def test_a_day_counts_what_its_person_finished_and_how_far_others_agreed(team: Team) -> None:
    team.walk(walked)
    day = my_day(team["bob"])
    # bob cross-checked four cases of 60 s; three rounds are closed, see the workload for 34 of 36.
    assert (day.finished, day.median_seconds) == (4, 60)
    assert (day.agreement.count, day.agreement.total) == (34, 36)
    team.clock.forward(days=1)
    tomorrow = my_day(team["bob"])
    assert (tomorrow.finished, tomorrow.median_seconds, tomorrow.agreement.total) == (0, None, 0)


def test_a_case_of_two_rounds_is_finished_once_a_day(team: Team) -> None:
    team.bring(parcel_case())
    team.check_once("ann", "c-1")
    assert team.stage("c-1") is Stage.SELF_CHECK_DIALOGUE
    team.check_once("ann", "c-1")
    assert my_day(team["ann"]).finished == 1


def test_an_experts_day_counts_decisions(team: Team) -> None:
    team.walk(decided)
    assert (my_day(team["eve"]).finished, my_day(team["eve"]).median_seconds) == (2, None)


def test_feedback_is_counted_by_week_and_person(team: Team) -> None:
    for number, later in enumerate((0, 0, 40)):
        team.clock.forward(days=later)
        team.bring(two_step_case(f"c-{number}"), batch=f"b{number}")
        team.self_check("ann", f"c-{number}")
        team.cross_check("bob", f"c-{number}")
        team.cross_check("cleo", f"c-{number}", verdict=Verdict.ESCALATE)
        told = (FeedbackItem(to="owner", category=FeedbackCategory.WRONG_VALUE, note="look"),)
        team.decide(f"c-{number}", Decision(verdict=Verdict.APPROVE, feedback=told))
    rows = [(row.week, row.person, row.category, row.count) for row in feedback_over_time(team["ann"])]
    # Friday of week 47; forty days later it is a Wednesday of the last week of the year.
    assert rows == [("2026-W47", "ann", "wrong_value", 2), ("2026-W53", "ann", "wrong_value", 1)]
    assert feedback_over_time(team["eve"], everybody=True) == feedback_over_time(team["ann"])
    assert feedback_over_time(team["bob"]) == ()
    with pytest.raises(ForbiddenError, match="told to others"):
        feedback_over_time(team["bob"], everybody=True)


def test_the_report_says_since_when_the_oldest_case_waits(team: Team) -> None:
    team.bring(two_step_case("c-1"))
    team.clock.forward(hours=5)
    team.bring(two_step_case("c-2"), batch="b2")
    report = stage_report(team["max"])
    assert report.counts == {Stage.IMPORTED: 2}
    assert report.oldest[Stage.IMPORTED] < START + timedelta(minutes=1)


def test_the_median_of_an_even_count_lies_between_the_two_in_the_middle(team: Team) -> None:
    team.walk(walked)
    with disposed(open_engine(team.url)) as engine, writing(engine) as tx:
        of_bob = select(JudgmentRecord).join(Person, Person.id == JudgmentRecord.person_id)
        said = tx.scalars(of_bob.where(Person.name == "bob")).all()
        for judgment, seconds in zip(said, (50, 20, 90, 10), strict=True):  # his four cross-checks
            judgment.seconds, judgment.is_hasty = seconds, seconds < 15
    [bob] = [line for line in workloads(team["max"]) if line.person == "bob"]
    assert (bob.submitted, bob.median_seconds, bob.hasty) == (4, (20 + 50) / 2, 1)
    assert bob.seconds == 50 + 20 + 90 + 10
    report = stage_report(team["max"])
    assert report.seconds_by_person["bob"] == bob.seconds
    assert set(report.seconds_by_person) == {"ann", "bob", "cleo", "dan"}
    assert stage_report(team["bob"]).seconds_by_person == {"bob": bob.seconds}
    assert report.seconds[Stage.CROSS_CHECK] == sum(
        line.seconds for line in workloads(team["max"]) if line.person in ("bob", "cleo")
    )
    assert report.seconds_of_work["bob"] == {Stage.CROSS_CHECK: bob.seconds}
    for person, by_stage in report.seconds_of_work.items():
        assert sum(by_stage.values()) == report.seconds_by_person[person]
    assert stage_report(team["bob"]).seconds_of_work == {"bob": {Stage.CROSS_CHECK: bob.seconds}}
    assert report.per_final(Stage.CROSS_CHECK) is None  # no case is final
    assert report.cost_words(30) == ""
    done = report.model_copy(update={"counts": {Stage.FINAL: 3, Stage.RELEASED: 1, Stage.APPROVED: 7}})
    assert done.per_final(Stage.CROSS_CHECK) == report.seconds[Stage.CROSS_CHECK] / 4
    assert done.per_final(Stage.EXPERT) is None  # decisions are not timed
    # By hand: 170 s of bob and seven judgments of 60 s are 590 s; over 4 final cases 2.46 min.
    assert done.cost_words() == "A final case takes 2.5 min of work without decisions."
    priced = done.model_copy(update={"dollars": 0.5})
    words = "A final case takes 2.5 min of work without decisions, 1.23 for it, $0.125 for models."
    assert priced.cost_words(30) == words
    [others] = {line.median_seconds for line in workloads(team["max"]) if line.person in ("ann", "cleo")}
    assert others == 60


def test_a_week_lasts_from_its_monday_to_the_next() -> None:
    monday = datetime(2026, 11, 16, tzinfo=UTC)
    assert week_span("2026-W47") == (monday, monday + timedelta(days=7))


def test_figures_tell_how_far_they_are(team: Team) -> None:
    team.walk(walked)
    told: list[ProgressReport] = []
    context = JobContext(told.append)
    refine(
        team["max"], measured=measure(team["max"], part=AgreementSlice(), context=context), context=context
    )
    by_period = [f"trend by {step}" for step in TrendStep]
    assert [(report.done, report.total, report.note) for report in told] == [
        (0, 3, "measuring"),
        (1, 3, "what the figures rest on"),
        (2, 3, "stage accuracy"),
        (0, 4, "drawing intervals"),
        *((done, 4, note) for done, note in enumerate(by_period, start=1)),
        (3, 4, "against experts"),
    ]
