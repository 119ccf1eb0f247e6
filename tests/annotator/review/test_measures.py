"""Measures of the process, beside the same numbers counted by hand, and who may see them."""

from datetime import timedelta

import pytest
from sqlalchemy import Engine, event

from annotator.cases.exporting import check_project
from annotator.cases.history import add_comment
from annotator.project.people import list_people, set_roles
from annotator.review.accuracy import AccuracySlice, accuracy, accuracy_by, stage_cases
from annotator.review.agreeing import AgreementSlice, agreement, diagnosis, diagnosis_csv, rated_rounds
from annotator.review.claiming import claim_case
from annotator.review.feedback import feedback_over_time, recurring_mistakes
from annotator.review.governing import set_policy
from annotator.review.listing import CaseFilter, batches, count_cases, list_cases
from annotator.review.measuring import samples, stage_report
from annotator.review.notifying import mark_read, notifications
from annotator.review.trends import TrendPoint, TrendStep, agreement_trend
from annotator.review.verifying import Decision, FeedbackItem, Own
from annotator.review.waiting import waiting_for
from annotator.review.workload import my_day, throughput, workloads
from scoring.agreement import Measure
from scoring.errors import ForbiddenError, InputError, NotFoundError
from scoring.model.taxonomy import FeedbackCategory, Policy, Role, Stage, Verdict
from scoring.rated_cases import RatedField
from tests.annotator.team import START, Team, two_step_case

KIND: dict[str, str | Own] = {"task.0.edge.0-1": Own(own="parameter")}


def _walked(team: Team) -> None:
    """Two batches: bob disagrees on the policy of c-1, all agree on c-2 and c-3; c-4 is half judged."""
    # Who could decide c-1 is blind to what was said of it; a manager alone looks after everything.
    set_roles(team["max"], "max", roles=[Role.MANAGER])
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    team.bring(two_step_case("c-3"), two_step_case("c-4"), batch="b2")
    for case_id in ("c-1", "c-2", "c-3", "c-4"):
        team.self_check("dan" if case_id == "c-3" else "ann", case_id)
    team.cross_check("bob", "c-1", policies={0: Policy.MULTI_MIXED})
    team.cross_check("cleo", "c-1")
    for case_id in ("c-2", "c-3"):
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id)
    team.cross_check("bob", "c-4")


def _percent(team: Team, where: AgreementSlice, field: RatedField = RatedField.POLICY) -> tuple[object, ...]:
    table = agreement(team["max"], where=where, resamples=0)
    found = next(row for row in table if row.field is field).coefficients[Measure.PERCENT]
    return found.value, found.used, found.total


def test_agreement_is_counted_over_closed_rounds_only(team: Team) -> None:
    _walked(team)
    # 3 tasks x 3 pairs of raters = 9 pairs, of which bob's 2 about c-1 differ: 7 of 9.
    value, used, total = _percent(team, AgreementSlice())
    assert value == pytest.approx(7 / 9)
    assert (used, total) == (3, 3)


@pytest.mark.parametrize(
    ("where", "value", "used"),
    [
        (AgreementSlice(pair=("ann", "bob")), 1 / 2, 2),  # c-1 differs, c-2 does not; c-3 is dan's
        (AgreementSlice(pair=("bob", "cleo")), 2 / 3, 3),
        (AgreementSlice(person="dan"), 1.0, 1),
        (AgreementSlice(batch="b1"), 4 / 6, 2),
        (AgreementSlice(batch="b2"), 1.0, 1),
        (AgreementSlice(policy=Policy.MULTI_SERIAL), 7 / 9, 3),
        (AgreementSlice(until=START), None, 0),
        (AgreementSlice(since=START), 7 / 9, 3),
    ],
)
def test_agreement_is_cut_by_pair_person_batch_policy_and_time(
    team: Team, where: AgreementSlice, value: float | None, used: int
) -> None:
    _walked(team)
    found, n, _ = _percent(team, where)
    assert found == (None if value is None else pytest.approx(value))
    assert n == used


def test_a_diagnosis_says_what_was_used_and_what_was_not(team: Team) -> None:
    _walked(team)
    rows = diagnosis(team["max"], AgreementSlice(batch="b1"))
    first = rows[0]
    assert (first.total, first.used, first.excluded) == (4, 2, 2)
    assert first.reason == "1 still open, 1 outside of the slice"
    kappa = next(row for row in rows if (row.field, row.measure) == ("information", "kappa"))
    assert (kappa.value, kappa.used, kappa.excluded) == (None, 2, 0)
    assert "one label only" in kappa.reason
    lines = diagnosis_csv(rows).splitlines()
    assert lines[0] == "field,measure,value,total,used,excluded,reason"
    assert lines[1] == 'round,,,4,2,2,"1 still open, 1 outside of the slice"'
    assert len(lines) == len(rows) + 1


