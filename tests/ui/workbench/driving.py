"""A window with the workbench in it, driven by keys as a person would."""

from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from annotator.review.queue.claims import claim_case
from scoring.model.taxonomy import Policy, Stage
from tests.annotator.team import Team
from tests.ui.find import find
from ui.desk.document import CaseDocument
from ui.desk.panels import CasePanels
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.workbench.page import WorkbenchPage


@dataclass
class Bench:
    """The page in its window, and how many keys were pressed on it."""

    qtbot: QtBot
    window: QMainWindow
    page: WorkbenchPage
    commands: Commands
    operations: Operations
    team: Team
    person: str = "ann"
    key_count: int = 0
    told: list[str] = field(default_factory=list)

    @property
    def document(self) -> CaseDocument:
        """The document that is open."""
        assert self.page.open_work.document is not None
        return self.page.open_work.document

    @property
    def panels(self) -> CasePanels:
        """The columns."""
        return self.page.panels

    def open(self, case_id: str) -> None:
        """Claim a case and open it."""
        held = claim_case(self.team[self.person], case_id).value
        self.page.open_assignment(held.id)
        self.wait(lambda: self.is_open(case_id))

    def reopen(self) -> None:
        """Let go of the open case and open its slot again, as after a pause."""
        held = self.page.open_work.loaded
        assert held is not None
        self.page.open_work.close()
        self.page.open_assignment(held.opened.assignment.id)
        self.wait(lambda: self.is_open(held.opened.assignment.case_id))

    def is_open(self, case_id: str) -> bool:
        """Whether a case is open."""
        document = self.page.open_work.document
        return document is not None and document.case.id == case_id

    def wait(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so."""
        self.qtbot.waitUntil(condition, timeout=8000)

    def press(self, *keys: str) -> None:
        """Press keys in Qt's portable writing, where the focus is, each by itself and no part of a word."""
        for key in keys:
            self.think()
            stroke = QKeySequence(key)[0]  # type: ignore[index]  # the stubs leave it out
            QTest.keyClick(self.target, stroke.key(), stroke.keyboardModifiers())
            self.key_count += 1

    @property
    def next_keys(self) -> str:
        """What the bar says the next key does."""
        return find(self.page, QLabel, "workbench-next-keys").text()

    def think(self) -> None:
        """Let a moment of thought pass: what comes next is no part of a word begun before."""
        QTest.keyClick(self.target, Qt.Key.Key_F35)  # no command

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        QTest.keyClicks(self.target, text)
        self.key_count += len(text)

    def type_text(self, text: str) -> None:
        """Write a text where the focus is; its letters count as no keys."""
        QTest.keyClicks(self.target, text)

    @property
    def target(self) -> QWidget:
        """Who gets the keys."""
        return QApplication.activePopupWidget() or QApplication.focusWidget() or self.window

    def give_reason(self, text: str) -> None:
        """Wait for the dialog that asks why, and answer it."""
        self.wait(lambda: self.target.objectName() == "reason-note")
        self.type(text)
        self.press("Ctrl+Return")

    def is_saved(self) -> bool:
        """Whether everything is in the store."""
        return self.page.open_work.save_state.words.startswith("Saved")


def click(widget: QWidget) -> None:
    """Click the middle of a widget with the left button."""
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def policy_of(bench: Bench, task: int) -> Policy | None:
    """The policy a task is labelled with in the open case."""
    return bench.document.case.tasks[task].policy


def stage_of(bench: Bench, case_id: str) -> Stage:
    """Where a case stands."""
    return bench.team.stage(case_id)
