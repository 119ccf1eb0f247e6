"""All lines of a drawing that nobody points at, painted together."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from ui.graph.looks import EdgeLook, label_colour, line_pen, paint_label, shows_label, unlabelled
from ui.graph.paths import EdgePath

Strand = tuple[EdgeLook, EdgePath, QRectF]
"""A line as it is painted: its look, its course, where its label is."""


class EdgeBundle(QGraphicsItem):
    """Paints lines of one look in one stroke: hundreds of single ones would take longer than a frame.

    Args:
        strands: Gives the lines when something is painted.
    """

    def __init__(self, strands: Callable[[], Iterable[Strand]]) -> None:
        super().__init__()
        self._strands = strands
        self._bounds = QRectF()
        self._lines: dict[EdgeLook, tuple[QPainterPath, QPainterPath]] | None = None
        self._labels: list[tuple[EdgeLook, QRectF]] = []

    def spread(self, bounds: QRectF) -> None:
        """Take up room for a drawing of another size."""
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds

    def forget(self, area: QRectF) -> None:
        """Take note that a line within an area is another one, or none of these any more."""
        self._lines = None
        self.update(area)

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shape(self) -> QPainterPath:
        return QPainterPath()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if self._lines is None:
            self._lines = self._gather()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for look, (lines, heads) in self._lines.items():
            pen: QPen = line_pen(look)
            painter.strokePath(lines, pen)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.fillPath(heads, pen.color())
        for look, rect in self._labels:
            if shows_label(painter, look):
                paint_label(painter, rect, look.label, label_colour(look))

    def _gather(self) -> dict[EdgeLook, tuple[QPainterPath, QPainterPath]]:
        found: dict[EdgeLook, tuple[QPainterPath, QPainterPath]] = {}
        self._labels = []
        for look, path, label in self._strands():
            lines, heads = found.setdefault(unlabelled(look), (QPainterPath(), QPainterPath()))
            lines.addPath(path.line)
            heads.addPolygon(path.head)
            heads.closeSubpath()
            if look.label:
                self._labels.append((look, label))
        for _, heads in found.values():
            heads.setFillRule(Qt.FillRule.WindingFill)
        return found
