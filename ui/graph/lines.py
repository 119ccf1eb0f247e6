"""The lines of dependencies on the canvas, and the looks they can have."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPainterPathStroker, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsSceneHoverEvent, QStyleOptionGraphicsItem, QWidget

from ui.graph.paths import EdgePath
from ui.theme import theme
from ui.theme.fonts import sans
from ui.theme.untrusted import plain_tip

_LABELS_FROM = 0.75
"""Zoom from which on every logical edge carries its word."""


@dataclass(frozen=True)
class EdgeLook:
    """How a line is drawn: a colour of the tokens, a width, a dash pattern in pen widths, a label."""

    colour: str = "muted"
    width: float = 1.6
    dashes: tuple[float, ...] = ()
    label: str = ""
    tip: str = ""


PARAMETER = EdgeLook(tip="a value flows")
LOGICAL = EdgeLook("muted", 1.6, (3.6, 2.6), "logical", "order only")
DERIVED = EdgeLook("faint", 1.1, tip="the answer follows every last step")
SUGGESTED = EdgeLook("accent", 1.6, (1.0, 2.2), "+", "suggested; click to accept")
REFUSED = EdgeLook("error", 2.4, (1.6, 1.6))
REDUNDANT_DASHES = (6.0, 2.4, 1.0, 2.4)
BOTH = EdgeLook("muted", 1.8)
ONLY_FIRST = EdgeLook("accent", 2.0, (3.0, 2.0))
ONLY_SECOND = EdgeLook("observation", 2.0, (5.0, 2.0, 1.0, 2.0))


class EdgeItem(QGraphicsItem):
    """The line of one dependency, with its arrow head and its label."""

    def __init__(self, pair: tuple[int, int]) -> None:
        super().__init__()
        self.pair = pair
        self.look = EdgeLook()
        self._path: EdgePath | None = None
        self._is_hovered = False
        self._is_chosen = False
        self._is_lit = False
        self._is_awaited = False
        self.setAcceptHoverEvents(True)

    def show_edge(self, path: EdgePath, look: EdgeLook) -> None:
        """Take a course and a look."""
        self.prepareGeometryChange()
        self._path, self.look = path, look
        self.setToolTip(plain_tip(f"{self.pair[0]} → {self.pair[1]}: {look.tip}") if look.tip else "")
        self.update()

    @property
    def middle(self) -> QPointF:
        """A point on the line, half way."""
        return self._path.middle if self._path else QPointF()

    @property
    def is_chosen(self) -> bool:
        """Whether it is among the selected edges."""
        return self._is_chosen

    def set_chosen(self, *, on: bool) -> None:
        """Draw it as selected, or not."""
        self._is_chosen = on
        self.setZValue(1 if on else 0)
        self.update()

    def set_awaited(self, *, on: bool) -> None:
        """Draw it as one the selected step waits for, or not."""
        self._is_awaited = on
        self.update()

    def set_lit(self, *, on: bool) -> None:
        """Draw it as part of a circle, or not."""
        self._is_lit = on
        self.setZValue(1 if on else 0)
        self.update()

    @property
    def is_lit(self) -> bool:
        """Whether it is drawn as part of a circle."""
        return self._is_lit

    def boundingRect(self) -> QRectF:
        if self._path is None:
            return QRectF()
        bounds = self._path.line.boundingRect().united(self._path.head.boundingRect())
        return bounds.united(self._label_rect()).adjusted(-6, -6, 6, 6)

    def shape(self) -> QPainterPath:
        if self._path is None:
            return QPainterPath()
        stroker = QPainterPathStroker()
        stroker.setWidth(12)
        shape = stroker.createStroke(self._path.line)
        if self.look.label:
            shape.addRect(self._label_rect())
        return shape

    def hoverEnterEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        self._is_hovered = True
        self.update()

    def hoverLeaveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        self._is_hovered = False
        self.update()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if self._path is None:
            return
        look = theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._is_chosen:
            painter.strokePath(self._path.line, QPen(look.colour("selection"), 8))
        colour = look.colour(self._colour_name())
        is_strong = self._is_hovered or self._is_chosen or self._is_awaited
        pen = QPen(colour, self.look.width + (0.6 if is_strong else 0))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if self.look.dashes:
            pen.setDashPattern(list(self.look.dashes))
        painter.strokePath(self._path.line, pen)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(self._path.head)
        # The dashes say the same; a small drawing is calmer without the word at each of them.
        is_small = painter.worldTransform().m11() < _LABELS_FROM * look.scale
        if self.look.label and not (is_small and self.look.label == LOGICAL.label):
            self._paint_label(painter, colour)

    def _colour_name(self) -> str:
        if self._is_lit:
            return "error"
        return "accent" if self._is_chosen or self._is_awaited else self.look.colour

    def _label_rect(self) -> QRectF:
        if self._path is None or not self.look.label:
            return QRectF()
        metrics = QFontMetricsF(sans(11))
        width, height = metrics.horizontalAdvance(self.look.label) + 8, 16.0
        centre = self._path.label_at
        return QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height)

    def _paint_label(self, painter: QPainter, colour: QColor) -> None:
        look = theme()
        rect = self._label_rect()
        painter.setBrush(look.colour("bg"))
        painter.drawRoundedRect(rect, 4, 4)
        painter.setFont(sans(11))
        painter.setPen(colour if self.look.colour != "faint" else look.colour("muted"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self.look.label)
