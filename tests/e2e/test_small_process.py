"""The whole process over the bundled samples, for who has no other data: on both databases, by hand too.

On SQLite the first batch goes through the real command; everything else through the same functions.
"""

import json
from collections.abc import Iterator
from functools import partial

import pytest

from annotator.release.runs.evaluation import load_cases
from annotator.resources import resource_path
from annotator.review.measures.progress import samples
from annotator.review.measures.rater_agreement import AgreementSlice, rated_rounds
from scoring.agreement.fields import AgreementMeasure, FieldAgreement
from scoring.agreement.rated_cases import RatedField
from scoring.model.case import Case, content_of, load_case
from scoring.model.taxonomy import Stage
from tests.e2e.by_hand import completion, edge_f1, one_dissent, wilson
from tests.e2e.planting import Plant
from tests.e2e.scripted_team import MANAGER
from tests.e2e.walking import BY_COMMAND, Plot, Walked, walk

PLANTS = {
    BY_COMMAND: {Plant.EDGE_ABOVE: 1},
    "samples": {
        Plant.COMPLETED_BELOW: 1,
        Plant.COMPLETED_ABOVE: 1,
        Plant.OUTVOTED_BELOW: 1,
        Plant.EDGE_BELOW: 1,
        Plant.RETURNED: 1,
        Plant.LATE: 1,
        Plant.MISSED_ABOVE: 2,
        Plant.MISSED_BELOW: 1,
        Plant.OVERRULED_ABOVE: 1,
        Plant.OWNER_ESCALATES: 1,
    },
}


def _right(corrections: dict[str, Case], case: Case) -> Case:
    return corrections.get(case.id, case)


def _lines(name: str) -> list[str]:
    return resource_path("samples", name).read_text(encoding="utf-8").splitlines(keepends=True)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def walked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walked]:
    """The walk over the 16 samples, once on each database."""
    folder = tmp_path_factory.mktemp("small")
    lines = _lines("cases.jsonl")
    corrections = [load_case(json.loads(line)) for line in _lines("corrections.jsonl")]
    plot = Plot(
        {BY_COMMAND: "".join(lines[:2]), "samples": "".join(lines[2:])},
        right=partial(_right, {case.id: case for case in corrections}),
        plants=PLANTS,
        policy={"sample_share": 0.3, "seed": "small-36"},
        has_commands=request.param == "sqlite",
    )
    if request.param == "sqlite":
        done = walk(plot, str(folder / "project.db"), folder)
        yield done
        done.team.close()
        return
    server = request.getfixturevalue("postgres")
    with server.database() as name:
        done = walk(plot, server.url_of(name), folder)
        yield done
        done.team.close()


def test_everything_is_released_and_ends_as_it_should(walked: Walked) -> None:
    final = {case.id: content_of(case) for case in load_cases(walked.release)}
    assert final == {case_id: content_of(truth) for case_id, truth in walked.team.truths.items()}
    assert walked.stages["stages"]["counts"] == {"final": 16}
    assert (walked.verified.code, walked.audit.code) == (0, 0)


def test_what_differs_above_the_threshold_is_escalated_and_nothing_below(walked: Walked) -> None:
    first = [one for one in rated_rounds(walked.team[MANAGER], AgreementSlice()) if one.round == 1]
    assert {one.case.case_id[:9] for one in first if one.outcome is Stage.ESCALATED} == {
        "sample-02",  # an edge: 1 of 18 fields
        "sample-03",  # a completed: 1 of 19
        "sample-10",  # an information: 1 of 18
    }
    # 1 of 20 is exactly 5 %, and so not above it.
    assert next(one.outcome for one in first if one.case.case_id == "sample-04-energy-meter") == "approved"


def test_the_error_in_the_sample_returns_the_batch(walked: Walked) -> None:
    drawn = {(one.batch, one.sequence): one for one in samples(walked.team[MANAGER])}
    assert {place: (one.population, len(one.outcomes), one.error_count) for place, one in drawn.items()} == {
        (BY_COMMAND, 1): (1, 1, 0),
        ("samples", 1): (11, 4, 1),  # 14 without 2 escalated and one its owner escalated; 30 % rounded up
        ("samples", 2): (6, 2, 0),  # the 7 others, of which one more is escalated
    }
    assert drawn["samples", 1].outcomes["sample-09-museum-sunday"] == "corrected"
    again = [one for one in rated_rounds(walked.team[MANAGER], AgreementSlice()) if one.round == 2]
    assert len(again) == 1 + 7  # the one its reviewers returned, and what was not sampled


def test_the_curve_is_the_one_worked_out_by_hand(walked: Walked) -> None:
    # Five cases have a flaw as imported. The owner of 12 escalated it: 15 are left.
    # Wrong at the task check: 05 06 07 08 09 10 11; 07 is mended at the dialogue check; after the
    # cross-check 10 is left (escalated), 09 (in the sample) and 08 (escalated in the recheck).
    curve = {
        "imported": (16 - 5, 16),
        "self_check_task": (15 - 7, 15),
        "self_check_dialogue": (15 - 6, 15),
        "cross_check": (15 - 3, 15),
        "expert": (16, 16),
    }
    points = {point["stage"]: point for point in walked.frozen["about"]["stage_accuracy"]}
    for stage, (correct, total) in curve.items():
        assert (points[stage]["correct"], points[stage]["total"]) == (correct, total)
        if stage != "expert":
            bounds = (points[stage]["low"], points[stage]["high"])
            assert bounds == pytest.approx(wilson(correct, total), abs=1e-6)
    assert walked.stages["stages"]["curve"] == list(points.values())


def test_the_coefficients_are_the_ones_worked_out_by_hand(walked: Walked) -> None:
    table = {row["field"]: FieldAgreement.model_validate(row) for row in walked.agreement}
    # 56 tasks, without the 4 of sample-12, with the 4 of sample-06 and the 23 of the recheck once more.
    tasks, edges, drawable = 56 - 4 + 4 + 23, 27 - 2 + 1 + 11, 30 - 1 + 2 + 13
    said = table[RatedField.COMPLETED].coefficients
    # 03 and 04: one of three says no; 06: both reviewers do.
    for measure, value in completion(tasks, by_one=2, by_two=1).items():
        assert said[measure].value == pytest.approx(value)
        assert said[measure].used == tasks
    # 05 and 10 in the first round, 08 and 11 in the recheck: the owner against both reviewers.
    # Nobody is asked for the first task of a case: 15 cases, 06 once more, 7 in the recheck.
    information = table[RatedField.INFORMATION].coefficients[AgreementMeasure.PERCENT]
    assert information.value == pytest.approx(one_dissent(tasks - (15 + 1 + 7), 4))
    graph = table[RatedField.GRAPH].coefficients
    assert graph[AgreementMeasure.F1].value == pytest.approx(edge_f1(edges, missing=2))  # 02 and 14
    assert graph[AgreementMeasure.EXACT_MATCH].value == pytest.approx(one_dissent(drawable, 2))
    assert graph[AgreementMeasure.F1].used == drawable
