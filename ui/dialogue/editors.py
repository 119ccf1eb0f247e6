"""Editors that open in the place of the text they change, the pauses in typing, and the keys under them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue
from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from scoring.errors import AnnotatorError
from scoring.model.strict_json import parse_embedded
from scoring.texts import tr
from ui.dialogue.json_text import same_json
from ui.theme import Kbd, TextLabel, theme
from ui.theme.events import ENTER_KEYS
from ui.theme.layouts import FlowLayout, build, connect, hbox, vbox

_LONGEST_MILLISECONDS = 350
_ENDLESS = re.compile(r"\S{10000}")
"""A word that is not wrapped: finding where to break it would take Qt minutes for a megabyte."""
_LEAST_LINES, _MOST_LINES = 2, 22


def is_keeping(event: QKeyEvent) -> bool:
    """Whether a key ends an editor with what was typed."""
    return event.key() in ENTER_KEYS and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)


class PlainEditor(QPlainTextEdit):
    """Grows with its text. Ctrl+Enter and Escape go to what it stands in; `left` says that the keys went.

    `paused` is sent shortly after the last key, and 350 ms after the first where none is the last.

    Args:
        text: What stands in it first.
        pause: How long after the last key, in milliseconds.
        properties: Of Qt, e.g. `objectName`.
    """

    paused = Signal()
    left = Signal()

    def __init__(self, text: str, *, pause: int = 150, **properties: Any) -> None:
        build(
            super().__init__,
            **properties,
            tabChangesFocus=True,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed),
        )
        self._text: str | None = None
        self.document().contentsChange.connect(self._forget_text)
        if _ENDLESS.search(text):
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setPlainText(text)
        self._short, self._long = (
            build(QTimer, self, singleShot=True, interval=span, timeout=self._pause)
            for span in (pause, _LONGEST_MILLISECONDS)
        )
        self.textChanged.connect(self._grow)

    @property
    def text(self) -> str:
        """What is typed, hard blanks included, which Qt would make plain ones."""
        # Copying a long text out of Qt takes milliseconds, and one key asks for it many times.
        if self._text is None:
            self._text = self.document().toRawText().replace("\u2029", "\n")
        return self._text

    def note_key(self) -> None:
        """Something was typed, here or in what stands beside the text."""
        self._short.start()
        if not self._long.isActive():
            self._long.start()

    def settle(self) -> None:
        """Send `paused` now if it is due."""
        if self._long.isActive():
            self._pause()

    def sizeHint(self) -> QSize:
        lines = max(min(round(self.document().size().height()), _MOST_LINES), _LEAST_LINES)
        return QSize(self.width(), lines * self.fontMetrics().lineSpacing() + theme().px(24))

    def minimumSizeHint(self) -> QSize:
        return QSize(1, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in ENTER_KEYS
        if is_keeping(event) or event.key() == Qt.Key.Key_Escape:
            event.ignore()
        elif not (is_enter and event.isAutoRepeat() and self.document().isEmpty()):  # the key that opened it
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self.left.emit()

    def _forget_text(self, position: int, removed: int, added: int) -> None:
        self._text = None

    def _pause(self) -> None:
        self._short.stop()
        self._long.stop()
        self.paused.emit()

    def _grow(self) -> None:
        self.note_key()
        self.updateGeometry()


class KeyWord(QWidget):
    """A key and what it does."""

    def __init__(self, keys: str, word: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.word = TextLabel(word, "small-muted")
        hbox(Kbd(keys), self.word, within=self, gap=6)


class EditorFoot(QWidget):
    """What stands under an editor: the keys at the right, and what is wrong in lines as wide as the editor.

    Args:
        others: Stand before the keys that end the editor.
    """

    def __init__(self, *others: QWidget) -> None:
        super().__init__()
        self.message = TextLabel("", "small", objectName="editor-message", wordWrap=True)
        keys = KeyWord(tr("Ctrl ↵"), tr("keep")), KeyWord("Esc", tr("give up"))
        vbox(FlowLayout(*others, *keys, gap=10, line_gap=4, left_count=0), self.message, within=self, gap=2)

    def say(self, words: str, look: str) -> None:
        """Say something under the keys; nothing for nothing."""
        self.message.set_look(look if words else "small")
        self.message.setText(words)


@dataclass(frozen=True)
class ParsedInput:
    """What typed text amounts to, and why it cannot be kept (empty where it can)."""

    value: JsonValue = None
    refusal: str = ""


class FieldEditor(QWidget):
    """An editor of one field. `typed` carries values while typing, `kept` the final one.

    `given_up` carries the value there was before, which has to be put back.

    Args:
        field: Where it is typed.
        value: What the text stands for, and what giving up goes back to.
        read: Turns the text into a value.
        name: What it is called, for screen readers.
        extras: What stands under it besides the keys that end it.
    """

    typed = Signal(object)
    kept = Signal(object)
    given_up = Signal(object)
    checked = Signal()
    """What is typed was read; `is_unread` says whether it is no value."""

    def __init__(
        self,
        field: PlainEditor,
        value: JsonValue,
        *,
        read: Callable[[str], ParsedInput],
        name: str,
        extras: Sequence[QWidget] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.field = field
        self.foot = EditorFoot(*extras)
        self.before = value
        """The value there was."""
        self._read = read
        self.told = value
        """The value that was told last; at first the one there was."""
        self._first_text = field.text
        self.is_closed = False
        """Whether it was kept or given up."""
        field.setAccessibleName(name)
        self.column = vbox(field, self.foot, within=self, gap=4)
        self.setFocusProxy(field)
        connect(
            (field.paused, self._pause),
            (field.left, self.leave),
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_keeping(event):
            self.keep()
        elif event.key() == Qt.Key.Key_Escape:
            self.give_up()
        else:
            super().keyPressEvent(event)

    def keep(self) -> None:
        """Close with what was typed; an editor that holds no value says so and stays open."""
        if not self.is_closed:
            reading = self.reading()
            if reading.refusal:
                self.refuse(reading.refusal)
            else:
                self.is_closed = True
                self.kept.emit(reading.value)

    def reading(self) -> ParsedInput:
        """What it holds; a text nobody touched is the value there was, whatever Qt made of its characters."""
        text = self.field.text
        return ParsedInput(value=self.before) if text == self._first_text else self._read(text)

    def take(self, reading: ParsedInput) -> None:
        """Tell what was typed, if it is another value than before."""
        # Colouring counts as a change for Qt; only other values are news.
        if not reading.refusal and not self.is_closed and not same_json(reading.value, self.told):
            self.told = reading.value
            self.typed.emit(reading.value)

    @property
    def has_focus(self) -> bool:
        """Whether the keys go to it."""
        return self.field.hasFocus()

    def begin(self) -> None:
        """Give it the keys."""
        self.field.setFocus()

    def refuse(self, words: str) -> None:
        """Say why it stays open."""
        self.foot.say(words, "error")

    def leave(self) -> None:
        """The keys went elsewhere: what was typed is kept."""
        self.keep()

    def retype(self, text: str) -> None:
        """Put a text into the field, as if it were typed over all there is."""
        cursor = self.field.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.field.setTextCursor(cursor)

    def give_up(self) -> None:
        """Close with the value there was before; what was typed is told first, so that it can be redone."""
        if not self.is_closed:
            self.take(self.reading())
            self.is_closed = True
            self.given_up.emit(self.before)

    @property
    def is_unread(self) -> bool:
        """Whether what was typed when it was read last is no value."""
        return False

    def _pause(self) -> None:
        self.take(self.reading())
        self.checked.emit()


def text_editor(text: str, *, name: str) -> FieldEditor:
    """An editor of a text exactly as it is: no correction, Markdown raw."""
    return FieldEditor(PlainEditor(text, objectName="text-editor"), text, read=_as_text, name=name)


def result_editor(value: str | None, *, name: str) -> FieldEditor:
    """An editor of an observation that is a text, or not recorded yet.

    Where there was none, what reads as an object or a list becomes one, and nothing stays nothing.
    """
    field = PlainEditor(value or "", objectName="text-editor", look="code")
    return FieldEditor(field, value, read=_as_result if value is None else _as_text, name=name)


def _as_text(text: str) -> ParsedInput:
    return ParsedInput(value=text)


def _as_result(text: str) -> ParsedInput:
    if not text.strip():
        return ParsedInput()
    try:
        value = parse_embedded(text)
    except AnnotatorError:
        return ParsedInput(value=text)
    return ParsedInput(value=value if isinstance(value, (dict, list)) else text)
