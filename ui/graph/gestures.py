"""What mouse and keys can do on a canvas; a gesture is one object: started, moved, finished or cancelled."""

from collections.abc import Callable, Collection
from enum import StrEnum

from PySide6.QtCore import QObject, QPoint, QPointF, QRectF, QTimer, Signal
from PySide6.QtWidgets import QGraphicsView, QRubberBand

from scoring.errors import CycleError, GraphError
from scoring.model.case import Task
from scoring.model.graph import check_new_edge
from ui.graph.canvas import Canvas
from ui.graph.canvas_content import Pair
from ui.theme.layouts import build


class Mode(StrEnum):
    """What a click on a step means: the three ways to work on a graph."""

    SELECT = "select"
    CONNECT = "connect"
    SIMULATE = "simulate"


def refusal(task: Task, source: int, target: int) -> GraphError | None:
    """Why an edge cannot be drawn; None where it can."""
    try:
        check_new_edge(task, source, target)
    except GraphError as error:
        return error
    return None


def circle_pairs(error: GraphError) -> tuple[Pair, ...]:
    """The drawn edges of the circle an edge would close; none for other refusals."""
    return tuple(zip(error.cycle[1:], error.cycle[2:], strict=False)) if isinstance(error, CycleError) else ()


class ConnectGesture:
    """Pull a line from a step to another one.

    Args:
        view: Shows the steps.
        task: What is drawn.
        source: Step the line starts from.
        on_done: Called with source and target of a line that may be drawn.
        on_refused: Called with the reason while the mouse is over a step that may not be connected,
            and with None when it has left it.
    """

    def __init__(
        self,
        view: Canvas,
        task: Task,
        source: int,
        *,
        on_done: Callable[[int, int], None],
        on_refused: Callable[[GraphError | None], None],
    ) -> None:
        self._view = view
        self._task = task
        self._source = source
        self._on_done = on_done
        self._on_refused = on_refused
        self._target: int | None = None

    def move(self, point: QPoint) -> None:
        """Follow the mouse and light up what it is over."""
        where = self._view.mapToScene(point)
        over = self._view.board.step_at(where)
        target = over.number if over is not None and over.number != self._source else None
        if target is None:
            if self._target is not None:
                self._view.board.drop()
                self._on_refused(None)
            self._view.board.pull(self._source, where)
        elif target != self._target:
            error = refusal(self._task, self._source, target)
            self._view.board.aim(self._source, target, refused_circle=circle_pairs(error) if error else None)
            self._on_refused(error)
        self._target = target

    def finish(self, point: QPoint) -> None:
        """Ask for the edge if the mouse is over a step it may go to."""
        self.move(point)
        self._view.board.drop()
        if self._target is not None and refusal(self._task, self._source, self._target) is None:
            self._on_done(self._source, self._target)

    def cancel(self) -> None:
        """Let go of the line."""
        self._view.board.drop()
        self._on_refused(None)


class BandGesture:
    """Draw a frame; the edges it touches are selected.

    Args:
        view: Shows the edges.
        start: Where the mouse was pressed.
        kept: Edges that stay selected besides.
    """

    def __init__(self, view: Canvas, start: QPoint, *, kept: Collection[Pair] = ()) -> None:
        self._view = view
        self._start = start
        self._kept = set(kept)
        self._before = view.board.chosen_edges
        self._band = QRubberBand(QRubberBand.Shape.Rectangle, view.viewport())

    def move(self, point: QPoint) -> None:
        """Stretch the frame."""
        corners = QRectF(QPointF(self._start), QPointF(point)).normalized()
        self._band.setGeometry(corners.toRect())
        self._band.show()
        area = self._view.mapToScene(corners.toRect()).boundingRect()
        touched = {pair for pair, item in self._view.board.edges.items() if item.shape().intersects(area)}
        self._view.board.choose_edges(touched | self._kept)

    def finish(self, point: QPoint) -> None:
        """Keep what is selected."""
        self.move(point)
        self._drop()

    def cancel(self) -> None:
        """Select what was selected before."""
        self._view.board.choose_edges(self._before)
        self._drop()

    def _drop(self) -> None:
        self._band.hide()
        self._band.deleteLater()


class PanGesture:
    """Push the drawing about."""

    def __init__(self, view: QGraphicsView, start: QPoint) -> None:
        self._view = view
        self._start = start
        self._bars = (view.horizontalScrollBar(), view.verticalScrollBar())
        self._before = tuple(bar.value() for bar in self._bars)

    def move(self, point: QPoint) -> None:
        """Follow the mouse."""
        offset = point - self._start
        for bar, before, moved in zip(self._bars, self._before, (offset.x(), offset.y()), strict=True):
            bar.setValue(before - moved)

    finish = move

    def cancel(self) -> None:
        """Go back."""
        for bar, before in zip(self._bars, self._before, strict=True):
            bar.setValue(before)


Gesture = ConnectGesture | BandGesture | PanGesture
"""One press, its moves in viewport coordinates, and how it ends."""


class StepNumber(QObject):
    """The number of a step, typed digit by digit.

    `limit` is the number of steps. `changed` says that a digit was typed, `typed` gives the number once it is
    complete: by Enter, after a moment, or where no further digit could follow.
    """

    changed = Signal()
    typed = Signal(int)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.limit = 0
        self.digits: str | None = None
        """Typed so far, empty where they are waited for; None where no number was begun."""
        self._patience = build(QTimer, self, singleShot=True, interval=900, timeout=self.complete)

    @property
    def value(self) -> int | None:
        """The number as it stands; None where there is no such step."""
        return self._read(self.digits or "")

    def forget(self) -> None:
        """Forget the number begun."""
        self.digits = None
        self._patience.stop()

    def complete(self) -> None:
        """Take the number as it stands."""
        value = self.value
        self.forget()
        if value is not None:
            self.typed.emit(value)

    def add(self, digit: str) -> None:
        """Add a digit; one that leads nowhere starts over."""
        longer = (self.digits or "") + digit
        self.digits = digit if self._read(longer) is None else longer
        self.changed.emit()
        value = self.value
        if value is not None and (value == 0 or value * 10 >= self.limit):
            self.complete()
        else:
            self._patience.start()

    def _read(self, digits: str) -> int | None:
        number = int(digits) if digits else None
        return number if number is not None and number < self.limit else None
