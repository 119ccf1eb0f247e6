"""The labels of the selected task: policy, information type, whether it is completed."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QHBoxLayout, QWidget

from scoring.model.case import Task
from scoring.model.graph import derive_policy
from scoring.model.labels import TaskLabels
from ui.theme import Button, ButtonKind, ChipButton, Kbd, TextLabel, Tone, theme
from ui.theme.labels import restyle
from ui.theme.words import INFORMATION, POLICY, POLICY_SHORT
from ui.workbench.choice import ChoiceField
from ui.workbench.section import Section


class YesNo(QWidget):
    """Yes or no, or neither while nothing was said; a second press takes it back. `chosen` carries it."""

    chosen = Signal(object)

    def __init__(
        self, name: str, words: tuple[str, str] = ("Yes", "No"), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._value: bool | None = None
        self.yes, self.no = ChipButton(words[0], Tone.OK), ChipButton(words[1], Tone.ERROR)
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(4))
        for button, word, value in ((self.yes, words[0], True), (self.no, words[1], False)):
            button.setAccessibleName(f"{name}: {word}")
            button.setProperty("said", value)
            button.clicked.connect(self._choose)
            self._group.addButton(button)
            row.addWidget(button)

    @property
    def value(self) -> bool | None:
        """What is said; null for nothing."""
        return self._value

    def show_value(self, value: bool | None) -> None:
        """Show a value without telling anybody."""
        self._value = value
        self.yes.setChecked(value is True)
        self.no.setChecked(value is False)

    def _choose(self) -> None:
        said = bool(self.sender().property("said"))
        wanted = None if self._value is said else said
        self.show_value(self._value)
        self.chosen.emit(wanted)


class LabelsSection(Section):
    """Shows the labels of a task and asks for others.

    Signals: `policy_chosen` and `information_chosen` carry the value or null; `adopt_wanted` asks for the
    policy the drawing shows; `completed_chosen` carries true, false or null.
    """

    policy_chosen = Signal(object)
    information_chosen = Signal(object)
    adopt_wanted = Signal()
    completed_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Labels", parent)
        self.policy = ChoiceField("Policy", POLICY, empty="Choose")
        self.policy.setObjectName("label-policy")
        self.information = ChoiceField("Information", INFORMATION, empty="Choose")
        self.information.setObjectName("label-information")
        self.completed = YesNo("Task completed")
        self.completed.setObjectName("label-completed")
        self._drawn = TextLabel("", "small-muted")
        self._drawn.setObjectName("label-drawn")
        self.adopt = Button("Adopt", ButtonKind.LINK)
        self.adopt.setObjectName("label-adopt")
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme().px(8))
        self._grid.setVerticalSpacing(theme().px(6))
        self._grid.setColumnStretch(0, 1)
        self._place(0, "Policy", "P", self.policy)
        drawn = QHBoxLayout()
        drawn.setSpacing(theme().px(6))
        drawn.addStretch(1)
        drawn.addWidget(self._drawn)
        drawn.addWidget(self.adopt)
        self._grid.addLayout(drawn, 1, 0, 1, 3)
        self._place(2, "Information", "I", self.information)
        self._place(3, "Task completed", "T", self.completed)
        self.rows.addLayout(self._grid)
        self.policy.chosen.connect(self.policy_chosen)
        self.information.chosen.connect(self.information_chosen)
        self.completed.chosen.connect(self.completed_chosen)
        self.adopt.clicked.connect(self.adopt_wanted)

    def show_task(self, number: int, task: Task, said: TaskLabels) -> None:
        """Show the labels of a task; counted from 0."""
        self.set_heading(f"Labels · task {number + 1}")
        self.policy.show_value(task.policy)
        self.information.show_value(task.information)
        self.completed.show_value(said.completed)
        derived = derive_policy(task)
        is_other = derived is not None and derived is not task.policy
        words = f"Drawn as {POLICY_SHORT[derived].lower()}" if derived else "Nothing is drawn yet"
        self._drawn.setText(words)
        restyle(self._drawn, "look", "warn" if is_other and task.policy else "small-muted")
        self.adopt.setVisible(is_other)

    def _place(self, row: int, name: str, keys: str, field: QWidget) -> None:
        kbd = Kbd(keys)
        holder = QHBoxLayout()
        holder.setSpacing(theme().px(6))
        holder.addWidget(TextLabel(name))
        holder.addWidget(kbd)
        holder.addStretch(1)
        self._grid.addLayout(holder, row, 0)
        self._grid.addWidget(field, row, 2, Qt.AlignmentFlag.AlignRight)
