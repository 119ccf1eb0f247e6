"""Larger pieces pages are made of: page heads, tabs, cards, panel headers, hints, figures, empty states."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QTabBar, QVBoxLayout, QWidget

from ui.theme.buttons import Button, ButtonKind
from ui.theme.labels import Chip, TextLabel, breakable, restyle
from ui.theme.layouts import STRETCH, hbox, vbox
from ui.theme.look import icon, theme
from ui.theme.tokens import Tone


class Line(QFrame):
    """A hairline between two things."""

    def __init__(
        self, *, is_vertical: bool = False, parent: QWidget | None = None, **properties: Any
    ) -> None:
        super().__init__(parent, **properties)
        self.setProperty("look", "line")
        if is_vertical:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)


class Card(QFrame):
    """A raised surface with a thin outline; the outline is accented while it is selected."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(parent, **properties)
        self.setProperty("look", "card")
        self.setProperty("selected", "no")

    @property
    def is_selected(self) -> bool:
        """Whether it is the selected one."""
        return bool(self.property("selected") == "yes")

    def set_selected(self, *, on: bool) -> None:
        """Accent the outline, or not."""
        restyle(self, "selected", "yes" if on else "no")


class PanelHeader(QFrame):
    """The bar above a column: a title, then whatever is added, right of a stretch or left of it."""

    def __init__(self, title: str, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(parent, **properties)
        self.setProperty("look", "header")
        self._row = QHBoxLayout(self)
        self._title = TextLabel(title, "strong")
        self._row.addWidget(self._title)
        self._title.setVisible(bool(title))  # only now: without a parent it would flash up as a window
        self._row.addStretch(1)
        self._left_count = 1
        self._space()

    def set_title(self, title: str) -> None:
        """Change the title."""
        self._title.setText(title)
        self._title.setVisible(bool(title))

    def add_left(self, widget: QWidget, *, stretch: int = 0) -> None:
        """Put a widget after the title and what was added there before, with a share of free space."""
        self._row.insertWidget(self._left_count, widget, stretch)
        self._left_count += 1
        if stretch:
            self._row.setStretch(self._left_count, 0)

    def add_right(self, widget: QWidget) -> None:
        """Put a widget at the right end."""
        self._row.addWidget(widget)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), theme().px(36))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), theme().px(36))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._space()

    def _space(self) -> None:
        look = theme()
        self.setFixedHeight(look.px(36))
        self._row.setContentsMargins(look.px(12), 0, look.px(8), 0)
        self._row.setSpacing(look.px(6))


@dataclass(frozen=True)
class HintAction:
    """One thing a hint offers: the name it is reported by, and what the link says."""

    name: str
    text: str


class Hint(QFrame):
    """A coloured box that says what is wrong and offers what settles it.

    Args:
        title: One sentence, shown strong.
        text: What to know besides; plain text.
        tone: Its colour.
        actions: What it offers.
    """

    acted = Signal(str)

    def __init__(
        self,
        title: str,
        text: str = "",
        tone: Tone = Tone.WARN,
        *,
        actions: tuple[HintAction, ...] = (),
        parent: QWidget | None = None,
        **properties: Any,
    ) -> None:
        super().__init__(parent, **properties)
        self.setProperty("hint", tone.value)
        self._words = QLabel(_strong_then_plain(title, text))
        self._words.setTextFormat(Qt.TextFormat.RichText)
        self._words.setWordWrap(True)
        self._words.setProperty("hint", tone.value)
        self._words.setAccessibleName(f"{title} {text}".strip())
        look = theme()
        column = vbox(self._words, within=self, gap=2, margins=(8, 5))
        if actions:
            row = QHBoxLayout()
            row.setSpacing(look.px(12))
            for action in actions:
                row.addWidget(self._button(action, tone))
            row.addStretch(1)
            column.addLayout(row)

    @property
    def words(self) -> str:
        """What it says, as plain text."""
        return self._words.accessibleName()

    def _button(self, action: HintAction, tone: Tone) -> Button:
        button = Button(action.text, ButtonKind.LINK, objectName=f"action-{action.name}")
        button.setProperty("tone", tone.value)
        button.setProperty("action", action.name)
        button.clicked.connect(self._act)
        return button

    def _act(self) -> None:
        self.acted.emit(str(self.sender().property("action")))


