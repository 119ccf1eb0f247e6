"""Tabs above a page or a panel, that keep their places whichever of them is chosen."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QTabBar, QWidget

from ui.theme.apply import theme


class TabBar(QTabBar):
    """A line of tabs that never scrolls, with room in each for the stronger letters of the chosen one.

    Without that room the line would grow with the choice of a long title.

    Args:
        name: Object name.
        titles: What the tabs are called, from left to right.
        parent: Whose child.
    """

    def __init__(self, name: str, titles: Sequence[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(False)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        for title in titles:
            self.addTab(title)

    def tabSizeHint(self, index: int) -> QSize:
        hint = super().tabSizeHint(index)
        if index == self.currentIndex():
            return hint
        look, title = theme(), self.tabText(index)
        plain, strong = (
            QFontMetrics(look.sans(is_strong=is_strong)).horizontalAdvance(title)
            for is_strong in (False, True)
        )
        return QSize(hint.width() + strong - plain, hint.height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.updateGeometry()
