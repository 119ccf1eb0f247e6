"""Somebody who types a sentence wherever the keys go, not knowing that letters are commands there."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

SENTENCE = "Please move the files"


def type_sentence(window: QWidget, text: str = SENTENCE) -> None:
    """Type a text with Shift for its capitals, each letter to whoever has the keys by then."""
    for letter in text:
        target = QApplication.activePopupWidget() or QApplication.focusWidget() or window
        shift = Qt.KeyboardModifier.ShiftModifier if letter.isupper() else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(target, letter, shift)  # type: ignore[call-overload]  # the stubs leave letters out
