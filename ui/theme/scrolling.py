"""What needs more room than there is, e.g. at a large size, is scrolled to where the keys go."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QWidget

from ui.theme.apply import theme

_STEP = 24


class Scroller(QScrollArea):
    """Gives a widget all the room there is, and at least what it needs.

    Args:
        inside: What may need more room.
        width: Least width of the area itself, at 100 %.
        height: Its least height, at 100 %.
    """

    def __init__(self, inside: QWidget, *, width: int, height: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least = (width, height)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(inside)
        inside.setAutoFillBackground(False)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.setSingleStep(_STEP)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow_focus)

    def minimumSizeHint(self) -> QSize:
        look = theme()
        return QSize(look.px(self._least[0]), look.px(self._least[1]))

    def _follow_focus(self, _: QWidget | None, focus: QWidget | None) -> None:
        if focus is not None and self.isAncestorOf(focus):
            self.ensureWidgetVisible(focus, 0, 0)
