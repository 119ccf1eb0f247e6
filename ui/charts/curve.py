"""A curve of a few points with their intervals, drawn in the colours of the theme."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from scoring.texts import tr, with_commas
from ui.theme import Theme, theme
from ui.theme.events import ENTER_KEYS
from ui.theme.layouts import build
from ui.theme.look import paint_box, paint_with, paint_words
from ui.theme.tokens import SMALL, TINY

_TOP, _BOTTOM, _LEFT, _RIGHT = 30, 34, 56, 30
_RADIUS = 4
_NOTE = 14
_VALUE_ROOM, _AXIS_ROOM = 30, 16
_FEW = 6
"""So many points are all named, elided where they stand close; of more only as many as there is room for."""
_MOST_TICKS = 5


@dataclass(frozen=True)
class CurvePoint:
    """One point: its name below, its value 0 to 1 (None where undefined), its interval, and a longer text.

    `note` stands below the name in small letters, e.g. what the point rests on.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    tip: str = ""
    note: str = ""


def axis_of(points: Sequence[CurvePoint]) -> tuple[float, ...]:
    """The values lines are drawn at: from below the lowest interval up to 1."""
    known = [p.low if p.low is not None else p.value for p in points if p.value is not None]
    lowest = min((value for value in known if value is not None), default=0.0)
    lowest = min(lowest, 0.999)
    for step in (0.05, 0.1, 0.2, 0.25, 0.5):
        bottom = floor(lowest / step + 1e-9) * step
        count = round((1 - bottom) / step) + 1
        if count <= _MOST_TICKS:
            return tuple(round(bottom + i * step, 10) for i in range(count))
    return (-1.0, -0.5, 0.0, 0.5, 1.0) if lowest < 0 else (0.0, 0.5, 1.0)


