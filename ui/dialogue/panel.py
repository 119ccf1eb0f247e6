"""The dialogue column of a page: header with the tasks, a bar to find words, and the cards."""

from collections.abc import Collection
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from scoring.model.case import Case
from scoring.texts import tr
from ui.dialogue.arguments.model import JsonCheck, accept_any
from ui.dialogue.bars import TaskStrip
from ui.dialogue.content import NO_CARD_NOTES, USER_STEP, CardNotes
from ui.dialogue.places import SearchHit, find_words
from ui.dialogue.view import DialogueView
from ui.theme import Kbd, PanelHeader, TextLabel, ToolButton
from ui.theme.layouts import build, connect, hbox, show_all, vbox


class FindBar(QFrame):
    """A line to type words in, how many places there are, and the way from one to the next.

    Args:
        view: Shows the places.
    """

    closed = Signal()

    def __init__(self, view: DialogueView, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, look="topbar", visible=False)
        self._view = view
        self.case: Case | None = None
        """Where words are looked for."""
        self._hits: tuple[SearchHit, ...] = ()
        self._at = 0
        self.words = build(
            QLineEdit,
            objectName="find-words",
            placeholderText=tr("Find in this dialogue"),
            accessibleName=tr("Find in this dialogue"),
            textChanged=self._find,
        )
        self.count = TextLabel("", "small-muted", objectName="find-count")
        before = ToolButton("caret-up", tr("Previous place"), "Shift+Enter")
        after = ToolButton("caret-down", tr("Next place"), "Enter")
        close = ToolButton("x", tr("Close"), "Esc")
        back, on = partial(self._move, -1), partial(self._move, 1)
        hbox((self.words, 1), self.count, before, after, close, within=self, gap=6, margins=(12, 4, 8, 4))
        connect(
            (before.clicked, back),
            (after.clicked, on),
            (close.clicked, self.closed),
            (self.words.returnPressed, on),
            (QShortcut(QKeySequence("Shift+Return"), self.words).activated, back),
            (QShortcut(QKeySequence("Escape"), self.words).activated, self.closed),
        )

    def _find(self, words: str) -> None:
        self._hits = find_words(self.case, words) if self.case is not None else ()
        self._at = 0
        self._show_hit()

    def _move(self, by: int) -> None:
        if self._hits:
            self._at = (self._at + by) % len(self._hits)
            self._show_hit()

    def _show_hit(self) -> None:
        words = self.words.text()
        if self._hits:
            self.count.setText(tr("{at} of {hits_count}", at=self._at + 1, hits_count=len(self._hits)))
            self._view.show_hit(self._hits[self._at], words)
        else:
            self.count.setText(tr("not found") if words else "")


class DialoguePanel(QWidget):
    """A dialogue with everything around it; `view` carries the signals."""

    def __init__(
        self, title: str = tr("Dialogue"), *, check: JsonCheck = accept_any, parent: QWidget | None = None
    ) -> None:
        build(super().__init__, parent, objectName="dialogue-panel")
        self.view = DialogueView(check=check)
        self.find_bar = FindBar(self.view)
        self.tasks = TaskStrip()
        find = ToolButton(
            "magnifying-glass",
            tr("Find in this dialogue"),
            "Ctrl+F",
            objectName="dialogue-find",
            clicked=self.open_find,
        )
        self._problem_hint = (Kbd("F8"), TextLabel(tr("next problem"), "small-muted"))
        self.header = PanelHeader(title, (self.tasks, 1), *self._problem_hint, find)
        vbox(self.header, self.find_bar, (self.view, 1), within=self)
        connect(
            (self.find_bar.closed, self.close_find),
            (self.view.task_opened, self.tasks.show_open),
            (self.tasks.chosen, self._choose_task),
        )

    def show_case(
        self,
        case: Case,
        *,
        task: int,
        notes: CardNotes = NO_CARD_NOTES,
        finished: Collection[int] = (),
    ) -> None:
        """Show a case, as `DialogueView.show_case`; `finished` are the tasks with nothing left to settle."""
        self.find_bar.case = case
        self.view.show_case(case, task=task, notes=notes)
        show_all(*self._problem_hint, on=notes.findings)
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
        self.tasks.show_open(self.view.open_task)
