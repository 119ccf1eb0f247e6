"""The items on the canvas: cards of steps with their marks, and lines with arrow heads and labels."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPainterPathStroker, QPen, QPolygonF
from PySide6.QtWidgets import (
    QGraphicsObject,
    QGraphicsPathItem,
    QStyle,
    QStyleOptionGraphicsItem,
    QWidget,
)

from ui.graph.canvas_content import EdgeLook, Highlight, Mark, MarkKind, Pair
from ui.graph.layout import CARD_HEIGHT, GAP, ROUND_HEIGHT, Box
from ui.theme import theme
from ui.theme.layouts import build
from ui.theme.look import mono, paint_box, paint_icon, paint_with, paint_words, sans
from ui.theme.words import plain_tip

_RADIUS = 8.0
_PADDING = 14.0
_HANDLE = 6.0
_CARD_MARGIN = 14.0
CARD_WIDTHS = (104.0, 196.0)
"""Least and greatest width of a card."""
_COMPACT, _COMPACT_PADDING = 44.0, 8.0
"""Least width of a card in a round of more than `_USUAL` steps, and what is left free beside its name."""
_USUAL = 3
_MARK_LOOKS = {
    MarkKind.READY: ("play", "accent"),
    MarkKind.CHOSEN: ("check", "accent"),
    MarkKind.DONE: ("check", "ok"),
    MarkKind.EARLY: ("warning", "error"),
    MarkKind.WRONG: ("x", "error"),
    MarkKind.PROBLEM: ("warning", "warn"),
}
"""Icon and colour of each mark."""
_OUTLINES = {
    MarkKind.READY: ("accent", 1.4, Qt.PenStyle.DashLine),
    MarkKind.CHOSEN: ("accent", 1.8, Qt.PenStyle.SolidLine),
    MarkKind.EARLY: ("error", 1.6, Qt.PenStyle.SolidLine),
    MarkKind.WRONG: ("error", 1.6, Qt.PenStyle.SolidLine),
}
"""Colour, width and pattern of the outline of cards with a mark, where it is not the usual one."""


def card_width(title: str, detail: str, *, room: float = inf, beside: int = 1, gap: float = GAP) -> float:
    """Width a card needs for its title, and for its second line as far as there is room.

    Args:
        title: Number and name of its step.
        detail: Its second line.
        room: Width of the drawing, in pixels at 100 %.
        beside: How many cards share it; more than three become narrow, with the name over two lines.
        gap: Least space between two of them.
    """
    titles, details = QFontMetricsF(mono(12)), QFontMetricsF(sans(11))
    wanted = max(titles.horizontalAdvance(title), details.horizontalAdvance(detail)) + 2 * _PADDING
    low, high = CARD_WIDTHS
    share = (room - (beside - 1) * gap) / beside
    return max(_COMPACT if beside > _USUAL else low, min(max(wanted, low), high, share))


class StepItem(QGraphicsObject):
    """The card of one step."""

    def __init__(self, number: int, highlight: Highlight) -> None:
        build(super().__init__, objectName=f"step-{number}")
        self.number = number
        self.box = Box(0, 0, CARD_WIDTHS[0])
        self.mark: Mark | None = None
        self.mark_rect = QRectF()
        """Where the word of the mark stands, in the item's coordinates; empty without one."""
        self._highlight = highlight
        self.words = ("", "")
        """Its title and its second line."""
        self.setAcceptHoverEvents(True)
        self.setZValue(3)

    def show_step(self, box: Box, title: str, detail: str, mark: Mark | None) -> None:
        """Take a place and say something."""
        self.prepareGeometryChange()
        self.box, self.words, self.mark = box, (title, detail), mark
        word = mark.word if mark else ""
        self.mark_rect = _mark_rect(box, word) if word else QRectF()
        self.setPos(box.left, box.top)
        self.setToolTip(plain_tip(f"{title}{f' ({word})' if word else ''}\n{detail}"))
        self.update()

    @property
    def is_current(self) -> bool:
        """Whether it is the selected step."""
        return self._highlight.step == self.number

    def rect(self) -> QRectF:
        """The card itself, in the item's coordinates."""
        return QRectF(0, 0, self.box.width, self.box.height)

    def handle_rect(self) -> QRectF:
        """The grip below the card that a line can be pulled from, in the item's coordinates."""
        side = 2 * _HANDLE
        return QRectF(self.box.width / 2 - _HANDLE, self.box.height - _HANDLE, side, side)

    def boundingRect(self) -> QRectF:
        return (self.rect() | self.mark_rect).adjusted(-_CARD_MARGIN, -_MARGIN, _MARGIN, _MARGIN)

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        path.addRoundedRect(self.rect(), _RADIUS, _RADIUS)
        path.addEllipse(self.handle_rect())
        # By default, where the two overlap would be outside.
        path.setFillRule(Qt.FillRule.WindingFill)
        return path

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        kind = self.mark.kind if self.mark else None
        is_hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        grounds = {MarkKind.CHOSEN: "accent_bg", MarkKind.DONE: "code"}
        paint_box(
            painter,
            self.rect(),
            _RADIUS,
            pen=self._outline(kind, is_hovered=is_hovered),
            brush=theme().colour(grounds.get(kind, "surface") if kind else "surface"),
        )
        self._paint_words(painter, is_problem=kind is MarkKind.PROBLEM)
        if self.mark and self.mark.word:
            self._paint_mark(painter, self.mark)
        if is_hovered and self._highlight.has_grips and self._highlight.target is None:
            paint_with(painter, pen=QPen(theme().colour("accent"), 1.4), brush=theme().colour("surface"))
            painter.drawEllipse(self.handle_rect().adjusted(1.5, 1.5, -1.5, -1.5))

    def _outline(self, kind: MarkKind | None, *, is_hovered: bool) -> QPen:
        colour = theme().colour
        if self._highlight.target == self.number:
            return QPen(colour("error" if self._highlight.is_refused else "accent"), 2.2)
        if self.is_current:
            return QPen(colour("accent"), 2.2)
        if kind in _OUTLINES:
            name, width, pattern = _OUTLINES[kind]
            return QPen(colour(name), width, pattern)
        return QPen(colour("faint" if is_hovered else "line_strong"), 1.2)

    def _paint_words(self, painter: QPainter, *, is_problem: bool) -> None:
        is_compact = self.box.width < CARD_WIDTHS[0]
        padding = _COMPACT_PADDING if is_compact else _PADDING
        room = self.box.width - 2 * padding
        elide = Qt.TextElideMode.ElideRight
        paint_with(painter, font=mono(12), pen=theme().colour("text"))
        metrics, (title, detail) = QFontMetricsF(painter.font()), self.words
        if is_compact and metrics.horizontalAdvance(title) > room:
            fits = int(room / metrics.horizontalAdvance("0"))
            painter.drawText(QPointF(padding, 21), title[:fits])
            painter.drawText(QPointF(padding, 39), metrics.elidedText(title[fits:].lstrip(), elide, room + 6))
            return
        painter.drawText(QPointF(padding, 21), metrics.elidedText(title, elide, room + 6))
        paint_with(painter, font=sans(11), pen=theme().colour("warn" if is_problem else "muted"))
        room -= 16 if is_problem else 0
        painter.drawText(QPointF(padding, 39), QFontMetricsF(painter.font()).elidedText(detail, elide, room))
        if is_problem:
            corner = QRectF(self.box.width - _PADDING - 12, 29, 12, 12)
            paint_icon(painter, "warning", corner, theme().colour("warn"))

    def _paint_mark(self, painter: QPainter, mark: Mark) -> None:
        icon_name, name = _MARK_LOOKS[mark.kind]
        colour, pill = theme().colour(name), self.mark_rect
        paint_box(painter, pill, 8, pen=QPen(colour, 1), brush=theme().colour("surface"))
        paint_icon(painter, icon_name, QRectF(pill.left() + 6, pill.top() + 2.5, 11, 11), colour)
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        paint_words(painter, pill.adjusted(19, 0, -4, 0), left, mark.word, font=sans(11), pen=colour)


