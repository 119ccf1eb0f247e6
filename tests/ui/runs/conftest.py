"""The runs page on the sample project, in a window of its own."""

from collections.abc import Callable, Iterator, Sequence

import pytest
import shiboken6
from PySide6.QtWidgets import QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from annotator.project.people import login_name
from ui.runs.page import RunsPage
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences

Opener = Callable[..., RunsPage]


@pytest.fixture
def open_runs(qtbot: QtBot, closed_operations: Operations, preferences: Preferences) -> Iterator[Opener]:
    """Open the runs of a project in the name of its founder, who holds every role."""
    windows: list[QMainWindow] = []

    def open_(project: str, views: Sequence[tuple[str, QWidget]] = ()) -> RunsPage:
        with qtbot.waitSignal(closed_operations.opened):
            closed_operations.open(project, login_name())
        window = QMainWindow()
        windows.append(window)
        page = RunsPage(closed_operations, Commands(window), preferences, views)
        window.setCentralWidget(page)
        window.resize(1400, 860)
        window.show()
        window.activateWindow()
        qtbot.waitUntil(lambda: window.isActiveWindow() and is_quiet(closed_operations))
        return page

    yield open_
    closed_operations.close()
    for window in windows:
        shiboken6.delete(window)


def is_quiet(operations: Operations) -> bool:
    """Whether nothing is asked and no job runs."""
    return operations.pending_count == 0 and not operations.jobs
