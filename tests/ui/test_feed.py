"""Two windows on one project: what one does is shown in the other, without F5."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

from annotator.project.changes import Changes
from annotator.project.people import add_person
from annotator.review.queue.claims import claim_case
from scoring.model.taxonomy import Role
from tests.annotator.team import Team, team_on, two_step_case
from ui.services.operations import Operations, ProjectFeed


@pytest.fixture
def team(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A founded project with one case."""
    with team_on(str(sqlite_path), tmp_path) as found:
        found.bring(two_step_case())
        yield found


@pytest.fixture
def followed(qtbot: QtBot, team: Team) -> Iterator[Operations]:
    """The way of bob's window to the project, followed."""
    found = Operations(retry_milliseconds=20)
    ProjectFeed(found, parent=found)
    with qtbot.waitSignal(found.opened):
        found.open(team.url, "bob")
    qtbot.waitUntil(lambda: found.pending_count == 0)
    yield found
    found.close()
    shiboken6.delete(found)


def test_what_others_do_is_told(qtbot: QtBot, team: Team, followed: Operations) -> None:
    told: list[Changes] = []
    followed.changed.connect(lambda changes, _: told.append(changes))
    claim_case(team["ann"], "c-1")
    qtbot.waitUntil(lambda: Changes(case_ids=frozenset({"c-1"})) in told, timeout=10_000)


def test_what_one_did_oneself_is_told_once(qtbot: QtBot, team: Team, followed: Operations) -> None:
    told: list[Changes] = []
    followed.changed.connect(lambda changes, _: told.append(changes))
    followed.run(partial(claim_case, case_id="c-1"))
    qtbot.waitUntil(lambda: bool(told))
    add_person(team["max"], "new", roles=(Role.EXPERT,))
    qtbot.waitUntil(lambda: any(changes.has_people for changes in told), timeout=10_000)
    assert told == [Changes(case_ids=frozenset({"c-1"})), Changes(has_people=True)]


def test_a_closed_window_leaves_no_thread(qtbot: QtBot, team: Team) -> None:
    operations = Operations(retry_milliseconds=20)
    feed = ProjectFeed(operations, parent=operations)
    with qtbot.waitSignal(operations.opened):
        operations.open(team.url, "bob")
    operations.close()
    assert feed.is_closed
    shiboken6.delete(operations)
