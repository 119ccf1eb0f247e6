"""The cells of tables: what one says, how wide that is, and how it is painted."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterStateGuard
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from scoring.model.taxonomy import Stage
from ui.theme.look import Theme, paint_box, paint_icon, paint_with, paint_words, theme
from ui.theme.tokens import SMALL, Tone, mix
from ui.theme.words import ago, exactly, waited

Index = QModelIndex | QPersistentModelIndex

CELL_ROLE = Qt.ItemDataRole.UserRole + 1
"""The `Cell` itself, None while it is being fetched."""

_PADDING = 8
_HEAT = 0.42
_STAR, _STAR_GAP = 14, 4
_MOST_SHORTENED = 5_000
_BESIDE_SPAN = 88
"""Room for the text beside an interval, in pixels at 100 %."""


@dataclass(frozen=True)
class Cell:
    """What one cell says.

    `key` is what it is sorted by, its text where None and not a figure; figures without a key come
    last in either order. `colour` is a token's name, `heat` a share of accent in the ground (0 to 1),
    `chip` the tone or the stage of a pill around the text; `has_star` puts a star at the right end.
    `span` draws an interval left of the text: its low end, the estimate and its high end as shares of the
    room there.
    """

    text: str
    key: float | None = None
    tip: str = ""
    colour: str = "text"
    is_mono: bool = False
    is_strong: bool = False
    is_underlined: bool = False
    heat: float | None = None
    chip: Tone | Stage | None = None
    has_star: bool = False
    span: tuple[float, float, float] | None = None


def count_cell(count: int, tip: str = "", *, colour: str = "text") -> Cell:
    """A count, sorted as a number."""
    return Cell(f"{count:,}", count, tip, colour=colour)


def known_cell(
    value: float | None, text: str, tip: str = "", *, otherwise: str = "–", why_none: str = "", **look: Any
) -> Cell:
    """A figure written as `text` says; where there is none, `otherwise` and why."""
    if value is None:
        return Cell(otherwise, None, why_none, colour="muted")
    return Cell(text.format(value), value, tip, **look)


def share_cell(share: float | None, tip: str = "", *, why_none: str = "", **look: Any) -> Cell:
    """A share in percent with one decimal; arguments as for `known_cell`."""
    return known_cell(None if share is None else 100 * share, "{:.1f} %", tip, why_none=why_none, **look)


def tally_cell(count: int, tip: str = "", *, colour: str = "text") -> Cell:
    """A count that is faint where it is zero."""
    return count_cell(count, tip, colour=colour if count else "muted")


def moment_cell(at: datetime) -> Cell:
    """How long ago something was, sorted by when; the moment itself is the tip."""
    now = datetime.now().astimezone()
    return Cell(ago(at, now), at.timestamp(), exactly(at, now), colour="muted")


def wait_cell(since: datetime, *, colour: str = "text") -> Cell:
    """How long something has waited, sorted by since when; the moment itself is the tip."""
    now = datetime.now().astimezone()
    return Cell(waited(since, now), since.timestamp(), exactly(since, now), colour=colour)


def side_of(*, is_figure: bool) -> Qt.AlignmentFlag:
    """Where a heading and its cells stand: numbers at the right."""
    side = Qt.AlignmentFlag.AlignRight if is_figure else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def elide_mode(cell: Cell) -> Qt.TextElideMode:
    """Where a text is cut that has no room: an id in the middle, since ids tell apart at their ends too."""
    return Qt.TextElideMode.ElideMiddle if cell.is_mono else Qt.TextElideMode.ElideRight


def cell_width(cell: Cell) -> int:
    """How wide a cell must be to say everything, in pixels on screen."""
    star = theme().px(_STAR + _STAR_GAP) if cell.has_star else 0
    return QFontMetrics(_font(cell)).horizontalAdvance(cell.text) + star + theme().px(2 * _PADDING) + 1


class CellDelegate(QStyledItemDelegate):
    """Paints one line a row, a hairline below it; lights up what is under the mouse, or does not."""

    def __init__(self, parent: QObject, *, lights_up: bool = True) -> None:
        super().__init__(parent)
        self._lights_up = lights_up
        self._shortened: dict[tuple[str, int, str], str] = {}

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(theme().px(40), theme().row_height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look = theme()
        cell = index.data(CELL_ROLE)
        with QPainterStateGuard(painter):
            is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
            is_hovered = self._lights_up and bool(option.state & QStyle.StateFlag.State_MouseOver)
            ground = _ground(cell, look, is_selected=is_selected, is_hovered=is_hovered)
            if ground is not None:
                painter.fillRect(option.rect, ground)
            painter.setPen(look.colour("line"))
            painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())
            room = option.rect.adjusted(look.px(_PADDING), 0, -look.px(_PADDING), 0)
            if not isinstance(cell, Cell):
                _paint_waiting(painter, room=room, look=look)
            elif cell.chip is not None and cell.text:
                self._paint_chip(painter, cell, cell.chip, room=room)
            else:
                if cell.span is not None:
                    _paint_span(painter, cell.span, room=room.adjusted(0, 0, -look.px(_BESIDE_SPAN), 0))
                self._paint_text(
                    painter, cell, Qt.AlignmentFlag(index.data(Qt.ItemDataRole.TextAlignmentRole)), room=room
                )

    def shorten(self, cell: Cell, room: int, font: QFont) -> str:
        """Cut a text to a width; measuring it takes longer than painting it, and rows are painted often."""
        line = " ".join(cell.text.split())
        key = (line, room, font.key())
        if key not in self._shortened:
            if len(self._shortened) >= _MOST_SHORTENED:
                self._shortened.clear()
            self._shortened[key] = QFontMetrics(font).elidedText(line, elide_mode(cell), room)
        return self._shortened[key]

    def _paint_text(self, painter: QPainter, cell: Cell, side: Qt.AlignmentFlag, *, room: QRect) -> None:
        look = theme()
        if cell.has_star:
            width = look.px(_STAR)
            star = QRect(room.right() - width, room.center().y() - width // 2, width, width)
            paint_icon(painter, "star-fill", star.toRectF(), look.colour("warn"))
            room = room.adjusted(0, 0, -width - look.px(_STAR_GAP), 0)
        font = _font(cell)
        shown = self.shorten(cell, room.width(), font)
        paint_words(painter, room, side, shown, font=font, pen=look.colour(cell.colour))

    def _paint_chip(self, painter: QPainter, cell: Cell, tone: Tone | Stage, *, room: QRect) -> None:
        look = theme()
        pair = look.tokens.stage_pair(tone) if isinstance(tone, Stage) else look.tokens.tone(tone)
        font = look.sans(SMALL)
        shown = self.shorten(cell, room.width() - look.px(16), font)
        height = look.px(20)
        width = QFontMetrics(font).horizontalAdvance(shown) + look.px(16)
        box = QRect(room.left(), room.center().y() - height // 2 + 1, width, height)
        ground, centre = QColor(pair.ground), Qt.AlignmentFlag.AlignCenter
        paint_box(painter, box, height / 2, is_smooth=True, pen=Qt.PenStyle.NoPen, brush=ground)
        paint_words(painter, box, centre, shown, pen=QColor(pair.text), font=font)


def _font(cell: Cell) -> QFont:
    font = theme().mono() if cell.is_mono else theme().sans(is_strong=cell.is_strong)
    font.setUnderline(cell.is_underlined)
    return font


def _ground(cell: object, look: Theme, *, is_selected: bool, is_hovered: bool) -> QColor | None:
    if isinstance(cell, Cell) and cell.heat is not None:
        share = min(max(cell.heat, 0.0), 1.0) * _HEAT
        under = look.tokens.selection if is_selected else look.tokens.surface
        return QColor(mix(look.tokens.accent, under, share))
    if is_selected:
        return look.colour("selection")
    return look.colour("hover") if is_hovered else None


def _paint_span(painter: QPainter, span: tuple[float, float, float], *, room: QRect) -> None:
    look = theme()
    low, middle, high = (room.left() + round(share * room.width()) for share in span)
    paint_with(painter, is_smooth=True, pen=Qt.PenStyle.NoPen, brush=look.colour("accent"))
    painter.fillRect(QRect(low, room.center().y(), max(high - low, 1), look.px(2)), look.colour("muted"))
    painter.drawEllipse(QPoint(middle, room.center().y() + 1), look.px(4), look.px(4))


def _paint_waiting(painter: QPainter, *, room: QRect, look: Theme) -> None:
    """A bar in the place of a text that is being fetched."""
    bar = QRect(room.left(), room.center().y() - look.px(4), room.width() // 2, look.px(8))
    paint_box(painter, bar, look.px(4), brush=look.colour("hover"), pen=Qt.PenStyle.NoPen)
