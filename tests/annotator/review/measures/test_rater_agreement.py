"""Agreement over closed rounds beside the same numbers counted by hand, and who may see them."""

import json
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from annotator.cases.bodies import read_record, write_record
from annotator.project.workspace import Workspace
from annotator.review.expert.decisions import Decision, Own
from annotator.review.feedback import recurring_mistakes
from annotator.review.measures.accuracy_curve import AccuracySlice, accuracy
from annotator.review.measures.rater_agreement import (
    AgreementSlice,
    DiagnosisRow,
    RoundReader,
    agreement,
    diagnosis,
    diagnosis_csv,
    rated_cases,
    rated_rounds,
)
from annotator.review.measures.trends import agreement_trend
from annotator.review.measures.workload import agreement_by_person, workloads
from annotator.review.policy_changes import change_review_policy
from db.read import reviews
from scoring.agreement.fields import AgreementMeasure
from scoring.agreement.rated_cases import RatedCase, RatedField
from scoring.errors import ForbiddenError, InputError, NotFoundError
from scoring.model.taxonomy import Policy, Stage, Verdict
from tests.annotator.review.walked import walked
from tests.annotator.team import START, Team
from tests.bench.judged_cases import judged_cases


def _percent(team: Team, where: AgreementSlice, field: RatedField = RatedField.POLICY) -> tuple[object, ...]:
    table = agreement(team["max"], where=where, resamples=0)
    found = next(row for row in table if row.field is field).coefficients[AgreementMeasure.PERCENT]
    return found.value, found.used, found.total


def diagnosed(workspace: Workspace, where: AgreementSlice) -> tuple[DiagnosisRow, ...]:
    rounds = rated_rounds(workspace, where)
    return diagnosis(workspace, rounds, agreement(workspace, rounds=rounds, resamples=0))


def test_agreement_is_counted_over_closed_rounds_only(team: Team) -> None:
    team.walk(walked)
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
    team.walk(walked)
    found, n, _ = _percent(team, where)
    assert found == (None if value is None else pytest.approx(value))
    assert n == used


def test_a_slice_ends_before_the_moment_it_names(team: Team) -> None:
    team.walk(walked)
    first, *_, last = sorted(found.at for found in rated_rounds(team["max"], AgreementSlice()))
    assert _percent(team, AgreementSlice(until=last))[1] == 2
    assert _percent(team, AgreementSlice(since=first, until=first))[1] == 0
    assert _percent(team, AgreementSlice(since=first))[1] == 3


def test_a_diagnosis_says_what_was_used_and_what_was_not(team: Team) -> None:
    team.walk(walked)
    rows = diagnosed(team["max"], AgreementSlice(batch="b1"))
    first = rows[0]
    assert (first.total, first.used, first.excluded) == (4, 2, 2)
    assert first.reason == "1 still open, 1 outside of the slice"
    kappa = next(row for row in rows if (row.field, row.measure) == ("completed", "kappa"))
    assert (kappa.value, kappa.used, kappa.excluded) == (None, 2, 0)
    assert "one label only" in kappa.reason
    lines = diagnosis_csv(rows).splitlines()
    assert lines[0] == "field,measure,value,total,used,excluded,reason"
    assert lines[1] == 'round,,,4,2,2,"1 still open, 1 outside of the slice"'
    assert len(lines) == len(rows) + 1


def test_people_see_how_they_judge_and_managers_how_everybody_does(team: Team) -> None:
    team.walk(walked)
    assert agreement(team["bob"], raters=("bob", "cleo"), resamples=0)
    with pytest.raises(ForbiddenError, match="for them, experts and managers"):
        agreement(team["bob"], raters=("ann", "cleo"))
    with pytest.raises(ForbiddenError, match="for them, experts and managers"):
        diagnosed(team["bob"], AgreementSlice(person="cleo"))
    with pytest.raises(ForbiddenError, match="told to others"):
        recurring_mistakes(team["bob"], everybody=True)
    with pytest.raises(ForbiddenError, match="experts and managers"):
        accuracy(team["bob"], AccuracySlice(person="ann"))
    assert [line.person for line in workloads(team["bob"])] == ["bob"]
    assert len(workloads(team["eve"])) == 6
    with pytest.raises(InputError, match="is not a pair"):
        agreement(team["max"], raters=("bob", "bob"))


PEOPLE = "People: ann, bob, cleo, dan, eve, max."


