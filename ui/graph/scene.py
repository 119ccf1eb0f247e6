"""The items of a canvas, kept in step with a task or with two drawings of one task."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce

from PySide6.QtCore import QObject, QPointF, QRect, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsScene

from scoring.model.case import Answer, Ask, Edge, Step, Task
from ui.graph.canvas_content import (
    AIMED,
    PULLED,
    REFUSED,
    CanvasContent,
    EdgeLook,
    Highlight,
    Mark,
    Pair,
    overlay_looks,
    step_detail,
    step_title,
    suggestion_looks,
    task_looks,
)
from ui.graph.items import EdgeItem, StepItem, card_width, edge_path, label_band, loose_path
from ui.graph.layout import GAP, ROUND_HEIGHT, GraphLayout, assign_rounds, free_stops, lay_out
from ui.graph.placement import STOP_WIDTH

_SIDE_ROOM = 12.0
"""Space at both sides of cards and lines."""
_FRAME = 4.0
"""What a view keeps of its width, before it has to be scrolled."""
_FOOT, _MAP_FOOT = 16.0, 100.0
MAP_STEPS = 12
"""From how many steps on a canvas has a map in its corner; no card must stay below it."""
_UNKNOWN = -1
_MOST_KNOWN = 2_000
"""Steps that are remembered while one task is edited."""


class GraphScene(QGraphicsScene):
    """Cards by step number, lines by pair; reused from one task value to the next.

    `is_anew` says whether the drawing on show was arranged anew, or edited from the one before; `has_rounds`
    whether its rounds are somebody's word, so that they can be named.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.steps: dict[int, StepItem] = {}
        self.edges: dict[Pair, EdgeItem] = {}
        self.ghosts: dict[Pair, EdgeItem] = {}
        self.layout = self._earlier = GraphLayout()
        self.is_anew = self.has_rounds = True
        self.highlight = Highlight()
        self._steps: tuple[Step, ...] = ()
        # By id; the steps are kept, so that no other one gets the id.
        self._known: dict[int, tuple[Step, int]] = {}
        self.is_due_anew = True
        """Whether the next drawing is arranged anew, whatever stands where."""
        self._room, self._gap = 400.0, GAP
        self._rubber = EdgeItem((-1, -1), self.highlight)
        self._rubber.setZValue(4)
        self._rubber.hide()
        self.addItem(self._rubber)

    def show_content(self, content: CanvasContent) -> None:
        """Mirror a task."""
        self.has_rounds = content.is_drawn
        self._lay_out(content.task, [edge.pair for edge in content.task.edges], content.marks)
        self._show_edges(self.edges, task_looks(content))
        self._show_edges(self.ghosts, suggestion_looks(content.suggestions))
        self._place_labels()
        self._cut_paper(is_kept=not self.is_anew)

    def take_room(self, width: float) -> bool:
        """Draw for another width, in pixels at 100 %.

        Returns:
            Whether a drawing that was arranged anew would get cards of other widths in it.
        """
        self._room = width - 2 * _SIDE_ROOM - _FRAME
        self._cut_paper(is_kept=False)
        words = [self.steps[number].words for number in sorted(self.steps)]
        widths = self._widths(words, self.layout.rounds, self.layout.pairs)
        return self.is_anew and widths != [box.width for box in self.layout.boxes]

    def show_overlay(
        self,
        task: Task,
        first: Collection[Edge],
        second: Collection[Edge],
        *,
        names: tuple[str, str],
        colours: tuple[str, str],
    ) -> None:
        """Lay two drawings of a task's steps over each other, arranged as the first one is."""
        self._lay_out(task, [edge.pair for edge in first], {}, gap=44.0)
        self._show_edges(self.edges, overlay_looks(first, second, names=names, colours=colours))
        self._show_edges(self.ghosts, {})
        self._place_labels()
        self._cut_paper(is_kept=not self.is_anew)

    def change_looks(self, looks: Mapping[Pair, EdgeLook]) -> None:
        """Give edges that are drawn other looks; every label finds its place anew.

        Args:
            looks: By pair of steps; the others keep theirs.
        """
        self._show_edges(self.edges, {pair: item.look for pair, item in self.edges.items()} | dict(looks))
        self._place_labels()

    def step_at(self, point: QPointF) -> StepItem | None:
        """The card at a place."""
        return next((item for item in self.items(point) if isinstance(item, StepItem)), None)

    def edge_at(self, point: QPointF) -> EdgeItem | None:
        """The line at a place, cards hiding lines."""
        for item in self.items(point):
            match item:
                case StepItem():
                    return None
                case EdgeItem() if item is not self._rubber:
                    return item
        return None

    @property
    def chosen_edges(self) -> tuple[Pair, ...]:
        """The selected edges, in order."""
        return tuple(sorted(self.highlight.edges & self.edges.keys()))

    @property
    def chosen_ghosts(self) -> tuple[Pair, ...]:
        """The selected suggestions, in order."""
        return tuple(sorted(self.highlight.edges & self.ghosts.keys()))

    def choose_edges(self, pairs: Collection[Pair]) -> None:
        """Select these edges and suggestions, and no others."""
        self.highlight.edges = set(pairs)
        self._emphasise()

    def show_current(self, step: int | None) -> None:
        """Draw one step as selected, and the edges it waits for as such."""
        self.highlight.step = step
        self._emphasise()

    def show_grips(self, *, on: bool) -> None:
        """Show a grip at the card below the mouse, or not."""
        self.highlight.has_grips = on
        self.update()

    def pull(self, source: int, point: QPointF) -> None:
        """Draw a loose line from a step to a point."""
        self._rubber.show_edge(loose_path(self.layout.boxes[source], point), PULLED)
        self._rubber.show()

    def aim(self, source: int, target: int, *, refused_circle: Collection[Pair] | None) -> None:
        """Draw a line that would be made, lit up together with the circle it would close.

        Args:
            source: Step it starts from.
            target: Step it would end at.
            refused_circle: None where the edge is allowed; else the edges of the circle (may be none).
        """
        is_refused = refused_circle is not None
        path = edge_path(self.layout.boxes[source], self.layout.boxes[target])
        self._rubber.show_edge(path, REFUSED if is_refused else AIMED)
        self._rubber.show()
        self._light(target, refused_circle or (), is_refused=is_refused)

    def drop(self) -> None:
        """Take the loose line and everything lit up away."""
        self._rubber.hide()
        self._light(None, (), is_refused=False)

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        for item in self._lines():
            if item.label_area.intersects(QRectF(rect)):
                item.paint_label(painter)

    def _light(self, target: int | None, circle: Collection[Pair], *, is_refused: bool) -> None:
        self.highlight.target, self.highlight.circle = target, circle
        self.highlight.is_refused = is_refused
        self._emphasise()

    def _emphasise(self) -> None:
        """Paint lines that stand out above all others."""
        for item in self._lines():
            item.setZValue(1 if item.colour != item.look.colour else 0)
        self.update()

    def _lines(self) -> Iterator[EdgeItem]:
        yield from self.edges.values()
        yield from self.ghosts.values()

    def _lay_out(
        self, task: Task, pairs: Collection[Pair], marks: Mapping[int, Mark], *, gap: float = GAP
    ) -> None:
        keys, self._gap = self._keys_of(task.steps), gap
        self._steps, self.is_due_anew = task.steps, False
        words = [(step_title(number, step), step_detail(step)) for number, step in enumerate(task.steps)]
        answers = [i for i, step in enumerate(task.steps) if isinstance(step, Answer)]
        asks = [i for i, step in enumerate(task.steps) if isinstance(step, Ask)]
        rounds = assign_rounds(len(words), pairs, asks=asks, answers=answers)
        widths = self._widths(words, rounds, pairs)
        before, earlier = self.layout, self._earlier
        gone, come = before.pairs.difference(pairs), set(pairs) - before.pairs
        # Steps that keep their columns while many dependencies go at once would stand in no order.
        is_swapped = keys == before.keys and any(
            sum(target not in answers for _, target in some) > 1 for some in (gone, come)
        )
        if is_swapped:
            self.is_anew, self._earlier = True, before
        if is_swapped and earlier.is_of(widths, pairs, keys):
            self.layout = earlier
        else:
            staying = {} if self.is_anew else before.widths
            self.layout = lay_out(
                [
                    min(width, staying.get(place, width))
                    for width, place in zip(widths, zip(keys, rounds, strict=True), strict=True)
                ],
                pairs,
                asks=asks,
                answers=answers,
                previous=None if self.is_anew else before,
                keys=keys,
                gap=gap,
                room=self._room,
            )
        for number in [number for number in self.steps if number >= len(words)]:
            self.removeItem(self.steps.pop(number))
        for number, (title, detail) in enumerate(words):
            if number not in self.steps:
                self.steps[number] = StepItem(number, self.highlight)
                self.addItem(self.steps[number])
            self.steps[number].show_step(self.layout.boxes[number], title, detail, marks.get(number))

    def _widths(
        self, words: Sequence[tuple[str, str]], rounds: Sequence[int], pairs: Collection[Pair]
    ) -> list[float]:
        """Width of each card, so that those of a round fit beside each other and the edges that pass."""
        beside = Counter(rounds)
        passing = Counter(row for a, b in pairs for row in range(rounds[a] + 1, rounds[b]))
        room = {row: self._room - passing[row] * (STOP_WIDTH + self._gap) for row in beside}
        return [
            card_width(*said, room=room[row], beside=beside[row], gap=self._gap)
            for said, row in zip(words, rounds, strict=True)
        ]

    def _keys_of(self, steps: Sequence[Step]) -> tuple[int, ...]:
        """Tell steps apart through edits, and find out whether they are those of another task.

        A step is the one it was where it is the same object (also one that was deleted and comes back),
        else an equal one at its place, else, where there are as many as before, what stood at its place.
        """
        before = self.layout.keys
        keys = [self._known[id(step)][1] if id(step) in self._known else _UNKNOWN for step in steps]
        for number, (step, key) in enumerate(zip(self._steps, before, strict=True)):
            if number < len(keys) and keys[number] == _UNKNOWN and key not in keys and steps[number] == step:
                keys[number] = key
        self.is_anew = self.is_due_anew or 2 * len(set(keys) & set(before)) < max(len(before), 1)
        if self.is_anew:
            self._known.clear()
            keys = [_UNKNOWN] * len(steps)
        elif len(steps) == len(before):
            keys = [
                was if key == _UNKNOWN and was not in keys else key
                for key, was in zip(keys, before, strict=True)
            ]
        free = max((key for _, key in self._known.values()), default=_UNKNOWN) + 1
        for number, key in enumerate(keys):
            keys[number] = free + number if key == _UNKNOWN or key in keys[:number] else key
        self._known.update((id(step), (step, key)) for step, key in zip(steps, keys, strict=True))
        for old in list(self._known)[:-_MOST_KNOWN]:
            del self._known[old]
        return tuple(keys)

    def _show_edges(self, items: dict[Pair, EdgeItem], looks: Mapping[Pair, EdgeLook]) -> None:
        for pair in [pair for pair in items if pair not in looks]:
            self.removeItem(items.pop(pair))
            self.highlight.edges.discard(pair)
        boxes, rounds = self.layout.boxes, self.layout.rounds
        for pair, look in looks.items():
            if pair not in items:
                items[pair] = EdgeItem(pair, self.highlight)
                self.addItem(items[pair])
            source, target = pair
            stops = self.layout.stops.get(pair, ())
            if not stops and abs(rounds[target] - rounds[source]) > 1:
                stops = free_stops(self.layout, pair)
            items[pair].show_edge(edge_path(boxes[source], boxes[target], stops), look)

    def _place_labels(self) -> None:
        taken: dict[int, list[QRectF]] = {}
        for item in sorted(self._lines(), key=lambda item: item.pair):
            item.place_label(taken)
            if item.look.label:
                taken.setdefault(label_band(item.label_area), []).append(item.label_area)

    def cards_rect(self) -> QRectF:
        """Where the cards are, all together."""
        return reduce(
            QRectF.united, (item.mapRectToScene(item.rect()) for item in self.steps.values()), QRectF()
        )

    def _cut_paper(self, *, is_kept: bool) -> None:
        """Make room for cards and lines; while one edits, only more: less would shift what stays."""
        used = self.cards_rect() if self.steps else QRectF(-100, 0, 200, 0)
        # Also what is free beside them: a line that takes some of it later shifts nothing.
        used |= QRectF(used.center().x() - self._room / 2, 0, self._room, 0)
        lines = (item.path().boundingRect() | item.label_area for item in self._lines())
        used = reduce(QRectF.united, lines, used)
        foot = _FOOT if len(self.steps) < MAP_STEPS else _MAP_FOOT
        height = max(self.layout.round_count, 1) * ROUND_HEIGHT + foot
        paper = QRectF(used.left() - _SIDE_ROOM, 0, used.width() + 2 * _SIDE_ROOM, height)
        self.setSceneRect(paper.united(self.sceneRect()) if is_kept else paper)
