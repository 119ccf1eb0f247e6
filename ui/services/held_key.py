"""Tells a key that is held from one that is pressed again."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

_NO_FINGER_MILLISECONDS = 5
"""Nobody lets a key go and presses it again within this."""


def is_key_held(widget: QWidget) -> bool:
    """Whether the key that is handled now is held; known from the second time on that its window is asked."""
    window = widget.window().windowHandle()
    return window is not None and (window.findChild(HeldKey) or HeldKey(window)).is_held


class HeldKey(QObject):
    """Watches the keys of a window, its parent.

    X11 writes a repeat as a release and a press at one moment, and Qt does not mark the first as a repeat.
    """

    def __init__(self, window: QObject) -> None:
        super().__init__(window)
        self.is_held = False
        self._released_key, self._released_at = 0, -1
        window.installEventFilter(self)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent):
            if event.type() is QEvent.Type.KeyRelease:
                self.is_held = False
                self._released_key, self._released_at = event.key(), event.timestamp()
            else:
                is_same = event.key() == self._released_key and self._released_at >= 0
                gap = event.timestamp() - self._released_at
                self.is_held = event.isAutoRepeat() or (is_same and gap <= _NO_FINGER_MILLISECONDS)
        return False
