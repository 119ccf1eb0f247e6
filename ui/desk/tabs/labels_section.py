"""The labels of the selected task: policy, information type, whether it is completed."""

from functools import partial
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QWidget

from scoring.model.case import Task
from scoring.model.graph import derive_policy
from scoring.model.labels import TaskLabels
from ui.desk.tabs.section import ChoiceField, Section
from ui.services.topics import set_topic
from ui.theme import Button, ButtonKind, ChipButton, ElidedLabel, Kbd, TextLabel, Tone, WrappedLabel, theme
from ui.theme.labels import restyle
from ui.theme.layouts import STRETCH, build, hbox
from ui.theme.words import INFORMATION, POLICY, POLICY_SHORT


class YesNo(QWidget):
    """Yes or no, or neither while nothing was said; a second press takes it back. `chosen` carries it."""

    chosen = Signal(object)

    def __init__(self, name: str, words: tuple[str, str] = ("Yes", "No")) -> None:
        super().__init__()
        self.value: bool | None = None
        """What is said; null for nothing."""
        self.yes, self.no = ChipButton(words[0], Tone.OK), ChipButton(words[1], Tone.ERROR)
        self._group = build(QButtonGroup, self, exclusive=False)
        for button, word, value in ((self.yes, words[0], True), (self.no, words[1], False)):
            button.setAccessibleName(f"{name}: {word}")
            button.clicked.connect(partial(self._choose, value))
            self._group.addButton(button)
        hbox(self.yes, self.no, within=self, gap=4)

    def show_value(self, value: bool | None) -> None:
        """Show a value without telling anybody."""
        self.value = value
        self.yes.setChecked(value is True)
        self.no.setChecked(value is False)

    def _choose(self, said: bool) -> None:
        wanted = None if self.value is said else said
        self.show_value(self.value)
        self.chosen.emit(wanted)


class LabelsSection(Section):
    """Shows the labels of a task; its fields say what is chosen.

    `adopt` is pressed for the policy the drawing shows, `take` for the label that is proposed.
    """

    def __init__(self) -> None:
        super().__init__("Labels")
        set_topic("judgment", self)
        self.policy = ChoiceField("Policy", POLICY, empty="Choose", topic="policy", objectName="label-policy")
        self.information = ChoiceField(
            "Information", INFORMATION, empty="Choose", topic="information", objectName="label-information"
        )
        self.completed = YesNo("Task completed")
        self.completed.setObjectName("label-completed")
        self._drawn = TextLabel("", "small-muted", objectName="label-drawn")
        self.adopt = Button("Adopt", ButtonKind.LINK, objectName="label-adopt")
        set_topic("judgment.drawn", self._drawn, self.adopt)
        self._grid = build(QGridLayout, horizontalSpacing=theme().px(8), verticalSpacing=theme().px(6))
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(0, 1)
        self._place(0, "Policy", "P", self.policy, topic="policy")
        self._grid.addLayout(hbox(STRETCH, self._drawn, self.adopt, gap=6), 1, 0, 1, 3)
        self._asked = self._place(2, "Information", "I", self.information, topic="information")
        self._place(3, "Task completed", "T", self.completed, topic="judgment.completed")
        self.rows.addLayout(self._grid)
        self.digits = WrappedLabel("", "small-muted", objectName="label-digits", visible=False)
        self.rows.addWidget(self.digits)
        self._offer = build(QWidget, objectName="label-offer", visible=False)
        self.offered = WrappedLabel("", "small-muted")
        self.take = Button("Take", ButtonKind.LINK, objectName="take-offer")
        hbox((self.offered, 1), Kbd("="), self.take, within=self._offer, gap=6)
        self.rows.addWidget(self._offer)
        for field in (self.policy, self.information):
            field.entered.connect(self._show_digits)

    def choice(self, label: Literal["policy", "information"]) -> QWidget:
        """The field of a label."""
        return self.policy if label == "policy" else self.information

    def show_task(self, number: int, task: Task, said: TaskLabels) -> None:
        """Show the labels of a task; counted from 0."""
        self.set_heading(f"Labels · task {number + 1}")
        self.policy.show_value(task.policy)
        self.information.show_value(task.information)
        for widget in (*self._asked, self.information):
            widget.setVisible(number > 0)  # the first task has nothing to hide
        self.completed.show_value(said.completed)
        derived = derive_policy(task) if said.drawn is not False else None
        is_other = derived is not None and derived is not task.policy
        self._drawn.setText(f"Drawn as {POLICY_SHORT[derived].lower()}" if derived else "Not drawn yet")
        restyle(self._drawn, "look", "warn" if is_other and task.policy else "small-muted")
        self.adopt.setVisible(is_other)

    def show_offer(self, words: str) -> None:
        """Show the label that is proposed with its reason; empty for none."""
        self.offered.setText(words)
        self._offer.setVisible(bool(words))

    def _show_digits(self, has_keys: bool) -> None:
        """While a field has the keys, say what each digit chooses."""
        field = self.sender()
        if has_keys and isinstance(field, ChoiceField):
            self.digits.setText(field.digits)
        self.digits.setVisible(has_keys)

    def _place(self, row: int, name: str, keys: str, field: QWidget, *, topic: str) -> tuple[QWidget, ...]:
        label, kbd = TextLabel(name), Kbd(keys)
        set_topic(topic, label, kbd, field)
        self._grid.addLayout(hbox(label, kbd, STRETCH, gap=6), row, 0)
        self._grid.addWidget(field, row, 2, Qt.AlignmentFlag.AlignRight)
        return label, kbd


class _CallRow(QWidget):
    """One call with what is said about it; `wanted` carries its step."""

    wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.step = -1
        self._name = ElidedLabel("", "mono")
        self.said = YesNo("Call", ("Right", "Wrong"))
        hbox((self._name, 1), self.said, within=self, gap=8)

    def show_call(self, step: int, name: str, *, correct: bool | None) -> None:
        """Show a call and what is said about it."""
        self.step = step
        self.setObjectName(f"judge-call-{step}")
        self._name.setText(f"{step} {name}")
        self.said.show_value(correct)

    def mousePressEvent(self, event: object) -> None:
        self.wanted.emit(self.step)


class CallsSection(Section):
    """Shows every call of a task; `judged` carries the step and true, false or null."""

    judged = Signal(int, object)
    step_wanted = Signal(int)

    def __init__(self) -> None:
        right, wrong = TextLabel("right", "small-muted"), TextLabel("wrong", "small-muted")
        super().__init__("Calls", right, Kbd("R"), wrong, Kbd("⇧ R"))
        set_topic("judgment.call", self)
        self._found: list[_CallRow] = []

    def show_task(self, task: Task, said: TaskLabels) -> None:
        """Show the calls of a task."""
        calls = task.calls
        while len(self._found) < len(calls):
            row = _CallRow()
            row.said.chosen.connect(partial(self._judge, row))
            row.wanted.connect(self.step_wanted)
            self._found.append(row)
            self.rows.addWidget(row)
        judged = sum(correct is not None for correct in said.calls_correct)
        self.set_heading(f"Calls · {judged} of {len(calls)}")
        for row in self._found[len(calls) :]:
            row.hide()
        for row, (step, call), correct in zip(self._found, calls, said.calls_correct, strict=False):
            row.show_call(step, call.name, correct=correct)
            row.show()
        self.setVisible(bool(calls))

    def _judge(self, row: _CallRow, correct: bool | None) -> None:
        self.judged.emit(row.step, correct)
