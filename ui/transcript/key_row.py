"""Keys with their words, and buttons, under an editor: right-aligned, over as many lines as they need."""

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLayout, QLayoutItem, QWidget

from ui.theme import Kbd, TextLabel, theme


class KeyWord(QWidget):
    """A key and what it does."""

    def __init__(self, keys: str, word: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._word = TextLabel(word, "small-muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(6))
        row.addWidget(Kbd(keys))
        row.addWidget(self._word)

    @property
    def word(self) -> str:
        """What the key does."""
        return self._word.text()

    def set_word(self, word: str) -> None:
        """Say that the key does something else."""
        self._word.setText(word)


class KeyRow(QLayout):
    """Puts widgets side by side from the right, and on another line what has no room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def insert(self, at: int, widget: QWidget) -> None:
        """Put a widget before the one at a place."""
        self.addWidget(widget)
        self._items.insert(at, self._items.pop())
        self.invalidate()

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
        heights = [_height(line) for line in self._lines(width)]
        return sum(heights) + self._line_gap() * max(len(heights) - 1, 0)

    def sizeHint(self) -> QSize:
        shown = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(hint.width() for hint in shown) + self._gap() * max(len(shown) - 1, 0)
        return QSize(width, max((hint.height() for hint in shown), default=0))

    def minimumSize(self) -> QSize:
        shown = [item.minimumSize() for item in self._items if not item.isEmpty()]
        return QSize(max((hint.width() for hint in shown), default=0), self.sizeHint().height())

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        top, gap = rect.top(), self._gap()
        for line in self._lines(rect.width()):
            height, right = _height(line), rect.right() + 1
            for item in reversed(line):
                hint = item.sizeHint()
                right -= hint.width()
                item.setGeometry(QRect(QPoint(right, top + (height - hint.height()) // 2), hint))
                right -= gap
            top += height + self._line_gap()

    def _gap(self) -> int:
        return theme().px(10)

    def _line_gap(self) -> int:
        return theme().px(4)

    def _lines(self, width: int) -> Iterator[list[QLayoutItem]]:
        line: list[QLayoutItem] = []
        taken = 0
        for item in self._items:
            if item.isEmpty():
                continue
            needed = item.sizeHint().width()
            if line and taken + self._gap() + needed > width:
                yield line
                line, taken = [], 0
            taken += needed + (self._gap() if line else 0)
            line.append(item)
        if line:
            yield line


def _height(line: list[QLayoutItem]) -> int:
    return max(item.sizeHint().height() for item in line)
