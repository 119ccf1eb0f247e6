"""The stages of a case on one line: what is done, where it stands, what is ahead."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme.apply import theme
from ui.theme.icons import paint_icon
from ui.theme.tokens import SMALL

_HEIGHT, _SIGN, _SIGN_GAP, _LINE, _GAP = 24, 12, 4, 16, 6


class Progress(StrEnum):
    """How far a station is."""

    DONE = "done"
    NOW = "now"
    AHEAD = "ahead"


@dataclass(frozen=True)
class Station:
    """One stage and how far it is."""

    words: str
    progress: Progress


def stations(words: Sequence[str], now: int) -> tuple[Station, ...]:
    """Stations of which one is the present one.

    Args:
        words: Their names in order.
        now: Number of the present one; beyond the last where all are done.
    """
    return tuple(
        Station(name, Progress.DONE if i < now else Progress.NOW if i == now else Progress.AHEAD)
        for i, name in enumerate(words)
    )


class Stepper(QWidget):
    """Shows stations; where room is short, the present one and its neighbours, or the present one alone."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stations: tuple[Station, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_stations(self, found: Iterable[Station]) -> None:
        """Show other stations."""
        self._stations = tuple(found)
        present = next((s.words for s in self._stations if s.progress is Progress.NOW), "all done")
        self.setAccessibleName(f"Stage: {present}")
        self.setToolTip(" → ".join(station.words for station in self._stations))
        self.updateGeometry()
        self.update()

    @property
    def shown(self) -> tuple[str, ...]:
        """Names of the stations there is room for."""
        return tuple(station.words for station in self._fitting())

    def sizeHint(self) -> QSize:
        return QSize(round(self._width_of(self._stations)) + 2, theme().px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(60), theme().px(_HEIGHT))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        found = self._fitting()
        left = (self.width() - self._width_of(found)) / 2
        middle = self.height() / 2
        for number, station in enumerate(found):
            if number:
                painter.setPen(QPen(look.colour("line_strong"), 1))
                start = left + look.px(_GAP)
                painter.drawLine(QPointF(start, middle), QPointF(start + look.px(_LINE), middle))
                left = start + look.px(_LINE + _GAP)
            left = self._paint_station(painter, station, left)

    def _paint_station(self, painter: QPainter, station: Station, left: float) -> float:
        look = theme()
        is_now = station.progress is Progress.NOW
        colour = look.colour({Progress.DONE: "ok", Progress.NOW: "accent"}.get(station.progress, "muted"))
        side = look.px(_SIGN)
        box = QRectF(left, (self.height() - side) / 2, side, side)
        if station.progress is Progress.DONE:
            paint_icon(painter, "check", box, colour)
        elif is_now:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            inset = side * 0.18
            painter.drawEllipse(box.adjusted(inset, inset, -inset, -inset))
        if station.progress is not Progress.AHEAD:
            left += side + look.px(_SIGN_GAP)
        font = look.sans(SMALL, is_strong=is_now)
        width = QFontMetricsF(font).horizontalAdvance(station.words)
        painter.setFont(font)
        painter.setPen(colour)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(left, 0, width + 1, self.height()), flags, station.words)
        return left + width

    def _width_of(self, found: Sequence[Station]) -> float:
        look = theme()
        width = float(max(len(found) - 1, 0) * look.px(_LINE + 2 * _GAP))
        for station in found:
            font = look.sans(SMALL, is_strong=station.progress is Progress.NOW)
            width += QFontMetricsF(font).horizontalAdvance(station.words)
            if station.progress is not Progress.AHEAD:
                width += look.px(_SIGN + _SIGN_GAP)
        return width

    def _fitting(self) -> tuple[Station, ...]:
        now = next((i for i, s in enumerate(self._stations) if s.progress is Progress.NOW), None)
        choices = [self._stations]
        if now is not None:
            choices += [self._stations[max(now - 1, 0) : now + 2], self._stations[now : now + 1]]
        return next((found for found in choices if self._width_of(found) <= self.width()), choices[-1])
