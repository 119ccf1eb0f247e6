"""What keys, the focus and other events do in a widget; the order of Tab."""

from collections.abc import Callable, Iterator, Mapping
from functools import cmp_to_key, partial
from itertools import pairwise

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QScrollArea, QScrollBar, QWidget

from ui.theme.look import application

ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
DELETE_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
LIST_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
"""How many lines a key goes on in a list that is chosen from while one types elsewhere."""
Slot = Callable[[], object]


def follow_focus(slot: Callable[[QWidget | None, QWidget | None], object]) -> None:
    """Call a method of a widget with what had the focus and what has it now, whenever it moves."""
    application().focusChanged.connect(slot)


def tab_as_read(root: QWidget) -> None:
    """Have Tab go through a widget as it is read, line by line, a column before the next one.

    By itself Qt goes through widgets in the order they were made, some long after their neighbours.
    """
    for before, after in pairwise(_as_read(root)):
        QWidget.setTabOrder(before, after)


def _as_read(widget: QWidget) -> Iterator[QWidget]:
    # What passes the focus on to a part of it is no place to go back to from there.
    focused = application().focusWidget()
    is_around = focused not in (None, widget) and widget.isAncestorOf(focused or widget)
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not is_around:
        yield widget
    parts = [part for part in widget.children() if isinstance(part, QWidget) and part.isVisible()]
    for part in sorted(parts, key=cmp_to_key(_reading_order)):
        yield from _as_read(part)


def _reading_order(one: QWidget, other: QWidget) -> int:
    first, second = one.geometry(), other.geometry()
    is_beside = first.top() <= second.bottom() and second.top() <= first.bottom()
    return first.left() - second.left() if is_beside else first.top() - second.top()


class _Watch(QObject):
    """Asks, for each event of a widget, whether it ends here."""

    def __init__(self, widget: QWidget, ends: Callable[[QEvent], bool]) -> None:
        super().__init__(widget)
        self._ends = ends
        widget.installEventFilter(self)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        return self._ends(event)


def follow_events(widget: QWidget, slot: Callable[[], object], *kinds: QEvent.Type) -> None:
    """Call a slot whenever a widget gets an event of these kinds, before the widget itself has it."""

    def tell(event: QEvent) -> bool:
        if event.type() in kinds:
            slot()
        return False

    _Watch(widget, tell)


def pressed_keys(event: QKeyEvent) -> QKeyCombination:
    """A key with its modifiers; whether it is on the number pad does not count."""
    pressed = event.keyCombination()
    return QKeyCombination(pressed.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier, pressed.key())


def on_keys(widget: QWidget, slots: Mapping[Qt.Key, Slot] | Mapping[QKeyCombination, Slot]) -> None:
    """Say what keys do in a widget that gets them, whatever the modifiers, or with exactly some modifiers.

    The widget sees the others only.
    """

    def press(event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress:
            return False
        pressed = (event.key(), pressed_keys(event))
        slot = next((act for key, act in slots.items() if key in pressed), None)
        if slot is not None:
            slot()
        return slot is not None

    _Watch(widget, press)


def scroll_by_pages(widget: QWidget, area: QScrollArea) -> None:
    """Let the page keys scroll an area wherever in a widget they are pressed."""
    bar, step = area.verticalScrollBar(), QScrollBar.SliderAction
    on_keys(
        widget,
        {
            Qt.Key.Key_PageDown: partial(bar.triggerAction, step.SliderPageStepAdd),
            Qt.Key.Key_PageUp: partial(bar.triggerAction, step.SliderPageStepSub),
        },
    )


def claim_keys(widget: QWidget, wants: Callable[[QKeyEvent], object]) -> None:
    """Leave the keys a widget wants to it while it has the focus, though elsewhere they are commands."""

    def claim(event: QEvent) -> bool:
        is_override = event.type() is QEvent.Type.ShortcutOverride
        is_wanted = is_override and isinstance(event, QKeyEvent) and bool(wants(event))
        if is_wanted:
            event.accept()
        return is_wanted

    _Watch(widget, claim)


class DueReading(QObject):
    """What is read again when it is seen: at once where the widget is shown, else as soon as it is."""

    def __init__(self, widget: QWidget, read: Callable[[], object]) -> None:
        super().__init__(widget)
        self._widget, self._read, self._is_due = widget, read, False
        follow_events(widget, self._catch_up, QEvent.Type.Show)

    def ask(self) -> None:
        """Have it read again."""
        self._is_due = True
        if self._widget.isVisible():
            self._catch_up()

    def _catch_up(self) -> None:
        if self._is_due:
            self._is_due = False
            self._read()
