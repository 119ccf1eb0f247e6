"""Who is here: windows tell, others see, and nobody learns what they may not know."""

import uuid

import pytest

from annotator.project.feed import last_event
from annotator.project.people import set_active
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
