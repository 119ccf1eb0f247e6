"""Notices that somebody types a sentence where letters are commands, and takes back what the letters did."""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QUndoStack
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from scoring.texts import tr
from ui.services.commands import Commands
from ui.theme.events import follow_focus

_GAP_SECONDS = 0.8
"""Letters that follow each other faster may be one sentence; commands are a moment of thought apart."""
_FLUENT_SECONDS, _RATTLED_SECONDS = 0.25, 0.15
"""The pace of a word, and one at which nobody gives different commands one after the other.

A field that a letter opened takes a text unless the letters before it came at the pace of a word.
"""
_LETTERS_BEFORE_BLANK, _LETTERS_WITH_STRANGER, _LETTERS_RATTLED = 2, 3, 4


@dataclass
class LetterRun:
    """Bare letters pressed one soon after the other.

    It is a sentence when a blank follows two letters, when one of three letters is no command, or when four
    different letters come at once.

    Args:
        commands: The characters that are commands, as they are typed.
    """

    commands: Collection[str]
    text: str = field(default="", init=False)
    _last: float = field(default=0.0, init=False)
    _slowest: float = field(default=0.0, init=False)

    def is_followed_at(self, at: float) -> bool:
        """Whether a letter at a moment, in seconds, would belong to it."""
        return bool(self.text) and at - self._last <= _GAP_SECONDS

    def is_fluent_at(self, at: float) -> bool:
        """Whether it came at the pace of a word up to a moment, in seconds."""
        return bool(self.text) and max(self._slowest, at - self._last) <= _FLUENT_SECONDS

    def add(self, letter: str, at: float) -> None:
        """Note a letter; one that comes too late begins anew."""
        before = (self.text, max(self._slowest, at - self._last)) if self.is_followed_at(at) else ("", 0.0)
        self.text, self._slowest = before[0] + letter, before[1]
        self._last = at

    @property
    def is_one_key(self) -> bool:
        """Whether one key was pressed last, once or more, as by somebody who confirms item after item."""
        return len(set(self.text[-2:])) == 1

    @property
    def is_sentence(self) -> bool:
        """Whether somebody types a text."""
        letters = self.text.replace(" ", "")
        # A digit alone is no word, and digits follow each other fast where one draws.
        words = "".join(letter for letter in letters if not letter.isdecimal())
        has_blank = " " in self.text.strip() or self.text.endswith(" ")
        is_rattled = self._slowest <= _RATTLED_SECONDS and len(set(words.lower())) >= _LETTERS_RATTLED
        has_stranger = any(letter not in self.commands for letter in words)
        return (
            is_rattled
            or (has_blank and len(letters) >= _LETTERS_BEFORE_BLANK)
            or (has_stranger and len(words) >= _LETTERS_WITH_STRANGER)
        )