def test_people_see_how_they_judge_and_managers_how_everybody_does(team: Team) -> None:
    _walked(team)
    assert agreement(team["bob"], raters=("bob", "cleo"), resamples=0)
    with pytest.raises(ForbiddenError, match="for them, experts and managers"):
        agreement(team["bob"], raters=("ann", "cleo"))
    with pytest.raises(ForbiddenError, match="for them, experts and managers"):
        diagnosis(team["bob"], AgreementSlice(person="cleo"))
    with pytest.raises(ForbiddenError, match="told to others"):
        recurring_mistakes(team["bob"], everybody=True)
    with pytest.raises(ForbiddenError, match="experts and managers"):
        accuracy(team["bob"], AccuracySlice(person="ann"))
    assert [line.person for line in workloads(team["bob"])] == ["bob"]
    assert len(workloads(team["eve"])) == 6
    with pytest.raises(InputError, match="is no pair"):
        agreement(team["max"], raters=("bob", "bob"))


@pytest.mark.parametrize(
    "where",
    [
        AgreementSlice(pair=("ann", "nobody")),
        AgreementSlice(person="nobody"),
        AgreementSlice(batch="nope"),
    ],
)
def test_agreement_of_nobody_and_of_no_batch_is_refused(team: Team, where: AgreementSlice) -> None:
    _walked(team)
    for ask in (agreement, agreement_trend, diagnosis, rated_rounds):
        with pytest.raises(NotFoundError) as caught:
            ask(team["max"], where=where)
        assert caught.value.hint.startswith("See `annotator ")


def test_stage_accuracy_of_nobody_and_of_no_batch_is_refused(team: Team) -> None:
    _walked(team)
    for where in (AccuracySlice(person="nobody"), AccuracySlice(batch="nope")):
        with pytest.raises(NotFoundError):
            accuracy(team["max"], where)
        with pytest.raises(NotFoundError):
            stage_cases(team["max"], where, stage=Stage.EXPERT)


def test_no_round_ends_at_a_stage_where_one_person_decides(team: Team) -> None:
    with pytest.raises(InputError, match="no agreement at final"):
        agreement(team["max"], where=AgreementSlice(outcome=Stage.FINAL))


def test_a_point_of_the_trend_is_the_agreement_of_its_batch_intervals_and_all(team: Team) -> None:
    _walked(team)
    points = agreement_trend(team["max"], AgreementSlice(), by=TrendStep.BATCH)
    assert [point.label for point in points] == ["b1", "b2"]
    for point in points:
        assert point.table == agreement(team["max"], where=AgreementSlice(batch=point.label))


def _rounds_of(team: Team, name: str) -> list[str]:
    return [one.case.case_id for one in rated_rounds(team[name], AgreementSlice())]


def test_annotators_read_rounds_of_their_own_cases_and_of_final_ones(team: Team) -> None:
    _walked(team)
    assert _rounds_of(team, "max") == ["c-1", "c-2", "c-3"]
    assert _rounds_of(team, "eve") == ["c-2", "c-3"]  # c-1 is hers to decide
    assert _rounds_of(team, "ann") == ["c-1", "c-2"]
    # bob judged all three; the labels of their owners are not for him before the cases are final.
    assert _rounds_of(team, "bob") == []
    kept = Decision(fields={"task.0.policy": Own(own="multi_serial")}, verdict=Verdict.APPROVE)
    team.decide("c-1", kept)
    assert team.stage("c-1") is Stage.FINAL
    assert _rounds_of(team, "bob") == ["c-1"]


def test_annotators_read_every_round_where_the_policy_opens_labels(team: Team) -> None:
    _walked(team)
    set_policy(team["max"], ("open_labels=always",))
    assert _rounds_of(team, "bob") == ["c-1", "c-2", "c-3"]


def test_annotators_get_the_pairs_they_are_part_of(team: Team) -> None:
    _walked(team)
    for name, pairs in (
        ("ann", [("ann", "bob"), ("ann", "cleo")]),
        ("max", [("ann", "bob"), ("ann", "cleo"), ("bob", "cleo"), ("bob", "dan"), ("cleo", "dan")]),
    ):
        rows = [
            agreement(team[name], resamples=0)[0],
            agreement_trend(team[name], AgreementSlice())[0].table[0],
        ]
        for row in rows:
            assert [(pair.first, pair.second) for pair in row.pairs] == pairs