def _strong_then_plain(title: str, text: str) -> str:
    strong = f"<b>{escape(breakable(title))}</b>"
    return f"{strong}&nbsp; {escape(breakable(text))}" if text else strong


class Stat(QWidget):
    """A figure with its name above it, and an optional chip beside it."""

    def __init__(self, name: str, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(parent, **properties)
        self._name = TextLabel(name, "small-muted")
        self._value = TextLabel("", "figure")
        self._chip = Chip(visible=False)
        vbox(self._name, hbox(self._value, self._chip, STRETCH, gap=6), STRETCH, within=self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_name(self, name: str) -> None:
        """Change what is counted."""
        self._name.setText(name)

    def set_value(self, text: str, *, look: str = "figure", tip: str = "") -> None:
        """Show a value; `look` may be `figure` or the smaller `figure-word`."""
        self._value.set_look(look)
        self._value.setText(text)
        self._value.setToolTip(tip)
        self.setAccessibleName(f"{self._name.text()}: {text}")

    def set_chip(self, text: str, tone: Tone = Tone.NEUTRAL) -> None:
        """Put a chip beside the value; an empty text takes it away."""
        self._chip.setVisible(bool(text))
        self._chip.set_chip(text, tone)

    @property
    def value(self) -> str:
        """The value as shown."""
        return self._value.text()

    @property
    def chip_text(self) -> str:
        """What the chip says; empty where there is none."""
        return "" if self._chip.isHidden() else self._chip.text()


class EmptyState(QWidget):
    """What an empty list shows: what is missing, and what to do next.

    Args:
        icon_name: Phosphor icon.
        title: What is not there.
        text: What to do next.
        button: Optional button that does it.
    """

    def __init__(
        self,
        icon_name: str,
        title: str,
        text: str,
        *,
        button: Button | None = None,
        parent: QWidget | None = None,
        **properties: Any,
    ) -> None:
        super().__init__(parent, **properties)
        self._icon_name = icon_name
        self._picture = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._title = TextLabel(title, "title")
        self._text = TextLabel(text, "muted")
        column = QVBoxLayout(self)
        column.setSpacing(theme().px(8))
        column.addStretch(2)
        column.addWidget(self._picture)
        for label in (self._title, self._text):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(True)
            column.addWidget(label)
        if button is not None:
            column.addSpacing(theme().px(4))
            column.addWidget(button, alignment=Qt.AlignmentFlag.AlignCenter)
        column.addStretch(3)
        self._draw()

    def set_words(self, title: str, text: str) -> None:
        """Say something else."""
        self._title.setText(title)
        self._text.setText(text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._draw()

    def _draw(self) -> None:
        side = theme().px(32)
        self._picture.setPixmap(icon(self._icon_name).pixmap(QSize(side, side), self.devicePixelRatioF()))


class Bar(QFrame):
    """A frame of one height with its content in a `row`, at every scale.

    Args:
        look: Its look in the stylesheet.
        height: In pixels at 100 %.
        spacing: Between what stands in the row, in pixels at 100 %.
    """

    def __init__(
        self, look: str, *, height: int, spacing: int = 8, parent: QWidget | None = None, **properties: Any
    ) -> None:
        super().__init__(parent, **properties)
        self.setProperty("look", look)
        self._height, self._spacing = height, spacing
        self.row = QHBoxLayout(self)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        look = theme()
        self.setFixedHeight(look.px(self._height))
        self.row.setContentsMargins(look.px(16), 0, look.px(16), 0)
        self.row.setSpacing(look.px(self._spacing))


class PageHead(Bar):
    """A title, then what is added left of a stretch or right of it."""

    def __init__(self, title: str, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__("topbar", height=46, spacing=12, parent=parent, **properties)
        self.row.addWidget(TextLabel(title, "strong"))
        self.row.addStretch(1)
        self._left_count = 1

    def add_left(self, *widgets: QWidget) -> None:
        """Put widgets after the title and what was added there before."""
        for widget in widgets:
            self.row.insertWidget(self._left_count, widget)
            self._left_count += 1

    def add_right(self, *widgets: QWidget) -> None:
        """Put widgets at the right end."""
        for widget in widgets:
            self.row.addWidget(widget)


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
