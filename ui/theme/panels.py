"""Larger pieces pages are made of: page heads, tabs, cards, panel headers, hints, figures, empty states."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QStackedWidget, QTabBar, QTabWidget, QWidget

from scoring.texts import tr
from ui.theme.buttons import Button, ButtonKind
from ui.theme.events import follow_events
from ui.theme.labels import Chip, ElidedLabel, TextLabel, breakable, restyle
from ui.theme.layouts import STRETCH, FlowLayout, Margins, Member, build, hbox, lay, vbox
from ui.theme.look import follow_theme, icon, scaled, theme
from ui.theme.tokens import Tone
from ui.theme.words import STATE_ICONS


class Hairline(QFrame):
    """A hairline between two things."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        build(super().__init__, parent, **properties, look="line")
        self.setFixedHeight(1)


class Card(QFrame):
    """A raised surface with a thin outline; the outline is accented while it is selected."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        build(super().__init__, parent, **properties, look="card")
        self.setProperty("selected", "no")

    @property
    def is_selected(self) -> bool:
        """Whether it is the selected one."""
        return bool(self.property("selected") == "yes")

    def set_selected(self, *, on: bool) -> None:
        """Accent the outline, or not."""
        restyle(self, "selected", "yes" if on else "no")


class Bar(QFrame):
    """A line of widgets of one height at every scale.

    Args:
        look: Its look in the stylesheet.
        members: From the left, as for `hbox`; where none of them takes the free room, it is at the right.
        height: In pixels at 100 %.
        gap: As for `hbox`.
        margins: As for `hbox`.
    """

    def __init__(
        self,
        look: str,
        *members: Member,
        height: int,
        gap: int = 8,
        margins: Margins = (16, 0),
        parent: QWidget | None = None,
        **properties: Any,
    ) -> None:
        build(super().__init__, parent, **properties, look=look)
        is_loose = bool(members) and not any(isinstance(member, int | tuple) for member in members)
        self.row = hbox(*members, *[STRETCH] * is_loose, within=self, gap=gap, margins=margins)
        scaled(self, setFixedHeight=height)


class PanelHeader(Bar):
    """The bar above a column: a title, then its members; see `Bar`."""

    def __init__(
        self, title: str, *members: Member, parent: QWidget | None = None, **properties: Any
    ) -> None:
        self._title = ElidedLabel(title, "strong")
        super().__init__(
            "header",
            self._title,
            *members,
            height=36,
            gap=6,
            margins=(12, 0, 8, 0),
            parent=parent,
            **properties,
        )
        self._title.setVisible(bool(title))  # only now: without a parent it would flash up as a window
        self._left_count = 1

    def set_title(self, title: str) -> None:
        """Change the title."""
        self._title.say(title)

    def add_left(self, widget: QWidget) -> None:
        """Put a widget after the title and what was added there before."""
        self.row.insertWidget(self._left_count, widget)
        self._left_count += 1

    def add_right(self, *widgets: QWidget) -> None:
        """Put widgets at the right end."""
        lay(self.row, *widgets)


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
        build(super().__init__, parent, **properties, hint=tone.value)
        self._words = build(
            QLabel,
            _strong_then_plain(title, text),
            textFormat=Qt.TextFormat.RichText,
            wordWrap=True,
            accessibleName=f"{title} {text}".strip(),
            hint=tone.value,
        )
        buttons = [self._button(action, tone) for action in actions]
        offered = [hbox(*buttons, STRETCH, gap=12)] if buttons else []
        vbox(self._words, *offered, within=self, gap=2, margins=(8, 5))

    @property
    def words(self) -> str:
        """What it says, as plain text."""
        return self._words.accessibleName()

    def _button(self, action: HintAction, tone: Tone) -> Button:
        return Button(
            action.text,
            ButtonKind.LINK,
            objectName=f"action-{action.name}",
            clicked=partial(self.acted.emit, action.name),
            tone=tone.value,
        )


def _strong_then_plain(title: str, text: str) -> str:
    # The bundled font has this weight; Qt smears a bolder one out of it.
    strong = f'<span style="font-weight:600">{escape(breakable(title))}</span>'
    return f"{strong}&nbsp; {escape(breakable(text))}" if text else strong


class Stat(QWidget):
    """A figure with its name above it, and an optional chip beside it."""

    def __init__(self, name: str, parent: QWidget | None = None, **properties: Any) -> None:
        build(
            super().__init__,
            parent,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed),
            **properties,
        )
        self._name = TextLabel(name, "small-muted")
        self._value = TextLabel("", "figure")
        self._chip = Chip(visible=False)
        vbox(self._name, hbox(self._value, self._chip, STRETCH, gap=6), STRETCH, within=self)

    def set_name(self, name: str) -> None:
        """Change what is counted."""
        self._name.setText(name)

    def set_value(self, text: str, *, look: str = "figure", tip: str = "") -> None:
        """Show a value; `look` may be `figure` or the smaller `figure-word`."""
        self._value.set_look(look)
        self._value.setText(text)
        self._value.setToolTip(tip)
        self.setAccessibleName(tr("{name}: {words}", name=self._name.text(), words=text))

    def set_chip(self, text: str, tone: Tone = Tone.NEUTRAL) -> None:
        """Put a chip beside the value; an empty text takes it away."""
        self._chip.setVisible(bool(text))
        self._chip.set_chip(text, tone)


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
        build(super().__init__, parent, **properties)
        self._icon_name = icon_name
        self._picture = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._title, self._text = (
            TextLabel(words, look, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
            for words, look in ((title, "title"), (text, "muted"))
        )
        self._button = button
        buttons = [hbox(STRETCH, button, STRETCH, margins=(0, 4, 0, 0))] if button is not None else []
        vbox(2, self._picture, self._title, self._text, *buttons, 3, within=self, gap=8, margins=9)
        follow_theme(self._draw)

    def set_words(self, title: str, text: str) -> None:
        """Say something else."""
        self._title.setText(title)
        self._text.setText(text)
        self._draw()

    def say(self, words: str) -> None:
        """Say something short: that it is being read, or could not be."""
        self.set_words(words, "")

    def _draw(self) -> None:
        side, words = theme().px(32), self._title.text()
        name, tone = STATE_ICONS.get(words, (self._icon_name, None))
        self._picture.setPixmap(icon(name, tone=tone).pixmap(QSize(side, side), self.devicePixelRatioF()))
        if self._button is not None:
            self._button.setVisible(words not in STATE_ICONS)  # nobody knows yet that nothing is there


class StatePlace(QWidget):
    """Where a page's own bar shows what the footer says: there is one bar at the bottom, not two."""

    shown = Signal(bool)
    """Whether it is seen from now on."""

    def __init__(self) -> None:
        build(super().__init__, objectName="state-place")
        vbox(within=self)
        follow_events(self, partial(self.shown.emit, True), QEvent.Type.Show)
        follow_events(self, partial(self.shown.emit, False), QEvent.Type.Hide)


