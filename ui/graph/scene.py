"""The items of a canvas, kept in step with a task or with two drawings of one task."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QObject, QPointF, QRectF
from PySide6.QtWidgets import QGraphicsScene

from scoring.model.case import Answer, Ask, Edge, Task
from ui.graph.drawing import Pair, Suggestion, overlay_looks, suggestion_looks, task_looks
from ui.graph.items import Mark, StepItem, card_width
from ui.graph.layout import GAP, ROUND_HEIGHT, Layout, free_stops, lay_out
from ui.graph.lines import REFUSED, SUGGESTED, EdgeItem, EdgeLook
from ui.graph.paths import edge_path, loose_path
from ui.graph.words import step_detail, step_title

LABEL_ROOM = 92.0
"""Space left of the cards, for the names of the rounds."""

_OVERLAY_GAP = 44.0

NO_MARKS: Mapping[int, Mark] = MappingProxyType({})
NO_LABELS: Mapping[Pair, str] = MappingProxyType({})


class GraphScene(QGraphicsScene):
    """Cards by step number, lines by pair; reused from one task value to the next."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.steps: dict[int, StepItem] = {}
        self.edges: dict[Pair, EdgeItem] = {}
        self.ghosts: dict[Pair, EdgeItem] = {}
        self.layout = Layout((), (), {})
        self._names: tuple[str, ...] = ()
        self._rubber = EdgeItem((-1, -1))
        self._rubber.setZValue(3)
        self._rubber.hide()
        self.addItem(self._rubber)

    def show_task(
        self,
        task: Task,
        *,
        suggestions: Sequence[Suggestion] = (),
        marks: Mapping[int, Mark] = NO_MARKS,
        redundant: Collection[Pair] = (),
        labels: Mapping[Pair, str] = NO_LABELS,
    ) -> None:
        """Mirror a task."""
        self._lay_out(task, [edge.pair for edge in task.edges], marks)
        self._show_edges(self.edges, task_looks(task, redundant=redundant, labels=labels))
        self._show_edges(self.ghosts, suggestion_looks(suggestions))

    def show_overlay(
        self, task: Task, first: Collection[Edge], second: Collection[Edge], *, names: tuple[str, str]
    ) -> None:
        """Lay two drawings of a task's steps over each other, arranged as the first one is."""
        self._lay_out(task, [edge.pair for edge in first], NO_MARKS, gap=_OVERLAY_GAP)
        self._show_edges(self.edges, overlay_looks(first, second, names=names))
        self._show_edges(self.ghosts, {})

    def step_at(self, point: QPointF) -> StepItem | None:
        """The card at a place."""
        return next((item for item in self.items(point) if isinstance(item, StepItem)), None)

    def edge_at(self, point: QPointF) -> EdgeItem | None:
        """The line at a place, cards hiding lines."""
        for item in self.items(point):
            if isinstance(item, StepItem):
                return None
            if isinstance(item, EdgeItem) and item is not self._rubber:
                return item
        return None

    def is_ghost(self, item: EdgeItem) -> bool:
        """Whether a line is a suggestion."""
        return self.ghosts.get(item.pair) is item

    @property
    def chosen_edges(self) -> tuple[Pair, ...]:
        """The selected edges, in order."""
        return tuple(sorted(pair for pair, item in self.edges.items() if item.is_chosen))

    def choose_edges(self, pairs: Collection[Pair]) -> None:
        """Select these edges, and no others."""
        for pair, item in self.edges.items():
            item.set_chosen(on=pair in pairs)

    def show_current(self, step: int | None) -> None:
        """Draw one step as selected, and the edges it waits for as such."""
        for number, item in self.steps.items():
            item.set_current(on=number == step)
        for pair, edge in self.edges.items():
            edge.set_awaited(on=pair[1] == step)

    def pull(self, source: int, point: QPointF) -> None:
        """Draw a loose line from a step to a point."""
        self._rubber.show_edge(loose_path(self.layout.boxes[source], point), SUGGESTED_PULL)
        self._rubber.show()

    def aim(self, source: int, target: int, *, refused_circle: Collection[Pair] | None) -> None:
        """Draw a line that would be made, lit up together with the circle it would close.

        Args:
            source: Step it starts from.
            target: Step it would end at.
            refused_circle: Null where the edge is allowed; else the edges of the circle (may be none).
        """
        path = edge_path(self.layout.boxes[source], self.layout.boxes[target])
        is_good = refused_circle is None
        self._rubber.show_edge(path, PULLED if is_good else REFUSED)
        self._rubber.show()
        for number, item in self.steps.items():
            item.set_aim(("good" if is_good else "bad") if number == target else "")
        for pair, edge in self.edges.items():
            edge.set_lit(on=not is_good and pair in (refused_circle or ()))

    def drop(self) -> None:
        """Take the loose line and everything lit up away."""
        self._rubber.hide()
        for item in self.steps.values():
            item.set_aim("")
        for edge in self.edges.values():
            edge.set_lit(on=False)

    @property
    def lit_edges(self) -> tuple[Pair, ...]:
        """Edges drawn as part of a circle that would be closed."""
        return tuple(sorted(pair for pair, item in self.edges.items() if item.is_lit))

    def _lay_out(
        self, task: Task, pairs: Collection[Pair], marks: Mapping[int, Mark], *, gap: float = GAP
    ) -> None:
        words = [(step_title(i, step), step_detail(step)) for i, step in enumerate(task.steps)]
        names = tuple(title for title, _ in words)
        previous = self.layout if names == self._names else None
        self._names = names
        self.layout = lay_out(
            [card_width(*both) for both in words],
            pairs,
            asks=[i for i, step in enumerate(task.steps) if isinstance(step, Ask)],
            answers=[i for i, step in enumerate(task.steps) if isinstance(step, Answer)],
            previous=previous,
            gap=gap,
        )
        for number in [number for number in self.steps if number >= len(words)]:
            self.removeItem(self.steps.pop(number))
        for number, (title, detail) in enumerate(words):
            if number not in self.steps:
                self.steps[number] = StepItem(number)
                self.addItem(self.steps[number])
            self.steps[number].show_step(self.layout.boxes[number], title, detail, marks.get(number))
        self.setSceneRect(self._bounds())

    def _show_edges(self, items: dict[Pair, EdgeItem], looks: Mapping[Pair, EdgeLook]) -> None:
        for pair in [pair for pair in items if pair not in looks]:
            self.removeItem(items.pop(pair))
        for pair, look in looks.items():
            if pair not in items:
                items[pair] = EdgeItem(pair)
                self.addItem(items[pair])
            source, target = (self.layout.boxes[step] for step in pair)
            stops = self.layout.stops.get(pair) or free_stops(self.layout, pair)
            items[pair].show_edge(edge_path(source, target, stops), look)

    def _bounds(self) -> QRectF:
        left = min((box.left for box in self.layout.boxes), default=-100) - LABEL_ROOM
        right = max((box.left + box.width for box in self.layout.boxes), default=100) + 48
        return QRectF(left, 0, right - left, max(self.layout.round_count, 1) * ROUND_HEIGHT + 16)


PULLED = EdgeLook("accent", 2.0)
SUGGESTED_PULL = EdgeLook("accent", 1.6, SUGGESTED.dashes)
