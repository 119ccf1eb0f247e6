"""Three columns side by side; where they do not fit, the middle one becomes a tab of the right one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QKeyCombination, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from ui.theme import theme

_SIZES = (580, 416, 336)
_LEAST = (330, 396, 300)
"""Widths at 100 % below which a column cannot be read."""
_CONTROL, _ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
_TEXT_KEYS = (
    QKeyCombination(_CONTROL, Qt.Key.Key_Return),
    QKeyCombination(_CONTROL | Qt.KeyboardModifier.KeypadModifier, Qt.Key.Key_Enter),
    QKeyCombination(_CONTROL, Qt.Key.Key_D),
    QKeyCombination(_ALT, Qt.Key.Key_Up),
    QKeyCombination(_ALT, Qt.Key.Key_Down),
)


class ColumnArea(QWidget):
    """Holds the columns.

    Args:
        left: The first column.
        middle: The second one.
        tabs: The third one.
        middle_name: What the second one is called as a tab.
        sizes: Widths in pixels; empty for those of the drawing.
    """

    sizes_changed = Signal(object)
    """Widths of the columns in pixels, as a tuple."""

    def __init__(
        self,
        left: QWidget,
        middle: QWidget,
        *,
        tabs: QTabWidget,
        middle_name: str,
        sizes: Sequence[int],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._left, self._middle, self._tabs = left, middle, tabs
        self._middle_name = middle_name
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setObjectName("workbench-columns")
        self.splitter.setChildrenCollapsible(False)
        for column, share in ((left, 5), (middle, 4), (tabs, 0)):
            self.splitter.addWidget(column)
            self.splitter.setStretchFactor(self.splitter.indexOf(column), share)
        self._sizes = list(sizes) or [theme().px(size) for size in _SIZES]
        self.splitter.setSizes(self._sizes)
        self.splitter.splitterMoved.connect(self._tell_sizes)
        column_layout = QVBoxLayout(self)
        column_layout.setContentsMargins(0, 0, 0, 0)
        column_layout.addWidget(self.splitter)
        self._set_least()

    @property
    def is_middle_a_tab(self) -> bool:
        """Whether there is no room for three columns."""
        return self._tabs.indexOf(self._middle) >= 0

    def show_middle(self) -> None:
        """Bring the middle column into sight."""
        if self.is_middle_a_tab:
            self._tabs.setCurrentWidget(self._middle)

    @contextmanager
    def focus_kept(self) -> Iterator[None]:
        """Give the focus back to the middle or the right column, where it was before."""
        focus = QApplication.focusWidget()
        yield
        columns = (self._middle, self._tabs)
        if focus is not None and any(column.isAncestorOf(focus) for column in columns):
            focus.setFocus(Qt.FocusReason.OtherFocusReason)

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(_LEAST[0] + _LEAST[1]), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._set_least()
            self._arrange()

    def event(self, event: QEvent) -> bool:
        # These keys mean something inside a text; the page's commands must not take them away.
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            is_typing = isinstance(QApplication.focusWidget(), QPlainTextEdit | QLineEdit)
            if is_typing and event.keyCombination() in _TEXT_KEYS:
                event.accept()
                return True
        return super().event(event)

    def _set_least(self) -> None:
        for column, least in zip((self._left, self._middle, self._tabs), _LEAST, strict=True):
            column.setMinimumWidth(theme().px(least))

    def _arrange(self) -> None:
        must_be_tab = self.width() < theme().px(sum(_LEAST))
        if must_be_tab and not self.is_middle_a_tab:
            self._tabs.addTab(self._middle, self._middle_name)
        elif self.is_middle_a_tab and not must_be_tab:
            self._tabs.removeTab(self._tabs.indexOf(self._middle))
            self.splitter.insertWidget(1, self._middle)
            self._middle.show()
            self.splitter.setSizes(self._sizes)

    def _tell_sizes(self) -> None:
        if not self.is_middle_a_tab:
            self._sizes = self.splitter.sizes()
            self.sizes_changed.emit(tuple(self._sizes))
