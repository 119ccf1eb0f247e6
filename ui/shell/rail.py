"""The rail at the left: one button a page."""

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QFrame, QSizePolicy, QVBoxLayout, QWidget

from ui.shell.pages import PageKind
from ui.theme import theme
from ui.theme.icons import paint_icon

_WIDTH = 64
_HEIGHT, _WITH_WORD, _LEAST = 50, 40, 24
"""Height of a button, the least with its word, and of one that shows its icon only."""
_TEXT = 10.5
_WORD, _ABOVE = 20, 0.75
"""Height of the word's line, and the share of the free height above the icon."""


class RailButton(QAbstractButton):
    """An icon with a word below; a bar at the left marks the page that is shown."""

    def __init__(self, kind: PageKind, *, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self.setObjectName(f"rail-{kind.id}")
        self.setText(kind.title)
        self.setCheckable(True)
        self.setToolTip(f"{kind.title} ({keys})" if keys else kind.title)
        self.setAccessibleName(kind.title)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Maximum)

    def sizeHint(self) -> QSize:
        look = theme()
        return QSize(look.px(_WIDTH), look.px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        look = theme()
        return QSize(look.px(_WIDTH), look.px(_LEAST))

    @property
    def shows_word(self) -> bool:
        """Whether there is height enough for the word below the icon."""
        return self.height() >= theme().px(_WITH_WORD)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        if self.isChecked():
            painter.fillRect(self.rect(), look.colour("accent_bg"))
            painter.fillRect(QRect(0, 0, look.px(3), self.height()), look.colour("accent"))
        elif self.underMouse():
            painter.fillRect(self.rect(), look.colour("hover"))
        colour = QColor(look.colour("accent" if self.isChecked() else "muted"))
        side = look.px(18)
        spare = self.height() - side - look.px(_WORD)
        top = round(spare * _ABOVE) if self.shows_word else (self.height() - side) // 2
        paint_icon(painter, self.kind.icon_name, QRectF((self.width() - side) / 2, top, side, side), colour)
        if self.shows_word:
            painter.setFont(look.sans(_TEXT))
            painter.setPen(colour)
            words = QRect(0, top + side, self.width(), look.px(_WORD))
            painter.drawText(words, Qt.AlignmentFlag.AlignCenter, self.text())
        if self.hasFocus():
            painter.setPen(look.colour("accent"))
            painter.drawRect(self.rect().adjusted(1, 1, -2, -2))


class Rail(QFrame):
    """The buttons of the pages there are."""

    chosen = Signal(str)
    """Id of the page to show."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setProperty("look", "side")
        self._group = QButtonGroup(self)
        self._buttons: dict[str, RailButton] = {}
        self._column = QVBoxLayout(self)
        self._column.setSpacing(2)
        self._column.addStretch(1)
        self._fit()

    def add(self, kind: PageKind, *, keys: str) -> None:
        """Add a page below the others."""
        button = RailButton(kind, keys=keys)
        button.clicked.connect(self._choose)
        self._group.addButton(button)
        self._buttons[kind.id] = button
        self._column.insertWidget(len(self._buttons) - 1, button)

    def mark(self, page_id: str) -> None:
        """Mark the page that is shown."""
        self._buttons[page_id].setChecked(True)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        look = theme()
        self.setFixedWidth(look.px(_WIDTH))
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(0, look.px(8), 0, look.px(8))

    def _choose(self) -> None:
        button = self.sender()
        if isinstance(button, RailButton):
            self.chosen.emit(button.kind.id)
