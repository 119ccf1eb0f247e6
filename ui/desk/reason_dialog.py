"""Asking why: the dialog before a case is rejected, escalated, returned or skipped."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from scoring.model.labels import Reason
from scoring.model.taxonomy import FeedbackCategory
from ui.services.topics import set_topic
from ui.theme import Button, ButtonKind
from ui.theme.dialogs import DialogFrame
from ui.theme.fields import DropDown, NoteField
from ui.theme.words import FEEDBACK


class ReasonDialog(QDialog):
    """Asks for a category and a note; it blocks nothing while it is open.

    `given` carries the `Reason`.

    Args:
        title: What is about to be done, as a question.
        words: What follows from it, in one sentence.
        verb: What the button says.
        parent: The page.
        has_category: Whether a kind of mistake is asked for besides the note.
        topic: What `F1` explains in it; empty for nothing.
    """

    given = Signal(object)

    def __init__(
        self,
        title: str,
        words: str,
        *,
        verb: str,
        parent: QWidget,
        has_category: bool = True,
        topic: str = "",
    ) -> None:
        super().__init__(parent)
        self.setObjectName("reason-dialog")
        set_topic(topic, self)
        self.setWindowTitle(title)
        choices = [(name.capitalize(), category.value) for category, name in FEEDBACK.items()]
        self.category = DropDown("reason-category", choices, accessibleName="Kind of mistake")
        self.category.setCurrentIndex(self.category.findData(FeedbackCategory.OTHER.value))
        self.category.setVisible(has_category)
        self.category.currentIndexChanged.connect(self._explain_category)
        self._explain_category()
        self.note = NoteField(
            "reason-note", "Why", "What is wrong, and where", textChanged=self._check, sent=self._give
        )
        self._ok = Button(
            verb, ButtonKind.PRIMARY, keys="Ctrl ↵", objectName="reason-ok", default=True, clicked=self._give
        )
        frame = DialogFrame(self, title, width=460)
        frame.explain(words)
        frame.add(self.category)
        frame.add(self.note, stretch=1)
        frame.end_with(self._ok)
        self._check()
        self.note.setFocus()

    def _explain_category(self) -> None:
        set_topic(f"feedback.{self.category.currentData()}", self.category)

    def _check(self) -> None:
        is_empty = not self.note.words
        self._ok.set_blocked("Say why in a few words; whoever gets the case reads it." if is_empty else "")

    def _give(self) -> None:
        note = self.note.words
        if note:
            category = FeedbackCategory(self.category.currentData())
            self.accept()
            self.given.emit(Reason(category=category, note=note))
