"""The bar below a case: what is still to do, and the ways to let go of it."""

from collections import Counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from annotator.drafts.assessment import Assessment
from annotator.drafts.problems import findings_words
from scoring.model.taxonomy import Stage
from ui.theme import Bar, Button, ButtonKind, Chip, ElidedLabel, TextLabel, Tone, theme
from ui.theme.layouts import build
from ui.theme.look import follow_theme
from ui.theme.words import counted

if TYPE_CHECKING:
    from annotator.drafts.snapshot import Snapshot


class ChipRow(QWidget):
    """Places widgets one after the other while there is room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(
            super().__init__,
            parent,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred),
        )
        self._members: list[QWidget] = []
        self._kept: set[QWidget] = set()
        self._wanted: set[QWidget] = set()
        follow_theme(self.arrange)

    def add(self, member: QWidget, *, is_kept: bool = False) -> None:
        """Put a widget at the right end; one that is kept is shown before the others have room."""
        member.setParent(self)
        if is_kept:
            self._kept.add(member)
        self._members.append(member)
        self._wanted.add(member)

    def want(self, member: QWidget, *, on: bool) -> None:
        """Show a widget where there is room for it, or do not."""
        if on:
            self._wanted.add(member)
        else:
            self._wanted.discard(member)
        self.arrange()

    def arrange(self) -> None:
        """Place everything again, e.g. because a text is longer."""
        left, gap = 0, theme().px(8)
        kept = [member for member in self._members if member in self._kept & self._wanted]
        self.setMinimumWidth(max(sum(member.sizeHint().width() + gap for member in kept) - gap, 0))
        whole = sum(member.sizeHint().width() + gap for member in self._members if member in self._wanted)
        self.setMaximumWidth(max(whole - gap, self.minimumWidth()))
        room = self.width() - sum(member.sizeHint().width() + gap for member in kept)
        is_full = False
        for member in self._members:
            size, is_kept = member.sizeHint(), member in kept
            room += size.width() + gap if is_kept else 0
            is_full = is_full or (member in self._wanted and not is_kept and left + size.width() > room)
            is_shown = is_kept or (member in self._wanted and not is_full)
            member.setVisible(is_shown)
            if is_shown:
                member.setGeometry(left, (self.height() - size.height()) // 2, size.width(), size.height())
                left += size.width() + gap

    def wanted(self, member: QWidget) -> bool:
        """Whether a widget is to be shown where there is room."""
        return member in self._wanted

    def sizeHint(self) -> QSize:
        return QSize(theme().px(200), theme().px(28))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()


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
        super().__init__(
            "",
            Tone.NEUTRAL,
            parent,
            objectName=f"points-{kind}",
            cursor=Qt.CursorShape.PointingHandCursor,
            toolTip="Go to the first of them (F8)",
        )
        self._kind = kind

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit(self._kind)


class RareButton(Button):
    """A button whose shortcut stands in its tooltip, so that the bar has room for what it says."""

    def set_keys(self, keys: str) -> None:
        self.setToolTip(keys)
        self.setAccessibleName(f"{self.shown_text} ({keys})" if keys else self.shown_text)


class NoteLabel(ElidedLabel):
    """What the bar says, over two lines where one is too short; the second ends in an ellipsis."""

    @property
    def shown_text(self) -> str:
        words, room, metrics = self.text().split(), self.contentsRect().width(), self.fontMetrics()
        fitting = len(words)
        while fitting > 1 and metrics.horizontalAdvance(" ".join(words[:fitting])) > room:
            fitting -= 1
        lines = [" ".join(part) for part in (words[:fitting], words[fitting:]) if part]
        return "\n".join(metrics.elidedText(line, Qt.TextElideMode.ElideRight, room) for line in lines)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        painter.drawText(self.contentsRect(), self.alignment(), self.shown_text)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width(), 2 * hint.height())


class SubmitBar(Bar):
    """Chips at the left, buttons at the right. `kind_wanted` carries the kind of points to go to."""

    kind_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("bar", height=52, parent=parent, objectName="submit-bar")
        self._snapshot: Snapshot | None = None
        self._pointed_at: Snapshot | None = None
        self._chips = {
            kind: PointChip(kind)
            for kind in ("clash", "drawing", "finding", "evidence", "label", "judgment", "checklist")
        }
        self._task = TextLabel("", "small-muted", objectName="task-count")
        self._note = NoteLabel(
            "",
            "small-muted",
            objectName="workbench-note",
            alignment=Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
        )
        self._note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._clear = build(
            QTimer, self, singleShot=True, interval=_NOTE_MILLISECONDS, timeout=self._note.clear
        )
        self.reject = RareButton("Reject…")
        self.give_back = RareButton("Return…")
        self.escalate = Button("Escalate…")
        self.hand_back = RareButton("Hand back")
        self.undo_submit = RareButton("Undo submit")
        self.submit = Button("Submit", ButtonKind.PRIMARY)
        for name, button in self.buttons.items():
            button.setObjectName(f"workbench-{name}")
            button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._points = ChipRow()
        for kind, chip in self._chips.items():
            chip.clicked.connect(self.kind_wanted)
            self._points.add(chip, is_kept=kind == "checklist")
        self._points.add(self._task)
        self.row.addWidget(self._points, 3)
        self.row.addWidget(self._note, 2)
        for button in self.buttons.values():
            self.row.addWidget(button)
        self.undo_submit.hide()

    @property
    def buttons(self) -> dict[str, Button]:
        """The buttons by the last part of their command's id."""
        return {
            "withdraw": self.undo_submit,
            "reject": self.reject,
            "return": self.give_back,
            "escalate": self.escalate,
            "hand-back": self.hand_back,
            "submit": self.submit,
        }

    def show_stage(self, stage: Stage) -> None:
        """Show what can be done at a stage."""
        self.submit.setText(SUBMIT_WORDS.get(stage, "Submit"))
        self.give_back.setVisible(stage is Stage.CROSS_CHECK)
        self.submit.updateGeometry()

    def show_undo(self, case_id: str) -> None:
        """Offer to take the last submission back; empty where that is not possible any more."""
        self.undo_submit.setVisible(bool(case_id))
        self.undo_submit.setAccessibleDescription(f"Take back the submission of {case_id}" if case_id else "")

    def show_assessment(self, assessment: Assessment, *, task: int) -> None:
        """Show how far the case is; what was said to be open is not said any longer once that may be over."""
        if self._pointed_at is not None and assessment.snapshot is not self._pointed_at:
            self.tell("")
        self._snapshot = assessment.snapshot
        open_points = Counter[str](blocker.kind for blocker in assessment.blockers)
        words = {
            "clash": f"{counted(open_points['clash'], 'place')} changed by both",
            "drawing": f"{counted(open_points['drawing'], 'task')} not drawn",
            "label": f"{counted(open_points['label'], 'label')} open",
            "judgment": f"{counted(open_points['judgment'], 'judgment')} open",
            "checklist": f"{open_points['checklist']} to confirm",
        }
        for kind, text in words.items():
            chip = self._chips[kind]
            chip.set_chip(text, Tone.WARN)
            self._points.want(chip, on=open_points[kind] > 0)
        self._show_findings(assessment, is_asked="finding" in open_points)
        self._show_evidence(assessment, is_asked="evidence" in open_points)
        total = len(assessment.snapshot.case.tasks)
        self._task.setText(f"task {task + 1} of {total}")
        self._points.arrange()

    def tell(self, words: str) -> None:
        """Say something for a few seconds."""
        self._pointed_at = None
        self._note.setText(words)
        self._clear.start()

    def point_out(self, words: str) -> None:
        """Say for a few seconds what is open, at most until the case is another one."""
        self.tell(words)
        self._pointed_at = self._snapshot

    @property
    def note(self) -> str:
        """What it says for these few seconds."""
        return self._note.text()

    def chip_words(self) -> tuple[str, ...]:
        """What the chips say, from the left."""
        return tuple(chip.text() for chip in self._chips.values() if self._points.wanted(chip))

    def _show_findings(self, assessment: Assessment, *, is_asked: bool) -> None:
        words = findings_words(assessment.open_findings())
        chip = self._chips["finding"]
        chip.set_chip(
            words if is_asked else f"{words}, not blocking", Tone.WARN if is_asked else Tone.NEUTRAL
        )
        chip.setToolTip("Errors block the submission, warnings do not. Go to the first of them (F8)")
        self._points.want(chip, on=bool(words))

    def _show_evidence(self, assessment: Assessment, *, is_asked: bool) -> None:
        total, done = len(assessment.evidence), assessment.settled_count
        chip = self._chips["evidence"]
        chip.set_chip(f"evidence {done} of {total}", Tone.OK if done == total else Tone.WARN)
        self._points.want(chip, on=total > 0 and (is_asked or done > 0))


def why_blocked(assessment: Assessment) -> str:
    """Why a case cannot be submitted yet, in one sentence; empty where it can."""
    count = len(assessment.blockers)
    if not count:
        return ""
    first = assessment.blockers[0].message
    return f"{counted(count, 'point')} to settle first (F8). {first}"
