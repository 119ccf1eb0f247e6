"""Who is here: windows tell, others see, and nobody learns what they may not know."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from annotator.project.feed import last_event
from annotator.project.people import set_active
from annotator.project.workspace import open_workspace
from annotator.review.queue.claims import claim_case
from annotator.review.queue.presence import BEAT_SECONDS, end_presence, list_present, tell_presence
from scoring.errors import ForbiddenError
from tests.annotator.team import Team, two_step_case

A, B = (str(uuid.UUID(int=number)) for number in (1, 2))


def _seen(team: Team, name: str) -> list[tuple[str, str | None]]:
    return [(row.person, row.case_id) for row in list_present(team[name])]


def test_what_a_window_tells_is_seen_by_others_and_writes_no_event(team: Team) -> None:
    team.bring(two_step_case())
    before = last_event(team["max"])
    tell_presence(team["ann"], window=A, case_id=None)
    tell_presence(team["bob"], window=B, case_id="c-1")
    assert _seen(team, "max") == [("ann", None), ("bob", "c-1")]
    tell_presence(team["ann"], window=A, case_id="c-1")
    tell_presence(team["bob"], window=B, case_id="no such case")
    assert _seen(team, "max") == [("ann", "c-1"), ("bob", None)]
    end_presence(team["bob"], window=B)
    assert _seen(team, "max") == [("ann", "c-1")]
    assert last_event(team["max"]) == before


def test_a_window_that_was_killed_is_gone_after_a_while_and_one_that_beats_is_not(team: Team) -> None:
    tell_presence(team["ann"], window=A, case_id=None)
    tell_presence(team["bob"], window=B, case_id=None)
    began = list_present(team["bob"])[1].since
    for _ in range(3):
        team.clock.forward(seconds=BEAT_SECONDS)
        tell_presence(team["bob"], window=B, case_id=None)
    assert _seen(team, "max") == [("bob", None)]
    assert list_present(team["bob"])[0].since == began  # a beat does not begin anew


def test_a_blind_reviewer_is_not_told_who_looks_at_the_case(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    tell_presence(team["ann"], window=A, case_id="c-1")
    claim_case(team["bob"], "c-1")
    tell_presence(team["bob"], window=B, case_id="c-1")
    assert _seen(team, "bob") == [("ann", None), ("bob", "c-1")]  # one's own windows are no secret
    assert _seen(team, "max") == [("ann", "c-1"), ("bob", "c-1")]


def test_whoever_was_disabled_tells_nothing_more(team: Team) -> None:
    tell_presence(team["ann"], window=A, case_id=None)
    set_active(team["max"], "ann", active=False)
    with pytest.raises(ForbiddenError):
        tell_presence(team["ann"], window=A, case_id=None)
    assert _seen(team, "max") == []


def test_a_window_that_was_forgotten_while_its_computer_slept_is_back_with_its_next_word(team: Team) -> None:
    tell_presence(team["ann"], window=A, case_id=None)
    team.clock.forward(hours=1)
    tell_presence(team["bob"], window=B, case_id=None)
    assert _seen(team, "max") == [("bob", None)]
    tell_presence(team["ann"], window=A, case_id=None)
    assert _seen(team, "max") == [("ann", None), ("bob", None)]


def test_windows_that_wake_up_together_forget_and_tell_without_a_failure(team: Team) -> None:
    """Each finds the others' rows old and deletes them, while these are written anew."""
    names = [name for name in ("ann", "bob", "cleo", "dan") for _ in range(5)]
    spaces = [open_workspace(team.url, name) for name in names]  # by the real clock, each on its connection
    windows = [f"w-{number}" for number in range(len(spaces))]

    def sleep_and_wake(number: int) -> None:
        for _ in range(10):
            tell_presence(spaces[number], window=windows[number], case_id=None)

    for number, _ in enumerate(spaces):
        tell_presence(team["max"], window=windows[number], case_id=None)  # by the team's clock: long ago
    with ThreadPoolExecutor(len(spaces)) as pool:
        list(pool.map(sleep_and_wake, range(len(spaces))))
    try:
        assert sorted(row.window for row in list_present(spaces[0])) == sorted(windows)
    finally:
        for space in spaces:
            space.close()
