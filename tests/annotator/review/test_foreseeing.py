"""Looking ahead: it says what a claim then brings, and leaves everything as it is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.review.claiming import claim_next, leave
from annotator.review.drafts import DraftBody, open_assignment, save_draft
from annotator.review.foreseeing import Foreseen, foresee_next
from annotator.review.waiting import waiting_for
from scoring.model.taxonomy import Stage
from tests.annotator.team import Team, team_on, two_step_case

STAGES = (Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE, Stage.CROSS_CHECK)


@pytest.fixture
def team(store_url: str, tmp_path: Path) -> Iterator[Team]:
    """A team with two cases, on each database."""
    with team_on(store_url, tmp_path) as found:
        found.bring(two_step_case("c-1"), two_step_case("c-2"))
        yield found


def foreseen_by(team: Team, person: str, besides: str | None = None) -> Foreseen:
    found = foresee_next(team[person], stages=STAGES, besides=besides)
    assert found is not None
    return found


def test_what_is_foreseen_is_what_the_claim_brings(team: Team) -> None:
    seen = foreseen_by(team, "ann")
    held = claim_next(team["ann"], stage=seen.stage).value
    assert held is not None
    opened = open_assignment(team["ann"], held.id)
    assert (seen.case_id, seen.stage, seen.head_id) == (held.case_id, held.stage, opened.row.head_id)
    assert (seen.base, seen.beginning.template) == (opened.base, opened.template)


def test_looking_claims_nothing(team: Team) -> None:
    before = waiting_for(team["bob"])
    foreseen_by(team, "ann")
    assert waiting_for(team["bob"]) == before
    assert foreseen_by(team, "bob").case_id == "c-1"


def test_the_case_one_works_on_counts_as_done(team: Team) -> None:
    held = claim_next(team["ann"]).value
    assert held is not None
    assert foreseen_by(team, "ann").case_id == held.case_id
    assert foreseen_by(team, "ann", besides=held.case_id).case_id == "c-2"


def test_a_draft_left_behind_is_foreseen_too(team: Team) -> None:
    held = claim_next(team["ann"]).value
    assert held is not None
    opened = open_assignment(team["ann"], held.id)
    said = opened.template.model_copy(update={"seconds": 7.0})
    body = DraftBody(case=opened.base, judgment=said)
    save_draft(team["ann"], held.id, body=body, sequence=0)
    leave(team["ann"], held.id, skip=False)
    draft = foreseen_by(team, "ann").beginning.draft
    assert draft is not None
    assert draft.judgment.seconds == 7.0


def test_a_cross_check_is_foreseen_blind(team: Team) -> None:
    team.self_check("ann", "c-1")
    team.self_check("ann", "c-2")
    seen = foreseen_by(team, "bob")
    assert seen.stage is Stage.CROSS_CHECK
    assert [task.policy for task in seen.base.tasks] == [None]
    assert not seen.base.tasks[0].drawn_edges


def test_where_nothing_waits_nothing_is_foreseen(team: Team) -> None:
    assert foresee_next(team["ann"], stages=(Stage.CROSS_CHECK,)) is None
