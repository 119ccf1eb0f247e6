"""The middle column: the sides' drawings, laid over each other to decide on, and in figures."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from annotator.review.expert.decided_edges import Pair, decided_task, edge_id, own_edges
from annotator.review.expert.decisions import Adjudication, Decision
from scoring.errors import GraphError
from scoring.model.case import Case, Edge, Task
from scoring.model.graph import StepGraph, derive_policy, step_graph, with_drawn_edges
from scoring.model.labels import edges_of
from scoring.orders.lattice import lattice_of
from scoring.orders.legal_orders import optimal_rounds
from scoring.texts import tr
from ui.graph.canvas_content import EdgeLook
from ui.graph.order_counts import OrderCounts
from ui.graph.panel import OverlayPanel
from ui.services.operations import Operations
from ui.theme import Button, ButtonKind, Card, ElidedLabel, Hairline, TextLabel, theme
from ui.theme.events import DELETE_KEYS, follow_events
from ui.theme.layouts import STRETCH, build, clear_layout, grid, hbox, vbox
from ui.theme.tokens import side_colour
from ui.theme.words import EDGE_KIND, POLICY_SHORT


@dataclass(frozen=True)
class Figures:
    """One drawing in figures, and what its legal orders are counted of."""

    name: str
    graph: StepGraph
    rounds: int
    drawn_as: str


def drawings_of(adjudication: Adjudication, task: int) -> dict[str, tuple[Edge, ...]]:
    """What each side drew for a task, by letter."""
    return {side.letter: edges_of(side.labels[task]) for side in adjudication.sides}


def with_answer(task: Task, edges: Sequence[Edge]) -> tuple[Edge, ...]:
    """A drawing with the edges into the answer that follow from it, where it breaks no rule."""
    try:
        return with_drawn_edges(task, edges).edges
    except GraphError:
        return tuple(edges)


def figures_of(task: Task, name: str, *, edges: Sequence[Edge]) -> Figures | None:
    """A drawing of a task in figures; None where it breaks a rule."""
    try:
        drawn = with_drawn_edges(task, edges)
        graph = step_graph(drawn)
        policy = derive_policy(drawn)
    except GraphError:
        return None
    rounds = optimal_rounds(lattice_of(graph))
    return Figures(name, graph, rounds, POLICY_SHORT[policy].lower() if policy else "")


def edge_f1(first: Sequence[Edge], second: Sequence[Edge]) -> float | None:
    """Agreement of two drawings on pairs of steps, 0 to 1; None where both drew nothing."""
    a, b = {edge.pair for edge in first}, {edge.pair for edge in second}
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else None


OWN = EdgeLook("ok", 2.4, (), tr("yours"))
LEFT_OUT = EdgeLook("faint", 1.2, (1.0, 3.0), tr("left out"))
_YOU = "you"
_TITLE = tr("Drawings compared")
_LONG, _MIDDLE, _SHORT = 410, 370, 310
"""Widths that leave room for a long, a middle and a short title beside the legend."""


class DrawingsColumn(QWidget):
    """Shows two drawings at a time, which edges are decided, and figures of all; says what the expert wants.

    The canvas has its usual keys: D and numbers connect steps, Delete leaves an edge out, K changes its
    kind; Escape, when nothing is under way, leaves the canvas.
    """

    left_out = Signal(object)
    """Pairs of steps without an edge from now on."""
    kinds_changed = Signal(object)
    """Pairs of steps whose edge is of the other kind."""
    edge_chosen = Signal(object)
    """The pair of the one edge that was pointed at."""
    left = Signal()
    """The keys belong to the table again."""

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="drawings")
        self._counts = OrderCounts(operations, self, changed=self._measure)
        self.panel = OverlayPanel(_TITLE)
        self.draw = Button(tr("Draw an edge"), ButtonKind.GHOST, objectName="graph-draw")
        self.compare = Button(tr("Compare others"), ButtonKind.GHOST, objectName="graph-compare")
        self._names: tuple[tuple[str, str], ...] = ()
        self._place = 0
        self._chosen: tuple[Pair, ...] = ()
        self.lines: tuple[tuple[str, ...], ...] = ()
        self._shown: tuple[Adjudication, Decision, int, Case | None] | None = None
        card = Card()
        self._grid = grid(within=card, gaps=(12, 6), margins=(12, 8))
        vbox(
            (self.panel, 1),
            hbox(self.draw, STRETCH, self.compare, gap=None, margins=(8, 0)),
            vbox(card, gap=None, margins=(12, 4, 12, 12)),
            within=self,
            gap=4,
        )
        follow_events(self, self._name, QEvent.Type.Resize)
        view = self.panel.view
        view.edges_removed.connect(self.left_out)
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    @property
    def names(self) -> tuple[str, str]:
        """The letters of the two sides that are laid over each other; a lone side stands beside `you`."""
        return self._names[self._place]

    def show_task(
        self, adjudication: Adjudication, decision: Decision, task: int, *, result: Case | None
    ) -> None:
        """Show the drawings of a task, and the decided one.

        Args:
            adjudication: The case with its sides.
            decision: What is decided so far.
            task: Task number.
            result: The case the decision makes; None while the drawing of the task is not decided.
        """
        self._shown = (adjudication, decision, task, result)
        letters = [side.letter for side in adjudication.sides]
        names = tuple(combinations(letters, 2)) or tuple((letter, _YOU) for letter in letters)
        if names != self._names:
            self._names, self._place = names, 0
        if names:
            self._lay_over(adjudication, decision, task)
        self._measure()

    def _measure(self) -> None:
        """Show the figures of every drawing, as far as they are counted."""
        if self._shown is None:
            return
        adjudication, _, task, result = self._shown
        shown = adjudication.case.tasks[task]
        undrawn = {side.letter for side in adjudication.sides if side.labels[task].is_drawn is not True}
        drawn = {
            letter: edges
            for letter, edges in drawings_of(adjudication, task).items()
            if letter not in undrawn or not shown.needs_drawing
        }
        figures = [figures_of(shown, letter, edges=edges) for letter, edges in drawn.items()]
        if result is not None:
            figures.append(figures_of(shown, tr("Decision"), edges=result.tasks[task].drawn_edges))
        self._show_figures([found for found in figures if found is not None], drawn)

    def compare_next(self) -> None:
        """Lay the next two drawings over each other, and measure them."""
        if self._shown is not None:
            self._place = (self._place + 1) % max(len(self._names), 1)
            adjudication, decision, task, result = self._shown
            self.show_task(adjudication, decision, task, result=result)

    def start_drawing(self) -> None:
        """Give the canvas the keys, ready for the numbers of two steps."""
        view = self.panel.view
        view.setFocus(Qt.FocusReason.OtherFocusReason)
        view.start_edge()
        if len(view.task.steps) - (view.task.answer_index is not None) < 2:
            view.say(tr("There are no two steps here that an edge could join."))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        view = self.panel.view
        if event.type() is QEvent.Type.KeyPress and watched is view and isinstance(event, QKeyEvent):
            return self._press(Qt.Key(event.key()))
        if event.type() in (QEvent.Type.MouseButtonRelease, QEvent.Type.KeyRelease):
            self._note_choice()
        return super().eventFilter(watched, event)

    def _press(self, key: Qt.Key) -> bool:
        """Keys that mean a decision here, also for edges that are open still."""
        view = self.panel.view
        pairs = tuple(pair for pair in view.chosen_edges if pair[1] != view.task.answer_index)
        if key in DELETE_KEYS and pairs:
            self.left_out.emit(pairs)
        elif key == Qt.Key.Key_K and pairs:
            self.kinds_changed.emit(pairs)
        elif key == Qt.Key.Key_Escape and view.is_at_rest and view.current_step is None:
            self.left.emit()
        else:
            return False
        return True

    def _note_choice(self) -> None:
        view = self.panel.view
        chosen = view.chosen_edges
        if chosen == self._chosen:
            return
        self._chosen = chosen
        if len(chosen) == 1 and chosen[0][1] != view.task.answer_index:
            self.edge_chosen.emit(chosen[0])
            (source, target), tip = chosen[0], view.board.edges[chosen[0]].look.tip
            view.say(
                tr(
                    "{source} → {target}: {tip}. Delete leaves it out, K changes its kind.",
                    source=source,
                    target=target,
                    tip=tip,
                )
            )

    def _lay_over(self, adjudication: Adjudication, decision: Decision, task: int) -> None:
        drawn, own = drawings_of(adjudication, task), own_edges(adjudication, decision, task)
        shown = decided_task(adjudication, decision, task)
        first, second = (with_answer(shown, drawn.get(name, ())) for name in self.names)
        if len(drawn) == 1:
            second = ()
        self.panel.show_drawings(
            shown,
            first,
            (*second, *own),
            names=self.names,
            colours=(_colour(self.names[0]), _colour(self.names[1])),
        )
        self.panel.view.set_read_only(on=False)
        self._mark_decided(decision, task, own=own)
        self.compare.setVisible(len(self._names) > 1)
        self._name()

    def _name(self) -> None:
        """Name what is shown as far as the legend leaves room."""
        width = self.width() / theme().scale
        title = _TITLE if width >= _LONG else tr("Drawings")
        if len(self._names) > 1 and width >= _MIDDLE:
            title = tr("Drawings of {names} and {names2}", names=self.names[0], names2=self.names[1])
        self.panel.header.set_title(title if width >= _SHORT else "")

    def _mark_decided(self, decision: Decision, task: int, *, own: Collection[Edge]) -> None:
        """Say at the edges what was decided about them."""
        board = self.panel.view.board
        kinds = {edge.pair: edge.kind for edge in self.panel.view.task.drawn_edges}
        mine = {edge.pair: edge.kind for edge in own}
        looks: dict[Pair, EdgeLook] = {}
        for pair, item in board.edges.items():
            if pair in mine:
                looks[pair] = replace(OWN, tip=tr("drawn by you, {kind}", kind=EDGE_KIND[mine[pair]]))
            elif edge_id(task, pair) not in decision.fields:
                continue
            elif pair in kinds:
                looks[pair] = replace(
                    item.look, label=tr("taken"), tip=tr("taken, {kind}", kind=EDGE_KIND[kinds[pair]])
                )
            else:
                looks[pair] = replace(LEFT_OUT, tip=tr("left out; {tip}", tip=item.look.tip))
        board.change_looks(looks)

    def _show_figures(self, figures: Sequence[Figures], drawn: Mapping[str, Sequence[Edge]]) -> None:
        lines = [
            ("", tr("Orders"), tr("Rounds"), tr("Drawn as")),
            *(
                (found.name, self._counts.count(found.graph).words, str(found.rounds), found.drawn_as)
                for found in figures
            ),
        ]
        if len(drawn) > 1 and all(name in drawn for name in self.names):
            lines.append(self._agreement(drawn))
        self.lines = tuple(lines)
        clear_layout(self._grid)
        for number, line in enumerate(lines):
            self._add_line(2 * number, line, is_head=number == 0)

    def _agreement(self, drawn: Mapping[str, Sequence[Edge]]) -> tuple[str, str, str, str]:
        """How far the two drawings that are laid over each other agree."""
        first, second = (drawn[name] for name in self.names)
        share = edge_f1(first, second)
        pairs = {edge.pair for edge in first}, {edge.pair for edge in second}
        union = pairs[0] | pairs[1]
        shared = (
            tr(
                "{pairs_count} of {union_count} shared",
                pairs_count=len(pairs[0] & pairs[1]),
                union_count=len(union),
            )
            if union
            else tr("no edges")
        )
        return (tr("Edge F1"), "–" if share is None else f"{share:.2f}", "", shared)

    def _add_line(self, place: int, line: Sequence[str], *, is_head: bool) -> None:
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for column, text in enumerate(line):
            label = (ElidedLabel if column == 3 else TextLabel)(text, "small-muted" if is_head else "body")
            if is_head and column == 1:
                label.setToolTip(tr("Legal orders in which the steps can run"))
            if column in (1, 2):
                label.setAlignment(right)
            self._grid.addWidget(label, place, column)
        if not is_head:
            self._grid.addWidget(Hairline(), place - 1, 0, 1, 4)


def _colour(name: str) -> str:
    return OWN.colour if name == _YOU else side_colour(name)
