"""The keys of the canvas, and the numbers of steps typed on it."""

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent

from ui.graph.modes import Mode
from ui.graph.numbers import NumberEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scoring.model.case import Task

_PATIENCE_MILLISECONDS = 900
_ARROWS = {
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
}


class Playable(Protocol):
    """What keys can ask of a canvas."""

    @property
    def mode(self) -> Mode:
        """What a click means now."""

    @property
    def task(self) -> "Task":
        """The task that is mirrored."""

    @property
    def current_step(self) -> int | None:
        """The selected step."""

    def set_mode(self, mode: Mode) -> None:
        """Change what a click means."""

    def select_step(self, step: int | None) -> None:
        """Select a step, or none."""

    def toggle_edge(self, source: int, target: int) -> None:
        """Ask for an edge, or for its removal."""

    def say(self, text: str) -> None:
        """Show a note."""

    def go(self, across: int, down: int) -> None:
        """Select the nearest step in a direction."""

    def next_edge(self, by: int) -> None:
        """Select the next edge of the selected step."""

    def act(self, action: "Action") -> None:
        """Do something that needs no more words."""


class Action(StrEnum):
    """What a single key asks for."""

    TOGGLE_KINDS = "toggle_kinds"
    REMOVE = "remove"
    ACCEPT = "accept"
    CHOOSE_ALL = "choose_all"
    PLAY_STEP = "play_step"
    PLAY_ROUND = "play_round"
    TAKE_BACK = "take_back"
    ESCAPE = "escape"
    FIT = "fit"
    TIDY = "tidy"
    ZOOM_IN = "zoom_in"
    ZOOM_OUT = "zoom_out"


class Keyboard(QObject):
    """Turns keys into what the view offers.

    In select mode a number selects the step; after D it names the step to connect the selected one with, or,
    where none is selected, first the one to start from.
    """

    def __init__(self, view: Playable, parent: QObject) -> None:
        super().__init__(parent)
        self._view = view
        self._entry: NumberEntry | None = None
        self._returns = False
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MILLISECONDS)
        self._patience.timeout.connect(self._settle)
        self._plain: Mapping[Qt.Key, Callable[[], None] | Action] = {
            Qt.Key.Key_D: self._start_connecting,
            Qt.Key.Key_V: self._start_selecting,
            Qt.Key.Key_S: self._start_simulating,
            Qt.Key.Key_K: Action.TOGGLE_KINDS,
            Qt.Key.Key_F: Action.FIT,
            Qt.Key.Key_L: Action.TIDY,
            Qt.Key.Key_Delete: Action.REMOVE,
            Qt.Key.Key_Backspace: self._backspace,
            Qt.Key.Key_Return: self._enter,
            Qt.Key.Key_Enter: self._enter,
            Qt.Key.Key_Space: self._space,
            Qt.Key.Key_Escape: Action.ESCAPE,
            Qt.Key.Key_Home: self._first,
            Qt.Key.Key_End: self._last,
        }
        self._control: Mapping[Qt.Key, Action] = {
            Qt.Key.Key_Plus: Action.ZOOM_IN,
            Qt.Key.Key_Equal: Action.ZOOM_IN,
            Qt.Key.Key_Minus: Action.ZOOM_OUT,
            Qt.Key.Key_0: Action.FIT,
            Qt.Key.Key_A: Action.CHOOSE_ALL,
        }

    @property
    def is_typing(self) -> bool:
        """Whether a number was begun, or is waited for."""
        return self._entry is not None

    def knows(self, event: QKeyEvent) -> bool:
        """Whether the canvas does something with a key itself."""
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            return key in self._control
        if modifiers & Qt.KeyboardModifier.AltModifier:
            return False
        return key in self._plain or key in _ARROWS or event.text().isdigit()

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key means.

        Returns:
            Whether it means anything here.
        """
        if not self.knows(event):
            return False
        key = Qt.Key(event.key())
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._view.act(self._control[key])
        elif event.text().isdigit():
            self._digit(event.text())
        elif key in _ARROWS:
            across, down = _ARROWS[key]
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._view.next_edge(across + down)
            else:
                self._view.go(across, down)
        else:
            meant = self._plain[key]
            if isinstance(meant, Action):
                self._view.act(meant)
            else:
                meant()
        return True

    def forget(self) -> None:
        """Forget the number begun."""
        self._entry = None
        self._patience.stop()

    def _start_connecting(self) -> None:
        self._returns = self._view.mode is Mode.SELECT
        self._view.set_mode(Mode.CONNECT)
        if self._view.mode is Mode.CONNECT:
            self._entry = NumberEntry(len(self._view.task.steps))
            self._tell()

    def _start_selecting(self) -> None:
        self._view.set_mode(Mode.SELECT)

    def _start_simulating(self) -> None:
        self._view.set_mode(Mode.SIMULATE)

    def _digit(self, digit: str) -> None:
        entry = self._entry or NumberEntry(len(self._view.task.steps))
        self._entry = entry.typed(digit)
        if self._view.mode is not Mode.CONNECT:
            self._view.select_step(self._entry.value)
        if self._entry.is_settled:
            self._settle()
        else:
            self._tell()
            self._patience.start()

    def _settle(self) -> None:
        entry = self._entry
        self.forget()
        if entry is None or entry.value is None or self._view.mode is not Mode.CONNECT:
            return
        source = self._view.current_step
        if source is None:
            self._view.select_step(entry.value)
            self._entry = NumberEntry(entry.limit)
            self._tell()
            return
        if self._returns:
            self._view.set_mode(Mode.SELECT)
        self._view.toggle_edge(source, entry.value)

    def _tell(self) -> None:
        if self._view.mode is Mode.CONNECT and self._entry is not None:
            source = self._view.current_step
            begun = self._entry.digits or "…"
            start = f"{source} → {begun}" if source is not None else begun
            self._view.say(f"Connect {start}   Type the number of a step, Esc leaves.")

    def _enter(self) -> None:
        if self.is_typing:
            self._settle()
        elif self._view.mode is Mode.SIMULATE:
            self._view.act(Action.PLAY_ROUND)
        else:
            self._view.act(Action.ACCEPT)

    def _space(self) -> None:
        if self._view.mode is Mode.SIMULATE:
            self._view.act(Action.PLAY_STEP)

    def _backspace(self) -> None:
        if self._view.mode is Mode.SIMULATE:
            self._view.act(Action.TAKE_BACK)
        else:
            self._view.act(Action.REMOVE)

    def _first(self) -> None:
        self._view.select_step(0)

    def _last(self) -> None:
        self._view.select_step(len(self._view.task.steps) - 1)
