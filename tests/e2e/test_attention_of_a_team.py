"""Ten people review the 213 real cases: attention tells the three hasty ones apart."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from annotator.cases.history import mark_gold
from annotator.jobs import JobContext
from annotator.project.policy import ReviewPolicy
from annotator.release.freeze import freeze
from annotator.release.manifest import Manifest
from annotator.release.quality import quality
from annotator.release.runs.evaluation import load_cases
from annotator.review.measures.attention import Attention, CatchRate, attention
from annotator.review.measures.progress import stage_report
from annotator.review.measures.workload import workloads
from annotator.review.policy_changes import replace_review_policy
from scoring.model.case import content_of
from scoring.model.taxonomy import Stage
from tests.e2e.known_answer_team import BATCHES, CAREFUL, GOLD_BATCHES, HASTY, KnownAnswerTeam, found_team
from tests.e2e.scripted_team import ANNOTATORS, EXPERTS, MANAGER
from tests.shared import needs_shared

pytestmark = [pytest.mark.shared, needs_shared, pytest.mark.slow]

SHARE = 0.25
"""Of the new cases: about 20 known-answer cases each."""


@dataclass(frozen=True)
class Reviewed:
    """What the review left behind."""

    team: KnownAnswerTeam
    attention: Attention
    manifest: Manifest
    release: Path

    def overall(self, *names: str) -> list[CatchRate]:
        """The rates of some people over all categories."""
        return [one for one in self.attention.rates if one.kind is None and one.person in names]


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reviewed]:
    """The whole review, once for all the tests of this module.

    In a project file: on PostgreSQL works `test_whole_process`.
    """
    folder = tmp_path_factory.mktemp("attention")
    team = found_team(str(folder / "attention.db"), folder, policy=ReviewPolicy(seed="attention-16"))
    gold = [case_id for batch in GOLD_BATCHES for case_id in team.bring(batch)]
    team.work()
    for case_id in gold:
        mark_gold(team[EXPERTS[0]], case_id, gold=True)
    replace_review_policy(team[MANAGER], ReviewPolicy(seed="attention-16", attention_share=SHARE))
    for batch in BATCHES:
        if batch not in GOLD_BATCHES:
            team.bring(batch)
            team.work()
    release = folder / "release"
    manifest = freeze(team[MANAGER], "r1", directory=release, context=JobContext()).value
    yield Reviewed(team, attention(team[MANAGER]), manifest, release)
    team.close()


def test_the_intervals_of_the_hasty_lie_below_those_of_the_careful(reviewed: Reviewed) -> None:
    lines = [f"{'person':8} {'':8} caught    n   95 % interval"]
    for one in reviewed.overall(*ANNOTATORS):
        assert one.interval is not None
        who = "hasty" if one.person in HASTY else "careful"
        share = f"{one.caught.value or 0:6.1%} {one.caught.total:4}"
        lines.append(f"{one.person:8} {who:8} {share}   {one.interval.low:.2f} to {one.interval.high:.2f}")
    print("", *lines, quality(reviewed.team[MANAGER]).headline, sep="\n")  # noqa: T201 (what this is run for)
    hasty = [one.interval.high for one in reviewed.overall(*HASTY) if one.interval]
    careful = [one.interval.low for one in reviewed.overall(*CAREFUL) if one.interval]
    assert (len(hasty), len(careful)) == (3, 4)
    assert max(hasty) < min(careful)
    assert {one.person for one in reviewed.attention.rates if one.is_below} == set(HASTY)


def test_a_careful_look_at_a_copy_catches_whatever_was_planted(reviewed: Reviewed) -> None:
    assert reviewed.team.looked
    told = {(one.person, one.case_id): one for one in reviewed.attention.told}
    missed = [told[key].planted for key in reviewed.team.looked if not told[key].is_caught]
    assert missed == []
    unseen = [one.planted for key, one in told.items() if key not in reviewed.team.looked and one.is_caught]
    assert unseen == []


def test_every_kind_of_defect_was_planted_and_none_was_revealed_by_a_gate(reviewed: Reviewed) -> None:
    kinds = {one.kind for one in reviewed.attention.rates}
    assert len(kinds - {None}) >= 5
    assert reviewed.attention.dropped_count == 0
    assert len(reviewed.attention.told) == len(reviewed.team.copies)


def test_all_213_cases_are_released_and_no_copy_is(reviewed: Reviewed) -> None:
    assert reviewed.manifest.content.case_count == 213
    assert stage_report(reviewed.team[MANAGER]).counts == {Stage.RELEASED: 213}
    released = {case.id: content_of(case) for case in load_cases(reviewed.release)}
    truths = {case_id: content_of(case) for case_id, case in reviewed.team.truths.items()}
    assert released == truths


def test_who_submits_faster_than_anyone_reads_is_counted_and_the_careful_are_not(reviewed: Reviewed) -> None:
    hasty = {one.person: one.hasty for one in workloads(reviewed.team[MANAGER]) if one.person in ANNOTATORS}
    assert all(hasty[name] > 0 for name in HASTY)
    assert all(hasty[name] == 0 for name in CAREFUL)
