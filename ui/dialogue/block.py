"""Text that is read, selected and clicked, and takes exactly the height it needs."""

from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.dialogue.documents import cursor_over, text_format, to_character
from ui.theme import theme
from ui.theme.events import ENTER_KEYS
from ui.theme.layouts import build
from ui.theme.look import paint_box

_Move = QTextCursor.MoveOperation
_MOVES = {
    Qt.Key.Key_Left: _Move.Left,
    Qt.Key.Key_Right: _Move.Right,
    Qt.Key.Key_Up: _Move.Up,
    Qt.Key.Key_Down: _Move.Down,
    Qt.Key.Key_Home: _Move.StartOfLine,
    Qt.Key.Key_End: _Move.EndOfLine,
}
_FAR_MOVES = {
    Qt.Key.Key_Left: _Move.PreviousWord,
    Qt.Key.Key_Right: _Move.NextWord,
    Qt.Key.Key_Home: _Move.Start,
    Qt.Key.Key_End: _Move.End,
}
_SHIFT, _CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


class TextBlock(QWidget):
    """A document to read, without the many parts of a text editor: a page has dozens of them.

    Places are counted in characters. `pressed` says that it was touched; `clicked` carries the character
    that was clicked; `picked` the [start, end) that was selected with the mouse, or with the keys and Enter;
    `opened` asks to edit; `pointed` carries the character that the mouse or the caret is at, -1 for none
    any more; `left` says that the caret went out at the top (-1), at the end (1), or by
    Escape (0).
    """

    pressed = Signal()
    clicked = Signal(int)
    picked = Signal(int, int)
    opened = Signal()
    pointed = Signal(int)
    left = Signal(int)

    def __init__(self, *, is_code: bool = False, parent: QWidget | None = None, **properties: Any) -> None:
        build(
            super().__init__,
            parent,
            focusPolicy=Qt.FocusPolicy.ClickFocus,
            cursor=Qt.CursorShape.IBeamCursor,
            mouseTracking=True,
            **properties,
        )
        self._is_code = is_code
        self._document = QTextDocument(self)
        self._cursor = QTextCursor(self._document)
        self.links: list[QTextCursor] = []
        """What is marked besides the selection."""
        self._has_caret = False
        self._is_dragged = False
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_document(self, document: QTextDocument) -> None:
        """Read another document; it belongs to this block from now on."""
        document.setParent(self)
        former, self._document = self._document, document
        former.deleteLater()
        self._cursor, self.links = QTextCursor(document), []
        self._set_width(self.width())
        self.setAccessibleName(self.text[:1000])
        self.updateGeometry()
        self.update()

    @property
    def text(self) -> str:
        """What is there to read."""
        return self._document.toPlainText()

    @property
    def selected_text(self) -> str:
        """What is selected."""
        return self._cursor.selectedText().replace("\u2029", "\n")

    @property
    def selection(self) -> tuple[int, int]:
        """What is selected, as [start, end)."""
        text = self.text
        cursor = self._cursor
        return to_character(text, cursor.selectionStart()), to_character(text, cursor.selectionEnd())

    def select(self, start: int, end: int) -> None:
        """Select the characters [start, end), as far as there are any."""
        self._cursor = cursor_over(self._document, self.text, start, end)
        self.update()

    def mark(self, spans: Iterable[tuple[int, int]]) -> None:
        """Mark the characters [start, end) of each span, and no others any more; what is selected stays."""
        self.links = [cursor_over(self._document, self.text, *span) for span in spans]
        self.update()

    def box_of(self, start: int, end: int) -> QRect:
        """The lines that hold the characters [start, end), as far as there are any, in their whole width."""
        cursor = cursor_over(self._document, self.text, start, end)
        lines = [self._line_box(at) for at in (cursor.selectionStart(), cursor.selectionEnd())]
        down = self._padding()[1]
        top, bottom = (round(edge) + down for edge in (lines[0].top(), lines[1].bottom()))
        return QRect(0, top, self.width(), bottom - top)

    def enter(self, *, at_end: bool = False) -> None:
        """Put a caret at the start or the end, for the keys."""
        self._cursor.movePosition(
            QTextCursor.MoveOperation.End if at_end else QTextCursor.MoveOperation.Start
        )
        self._has_caret = True
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        self._set_width(width)
        return round(self._document.size().height() + 0.49) + 2 * self._padding()[1]

    def sizeHint(self) -> QSize:
        width = max(self.width(), 1)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(1, 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        if self._is_code:
            paint_box(
                painter,
                self.rect(),
                look.px(6),
                is_smooth=True,
                pen=Qt.PenStyle.NoPen,
                brush=look.colour("code"),
            )
        across, down = self._padding()
        painter.translate(across, down)
        self._set_width(self.width())
        context = QAbstractTextDocumentLayout.PaintContext()
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Text, look.colour("text"))
        context.palette = palette
        context.clip = QRectF(event.rect()).translated(-across, -down)
        if self._has_caret and self.hasFocus():
            context.cursorPosition = self._cursor.position()
        context.selections = [
            *(_marked(link, _LINKED) for link in self.links),
            *([_marked(self._cursor, {"ground": "selection"})] if self._cursor.hasSelection() else []),
        ]
        self._document.documentLayout().draw(painter, context)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()
        self._is_dragged = False
        self._cursor.setPosition(self._unit_at(event.position()))
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._is_dragged = True
            self._cursor.setPosition(self._unit_at(event.position()), QTextCursor.MoveMode.KeepAnchor)
            self.update()
        else:
            unit = self._unit_at(event.position(), is_exact=True)
            self.pointed.emit(to_character(self.text, unit) if unit >= 0 else -1)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit(-1)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._is_dragged and self._cursor.hasSelection():
            self.picked.emit(*self.selection)
        elif event.button() is Qt.MouseButton.LeftButton:
            self.clicked.emit(to_character(self.text, self._unit_at(event.position())))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if event.matches(QKeySequence.StandardKey.Copy) and self.selected_text:
            QGuiApplication.clipboard().setText(self.selected_text)
        elif key in ENTER_KEYS and self._cursor.hasSelection():
            self.picked.emit(*self.selection)
        elif key is Qt.Key.Key_Escape and (self._cursor.hasSelection() or self._has_caret):
            self._give_up()
        elif self._is_for_caret(event):
            self._move(event)
        else:
            event.ignore()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._has_caret = False
        self.pointed.emit(-1)
        self.update()

    def _is_for_caret(self, event: QKeyEvent) -> bool:
        # Without a caret the plain arrows walk from card to card.
        is_across = event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right)
        return _move_of(event) is not None and (self._has_caret or is_across or _is_selecting(event))

    def _move(self, event: QKeyEvent) -> None:
        self._has_caret = True
        is_upward = _move_of(event) in (QTextCursor.MoveOperation.Up, QTextCursor.MoveOperation.Left)
        if not _moved(self._cursor, event) and not _is_selecting(event):
            self.left.emit(-1 if is_upward else 1)
        else:
            self.pointed.emit(to_character(self.text, self._cursor.position()))
        self.update()

    def _give_up(self) -> None:
        if self._cursor.hasSelection():
            self._cursor.clearSelection()
        else:
            self._has_caret = False
            self.left.emit(0)
        self.update()

    def _line_box(self, position: int) -> QRectF:
        self._set_width(self.width())
        block = self._document.findBlock(position)
        box = self._document.documentLayout().blockBoundingRect(block)  # lays the block out, too
        line = block.layout().lineForTextPosition(position - block.position())
        return line.rect().translated(box.topLeft()) if line.isValid() else box

    def _padding(self) -> tuple[int, int]:
        return (theme().px(10), theme().px(6)) if self._is_code else (0, 0)

    def _set_width(self, width: int) -> None:
        # Qt lays everything out again even for the same width.
        wanted = max(width - 2 * self._padding()[0], 1)
        if self._document.textWidth() != wanted:
            self._document.setTextWidth(wanted)

    def _unit_at(self, point: QPointF, *, is_exact: bool = False) -> int:
        across, down = self._padding()
        place = point - QPointF(across, down)
        found = self._document.documentLayout().hitTest(
            place, Qt.HitTestAccuracy.ExactHit if is_exact else Qt.HitTestAccuracy.FuzzyHit
        )
        return found if is_exact else max(found, 0)


