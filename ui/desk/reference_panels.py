"""What may stand in the place of the graph: a gold example, or another task of the dialogue."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QStackedWidget, QWidget

from annotator.cases.access import show_case
from annotator.review.queue.case_rows import CaseFilter, CaseRow, list_cases
from scoring.model.case import Case
from ui.desk.document import CaseDocument
from ui.dialogue.panel import DialoguePanel
from ui.services.operations import Operations, Pending
from ui.theme import EmptyState
from ui.theme.layouts import build, hbox, vbox

_MOST = 50


class GoldPanel(QWidget):
    """Lists the gold examples of the project and shows one. `found` carries how many there are."""

    found = Signal(int)

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("gold-panel")
        self._operations = operations
        self._case_id = ""
        self._is_stale = False
        self._pending: Pending | None = None
        self.choice = build(
            QComboBox, objectName="gold-choice", accessibleName="Gold example", activated=self._load
        )
        self.panel = DialoguePanel("Gold")
        self.panel.view.set_read_only(on=True)
        self.panel.view.task_opened.connect(self._open_task)
        self._empty = EmptyState(
            "star", "No gold examples yet", "An expert marks cases that are done right; they appear here."
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.panel)
        vbox(hbox((self.choice, 1), gap=None, margins=(12, 6)), (self._stack, 1), within=self)
        self._case: Case | None = None

    def look_up(self, case_id: str) -> None:
        """Find the gold examples besides a case, as soon as somebody looks."""
        self._case_id = case_id
        self._is_stale = True
        if self.isVisible():
            self._look()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._look()

    def _look(self) -> None:
        self._is_stale = False
        self._operations.run(
            partial(list_cases, where=CaseFilter(only_gold=True), limit=_MOST), then=self._show_list
        )

    def _show_list(self, rows: Sequence[CaseRow]) -> None:
        others = [row for row in rows if row.case_id != self._case_id]
        self.choice.clear()
        for row in others:
            self.choice.addItem(f"{row.case_id} · {' '.join(row.request.split())[:60]}", row.case_id)
        self.choice.setVisible(bool(others))
        self._stack.setCurrentWidget(self.panel if others else self._empty)
        self.found.emit(len(others))
        if others:
            self._load(0)

    def _load(self, _: int) -> None:
        if self._pending is not None:
            self._pending.cancel()
        case_id = str(self.choice.currentData())
        self._pending = self._operations.run(partial(show_case, case_id=case_id), then=self._show_case)

    def _show_case(self, case: Case) -> None:
        self._case = case
        self.panel.show_case(case, task=0)

    def _open_task(self, task: int) -> None:
        if self._case is not None:
            self.panel.show_case(self._case, task=task)


class BesidePanel(QWidget):
    """Shows the case of a document with a task of its own unfolded; it follows every edit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("beside-panel")
        self.panel = DialoguePanel("Beside")
        self.panel.view.set_read_only(on=True)
        self.panel.view.setAccessibleName("Another task of the dialogue, to read only")
        self.panel.view.task_opened.connect(self._open_task)
        self._case: Case | None = None
        self._task = 0
        vbox(self.panel, within=self, gap=None)

    @property
    def task(self) -> int:
        """The task that is unfolded."""
        return self._task

    def begin(self, document: CaseDocument) -> None:
        """Show the task before the selected one, or the one behind it where there is none before."""
        task = document.selection.task
        self._task = task - 1 if task else min(1, len(document.case.tasks) - 1)
        self.refresh(document)

    def refresh(self, document: CaseDocument) -> None:
        """Show the case of a document as it is now."""
        self._case = document.case
        self._task = min(self._task, len(self._case.tasks) - 1)
        self.panel.show_case(self._case, task=self._task)

    def _open_task(self, task: int) -> None:
        if self._case is not None and task != self._task:
            self._task = task
            self.panel.show_case(self._case, task=task)
