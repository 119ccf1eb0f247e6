"""Buttons: with a key badge, as a pill, as a pill that opens its choices, as an icon alone."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QFontMetrics,
    QIcon,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QDialog,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from scoring.texts import tr
from ui.theme.events import ENTER_KEYS
from ui.theme.layouts import build
from ui.theme.look import follow_theme, icon, paint_box, paint_icon, paint_words, theme
from ui.theme.menus import open_below, shorten
from ui.theme.tokens import TINY, Tone, mix


class ButtonKind(StrEnum):
    """How much a button asks for attention; at most one primary is on a page."""

    PRIMARY = "primary"
    SECONDARY = "secondary"
    GHOST = "ghost"
    DANGER = "danger"
    LINK = "link"


def badge_width(keys: str) -> int:
    """How wide a key badge is, in pixels on screen."""
    return QFontMetrics(theme().sans(TINY)).horizontalAdvance(keys) + theme().px(10)


def badge_box(keys: str, left: int, room: QRect) -> QRect:
    """Where a key badge stands that begins at `left`, in the middle of a room's height."""
    height = theme().px(18)
    return QRect(left, room.top() + (room.height() - height) // 2, badge_width(keys), height)


def paint_badge(
    painter: QPainter, keys: str, box: QRect, *, colour: QColor, outline: str = "", fill: str = ""
) -> None:
    """Paint a key badge; without colours of its own its ground is that of raised things."""
    look = theme()
    paint_box(
        painter,
        box,
        look.px(4),
        pen=QPen(QColor(outline or look.tokens.line_strong), 1),
        brush=QColor(fill or look.tokens.raised),
    )
    paint_words(painter, box, Qt.AlignmentFlag.AlignCenter, keys, font=look.sans(TINY), pen=colour)


class Button(QPushButton):
    """A button that shows its shortcut as a key badge.

    Where its size policy lets it shrink, it does so by leaving the badge out.

    Args:
        text: What it does, a verb first.
        kind: Primary, secondary, ghost, danger or link.
        keys: Shortcut as people read it, e.g. `Ctrl ↵`; only shown, the caller binds it.
        icon_name: Phosphor icon before the text.
    """

    def __init__(
        self,
        text: str,
        kind: ButtonKind = ButtonKind.SECONDARY,
        *,
        keys: str = "",
        icon_name: str = "",
        parent: QWidget | None = None,
        **properties: Any,
    ) -> None:
        build(
            super().__init__,
            text,
            parent,
            autoDefault=False,
            cursor=Qt.CursorShape.PointingHandCursor,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed),
            **{"accessibleName": f"{text} ({keys})" if keys else text, **properties},
            kind=kind.value,
        )
        self._keys = keys
        self._icon_name = icon_name
        self._tip = ""

    def set_blocked(self, reason: str) -> None:
        """Disable it and say why in the tooltip; an empty reason enables it again."""
        if self.isEnabled():
            self._tip = self.toolTip()
        self.setEnabled(not reason)
        self.setToolTip(reason or self._tip)
        self.setAccessibleDescription(reason)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.set_keys(self._keys)

    def set_keys(self, keys: str) -> None:
        """Show another shortcut; an empty one takes the badge away."""
        self._keys = keys
        text = self.shown_text
        self.setAccessibleName(f"{text} ({keys})" if keys else text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width() + self._badge_room() + self._icon_room(), hint.height())

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        return QSize(hint.width() - self._badge_room(), hint.height())

    @property
    def shows_keys(self) -> bool:
        """Whether the key badge is shown: there is one, and room for it."""
        return bool(self._keys) and self.width() >= self.sizeHint().width()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # In a dialog Enter is the default button's, wherever the focus is.
        if event.key() in ENTER_KEYS and not isinstance(self.window(), QDialog):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawControl(QStyle.ControlElement.CE_PushButtonBevel, option)
        self._paint_content(painter)
        if self.hasFocus():
            self._paint_focus(painter)

    @property
    def shown_text(self) -> str:
        """The text as painted: of ampersands, which Qt reads as marks, two stand for one."""
        return self.text().replace("&&", "\0").replace("&", "").replace("\0", "&")

    def _badge_room(self) -> int:
        return badge_width(self._keys) + theme().px(8) if self._keys else 0

    def _icon_room(self) -> int:
        return theme().px(16 + 6) if self._icon_name else 0

    def _paint_content(self, painter: QPainter) -> None:
        look = theme()
        colour = self._text_colour()
        text = self.shown_text
        width = self.fontMetrics().horizontalAdvance(text)
        badge_room = self._badge_room() if self.shows_keys else 0
        left = (self.width() - width - self._icon_room() - badge_room) // 2
        if self._icon_name:
            side = look.px(16)
            box = QRect(left, (self.height() - side) // 2, side, side)
            mode = QIcon.Mode.Normal if self.isEnabled() else QIcon.Mode.Disabled
            icon(self._icon_name).paint(painter, box, mode=mode)
        area = QRect(left + self._icon_room(), 0, width + 2, self.height())
        at_left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        paint_words(painter, area, at_left, text, pen=colour, font=self.font())
        if self.property("kind") == ButtonKind.LINK.value:
            base = area.center().y() + self.fontMetrics().ascent() // 2 + look.px(2)
            painter.drawLine(area.left(), base, area.left() + width, base)
        if self.shows_keys:
            self._paint_badge(painter, area.right() + look.px(8) - 1, colour)

    def _paint_badge(self, painter: QPainter, left: int, colour: QColor) -> None:
        tokens, enabled = theme().tokens, self.isEnabled()
        box = badge_box(self._keys, left, self.rect())
        if self.property("kind") == ButtonKind.PRIMARY.value and enabled:
            outline, fill = (mix(tokens.on_accent, tokens.accent, share) for share in (0.45, 0.12))
            paint_badge(painter, self._keys, box, outline=outline, fill=fill, colour=colour)
        else:
            paint_badge(painter, self._keys, box, colour=QColor(tokens.muted if enabled else tokens.faint))

    def _paint_focus(self, painter: QPainter) -> None:
        look = theme()
        is_primary = self.property("kind") == ButtonKind.PRIMARY.value
        colour, width, inset = ("on_accent", 1, look.px(3)) if is_primary else ("accent", 2, look.px(1))
        paint_box(
            painter,
            self.rect().adjusted(inset, inset, -inset, -inset),
            look.px(5),
            pen=QPen(look.colour(colour), look.px(width)),
            brush=Qt.BrushStyle.NoBrush,
        )

    def _text_colour(self) -> QColor:
        tokens = theme().tokens
        if not self.isEnabled():
            return QColor(tokens.faint)
        tone = self.property("tone")
        if tone:
            return QColor(tokens.tone(Tone(tone)).text)
        return QColor(
            {
                ButtonKind.PRIMARY.value: tokens.on_accent,
                ButtonKind.GHOST.value: tokens.accent if self.isChecked() else tokens.muted,
                ButtonKind.DANGER.value: tokens.error,
                ButtonKind.LINK.value: tokens.accent,
            }.get(str(self.property("kind")), tokens.text)
        )


class ChipButton(QPushButton):
    """A pill that can be chosen, e.g. one task of a dialogue."""

    def __init__(
        self, text: str, tone: Tone = Tone.ACCENT, parent: QWidget | None = None, **properties: Any
    ) -> None:
        build(
            super().__init__,
            text,
            parent,
            checkable=True,
            autoDefault=False,
            cursor=Qt.CursorShape.PointingHandCursor,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed),
            **properties,
            chip=tone.value,
        )


