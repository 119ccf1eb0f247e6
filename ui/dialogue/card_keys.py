"""What the keys do to the cards of a dialogue."""

from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QKeyCombination, Qt

from ui.dialogue.cards import CardView
from ui.dialogue.column import Key
from ui.dialogue.content import USER_STEP, ActionRequest, CardKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ALT, _SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier


class Cards(Protocol):
    """The cards the keys walk on and act on; described where the view makes them."""

    current: Key | None
    open_task: int
    is_read_only: bool

    @property
    def keys(self) -> list[Key]:
        """Task and step of every card, from top to bottom."""

    def go_to(self, key: Key) -> CardView | None:
        """Select a card and give it the keys."""

    def select(self, task: int, step: int) -> CardView | None:
        """Select a card, opening its task."""

    def current_card(self) -> CardView | None:
        """The selected card."""

    def leave_citing(self) -> bool:
        """Look for no source any longer; whether one was looked for."""

    def ask_for(self, request: ActionRequest) -> None:
        """Tell what was asked for at a card."""


class CardKeys:
    """Walks and acts on the cards of a view.

    Args:
        view: Whose cards.
    """

    def __init__(self, view: Cards) -> None:
        self._view = view
        key = Qt.Key
        self._plain: Mapping[Qt.Key, Callable[[], object]] = {
            key.Key_Up: partial(self._go, -1),
            key.Key_Down: partial(self._go, 1),
            key.Key_Home: partial(self._go_to_end, 0),
            key.Key_End: partial(self._go_to_end, -1),
            key.Key_PageUp: partial(self._go_task, -1),
            key.Key_PageDown: partial(self._go_task, 1),
            key.Key_Return: self._enter,
            key.Key_Enter: self._enter,
            key.Key_F2: self._enter,
            key.Key_O: self._toggle_fold,
            key.Key_E: partial(self._ask_about_call, "cite"),
            key.Key_T: partial(self._ask_about_call, "tool"),
            key.Key_Right: self.enter_text,
        }
        self._combined: Mapping[QKeyCombination, Callable[[], object]] = {
            QKeyCombination(_ALT, key.Key_Return): self._enter_second,
            QKeyCombination(_ALT, key.Key_Enter): self._enter_second,
            QKeyCombination(_SHIFT, key.Key_Right): self.enter_text,
            QKeyCombination(_SHIFT, key.Key_Down): self.enter_text,
        }

    def press(self, pressed: QKeyCombination) -> bool:
        """Do what a key means; whether it means anything."""
        modifiers = pressed.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers == Qt.KeyboardModifier.NoModifier:
            if pressed.key() is Qt.Key.Key_Escape:
                return self._view.leave_citing()
            action = self._plain.get(pressed.key())
        else:
            action = self._combined.get(QKeyCombination(modifiers, pressed.key()))
        if action is not None:
            action()
        return action is not None

    def enter_text(self) -> None:
        """Put a caret into the text of the selected card."""
        card = self._view.current_card()
        if card is not None:
            card.enter_text()

    def go_on(self, by: int) -> None:
        """Take the caret on into the card before or behind, where there is one."""
        keys = self._view.keys
        at = keys.index(self._view.current) + by if self._view.current in keys else -1
        if 0 <= at < len(keys):
            card = self._view.go_to(keys[at])
            if card is not None:
                card.enter_text(at_end=by < 0)

    def _go(self, by: int) -> None:
        keys = self._view.keys
        if keys:
            at = keys.index(self._view.current) + by if self._view.current in keys else 0
            self._view.go_to(keys[min(max(at, 0), len(keys) - 1)])

    def _go_to_end(self, at: int) -> None:
        keys = self._view.keys
        if keys:
            self._view.go_to(keys[at])

    def _go_task(self, by: int) -> None:
        self._view.select(self._view.open_task + by, USER_STEP)

    def _enter(self) -> None:
        card = self._view.current_card()
        if card is None:
            return
        if card.content.kind is CardKind.FOLDED:
            self._view.select(card.content.task, USER_STEP)
        else:
            card.begin_edit()

    def _enter_second(self) -> None:
        card = self._view.current_card()
        if card is not None:
            card.begin_edit("observation" if card.content.kind is CardKind.CALL else "reply")

    def _toggle_fold(self) -> None:
        card = self._view.current_card()
        if card is not None:
            card.toggle_fold()

    def _ask_about_call(self, name: str) -> None:
        card = self._view.current_card()
        if card is not None and card.content.kind is CardKind.CALL and not self._view.is_read_only:
            task, step = card.content.key
            self._view.ask_for(ActionRequest(name=name, task=task, step=step))