class SentenceGuard(QObject):
    """Watches the bare letters that reach a page; a sentence of them leaves its document as it was.

    Where the letters changed the document, the rest of the sentence is watched also in a field or menu that
    one of them opened. Once it is known for a sentence, what is typed until the next pause does nothing.

    Args:
        page: What the letters are commands of.
        stack: Gives the undo stack of what is open on it, or None.
        commands: Knows which letters are commands.
        menus: Menus that letters open on the page.
    """

    told = Signal(str)
    """What was noticed, for the footer."""

    def __init__(
        self,
        page: QWidget,
        *,
        stack: Callable[[], QUndoStack | None],
        commands: Commands,
        menus: Collection[QWidget] = (),
    ) -> None:
        super().__init__(page)
        self._page = page
        self._stack = stack
        self._commands = commands
        self._run = LetterRun(())
        self._marked: QUndoStack | None = None
        self._mark = 0
        self._focus: QWidget | None = None
        self._is_swallowing = False
        self._until = 0.0
        self._leader = ""
        """The letter that led to where the focus is."""
        for menu in menus:
            menu.installEventFilter(self)
        follow_focus(self._follow)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):
            return False
        if event.type() is QEvent.Type.ShortcutOverride:
            if not self._is_text(event):
                return False
            event.accept()  # no shortcut of the page gets it
            return True
        return event.type() is QEvent.Type.KeyPress and self._is_swallowing and _is_bare(event)

    def _follow(self, _: object, focus: QWidget | None) -> None:
        if self._focus is not None and shiboken6.isValid(self._focus):
            self._focus.removeEventFilter(self)
        self._focus = None
        if not shiboken6.isValid(self._page) or focus is None:
            return  # the focus moves on while a page goes away, too
        if self._page.isAncestorOf(focus) or focus is self._page or self._run.text:
            self._focus, self._leader = focus, self._run.text[-1:]
            focus.installEventFilter(self)

    def _is_text(self, event: QKeyEvent) -> bool:
        """Note a key before anybody acts on it; whether it is text that nobody wants here."""
        self._is_swallowing, was_swallowing = False, self._is_swallowing
        now = time.monotonic()
        if event.key() in (Qt.Key.Key_Shift, Qt.Key.Key_CapsLock, Qt.Key.Key_AltGr):
            self._is_swallowing = was_swallowing
            return False
        if not _is_bare(event) or not self._page.isVisible():
            self._end()
            return False
        letter = event.text()
        if was_swallowing and now <= self._until:
            return self._swallow(now)
        is_of_field = is_field(self._focus) and not (self._is_run_into_field(now) and self._has_changed())
        if is_of_field or (letter == " " and self._is_led_to_a_box()):
            self._end()
            return False
        self._note(letter, now)
        if not self._run.is_sentence:
            return False
        self._take_back()
        return self._swallow(now)

    def _note(self, letter: str, now: float) -> None:
        stack = self._stack()
        if not self._run.is_followed_at(now):
            self._run = LetterRun(self._commands.letters())
            self._marked = None
        self._run.add(letter, now)
        if stack is not self._marked:
            self._marked = stack
            self._mark = stack.index() if stack is not None else 0

    def _swallow(self, now: float) -> bool:
        self._is_swallowing, self._until = True, now + _GAP_SECONDS
        return True

    def _end(self) -> None:
        self._run = LetterRun(())

    def _is_led_to_a_box(self) -> bool:
        """Whether a blank presses the box to which the key before it led, and no word."""
        is_box = isinstance(self._focus, QAbstractButton)
        return is_box and self._run.is_one_key and self._run.text[-1] == self._leader

    def _has_changed(self) -> bool:
        stack = self._stack()
        return stack is not None and stack is self._marked and stack.index() > self._mark

    def _is_run_into_field(self, now: float) -> bool:
        """Whether what is typed in a field goes on with letters that were typed before it had the keys."""
        is_dialog = self._focus is not None and self._focus.window() is not self._page.window()
        return self._run.is_followed_at(now) if is_dialog else self._run.is_fluent_at(now)

    def _take_back(self) -> None:
        had_changed = self._has_changed()
        popup = QApplication.activePopupWidget()
        dialog = QApplication.activeModalWidget()
        if popup is not None:
            popup.close()
        if isinstance(dialog, QDialog):
            dialog.reject()
        if had_changed and self._marked is not None:
            self._marked.setIndex(self._mark)
        if is_field(self._focus):
            self._page.setFocus(Qt.FocusReason.OtherFocusReason)
        self._end()
        done = tr("undone (Ctrl+Shift+Z redoes it)") if had_changed else tr("ignored")
        hint = tr(" Enter edits the card.") if self._stack() is not None else ""
        self.told.emit(tr("Looked like a sentence: {done}.{hint}", done=done, hint=hint))


def _is_bare(event: QKeyEvent) -> bool:
    """Whether a key writes a character: a letter, a digit, a sign, or a blank."""
    modifiers = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
    text = event.text()
    return modifiers == Qt.KeyboardModifier.NoModifier and len(text) == 1 and text.isprintable()


def is_field(widget: QWidget | None) -> bool:
    """Whether what is typed in a widget is a text."""
    return isinstance(widget, QPlainTextEdit | QTextEdit | QLineEdit) and not widget.isReadOnly()
