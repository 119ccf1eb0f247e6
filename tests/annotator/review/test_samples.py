"""The expert's sample: how many, which, and what its outcome does to the batch."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.review.batches import return_batch
from annotator.review.expert.decisions import Decision, Own
from annotator.review.measures.progress import samples
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.case_rows import batches, list_cases
from annotator.review.queue.claims import claim_next
from annotator.review.samples import draw_strata, sample_size
from db.read.rows import CaseFilter, CaseRow
from scoring.errors import ForbiddenError, InputError
from scoring.model.taxonomy import Stage, Verdict
from tests.annotator.team import START, Team, two_step_case


def _approve_all(team: Team, count: int) -> list[str]:
    ids = [f"c-{i:02d}" for i in range(count)]
    team.bring(*map(two_step_case, ids))
    for case_id in ids:
        team.self_check("ann", case_id)
    for case_id in ids:
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id)
    return ids


def _at(team: Team, stage: Stage) -> list[str]:
    return [row.case_id for row in list_cases(team["max"], CaseFilter(stages=(stage,), order="case"))]


def test_a_clean_sample_lets_the_whole_batch_through(team: Team) -> None:
    team.walk(_approve_all, 12)
    # 10 % of 12 rounded up = 2
    assert (len(_at(team, Stage.EXPERT)), len(_at(team, Stage.APPROVED))) == (2, 10)
    for case_id in _at(team, Stage.EXPERT):
        team.decide(case_id, Decision(verdict=Verdict.APPROVE))
    assert len(_at(team, Stage.FINAL)) == 12


def test_an_error_in_the_sample_sends_the_unsampled_rest_to_other_reviewers(team: Team) -> None:
    team.walk(_approve_all, 12)
    first, second = _at(team, Stage.EXPERT)
    team.decide(first, Decision(verdict=Verdict.APPROVE))
    kind: dict[str, str | Own] = {"task.0.edge.0-1": Own(own="parameter")}
    assert team.decide(second, Decision(fields=kind, verdict=Verdict.APPROVE)).is_correction
    assert sorted(_at(team, Stage.FINAL)) == sorted([first, second])
    assert len(_at(team, Stage.CROSS_CHECK)) == 10
    assert [sample.status for sample in samples(team["max"])] == ["corrected"]
    assert claim_next(team["bob"], stage=Stage.CROSS_CHECK).value is None
    held = claim_next(team["dan"], stage=Stage.CROSS_CHECK).value
    assert held is not None
    assert held.round == 2


def test_the_sample_waits_for_the_whole_batch(team: Team) -> None:
    ids = _approve_all(team, 2)
    assert samples(team["max"])[0].population == 2
    team.bring(two_step_case("late-1"), two_step_case("late-2"), batch="b2")
    team.self_check("ann", "late-1")
    team.cross_check("bob", "late-1")
    team.cross_check("cleo", "late-1")
    assert team.stage("late-1") is Stage.APPROVED
    assert len(samples(team["max"])) == 1
    assert len(ids) == 2


def test_a_batch_above_the_threshold_is_flagged(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    assert [batch.is_flagged for batch in batches(team["max"])] == [True]


def test_solo_needs_one_person_from_import_to_final(team: Team) -> None:
    change_review_policy(team["max"], ("solo=true",))
    team.bring(two_step_case())
    assert team.self_check("max", "c-1").stage is Stage.FINAL


def test_without_cross_check_the_sample_is_all_there_is(team: Team) -> None:
    change_review_policy(team["max"], ("cross_check=false",))
    team.bring(two_step_case())
    assert team.self_check("ann", "c-1").stage is Stage.EXPERT


def test_without_a_sample_agreement_makes_final(team: Team) -> None:
    change_review_policy(team["max"], ("expert_sample=false",))
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    assert team.cross_check("cleo", "c-1").stage is Stage.FINAL


def test_a_policy_that_does_not_fit_is_refused_with_the_keys_there_are(team: Team) -> None:
    with pytest.raises(InputError, match="not a setting"):
        change_review_policy(team["max"], ("speed=9",))
    with pytest.raises(InputError, match="reviewers does not fit"):
        change_review_policy(team["max"], ("reviewers=9",))
    with pytest.raises(ForbiddenError, match="not a manager"):
        change_review_policy(team["ann"], ("solo=true",))


def test_a_returned_batch_goes_back_to_its_owners(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    team.self_check("ann", "c-1")
    assert return_batch(team["max"], "b1", reason="wrong guidelines").value == 1
    assert (team.stage("c-1"), team.stage("c-2")) == (Stage.RETURNED, Stage.IMPORTED)
    held = claim_next(team["ann"]).value
    assert held is not None
    assert (held.case_id, held.round) == ("c-1", 2)


@pytest.mark.parametrize(
    ("count", "share", "minimum", "expected"),
    [
        (12, 0.1, 1, 2),
        (10, 0.1, 1, 1),
        (11, 0.1, 1, 2),
        (3, 0.1, 1, 1),
        (3, 0.0, 0, 0),
        (2, 0.1, 5, 2),
        (0, 0.1, 1, 0),
    ],
)
def test_the_sample_is_the_share_rounded_up(count: int, share: float, minimum: int, expected: int) -> None:
    assert sample_size(count, share=share, minimum=minimum) == expected


def _row(number: int, policy: str) -> CaseRow:
    return CaseRow(
        pk=number,
        case_id=f"c-{number:03d}",
        batch="b",
        batch_id=1,
        stage=Stage.APPROVED,
        version=1,
        round=1,
        owner=None,
        owner_id=None,
        head_id=1,
        sha256="",
        task_count=1,
        policies=(policy,),
        informations=("first",),
        finding_count=0,
        error_count=0,
        rules=(),
        request="",
        is_gold=False,
        changed_at=START,
        note="",
    )


def draw(rows: Sequence[CaseRow], *, size: int, seed: str) -> list[CaseRow]:
    """The cases of all strata that are drawn."""
    return [row for one in draw_strata(rows, size=size, seed=seed) for row in one.drawn]


@given(
    policies=st.lists(st.sampled_from(["single", "chat", "clarify"]), min_size=1, max_size=60),
    seed=st.text(max_size=5),
    data=st.data(),
)
def test_a_draw_is_reproducible_and_proportional(policies: list[str], seed: str, data: st.DataObject) -> None:
    rows = [_row(i, policy) for i, policy in enumerate(policies)]
    size = data.draw(st.integers(min_value=1, max_value=len(rows)))
    drawn = draw(rows, size=size, seed=seed)
    assert drawn == draw(list(reversed(rows)), size=size, seed=seed)
    assert len(set(drawn)) == size
    for policy in set(policies):
        ideal = size * policies.count(policy) / len(rows)
        assert abs(sum(row.policies == (policy,) for row in drawn) - ideal) < 1


def test_every_case_is_drawn_with_the_same_probability_however_small_its_stratum() -> None:
    # 3 of 20: 0.15 each. Over 2,000 seeds the deviation is 0.008 (sqrt(0.15 * 0.85 / 2000)), four of
    # which are allowed. By largest remainder the case alone in its stratum would never be drawn.
    kinds = ["single"] * 13 + ["chat"] * 4 + ["clarify"] * 2 + ["multi_mixed"]
    rows = [_row(i, kind) for i, kind in enumerate(kinds)]
    seeds = 2000
    counts = Counter(row.pk for seed in range(seeds) for row in draw(rows, size=3, seed=str(seed)))
    assert all(abs(counts[row.pk] / seeds - 0.15) < 0.032 for row in rows)
