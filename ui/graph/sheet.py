"""A copy of what is painted on screen, so that only what changed is painted again."""

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap, QRegion, QTransform

from ui.theme import Theme, theme

Draw = Callable[[QPainter, Sequence[QRectF]], None]
"""Paints with a painter what lies in some areas of the drawing."""

_MOST_PIECES = 12
"""Pieces beyond which it is quicker to paint the area around all of them."""


class Sheet:
    """Keeps one picture as large as the window; it follows scrolling, and starts anew at another zoom."""

    def __init__(self) -> None:
        self._copy = QPixmap()
        self._place = QTransform()
        self._look: Theme | None = None
        self._stale = QRegion()

    def spoil(self, area: QRectF) -> None:
        """Take note that something within an area of the drawing looks different now."""
        if not self._copy.isNull():
            self._stale += self._place.mapRect(area).toAlignedRect()

    def show(self, painter: QPainter, size: QSize, draw: Draw) -> None:
        """Bring the copy up to date and put it on screen.

        Args:
            painter: Paints on the window, at its zoom and place.
            size: Size of the window.
            draw: Paints what is out of date.
        """
        self._follow(painter.worldTransform(), size, painter.device().devicePixelRatio())
        self._stale &= QRect(QPoint(), size)
        if not self._stale.isEmpty():
            self._renew(draw)
        painter.save()
        painter.resetTransform()
        painter.drawPixmap(QPoint(), self._copy)
        painter.restore()

    def _follow(self, place: QTransform, size: QSize, ratio: float) -> None:
        was, self._place = self._place, place
        pixels, whole = size * ratio, QRect(QPoint(), size)
        across, down = place.dx() - was.dx(), place.dy() - was.dy()
        # Between two pixels nothing can be moved, nor a piece be cut out.
        is_same_zoom = (place.m11(), place.m22()) == (was.m11(), was.m22())
        is_whole = all(float(number).is_integer() for number in (across, down, ratio))
        is_other = self._copy.size() != pixels or self._look != theme() or not is_same_zoom
        if is_other or not (is_whole or (was == place and self._stale.isEmpty())):
            self._copy, self._look, self._stale = QPixmap(pixels), theme(), QRegion(whole)
            self._copy.setDevicePixelRatio(ratio)
            self._copy.fill(Qt.GlobalColor.transparent)
        elif across or down:
            offset = QPoint(round(across), round(down))
            self._copy.scroll(*(offset * ratio).toTuple(), self._copy.rect())
            self._stale.translate(offset)
            self._stale += QRegion(whole) - whole.translated(offset)

    def _renew(self, draw: Draw) -> None:
        stale, self._stale = self._stale, QRegion()
        if stale.rectCount() > _MOST_PIECES:
            stale = QRegion(stale.boundingRect())
        painter = QPainter(self._copy)
        painter.setClipRegion(stale)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        painter.fillRect(stale.boundingRect(), Qt.GlobalColor.transparent)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        painter.setWorldTransform(self._place)
        back, _ = self._place.inverted()
        pieces: Iterable[QRect] = stale  # type: ignore[assignment]  # as Qt's stubs leave out
        draw(painter, [back.mapRect(QRectF(piece)) for piece in pieces])
        painter.end()
