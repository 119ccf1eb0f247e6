"""How fast requests may start, whichever thread they come from."""

import threading
import time

from annotator.jobs import JobCancelled


class Clock:
    """The time and waiting between attempts; tests have one that waits for nothing."""

    def now(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    def wait(self, stop: threading.Event, seconds: float) -> None:
        """Wait so many seconds, or until `stop` is set."""
        stop.wait(seconds)


class Pace:
    """Spaces the requests of all threads, and holds all of them while an endpoint wants a pause.

    Args:
        requests_per_minute: How many may start; None for as many as come.
    """

    def __init__(self, requests_per_minute: float | None = None) -> None:
        self._gap = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._next = 0.0
        self._held_until = 0.0
        self._lock = threading.Lock()

    def hold(self, seconds: float) -> None:
        """Let no request start for some time."""
        with self._lock:
            self._held_until = max(self._held_until, time.monotonic() + seconds)

    def take_turn(self, stop: threading.Event) -> None:
        """Wait until the next request may start.

        Raises:
            JobCancelled: `stop` was set meanwhile.
        """
        with self._lock:
            turn = max(time.monotonic(), self._next)
            self._next = turn + self._gap
        while True:
            if stop.is_set():
                raise JobCancelled
            with self._lock:
                wait = max(turn, self._held_until) - time.monotonic()
            if wait <= 0:
                return
            stop.wait(wait)
