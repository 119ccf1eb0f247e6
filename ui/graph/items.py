"""The cards of steps on the canvas, and the marks they can carry."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsObject,
    QGraphicsSceneHoverEvent,
    QStyleOptionGraphicsItem,
    QWidget,
)

from ui.graph.layout import Box
from ui.theme import theme
from ui.theme.fonts import mono, sans
from ui.theme.icons import paint_icon
from ui.theme.untrusted import plain_tip

_RADIUS = 8.0
_PADDING = 14.0
_HANDLE = 6.0
_MARGIN = 14.0
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


class CardRuler:
    """Measures what cards say; made once for many, as setting up its fonts takes longer than measuring."""

    def __init__(self) -> None:
        self._title, self._detail = QFontMetricsF(mono(12)), QFontMetricsF(sans(11))

    def width(self, title: str, detail: str) -> float:
        """Width a card needs for its title, and for its second line as far as there is room."""
        wanted = max(self._title.horizontalAdvance(title), self._detail.horizontalAdvance(detail))
        low, high = CARD_WIDTHS
        return min(max(wanted + 2 * _PADDING, low), high)


class StepItem(QGraphicsObject):
    """The card of one step."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        self.box = Box(0, 0, CARD_WIDTHS[0])
        self._bounds = QRectF()
        self._title = ""
        self._detail = ""
        self._mark: Mark | None = None
        self._is_current = False
        self._is_hovered = False
        self._has_grip = True
        self._aim = ""
        self.setObjectName(f"step-{number}")
        self.setAcceptHoverEvents(True)
        # Words take long to paint; a card that did not change is copied.
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.setZValue(2)

    def show_step(self, box: Box, title: str, detail: str, mark: Mark | None) -> None:
        """Take a place and say something."""
        if (box, title, detail, mark) == (self.box, self._title, self._detail, self._mark):
            return
        self.prepareGeometryChange()
        self.box, self._title, self._detail, self._mark = box, title, detail, mark
        # Qt asks for them several times a frame.
        self._bounds = self.rect().adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)
        self.setPos(box.left, box.top)
        word = f" ({mark.word})" if mark and mark.word else ""
        tip = plain_tip(f"{title}{word}\n{detail}")
        if tip != self.toolTip():
            self.setToolTip(tip)
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
        if on != self._is_current:
            self._is_current = on
            self.update()

    def set_grip(self, *, on: bool) -> None:
        """Show the grip while the mouse is over the card, or not."""
        if on != self._has_grip:
            self._has_grip = on
            self.update()

    def set_aim(self, aim: str) -> None:
        """Light it up while a line is drawn over it: `good`, `bad` or nothing."""
        if aim != self._aim:
            self._aim = aim
            self.update()

    def rect(self) -> QRectF:
        """The card itself, in the item's coordinates."""
        return QRectF(0, 0, self.box.width, self.box.height)

    def handle_rect(self) -> QRectF:
        """The grip below the card that a line can be pulled from, in the item's coordinates."""
        side = 2 * _HANDLE
        return QRectF(self.box.width / 2 - _HANDLE, self.box.height - _HANDLE, side, side)

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        path.addRoundedRect(self.rect(), _RADIUS, _RADIUS)
        path.addEllipse(self.handle_rect())
        # By default, where the two overlap would be outside.
        path.setFillRule(Qt.FillRule.WindingFill)
        return path

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
        rect = self.rect()
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
