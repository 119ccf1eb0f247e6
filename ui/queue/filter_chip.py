"""The pill of one filter: says what is chosen, opens its choices, and is cleared with its cross."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter

from ui.queue.views import Dimension, QueueView, chip_words, value_words
from ui.theme import theme
from ui.theme.buttons import open_menu
from ui.theme.icons import paint_icon
from ui.theme.words import plain_tip, visible

_LONGEST = 220
_SIGN = 12


class FilterChip(QPushButton):
    """One dimension of a view.

    Args:
        dimension: What it filters by.
        is_single: Whether one value excludes the others.
    """

    chosen = Signal(object, object)
    """(dimension, values): empty values clear it."""

    def __init__(self, dimension: Dimension, *, is_single: bool) -> None:
        super().__init__()
        self.dimension = dimension
        self._is_single = is_single
        self._words = ""
        self._values: tuple[str, ...] = ()
        self._choices: tuple[str, ...] = ()
        self.setObjectName(f"filter-{dimension.value}")
        self.setProperty("chip", "accent")
        self.setCheckable(True)
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_choices(self, choices: Sequence[str]) -> None:
        """What can be chosen, in the order of the menu."""
        self._choices = tuple(choices)

    def show_view(self, view: QueueView) -> None:
        """Show what a view has chosen."""
        self._values = view.chosen(self.dimension)
        words = visible(chip_words(view, self.dimension))
        self._words = words
        self.setText(_as_button_text(words))
        self.setChecked(bool(self._values))
        tip = f"{words}\nDelete clears it." if self._values else f"Filter by {words.lower()}"
        self.setToolTip(plain_tip(tip))
        self.setAccessibleName(words)
        self.updateGeometry()

    def menu_of_choices(self) -> QMenu:
        """A menu of what can be chosen; its owner shows and forgets it."""
        menu = QMenu(self)
        menu.setObjectName(f"menu-{self.dimension.value}")
        for value in dict.fromkeys((*self._choices, *self._values)):
            action = QAction(_as_button_text(value_words(self.dimension, value)), menu)
            action.setCheckable(True)
            action.setChecked(value in self._values)
            action.setData(value)
            menu.addAction(action)
        if menu.isEmpty():
            nothing = menu.addAction("No options yet")
            nothing.setEnabled(False)
        menu.triggered.connect(self._choose)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def sizeHint(self) -> QSize:
        look = theme()
        words = self.fontMetrics().horizontalAdvance(self._shown)
        return QSize(words + look.px(10 + 4 + _SIGN + 8), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._clear()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Down):
            self._open()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
        elif self._values and event.position().x() >= self._sign_box().left() - theme().px(4):
            self._clear()
        else:
            self._open()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()  # the press did it; releasing must not toggle the look

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButtonBevel, option)
        colour = look.colour("accent" if self._values else "muted")
        painter.setPen(colour)
        room = self.rect().adjusted(look.px(10), 0, 0, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._shown)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_icon(painter, "x" if self._values else "caret-down", QRectF(self._sign_box()), colour)

    @property
    def _shown(self) -> str:
        longest = theme().px(_LONGEST)
        return self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, longest)

    def _sign_box(self) -> QRect:
        side = theme().px(_SIGN)
        return QRect(self.width() - side - theme().px(8), (self.height() - side) // 2, side, side)

    def _open(self) -> None:
        open_menu(self.menu_of_choices(), self.mapToGlobal(self.rect().bottomLeft()))

    def _clear(self) -> None:
        if self._values:
            self.chosen.emit(self.dimension, ())

    def _choose(self, action: QAction) -> None:
        value = str(action.data())
        if self._is_single:
            values: tuple[str, ...] = (value,) if value not in self._values else ()
        elif value in self._values:
            values = tuple(other for other in self._values if other != value)
        else:
            values = (*self._values, value)
        self.chosen.emit(self.dimension, values)


def _as_button_text(words: str) -> str:
    """Words in which no character becomes a key."""
    return words.replace("&", "&&")
