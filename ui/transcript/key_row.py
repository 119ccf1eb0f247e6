"""Keys with their words, and buttons, under an editor: right-aligned, over as many lines as they need."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ui.theme import Kbd, TextLabel, theme
from ui.theme.flow import FlowLayout


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


class KeyRow(FlowLayout):
    """Puts widgets side by side at the right, and on another line what has no room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, gap=10, line_gap=4, side=Qt.AlignmentFlag.AlignRight)
        self.setContentsMargins(0, 0, 0, 0)

    def insert(self, at: int, widget: QWidget) -> None:
        """Put a widget before the one at a place."""
        self.addWidget(widget)
        self._items.insert(at, self._items.pop())
        self.invalidate()

    def sizeHint(self) -> QSize:
        hints = [item.sizeHint() for item in self.shown]
        width = sum(hint.width() for hint in hints) + self.gap * max(len(hints) - 1, 0)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        widths = [item.minimumSize().width() for item in self.shown]
        return QSize(max(widths, default=0), self.sizeHint().height())
