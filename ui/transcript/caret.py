"""A caret in a text that is only read: keys move it and select."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QTextCursor

_Move = QTextCursor.MoveOperation
_MOVES = {
    Qt.Key.Key_Left: _Move.Left,
    Qt.Key.Key_Right: _Move.Right,
    Qt.Key.Key_Up: _Move.Up,
    Qt.Key.Key_Down: _Move.Down,
    Qt.Key.Key_Home: _Move.StartOfLine,
    Qt.Key.Key_End: _Move.EndOfLine,
}
_FAR_MOVES = {
    Qt.Key.Key_Left: _Move.PreviousWord,
    Qt.Key.Key_Right: _Move.NextWord,
    Qt.Key.Key_Home: _Move.Start,
    Qt.Key.Key_End: _Move.End,
}
_SHIFT, _CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


def move_of(event: QKeyEvent) -> QTextCursor.MoveOperation | None:
    """Where a key moves a caret; null where it is no such key."""
    modifiers = event.modifiers() & ~(_SHIFT | Qt.KeyboardModifier.KeypadModifier)
    if modifiers == Qt.KeyboardModifier.NoModifier:
        return _MOVES.get(Qt.Key(event.key()))
    return _FAR_MOVES.get(Qt.Key(event.key())) if modifiers == _CONTROL else None


def is_selecting(event: QKeyEvent) -> bool:
    """Whether a key moves the caret and selects on its way."""
    return bool(event.modifiers() & _SHIFT)


def moved(cursor: QTextCursor, event: QKeyEvent) -> bool:
    """Move a cursor the way a key asks for; whether there was anywhere to go."""
    move = move_of(event)
    if move is None:
        return False
    mode = QTextCursor.MoveMode.KeepAnchor if is_selecting(event) else QTextCursor.MoveMode.MoveAnchor
    return cursor.movePosition(move, mode)
