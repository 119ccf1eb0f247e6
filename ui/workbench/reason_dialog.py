"""Asking why: the dialog before a case is rejected, escalated, returned or skipped."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from scoring.model.labels import Reason
from scoring.model.taxonomy import FeedbackCategory
from ui.theme import Button, ButtonKind, TextLabel, theme
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
    """

    given = Signal(object)

    def __init__(
        self, title: str, words: str, *, verb: str, parent: QWidget, has_category: bool = True
    ) -> None:
        super().__init__(parent)
        self.setObjectName("reason-dialog")
        self.setWindowTitle(title)
        look = theme()
        self.setFixedWidth(look.px(460))
        self.category = QComboBox()
        self.category.setObjectName("reason-category")
        self.category.setAccessibleName("Kind of mistake")
        for category, name in FEEDBACK.items():
            self.category.addItem(name.capitalize(), category.value)
        self.category.setCurrentIndex(self.category.findData(FeedbackCategory.OTHER.value))
        self.category.setVisible(has_category)
        self.note = _Note()
        self.note.setObjectName("reason-note")
        self.note.setAccessibleName("Why")
        self.note.setPlaceholderText("What is wrong, and where")
        self.note.setFixedHeight(look.px(92))
        self.note.setTabChangesFocus(True)
        self.note.textChanged.connect(self._check)
        self.note.sent.connect(self._give)
        self._ok = Button(verb, ButtonKind.PRIMARY, keys="Ctrl ↵")
        self._ok.setObjectName("reason-ok")
        self._ok.clicked.connect(self._give)
        cancel = Button("Cancel", keys="Esc")
        cancel.setObjectName("reason-cancel")
        cancel.clicked.connect(self.reject)
        explained = TextLabel(words, "muted")
        explained.setWordWrap(True)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self._ok)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(look.px(16),) * 4)
        column.setSpacing(look.px(12))
        column.addWidget(TextLabel(title, "title"))
        column.addWidget(explained)
        column.addWidget(self.category)
        column.addWidget(self.note)
        column.addLayout(buttons)
        self._check()
        self.note.setFocus()

    def _check(self) -> None:
        is_empty = not self.note.toPlainText().strip()
        self._ok.set_blocked("Say why in a few words; whoever gets the case reads it." if is_empty else "")

    def _give(self) -> None:
        note = self.note.toPlainText().strip()
        if note:
            category = FeedbackCategory(self.category.currentData())
            self.accept()
            self.given.emit(Reason(category=category, note=note))


class _Note(QPlainTextEdit):
    """A few lines of text; Ctrl+Enter sends them."""

    sent = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.sent.emit()
        else:
            super().keyPressEvent(event)
