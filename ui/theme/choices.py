"""A pill that holds one of several values, e.g. which batch a page is about."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import (
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QWidget,
)

from ui.theme.apply import theme
from ui.theme.icons import paint_icon
from ui.theme.menus import open_menu

_LONGEST = 220
_SIGN = 12

Choice = tuple[str, str]
"""A value, and what it is called on screen."""


class ChoiceChip(QPushButton):
    """Says what is chosen and opens the choices; accented while it is not the first one.

    Args:
        name: Object name.
        about: What is chosen, for the tooltip and screen readers, e.g. `Batch`.
        choices: What there is to choose from; the first one is chosen at first.
    """

    chosen = Signal(str)
    """The value that was chosen by hand."""

    def __init__(
        self, name: str, about: str, choices: Sequence[Choice] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("chip", "accent")
        self.setCheckable(True)
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._about = about
        self._choices: tuple[Choice, ...] = ()
        self._value = ""
        self.set_choices(choices)

    @property
    def value(self) -> str:
        """What is chosen; empty where there is nothing to choose from."""
        return self._value

    def set_choices(self, choices: Sequence[Choice]) -> None:
        """Offer other choices; the chosen one stays where it is still among them."""
        self._choices = tuple(choices)
        values = [value for value, _ in choices]
        if self._value not in values:
            self._value = values[0] if values else ""
        self._show()

    def choose(self, value: str) -> None:
        """Choose a value without saying so.

        Raises:
            ValueError: It is not among the choices.
        """
        if value not in [one for one, _ in self._choices]:
            raise ValueError(f"{value!r} is not among the choices")
        self._value = value
        self._show()

    def sizeHint(self) -> QSize:
        look = theme()
        words = self.fontMetrics().horizontalAdvance(self._shown)
        return QSize(words + look.px(10 + 4 + _SIGN + 8), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Down)
        if event.key() in keys:
            self.open_menu()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.open_menu()
        else:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()  # the press did it; releasing must not toggle the look

    def open_menu(self) -> None:
        """Open the choices below the pill."""
        menu = QMenu(self)
        menu.setObjectName(f"menu-{self.objectName()}")
        for value, words in self._choices:
            action = QAction(words.replace("&", "&&"), menu)
            action.setCheckable(True)
            action.setChecked(value == self._value)
            action.setData(value)
            menu.addAction(action)
        if menu.isEmpty():
            menu.addAction("Nothing to choose from yet").setEnabled(False)
        # Not partials of `_take`: Python would keep the pill alive through its own menu, and destroying
        # both at once, menu open, ended the program.
        menu.triggered.connect(self._take)
        menu.aboutToHide.connect(menu.deleteLater)
        open_menu(menu, self.mapToGlobal(self.rect().bottomLeft()))

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButtonBevel, option)
        colour = look.colour("accent" if self.isChecked() else "muted")
        painter.setPen(colour)
        room = self.rect().adjusted(look.px(10), 0, 0, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._shown)
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        side = look.px(_SIGN)
        sign = QRect(self.width() - side - look.px(8), (self.height() - side) // 2, side, side)
        paint_icon(painter, "caret-down", QRectF(sign), colour)

    @property
    def _shown(self) -> str:
        longest = theme().px(_LONGEST)
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, longest)

    def _take(self, action: QAction) -> None:
        value = str(action.data())
        if value != self._value:
            self.choose(value)
            self.chosen.emit(value)
        else:
            self._show()

    def _show(self) -> None:
        words = dict(self._choices).get(self._value, self._about)
        self.setText(words)
        is_first = not self._choices or self._value == self._choices[0][0]
        self.setChecked(not is_first)
        self.setAccessibleName(f"{self._about}: {words}")
        self.setToolTip(f"{self._about}: {words}")
        self.updateGeometry()
