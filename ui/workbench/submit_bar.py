"""The bar below a case: what is still to do, and the ways to let go of it."""

from collections import Counter
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from annotator.drafts.assessment import Assessment
from annotator.drafts.problems import findings_words
from scoring.model.taxonomy import Stage
from scoring.texts import tr, tr_count
from ui.theme import Button, ButtonKind, Chip, Tone, WrappedLabel, theme
from ui.theme.layouts import FlowLayout, build, hbox, vbox
from ui.theme.look import scaled
from ui.theme.panels import StatePlace

NOTE_MILLISECONDS = 8000
_SAVED_WIDTH = 160
"""Room for whether the work is saved, in pixels at 100 %."""
_TWO_LINES = 32
"""Height of two lines of the small text, in pixels at 100 %."""

SUBMIT_WORDS = {
    Stage.SELF_CHECK_TASK: tr("Submit self-check"),
    Stage.SELF_CHECK_DIALOGUE: tr("Submit dialogue"),
    Stage.CROSS_CHECK: tr("Submit judgment"),
}


class PointChip(Chip):
    """A chip one can click to go to what it counts; `clicked` carries the kind of the points."""

    clicked = Signal(str)

    def __init__(self, kind: str, **properties: Any) -> None:
        super().__init__(
            "",
            Tone.NEUTRAL,
            **properties,
            objectName=f"points-{kind}",
            cursor=Qt.CursorShape.PointingHandCursor,
            toolTip=tr("Go to the first of them (F8)"),
        )
        self._kind = kind

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit(self._kind)


class SubmitBar(QFrame):
    """What the next key does, and below it chips for what is open and buttons; nothing of it is ever cut.

    `kind_wanted` carries the kind of points to go to.
    """

    kind_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="submit-bar", look="bar")
        self._chips = {
            kind: PointChip(kind, clicked=self.kind_wanted, visible=False)
            for kind in (
                "clash",
                "drawing",
                "finding",
                "evidence",
                "label",
                "review",
                "judgment",
                "checklist",
            )
        }
        self.next_keys = WrappedLabel(
            "", "small", objectName="workbench-next-keys", alignment=Qt.AlignmentFlag.AlignTop
        )
        """Says what the next key does, until it is something else."""
        scaled(self.next_keys, setMinimumHeight=_TWO_LINES)  # so that nothing above moves at every key
        self._note = WrappedLabel(
            "",
            "small-muted",
            objectName="workbench-note",
            alignment=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight,
            visible=False,
        )
        self._clear = build(
            QTimer, self, singleShot=True, interval=NOTE_MILLISECONDS, timeout=partial(self._note.say, "")
        )
        self.more = Button(tr("More"), icon_name="caret-down", objectName="workbench-more")
        """Opens what else can be done with the case."""
        self.undo_submit = Button(
            tr("Undo submit"), ButtonKind.LINK, objectName="workbench-withdraw", visible=False
        )
        self.submit = Button(tr("Submit"), ButtonKind.PRIMARY, objectName="workbench-submit")
        for button in (self.undo_submit, self.submit):
            button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._chips["finding"].setToolTip(
            tr("Errors block the submission, warnings do not. Go to the first of them (F8)")
        )
        self._state = StatePlace()
        ends = self._state, self.more, self.submit
        vbox(
            hbox((self.next_keys, 2), (self._note, 1), self.undo_submit, gap=16),
            FlowLayout(*self._chips.values(), *ends, gap=8, line_gap=4, left_count=len(self._chips)),
            within=self,
            gap=4,
            margins=(16, 6),
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._state.setFixedWidth(max(theme().px(_SAVED_WIDTH), self.width() // 4))

    def show_stage(self, stage: Stage) -> None:
        """Show what can be done at a stage."""
        self.submit.setText(SUBMIT_WORDS.get(stage, tr("Submit")))
        self.submit.updateGeometry()

    def show_undo(self, case_id: str) -> None:
        """Offer to take the last submission back; empty where that is not possible any more."""
        self.undo_submit.setVisible(bool(case_id))
        self.undo_submit.setText(tr("Undo submit of {case_id}", case_id=case_id))

    def show_assessment(self, assessment: Assessment) -> None:
        """Show how far the case is."""
        open_points = Counter[str](blocker.kind for blocker in assessment.blockers)
        for kind, text in {
            "clash": tr("{place} changed by both", place=tr_count(open_points["clash"], "place")),
            "drawing": tr("{task} not drawn", task=tr_count(open_points["drawing"], "task")),
            "label": tr("{label} open", label=tr_count(open_points["label"], "label")),
            "review": tr("{outcome} open", outcome=tr_count(open_points["review"], "outcome")),
            "judgment": tr("{judgment} open", judgment=tr_count(open_points["judgment"], "judgment")),
            "checklist": tr("{open_points} to confirm", open_points=open_points["checklist"]),
        }.items():
            self._show_chip(kind, text, is_shown=open_points[kind] > 0)
        self._show_findings(assessment, is_asked="finding" in open_points)
        self._show_evidence(assessment, is_asked="evidence" in open_points)

    def tell(self, words: str) -> None:
        """Say something for a few seconds."""
        self._note.say(words)
        self._clear.start()

    @property
    def note(self) -> str:
        """What it says for these few seconds."""
        return self._note.text()

    def _show_findings(self, assessment: Assessment, *, is_asked: bool) -> None:
        words = findings_words(assessment.open_findings())
        self._show_chip(
            "finding",
            words if is_asked else tr("{words}, not blocking", words=words),
            Tone.WARN if is_asked else Tone.NEUTRAL,
            is_shown=bool(words),
        )

    def _show_evidence(self, assessment: Assessment, *, is_asked: bool) -> None:
        total, done = len(assessment.evidence), assessment.settled_count
        self._show_chip(
            "evidence",
            tr("evidence {done} of {total}", done=done, total=total),
            Tone.OK if done == total else Tone.WARN,
            is_shown=total > 0 and (is_asked or done > 0),
        )

    def _show_chip(self, kind: str, words: str, tone: Tone = Tone.WARN, *, is_shown: bool) -> None:
        self._chips[kind].set_chip(words, tone)
        self._chips[kind].setVisible(is_shown)


def why_blocked(assessment: Assessment) -> str:
    """Why a case cannot be submitted yet, in one sentence; empty where it can."""
    count = len(assessment.blockers)
    return (
        tr(
            "{point} to settle first (F8). {message}",
            point=tr_count(count, "point"),
            message=tr(assessment.blockers[0].message),
        )
        if count
        else ""
    )