_LINKED: Mapping[str, Any] = {
    "ground": "accent_bg",
    "line": (QTextCharFormat.UnderlineStyle.DashUnderline, "accent"),
}


def _marked(cursor: QTextCursor, looks: Mapping[str, Any]) -> QAbstractTextDocumentLayout.Selection:
    marked = QAbstractTextDocumentLayout.Selection()
    marked.cursor = cursor
    marked.format = text_format(**looks)
    return marked


def _move_of(event: QKeyEvent) -> QTextCursor.MoveOperation | None:
    """Where a key moves a caret; None where it is no such key."""
    modifiers = event.modifiers() & ~(_SHIFT | Qt.KeyboardModifier.KeypadModifier)
    if modifiers == Qt.KeyboardModifier.NoModifier:
        return _MOVES.get(Qt.Key(event.key()))
    return _FAR_MOVES.get(Qt.Key(event.key())) if modifiers == _CONTROL else None


def _is_selecting(event: QKeyEvent) -> bool:
    """Whether a key moves the caret and selects on its way."""
    return bool(event.modifiers() & _SHIFT)


def _moved(cursor: QTextCursor, event: QKeyEvent) -> bool:
    """Move a cursor the way a key asks for; whether there was anywhere to go."""
    move = _move_of(event)
    if move is None:
        return False
    mode = QTextCursor.MoveMode.KeepAnchor if _is_selecting(event) else QTextCursor.MoveMode.MoveAnchor
    return cursor.movePosition(move, mode)
