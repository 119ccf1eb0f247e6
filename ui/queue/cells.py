"""How the cells of the queue are painted."""

from PySide6.QtCore import QObject, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from annotator.review.claiming import CaseRow
from ui.queue.table_model import CASE_ROLE, RIGHT, Column, Index, cell_text, is_hidden
from ui.theme import Theme, theme
from ui.theme.icons import paint_icon
from ui.theme.tokens import SMALL
from ui.theme.untrusted import visible

_PADDING = 8
_STAR, _STAR_GAP = 14, 4
_MOST_SHORTENED = 5_000


class CellDelegate(QStyledItemDelegate):
    """Paints one line a case: ids in mono, the stage as a chip, numbers at the right."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shortened: dict[tuple[str, int, str], str] = {}

    def shorten(self, text: str, room: int, font: QFont) -> str:
        """Cut a text to a width; measuring it takes longer than painting it, and rows are painted often."""
        key = (text, room, font.key())
        found = self._shortened.get(key)
        if found is None:
            if len(self._shortened) >= _MOST_SHORTENED:
                self._shortened.clear()
            found = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, room)
            self._shortened[key] = found
        return found

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(theme().px(60), theme().row_height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look = theme()
        painter.save()
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        is_hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if is_selected or is_hovered:
            painter.fillRect(option.rect, look.colour("selection" if is_selected else "hover"))
        painter.setPen(look.colour("line"))
        painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())
        row = index.data(CASE_ROLE)
        room = option.rect.adjusted(look.px(_PADDING), 0, -look.px(_PADDING), 0)
        if isinstance(row, CaseRow):
            self._paint_cell(painter, row, Column(index.column()), room=room, look=look)
        else:
            painter.setBrush(look.colour("hover"))
            painter.setPen(Qt.PenStyle.NoPen)
            bar = QRect(room.left(), room.center().y() - look.px(4), room.width() // 2, look.px(8))
            painter.drawRoundedRect(bar, look.px(4), look.px(4))
        painter.restore()

    def _paint_cell(
        self, painter: QPainter, row: CaseRow, column: Column, *, room: QRect, look: Theme
    ) -> None:
        text = visible(cell_text(row, column))
        if column is Column.STAGE:
            _paint_chip(painter, row, text, room=room, look=look)
            return
        if column is Column.CASE and row.is_gold:
            side = look.px(_STAR)
            star = QRect(room.right() - side, room.center().y() - side // 2, side, side)
            paint_icon(painter, "star-fill", star.toRectF(), look.colour("warn"))
            room = room.adjusted(0, 0, -side - look.px(_STAR_GAP), 0)
        font = _font(column, look)
        painter.setFont(font)
        painter.setPen(_colour(row, column, look))
        side = Qt.AlignmentFlag.AlignRight if column in RIGHT else Qt.AlignmentFlag.AlignLeft
        shown = self.shorten(text, room.width(), font)
        painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, shown)


def content_width(row: CaseRow, column: Column) -> int:
    """How wide a cell must be to say everything, in pixels on screen."""
    look = theme()
    words = QFontMetrics(_font(column, look)).horizontalAdvance(visible(cell_text(row, column)))
    star = look.px(_STAR + _STAR_GAP) if column is Column.CASE and row.is_gold else 0
    return words + star + look.px(2 * _PADDING) + 1


def _font(column: Column, look: Theme) -> QFont:
    return look.mono() if column is Column.CASE else look.sans()


def _colour(row: CaseRow, column: Column, look: Theme) -> QColor:
    if is_hidden(row, column):
        return look.colour("faint")
    match column:
        case Column.FINDINGS:
            name = "error" if row.error_count else "text" if row.finding_count else "faint"
        case Column.OWNER:
            name = "text" if row.owner else "muted"
        case Column.INFORMATION | Column.CHANGED:
            name = "muted"
        case _:
            name = "text"
    return look.colour(name)


def _paint_chip(painter: QPainter, row: CaseRow, text: str, *, room: QRect, look: Theme) -> None:
    pair = look.tokens.stage_pair(row.stage)
    font = look.sans(SMALL)
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width() - look.px(16))
    height = look.px(20)
    width = metrics.horizontalAdvance(shown) + look.px(16)
    box = QRect(room.left(), room.center().y() - height // 2 + 1, width, height)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(pair.ground))
    painter.drawRoundedRect(box, height / 2, height / 2)
    painter.setPen(QColor(pair.text))
    painter.setFont(font)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shown)
