"""Text that is read, selected and clicked, and takes exactly the height it needs."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
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

from ui.theme import theme


class TextBlock(QWidget):
    """A document to read, without the many parts of a text editor: a page has dozens of them.

    `pressed` says that it was touched; `clicked` carries the character that was clicked; `picked` the
    [start, end) that was selected; `opened` asks to edit.
    """

    pressed = Signal()
    clicked = Signal(int)
    picked = Signal(int, int)
    opened = Signal()

    def __init__(self, *, is_code: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_code = is_code
        self._document = QTextDocument(self)
        self._anchor = 0
        self._selection: tuple[int, int] | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setCursor(Qt.CursorShape.IBeamCursor)

    def show_document(self, document: QTextDocument) -> None:
        """Read another document; it belongs to this block from now on."""
        document.setParent(self)
        former, self._document = self._document, document
        former.deleteLater()
        self._selection = None
        self._document.setTextWidth(self._text_width(self.width()))
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
        return self._cursor().selectedText().replace("\u2029", "\n")

    def select(self, start: int, end: int) -> None:
        """Select the characters [start, end), as far as there are any."""
        last = max(self._document.characterCount() - 1, 0)
        self._selection = (min(start, last), min(end, last))
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        self._document.setTextWidth(self._text_width(width))
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
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("code"))
            painter.drawRoundedRect(self.rect(), look.px(6), look.px(6))
        across, down = self._padding()
        painter.translate(across, down)
        self._document.setTextWidth(self._text_width(self.width()))
        context = QAbstractTextDocumentLayout.PaintContext()
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Text, look.colour("text"))
        context.palette = palette
        context.clip = QRectF(event.rect()).translated(-across, -down)
        if self._selection is not None:
            marked = QAbstractTextDocumentLayout.Selection()
            marked.cursor = self._cursor()
            marked.format = _selected()
            context.selections = [marked]
        self._document.documentLayout().draw(painter, context)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()
        self._anchor = self._character_at(event.position())
        self._selection = None
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            here = self._character_at(event.position())
            self._selection = (min(self._anchor, here), max(self._anchor, here))
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._selection is not None and self._selection[0] < self._selection[1]:
            self.picked.emit(*self._selection)
        elif event.button() is Qt.MouseButton.LeftButton:
            self.clicked.emit(self._character_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self.selected_text:
            QGuiApplication.clipboard().setText(self.selected_text)
        else:
            event.ignore()

    def _padding(self) -> tuple[int, int]:
        look = theme()
        return (look.px(10), look.px(6)) if self._is_code else (0, 0)

    def _text_width(self, width: int) -> int:
        return max(width - 2 * self._padding()[0], 1)

    def _character_at(self, point: QPointF) -> int:
        across, down = self._padding()
        place = point - QPointF(across, down)
        return max(self._document.documentLayout().hitTest(place, Qt.HitTestAccuracy.FuzzyHit), 0)

    def _cursor(self) -> QTextCursor:
        cursor = QTextCursor(self._document)
        if self._selection is not None:
            cursor.setPosition(self._selection[0])
            cursor.setPosition(self._selection[1], QTextCursor.MoveMode.KeepAnchor)
        return cursor


def _selected() -> QTextCharFormat:
    form = QTextCharFormat()
    form.setBackground(theme().colour("selection"))
    return form
