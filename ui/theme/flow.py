"""A layout that puts widgets in lines and breaks a line where the room ends."""

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from ui.theme.apply import theme


class FlowLayout(QLayout):
    """One widget beside the other, then the next line; hidden widgets take no room.

    Args:
        parent: Whose layout it is.
        gap: Space between widgets, in pixels at 100 %.
        line_gap: Space between lines, in pixels at 100 %.
        side: Where the lines begin, or with `AlignRight` where they end.
    """

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        gap: int = 8,
        line_gap: int = 8,
        side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap_at_100 = gap
        self._line_gap_at_100 = line_gap
        self._side = side

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
        margins = self.contentsMargins()
        heights = [_height(line) for line in self._lines(width - margins.left() - margins.right())]
        between = theme().px(self._line_gap_at_100) * max(len(heights) - 1, 0)
        return sum(heights) + between + margins.top() + margins.bottom()

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        room = rect.marginsRemoved(self.contentsMargins())
        top = room.top()
        for line in self._lines(room.width()):
            height, width = _height(line), self._width(line)
            x = room.right() + 1 - width if self._side is Qt.AlignmentFlag.AlignRight else room.left()
            for item in line:
                hint = item.sizeHint()
                item.setGeometry(QRect(QPoint(x, top + (height - hint.height()) // 2), hint))
                x += hint.width() + self.gap
            top += height + theme().px(self._line_gap_at_100)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    @property
    def gap(self) -> int:
        """Space between two widgets on the screen."""
        return theme().px(self._gap_at_100)

    @property
    def shown(self) -> list[QLayoutItem]:
        """The items that take room."""
        return [item for item in self._items if not item.isEmpty()]

    def _width(self, line: list[QLayoutItem]) -> int:
        return sum(item.sizeHint().width() for item in line) + self.gap * max(len(line) - 1, 0)

    def _lines(self, width: int) -> Iterator[list[QLayoutItem]]:
        line: list[QLayoutItem] = []
        for item in self.shown:
            if line and self._width([*line, item]) > width:
                yield line
                line = []
            line.append(item)
        if line:
            yield line


def _height(line: list[QLayoutItem]) -> int:
    return max(item.sizeHint().height() for item in line)
