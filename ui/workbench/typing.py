"""Bringing what is being typed into the document before the typist pauses, so that a draft can hold it."""

import shiboken6
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QWidget

from ui.transcript.content import ANSWER_MISSING, CardKind, Edit
from ui.transcript.editors import PlainEditor
from ui.transcript.view import TranscriptView

_LONGEST_MILLISECONDS = 250


class Typing(QObject):
    """Lets an open editor say what was typed four times a second, however fast the keys follow each other.

    An editor by itself says it only after a pause, which somebody in full flow may not make for long. An
    answer that was missing becomes a step with its first letters, and gets another card: the editor is
    opened there again, so that the next letters are letters.

    Args:
        view: The dialogue whose editors are looked after.
    """

    _card_gone = Signal(int, int)

    def __init__(self, view: TranscriptView) -> None:
        super().__init__(view)
        self._view = view
        self._editor: PlainEditor | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_LONGEST_MILLISECONDS)
        self._timer.timeout.connect(self._settle)
        # Queued, since the cards are being exchanged when it is noticed; Qt does it before the next key.
        self._card_gone.connect(self._open_again, Qt.ConnectionType.QueuedConnection)
        view.edited.connect(self._look)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)

    def _follow(self, _: QWidget | None, focus: QWidget | None) -> None:
        if isinstance(focus, PlainEditor) and self._view.isAncestorOf(focus):
            self._editor = focus
            self._timer.start()
        else:
            self._timer.stop()

    def _settle(self) -> None:
        if self._editor is not None and shiboken6.isValid(self._editor):
            self._editor.settle()

    def _look(self, edit: Edit) -> None:
        """Notice an editor that was closed because its card went away, not because somebody left it."""
        if edit.field != "answer" or not edit.is_final or self._editor is None:
            return
        if (edit.task, ANSWER_MISSING) not in {card.key for card in self._view.column.contents}:
            self._card_gone.emit(edit.task, self._editor.textCursor().position())

    def _open_again(self, task: int, place: int) -> None:
        for card in self._view.column.contents:
            if card.task == task and card.kind is CardKind.ANSWER:
                self._view.begin_edit(task, card.step)
        if self._editor is not None and self._editor.hasFocus():
            cursor = self._editor.textCursor()
            cursor.setPosition(min(place, len(self._editor.toPlainText())))
            self._editor.setTextCursor(cursor)
