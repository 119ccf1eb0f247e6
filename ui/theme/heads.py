"""The line above a page: its title, what it is about, and its actions at the right."""

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from ui.theme.apply import theme
from ui.theme.labels import TextLabel

_HEIGHT = 46


class PageHead(QFrame):
    """A title, then what is added left of a stretch or right of it."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "topbar")
        self._row = QHBoxLayout(self)
        self._row.addWidget(TextLabel(title, "strong"))
        self._row.addStretch(1)
        self._left_count = 1
        self._fit()

    def add_left(self, *widgets: QWidget) -> None:
        """Put widgets after the title and what was added there before."""
        for widget in widgets:
            self._row.insertWidget(self._left_count, widget)
            self._left_count += 1

    def add_right(self, *widgets: QWidget) -> None:
        """Put widgets at the right end."""
        for widget in widgets:
            self._row.addWidget(widget)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        look = theme()
        self.setFixedHeight(look.px(_HEIGHT))
        self._row.setContentsMargins(look.px(16), 0, look.px(16), 0)
        self._row.setSpacing(look.px(12))
