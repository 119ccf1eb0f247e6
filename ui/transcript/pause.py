"""Noticing that somebody pauses while typing, or has typed long enough without a pause."""

from PySide6.QtCore import QObject, QTimer, Signal

LONGEST_MILLISECONDS = 350


class Pause(QObject):
    """Sends `over` shortly after the last key, and at the latest 350 ms after the first.

    Args:
        milliseconds: How long nobody types in a pause.
        parent: Owner.
    """

    over = Signal()

    def __init__(self, milliseconds: int, *, parent: QObject) -> None:
        super().__init__(parent)
        self._short, self._long = (self._timer(span) for span in (milliseconds, LONGEST_MILLISECONDS))

    @property
    def is_awaited(self) -> bool:
        """Whether something was typed since the last pause."""
        return self._long.isActive()

    def note_key(self) -> None:
        """Something was typed."""
        self._short.start()
        if not self._long.isActive():
            self._long.start()

    def end(self) -> None:
        """Await it no longer."""
        self._short.stop()
        self._long.stop()

    def _timer(self, milliseconds: int) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(self._tell)
        return timer

    def _tell(self) -> None:
        self.end()
        self.over.emit()
