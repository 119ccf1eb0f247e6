"""A copy of what is painted on screen, so that only what changed is painted again."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap, QRegion, QTransform

from ui.theme import Theme, theme

_MOST_PIECES = 200
"""Cutting out more pieces takes longer than painting what lies between them."""


class Sheet:
    """Keeps one picture as large as the window; it follows scrolling, and starts anew at another zoom."""

    def __init__(self) -> None:
        self._copy = QPixmap()
        self._place = QTransform()
        self._look: Theme | None = None
        self._spoilt = QRegion()

    def spoil(self, area: QRegion) -> None:
        """Take note that something within an area of the drawing looks different now."""
        self._spoilt = self._spoilt.united(area)

    def show(self, painter: QPainter, size: QSize, draw: Callable[[QPainter, QRegion], None]) -> None:
        """Bring the copy up to date and put it on screen.

        Args:
            painter: Paints on the window, at its zoom and place.
            size: Size of the window.
            draw: Paints what lies within an area of the drawing.
        """
        stale = self._follow(painter.worldTransform(), size, painter.device().devicePixelRatio())
        self._spoilt = QRegion()
        if not stale.isEmpty():
            self._renew(stale, draw)
        painter.save()
        painter.resetTransform()
        painter.drawPixmap(QPoint(), self._copy)
        painter.restore()

    def _follow(self, place: QTransform, size: QSize, ratio: float) -> QRegion:
        """Move the copy to another place, and find what of the window is out of date then."""
        was, self._place = self._place, place
        pixels, whole = size * ratio, QRect(QPoint(), size)
        stale = _mapped(self._spoilt, place)
        across, down = place.dx() - was.dx(), place.dy() - was.dy()
        is_other = self._copy.size() != pixels or self._look != theme()
        is_other = is_other or (place.m11(), place.m22()) != (was.m11(), was.m22())
        # Between two pixels nothing can be moved, nor a piece be cut out.
        is_whole = all(float(number).is_integer() for number in (across, down, ratio))
        if is_other or not (is_whole or (was == place and self._spoilt.isEmpty())):
            self._copy, self._look = QPixmap(pixels), theme()
            self._copy.setDevicePixelRatio(ratio)
            self._copy.fill(Qt.GlobalColor.transparent)
            return QRegion(whole)
        if across or down:
            offset = QPoint(round(across), round(down))
            moved = offset * ratio
            self._copy.scroll(moved.x(), moved.y(), self._copy.rect())
            stale = stale.united(QRegion(whole).subtracted(whole.translated(offset)))
        return stale.intersected(whole)

    def _renew(self, stale: QRegion, draw: Callable[[QPainter, QRegion], None]) -> None:
        painter = QPainter(self._copy)
        painter.setClipRegion(stale)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        painter.fillRect(stale.boundingRect(), Qt.GlobalColor.transparent)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        painter.setWorldTransform(self._place)
        draw(painter, _mapped(stale, self._place.inverted()[0]))
        painter.end()


def _mapped(region: QRegion, place: QTransform) -> QRegion:
    if region.rectCount() > _MOST_PIECES:
        region = QRegion(region.boundingRect())
    found = QRegion()
    for piece in region:  # type: ignore[attr-defined]
        found = found.united(place.mapRect(QRectF(piece)).toAlignedRect())
    return found
