"""All lines of a drawing that nobody points at, painted together."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPaintEngine, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from ui.graph.looks import EdgeLook, is_small, label_colour, line_pen, paint_label, shows_label
from ui.graph.paths import EdgePath
from ui.graph.sheet import Sheet

Strand = tuple[EdgeLook, EdgePath, QRectF, QRectF]
"""A line as it is painted: its look, its course, where its label is, and the room all of it takes."""


class EdgeBundle(QGraphicsItem):
    """Paints lines one after another: as items of Qt, hundreds of them would take longer than a frame.

    Args:
        strands: Gives the lines when something is painted.
    """

    def __init__(self, strands: Callable[[], Iterable[Strand]]) -> None:
        super().__init__()
        self._strands = strands
        self._bounds = QRectF()
        self._sheet = Sheet()
        # So that Qt says which part of the drawing is to be painted.
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def spread(self, bounds: QRectF) -> None:
        """Take up room for a drawing of another size."""
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds

    def forget(self, area: QRectF) -> None:
        """Take note that a line within an area is another one, or none of these any more."""
        # To Qt, a place that is empty means the whole drawing.
        if not area.isEmpty():
            self._sheet.spoil(area)
            self.update(area)

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shape(self) -> QPainterPath:
        return QPainterPath()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if widget is None:
            exposed: QRectF = option.exposedRect
            self._draw(painter, exposed)
        else:
            self._sheet.show(painter, widget.size(), self._draw)

    def _draw(self, painter: QPainter, area: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # In a file each line is a shape of its own, for whoever edits it and for viewers that join dashes.
        is_file = painter.paintEngine().type() is not QPaintEngine.Type.Raster
        are_words_small = is_small(painter)
        found: dict[int, tuple[EdgeLook, list[QPainterPath], QPainterPath]] = {}
        labels = []
        for number, (look, path, label, bounds) in enumerate(self._strands()):
            # Lines out of sight take as long to stroke as others.
            if not bounds.intersects(area):
                continue
            # Looks are told apart by identity: hundreds of comparisons would take longer than the strokes.
            key = number if is_file else id(look.line)
            if key not in found:
                found[key] = (look.line, [], QPainterPath())
            _, lines, heads = found[key]
            lines.append(path.line)
            heads.addPolygon(path.head)
            heads.closeSubpath()
            if shows_label(look, is_small=are_words_small):
                labels.append((look, label))
        for look, lines, heads in found.values():
            pen: QPen = line_pen(look)
            # Hundreds of dashed lines take five times as long in one stroke as one by one.
            for line in lines:
                painter.strokePath(line, pen)
            heads.setFillRule(Qt.FillRule.WindingFill)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.fillPath(heads, pen.color())
        for look, rect in labels:
            paint_label(painter, rect, look.label, label_colour(look))