class ToolButton(QToolButton):
    """A flat button with an icon alone; its name is the tooltip and what screen readers say.

    Args:
        icon_name: Phosphor icon.
        name: What it does.
        keys: Shortcut as people read it; only shown.
    """

    def __init__(
        self, icon_name: str, name: str, keys: str = "", parent: QWidget | None = None, **properties: Any
    ) -> None:
        build(
            super().__init__,
            parent,
            icon=icon(icon_name),
            toolTip=f"{name} ({keys})" if keys else name,
            accessibleName=name,
            autoRaise=True,
            cursor=Qt.CursorShape.PointingHandCursor,
            **properties,
        )
        follow_theme(self._fit)

    def _fit(self) -> None:
        side = theme().px(16)
        self.setIconSize(QSize(side, side))


_SIGN = 12

Choice = tuple[str, str]
"""A value, and what it is called on screen."""


class ChoiceChip(QPushButton):
    """Says what is chosen and opens the choices; accented while it is not the first one.

    Args:
        name: Object name.
        about: What is chosen, for the tooltip and screen readers, e.g. `Batch`.
        choices: What there is to choose from; the first one is chosen at first.
        longest: How wide its words may be, in pixels at 100 %; longer ones are cut.
    """

    chosen = Signal(str)
    """The value that was chosen by hand."""

    def __init__(
        self,
        name: str,
        about: str,
        choices: Sequence[Choice] = (),
        parent: QWidget | None = None,
        *,
        longest: int = 220,
        **properties: Any,
    ) -> None:
        self._longest = longest  # before the rest, which asks how wide it is
        build(
            super().__init__,
            parent,
            objectName=name,
            checkable=True,
            autoDefault=False,
            cursor=Qt.CursorShape.PointingHandCursor,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed),
            **properties,
            chip="accent",
        )
        # Not partials of `take`: Python would keep the pill alive through its own menu, and destroying
        # both at once, menu open, ended the program.
        self._menu = build(
            QMenu,
            self,
            objectName=f"menu-{name}",
            aboutToShow=self.menu_of_choices,
            triggered=lambda action: self.take(str(action.data())),
        )
        self.setMenu(self._menu)  # so that a screen reader is told that it opens one
        self.about = about
        """What is chosen."""
        self.choices: tuple[Choice, ...] = ()
        """What there is to choose from."""
        self.value = ""
        """What is chosen; empty where there is nothing to choose from."""
        self.set_choices(choices)

    def set_choices(self, choices: Sequence[Choice]) -> None:
        """Offer other choices; the chosen one stays where it is still among them."""
        self.choices = tuple(choices)
        if self.value not in dict(choices):
            self.value = next((value for value, _ in choices), "")
        self.refresh()

    def choose(self, value: str) -> None:
        """Choose a value without saying so.

        Raises:
            ValueError: It is not among the choices.
        """
        if value not in [one for one, _ in self.choices]:
            raise ValueError(f"{value!r} is not among the choices")
        self.value = value
        self.refresh()

    def marked_values(self) -> tuple[str, ...]:
        """The values that are marked in the menu."""
        return (self.value,)

    def take(self, value: str) -> None:
        """A value was chosen by hand."""
        if value != self.value:
            self.choose(value)
            self.chosen.emit(value)
        else:
            self.refresh()

    def refresh(self) -> None:
        """Say what is chosen; a tooltip of somebody else stays."""
        words = dict(self.choices).get(self.value, self.about)
        is_on = bool(self.choices) and self.value != self.choices[0][0]
        told = words if words.startswith(self.about) else tr("{name}: {words}", name=self.about, words=words)
        tip = self.toolTip()
        self.show_words(words, tip=told if tip == self.accessibleName() else tip, is_on=is_on)
        self.setAccessibleName(told)

    def show_words(self, words: str, *, tip: str, is_on: bool) -> None:
        """Say some words, accented or not."""
        self.setText(words.replace("&", "&&"))
        self.setChecked(is_on)
        self.setToolTip(tip)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        words = self.fontMetrics().horizontalAdvance(self._shown)
        return QSize(words + theme().px(10 + 4 + _SIGN + 8), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Down):
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

    def menu_of_choices(self) -> QMenu:
        """The menu with what can be chosen now."""
        menu, marked = self._menu, self.marked_values()
        menu.clear()
        for value, words in self.choices:
            action = build(QAction, words.replace("&", "&&"), menu, checkable=True, checked=value in marked)
            action.setData(value)
            menu.addAction(action)
        if menu.isEmpty():
            menu.addAction(tr("Nothing to choose from yet")).setEnabled(False)
        shorten(menu)
        return menu

    def open_menu(self) -> None:
        """Open the choices below the pill."""
        open_below(self._menu, self)

    @property
    def icon_name(self) -> str:
        """The sign at the right end."""
        return "caret-down"

    @property
    def sign_box(self) -> QRect:
        """Where the sign at the right end stands."""
        side = theme().px(_SIGN)
        return QRect(self.width() - side - theme().px(8), (self.height() - side) // 2, side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_PanelButtonCommand, option)
        colour = theme().colour("accent" if self.isChecked() else "muted")
        room = self.rect().adjusted(theme().px(10), 0, 0, 0)
        at_left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        paint_words(painter, room, at_left, self._shown, pen=colour)
        paint_icon(painter, self.icon_name, QRectF(self.sign_box), colour)

    @property
    def _shown(self) -> str:
        words, longest = self.text().replace("&&", "&"), theme().px(self._longest)
        return self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, longest)
