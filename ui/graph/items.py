"""What is seen on the canvas: cards of steps and lines of dependencies."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPainterPathStroker, QPen
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsObject,
    QGraphicsSceneHoverEvent,
    QStyleOptionGraphicsItem,
    QWidget,
)

from ui.graph.layout import Box
from ui.graph.paths import EdgePath
from ui.theme import theme
from ui.theme.fonts import mono, sans
from ui.theme.icons import paint_icon
from ui.theme.untrusted import plain_tip

_RADIUS = 8.0
_PADDING = 14.0
_HANDLE = 6.0
_MARGIN = 14.0
_LABELS_FROM = 0.75
CARD_WIDTHS = (104.0, 196.0)
"""Least and greatest width of a card."""


class MarkKind(StrEnum):
    """What a play or a run says about a step."""

    READY = "ready"
    CHOSEN = "chosen"
    DONE = "done"
    EARLY = "early"
    WRONG = "wrong"
    PROBLEM = "problem"


_MARK_LOOK = {
    MarkKind.READY: ("play", "accent", "ready"),
    MarkKind.CHOSEN: ("check", "accent", "chosen"),
    MarkKind.DONE: ("check", "ok", "done"),
    MarkKind.EARLY: ("warning", "error", "too early"),
    MarkKind.WRONG: ("x", "error", "wrong"),
    MarkKind.PROBLEM: ("warning", "warn", ""),
}


@dataclass(frozen=True)
class Mark:
    """A mark on a card; `text` replaces the word of its kind."""

    kind: MarkKind
    text: str = ""

    @property
    def word(self) -> str:
        """What is written on the card."""
        return self.text or _MARK_LOOK[self.kind][2]


def card_width(title: str, detail: str) -> float:
    """Width a card needs for its title, and for its second line as far as there is room."""
    wanted = max(
        QFontMetricsF(mono(12)).horizontalAdvance(title), QFontMetricsF(sans(11)).horizontalAdvance(detail)
    )
    low, high = CARD_WIDTHS
    return min(max(wanted + 2 * _PADDING, low), high)


class StepItem(QGraphicsObject):
    """The card of one step."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        self.box = Box(0, 0, CARD_WIDTHS[0])
        self._title = ""
        self._detail = ""
        self._mark: Mark | None = None
        self._is_current = False
        self._is_hovered = False
        self._has_grip = True
        self._aim = ""
        self.setObjectName(f"step-{number}")
        self.setAcceptHoverEvents(True)
        self.setZValue(2)

    def show_step(self, box: Box, title: str, detail: str, mark: Mark | None) -> None:
        """Take a place and say something."""
        self.prepareGeometryChange()
        self.box, self._title, self._detail, self._mark = box, title, detail, mark
        self.setPos(box.left, box.top)
        word = f" ({mark.word})" if mark and mark.word else ""
        self.setToolTip(plain_tip(f"{title}{word}\n{detail}"))
        self.update()

    @property
    def mark(self) -> Mark | None:
        """The mark on the card."""
        return self._mark

    @property
    def is_current(self) -> bool:
        """Whether it is the selected step."""
        return self._is_current

    def set_current(self, *, on: bool) -> None:
        """Draw it as the selected step, or not."""
        self._is_current = on
        self.update()

    def set_grip(self, *, on: bool) -> None:
        """Show the grip while the mouse is over the card, or not."""
        self._has_grip = on
        self.update()

    def set_aim(self, aim: str) -> None:
        """Light it up while a line is drawn over it: `good`, `bad` or nothing."""
        self._aim = aim
        self.update()

    def handle_rect(self) -> QRectF:
        """The grip below the card that a line can be pulled from, in the item's coordinates."""
        side = 2 * _HANDLE
        return QRectF(self.box.width / 2 - _HANDLE, self.box.height - _HANDLE, side, side)

    def boundingRect(self) -> QRectF:
        return QRectF(0, 0, self.box.width, self.box.height).adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        path.addRoundedRect(QRectF(0, 0, self.box.width, self.box.height), _RADIUS, _RADIUS)
        path.addEllipse(self.handle_rect())
        return path.simplified()

    def hoverEnterEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        self._is_hovered = True
        self.update()

    def hoverLeaveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        self._is_hovered = False
        self.update()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        look = theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(0, 0, self.box.width, self.box.height)
        painter.setPen(self._outline())
        painter.setBrush(look.colour(self._ground()))
        painter.drawRoundedRect(rect, _RADIUS, _RADIUS)
        self._paint_words(painter)
        if self._mark is not None:
            self._paint_mark(painter, self._mark)
        if self._is_hovered and self._has_grip and not self._aim:
            painter.setPen(QPen(look.colour("accent"), 1.4))
            painter.setBrush(look.colour("surface"))
            painter.drawEllipse(self.handle_rect().adjusted(1.5, 1.5, -1.5, -1.5))

    def _outline(self) -> QPen:
        look = theme()
        if self._aim:
            return QPen(look.colour("accent" if self._aim == "good" else "error"), 2.2)
        if self._is_current:
            return QPen(look.colour("accent"), 2.2)
        if self._mark is not None and self._mark.kind is MarkKind.READY:
            return QPen(look.colour("accent"), 1.4, Qt.PenStyle.DashLine)
        if self._mark is not None and self._mark.kind is MarkKind.CHOSEN:
            return QPen(look.colour("accent"), 1.8)
        if self._mark is not None and self._mark.kind in (MarkKind.EARLY, MarkKind.WRONG):
            return QPen(look.colour("error"), 1.6)
        return QPen(look.colour("faint" if self._is_hovered else "line_strong"), 1.2)

    def _ground(self) -> str:
        kind = self._mark.kind if self._mark is not None else None
        if kind is MarkKind.CHOSEN:
            return "accent_bg"
        return "code" if kind is MarkKind.DONE else "surface"

    def _paint_words(self, painter: QPainter) -> None:
        look = theme()
        room = self.box.width - 2 * _PADDING
        is_problem = self._mark is not None and self._mark.kind is MarkKind.PROBLEM
        detail_room = room - (16 if is_problem else 0)
        font = mono(12)
        painter.setFont(font)
        painter.setPen(look.colour("text"))
        title = QFontMetricsF(font).elidedText(self._title, Qt.TextElideMode.ElideRight, room + 6)
        painter.drawText(QPointF(_PADDING, 21), title)
        font = sans(11)
        painter.setFont(font)
        painter.setPen(look.colour("warn" if is_problem else "muted"))
        detail = QFontMetricsF(font).elidedText(self._detail, Qt.TextElideMode.ElideRight, detail_room)
        painter.drawText(QPointF(_PADDING, 39), detail)
        if is_problem:
            corner = QRectF(self.box.width - _PADDING - 12, 29, 12, 12)
            paint_icon(painter, "warning", corner, look.colour("warn"))

    def _paint_mark(self, painter: QPainter, mark: Mark) -> None:
        if not mark.word:
            return
        look = theme()
        icon_name, colour, _ = _MARK_LOOK[mark.kind]
        font = sans(11)
        width = QFontMetricsF(font).horizontalAdvance(mark.word) + 26
        pill = QRectF(self.box.width - width - 8, -12, width, 16)
        painter.setPen(QPen(look.colour(colour), 1))
        painter.setBrush(look.colour("surface"))
        painter.drawRoundedRect(pill, 8, 8)
        paint_icon(painter, icon_name, QRectF(pill.left() + 6, pill.top() + 2.5, 11, 11), look.colour(colour))
        painter.setFont(font)
        painter.setPen(look.colour(colour))
        painter.drawText(
            pill.adjusted(19, 0, -4, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, mark.word
        )


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
