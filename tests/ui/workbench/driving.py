"""A window with the workbench in it, driven by keys as a person would."""

from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSlider, QApplication, QLabel, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from annotator.drafts.checklists import Item, answer_of, next_open
from annotator.drafts.problems import Problem, problems_of
from annotator.drafts.shown import why_not
from annotator.review.queue.claims import claim_case
from scoring.model.taxonomy import CheckAnswer, Policy, Stage
from tests.annotator.team import Team
from tests.ui.find import find
from ui.desk.document import CaseDocument
from ui.desk.panels import CasePanels
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.theme.labels import Chip
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
    moment: float = 0.0
    """What the clock says by which something is on the screen, in seconds."""
    pace: float = 60.0
    """Seconds before each key: this person has read what is on the screen."""

    def __post_init__(self) -> None:
        self.page.keyboard.sight.clock = lambda: self.moment

    def wait_a_while(self, seconds: float) -> None:
        """Let time pass with what is on the screen."""
        self.page.keyboard.sight.look()
        self.moment += seconds

    def read_dialogue(self) -> None:
        """Read all of the dialogue, page by page with the scroll bar."""
        bar = self.panels.dialogue.view.column.verticalScrollBar()
        self.wait_a_while(self.pace)
        while bar.value() < bar.maximum():
            bar.triggerAction(QAbstractSlider.SliderAction.SliderPageStepAdd)
            self.wait_a_while(self.pace)

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
        self.qtbot.waitUntil(condition)

    def press(self, *keys: str) -> None:
        """Press keys in Qt's portable writing, where the focus is, each by itself and no part of a word."""
        for key in keys:
            self.think()
            self.wait_a_while(self.pace)
            stroke = QKeySequence(key)[0]  # type: ignore[index]  # the stubs leave it out
            QTest.keyClick(self.target, stroke.key(), stroke.keyboardModifiers())
            self.key_count += 1

    @property
    def next_keys(self) -> str:
        """What the bar says the next key does."""
        return find(self.page, QLabel, "workbench-next-keys").text()

    def check(self, item: Item) -> None:
        """Confirm an item of the checklist, or say that it does not apply where nothing can be compared."""
        key = "Space" if item.against else "C"
        if why_not(item, self.document.case, CheckAnswer.PASS):
            key = "-"
        row = self.panels.review.checklist_of(item).items[item.id]
        if key != "C" and not row.box.hasFocus():
            self.press("C")
        for _ in range(20):
            if answer_of(item, self.document.judgment) is not None:
                return
            self.press(key)
        raise AssertionError(f"{item} cannot be confirmed: {self.page.submit_bar.note}")

    def check_all(self, task: int | None) -> None:
        """Answer every open item of a task, or of the dialogue where it is null."""
        document = self.document
        while (item := next_open(document.assessment.items, document.judgment, task=task)) is not None:
            self.check(item)

    @property
    def problem(self) -> Problem | None:
        """The open point one was led to; null where none is open there any more."""
        problem = self.page.keyboard.navigation.problem
        keys = {one.key for one in problems_of(self.document.assessment)}
        return problem if problem is not None and problem.key in keys else None

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
        return self.save_words().startswith("Saved")

    def save_words(self) -> str:
        """How safe the work is, as the window says it."""
        return save_words(self.page)

    def chip_words(self) -> tuple[str, ...]:
        """What the chips over the buttons say, from the left."""
        chips = self.page.submit_bar.findChildren(Chip)
        return tuple(chip.text() for chip in chips if not chip.isHidden())


def save_words(page: WorkbenchPage) -> str:
    """How safe the open work of a page is; empty where none is open."""
    saver = page.open_work.saver
    return saver.state.words if saver is not None else ""


def click(widget: QWidget) -> None:
    """Click the middle of a widget with the left button."""
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def policy_of(bench: Bench, task: int) -> Policy | None:
    """The policy a task is labelled with in the open case."""
    return bench.document.case.tasks[task].policy


def stage_of(bench: Bench, case_id: str) -> Stage:
    """Where a case stands."""
    return bench.team.stage(case_id)
