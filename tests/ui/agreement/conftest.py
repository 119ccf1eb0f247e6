"""The agreement page on a project, in a window of its own."""

from collections.abc import Callable, Iterator

import pytest
import shiboken6
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from ui.agreement.page import AgreementPage
from ui.services.commands import Commands
from ui.services.operations import Operations

Opener = Callable[[str, str], AgreementPage]


@pytest.fixture
def open_agreement(qtbot: QtBot, closed_operations: Operations) -> Iterator[Opener]:
    """Open the agreement of a project in somebody's name, once its intervals are drawn."""
    windows: list[QMainWindow] = []

    def open_(project: str, person: str) -> AgreementPage:
        with qtbot.waitSignal(closed_operations.opened):
            closed_operations.open(project, person)
        window = QMainWindow()
        windows.append(window)
        page = AgreementPage(closed_operations, Commands(window))
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


@pytest.fixture
def page(open_agreement: Opener, released_project: str) -> AgreementPage:
    """The agreement of the walked samples, as the expert sees it."""
    return open_agreement(released_project, "expert-1")


def is_quiet(operations: Operations) -> bool:
    """Whether nothing is asked and no job runs."""
    return operations.pending_count == 0 and not operations.jobs
