"""The keys of the canvas, and the numbers of steps typed on it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent

_PATIENCE_MILLISECONDS = 900

KeyTable = Mapping[Qt.Key, Callable[[], None]]


@dataclass(frozen=True)
class NumberEntry:
    """Digits typed so far, for a number below a limit."""

    limit: int
    digits: str = ""

    def typed(self, digit: str) -> "NumberEntry":
        """Add a digit; one that leads nowhere starts over."""
        longer = NumberEntry(self.limit, self.digits + digit)
        return longer if longer.value is not None else NumberEntry(self.limit, digit)

    @property
    def value(self) -> int | None:
        """The number as it stands; null where there is no such step."""
        number = int(self.digits) if self.digits else None
        return number if number is not None and number < self.limit else None

    @property
    def is_settled(self) -> bool:
        """Whether no further digit could name another step."""
        value = self.value
        return value is not None and (value == 0 or value * 10 >= self.limit)


class CanvasKeys(QObject):
    """Calls what a key stands for, and reads the numbers of steps.

    Args:
        parent: The canvas.
        plain: What keys by themselves do.
        shift: What keys with Shift do; others do what they do by themselves.
        control: What keys with Ctrl do.

    `limit` is the number of steps. `number_changed` says that a digit was typed, `number_typed` gives the
    number once it is complete: by Enter, after a moment, or where no further digit could follow.
    """

    number_changed = Signal()
    number_typed = Signal(int)

    def __init__(self, parent: QObject, *, plain: KeyTable, shift: KeyTable, control: KeyTable) -> None:
        super().__init__(parent)
        self._plain, self._shift, self._control = plain, shift, control
        self.limit = 0
        self._entry: NumberEntry | None = None
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MILLISECONDS)
        self._patience.timeout.connect(self.complete)

    @property
    def entry(self) -> NumberEntry | None:
        """The number that was begun, or is waited for."""
        return self._entry

    def knows(self, event: QKeyEvent) -> bool:
        """Whether the canvas does something with a key itself."""
        return self._meaning(event) is not None

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key means.

        Returns:
            Whether it means anything here.
        """
        do = self._meaning(event)
        if do is not None:
            do()
        return do is not None

    def await_number(self) -> None:
        """Wait for the number of a step."""
        self._entry = NumberEntry(self.limit)

    def forget(self) -> None:
        """Forget the number begun."""
        self._entry = None
        self._patience.stop()

    def complete(self) -> None:
        """Take the number as it stands."""
        entry = self._entry
        self.forget()
        if entry is not None and entry.value is not None:
            self.number_typed.emit(entry.value)

    def _meaning(self, event: QKeyEvent) -> Callable[[], None] | None:
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            return self._control.get(key)
        if modifiers & Qt.KeyboardModifier.AltModifier:
            return None
        if modifiers & Qt.KeyboardModifier.ShiftModifier and key in self._shift:
            return self._shift[key]
        return partial(self._type, event.text()) if event.text().isdecimal() else self._plain.get(key)

    def _type(self, digit: str) -> None:
        self._entry = (self._entry or NumberEntry(self.limit)).typed(digit)
        self.number_changed.emit()
        if self._entry.is_settled:
            self.complete()
        else:
            self._patience.start()
