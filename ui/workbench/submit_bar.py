"""The bar below a case: what is still to do, and the ways to let go of it."""

from collections import Counter

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from scoring.model.taxonomy import Stage
from ui.commands import Commands
from ui.theme import Button, ButtonKind, Chip, ElidedLabel, TextLabel, Tone, theme
from ui.theme.words import counted
from ui.workbench.assessing import Assessment
from ui.workbench.chip_row import ChipRow
from ui.workbench.problems import findings_words

_HEIGHT = 52
_NOTE_MILLISECONDS = 8000

SUBMIT_WORDS = {
    Stage.SELF_CHECK_TASK: "Submit self-check",
    Stage.SELF_CHECK_DIALOGUE: "Submit dialogue",
    Stage.CROSS_CHECK: "Submit judgment",
}


class PointChip(Chip):
    """A chip one can click to go to what it counts; `clicked` carries the kind of the points."""

    clicked = Signal(str)

    def __init__(self, kind: str, parent: QWidget | None = None) -> None:
        super().__init__("", Tone.NEUTRAL, parent)
        self._kind = kind
        self.setObjectName(f"points-{kind}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip("Go to the first of them (F8)")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit(self._kind)


class RareButton(Button):
    """A button whose shortcut stands in its tooltip, so that the bar has room for what it says."""

    def set_keys(self, keys: str) -> None:
        self.setToolTip(keys)
        self.setAccessibleName(f"{self.shown_text} ({keys})" if keys else self.shown_text)


class SubmitBar(QFrame):
    """Chips at the left, buttons at the right. `kind_wanted` carries the kind of points to go to."""

    kind_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("submit-bar")
        self.setProperty("look", "bar")
        self._chips = {
            kind: PointChip(kind)
            for kind in ("clash", "finding", "evidence", "label", "judgment", "checklist")
        }
        self._task = TextLabel("", "small-muted")
        self._task.setObjectName("task-count")
        self._awaited = Chip("checking…", Tone.NEUTRAL)
        self._awaited.setObjectName("checking")
        self._awaited.setToolTip("A long case is checked while you read it. Submitting waits for the checks.")
        self._note = ElidedLabel("", "small-muted")
        self._note.setObjectName("workbench-note")
        self._note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._note.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
        self._clear = QTimer(self)
        self._clear.setSingleShot(True)
        self._clear.setInterval(_NOTE_MILLISECONDS)
        self._clear.timeout.connect(self._note.clear)
        self.reject = RareButton("Reject…")
        self.give_back = RareButton("Return…")
        self.escalate = Button("Escalate…")
        self.hand_back = RareButton("Hand back")
        self.submit = Button("Submit", ButtonKind.PRIMARY)
        for name, button in self.buttons.items():
            button.setObjectName(f"workbench-{name}")
            button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout(self)
        self._points = ChipRow()
        for chip in self._chips.values():
            chip.clicked.connect(self.kind_wanted)
            self._points.add(chip)
        self._points.add(self._task)
        self._points.add(self._awaited)
        self._row.addWidget(self._points, 3)
        self._row.addWidget(self._note, 2)
        for button in self.buttons.values():
            self._row.addWidget(button)
        self._fit()

    @property
    def buttons(self) -> dict[str, Button]:
        """The buttons by the last part of their command's id."""
        return {
            "reject": self.reject,
            "return": self.give_back,
            "escalate": self.escalate,
            "hand-back": self.hand_back,
            "submit": self.submit,
        }

    def bind(self, commands: Commands) -> None:
        """Have the buttons do the commands of the page."""
        for name, button in self.buttons.items():
            commands.bind(button, f"workbench.{name}")

    def show_stage(self, stage: Stage) -> None:
        """Show what can be done at a stage."""
        self.submit.setText(SUBMIT_WORDS.get(stage, "Submit"))
        self.give_back.setVisible(stage is Stage.CROSS_CHECK)
        self.submit.updateGeometry()

    def show_assessment(self, assessment: Assessment, *, task: int) -> None:
        """Show how far the case is."""
        open_points = Counter[str](blocker.kind for blocker in assessment.blockers)
        words = {
            "clash": f"{counted(open_points['clash'], 'place')} changed by both",
            "label": f"{counted(open_points['label'], 'label')} open",
            "judgment": f"{counted(open_points['judgment'], 'judgment')} open",
            "checklist": f"{counted(open_points['checklist'], 'item')} to confirm",
        }
        for kind, text in words.items():
            chip = self._chips[kind]
            chip.set_chip(text, Tone.WARN)
            self._points.want(chip, on=open_points[kind] > 0)
        self._show_findings(assessment, is_asked="finding" in open_points)
        self._show_evidence(assessment, is_asked="evidence" in open_points)
        total = len(assessment.snapshot.case.tasks)
        self._task.setText(f"task {task + 1} of {total}")
        self._points.want(self._awaited, on=assessment.is_awaited)
        self._points.arrange()

    def tell(self, words: str) -> None:
        """Say something for a few seconds."""
        self._note.setText(words)
        self._clear.start()

    @property
    def note(self) -> str:
        """What it says for these few seconds."""
        return self._note.text()

    def chip_words(self) -> tuple[str, ...]:
        """What the chips say, from the left."""
        return tuple(chip.text() for chip in self._chips.values() if self._points.wanted(chip))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _show_findings(self, assessment: Assessment, *, is_asked: bool) -> None:
        words = findings_words(assessment.open_findings())
        chip = self._chips["finding"]
        chip.set_chip(words, Tone.WARN if is_asked else Tone.NEUTRAL)
        self._points.want(chip, on=bool(words))

    def _show_evidence(self, assessment: Assessment, *, is_asked: bool) -> None:
        total, done = len(assessment.evidence), assessment.settled_count
        chip = self._chips["evidence"]
        chip.set_chip(f"evidence {done} of {total}", Tone.OK if done == total else Tone.WARN)
        self._points.want(chip, on=total > 0 and (is_asked or done > 0))

    def _fit(self) -> None:
        look = theme()
        self.setFixedHeight(look.px(_HEIGHT))
        self._row.setContentsMargins(look.px(16), 0, look.px(16), 0)
        self._row.setSpacing(look.px(8))


def why_blocked(assessment: Assessment) -> str:
    """Why a case cannot be submitted yet, in one sentence; empty where it can or the checks still run."""
    if assessment.is_awaited:
        return ""
    count = len(assessment.blockers)
    if not count:
        return ""
    first = assessment.blockers[0].message
    return f"{counted(count, 'point')} to settle first (F8). {first}"