@pytest.mark.parametrize(
    ("where", "hint"),
    [
        (AgreementSlice(pair=("ann", "nobody")), PEOPLE),
        (AgreementSlice(person="nobody"), PEOPLE),
        (AgreementSlice(batch="nope"), "Batches: b2, b1."),
    ],
)
def test_agreement_of_nobody_and_of_no_batch_is_refused(team: Team, where: AgreementSlice, hint: str) -> None:
    team.walk(walked)
    for ask in (agreement, agreement_trend, diagnosed, rated_rounds):
        with pytest.raises(NotFoundError) as caught:
            ask(team["max"], where=where)
        assert caught.value.hint == hint


def test_no_round_ends_at_a_stage_where_one_person_decides(team: Team) -> None:
    with pytest.raises(InputError, match="no agreement at final"):
        agreement(team["max"], where=AgreementSlice(outcome=Stage.FINAL))


def _rounds_of(team: Team, name: str) -> list[str]:
    return [one.case.case_id for one in rated_rounds(team[name], AgreementSlice())]


def test_annotators_read_rounds_of_their_own_cases_and_of_final_ones(team: Team) -> None:
    team.walk(walked)
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
    team.walk(walked)
    change_review_policy(team["max"], ("open_labels=always",))
    assert _rounds_of(team, "bob") == ["c-1", "c-2", "c-3"]


def test_annotators_get_the_pairs_they_are_part_of(team: Team) -> None:
    team.walk(walked)
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
    team.walk(walked)
    first = diagnosed(team["ann"], AgreementSlice())[0]
    assert (first.used, first.excluded) == (2, 2)
    assert first.reason == "1 still open, 0 outside of the slice, 1 of cases you may not see yet"


JUDGED = tuple(judged_cases(30))
_TEXTS = st.text(st.sampled_from('a"\\\\,:{}[] é\ud800') | st.characters(), max_size=12) | st.sampled_from(
    ['],"step_counts":', ',"fields":[', ',{"id":', ',"raters":']
)


@given(st.lists(st.tuples(st.sampled_from(JUDGED), _TEXTS, st.tuples(_TEXTS, _TEXTS, _TEXTS)), max_size=6))
def test_rounds_are_read_in_parts_as_they_are_read_as_a_whole(
    found: list[tuple[RatedCase, str, tuple[str, str, str]]],
) -> None:
    read = RoundReader().read
    for rated, case_id, raters in found:
        names = tuple(f"{number}{name}" for number, name in enumerate(raters))
        for called in ((rated.raters, rated.case_id), (names, case_id)):
            body = write_record(rated.model_copy(update={"raters": called[0], "case_id": called[1]}))
            assert read(body) == read_record(RatedCase, body)


def test_rounds_share_the_parts_that_are_equal() -> None:
    read = RoundReader().read
    first, second = (read(write_record(JUDGED[0].model_copy(update={"case_id": name}))) for name in "ab")
    assert (first.case_id, second.case_id) == ("a", "b")
    assert all(one is other for one, other in zip(first.fields, second.fields, strict=True))


@pytest.mark.parametrize("key", ["raters", "fields", "step_counts", "checks", "drawn"])
def test_a_damaged_round_is_refused_in_parts_too(key: str) -> None:
    read, whole = RoundReader().read, json.loads(write_record(JUDGED[0]))
    read(json.dumps(whole, separators=(",", ":")))
    rows = whole[key][0] if key == "fields" else whole
    rows["values" if key == "fields" else key] = [["one"]]
    with pytest.raises(ValidationError):
        read(json.dumps(whole, separators=(",", ":")))


def test_how_often_others_said_the_same_is_counted_pair_by_pair(team: Team) -> None:
    team.walk(walked)
    plain = [
        read_record(RatedCase, row.body) for row in team["max"].read(lambda tx: [*reviews.closed_rounds(tx)])
    ]
    assert plain == team["max"].read(lambda tx: list(rated_cases(tx)))
    for cases in (plain, JUDGED):
        pairs = [
            (rater, one == other)
            for case in cases
            for field in case.fields
            for (rater, one), (_, other) in permutations(zip(case.raters, field.values, strict=True), 2)
        ]
        said = RoundReader().count_said(map(write_record, cases))
        # A body of another writer is read as a whole, and counts as the same.
        bodies = (json.dumps(case.model_dump(mode="json"), indent=1) for case in cases)
        assert RoundReader().count_said(bodies) == said
        for person, found in agreement_by_person(said).items():
            assert found.count == sum(same for name, same in pairs if name == person)
            assert found.total == sum(name == person for name, _ in pairs)
