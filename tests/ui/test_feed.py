"""Two windows on one project: what one does is shown in the other, without F5."""

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

from annotator.project.changes import Changes
from annotator.project.people import add_person
from annotator.review.queue.claims import claim_case
from db.care.upgrade import create_project
from scoring.errors import StoreError
from scoring.model.taxonomy import Role
from tests.annotator.team import Team, team_on, two_step_case
from ui.services.feed import ProjectFeed
from ui.services.operations import Operations


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
    qtbot.waitUntil(lambda: Changes(case_ids=frozenset({"c-1"})) in told)


def test_what_one_did_oneself_is_told_once(qtbot: QtBot, team: Team, followed: Operations) -> None:
    told: list[Changes] = []
    followed.changed.connect(lambda changes, _: told.append(changes))
    followed.run(partial(claim_case, case_id="c-1"))
    qtbot.waitUntil(lambda: bool(told))
    add_person(team["max"], "new", roles=(Role.EXPERT,))
    qtbot.waitUntil(lambda: any(changes.has_people for changes in told))
    assert told == [Changes(case_ids=frozenset({"c-1"})), Changes(has_people=True)]


def test_what_was_noticed_during_an_outage_is_told_behind_it(qtbot: QtBot, team: Team) -> None:
    operations = Operations(retry_milliseconds=2500)  # longer than the feed takes to notice
    ProjectFeed(operations, parent=operations)
    with qtbot.waitSignal(operations.opened):
        operations.open(team.url, "bob")
    qtbot.waitUntil(lambda: operations.pending_count == 0)
    told: list[Changes] = []
    operations.changed.connect(lambda changes, _: told.append(changes))
    with qtbot.waitSignal(operations.connection_lost):
        operations.run(_fail, failed=lambda _: None)
    claim_case(team["ann"], "c-1")
    with qtbot.waitSignal(operations.restored):
        assert told == []
    qtbot.waitUntil(lambda: any(changes.has_case("c-1") for changes in told))
    operations.close()
    shiboken6.delete(operations)


def _fail(_: object) -> None:
    raise StoreError("The server is gone.", "Try again.")


def test_another_project_is_followed_from_its_own_events(
    qtbot: QtBot, team: Team, followed: Operations, tmp_path: Path
) -> None:
    for number in range(5):
        add_person(team["max"], f"new-{number}", roles=(Role.EXPERT,))
    other = tmp_path / "other"
    other.mkdir()
    create_project(str(other / "other.db"))
    with team_on(str(other / "other.db"), other) as second:
        second.bring(two_step_case())
        add_person(team["max"], "noticed-while-leaving", roles=(Role.EXPERT,))
        with qtbot.waitSignal(followed.opened):
            followed.open(second.url, "bob")
        qtbot.waitUntil(lambda: followed.pending_count == 0)
        told: list[Changes] = []
        followed.changed.connect(lambda changes, _: told.append(changes))
        claim_case(second["ann"], "c-1")
        qtbot.waitUntil(lambda: any(changes.has_case("c-1") for changes in told))


def test_a_closed_window_leaves_no_thread(qtbot: QtBot, team: Team) -> None:
    operations = Operations(retry_milliseconds=20)
    others = set(threading.enumerate())
    ProjectFeed(operations, parent=operations)
    with qtbot.waitSignal(operations.opened):
        operations.open(team.url, "bob")
    [watching] = [one for one in threading.enumerate() if one.name == "feed" and one not in others]
    operations.close()
    watching.join(60)
    assert not watching.is_alive()
    shiboken6.delete(operations)
