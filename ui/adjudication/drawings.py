"""The drawings of the sides: laid over each other, and in figures below."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from annotator.review.verifying import Adjudication
from scoring.errors import GraphError
from scoring.model.case import Case, Edge, Task
from scoring.model.graph import derive_policy, step_graph, with_drawn_edges
from scoring.model.labels import edges_of
from scoring.orders import summarise_orders
from ui.graph.overlay import OverlayPanel
from ui.theme import Card, Line, TextLabel, theme
from ui.theme.layouts import clear_layout
from ui.theme.words import POLICY_SHORT


@dataclass(frozen=True)
class Figures:
    """One drawing in figures; `orders` is null where counting takes too long."""

    name: str
    orders: int | None
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
    """A drawing of a task in figures; null where it breaks a rule."""
    try:
        drawn = with_drawn_edges(task, edges)
        summary = summarise_orders(step_graph(drawn))
        policy = derive_policy(drawn)
    except GraphError:
        return None
    return Figures(name, summary.count, summary.rounds, POLICY_SHORT[policy].lower() if policy else "")


def edge_f1(first: Sequence[Edge], second: Sequence[Edge]) -> float | None:
    """Agreement of two drawings on pairs of steps, 0 to 1; null where both drew nothing."""
    a, b = {edge.pair for edge in first}, {edge.pair for edge in second}
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else None


class DrawingsColumn(QWidget):
    """The overlay with its table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("drawings")
        self.overlay = OverlayPanel()
        self._card = Card()
        self._grid = QGridLayout(self._card)
        look = theme()
        self._grid.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(8))
        self._grid.setVerticalSpacing(look.px(6))
        self._grid.setHorizontalSpacing(look.px(16))
        self._grid.setColumnStretch(0, 1)
        foot = QVBoxLayout()
        foot.setContentsMargins(look.px(12), look.px(4), look.px(12), look.px(12))
        foot.addWidget(self._card)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.overlay, 1)
        column.addLayout(foot)
        self.lines: tuple[tuple[str, ...], ...] = ()

    def show_task(self, adjudication: Adjudication, task: int, *, result: Case | None) -> None:
        """Show the drawings of a task, and the decided one.

        Args:
            adjudication: The case with its sides.
            task: Task number.
            result: The case the decision makes; null while the drawing of the task is not decided.
        """
        shown = adjudication.case.tasks[task]
        drawn = drawings_of(adjudication, task)
        letters = list(drawn)[:2]
        if len(letters) == 2:
            first, second = (with_answer(shown, drawn[letter]) for letter in letters)
            self.overlay.show_drawings(shown, first, second, names=(letters[0], letters[1]))
        figures = [figures_of(shown, letter, edges=edges) for letter, edges in drawn.items()]
        if result is not None:
            figures.append(figures_of(shown, "Decision", edges=result.tasks[task].drawn_edges))
        self._show_figures([found for found in figures if found is not None], drawn)

    def _show_figures(self, figures: Sequence[Figures], drawn: dict[str, tuple[Edge, ...]]) -> None:
        lines = [("", "Legal orders", "Rounds", "Drawn as")]
        for found in figures:
            orders = "too many" if found.orders is None else f"{found.orders:,}"
            lines.append((found.name, orders, str(found.rounds), found.drawn_as))
        letters = list(drawn)[:2]
        if len(letters) == 2:
            first, second = drawn[letters[0]], drawn[letters[1]]
            share = edge_f1(first, second)
            pairs = {edge.pair for edge in first}, {edge.pair for edge in second}
            union = pairs[0] | pairs[1]
            shared = f"{len(pairs[0] & pairs[1])} of {len(union)} shared" if union else "no edges"
            lines.append(("Edge F1", "–" if share is None else f"{share:.2f}", "", shared))
        self.lines = tuple(lines)
        clear_layout(self._grid)
        for number, line in enumerate(lines):
            self._add_line(2 * number, line, is_head=number == 0)

    def _add_line(self, place: int, line: Sequence[str], *, is_head: bool) -> None:
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for column, text in enumerate(line):
            label = TextLabel(text, "small-muted" if is_head else "body")
            if column in (1, 2):
                label.setAlignment(right)
            self._grid.addWidget(label, place, column)
        if not is_head:
            self._grid.addWidget(Line(), place - 1, 0, 1, 4)
