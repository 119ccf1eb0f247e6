"""The frame around the calls of one round: one card with the calls as its lines."""

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter

from ui.theme import theme
from ui.theme.untrusted import visible
from ui.transcript.rounds import Round


def head_height() -> int:
    """Room above the first call for the words, in pixels on screen."""
    return theme().px(26)


def foot_height() -> int:
    """Room below the last call, in pixels on screen."""
    return theme().px(4)


def paint_round(painter: QPainter, box: QRect, together: Round) -> None:
    """Paint the frame of a round with its words.

    Args:
        painter: Paints on the column.
        box: The frame with the room above and below.
        together: The calls.
    """
    look = theme()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(look.colour("line"))
    painter.setBrush(look.colour("surface"))
    painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), look.px(8), look.px(8))
    words = box.adjusted(look.px(13), look.px(4), -look.px(13), 0)
    words.setHeight(head_height() - look.px(4))
    aligned = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    painter.setFont(look.sans(12))
    painter.setPen(look.colour("muted"))
    painter.drawText(words, aligned, together.title)
    words.setLeft(words.left() + painter.fontMetrics().horizontalAdvance(together.title) + look.px(8))
    painter.setFont(look.mono(12))
    painter.setPen(look.colour("faint"))
    note = painter.fontMetrics().elidedText(
        visible(together.note), Qt.TextElideMode.ElideRight, words.width()
    )
    painter.drawText(words, aligned, note)
    painter.restore()
