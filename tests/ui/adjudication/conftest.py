"""A dispute in a project, and the adjudication page in a window in front of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from annotator.drafts.journal import Journal
from tests.annotator.team import Team, team_on
from tests.ui.adjudication.driving import Court
from ui.adjudication.page import AdjudicationPage
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences


@pytest.fixture
def team(request: pytest.FixtureRequest, sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A founded project with its team; as a parameter a test names what it did before the window opens."""
    with team_on(str(sqlite_path), tmp_path) as found:
        if hasattr(request, "param"):
            found.walk(request.param)
        yield found


@pytest.fixture
def court(
    qtbot: QtBot, light: QApplication, team: Team, preferences: Preferences, tmp_path: Path
) -> Iterator[Court]:
    """The page in a window, in eve's name."""
    operations = Operations(retry_milliseconds=20)
    with qtbot.waitSignal(operations.opened):
        operations.open(team.url, "eve")
    window = QMainWindow()
    window.resize(1380, 840)
    commands = Commands(window)
    page = AdjudicationPage(operations, commands, preferences, journal=Journal(tmp_path / "state" / "drafts"))
    window.setCentralWidget(page)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield Court(qtbot, window, page, operations, team)
    with qtbot.waitSignal(operations.idle):
        page.flush()
        operations.run(_nothing)
    shiboken6.delete(window)
    operations.close()
    # A QObject left to the garbage collector may be collected on another test's database thread.
    shiboken6.delete(operations)


def _nothing(_: object) -> None:
    """Comes back when everything before it has been answered."""
