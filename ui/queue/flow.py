"""A layout that puts widgets in lines and breaks a line where the room ends."""

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Left to right, then the next line; hidden widgets take no room.

    Args:
        parent: Whose layout it is.
        gap: Space between widgets and between lines, in pixels on screen.
    """

    def __init__(self, parent: QWidget | None = None, *, gap: int = 8) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), is_real=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, is_real=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _place(self, rect: QRect, *, is_real: bool) -> int:
        margins: QMargins = self.contentsMargins()
        room = rect.marginsRemoved(margins)
        x, y, height = room.x(), room.y(), 0
        line: list[tuple[QLayoutItem, QPoint, QSize]] = []
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if line and x + size.width() > room.right() + 1:
                _settle(line, height, is_real=is_real)
                x, y, height, line = room.x(), y + height + self._gap, 0, []
            line.append((item, QPoint(x, y), size))
            x += size.width() + self._gap
            height = max(height, size.height())
        _settle(line, height, is_real=is_real)
        return y + height - rect.y() + margins.bottom()


def _settle(line: list[tuple[QLayoutItem, QPoint, QSize]], height: int, *, is_real: bool) -> None:
    """Centre the widgets of a line on it."""
    if is_real:
        for item, at, size in line:
            item.setGeometry(QRect(at + QPoint(0, (height - size.height()) // 2), size))
