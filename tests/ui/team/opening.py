"""The team page of a project in a window, as somebody."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from annotator.project.people import login_name
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import open_workspace
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.team.page import TeamPage


class Opened:
    """The page in a window, as somebody."""

    def __init__(self, qtbot: QtBot, operations: Operations, project: str) -> None:
        self._qtbot = qtbot
        self.operations = operations
        self.project = project
        self.window = QMainWindow()

    def open(self, person: str) -> TeamPage:
        """Open the page."""
        with self._qtbot.waitSignal(self.operations.opened):
            self.operations.open(self.project, person)
        page = TeamPage(self.operations, Commands(self.window))
        self.window.setCentralWidget(page)
        self.window.resize(1400, 800)
        self.window.show()
        self.window.activateWindow()
        self.settle()
        self._qtbot.waitUntil(self.window.isActiveWindow)
        return page

    def settle(self) -> None:
        """Wait until every answer is there."""
        self._qtbot.waitUntil(lambda: not self.operations.pending_count and not self.operations.jobs)

    def press_d(self, page: TeamPage, until: Callable[[], bool]) -> None:
        """Press the key that waits for a second letter, and wait until it has done something."""
        QTest.keyClick(page, Qt.Key.Key_D)
        self._qtbot.waitUntil(until)
        self.settle()

    def policy(self) -> ReviewPolicy:
        """The policy as the project has it."""
        workspace = open_workspace(self.project, login_name())
        try:
            return workspace.policy()
        finally:
            workspace.close()
