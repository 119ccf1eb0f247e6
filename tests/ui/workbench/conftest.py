"""A project with the parcel case in it, opened in the window's way."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

from scoring.model.case import Case
from tests.annotator.team import Team, team_on
from tests.ui.workbench.cases import parcel_case
from ui.operations import Operations
from ui.workbench.journal import Journal


@pytest.fixture
def team(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A founded project with its team and the parcel case."""
    with team_on(str(sqlite_path), tmp_path) as found:
        found.bring(parcel_case())
        yield found


@pytest.fixture
def operations(qtbot: QtBot, team: Team) -> Iterator[Operations]:
    """The window's way to the project, in ann's name."""
    found = Operations(retry_milliseconds=20)
    with qtbot.waitSignal(found.opened):
        found.open(team.url, "ann")
    yield found
    found.close()
    # A QObject left to the garbage collector may be collected on another test's database thread.
    shiboken6.delete(found)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A journal in a folder that is not there yet."""
    return Journal(tmp_path / "state" / "drafts")


@pytest.fixture
def parcel() -> Case:
    """The case of the project."""
    return parcel_case()
