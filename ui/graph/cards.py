"""The cards of steps on the canvas, with their marks."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsObject, QStyle, QStyleOptionGraphicsItem, QWidget

from ui.graph.canvas_content import Highlight, Mark, MarkKind
from ui.graph.layout import Box
from ui.theme import theme
from ui.theme.icons import paint_icon
from ui.theme.look import mono, sans
from ui.theme.words import plain_tip

_RADIUS = 8.0
_PADDING = 14.0
_HANDLE = 6.0
_MARGIN = 14.0
CARD_WIDTHS = (104.0, 196.0)
"""Least and greatest width of a card."""
_MARK_LOOKS = {
    MarkKind.READY: ("play", "accent"),
    MarkKind.CHOSEN: ("check", "accent"),
    MarkKind.DONE: ("check", "ok"),
    MarkKind.EARLY: ("warning", "error"),
    MarkKind.WRONG: ("x", "error"),
    MarkKind.PROBLEM: ("warning", "warn"),
}
"""Icon and colour of each mark."""
_OUTLINES = {
    MarkKind.READY: ("accent", 1.4, Qt.PenStyle.DashLine),
    MarkKind.CHOSEN: ("accent", 1.8, Qt.PenStyle.SolidLine),
    MarkKind.EARLY: ("error", 1.6, Qt.PenStyle.SolidLine),
    MarkKind.WRONG: ("error", 1.6, Qt.PenStyle.SolidLine),
}
"""Colour, width and pattern of the outline of cards with a mark, where it is not the usual one."""


def card_width(title: str, detail: str) -> float:
    """Width a card needs for its title, and for its second line as far as there is room."""
    titles, details = QFontMetricsF(mono(12)), QFontMetricsF(sans(11))
    wanted = max(titles.horizontalAdvance(title), details.horizontalAdvance(detail))
    low, high = CARD_WIDTHS
    return min(max(wanted + 2 * _PADDING, low), high)


class StepItem(QGraphicsObject):
    """The card of one step."""

    def __init__(self, number: int, highlight: Highlight) -> None:
        super().__init__()
        self.number = number
        self.box = Box(0, 0, CARD_WIDTHS[0])
        self.mark: Mark | None = None
        self.mark_rect = QRectF()
        """Where the word of the mark stands, in the item's coordinates; empty without one."""
        self._highlight = highlight
        self._title = ""
        self._detail = ""
        self.setObjectName(f"step-{number}")
        self.setAcceptHoverEvents(True)
        self.setZValue(3)

    def show_step(self, box: Box, title: str, detail: str, mark: Mark | None) -> None:
        """Take a place and say something."""
        self.prepareGeometryChange()
        self.box, self._title, self._detail, self.mark = box, title, detail, mark
        word = mark.word if mark else ""
        self.mark_rect = _mark_rect(box, word) if word else QRectF()
        self.setPos(box.left, box.top)
        self.setToolTip(plain_tip(f"{title}{f' ({word})' if word else ''}\n{detail}"))
        self.update()

    @property
    def is_current(self) -> bool:
        """Whether it is the selected step."""
        return self._highlight.step == self.number

    def rect(self) -> QRectF:
        """The card itself, in the item's coordinates."""
        return QRectF(0, 0, self.box.width, self.box.height)

    def handle_rect(self) -> QRectF:
        """The grip below the card that a line can be pulled from, in the item's coordinates."""
        side = 2 * _HANDLE
        return QRectF(self.box.width / 2 - _HANDLE, self.box.height - _HANDLE, side, side)

    def boundingRect(self) -> QRectF:
        return (self.rect() | self.mark_rect).adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        path.addRoundedRect(self.rect(), _RADIUS, _RADIUS)
        path.addEllipse(self.handle_rect())
        # By default, where the two overlap would be outside.
        path.setFillRule(Qt.FillRule.WindingFill)
        return path

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        kind = self.mark.kind if self.mark else None
        is_hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        grounds = {MarkKind.CHOSEN: "accent_bg", MarkKind.DONE: "code"}
        painter.setPen(self._outline(kind, is_hovered=is_hovered))
        painter.setBrush(theme().colour(grounds.get(kind, "surface") if kind else "surface"))
        painter.drawRoundedRect(self.rect(), _RADIUS, _RADIUS)
        self._paint_words(painter, is_problem=kind is MarkKind.PROBLEM)
        if self.mark and self.mark.word:
            self._paint_mark(painter, self.mark)
        if is_hovered and self._highlight.has_grips and self._highlight.target is None:
            painter.setPen(QPen(theme().colour("accent"), 1.4))
            painter.setBrush(theme().colour("surface"))
            painter.drawEllipse(self.handle_rect().adjusted(1.5, 1.5, -1.5, -1.5))

    def _outline(self, kind: MarkKind | None, *, is_hovered: bool) -> QPen:
        colour = theme().colour
        if self._highlight.target == self.number:
            return QPen(colour("error" if self._highlight.is_refused else "accent"), 2.2)
        if self.is_current:
            return QPen(colour("accent"), 2.2)
        if kind in _OUTLINES:
            name, width, pattern = _OUTLINES[kind]
            return QPen(colour(name), width, pattern)
        return QPen(colour("faint" if is_hovered else "line_strong"), 1.2)

    def _paint_words(self, painter: QPainter, *, is_problem: bool) -> None:
        room = self.box.width - 2 * _PADDING
        elide = Qt.TextElideMode.ElideRight
        painter.setFont(mono(12))
        painter.setPen(theme().colour("text"))
        title = QFontMetricsF(painter.font()).elidedText(self._title, elide, room + 6)
        painter.drawText(QPointF(_PADDING, 21), title)
        painter.setFont(sans(11))
        painter.setPen(theme().colour("warn" if is_problem else "muted"))
        room -= 16 if is_problem else 0
        detail = QFontMetricsF(painter.font()).elidedText(self._detail, elide, room)
        painter.drawText(QPointF(_PADDING, 39), detail)
        if is_problem:
            corner = QRectF(self.box.width - _PADDING - 12, 29, 12, 12)
            paint_icon(painter, "warning", corner, theme().colour("warn"))

    def _paint_mark(self, painter: QPainter, mark: Mark) -> None:
        icon_name, name = _MARK_LOOKS[mark.kind]
        colour, pill = theme().colour(name), self.mark_rect
        painter.setPen(QPen(colour, 1))
        painter.setBrush(theme().colour("surface"))
        painter.drawRoundedRect(pill, 8, 8)
        paint_icon(painter, icon_name, QRectF(pill.left() + 6, pill.top() + 2.5, 11, 11), colour)
        painter.setFont(sans(11))
        painter.setPen(colour)
        words = pill.adjusted(19, 0, -4, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, mark.word)


def _mark_rect(box: Box, word: str) -> QRectF:
    """Where the word of a mark stands: at the right end of the card, over its middle where it is wider."""
    width = QFontMetricsF(sans(11)).horizontalAdvance(word) + 26
    return QRectF(max(box.width - width - 8, (box.width - width) / 2), -12, width, 16)
