"""The middle column: the sides' drawings laid over each other, and in figures below."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from annotator.review.verifying import Adjudication, Decision
from scoring.model.case import Case, Edge
from ui.adjudication.disputed_graph import DisputedGraph
from ui.adjudication.drawings import Figures, drawings_of, edge_f1, figures_of
from ui.theme import Card, ElidedLabel, Line, TextLabel, theme
from ui.theme.layouts import clear_layout


class DrawingsColumn(QWidget):
    """The overlay with its table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("drawings")
        self.graph = DisputedGraph()
        self._card = Card()
        self._grid = QGridLayout(self._card)
        look = theme()
        self._grid.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(8))
        self._grid.setVerticalSpacing(look.px(6))
        self._grid.setHorizontalSpacing(look.px(12))
        self._grid.setColumnStretch(0, 1)
        foot = QVBoxLayout()
        foot.setContentsMargins(look.px(12), look.px(4), look.px(12), look.px(12))
        foot.addWidget(self._card)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.graph, 1)
        column.addLayout(foot)
        self.lines: tuple[tuple[str, ...], ...] = ()
        self._shown: tuple[Adjudication, Decision, int, Case | None] | None = None

    def show_task(
        self, adjudication: Adjudication, decision: Decision, task: int, *, result: Case | None
    ) -> None:
        """Show the drawings of a task, and the decided one.

        Args:
            adjudication: The case with its sides.
            decision: What is decided so far.
            task: Task number.
            result: The case the decision makes; null while the drawing of the task is not decided.
        """
        self._shown = (adjudication, decision, task, result)
        self.graph.show_task(adjudication, decision, task)
        shown = adjudication.case.tasks[task]
        drawn = drawings_of(adjudication, task)
        figures = [figures_of(shown, letter, edges=edges) for letter, edges in drawn.items()]
        if result is not None:
            figures.append(figures_of(shown, "Decision", edges=result.tasks[task].drawn_edges))
        self._show_figures([found for found in figures if found is not None], drawn)

    def compare_next(self) -> None:
        """Lay the next two drawings over each other, and measure them."""
        if self._shown is not None:
            self.graph.compare_next()
            adjudication, decision, task, result = self._shown
            self.show_task(adjudication, decision, task, result=result)

    def _show_figures(self, figures: Sequence[Figures], drawn: Mapping[str, Sequence[Edge]]) -> None:
        lines = [("", "Orders", "Rounds", "Drawn as")]
        for found in figures:
            orders = "too many" if found.orders is None else f"{found.orders:,}"
            lines.append((found.name, orders, str(found.rounds), found.drawn_as))
        if len(drawn) > 1:
            lines.append(self._agreement(drawn))
        self.lines = tuple(lines)
        clear_layout(self._grid)
        for number, line in enumerate(lines):
            self._add_line(2 * number, line, is_head=number == 0)

    def _agreement(self, drawn: Mapping[str, Sequence[Edge]]) -> tuple[str, str, str, str]:
        """How far the two drawings that are laid over each other agree."""
        names = self.graph.names
        first, second = (drawn[name] for name in names)
        share = edge_f1(first, second)
        pairs = {edge.pair for edge in first}, {edge.pair for edge in second}
        union = pairs[0] | pairs[1]
        shared = f"{len(pairs[0] & pairs[1])} of {len(union)} shared" if union else "no edges"
        return ("Edge F1", "–" if share is None else f"{share:.2f}", "", shared)

    def _add_line(self, place: int, line: Sequence[str], *, is_head: bool) -> None:
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for column, text in enumerate(line):
            label = (ElidedLabel if column == 3 else TextLabel)(text, "small-muted" if is_head else "body")
            if is_head and column == 1:
                label.setToolTip("Legal orders in which the steps can run")
            if column in (1, 2):
                label.setAlignment(right)
            self._grid.addWidget(label, place, column)
        if not is_head:
            self._grid.addWidget(Line(), place - 1, 0, 1, 4)
