"""The coverage page on a project, in a window of its own."""

from collections.abc import Callable, Iterator
from unittest.mock import Mock

import pytest
import shiboken6
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from annotator.project.people import login_name
from ui.coverage.page import CoveragePage
from ui.generate.target_view import TargetView
from ui.services.commands import Commands
from ui.services.operations import Operations

Opener = Callable[[str], CoveragePage]


@pytest.fixture
def generate() -> Mock:
    """Has what is missing generated."""
    return Mock()


@pytest.fixture
def open_coverage(qtbot: QtBot, closed_operations: Operations, generate: Mock) -> Iterator[Opener]:
    """Open the coverage of a project in the name of its founder, once it is counted."""
    windows: list[QMainWindow] = []

    def open_(project: str) -> CoveragePage:
        with qtbot.waitSignal(closed_operations.opened):
            closed_operations.open(project, login_name())
        window = QMainWindow()
        windows.append(window)
        views = [("Targets", TargetView(closed_operations))]
        page = CoveragePage(closed_operations, Commands(window), generate=generate, views=views)
        window.setCentralWidget(page)
        window.resize(1400, 800)
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
