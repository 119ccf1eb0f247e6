"""The items of a canvas, kept in step with a task or with two drawings of one task."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtCore import QObject, QPointF, QRectF
from PySide6.QtWidgets import QGraphicsScene

from scoring.model.case import Answer, Ask, Edge, Step, Task
from ui.graph.bundle import EdgeBundle, Strand
from ui.graph.drawing import Pair, Suggestion, overlay_looks, suggestion_looks, task_looks
from ui.graph.items import CardRuler, Mark, StepItem
from ui.graph.layout import GAP, ROUND_HEIGHT, Layout, free_stops, lay_out
from ui.graph.lines import EdgeItem
from ui.graph.looks import OVERLAY_COLOURS, REFUSED, SUGGESTED, EdgeLook, LabelRoom
from ui.graph.paths import edge_path, loose_path
from ui.graph.words import step_detail, step_title

LABEL_ROOM = 92.0
"""Space left of the cards, for the names of the rounds."""

_OVERLAY_GAP = 44.0

NO_MARKS: Mapping[int, Mark] = MappingProxyType({})
NO_LABELS: Mapping[Pair, str] = MappingProxyType({})


@dataclass(frozen=True)
class CardWords:
    """What the card of a step says, and the width it needs."""

    number: int
    title: str
    detail: str
    width: float

    @classmethod
    def of(cls, number: int, step: Step, *, ruler: CardRuler) -> "CardWords":
        """Read a step."""
        title, detail = step_title(number, step), step_detail(step)
        return cls(number, title, detail, ruler.width(title, detail))


class GraphScene(QGraphicsScene):
    """Cards by step number, lines by pair; reused from one task value to the next.

    `is_anew` says whether the drawing on show was arranged anew, or edited from the one before.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.steps: dict[int, StepItem] = {}
        self.edges: dict[Pair, EdgeItem] = {}
        self.ghosts: dict[Pair, EdgeItem] = {}
        self.layout = Layout((), (), {})
        self.is_anew = True
        self._drawn: tuple[Step, ...] = ()
        self._words: tuple[CardWords, ...] = ()
        self._is_due_anew = True
        self._labels = LabelRoom()
        self._bundle = EdgeBundle(self._strands)
        self.addItem(self._bundle)
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
        self._place_labels()

    def show_overlay(
        self,
        task: Task,
        first: Collection[Edge],
        second: Collection[Edge],
        *,
        names: tuple[str, str],
        colours: tuple[str, str] = OVERLAY_COLOURS,
    ) -> None:
        """Lay two drawings of a task's steps over each other, arranged as the first one is."""
        self._lay_out(task, [edge.pair for edge in first], NO_MARKS, gap=_OVERLAY_GAP)
        self._show_edges(self.edges, overlay_looks(first, second, names=names, colours=colours))
        self._show_edges(self.ghosts, {})
        self._place_labels()

    def change_looks(self, looks: Mapping[Pair, EdgeLook]) -> None:
        """Give edges that are drawn other looks; every label finds its place anew.

        Args:
            looks: By pair of steps; the others keep theirs.
        """
        for pair, item in self.edges.items():
            item.change_look(looks.get(pair, item.look))
        self._place_labels()

    def forget_places(self) -> None:
        """Arrange the next drawing anew, whatever stands where."""
        self._is_due_anew = True

    def repaint(self) -> None:
        """Paint every card in the colours that are on now."""
        for item in self.steps.values():
            item.update()

    @contextmanager
    def painted_afresh(self) -> Iterator[None]:
        """Paint cards as shapes and letters, not as the copies kept for the screen."""
        try:
            for item in self.steps.values():
                item.setCacheMode(StepItem.CacheMode.NoCache)
            yield
        finally:
            for item in self.steps.values():
                item.setCacheMode(StepItem.CacheMode.DeviceCoordinateCache)

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
        origins = origins_of_steps(self._drawn, task.steps) if not self._is_due_anew else None
        words = self._words_of(task.steps)
        self.is_anew = origins is None
        self._drawn, self._words, self._is_due_anew = task.steps, words, False
        self.layout = lay_out(
            [said.width for said in words],
            pairs,
            asks=[i for i, step in enumerate(task.steps) if isinstance(step, Ask)],
            answers=[i for i, step in enumerate(task.steps) if isinstance(step, Answer)],
            previous=self.layout if origins else None,
            origins=origins,
            gap=gap,
        )
        for number in [number for number in self.steps if number >= len(words)]:
            self.removeItem(self.steps.pop(number))
        for number, said in enumerate(words):
            if number not in self.steps:
                self.steps[number] = StepItem(number)
                self.addItem(self.steps[number])
            box, mark = self.layout.boxes[number], marks.get(number)
            self.steps[number].show_step(box, said.title, said.detail, mark)
        bounds = self._bounds()
        # While one edits, paper is only added: taking it away would shift what stays.
        self.setSceneRect(bounds.united(self.sceneRect()) if origins else bounds)
        self._bundle.spread(self.sceneRect())

    def _words_of(self, steps: Sequence[Step]) -> tuple[CardWords, ...]:
        # Reading sixty calls takes longer than drawing them; a frozen step says what it said before.
        known = {id(step): said for step, said in zip(self._drawn, self._words, strict=True)}
        ruler = CardRuler()
        return tuple(
            said
            if (said := known.get(id(step))) and said.number == number
            else CardWords.of(number, step, ruler=ruler)
            for number, step in enumerate(steps)
        )

    def _show_edges(self, items: dict[Pair, EdgeItem], looks: Mapping[Pair, EdgeLook]) -> None:
        for pair in [pair for pair in items if pair not in looks]:
            items[pair].leave()
            self._labels.leave(items[pair])
            self.removeItem(items.pop(pair))
        boxes, rounds, known = self.layout.boxes, self.layout.rounds, self.layout.stops
        for pair, look in looks.items():
            if pair not in items:
                items[pair] = EdgeItem(pair, self._bundle)
            source, target = pair
            stops = known.get(pair, ())
            if not stops and abs(rounds[target] - rounds[source]) > 1:
                stops = free_stops(self.layout, pair)
            items[pair].lead(boxes[source], boxes[target], stops, look)

    def _strands(self) -> Iterator[Strand]:
        for item in (*self.edges.values(), *self.ghosts.values()):
            strand = item.strand
            if strand is not None:
                yield strand

    def _place_labels(self) -> None:
        items = (*self.edges.values(), *self.ghosts.values())
        new = [item for item in items if item.is_label_new]
        for item in new:
            self._labels.leave(item)
        for item in sorted(new, key=lambda item: item.pair):
            item.place_label(self._labels)

    def _bounds(self) -> QRectF:
        left = min((box.left for box in self.layout.boxes), default=-100) - LABEL_ROOM
        right = max((box.left + box.width for box in self.layout.boxes), default=100) + 48
        return QRectF(left, 0, right - left, max(self.layout.round_count, 1) * ROUND_HEIGHT + 16)


def origins_of_steps(before: Sequence[Step], after: Sequence[Step]) -> tuple[int | None, ...] | None:
    """Find the steps of a task again after an edit.

    Args:
        before: The steps of the drawing on show.
        after: The steps to draw.

    Returns:
        For each step its number before, null for one that was not there: the same object, else an equal
        one at its place, else, where there are as many as before, what stood at its place. Null where
        most steps are others, as in another task.
    """
    places = {id(step): number for number, step in enumerate(before)}
    found = [places.get(id(step)) for step in after]
    known = {number for number in found if number is not None}
    same_count = len(before) == len(after)
    for number, step in enumerate(after):
        if found[number] is None and number < len(before) and number not in known and before[number] == step:
            found[number] = number
            known.add(number)
    if 2 * len(known) < max(len(before), 1):
        return None
    if same_count:
        found = [number if at is None and number not in known else at for number, at in enumerate(found)]
    return tuple(found)


PULLED = EdgeLook("accent", 2.0)
SUGGESTED_PULL = EdgeLook("accent", 1.6, SUGGESTED.dashes)
