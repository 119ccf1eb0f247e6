"""The switching space as a pyramid: 4 beginnings, 16 ways on, 64, 256; filled where cases are."""

from collections.abc import Mapping
from itertools import product
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from scoring.measures.coverage import MAIN_TYPES, Route
from scoring.texts import tr, tr_count
from ui.theme import Theme, theme
from ui.theme.events import ENTER_KEYS
from ui.theme.layouts import build
from ui.theme.look import paint_box, paint_with, paint_words, scaled
from ui.theme.tokens import SMALL, TINY, contrast, mix

TYPE_WORDS = {"single": tr("Single"), "multi": tr("Multi"), "clarify": tr("Clarify"), "chat": tr("Chat")}
_LEVELS = 4
_ROUTES = [tuple(product(MAIN_TYPES, repeat=level)) for level in range(_LEVELS + 1)]
"""The sequences of each length, from the left."""
_PLACES = {route: place for routes in _ROUTES for place, route in enumerate(routes)}
_WIDTHS = (0.46, 0.64, 0.82, 1.0)
_MARGIN = 16
_NAME_ROOM = 64
_GAP = 5
_LEAST, _MOST = 0.16, 0.85


def route_words(route: Route) -> str:
    """A sequence as people read it."""
    return " → ".join(TYPE_WORDS[kind] for kind in route)