class PageHead(QFrame):
    """A title, then its members; what has no room goes to a second line.

    Args:
        title: Of the page.
        left: What stands behind the title.
        right: What stands at the right end.
    """

    def __init__(
        self, title: str, left: Sequence[QWidget] = (), right: Sequence[QWidget] = (), **properties: Any
    ) -> None:
        build(super().__init__, look="topbar", **properties)
        line = QWidget()
        FlowLayout(
            TextLabel(title, "strong"),
            *left,
            *right,
            within=line,
            gap=12,
            line_gap=6,
            left_count=1 + len(left),
        )
        vbox(line, within=self, margins=(16, 6)).setAlignment(line, Qt.AlignmentFlag.AlignVCenter)
        scaled(self, setMinimumHeight=46)


class TabBar(QTabBar):
    """A line of tabs that never scrolls, with room in each for the stronger letters of the chosen one.

    Without that room the line would grow with the choice of a long title.

    Args:
        name: Object name.
        titles: What the tabs are called, from left to right; the first is chosen without telling it.
        look: Its look in the stylesheet; empty for the usual one.
    """

    def __init__(
        self,
        name: str,
        titles: Sequence[str] = (),
        *,
        look: str = "",
        parent: QWidget | None = None,
        **properties: Any,
    ) -> None:
        build(
            super().__init__,
            parent,
            objectName=name,
            drawBase=False,
            expanding=False,
            usesScrollButtons=False,
            elideMode=Qt.TextElideMode.ElideNone,
            look=look,
            **properties,
        )
        with QSignalBlocker(self):
            for title in titles:
                self.addTab(title)

    def step(self, by: int = 1) -> None:
        """Choose the next tab, or one before; the first one follows the last."""
        self.setCurrentIndex((self.currentIndex() + by) % self.count())

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


def focus_shown(stack: QStackedWidget) -> None:
    """Give the keys to the page of a stack that is shown."""
    shown = stack.currentWidget()
    if shown is not None:
        shown.setFocus()


class TabPages(QTabWidget):
    """Pages behind a line of tabs, which stand closer together where they do not fit."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName=name, documentMode=True, currentChanged=self._fit)
        bar = self.tabBar()
        bar.setDrawBase(False)
        bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        bar.setUsesScrollButtons(False)

    def setTabText(self, index: int, text: str) -> None:
        super().setTabText(index, text)
        self._fit()

    def setTabVisible(self, index: int, visible: bool) -> None:
        super().setTabVisible(index, visible)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        bar = self.tabBar()
        shown = [number for number in range(bar.count()) if bar.isTabVisible(number)]
        is_narrow = bar.property("look") == "narrow"
        saved = len(shown) * theme().px(_SAVED_BY_NARROW) if is_narrow else 0
        is_full = sum(bar.tabRect(number).width() for number in shown) + saved > self.width()
        if is_full != is_narrow:
            restyle(bar, "look", "narrow" if is_full else "")


_SAVED_BY_NARROW = 9
"""Pixels at 100 % by which the stylesheet makes a tab narrower."""
