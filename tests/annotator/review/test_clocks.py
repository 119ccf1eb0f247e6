"""Computers whose clocks are wrong: no lease is stolen, none lasts for ever, and events keep their order."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from annotator.project.workspace import open_workspace
from annotator.review.queue.claims import claim_case, claim_next, keep_alive, leave
from db.read import assignments, reviews
from tests.annotator.team import Team, team_on, two_step_case
from tests.shared import ROOT

_WRONG_CLOCK = """
import datetime, json, sys, time
true, seconds = datetime.datetime, 3600 * float(sys.argv[3])

class Kind(type):
    def __instancecheck__(cls, value):
        return isinstance(value, true)

class Wrong(true, metaclass=Kind):
    @classmethod
    def now(cls, tz=None):
        return true.now(tz) + datetime.timedelta(seconds=seconds)

datetime.datetime, right = Wrong, time.time
time.time = lambda: right() + seconds
from annotator.project.workspace import open_workspace
from annotator.review.queue.claims import claim_next
workspace = open_workspace(sys.argv[1], sys.argv[2])
held = claim_next(workspace).value
workspace.close()
said = {"case": held.case_id, "until": held.lease_until.isoformat(), "now": Wrong.now().timestamp()}
print(json.dumps(said))
"""


@pytest.mark.parametrize("hours", [2, -2])
def test_on_a_server_a_workstations_wrong_clock_changes_nothing(
    postgres_url: str, tmp_path: Path, hours: int
) -> None:
    with team_on(postgres_url, tmp_path) as team:
        team.bring(two_step_case("c-1"), two_step_case("c-2"))
    ann = open_workspace(postgres_url, "ann")
    try:
        held = claim_case(ann, "c-1").value
        done = subprocess.run(
            [sys.executable, "-c", _WRONG_CLOCK, postgres_url, "bob", str(hours)],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
        leave(ann, held.id, skip=False)
        said = json.loads(done.stdout)
        now = datetime.now(UTC)
        assert abs(said["now"] - now.timestamp() - 3600 * hours) < 300  # the clock was wrong indeed
        assert said["case"] == "c-2"  # ann's lease did not end because of it
        until = datetime.fromisoformat(said["until"])
        assert now + timedelta(minutes=50) < until < now + timedelta(minutes=61)
        told = ann.read(lambda tx: reviews.events_of(tx, ["case:c-1", "case:c-2"]))
        assert [event.actor for event in told] == ["ann", "bob", "ann"]
        times = [event.at for event in reversed(told)]
        assert times == sorted(times)
    finally:
        ann.close()


def test_a_lease_from_a_clock_that_ran_ahead_ends_one_lease_after_it_was_put_right(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    team.clock.forward(hours=48)
    held = claim_case(team["ann"], "c-1").value
    team.clock.forward(hours=-48)
    other = claim_next(team["bob"]).value
    assert other is not None
    assert other.case_id == "c-2"
    ahead = team["max"].read(lambda tx: assignments.find_assignment(tx, held.id))
    assert ahead is not None
    assert ahead.lease_until <= team.clock() + timedelta(minutes=60)
    team.clock.forward(minutes=55)
    keep_alive(team["bob"], other.id)
    team.clock.forward(minutes=6)
    handed_on = claim_next(team["cleo"]).value
    assert handed_on is not None
    assert handed_on.case_id == "c-1"


def test_whoever_works_on_when_a_late_clock_is_put_right_keeps_the_case(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    held = claim_case(team["ann"], "c-1").value
    team.clock.forward(hours=2)
    keep_alive(team["ann"], held.id)
    other = claim_next(team["bob"]).value
    assert other is not None
    assert other.case_id == "c-2"
