"""The dialogue column of a page: header with the tasks, a bar to find words, and the cards."""

from collections.abc import Collection
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from scoring.model.case import Case
from ui.dialogue.arguments.model import JsonCheck
from ui.dialogue.bars import TaskStrip
from ui.dialogue.content import USER_STEP, Remarks
from ui.dialogue.places import DialogueWords, Hits
from ui.dialogue.view import NO_REMARKS, DialogueView, accept_all
from ui.theme import Kbd, PanelHeader, TextLabel, ToolButton
from ui.theme.layouts import build, hbox, vbox


class FindBar(QFrame):
    """A line to type words in, how many places there are, and the way from one to the next."""

    wanted = Signal(str)
    moved = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "topbar")
        self.words = build(
            QLineEdit,
            objectName="find-words",
            placeholderText="Find in this dialogue",
            accessibleName="Find in this dialogue",
        )
        self.words.textChanged.connect(self.wanted)
        self.count = TextLabel("", "small-muted", objectName="find-count")
        before = ToolButton("caret-up", "Previous place", "Shift+Enter")
        after = ToolButton("caret-down", "Next place", "Enter")
        close = ToolButton("x", "Close", "Esc")
        back, on = partial(self.moved.emit, -1), partial(self.moved.emit, 1)
        before.clicked.connect(back)
        after.clicked.connect(on)
        close.clicked.connect(self.closed)
        hbox((self.words, 1), self.count, before, after, close, within=self, gap=6, margins=(12, 4, 8, 4))
        self.words.returnPressed.connect(on)
        QShortcut(QKeySequence("Shift+Return"), self.words).activated.connect(back)
        QShortcut(QKeySequence("Escape"), self.words).activated.connect(self.closed)

    def show_count(self, at: int, count: int) -> None:
        """Say at which of how many places one is; nothing while nothing is looked for."""
        if not self.words.text():
            self.count.setText("")
        else:
            self.count.setText(f"{at + 1} of {count}" if count else "not found")


class DialoguePanel(QWidget):
    """A dialogue with everything around it; `view` carries the signals."""

    def __init__(
        self, title: str = "Dialogue", *, check: JsonCheck = accept_all, parent: QWidget | None = None
    ) -> None:
        build(super().__init__, parent, objectName="dialogue-panel")
        self.header = PanelHeader(title)
        self.view = DialogueView(check=check)
        self.find_bar = FindBar()
        self.find_bar.hide()
        self.tasks = TaskStrip()
        self.tasks.chosen.connect(self._choose_task)
        self.header.add_left(self.tasks, stretch=1)
        self._case: Case | None = None
        self._words: DialogueWords | None = None
        self._hits = Hits()
        self._at = 0
        find = ToolButton(
            "magnifying-glass",
            "Find in this dialogue",
            "Ctrl+F",
            objectName="dialogue-find",
            clicked=self.open_find,
        )
        self._problem_hint = (Kbd("F8"), TextLabel("next problem", "small-muted"))
        for widget in (*self._problem_hint, find):
            self.header.add_right(widget)
        vbox(self.header, self.find_bar, (self.view, 1), within=self)
        self.find_bar.wanted.connect(self._find)
        self.find_bar.moved.connect(self._move)
        self.find_bar.closed.connect(self.close_find)
        self.view.task_opened.connect(self._follow_task)

    def show_case(
        self,
        case: Case,
        *,
        task: int,
        remarks: Remarks = NO_REMARKS,
        finished: Collection[int] = (),
    ) -> None:
        """Show a case, as `DialogueView.show_case`; `finished` are the tasks with nothing left to settle."""
        if case is not self._case:
            self._words = None
        self._case = case
        self.view.show_case(case, task=task, remarks=remarks)
        for widget in self._problem_hint:
            widget.setVisible(bool(remarks.findings))
        self.tasks.show_case(case, task=task, finished=finished)

    def open_find(self) -> None:
        """Open the bar to find words, or go to it."""
        self.find_bar.show()
        self.find_bar.words.setFocus()
        self.find_bar.words.selectAll()

    def close_find(self) -> None:
        """Close the bar and go back to the cards."""
        self.find_bar.hide()
        self.view.setFocus()

    def _choose_task(self, task: int) -> None:
        self.view.select(task, USER_STEP)
        self._follow_task(self.view.open_task)

    def _follow_task(self, task: int) -> None:
        self.tasks.show_open(task)

    def _find(self, words: str) -> None:
        if self._words is None and self._case is not None:
            self._words = DialogueWords(self._case)
        self._hits = self._words.find(words) if self._words is not None else Hits()
        self._at = 0
        self._show_hit()

    def _move(self, by: int) -> None:
        if self._hits:
            self._at = (self._at + by) % len(self._hits)
            self._show_hit()

    def _show_hit(self) -> None:
        self.find_bar.show_count(self._at, len(self._hits))
        if not self._hits:
            return
        self.view.show_hit(self._hits[self._at], self.find_bar.words.text())
