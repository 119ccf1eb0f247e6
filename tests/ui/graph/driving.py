"""Mouse and keys on the canvas."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from ui.graph.panel import Legend
from ui.graph.view import GraphView

LEFT = Qt.MouseButton.LeftButton


def click(view: GraphView, point: QPoint, *, control: bool = False) -> None:
    modifier = Qt.KeyboardModifier.ControlModifier if control else Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(view.viewport(), LEFT, modifier, point)


def drag(view: GraphView, start: QPoint, end: QPoint, *, drop: bool = True) -> None:
    QTest.mousePress(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(view.viewport(), (start + end) / 2)
    QTest.mouseMove(view.viewport(), end)
    if drop:
        QTest.mouseRelease(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, end)


def press(view: GraphView, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(view, key)


def point_of(view: GraphView, step: int) -> QPoint:
    """Where the middle of a step's card is, in viewport coordinates."""
    return view.mapFromScene(view.board.steps[step].sceneBoundingRect().center())


def handle_of(view: GraphView, step: int) -> QPoint:
    """Where the grip below a step's card is."""
    item = view.board.steps[step]
    return view.mapFromScene(item.mapToScene(item.handle_rect().center()))


def edge_point(view: GraphView, pair: tuple[int, int]) -> QPoint:
    """A point on an edge or a suggestion."""
    edge = view.board.edges.get(pair) or view.board.ghosts[pair]
    return view.mapFromScene(edge.path().pointAtPercent(0.5))


def legend_colours(legend: Legend) -> tuple[str, str]:
    """The colours of the tokens that a legend explains for the one and the other drawing."""
    _, one, other = (sample.look.colour for sample in legend.findChildren(QWidget) if hasattr(sample, "look"))
    return one, other
