"""A small picture of a big drawing, with a frame around what is seen."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QTransform
from PySide6.QtWidgets import QWidget

from ui.graph.layout import Layout
from ui.graph.paths import box_rect
from ui.theme import theme

_SIZE = (168, 120)
_OPACITY = 0.85


class Minimap(QWidget):
    """Shows the cards as dots; a click or a drag asks the canvas to look there."""

    looked_at = Signal(QPointF)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graph-minimap")
        self.setAccessibleName("Overview of the graph")
        self._layout = Layout((), (), {})
        self._area = QRectF()
        self._seen = QRectF()
        look = theme()
        self.setFixedSize(QSize(look.px(_SIZE[0]), look.px(_SIZE[1])))

    def show_drawing(self, layout: Layout, area: QRectF, seen: QRectF) -> None:
        """Show a drawing and the part of it that is on screen, both in scene coordinates."""
        is_same = (layout.boxes, area, seen) == (self._layout.boxes, self._area, self._seen)
        self._layout, self._area, self._seen = layout, area, seen
        if not is_same:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.colour("line_strong"), 1))
        ground = look.colour("surface")
        ground.setAlphaF(_OPACITY)
        painter.setBrush(ground)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        if self._area.isEmpty():
            return
        factor, origin = self._fit()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("faint"))
        onto_paper = QTransform.fromTranslate(origin.x(), origin.y()).scale(factor, factor)
        painter.drawRects([onto_paper.mapRect(box_rect(box)) for box in self._layout.boxes])
        painter.setPen(QPen(look.colour("accent"), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        seen = self._seen.intersected(self._area)
        painter.drawRect(QRectF(origin + seen.topLeft() * factor, seen.size() * factor))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._look(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._look(event)

    def _fit(self) -> tuple[float, QPointF]:
        room = QRectF(self.rect()).adjusted(6, 6, -6, -6)
        factor = min(room.width() / self._area.width(), room.height() / self._area.height())
        used = self._area.size() * factor
        corner = room.center() - QPointF(used.width() / 2, used.height() / 2)
        return factor, corner - self._area.topLeft() * factor

    def _look(self, event: QMouseEvent) -> None:
        if not self._area.isEmpty():
            factor, origin = self._fit()
            self.looked_at.emit((event.position() - origin) / factor)
