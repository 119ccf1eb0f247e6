"""Slots on known-answer cases and on cases are numbered as one, on both databases and across a restore."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from annotator.cases.history import add_comment, comments_of, mark_gold
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Workspace, open_workspace
from annotator.review.queue.claims import claim_case, claim_next, leave
from db.care.copies import backup_project, restore_project
from db.read.known_answers import copies_of
from tests.annotator.team import Team, team_on, two_round_case

HALF = ReviewPolicy(attention_share=0.5, cross_check=False, expert_sample=False)


def _begin(team: Team) -> None:
    team.bring(*(two_round_case(f"c-{number}") for number in range(1, 6)))
    team.self_check("ann", "c-1")
    mark_gold(team["eve"], "c-1", gold=True)


@pytest.fixture
def team(store_url: str, tmp_path: Path) -> Iterator[Team]:
    """A project where c-1 is gold and others wait."""
    with team_on(store_url, tmp_path, policy=HALF) as found:
        found.walk(_begin)
        yield found


def test_a_copy_takes_a_number_that_no_other_slot_has(team: Team) -> None:
    before = claim_case(team["dan"], "c-5").value
    copy = claim_next(team["bob"]).value
    other = claim_next(team["cleo"]).value
    after = claim_case(team["ann"], "c-4").value
    assert copy is not None
    assert other is not None
    assert copy.case_pk == other.case_pk == 0
    numbers = [before.id, copy.id, other.id, after.id]
    assert numbers == list(range(before.id, before.id + 4))


def test_numbers_go_on_behind_a_copy_after_a_restore(team: Team, vacant_url: str, tmp_path: Path) -> None:
    copy = claim_next(team["bob"]).value
    assert copy is not None
    backup_project(team.url, tmp_path / "saved.db")
    restore_project(tmp_path / "saved.db", vacant_url)
    restored = open_workspace(vacant_url, "bob", clock=team.clock)
    again = claim_next(restored).value
    assert again is not None
    assert again.id == copy.id
    leave(restored, again.id, skip=True, reason="enough")
    real = claim_next(restored).value
    restored.close()
    assert real is not None
    assert (real.case_id, real.id) == ("c-2", copy.id + 1)


def test_windows_of_one_person_that_ask_at_once_get_the_same_copy(team: Team) -> None:
    windows = [open_workspace(team.url, "bob") for _ in range(6)]
    together = Barrier(len(windows))

    def take(workspace: Workspace) -> int:
        together.wait()
        held = claim_next(workspace).value
        assert held is not None
        return held.id

    with ThreadPoolExecutor(len(windows)) as pool:
        taken = set(pool.map(take, windows))
    held = team["bob"].read(lambda tx: copies_of(tx, team["bob"].person.id, ("claimed",)))
    for workspace in windows:
        workspace.close()
    assert {copy.id for copy in held} == taken
    assert len(taken) == 1


def test_the_id_of_a_copy_stays_its_own_while_it_is_held_though_a_case_of_that_id_comes(team: Team) -> None:
    copy = claim_next(team["bob"]).value
    assert copy is not None
    team.bring(two_round_case(copy.case_id), batch="b2")
    assert claim_case(team["bob"], copy.case_id).value.id == copy.id
    add_comment(team["bob"], copy.case_id, where="case", text="odd")
    assert comments_of(team["ann"], copy.case_id) == ()
    assert claim_case(team["ann"], copy.case_id).value.case_pk > 0
    leave(team["bob"], copy.id, skip=True, reason="enough")
    assert comments_of(team["bob"], copy.case_id) == ()
