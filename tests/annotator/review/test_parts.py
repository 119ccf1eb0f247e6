"""Parts of a batch: a few late cases do not hold up the sample of the others, and get one of their own."""

import pytest

from annotator.release.quality import quality
from annotator.review.batches import finished_count
from annotator.review.expert.decisions import Decision, Own
from annotator.review.measures.progress import samples
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.case_rows import batches, list_cases
from db.read.rows import CaseFilter
from scoring.model.taxonomy import Stage, Verdict
from tests.annotator.team import Team, two_step_case

APPROVE = Decision(verdict=Verdict.APPROVE)
CORRECT = Decision(fields={"task.0.edge.0-1": Own(own="parameter")}, verdict=Verdict.APPROVE)


def _begin(team: Team, count: int, *settings: str) -> list[str]:
    """A batch of new cases whose owners' word makes them approved."""
    change_review_policy(team["max"], ("cross_check=false", *settings))
    ids = [f"c-{i:02d}" for i in range(count)]
    team.bring(*map(two_step_case, ids))
    return ids


def _approve(team: Team, case_ids: list[str]) -> None:
    for case_id in case_ids:
        team.check_once("ann", case_id)


def _at(team: Team, stage: Stage) -> list[str]:
    return [row.case_id for row in list_cases(team["max"], CaseFilter(stages=(stage,), order="case"))]


def _decide_all(team: Team) -> None:
    for case_id in _at(team, Stage.EXPERT):
        team.decide(case_id, APPROVE)


def _populations(team: Team) -> list[tuple[int, int]]:
    return [(sample.population, len(sample.outcomes)) for sample in samples(team["max"])]


def test_a_late_case_holds_up_the_others_no_more_and_is_sampled_by_itself(team: Team) -> None:
    ids = _begin(team, 12, "late_share=10%")
    _approve(team, ids[:10])
    assert _populations(team) == []  # 2 of 12 are 17 %
    _approve(team, ids[10:11])
    assert _populations(team) == [(11, 2)]  # 1 of 12 is 8 %
    assert finished_count(batches(team["max"])[0]) == 0  # they wait for the expert, not for the late one
    _decide_all(team)
    assert (_at(team, Stage.FINAL), team.stage(ids[11])) == (ids[:11], Stage.IMPORTED)
    found = quality(team["max"])
    assert (found.unsampled, found.bound.cases) == (0, 9)
    _approve(team, ids[11:])
    assert _populations(team) == [(11, 2), (1, 1)]
    # What is final by the first part says nothing about the case that came later.
    found = quality(team["max"])
    assert (found.unsampled, found.bound.cases, found.open_samples) == (1, 10, 1)
    _decide_all(team)
    assert _at(team, Stage.FINAL) == ids


def test_the_late_ones_are_no_crumbs_one_by_one(team: Team) -> None:
    ids = _begin(team, 24, "late_share=20%")
    _approve(team, ids[:20])
    assert _populations(team) == [(20, 2)]  # 4 of 24; drawn at the 20th: 5 of 24 are 21 %
    _decide_all(team)
    _approve(team, ids[20:23])
    assert _populations(team) == [(20, 2)]  # 1 of 4 is 25 %: the part that is final does not count
    _approve(team, ids[23:])
    assert _populations(team) == [(20, 2), (4, 1)]


def test_an_error_sends_back_its_own_part_alone(team: Team) -> None:
    ids = _begin(team, 12, "late_share=10%")
    _approve(team, ids[:11])
    change_review_policy(team["max"], ("cross_check=true",))
    team.self_check("ann", ids[11])
    for name in ("bob", "cleo"):
        team.cross_check(name, ids[11])
    assert team.stage(ids[11]) is Stage.APPROVED
    first, second = _at(team, Stage.EXPERT)
    team.decide(first, CORRECT)
    team.decide(second, APPROVE)
    assert len(_at(team, Stage.CROSS_CHECK)) == 9
    assert _at(team, Stage.APPROVED) == [ids[11]]  # it waits for the next part: 9 of 10 are late now


@pytest.mark.parametrize(
    ("settings", "population"),
    [
        (("late_share=50%", "sample_minimum=5"), 6),  # of 5 the expert would look at every one
        (("late_share=0",), 10),
        (("late_share=50%", "sampling=rounds"), 10),
    ],
)
def test_nothing_is_drawn_before_its_time(team: Team, settings: tuple[str, ...], population: int) -> None:
    ids = _begin(team, 10, *settings)
    _approve(team, ids[: population - 1])
    assert _populations(team) == []
    _approve(team, ids[population - 1 : population])
    assert [of for of, _ in _populations(team)] == [population]


def test_a_share_set_later_draws_what_waits(team: Team) -> None:
    ids = _begin(team, 4)
    _approve(team, ids[:3])
    assert _populations(team) == []
    change_review_policy(team["max"], ("late_share=25%",))
    assert _populations(team) == [(3, 1)]