def _mark_rect(box: Box, word: str) -> QRectF:
    """Where the word of a mark stands: at the right end of the card, over its middle where it is wider."""
    width = QFontMetricsF(sans(11)).horizontalAdvance(word) + 26
    return QRectF(max(box.width - width - 8, (box.width - width) / 2), -12, width, 16)


_ARROW = 8.0
_BULGE = 36.0
_GAP = ROUND_HEIGHT - CARD_HEIGHT
_LANES = (0.0, -13.0, 13.0)
"""Heights of labels in the room between two rounds, from its middle."""
_MARGIN = 6.0
"""Pixels that the widest stroke and a head need beside the line."""


@dataclass(frozen=True)
class EdgePath:
    """A line without its arrow head, and the head, whose tip touches the target.

    `label_places` are where the centre of a label may be, the best place first.
    """

    line: QPainterPath = field(default_factory=QPainterPath)
    head: QPolygonF = field(default_factory=QPolygonF)
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
    return EdgePath(line, _head(tip, QPointF(0, 1)), places)


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
    return EdgePath(line, _head(tip, way), (line.pointAtPercent(0.5) - QPointF(0, lift),))


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
    """The line of one dependency with its arrow head; the scene has its label written above all lines."""

    def __init__(self, pair: Pair, highlight: Highlight) -> None:
        super().__init__()
        self.pair = pair
        self.look = EdgeLook()
        self.label_area = QRectF()
        """Where the label stands; empty for a line without one."""
        self._highlight = highlight
        self._shown = EdgePath()
        self._label_width = 0.0
        self.setAcceptHoverEvents(True)

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
        size = QSizeF(self._label_width, 16.0)
        return QRectF(centre - QPointF(size.width(), size.height()) / 2, size)

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
        stroker.setWidth(12.0)
        shape = stroker.createStroke(self.path())
        shape.addRect(self.label_area)
        return shape

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.pair in self._highlight.edges:
            painter.strokePath(self.path(), QPen(theme().colour("selection"), 8.0))
        colour = theme().colour(self.colour)
        is_thick = option.state & QStyle.StateFlag.State_MouseOver or self.colour != self.look.colour
        painter.strokePath(self.path(), line_pen(self.look, self.colour, extra=0.6 if is_thick else 0.0))
        paint_with(painter, pen=Qt.PenStyle.NoPen, brush=colour)
        painter.drawPolygon(self._shown.head)

    def paint_label(self, painter: QPainter) -> None:
        """Write the label on the ground of the canvas, so that no line runs through it."""
        paint_box(painter, self.label_area, 4, pen=Qt.PenStyle.NoPen, brush=theme().colour("bg"))
        paint_words(
            painter,
            self.label_area,
            Qt.AlignmentFlag.AlignCenter,
            self.look.label,
            font=sans(11),
            pen=theme().colour("muted" if self.colour == "faint" else self.colour),
        )
