"""The queue page on the sample project, in a window of its own."""

from collections.abc import Callable, Iterator

import pytest
import shiboken6
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from tests.ui.settling import is_settled
from ui.queue.page import QueuePage
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences

Opener = Callable[[str, str], QueuePage]


@pytest.fixture
def open_queue(qtbot: QtBot, closed_operations: Operations, preferences: Preferences) -> Iterator[Opener]:
    """Open the queue of a project in somebody's name."""
    windows: list[QMainWindow] = []

    def open_(project: str, person: str) -> QueuePage:
        with qtbot.waitSignal(closed_operations.opened):
            closed_operations.open(project, person)
        window = QMainWindow()
        windows.append(window)
        page = QueuePage(closed_operations, Commands(window), preferences)
        window.setCentralWidget(page)
        window.resize(1400, 800)
        window.show()
        window.activateWindow()
        qtbot.waitUntil(lambda: window.isActiveWindow() and is_settled(closed_operations))
        return page

    yield open_
    closed_operations.close()
    for window in windows:
        shiboken6.delete(window)
