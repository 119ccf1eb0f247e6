"""Checking typed text: short texts at once, long ones on a thread of their own."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from ui.operations.calls import is_there
from ui.transcript.json_checking import Typed

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance

_USUAL_SECONDS, _SHORT_SECONDS = sys.getswitchinterval(), 0.0002
"""How long the interpreter stays with one thread: a key must not wait whole turns of the check."""
LONG_TEXT = 10_000
"""Characters from which on a text is checked beside the window's thread."""

Read = Callable[[str], Typed]
Take = Callable[[Typed], object]


class TextChecker(QObject):
    """Reads texts for the editors of one view; it outlives them.

    One text is read at a time and of those that wait only the newest of each editor, so that a person who
    types on never waits for what was typed before. A thread lives only as long as a text is read.
    """

    _read = Signal(int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._number = 0
        self._running: tuple[int, Take] | None = None
        self._waiting: dict[Take, tuple[str, Read]] = {}
        self._read.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def is_busy(self) -> bool:
        """Whether a text is being read."""
        return self._running is not None

    def check(self, text: str, read: Read, then: Take) -> None:
        """Read a text; a later text for the same taker replaces it.

        Args:
            text: What was typed.
            read: A pure function.
            then: Gets what it amounts to, on the window's thread.
        """
        if len(text) < LONG_TEXT:
            self.forget(then)
            then(read(text))
            return
        self._waiting[then] = (text, read)
        self._begin()

    def forget(self, then: Take) -> None:
        """Tell a taker nothing more, e.g. because its editor is closed."""
        self._waiting.pop(then, None)
        if self._running is not None and self._running[1] == then:
            self._running = (self._running[0], _drop)

    def _begin(self) -> None:
        if self._running is not None or not self._waiting:
            return
        then, (text, read) = next(iter(self._waiting.items()))
        del self._waiting[then]
        self._number += 1
        self._running = (self._number, then)
        sys.setswitchinterval(_SHORT_SECONDS)
        pool = ThreadPoolExecutor(1, thread_name_prefix="json-check")
        pool.submit(partial(_run, self._read, self._number, text, read))
        pool.shutdown(wait=False)

    def _deliver(self, number: int, typed: Typed | Exception) -> None:
        if self._running is None or self._running[0] != number:
            return
        then = self._running[1]
        self._running = None
        sys.setswitchinterval(_USUAL_SECONDS)
        is_outdated = then in self._waiting
        self._begin()
        if isinstance(typed, Exception):
            raise typed
        if not is_outdated and is_there(then):
            then(typed)


def _run(told: "SignalInstance", number: int, text: str, read: Read) -> None:
    try:
        typed: Typed | Exception = read(text)
    except Exception as error:
        typed = error
    told.emit(number, typed)


def _drop(typed: Typed) -> None:
    """Nobody waits for it any more."""
