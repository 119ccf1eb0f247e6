"""The room for the pages: one that needs more of it than the window has can be scrolled."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QStackedWidget, QWidget

from ui.theme import theme

_LEAST = (320, 160)
"""Width and height at 100 % below which no window is made."""
_STEP = 24


class Pages(QStackedWidget):
    """The pages one behind the other; it asks for no more room than the one that is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pages")
        self.currentChanged.connect(self._ask_for_room)

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return page.minimumSizeHint().expandedTo(page.minimumSize()) if page is not None else QSize(0, 0)

    def _ask_for_room(self) -> None:
        self.updateGeometry()


class Room(QScrollArea):
    """Holds the pages; the window may be smaller than they want to be, as it has to at a large size.

    Args:
        pages: What is shown in it.
    """

    def __init__(self, pages: Pages, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("room")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(pages)
        pages.setAutoFillBackground(False)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.setSingleStep(_STEP)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow_focus)

    def minimumSizeHint(self) -> QSize:
        look = theme()
        return QSize(look.px(_LEAST[0]), look.px(_LEAST[1]))

    def _follow_focus(self, _: QWidget | None, focus: QWidget | None) -> None:
        if focus is not None and self.isAncestorOf(focus):
            self.ensureWidgetVisible(focus, 0, 0)
