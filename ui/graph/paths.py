"""The lines of a drawing: smooth from card to card, with the direction of their arrow head."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import pairwise

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF
from PySide6.QtGui import QPainterPath, QPolygonF

from ui.graph.layout import CARD_HEIGHT, ROUND_HEIGHT, Box
from ui.graph.strokes import Point, add_bend, cut_bends, cut_line

ARROW = 8.0
_BULGE = 36.0
_GAP = ROUND_HEIGHT - CARD_HEIGHT
_LANES = (0.0, -13.0, 13.0)
"""Heights of labels in the room between two rounds, from its middle."""


@dataclass(frozen=True)
class EdgePath:
    """A line without its arrow head, and the head, whose tip touches the target."""

    line: QPainterPath
    head: QPolygonF
    middle: QPointF
    """A point on the line, about half way, that no card hides."""
    label_places: Callable[[], Iterator[QPointF]]
    """Finds where the centre of a label may be, the best place first: between rounds, clear of all cards."""
    places: tuple[Point, ...] = ()
    """What a line downwards bends at; none for other lines."""
    _strokes: dict[tuple[float, ...], QPainterPath] = field(default_factory=dict)

    def strokes(self, dashes: tuple[float, ...]) -> QPainterPath:
        """The line as short straight strokes; cut when they are first painted.

        Args:
            dashes: Lengths of dash, gap and so on in pixels; empty for a solid line.
        """
        if dashes not in self._strokes:
            cut = cut_bends(self.places, dashes) if self.places else cut_line(self.line, dashes)
            self._strokes[dashes] = cut
        return self._strokes[dashes]

    def areas(self, margin: int) -> Iterator[QRect]:
        """Rectangles that hold the line and its head, together much smaller than one around all of it."""
        around = self.head.boundingRect() if self.places else self.bounds()
        yield around.toAlignedRect().adjusted(-margin, -margin, margin, margin)
        for (x, y), (next_x, next_y) in pairwise(self.places):
            left, right = (x, next_x) if x < next_x else (next_x, x)
            start = QPoint(int(left) - margin - 1, int(y) - margin)
            yield QRect(start, QPoint(int(right) + margin + 1, int(next_y) + margin))

    def bounds(self) -> QRectF:
        """One rectangle around all of it."""
        return self.line.controlPointRect() | self.head.boundingRect()


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
    return _up(source, target)


def loose_path(source: Box, end: QPointF) -> EdgePath:
    """Draw a line from a card to a point, e.g. the mouse."""
    start = QPointF(source.middle, source.bottom)
    line = QPainterPath(start)
    reach = max(24.0, abs(end.y() - start.y()) / 2)
    line.cubicTo(start + QPointF(0, reach), end - QPointF(0, reach / 2), end)
    return EdgePath(line, _head(end, 90), end, partial(iter, (end,)))


def box_rect(box: Box) -> QRectF:
    """A box as Qt sees it."""
    return QRectF(box.left, box.top, box.width, box.height)


def _down(points: Sequence[tuple[float, float]], tip: QPointF) -> EdgePath:
    places = (*points, (tip.x(), tip.y() - ARROW + 1))
    line = QPainterPath(QPointF(*points[0]))
    for start, end in pairwise(places):
        add_bend(line, start, end)
    label_places = partial(_between_rounds, places, tip.y())
    middle = QPointF(*points[len(points) // 2]) if len(points) > 1 else next(label_places())
    return EdgePath(line, _head(tip, 90), middle, label_places, places)


def _between_rounds(places: Sequence[tuple[float, float]], end: float) -> Iterator[QPointF]:
    """Points of a line below its first card, then above its last one, whose height is the end's."""
    for start, stop, height in (
        (places[0], places[1], places[0][1] + _GAP / 2),
        (places[-2], places[-1], end - _GAP / 2),
    ):
        for shift in _LANES:
            yield _at_height(start, stop, height + shift)


def _at_height(start: tuple[float, float], end: tuple[float, float], height: float) -> QPointF:
    """The point of a smooth piece of line at a height."""
    # Heights go as y(t) = 1.5 t (1 - t) + t^3; two of Newton's steps are exact to a pixel.
    wanted = t = (height - start[1]) / (end[1] - start[1])
    for _ in range(2):
        t -= (1.5 * t * (1 - t) + t**3 - wanted) / (1.5 - 3 * t + 3 * t * t)
    return QPointF(start[0] + (end[0] - start[0]) * (3 - 2 * t) * t * t, height)


def _sideways(source: Box, target: Box) -> EdgePath:
    is_right = target.left > source.left
    level = source.top + source.height / 2
    start = QPointF(source.left + source.width if is_right else source.left, level)
    tip = QPointF(target.left if is_right else target.left + target.width, level)
    if abs(tip.x() - start.x()) < 2 * source.width:
        line = QPainterPath(start)
        line.lineTo(tip - QPointF(ARROW - 1 if is_right else 1 - ARROW, 0))
        middle = (start + tip) / 2
        return EdgePath(
            line, _head(tip, 0 if is_right else 180), middle, partial(iter, (middle - QPointF(0, 11),))
        )
    start, tip = QPointF(source.middle, source.bottom), QPointF(target.middle, target.bottom)
    line = QPainterPath(start)
    down = QPointF(0, _BULGE)
    line.cubicTo(start + down, tip + down, tip + QPointF(0, ARROW - 1))
    middle = line.pointAtPercent(0.5)
    return EdgePath(line, _head(tip, 270), middle, partial(iter, (middle,)))


def _up(source: Box, target: Box) -> EdgePath:
    side = -1 if source.middle <= target.middle else 1
    start = QPointF(source.middle + side * source.width / 2, source.top + source.height / 2)
    tip = QPointF(target.middle + side * target.width / 2, target.top + target.height / 2)
    outside = side * (max(side * start.x(), side * tip.x()) + _BULGE)
    line = QPainterPath(start)
    end = tip + QPointF(side * (ARROW - 1), 0)
    line.cubicTo(QPointF(outside, start.y()), QPointF(outside, tip.y()), end)
    middle = line.pointAtPercent(0.5)
    return EdgePath(line, _head(tip, 0 if side < 0 else 180), middle, partial(iter, (middle,)))


def _head(tip: QPointF, degrees: int) -> QPolygonF:
    return _head_at_origin(degrees).translated(tip)


@lru_cache(maxsize=8)
def _head_at_origin(degrees: int) -> QPolygonF:
    along = QPointF(math.cos(math.radians(degrees)), math.sin(math.radians(degrees)))
    across = QPointF(-along.y(), along.x()) * (ARROW / 2)
    back = along * -ARROW
    return QPolygonF([QPointF(), back + across, back - across])
