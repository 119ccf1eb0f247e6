"""The adjudication page, driven by keys as an expert would."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from tests.annotator.team import Team
from ui.adjudication.decision_document import DecisionDocument
from ui.adjudication.page import AdjudicationPage
from ui.services.operations import Operations


@dataclass
class Court:
    """The page in its window."""

    qtbot: QtBot
    window: QMainWindow
    page: AdjudicationPage
    operations: Operations
    team: Team

    @property
    def document(self) -> DecisionDocument:
        """The decision that is being made."""
        assert self.page.document is not None
        return self.page.document

    def open(self, case_id: str = "c-1") -> None:
        """Open a case and wait until it is shown."""
        self.page.open_case(case_id)
        self.wait(lambda: self.page.document is not None)

    def wait(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so."""
        self.qtbot.waitUntil(condition)

    def press(self, *keys: str) -> None:
        """Press keys in Qt's portable writing, where the focus is, each by itself and no part of a word."""
        for key in keys:
            self.pause()
            stroke = QKeySequence(key)[0]  # type: ignore[index]  # the stubs leave it out
            QTest.keyClick(self.target, stroke.key(), stroke.keyboardModifiers())

    def pause(self) -> None:
        """Take a moment of thought: what follows is no part of a word that was begun."""
        QTest.keyClick(self.target, Qt.Key.Key_F35)  # no command

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        QTest.keyClicks(self.target, text)

    @property
    def target(self) -> QWidget:
        """Who gets the keys."""
        return QApplication.activePopupWidget() or QApplication.focusWidget() or self.window

    def row_id(self) -> str:
        """Id of the current row."""
        row = self.page.columns.table.row
        assert row is not None
        return row.id
