"""The sides' drawings of a task laid over each other, in which the expert draws what none of them did."""

from collections.abc import Collection
from dataclasses import replace
from itertools import combinations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from annotator.review.verifying import Adjudication, Decision
from scoring.model.case import Edge
from ui.adjudication.drawings import drawings_of, with_answer
from ui.adjudication.own_edges import Pair, decided_task, edge_id, own_edges
from ui.graph.looks import EdgeLook
from ui.graph.modes import Mode
from ui.graph.overlay import OverlayPanel
from ui.theme import Button, ButtonKind, theme
from ui.theme.tokens import side_colour
from ui.theme.words import EDGE_KIND

OWN = EdgeLook("ok", 2.4, (), "yours")
LEFT_OUT = EdgeLook("faint", 1.2, (1.0, 3.0), "left out")
_YOU = "you"
_TITLE = "Graphs, laid over each other"
_LONG, _MIDDLE, _SHORT = 410, 370, 310
"""Widths that leave room for a long, a middle and a short title beside the legend."""
_REMOVE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class DisputedGraph(QWidget):
    """Shows two drawings at a time, and which edges are decided; says what the expert wants of edges.

    The canvas has its usual keys: D and numbers connect steps, Delete leaves an edge out, K changes its
    kind; Escape, when nothing is under way, leaves the canvas.
    """

    drawn = Signal(int, int)
    left_out = Signal(object)
    """Pairs of steps without an edge from now on."""
    kinds_changed = Signal(object)
    """Pairs of steps whose edge is of the other kind."""
    edge_chosen = Signal(object)
    """The pair of the one edge that was pointed at."""
    left = Signal()
    """The keys belong to the table again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.panel = OverlayPanel(_TITLE)
        self.draw = Button("Draw an edge", ButtonKind.GHOST)
        self.draw.setObjectName("graph-draw")
        self.compare = Button("Compare others", ButtonKind.GHOST)
        self.compare.setObjectName("graph-compare")
        self._names: tuple[tuple[str, str], ...] = ()
        self._place = 0
        self._shown: tuple[Adjudication, Decision, int] | None = None
        self._chosen: tuple[Pair, ...] = ()
        tools = QHBoxLayout()
        tools.setContentsMargins(theme().px(8), 0, theme().px(8), 0)
        tools.addWidget(self.draw)
        tools.addStretch(1)
        tools.addWidget(self.compare)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(4))
        column.addWidget(self.panel, 1)
        column.addLayout(tools)
        view = self.panel.view
        view.edge_requested.connect(self.drawn)
        view.edges_removed.connect(self.left_out)
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    @property
    def names(self) -> tuple[str, str]:
        """The letters of the two sides that are laid over each other; a lone side stands beside `you`."""
        return self._names[self._place]

    @property
    def has_more(self) -> bool:
        """Whether there are other two sides to compare."""
        return len(self._names) > 1

    def show_task(self, adjudication: Adjudication, decision: Decision, task: int) -> None:
        """Show the drawings of a task."""
        letters = [side.letter for side in adjudication.sides]
        names = tuple(combinations(letters, 2)) or tuple((letter, _YOU) for letter in letters)
        if names != self._names:
            self._names, self._place = names, 0
        self._shown = (adjudication, decision, task)
        if names:
            self._show()

    def compare_next(self) -> None:
        """Choose the next two drawings; they are laid over each other when they are shown next."""
        self._place = (self._place + 1) % max(len(self._names), 1)

    def start_drawing(self) -> None:
        """Give the canvas the keys, ready for the numbers of two steps."""
        view = self.panel.view
        view.setFocus(Qt.FocusReason.OtherFocusReason)
        view.set_mode(Mode.CONNECT)
        if len(view.task.steps) - (view.task.answer_index is not None) < 2:
            view.say("There are no two steps here that an edge could join.")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name()

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
        if key in _REMOVE and pairs:
            self.left_out.emit(pairs)
        elif key == Qt.Key.Key_K and pairs:
            self.kinds_changed.emit(pairs)
        elif key == Qt.Key.Key_Escape and self._is_at_rest():
            self.left.emit()
        else:
            return False
        return True

    def _is_at_rest(self) -> bool:
        view = self.panel.view
        return view.mode is Mode.SELECT and view.current_step is None and not view.chosen_edges

    def _note_choice(self) -> None:
        view = self.panel.view
        chosen = view.chosen_edges
        if chosen == self._chosen:
            return
        self._chosen = chosen
        if len(chosen) == 1 and chosen[0][1] != view.task.answer_index:
            self.edge_chosen.emit(chosen[0])
            self.panel.view.say(self._about(chosen[0]))

    def _about(self, pair: Pair) -> str:
        look = self.panel.view.board.edges[pair].look
        return f"{pair[0]} → {pair[1]}: {look.tip}. Delete leaves it out, K changes its kind."

    def _show(self) -> None:
        assert self._shown is not None
        adjudication, decision, task = self._shown
        drawn, own = drawings_of(adjudication, task), own_edges(adjudication, decision, task)
        shown = decided_task(adjudication, decision, task)
        first, second = (with_answer(shown, drawn.get(name, ())) for name in self.names)
        if len(drawn) == 1:
            second = ()
        colours = (_colour(self.names[0]), _colour(self.names[1]))
        self.panel.show_drawings(shown, first, (*second, *own), names=self.names, colours=colours)
        self.panel.view.set_read_only(on=False)
        self._mark_decided(decision, task, own=own)
        self.compare.setVisible(self.has_more)
        self._name()

    def _name(self) -> None:
        """Name what is shown as far as the legend leaves room."""
        width = self.width() / theme().scale
        title = _TITLE if width >= _LONG else "Drawings"
        if self.has_more and width >= _MIDDLE:
            title = f"Drawings of {self.names[0]} and {self.names[1]}"
        self.panel.header.set_title(title if width >= _SHORT else "")

    def _mark_decided(self, decision: Decision, task: int, *, own: Collection[Edge]) -> None:
        """Say at the edges what was decided about them."""
        board = self.panel.view.board
        kinds = {edge.pair: edge.kind for edge in self.panel.view.task.drawn_edges}
        mine = {edge.pair: edge.kind for edge in own}
        looks: dict[Pair, EdgeLook] = {}
        for pair, item in board.edges.items():
            if pair in mine:
                looks[pair] = replace(OWN, tip=f"drawn by you, {EDGE_KIND[mine[pair]]}")
            elif edge_id(task, pair) not in decision.fields:
                continue
            elif pair in kinds:
                looks[pair] = replace(item.look, label="taken", tip=f"taken, {EDGE_KIND[kinds[pair]]}")
            else:
                looks[pair] = replace(LEFT_OUT, tip=f"left out; {item.look.tip}")
        board.change_looks(looks)


def _colour(name: str) -> str:
    return OWN.colour if name == _YOU else side_colour(name)
