"""All lines of a drawing that nobody points at, painted together."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPaintEngine, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from ui.graph.looks import EdgeLook, label_colour, line_pen, paint_label, shows_label, unlabelled
from ui.graph.paths import EdgePath

Strand = tuple[EdgeLook, EdgePath, QRectF, QRectF]
"""A line as it is painted: its look, its course, where its label is, and the room all of it takes."""


class EdgeBundle(QGraphicsItem):
    """Paints lines of one look in one stroke: hundreds of single ones would take longer than a frame.

    Args:
        strands: Gives the lines when something is painted.
    """

    def __init__(self, strands: Callable[[], Iterable[Strand]]) -> None:
        super().__init__()
        self._strands = strands
        self._bounds = QRectF()
        # So that Qt says which part of the drawing is to be painted.
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def spread(self, bounds: QRectF) -> None:
        """Take up room for a drawing of another size."""
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds

    def forget(self, area: QRectF) -> None:
        """Take note that a line within an area is another one, or none of these any more."""
        self.update(area)

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shape(self) -> QPainterPath:
        return QPainterPath()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # Lines out of sight take as long to stroke as others.
        exposed: QRectF = option.exposedRect
        # In a file each line is a shape of its own, for whoever edits it and for viewers that join dashes.
        is_file = painter.paintEngine().type() is not QPaintEngine.Type.Raster
        found: dict[tuple[EdgeLook, int], tuple[QPainterPath, QPainterPath]] = {}
        labels = []
        for number, (look, path, label, bounds) in enumerate(self._strands()):
            if not bounds.intersects(exposed):
                continue
            key = (unlabelled(look), number if is_file else 0)
            lines, heads = found.setdefault(key, (QPainterPath(), QPainterPath()))
            lines.addPath(path.line)
            heads.addPolygon(path.head)
            heads.closeSubpath()
            if shows_label(painter, look):
                labels.append((look, label))
        for (look, _), (lines, heads) in found.items():
            pen: QPen = line_pen(look)
            painter.strokePath(lines, pen)
            heads.setFillRule(Qt.FillRule.WindingFill)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.fillPath(heads, pen.color())
        for look, rect in labels:
            paint_label(painter, rect, look.label, label_colour(look))
