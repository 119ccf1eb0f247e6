"""A project with the parcel case in it, opened in the window's way."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from annotator.drafts.journal import Journal
from scoring.model.case import Case
from tests.annotator.drafts.cases import parcel_case
from tests.annotator.team import Team, team_on
from tests.ui.workbench.driving import Bench
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.shell.extensions import EXTENSIONS
from ui.workbench.page import WorkbenchPage


@pytest.fixture
def team(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A founded project with its team and the parcel case."""
    with team_on(str(sqlite_path), tmp_path) as found:
        found.walk(_bring_parcel)
        yield found


def _bring_parcel(team: Team) -> None:
    team.bring(parcel_case())


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
def bench(
    qtbot: QtBot,
    light: QApplication,
    operations: Operations,
    team: Team,
    journal: Journal,
    preferences: Preferences,
) -> Iterator[Bench]:
    """The workbench in a window, in ann's name, with nothing open."""
    window = QMainWindow()
    window.resize(1380, 840)
    commands = Commands(window)
    actions = [part.case_action() for part in EXTENSIONS if part.case_action]
    page = WorkbenchPage(operations, commands, preferences, actions=actions, journal=journal)
    window.setCentralWidget(page)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield Bench(qtbot, window, page, commands, operations, team)
    with qtbot.waitSignal(operations.idle):
        page.flush()
        operations.run(_nothing)
    shiboken6.delete(window)


def _nothing(_: object) -> None:
    """Comes back when everything before it has been answered."""


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A journal in a folder that is not there yet."""
    return Journal(tmp_path / "state" / "drafts")


@pytest.fixture
def parcel() -> Case:
    """The case of the project."""
    return parcel_case()
