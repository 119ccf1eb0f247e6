"""What the page shows between two cases: nothing open yet, or what became of the last one."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

from annotator.review.attention.known_answers import KnownAnswerReveal
from annotator.review.queue.notices import Notification
from scoring.texts import in_language, tr, tr_count
from ui.theme import Button, ButtonKind, TextLabel, theme
from ui.theme.events import follow_events
from ui.theme.layouts import STRETCH, build, hbox, vbox
from ui.theme.look import icon
from ui.theme.tokens import Tone
from ui.theme.words import FEEDBACK, LOADING

_MOST_TOLD = 4
_NOTHING = tr("No case is open")


class EmptyPage(QWidget):
    """A sentence and the next step; its buttons are bound to the page's commands."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="workbench-between")
        self._picture = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._title = TextLabel(
            "", "title", objectName="between-title", alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True
        )
        self._text = TextLabel(
            "", "muted", objectName="between-text", alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True
        )
        self.next = Button(tr("Next case"), ButtonKind.PRIMARY, objectName="between-next")
        self.take_back = Button(tr("Take it back"), objectName="between-take-back")
        buttons = hbox(STRETCH, self.take_back, self.next, STRETCH, gap=None, margins=(0, 8, 0, 0))
        vbox(2, self._picture, self._title, self._text, buttons, 3, within=self, gap=8, margins=12)
        self.show_nothing()

    def show_nothing(self) -> None:
        """No case was opened yet."""
        self._show("pencil-simple", _NOTHING, tr("Take the next case, or open one from the queue."))

    def show_waiting(self, is_waiting: bool) -> None:
        """Say that a case is being read, in place of that none is open; or that none is, after all."""
        if is_waiting and self._title.text() == _NOTHING:
            self._show("file-text", LOADING, "")
        elif not is_waiting and self._title.text() == LOADING:
            self.show_nothing()

    def show_done(self, title: str, text: str, *, can_take_back: bool) -> None:
        """Say what became of the last case."""
        self._show("check-circle", title, text, tone=Tone.OK, can_take_back=can_take_back)

    def show_reveal(self, reveal: KnownAnswerReveal) -> None:
        """Say what was planted in a known-answer case, and whether it was caught."""
        title = tr("Planted defect caught") if reveal.is_caught else tr("Planted defect missed")
        if not reveal.is_counted:
            title = tr("Not counted")
        is_well = reveal.is_caught or not reveal.is_counted
        picture, tone = ("check-circle", Tone.OK) if is_well else ("warning", Tone.WARN)
        self._show(picture, title, in_language(reveal.words), tone=tone)

    def show_feedback(self, told: Sequence[Notification], *, can_take_back: bool) -> None:
        """Say what somebody corrected in the person's work, before the next case."""
        self._show(
            "chat-circle-text",
            tr("{correction} of your work", correction=tr_count(len(told), "correction")),
            _feedback_words(told),
            can_take_back=can_take_back,
        )

    def show_undo(self, case_id: str) -> None:
        """Offer to take back the submission of a case it speaks of; empty where that is not possible."""
        self.take_back.setText(tr("Undo submit of {case_id}", case_id=case_id))
        self.take_back.setVisible(bool(case_id) and self._speaks_of_submission)

    def _show(
        self, icon_name: str, title: str, text: str, *, tone: Tone | None = None, can_take_back: bool = False
    ) -> None:
        side = theme().px(36)
        self._picture.setPixmap(icon(icon_name, tone=tone).pixmap(side, side))
        self._title.setText(title)
        self._text.setText(text)
        self._speaks_of_submission = can_take_back
        self.take_back.setVisible(can_take_back)


def _feedback_words(told: Sequence[Notification]) -> str:
    lines = [
        f"{one.case_id}, {one.sender or tr('an expert')}: "
        f"{FEEDBACK.get(one.category or '', one.category)}: {' '.join(one.text.split())}"
        for one in told[:_MOST_TOLD]
    ]
    if len(told) > _MOST_TOLD:
        lines.append(
            tr("{told_count} more in the list of the bell (Ctrl+Shift+N).", told_count=len(told) - _MOST_TOLD)
        )
    return "\n".join(lines)


class OpeningLine(QProgressBar):
    """A line that moves while a case is read and checked, where that takes longer than a moment."""

    shown = Signal(bool)
    """It moves now; or no more."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(
            super().__init__,
            parent,
            objectName="opening-line",
            accessibleName=tr("Opening the case"),
            toolTip=tr("The case is read and checked."),
            textVisible=False,
            minimum=0,
            maximum=0,
            visible=False,
        )
        self.setFixedHeight(theme().px(4))
        self._soon = build(QTimer, self, singleShot=True, interval=250, timeout=self.show)
        follow_events(self, partial(self.shown.emit, True), QEvent.Type.ShowToParent)
        follow_events(self, partial(self.shown.emit, False), QEvent.Type.HideToParent)

    def show_waiting(self, is_waiting: bool) -> None:
        """A case is being opened; or it is open, or cannot be opened."""
        if is_waiting:
            self._soon.start()
        else:
            self._soon.stop()
            self.hide()
