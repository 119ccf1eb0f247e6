"""All lines of a drawing that nobody points at, painted together."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QRegion
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from ui.graph.looks import (
    EdgeLook,
    LabelWriter,
    is_file,
    is_small,
    label_colour,
    line_pen,
    shows_label,
    stroke_lines,
)
from ui.graph.paths import EdgePath
from ui.graph.sheet import Sheet

MARGIN = 6
"""Pixels that the widest stroke and a head need beside the line."""
_MANY = 40
"""Lines from which on it takes longer to say where exactly they run than to paint what lies between them."""


@dataclass(frozen=True, eq=False)
class Strand:
    """A line as it is painted: its look, its course, where its label is, and the room all of it takes."""

    look: EdgeLook
    path: EdgePath
    label: QRectF
    bounds: QRectF

    @cached_property
    def area(self) -> QRegion:
        """Where anything of it is, which is much less than its bounds."""
        found = QRegion(self.label.toAlignedRect())
        for piece in self.path.areas(MARGIN):
            found = found.united(piece)
        return found


class EdgeBundle(QGraphicsItem):
    """Paints lines one after another: as items of Qt, hundreds of them would take longer than a frame.

    Args:
        strands: Gives the lines when something is painted.

    `writer` writes their labels.
    """

    def __init__(self, strands: Callable[[], Iterable[Strand]]) -> None:
        super().__init__()
        self._strands = strands
        self._bounds = QRectF()
        self._changed: list[Strand] = []
        self._around = QRectF()
        self._sheet = Sheet()
        self.writer = LabelWriter()
        # So that Qt says which part of the drawing is to be painted.
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def spread(self, bounds: QRectF) -> None:
        """Take up room for a drawing of another size."""
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds

    def forget(self, strand: Strand) -> None:
        """Take note that a line came or went."""
        self._around |= strand.bounds
        if len(self._changed) < _MANY:
            self._changed.append(strand)
        self.update(strand.bounds)

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shape(self) -> QPainterPath:
        return QPainterPath()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if widget is None:
            exposed: QRectF = option.exposedRect
            self._draw(painter, QRegion(exposed.toAlignedRect()))
        else:
            self._spoil(exactly=not is_small(painter))
            self._sheet.show(painter, widget.size(), self._draw)

    def _spoil(self, *, exactly: bool) -> None:
        changed, around = self._changed, self._around
        self._changed, self._around = [], QRectF()
        # Thin lines take longer to cut out than to paint.
        if exactly and len(changed) < _MANY:
            for strand in changed:
                self._sheet.spoil(strand.area)
        elif not around.isEmpty():
            self._sheet.spoil(QRegion(around.toAlignedRect()))

    def _draw(self, painter: QPainter, area: QRegion) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # In a file each line is a shape of its own, for whoever edits it and for viewers that join dashes.
        are_apart = is_file(painter)
        are_words_small = is_small(painter)
        found: dict[int, tuple[EdgeLook, list[EdgePath], QPainterPath]] = {}
        labels: list[tuple[str, QRectF, QColor]] = []
        colours: dict[str, QColor] = {}
        around, is_piecemeal = QRectF(area.boundingRect()), area.rectCount() > 1
        for number, strand in enumerate(self._strands()):
            # Lines out of sight take as long to stroke as others.
            if not strand.bounds.intersects(around) or (is_piecemeal and not strand.area.intersects(area)):
                continue
            look = strand.look
            # Looks are told apart by identity: hundreds of comparisons would take longer than the strokes.
            key = number if are_apart else id(look.line)
            if key not in found:
                found[key] = (look.line, [], QPainterPath())
            _, lines, heads = found[key]
            lines.append(strand.path)
            heads.addPolygon(strand.path.head)
            heads.closeSubpath()
            if shows_label(look, is_small=are_words_small):
                if look.colour not in colours:
                    colours[look.colour] = label_colour(look)
                labels.append((look.label, strand.label, colours[look.colour]))
        for look, lines, heads in found.values():
            pen = line_pen(look)
            stroke_lines(painter, lines, look, pen)
            heads.setFillRule(Qt.FillRule.WindingFill)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.fillPath(heads, pen.color())
        self.writer.write(painter, labels)