class Pyramid(QWidget):
    """Shows how many cases begin with each sequence; one sequence is marked.

    Left and right go along a level, up and down to the shorter and the longer sequences, Home and End
    to the ends of a level; G goes to the next gap.
    """

    marked = Signal(object)
    """The `Route` that is marked now."""
    opened = Signal(object)
    """The `Route` on which Enter was pressed or that was double-clicked."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        build(
            super().__init__,
            parent,
            objectName="pyramid",
            focusPolicy=Qt.FocusPolicy.StrongFocus,
            mouseTracking=True,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding),
            **properties,
        )
        scaled(self, setMinimumSize=(420, 180))
        self._cases: Mapping[Route, int] = {}
        self.marked_route: Route = (MAIN_TYPES[0],)
        """The sequence that is marked."""
        self._hovered: Route | None = None
        self._describe()

    def show_cases(self, cases: Mapping[Route, int]) -> None:
        """Show how many cases begin with each sequence; those that are missing have none."""
        self._cases = dict(cases)
        self._describe()
        self.update()

    def mark(self, route: Route) -> None:
        """Mark a sequence, and say so if another one was marked."""
        if route != self.marked_route:
            self.marked_route = route
            self._describe()
            self.update()
            self.marked.emit(route)

    def room_of(self, route: Route) -> QRectF:
        """Where a sequence is drawn."""
        top, height = self._level(len(route))
        left, width = self._across(len(route))
        cell = width / 4 ** len(route)
        return QRectF(left + _PLACES[route] * cell, top, cell, height)

    def route_at(self, point: QPointF) -> Route | None:
        """The sequence at a place; None between the levels."""
        for level in range(1, _LEVELS + 1):
            top, height = self._level(level)
            left, width = self._across(level)
            if top <= point.y() < top + height and left <= point.x() < left + width:
                return _ROUTES[level][int((point.x() - left) / width * 4**level)]
        return None

    # people --------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            route = self.route_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), self._about(route) if route else "", self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hovered = self.route_at(event.position())
        if hovered != self._hovered:
            self._hovered = hovered
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.update()
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        route = self.route_at(event.position())
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if route is not None:
            self.mark(route)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.route_at(event.position()) == self.marked_route:
            self.opened.emit(self.marked_route)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        route, place, row = self.marked_route, _PLACES[self.marked_route], _ROUTES[len(self.marked_route)]
        neighbours = {
            Qt.Key.Key_Left: row[max(place - 1, 0)],
            Qt.Key.Key_Right: row[min(place + 1, len(row) - 1)],
            Qt.Key.Key_Up: route[:-1] or route,
            Qt.Key.Key_Down: (*route, MAIN_TYPES[0]) if len(route) < _LEVELS else route,
            Qt.Key.Key_Home: row[0],
            Qt.Key.Key_End: row[-1],
        }
        if event.key() in neighbours:
            self.mark(neighbours[Qt.Key(event.key())])
        elif event.key() in ENTER_KEYS:
            self.opened.emit(route)
        else:
            super().keyPressEvent(event)

    def go_to_gap(self) -> None:
        """Mark the next sequence without a case, after the marked one, then from the shortest on."""
        every = [route for route in _PLACES if route]
        at = every.index(self.marked_route)
        gaps = [route for route in (*every[at + 1 :], *every[: at + 1]) if not self._cases.get(route)]
        if gaps:
            self.mark(gaps[0])

    # painting ------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        painter = paint_with(QPainter(self), is_smooth=True)
        for level in range(1, _LEVELS + 1):
            self._paint_level(painter, level, look)
        self._paint_frame(painter, self._hovered, look, colour="line_strong")
        self._paint_frame(painter, self.marked_route, look, colour="accent")

    def _paint_level(self, painter: QPainter, level: int, look: Theme) -> None:
        top, height = self._level(level)
        most = max((count for route, count in self._cases.items() if len(route) == level), default=0)
        covered = sum(1 for route in self._cases if len(route) == level)
        name = QRectF(look.px(_MARGIN), top, look.px(_NAME_ROOM), height)
        words = tr(
            "{task}\n{covered} of {value}", task=tr_count(level, "task"), covered=covered, value=4**level
        )
        side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        paint_words(painter, name, side, words, font=look.sans(TINY), pen=look.colour("muted"))
        for route in _ROUTES[level]:
            self._paint_cell(painter, route, most, look)

    def _paint_cell(self, painter: QPainter, route: Route, most: int, look: Theme) -> None:
        room = self.room_of(route)
        inset = min(1.0, room.width() / 8)
        box = room.adjusted(inset, 0, -inset, 0)
        count = self._cases.get(route, 0)
        radius = min(look.px(4), box.width() / 4)
        if count:
            ground = mix(look.tokens.accent, look.tokens.surface, _LEAST + (_MOST - _LEAST) * count / most)
            paint_box(painter, box, radius, pen=Qt.PenStyle.NoPen, brush=QColor(ground))
            self._paint_words(painter, route, box, ground, look)
            return
        painter.setBrush(look.colour("surface"))
        if box.width() > look.px(9):
            dashed = QPen(look.colour("line_strong"), 1, Qt.PenStyle.DashLine)
            paint_box(painter, box.adjusted(0.5, 0.5, -0.5, -0.5), radius, pen=dashed)
            self._paint_words(painter, route, box, look.tokens.surface, look)
        else:
            # Too narrow for an outline: a gap is a short line where a case would be a full bar.
            short = QRectF(box.left(), box.bottom() - look.px(3), box.width(), look.px(3))
            paint_box(painter, short, pen=Qt.PenStyle.NoPen, brush=look.colour("line_strong"))

    def _paint_words(self, painter: QPainter, route: Route, box: QRectF, ground: str, look: Theme) -> None:
        count = self._cases.get(route, 0)
        choices = (look.tokens.text, look.tokens.on_accent) if count else (look.tokens.muted,)
        painter.setPen(QColor(max(choices, key=lambda colour: contrast(colour, ground))))
        name, number = TYPE_WORDS[route[-1]], f"{count:,}" if count else tr("none")
        strong, small = look.sans(SMALL, is_strong=True), look.sans(TINY)
        if box.width() > QFontMetricsF(small).horizontalAdvance(name) + look.px(8):
            half = box.height() / 2
            upper = QRectF(box.left(), box.top(), box.width(), half)
            lower = upper.translated(0, half)
            centre, below = Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignTop
            paint_words(painter, upper, centre | Qt.AlignmentFlag.AlignBottom, name, font=small)
            paint_words(painter, lower, centre | below, number, font=strong)
        elif count and box.width() > QFontMetricsF(small).horizontalAdvance(number) + 2:
            paint_words(painter, box, Qt.AlignmentFlag.AlignCenter, number, font=small)

    def _paint_frame(self, painter: QPainter, route: Route | None, look: Theme, *, colour: str) -> None:
        if route is None:
            return
        is_strong = colour == "accent" and self.hasFocus()
        paint_box(
            painter,
            self.room_of(route).adjusted(-1, -2, 1, 2),
            look.px(4),
            pen=QPen(look.colour("text" if is_strong else colour), 2 if colour == "accent" else 1),
            brush=Qt.BrushStyle.NoBrush,
        )

    # places --------------------------------------------------------------------------------------

    def _level(self, level: int) -> tuple[float, float]:
        look = theme()
        height = (self.height() - 2 * look.px(_MARGIN) - (_LEVELS - 1) * look.px(_GAP)) / _LEVELS
        return look.px(_MARGIN) + (level - 1) * (height + look.px(_GAP)), height

    def _across(self, level: int) -> tuple[float, float]:
        names = theme().px(_MARGIN + _NAME_ROOM)
        whole = self.width() - names - theme().px(_MARGIN)
        width = whole * _WIDTHS[level - 1]
        return names + (whole - width) / 2, width

    def _about(self, route: Route) -> str:
        count = self._cases.get(route, 0)
        return f"{route_words(route)}\n{tr_count(count, 'case') if count else tr('missing: no case')}"

    def _describe(self) -> None:
        self.setAccessibleName(tr("Policy switches: {about}", about=self._about(self.marked_route)))
