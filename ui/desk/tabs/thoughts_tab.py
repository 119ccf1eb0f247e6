"""The T-Eval tab: the plan of a task, a thought for each step, and how each call ended."""

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from annotator.cases.edits import text_edits
from scoring.model.case import Answer, Ask, Call, Case
from scoring.model.taxonomy import ReviewLabel
from scoring.texts import tr, tr_count
from ui.desk.document import CaseDocument
from ui.desk.tabs.section import ChoiceField, Section, lay_sections
from ui.theme import Button, ButtonKind, ElidedLabel, theme
from ui.theme.events import follow_events
from ui.theme.fields import NoteField
from ui.theme.layouts import connect, hbox, show_all, vbox
from ui.theme.words import REVIEW


class _TextField(NoteField):
    """A few lines of the document: undo and redo are the document's. `entered` says that it has the keys."""

    entered = Signal()

    def __init__(self, name: str, about: str, hint: str, **properties: Any) -> None:
        super().__init__(name, about, hint, undoRedoEnabled=False, **properties)
        self.setFixedHeight(theme().px(64))
        follow_events(self, self.entered.emit, QEvent.Type.FocusIn)

    def show_text(self, text: str) -> None:
        """Show a text without telling anybody; the cursor stays where the text is the same."""
        if text != self.toPlainText():
            with QSignalBlocker(self):
                self.setPlainText(text)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            keys = QKeySequence.StandardKey
            if event.matches(keys.Undo) or event.matches(keys.Redo):
                event.ignore()
                return True
        return super().event(event)


class _StepRow(QWidget):
    """One step: its name, how it ended where it is a call, and its thought; `wanted` carries the step."""

    wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.step = -1
        self._name = ElidedLabel("", "mono")
        self.review = ChoiceField(tr("How the call ended"), REVIEW, empty=tr("How it ended"), topic="review")
        self.thought = _TextField(
            "thought", tr("Thought"), tr("Why this step is taken now"), entered=self._want
        )
        vbox(
            hbox((self._name, 1), self.review, gap=8), self.thought, within=self, gap=4, margins=(0, 0, 0, 8)
        )

    def show_step(self, number: int, step: Call | Answer, *, is_locked: bool) -> None:
        """Show a step of the document."""
        self.step = number
        self.setObjectName(f"thought-row-{number}")
        self.thought.setObjectName(f"thought-{number}")
        self.review.setObjectName(f"review-{number}")
        self._name.setText(f"{number} {step.name if isinstance(step, Call) else tr('Answer')}")
        self.review.setVisible(isinstance(step, Call))
        self.review.setEnabled(not is_locked)
        self.review.show_value(step.review_label if isinstance(step, Call) else None)
        self.thought.setReadOnly(is_locked)
        self.thought.show_text(step.thought or "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._want()
        super().mousePressEvent(event)

    def _want(self) -> None:
        self.wanted.emit(self.step)


class ThoughtsTab(QScrollArea):
    """Shows what T-Eval asks of a task and changes it in the document; `step_wanted` carries a step."""

    step_wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._document: CaseDocument | None = None
        self._rows: list[_StepRow] = []
        self.plan = _TextField(
            "plan", tr("Plan"), tr("What is to be done, in words"), textChanged=self._type_plan
        )
        self._plan = Section(tr("Plan"))
        self._plan.rows.addWidget(self.plan)
        self.rest = Button(
            tr("Rest succeeded"),
            ButtonKind.LINK,
            objectName="reviews-rest",
            toolTip=tr("Label every call that has no label yet as Success"),
            clicked=lambda: self._edit(tr("label the rest as Success"), _with_rest),
        )
        self._steps = Section(tr("Steps"), self.rest)
        lay_sections(self, "thoughts", self._plan, self._steps)

    def set_document(self, document: CaseDocument) -> None:
        """Show another document."""
        self._document = document
        connect(
            (document.assessed, self.refresh),
            (document.selection_changed, self.refresh),
        )
        self.refresh()
        self.verticalScrollBar().setValue(0)

    def refresh(self) -> None:
        """Show the selected task as it is now."""
        document = self._document
        if document is None:
            return
        number = document.selection.task
        task = document.case.tasks[number]
        self._plan.heading.set_heading(tr("Plan · task {number}", number=number + 1))
        self.plan.setReadOnly(document.is_read_only)
        self.plan.show_text(task.plan or "")
        labelled = sum(call.review_label is not None for _, call in task.calls)
        self._steps.heading.set_heading(
            tr("{call} · {labelled} labelled", call=tr_count(len(task.calls), "call"), labelled=labelled)
        )
        self._steps.setVisible(bool(task.steps))
        self.rest.setVisible(labelled < len(task.calls) and not document.is_read_only)
        shown = [(s, step) for s, step in enumerate(task.steps) if not isinstance(step, Ask)]
        while len(self._rows) < len(shown):
            self._rows.append(self._row())
        show_all(*self._rows[len(shown) :], on=False)
        for row, (s, step) in zip(self._rows, shown, strict=False):
            row.show_step(s, step, is_locked=document.is_read_only)
            row.show()

    @property
    def entrance(self) -> QWidget:
        """What takes the keys first: how a call ended, never a text, into which letters would be typed."""
        choices = (row.review for row in self._rows if not row.isHidden())
        return next((one for one in choices if one.isEnabled() and not one.isHidden()), self)

    def show_step(self, step: int) -> None:
        """Bring a step into sight, ready for its label."""
        row = next((row for row in self._rows if row.step == step and not row.isHidden()), None)
        if row is not None:
            self.ensureWidgetVisible(row, 0, theme().px(24))
            row.review.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _row(self) -> _StepRow:
        row = _StepRow()
        connect(
            (row.thought.textChanged, partial(self._type_thought, row)),
            (row.review.chosen, partial(self._review, row)),
            (row.wanted, self.step_wanted),
        )
        self._steps.rows.addWidget(row)
        return row

    def _type_plan(self) -> None:
        if self._document is not None:
            words = tr("change the plan of task {task}", task=self._document.selection.task + 1)
            self._edit(words, partial(text_edits.set_plan, plan=_text(self.plan.toPlainText())), key="plan")

    def _type_thought(self, row: _StepRow) -> None:
        words = tr("change the thought of step {step}", step=row.step)
        change = partial(text_edits.set_thought, step=row.step, thought=_text(row.thought.toPlainText()))
        self._edit(words, change, key=f"thought {row.step}")

    def _review(self, row: _StepRow, label: ReviewLabel | None) -> None:
        self._edit(
            tr("label how call {step} ended", step=row.step),
            partial(text_edits.set_review, step=row.step, review=label),
        )

    def _edit(self, words: str, change: Callable[..., Case], *, key: str = "") -> None:
        """Change the selected task; edits of one key are undone together."""
        if self._document is not None:
            task = self._document.selection.task
            self._document.edit_case(words, partial(change, task=task), key=key and f"{key} {task}")


def _text(typed: str) -> str | None:
    return typed if typed.strip() else None


def _with_rest(case: Case, *, task: int) -> Case:
    for step, call in case.tasks[task].calls:
        if call.review_label is None:
            case = text_edits.set_review(case, task, step=step, review=ReviewLabel.SUCCESS)
    return case
