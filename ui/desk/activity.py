"""How long a person has been at work on a case: time without any input does not count."""

import time

from PySide6.QtCore import QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QWidget

from ui.theme.layouts import build

_IDLE_SECONDS = 60.0
_TICK_MILLISECONDS = 1000


class ActivityClock(QObject):
    """Counts seconds in which a page is shown and used.

    A moving pointer counts as use, and so does whatever is noted.

    Args:
        page: The page; only while it is visible in the active window time counts.
    """

    ticked = Signal(float)
    """Active seconds so far."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self._seconds = 0.0
        self._last_use = float("-inf")
        self._last_tick = 0.0
        self._pointer = QPoint()
        self._timer = build(QTimer, self, interval=_TICK_MILLISECONDS, timeout=self._tick)

    @property
    def seconds(self) -> float:
        """Active seconds so far."""
        return self._seconds

    def start(self, seconds: float) -> None:
        """Count on from a number of seconds."""
        self._seconds = seconds
        self._last_use = self._last_tick = time.monotonic()
        self._timer.start()
        self.ticked.emit(self._seconds)

    def stop(self) -> None:
        """Stop counting."""
        self._timer.stop()

    def note(self) -> None:
        """The page was used just now."""
        self._last_use = time.monotonic()

    def _tick(self) -> None:
        now = time.monotonic()
        passed, self._last_tick = now - self._last_tick, now
        pointer = QCursor.pos()
        if pointer != self._pointer:
            self._pointer = pointer
            self._last_use = now
        if now - self._last_use < _IDLE_SECONDS and self._page.isVisible() and self._page.isActiveWindow():
            # A computer that slept wakes with one long tick; it was not work.
            self._seconds += min(passed, 2 * _TICK_MILLISECONDS / 1000)
            self.ticked.emit(self._seconds)


def clock_words(seconds: float) -> str:
    """Active time as minutes and seconds, e.g. `02:14`, with hours where there are any."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes:02}:{left:02}"
