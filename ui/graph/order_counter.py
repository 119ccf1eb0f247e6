"""Counting orders that take longer than a frame, beside the window's thread."""

import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from scoring.model.graph import StepGraph
from scoring.orders import remaining_orders

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance

PATIENT_LIMIT = 500_000
"""States visited before counting is given up: nearly every drawing of 30 steps, in a second or two."""

_USUAL_SECONDS, _SHORT_SECONDS = sys.getswitchinterval(), 0.0002
"""How long the interpreter stays with one thread: painting must not wait whole turns of the count."""

Wanted = tuple[StepGraph, frozenset[int]]


class OrderCounter(QObject):
    """Counts for one card: one drawing at a time, and of those that wait only the newest.

    A thread lives only as long as something is counted.
    """

    counted = Signal(object)
    """The number; null where there are too many states to visit."""

    _ended = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running: Wanted | None = None
        self._wanted: Wanted | None = None
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def count(self, graph: StepGraph, done: Iterable[int] = ()) -> None:
        """Count the orders of a graph once some steps are done; what was counted before is forgotten."""
        self._wanted = (graph, frozenset(done))
        self._begin()

    def forget(self) -> None:
        """Say nothing about what is being counted."""
        self._wanted = None

    def _begin(self) -> None:
        if self._running is not None or self._wanted is None:
            return
        self._running = self._wanted
        sys.setswitchinterval(_SHORT_SECONDS)
        pool = ThreadPoolExecutor(1, thread_name_prefix="orders")
        pool.submit(partial(_count, self._ended, *self._running))
        pool.shutdown(wait=False)

    def _deliver(self, wanted: Wanted, count: int | None) -> None:
        self._running = None
        sys.setswitchinterval(_USUAL_SECONDS)
        if wanted == self._wanted:
            self._wanted = None
            self.counted.emit(count)
        self._begin()


def _count(told: "SignalInstance", graph: StepGraph, done: frozenset[int]) -> None:
    told.emit((graph, done), remaining_orders(graph, done, limit=PATIENT_LIMIT))
