"""Judging the calls of the selected task one by one, in a blind cross-check."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from scoring.model.case import Task
from scoring.model.labels import TaskLabels
from ui.theme import ElidedLabel, Kbd, TextLabel, theme
from ui.workbench.labels_section import YesNo
from ui.workbench.section import Section


class _CallRow(QWidget):
    """One call with what is said about it."""

    judged = Signal(int, object)
    wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.step = -1
        self._name = ElidedLabel("", "mono")
        self.said = YesNo("Call", ("Right", "Wrong"))
        self.said.chosen.connect(self._judge)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(8))
        row.addWidget(self._name, 1)
        row.addWidget(self.said)

    def show_call(self, step: int, name: str, *, correct: bool | None) -> None:
        """Show a call and what is said about it."""
        self.step = step
        self.setObjectName(f"judge-call-{step}")
        self._name.setText(f"{step} {name}")
        self.said.show_value(correct)

    def mousePressEvent(self, event: object) -> None:
        self.wanted.emit(self.step)

    def _judge(self, correct: bool | None) -> None:
        self.judged.emit(self.step, correct)


class CallsSection(Section):
    """Shows every call of a task; `judged` carries the step and true, false or null."""

    judged = Signal(int, object)
    step_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Calls", parent)
        self._found: list[_CallRow] = []
        self.add_beside(TextLabel("right", "small-muted"))
        self.add_beside(Kbd("R"))
        self.add_beside(TextLabel("wrong", "small-muted"))
        self.add_beside(Kbd("⇧ R"))

    def show_task(self, task: Task, said: TaskLabels) -> None:
        """Show the calls of a task."""
        calls = task.calls
        while len(self._found) < len(calls):
            row = _CallRow()
            row.judged.connect(self.judged)
            row.wanted.connect(self.step_wanted)
            self._found.append(row)
            self.rows.addWidget(row)
        judged = sum(correct is not None for correct in said.calls_correct)
        self.set_heading(f"Calls · {judged} of {len(calls)}")
        for row, found in zip(self._found, (*calls, *[None] * len(self._found)), strict=False):
            row.setVisible(found is not None)
        for row, (step, call), correct in zip(self._found, calls, said.calls_correct, strict=False):
            row.show_call(step, call.name, correct=correct)
        self.setVisible(bool(calls))
