"""Paints the keys that decide the current row into its last cell while it is open."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ui.adjudication.fields_model import KEYS_ROLE
from ui.theme import theme
from ui.theme.tokens import TINY


class DecisionDelegate(QStyledItemDelegate):
    """Draws key badges where the model names keys for the current row, else the text as usual."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        keys = index.data(KEYS_ROLE)
        table = option.widget
        is_current = isinstance(table, QAbstractItemView) and table.currentIndex().row() == index.row()
        if not keys or not is_current:
            super().paint(painter, option, index)
            return
        style = option.widget.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)
        look = theme()
        left = option.rect.left() + look.px(8)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for key in keys:
            left = _paint_key(painter, str(key), left, option.rect) + look.px(4)
        painter.restore()


def _paint_key(painter: QPainter, key: str, left: int, room: QRect) -> int:
    """Paint one badge; returns its right end."""
    look = theme()
    font = look.sans(TINY)
    width = QFontMetrics(font).horizontalAdvance(key) + look.px(11)
    height = look.px(18)
    box = QRect(left, room.center().y() - height // 2, width, height)
    painter.setPen(QPen(look.colour("line_strong"), 1))
    painter.setBrush(look.colour("raised"))
    painter.drawRoundedRect(box, look.px(4), look.px(4))
    painter.setFont(font)
    painter.setPen(look.colour("text"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, key)
    return left + width
