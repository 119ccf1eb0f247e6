"""The lines of dependencies on the canvas: their courses, their arrow heads and their labels."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPainterPathStroker, QPen, QPolygonF
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsPathItem,
    QStyle,
    QStyleOptionGraphicsItem,
    QWidget,
)

from ui.graph.canvas_content import EdgeLook, Highlight, Pair
from ui.graph.layout import CARD_HEIGHT, ROUND_HEIGHT, Box
from ui.theme import theme
from ui.theme.look import sans
from ui.theme.words import plain_tip

_ARROW = 8.0
_BULGE = 36.0
_GAP = ROUND_HEIGHT - CARD_HEIGHT
_LANES = (0.0, -13.0, 13.0)
"""Heights of labels in the room between two rounds, from its middle."""
_MARGIN = 6.0
"""Pixels that the widest stroke and a head need beside the line."""
_HALO_WIDTH = 8.0
_HIT_WIDTH = 12.0
_LABEL_HEIGHT = 16.0


@dataclass(frozen=True)
class EdgePath:
    """A line without its arrow head, and the head, whose tip touches the target.

    `middle` is a point on the line that no card hides; `label_places` are where the centre of a label may
    be, the best place first.
    """

    line: QPainterPath = field(default_factory=QPainterPath)
    head: QPolygonF = field(default_factory=QPolygonF)
    middle: QPointF = field(default_factory=QPointF)
    label_places: tuple[QPointF, ...] = ()


def edge_path(source: Box, target: Box, stops: Sequence[tuple[float, float]] = ()) -> EdgePath:
    """Draw a dependency between two cards.

    Downwards it leaves below and arrives above, through its stops; within a round it goes from side
    to side, or under the cards between; upwards it goes round the outer side.

    Args:
        source: Card that must run first.
        target: Card that waits.
        stops: Points on the way, from top to bottom.

    Returns:
        The line and its arrow head.
    """
    if target.top >= source.bottom:
        return _down([(source.middle, source.bottom), *stops], QPointF(target.middle, target.top))
    if math.isclose(target.top, source.top):
        return _sideways(source, target)
    side = -1 if source.middle <= target.middle else 1
    start = QPointF(source.middle + side * source.width / 2, source.top + source.height / 2)
    tip = QPointF(target.middle + side * target.width / 2, target.top + target.height / 2)
    outside = side * (max(side * start.x(), side * tip.x()) + _BULGE)
    return _bend(start, QPointF(outside, start.y()), QPointF(outside, tip.y()), tip, QPointF(-side, 0))


def loose_path(source: Box, end: QPointF) -> EdgePath:
    """Draw a line from a card to a point, e.g. the mouse."""
    start = QPointF(source.middle, source.bottom)
    reach = QPointF(0, max(24.0, abs(end.y() - start.y()) / 2))
    return _bend(start, start + reach, end - reach / 2, end, QPointF(0, 1))


def _down(points: Sequence[tuple[float, float]], tip: QPointF) -> EdgePath:
    bends = list(pairwise([*points, (tip.x(), tip.y() - _ARROW + 1)]))
    line = QPainterPath(QPointF(*points[0]))
    for (x, y), (next_x, next_y) in bends:
        line.cubicTo(x, (y + next_y) / 2, next_x, (y + next_y) / 2, next_x, next_y)
    # Labels stand between rounds, clear of all cards: below the first card, or above the last one.
    gaps = ((bends[0], points[0][1] + _GAP / 2), (bends[-1], tip.y() - _GAP / 2))
    places = tuple(_at_height(*bend, height + lane) for bend, height in gaps for lane in _LANES)
    return EdgePath(line, _head(tip, QPointF(0, 1)), places[0], places)


def _at_height(start: tuple[float, float], end: tuple[float, float], height: float) -> QPointF:
    """The point of a bend at a height."""
    # Heights go as y(t) = 1.5 t (1 - t) + t^3; two of Newton's steps are exact to a pixel.
    wanted = t = (height - start[1]) / (end[1] - start[1])
    for _ in range(2):
        t -= (1.5 * t * (1 - t) + t**3 - wanted) / (1.5 - 3 * t + 3 * t * t)
    return QPointF(start[0] + (end[0] - start[0]) * (3 - 2 * t) * t * t, height)


def _sideways(source: Box, target: Box) -> EdgePath:
    side = 1 if target.left > source.left else -1
    level = source.top + source.height / 2
    start = QPointF(source.middle + side * source.width / 2, level)
    tip = QPointF(target.middle - side * target.width / 2, level)
    if abs(tip.x() - start.x()) < 2 * source.width:
        return _bend(start, start, tip, tip, QPointF(side, 0), lift=11)
    start, tip = QPointF(source.middle, source.bottom), QPointF(target.middle, target.bottom)
    down = QPointF(0, _BULGE)
    return _bend(start, start + down, tip + down, tip, QPointF(0, -1))


def _bend(
    start: QPointF, first: QPointF, second: QPointF, tip: QPointF, way: QPointF, *, lift: float = 0
) -> EdgePath:
    line = QPainterPath(start)
    line.cubicTo(first, second, tip - way * (_ARROW - 1))
    middle = line.pointAtPercent(0.5)
    return EdgePath(line, _head(tip, way), middle, (middle - QPointF(0, lift),))


def _head(tip: QPointF, way: QPointF) -> QPolygonF:
    back, across = tip - way * _ARROW, QPointF(-way.y(), way.x()) * (_ARROW / 2)
    return QPolygonF([tip, back + across, back - across])


def line_pen(look: EdgeLook, colour: str, *, extra: float = 0.0) -> QPen:
    """The pen of a line.

    Args:
        look: Its look.
        colour: A colour of the tokens.
        extra: Pixels it is thicker than usual; the dashes stay as long as they are.
    """
    pen = QPen(theme().colour(colour), look.width + extra)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if look.dashes:
        pen.setDashPattern([dash * look.width / pen.widthF() for dash in look.dashes])
    return pen


def label_band(area: QRectF) -> int:
    """Between which rounds a label stands: only labels there can meet."""
    return round(area.center().y() / ROUND_HEIGHT)


class EdgeItem(QGraphicsPathItem):
    """The line of one dependency with its arrow head; `EdgeLabels` writes its label."""

    def __init__(self, pair: Pair, highlight: Highlight) -> None:
        super().__init__()
        self.pair = pair
        self.look = EdgeLook()
        self.label_area = QRectF()
        """Where the label stands; empty for a line without one."""
        self._highlight = highlight
        self._shown = EdgePath()
        self._course: tuple[object, ...] = ()
        self._label_width = 0.0
        self.setAcceptHoverEvents(True)

    def lead(self, source: Box, target: Box, stops: Sequence[tuple[float, float]], look: EdgeLook) -> None:
        """Lead it from card to card through its stops."""
        course = (source, target, tuple(stops), look)
        if course != self._course:
            self._course = course
            self.show_edge(edge_path(source, target, stops), look)

    def show_edge(self, path: EdgePath, look: EdgeLook) -> None:
        """Take a course and a look."""
        self._shown, self.look = path, look
        self.setPath(path.line)
        tip = f"{self.pair[0]} → {self.pair[1]}: {look.tip}" if look.tip else ""
        self.setToolTip(plain_tip(tip) if tip else "")
        self._label_width = QFontMetricsF(sans(11)).horizontalAdvance(look.label) + 8
        self.update()

    def place_label(self, taken: Mapping[int, Sequence[QRectF]]) -> None:
        """Put the label where it hides no other one, as far as the line allows.

        Args:
            taken: Where labels stand already, by `label_band`.
        """
        places = [self._label_at(centre) for centre in self._shown.label_places if self.look.label]
        # The margins of two labels may touch.
        free = (
            area
            for area in places
            if not any(map(area.adjusted(0, 4, 0, -4).intersects, taken.get(label_band(area), ())))
        )
        area = next(free, places[0]) if places else QRectF()
        if area != self.label_area:
            self.prepareGeometryChange()
            self.label_area = area

    def _label_at(self, centre: QPointF) -> QRectF:
        size = QSizeF(self._label_width, _LABEL_HEIGHT)
        return QRectF(centre - QPointF(size.width(), size.height()) / 2, size)

    @property
    def middle(self) -> QPointF:
        """A point on the line that no card hides."""
        return self._shown.middle

    @property
    def colour(self) -> str:
        """The colour of the tokens it has now."""
        if self.pair in self._highlight.circle:
            return "error"
        is_awaited = self._highlight.step == self.pair[1]
        return "accent" if is_awaited or self.pair in self._highlight.edges else self.look.colour

    def boundingRect(self) -> QRectF:
        around = self.path().controlPointRect() | self._shown.head.boundingRect() | self.label_area
        return around.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)

    def shape(self) -> QPainterPath:
        stroker = QPainterPathStroker()
        stroker.setWidth(_HIT_WIDTH)
        shape = stroker.createStroke(self.path())
        shape.addRect(self.label_area)
        return shape

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.pair in self._highlight.edges:
            painter.strokePath(self.path(), QPen(theme().colour("selection"), _HALO_WIDTH))
        colour = theme().colour(self.colour)
        is_thick = option.state & QStyle.StateFlag.State_MouseOver or self.colour != self.look.colour
        painter.strokePath(self.path(), line_pen(self.look, self.colour, extra=0.6 if is_thick else 0.0))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(self._shown.head)


class EdgeLabels(QGraphicsItem):
    """Writes the labels of all edges on the ground of the canvas, so that no line runs through them."""

    def __init__(self, edges: Callable[[], Iterable[EdgeItem]]) -> None:
        super().__init__()
        self._edges = edges
        self._bounds = QRectF()
        self.setZValue(2)
        # So that Qt says which part of the drawing is to be painted.
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def spread(self, bounds: QRectF) -> None:
        """Take up the room of a drawing."""
        self.prepareGeometryChange()
        self._bounds = bounds

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shape(self) -> QPainterPath:
        return QPainterPath()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(sans(11))
        for edge in self._edges():
            if edge.label_area.intersects(option.exposedRect):
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme().colour("bg"))
                painter.drawRoundedRect(edge.label_area, 4, 4)
                painter.setPen(theme().colour("muted" if edge.colour == "faint" else edge.colour))
                painter.drawText(edge.label_area, Qt.AlignmentFlag.AlignCenter, edge.look.label)