class CurveView(QWidget):
    """Shows a few points joined by a line, with their intervals; one of them may be marked.

    Left and right mark the next point, Enter opens it.
    """

    marked = Signal(int)
    """Number of the point that is marked now."""
    clicked = Signal(int)
    """Number of the point that was clicked."""
    opened = Signal(int)
    """Number of the point on which Enter was pressed or that was double-clicked."""

    def __init__(
        self,
        name: str,
        title: str,
        *,
        is_percent: bool = True,
        parent: QWidget | None = None,
        **properties: Any,
    ) -> None:
        build(
            super().__init__,
            parent,
            objectName=name,
            accessibleName=title,
            focusPolicy=Qt.FocusPolicy.StrongFocus,
            mouseTracking=True,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding),
            **properties,
        )
        self._title = title
        self._is_percent = is_percent
        self.points: tuple[CurvePoint, ...] = ()
        """What is shown."""
        self.marked_point: int | None = None
        """Number of the marked point, None if there is none."""

    def show_points(self, points: Sequence[CurvePoint]) -> None:
        """Show other points."""
        self.points = tuple(points)
        self.marked_point = None
        said = (f"{point.name} {self._words(point)} {point.note}".strip() for point in points)
        self.setAccessibleName(tr("{name}: {words}", name=self._title, words=with_commas(said)))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(420), theme().px(220))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(200), theme().px(140))

    # people --------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = self._point_at(QPointF(event.pos()))
            tip = self.points[number].tip if number is not None else ""
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self._point_at(event.position())
        if number is not None:
            self._set_mark(number)
            self.clicked.emit(number)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.marked_point is not None and self._point_at(event.position()) == self.marked_point:
            self.opened.emit(self.marked_point)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()))
        if by is not None and self.points:
            start = -1 if by > 0 else len(self.points)
            at = (self.marked_point if self.marked_point is not None else start) + by
            self._set_mark(min(max(at, 0), len(self.points) - 1))
        elif event.key() in ENTER_KEYS and self.marked_point is not None:
            self.opened.emit(self.marked_point)
        else:
            super().keyPressEvent(event)

    def _set_mark(self, number: int) -> None:
        if number != self.marked_point:
            self.marked_point = number
            self.setAccessibleDescription(self.points[number].tip)
            self.update()
            self.marked.emit(number)

    # painting ------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        painter = paint_with(QPainter(self), is_smooth=True)
        axis = axis_of(self.points)
        self._paint_axis(painter, axis, look)
        self._paint_line(painter, axis, look)
        for number in range(len(self.points)):
            self._paint_point(painter, number, axis, look)
        if self.hasFocus():
            pen, inside = QPen(look.colour("accent"), 1), self.rect().adjusted(1, 1, -2, -2)
            paint_box(painter, inside, pen=pen, brush=Qt.BrushStyle.NoBrush)

    def _paint_axis(self, painter: QPainter, axis: Sequence[float], look: Theme) -> None:
        painter.setFont(look.sans(TINY))
        is_low = abs(self._level(axis[1], axis) - self._level(axis[0], axis)) < look.px(_AXIS_ROOM)
        for value in (axis[0], axis[-1]) if is_low else axis:
            level = self._level(value, axis)
            painter.setPen(look.colour("line"))
            painter.drawLine(QPointF(look.px(_LEFT - 8), level), QPointF(self.width() - look.px(14), level))
            room = QRectF(0, level - look.px(8), look.px(_LEFT - 14), look.px(16))
            words = f"{100 * value:.0f} %" if self._is_percent else f"{value:.2f}".replace("-", "−")
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            paint_words(painter, room, side, words, pen=look.colour("muted"))

    def _paint_line(self, painter: QPainter, axis: Sequence[float], look: Theme) -> None:
        painter.setPen(QPen(look.colour("accent"), look.px(2)))
        painter.drawPolyline(
            [
                QPointF(self._across(number), self._level(point.value, axis))
                for number, point in enumerate(self.points)
                if point.value is not None
            ]
        )

    def _paint_point(self, painter: QPainter, number: int, axis: Sequence[float], look: Theme) -> None:
        point = self.points[number]
        across = self._across(number)
        self._paint_name(painter, number, look)
        if point.value is None:
            paint_with(painter, font=look.sans(TINY), pen=look.colour("muted"))
            middle = (self._level(axis[0], axis) + self._level(axis[-1], axis)) / 2
            width = min(float(look.px(72)), self._step())
            room = QRectF(across - width / 2, middle - look.px(8), width, look.px(16))
            painter.fillRect(room, look.colour("bg"))
            is_cramped = painter.fontMetrics().horizontalAdvance("undefined") > width
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, tr("n/a") if is_cramped else tr("undefined"))
            return
        level = self._level(point.value, axis)
        top = level
        painter.setPen(QPen(look.colour("accent"), 1.5))
        if point.low is not None and point.high is not None:
            top = self._level(point.high, axis)
            painter.drawLine(QPointF(across, self._level(point.low, axis)), QPointF(across, top))
        is_marked = number == self.marked_point
        paint_with(
            painter,
            pen=QPen(look.colour("accent"), look.px(2)),
            brush=look.colour("accent" if is_marked else "surface"),
        )
        painter.drawEllipse(QPointF(across, level), look.px(_RADIUS), look.px(_RADIUS))
        if not is_marked and number % self._every(look.px(_VALUE_ROOM)):
            return
        paint_words(
            painter,
            QRectF(across - look.px(40), top - look.px(24), look.px(80), look.px(18)),
            Qt.AlignmentFlag.AlignCenter,
            self._words(point),
            font=look.sans(SMALL, is_strong=is_marked),
            pen=look.colour("text"),
        )

    def _paint_name(self, painter: QPainter, number: int, look: Theme) -> None:
        paint_with(painter, font=look.sans(TINY), pen=look.colour("muted"))
        widest = max(painter.fontMetrics().horizontalAdvance(point.name) for point in self.points)
        every = self._every(widest + look.px(8)) if len(self.points) > _FEW else 1
        if number % every:
            return
        room = self._step() * every
        top = self.height() - self._below() + look.px(6)
        for text in (self.points[number].name, self.points[number].note):
            place = QRectF(self._across(number) - room / 2, top, room, look.px(_NOTE))
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(room) - 4)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, shown)
            top += look.px(_NOTE)

    # places --------------------------------------------------------------------------------------

    def _step(self) -> float:
        return (self.width() - theme().px(_LEFT + _RIGHT)) / max(len(self.points), 1)

    def _every(self, least: int) -> int:
        """Of how many points one is written at, so that each has at least this room in pixels."""
        return max(1, ceil(least / max(self._step(), 1.0)))

    def _below(self) -> int:
        """Room below the lowest value."""
        return theme().px(_BOTTOM + (_NOTE if any(point.note for point in self.points) else 0))

    def _across(self, number: int) -> float:
        return theme().px(_LEFT) + (number + 0.5) * self._step()

    def _level(self, value: float, axis: Sequence[float]) -> float:
        top = theme().px(_TOP)
        bottom = max(self.height() - self._below(), top + theme().px(_AXIS_ROOM))
        return bottom - (value - axis[0]) / (axis[-1] - axis[0]) * (bottom - top)

    def _point_at(self, point: QPointF) -> int | None:
        if not self.points:
            return None
        number = int((point.x() - theme().px(_LEFT)) / self._step())
        return number if 0 <= number < len(self.points) and point.x() >= theme().px(_LEFT) else None

    def _words(self, point: CurvePoint) -> str:
        if point.value is None:
            return tr("undefined")
        if self._is_percent:
            return f"{100 * point.value:.0f}" if point.value in (0, 1) else f"{100 * point.value:.1f}"
        return f"{point.value:.2f}".replace("-", "−")