def test_a_diagnosis_says_how_many_rounds_are_not_for_the_persons_eyes(team: Team) -> None:
    _walked(team)
    first = diagnosis(team["ann"], AgreementSlice())[0]
    assert (first.used, first.excluded) == (2, 2)
    assert first.reason == "1 still open, 0 outside of the slice, 1 of cases you may not see yet"


def _decided(team: Team) -> None:
    """c-1: the expert corrects the edge's kind; c-2 (dan's) stays as it was."""
    team.bring(two_step_case("c-1"))
    team.bring(two_step_case("c-2"), batch="b2")
    team.self_check("ann", "c-1")
    team.self_check("dan", "c-2")
    for case_id in ("c-1", "c-2"):
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id)
    team.decide("c-1", Decision(fields=KIND, verdict=Verdict.APPROVE))
    team.decide("c-2", Decision(verdict=Verdict.APPROVE))


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
    _decided(team)
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
    _decided(team)
    for point in accuracy(team["max"], where):
        cases = stage_cases(team["max"], where, stage=point.stage)
        assert (sum(case.is_right for case in cases), len(cases)) == (point.correct, point.total)


def test_the_cases_behind_a_point_say_what_was_changed_later_those_first(team: Team) -> None:
    _decided(team)
    found = stage_cases(team["max"], AccuracySlice(), stage=Stage.CROSS_CHECK)
    assert [(case.case_id, case.owner, case.is_right, case.changed) for case in found] == [
        ("c-1", "ann", False, ("edges",)),
        ("c-2", "dan", True, ()),
    ]


def test_cases_behind_a_point_follow_who_may_ask_and_what_may_be_asked(team: Team) -> None:
    _decided(team)
    with pytest.raises(ForbiddenError, match="experts and managers"):
        stage_cases(team["bob"], AccuracySlice(person="ann"), stage=Stage.CROSS_CHECK)
    with pytest.raises(InputError, match="no point on the curve"):
        stage_cases(team["max"], AccuracySlice(), stage=Stage.RETURNED)
    with pytest.raises(InputError, match="no part of a case"):
        stage_cases(team["max"], AccuracySlice(field="weather"), stage=Stage.EXPERT)


def test_stage_accuracy_comes_as_a_table_of_every_value(team: Team) -> None:
    _decided(team)
    by_person = accuracy_by(team["max"], "person")
    assert {name: points[3].correct for name, points in by_person.items()} == {"ann": 0, "dan": 1}
    assert list(accuracy_by(team["dan"], "person")) == ["dan"]
    by_field = accuracy_by(team["max"], "field")
    assert [name for name, points in by_field.items() if points[0].correct < 2] == ["edges"]
    with pytest.raises(InputError, match="is no dimension"):
        accuracy_by(team["max"], "weather")
    with pytest.raises(InputError, match="no part of a case"):
        accuracy(team["max"], AccuracySlice(field="weather"))


def test_the_workload_says_who_holds_what_and_how_they_agree(team: Team) -> None:
    _walked(team)
    claim_case(team["cleo"], "c-4")
    lines = {line.person: line for line in workloads(team["max"])}
    assert (lines["cleo"].held, lines["cleo"].submitted) == (1, 3)
    assert (lines["ann"].held, lines["ann"].submitted, lines["ann"].median_seconds) == (0, 6, 60)
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
    _decided(team)
    team.clock.forward(days=2)
    days = throughput(team["max"], days=3)
    assert [day.day for day in days] == [(START + timedelta(days=i)).date() for i in range(3)]
    assert days[0].counts == {
        Stage.SELF_CHECK_TASK: 2,
        Stage.SELF_CHECK_DIALOGUE: 2,
        Stage.CROSS_CHECK: 4,
        Stage.EXPERT: 2,
    }
    assert days[1].counts == {}


def _policy_percent(point: TrendPoint) -> tuple[str, int, float | None]:
    row = next(row for row in point.table if row.field is RatedField.POLICY)
    return point.label, point.round_count, row.coefficients[Measure.PERCENT].value


def test_a_trend_by_week_has_quiet_weeks_too(team: Team) -> None:
    _walked(team)
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
    _walked(team)
    points = agreement_trend(team["max"], AgreementSlice(), by=TrendStep.BATCH)
    assert [_policy_percent(point) for point in points] == [("b1", 2, pytest.approx(4 / 6)), ("b2", 1, 1.0)]
    with pytest.raises(NotFoundError):
        agreement_trend(team["max"], AgreementSlice(batch="b9"))


