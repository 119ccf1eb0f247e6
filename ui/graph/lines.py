"""The line of a dependency on the canvas."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPainterPathStroker
from PySide6.QtWidgets import QGraphicsItem, QGraphicsSceneHoverEvent, QStyleOptionGraphicsItem, QWidget

from ui.graph.bundle import MARGIN, EdgeBundle, Strand
from ui.graph.layout import Box
from ui.graph.looks import (
    HALO,
    EdgeLook,
    LabelRoom,
    LabelWriter,
    Sides,
    is_small,
    label_sides,
    line_pen,
    shows_label,
    stroke_lines,
)
from ui.graph.paths import EdgePath, edge_path
from ui.theme.untrusted import plain_tip

_EXTRA = 0.6
"""Pixels a line is thicker while somebody points at it."""


class EdgeItem(QGraphicsItem):
    """The line of one dependency, with its arrow head and its label.

    Args:
        pair: Source and target.
        bundle: Paints it; null for a line that paints itself. One that somebody points at paints itself
            besides, thicker and above all others, so that the picture the bundle keeps can stay.

    `is_label_new` says whether no place was chosen yet for the label it may have on this course. `strand` is
    what the bundle paints of it.
    """

    def __init__(self, pair: tuple[int, int], bundle: EdgeBundle | None = None) -> None:
        super().__init__(bundle)
        self.pair = pair
        self._bundle = bundle
        self.look = EdgeLook()
        self._path: EdgePath | None = None
        self._course: tuple[object, ...] = ()
        self._label = QRectF()
        self._sides: Sides | None = None
        self.is_label_new = False
        self.strand: Strand | None = None
        self._bounds = QRectF()
        self._tip = ""
        self._is_hovered = False
        self._is_chosen = False
        self._is_lit = False
        self._is_awaited = False
        self.setAcceptHoverEvents(True)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemHasNoContents, enabled=bundle is not None)

    def lead(self, source: Box, target: Box, stops: Sequence[tuple[float, float]], look: EdgeLook) -> None:
        """Lead it from card to card through its stops; nothing happens where it runs so already."""
        course = (source, target, tuple(stops))
        if course != self._course:
            self._course = course
            self.show_edge(edge_path(source, target, stops), look)
        elif look != self.look and self._path is not None:
            self.show_edge(self._path, look)

    def show_edge(self, path: EdgePath, look: EdgeLook) -> None:
        """Take a course and a look."""
        self.leave()
        self._path, self.look = path, look
        self._stand(label_sides(look.label, next(path.label_places())) if look.label else None)
        self.is_label_new = True
        tip = f"{self.pair[0]} → {self.pair[1]}: {look.tip}" if look.tip else ""
        if tip != self._tip:
            self._tip = tip
            self.setToolTip(plain_tip(tip) if tip else "")
        self._restyle()

    def change_look(self, look: EdgeLook) -> None:
        """Take another look on the same course; the label may be placed anew."""
        if self._path is not None:
            self.show_edge(self._path, look)

    def leave(self) -> None:
        """Give up the place it takes in the drawing."""
        self.prepareGeometryChange()
        if self._bundle is not None and self.strand is not None:
            self._bundle.forget(self.strand)

    def place_label(self, taken: LabelRoom) -> None:
        """Put a new label where it hides none of those placed, as far as the line allows."""
        chosen, self.is_label_new = self._sides, False
        if self._path is None or chosen is None:
            return
        if not taken.is_free(chosen):
            places = (label_sides(self.look.label, place) for place in self._path.label_places())
            chosen = next((place for place in places if taken.is_free(place)), chosen)
        taken.take(self, chosen)
        if chosen != self._sides:
            self.leave()
            self._stand(chosen)

    @property
    def middle(self) -> QPointF:
        """A point on the line, half way."""
        return self._path.middle if self._path else QPointF()

    @property
    def label_area(self) -> QRectF:
        """Where the label stands; empty for a line without one."""
        return self._label

    @property
    def is_chosen(self) -> bool:
        """Whether it is among the selected edges."""
        return self._is_chosen

    def set_chosen(self, *, on: bool) -> None:
        """Draw it as selected, or not."""
        if on == self._is_chosen:
            return
        self._is_chosen = on
        self.setZValue(1 if on else 0)
        self._restyle()

    def set_awaited(self, *, on: bool) -> None:
        """Draw it as one the selected step waits for, or not."""
        if on != self._is_awaited:
            self._is_awaited = on
            self._restyle()

    def set_lit(self, *, on: bool) -> None:
        """Draw it as part of a circle, or not."""
        if on != self._is_lit:
            self._is_lit = on
            self.setZValue(1 if on else 0)
            self._restyle()

    @property
    def is_lit(self) -> bool:
        """Whether it is drawn as part of a circle."""
        return self._is_lit

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shape(self) -> QPainterPath:
        if self._path is None:
            return QPainterPath()
        stroker = QPainterPathStroker()
        stroker.setWidth(12)
        shape = stroker.createStroke(self._path.line)
        if self.look.label:
            shape.addRect(self._label)
        return shape

    def _stand(self, sides: Sides | None) -> None:
        """Put the label somewhere, and measure it all: Qt asks for the bounds several times a frame."""
        self._sides = sides
        self._label = QRectF()
        if sides is not None:
            self._label.setCoords(*sides)
        if self._path is not None:
            self._bounds = (self._path.bounds() | self._label).adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
        if self._path is not None and self._bundle is not None:
            self.strand = Strand(self.look, self._path, self._label, self._bounds)
            self._bundle.forget(self.strand)

    def hoverEnterEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        self._is_hovered = True
        self._restyle()

    def hoverLeaveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        self._is_hovered = False
        self._restyle()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if self._path is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._is_chosen:
            stroke_lines(painter, (self._path,), HALO, line_pen(HALO))
        pen = line_pen(self.look, colour=self._colour_name(), extra=_EXTRA)
        stroke_lines(painter, (self._path,), self.look, pen)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(pen.color())
        painter.drawPolygon(self._path.head)
        if shows_label(self.look, is_small=is_small(painter)):
            writer = self._bundle.writer if self._bundle is not None else LabelWriter()
            writer.write(painter, [(self.look.label, self._label, pen.color())])

    def _colour_name(self) -> str:
        if self._is_lit:
            return "error"
        return "accent" if self._is_chosen or self._is_awaited else self.look.colour

    def _restyle(self) -> None:
        """Paint the line above all others while somebody points at it."""
        is_pointed_at = self._is_hovered or self._is_chosen or self._is_lit or self._is_awaited
        is_painted = self._bundle is None or is_pointed_at
        was_painted = not self.flags() & QGraphicsItem.GraphicsItemFlag.ItemHasNoContents
        if is_painted != was_painted:
            self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemHasNoContents, enabled=not is_painted)
        if is_painted or was_painted:
            self.update()
