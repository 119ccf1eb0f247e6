"""How many legal orders a drawing has: counted at once within a frame, else on a job's thread."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from annotator.jobs import JobContext
from scoring.model.graph import StepGraph
from scoring.orders.legal_orders import STATE_LIMIT, remaining_orders
from scoring.texts import tr
from ui.graph.canvas_content import LARGEST_IN_FULL, count_words
from ui.services.operations import Operations
from ui.theme.layouts import build

FRAME_STATE_LIMIT = 6_000
"""States that are visited at once; more would hold up a frame of the window."""

_MOST_DIGITS = 300

Place = tuple[StepGraph, frozenset[int]]
"""A task and its finished steps."""


@dataclass(frozen=True)
class ShownCount:
    """A number of legal orders as it is shown; `count` is None where it is too large to be counted."""

    count: int | None = None
    is_known: bool = True

    @property
    def words(self) -> str:
        """The number as it stands in a cell."""
        if not self.is_known:
            return tr("counting")
        return tr("too many") if self.count is None else count_words(self.count)

    @property
    def tip(self) -> str:
        """What the words leave out."""
        if self.is_known and self.count is None:
            return tr(
                "Counting them would pass through more than {state_limit:,} states of the task.",
                state_limit=STATE_LIMIT,
            )
        return f"{self.count:,}" if LARGEST_IN_FULL <= (self.count or 0) < 10**_MOST_DIGITS else ""


class OrderCounts(QObject):
    """Counts legal orders for what is shown, and remembers those that took long.

    Args:
        operations: Starts the jobs.
        parent: Whoever shows them.
    """

    changed = Signal()
    """A number that was being counted is known."""

    def __init__(self, operations: Operations, parent: QObject, **properties: Any) -> None:
        build(super().__init__, parent, **properties)
        self._operations = operations
        self._known: dict[Place, int | None] = {}
        self._counting: frozenset[Place] = frozenset()
        self._waiting: set[Place] = set()

    def count(
        self, graph: StepGraph, done: AbstractSet[int] = frozenset(), *, is_quick: bool = True
    ) -> ShownCount:
        """The number of ways to finish a task, which is not known before `changed` where it takes long.

        Args:
            graph: The steps of the task.
            done: Those that have run.
            is_quick: Whether counting within a frame is tried first.
        """
        place = graph, frozenset(done)
        if place in self._known:
            return ShownCount(self._known[place])
        count = remaining_orders(graph, done, limit=FRAME_STATE_LIMIT) if is_quick else None
        if count is None:
            if place not in self._counting:
                self._waiting.add(place)
            self._start()
        return ShownCount(count, is_known=count is not None)

    def _start(self) -> None:
        if self._waiting and not self._counting and not self._operations.is_closed:
            self._counting, self._waiting = frozenset(self._waiting), set()
            self._operations.start_outside(
                partial(_counted, self._counting), tr("Count legal orders"), then=self._take
            )

    def _take(self, found: dict[Place, int | None]) -> None:
        self._counting = frozenset()
        self._known |= found
        self.changed.emit()
        self._start()


def _counted(places: frozenset[Place], context: JobContext) -> dict[Place, int | None]:
    return {
        (graph, done): remaining_orders(graph, done)
        for graph, done in context.each(places, "counting legal orders")
    }