def test_a_day_counts_what_its_person_finished_and_how_far_others_agreed(team: Team) -> None:
    _walked(team)
    day = my_day(team["bob"])
    # bob cross-checked four cases of 60 s; three rounds are closed, see the workload for 34 of 36.
    assert (day.finished, day.median_seconds) == (4, 60)
    assert (day.agreement.count, day.agreement.total) == (34, 36)
    team.clock.forward(days=1)
    tomorrow = my_day(team["bob"])
    assert (tomorrow.finished, tomorrow.median_seconds, tomorrow.agreement.total) == (0, None, 0)


def test_an_experts_day_counts_decisions(team: Team) -> None:
    _decided(team)
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


def test_notifications_list_what_came_back_was_answered_and_was_told(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    for case_id in ("c-1", "c-2"):
        team.self_check("ann", case_id)
    question = add_comment(team["ann"], "c-1", where="case", text="is this one task?").value
    add_comment(team["max"], "c-1", where="case", text="yes, one", parent=question)
    for name in ("bob", "cleo"):
        team.cross_check(name, "c-1", verdict=Verdict.RETURN, note="split it")
        team.cross_check(name, "c-2", verdict=Verdict.ESCALATE)
    told = (FeedbackItem(to="owner", category=FeedbackCategory.WRONG_VALUE, note="look again"),)
    team.decide("c-2", Decision(verdict=Verdict.APPROVE, feedback=told))
    found = [
        (one.kind, one.case_id, one.text, one.sender, one.category) for one in notifications(team["ann"])
    ]
    assert found == [
        ("feedback", "c-2", "look again", "eve", FeedbackCategory.WRONG_VALUE),
        ("returned", "c-1", "split it", None, None),
        ("answer", "c-1", "yes, one", "max", None),
    ]
    assert mark_read(team["ann"]).value == 2
    assert [one.kind for one in notifications(team["ann"])] == ["returned"]
    team.check_once("ann", "c-1")
    assert notifications(team["ann"]) == ()
    assert notifications(team["bob"]) == ()


def test_an_answer_a_blind_reviewer_must_not_see_waits_unread(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    claim_case(team["bob"], "c-1")
    asked = add_comment(team["bob"], "c-1", where="case", text="why two calls?").value
    add_comment(team["ann"], "c-1", where="case", text="one feeds the other", parent=asked)
    assert notifications(team["bob"]) == ()
    assert mark_read(team["bob"]).value == 0
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1")
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    assert [one.text for one in notifications(team["bob"])] == ["one feeds the other"]


def test_the_report_says_since_when_the_oldest_case_waits(team: Team) -> None:
    team.bring(two_step_case("c-1"))
    team.clock.forward(hours=5)
    team.bring(two_step_case("c-2"), batch="b2")
    report = stage_report(team["max"])
    assert report.counts == {Stage.IMPORTED: 2}
    assert report.oldest[Stage.IMPORTED] < START + timedelta(minutes=1)


def _statements(team: Team, look: object) -> int:
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    event.listen(Engine, "before_cursor_execute", counted)
    try:
        look(team["max"])  # type: ignore[operator]
    finally:
        event.remove(Engine, "before_cursor_execute", counted)
    return count


LISTS = {
    "queue": lambda w: list_cases(w, CaseFilter()),
    "count": lambda w: count_cases(w, CaseFilter(text="parcel")),
    "waiting": waiting_for,
    "batches": batches,
    "samples": samples,
    "people": list_people,
    "report": stage_report,
    "agreement": lambda w: agreement(w, resamples=0),
    "diagnosis": lambda w: diagnosis(w, AgreementSlice()),
    "accuracy": lambda w: accuracy(w, AccuracySlice(field="edges")),
    "stage cases": lambda w: stage_cases(w, AccuracySlice(), stage=Stage.CROSS_CHECK),
    "workload": workloads,
    "throughput": throughput,
    "trend": lambda w: agreement_trend(w, AgreementSlice()),
    "day": my_day,
    "notifications": notifications,
    "feedback": lambda w: feedback_over_time(w, everybody=True),
    "check": check_project,
}


@pytest.mark.parametrize("name", LISTS)
def test_no_list_asks_the_store_more_often_when_there_is_more_to_list(team: Team, name: str) -> None:
    _decided(team)
    few = _statements(team, LISTS[name])
    team.bring(*(two_step_case(f"d-{i}") for i in range(3)), batch="b3")
    for i in range(3):
        team.self_check("ann", f"d-{i}")
        team.cross_check("bob", f"d-{i}")
        team.cross_check("cleo", f"d-{i}")
    for row in list_cases(team["max"], CaseFilter(stages=(Stage.EXPERT,))):
        team.decide(row.case_id, Decision(verdict=Verdict.APPROVE))
    assert _statements(team, LISTS[name]) == few
