"""Three columns side by side; where they do not fit, the middle one becomes a tab of the right one.

Where not even two fit, as on a small screen at 200 %, they are scrolled to where the keys go.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QKeyCombination, Qt, QTimer, Signal
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
from ui.theme.scrolling import Scroller

_SIZES = (580, 416, 336)
_LEAST = (330, 424, 300)
"""Widths at 100 % below which a column cannot be read."""
_ROOM = (320, 120)
"""Width and height at 100 % that are left for the columns in the smallest window; then they scroll."""
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
        self._alone: QWidget | None = None
        # Moving a column destroys a handle of the splitter. Qt still walks over the widgets it has noted
        # while it puts on a style or a size, so the column may only move once all of them were told.
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._arrange)
        self._sizes = [theme().px(size) for size in _SIZES]
        self.splitter.setSizes(self._sizes)
        self.splitter.splitterMoved.connect(self._tell_sizes)
        column_layout = QVBoxLayout(self)
        column_layout.setContentsMargins(0, 0, 0, 0)
        column_layout.addWidget(Scroller(self.splitter, width=_ROOM[0], height=_ROOM[1]))
        self._set_least()

    @property
    def is_middle_a_tab(self) -> bool:
        """Whether there is no room for three columns."""
        return self._tabs.indexOf(self._middle) >= 0

    @property
    def alone(self) -> QWidget | None:
        """The column that has all the room; null while they share it."""
        return self._alone

    def toggle_alone(self) -> QWidget | None:
        """Give the column under focus all the room, or give the others theirs back.

        Returns:
            The column that is alone now; null where they share the room.
        """
        if self._alone is not None:
            self.share()
        else:
            self.show_alone(self._column_under_focus())
        return self._alone

    def show_alone(self, column: QWidget) -> None:
        """Give one column all the room."""
        self._alone = column
        for other in self._shown():
            other.setVisible(other is column)

    def share(self) -> None:
        """Show all the columns again."""
        if self._alone is None:
            return
        self._alone = None
        for column in self._shown():
            column.show()
        self.splitter.setSizes(self._sizes)
        self._arrange()

    def bring(self, inside: QWidget) -> None:
        """Bring the column of a widget into sight, and the others back where it was hidden behind one."""
        if self._alone is not None and inside is not self._alone and not self._alone.isAncestorOf(inside):
            self.share()

    def set_sizes(self, sizes: Sequence[int]) -> None:
        """Give the columns the widths a person chose."""
        if len(sizes) == len(_SIZES):
            self._sizes = list(sizes)
            if not self.is_middle_a_tab and self._alone is None:
                self.splitter.setSizes(self._sizes)

    def show_middle(self) -> None:
        """Bring the middle column into sight."""
        if self.is_middle_a_tab:
            self._tabs.setCurrentWidget(self._middle)
            self.bring(self._tabs)
        else:
            self.bring(self._middle)

    @contextmanager
    def focus_kept(self) -> Iterator[None]:
        """Give the focus back to the middle or the right column, where it was before."""
        focus = QApplication.focusWidget()
        yield
        columns = (self._middle, self._tabs)
        if focus is not None and any(column.isAncestorOf(focus) for column in columns):
            focus.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._soon.start()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._set_least()
            self._soon.start()

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

    def _shown(self) -> list[QWidget]:
        widgets = (self.splitter.widget(place) for place in range(self.splitter.count()))
        return [widget for widget in widgets if widget is not None]

    def _column_under_focus(self) -> QWidget:
        focus = QApplication.focusWidget()
        under = (c for c in self._shown() if focus is not None and (c is focus or c.isAncestorOf(focus)))
        return next(under, self._left)

    def _arrange(self) -> None:
        if self._alone is not None:
            return
        must_be_tab = self.width() < theme().px(sum(_LEAST))
        if must_be_tab and not self.is_middle_a_tab:
            # First, as it stood left of them: the last tabs may be out of sight.
            self._tabs.insertTab(0, self._middle, self._middle_name)
            self._tabs.setUsesScrollButtons(True)
        elif self.is_middle_a_tab and not must_be_tab:
            self._tabs.removeTab(self._tabs.indexOf(self._middle))
            self._tabs.setUsesScrollButtons(False)
            self.splitter.insertWidget(1, self._middle)
            self._middle.show()
            self.splitter.setSizes(self._sizes)

    def _tell_sizes(self) -> None:
        if not self.is_middle_a_tab and self._alone is None:
            self._sizes = self.splitter.sizes()
            self.sizes_changed.emit(tuple(self._sizes))
