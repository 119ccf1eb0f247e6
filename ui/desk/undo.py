"""One step of undo: a frozen value before and after a change, and the keys by which steps become one."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtGui import QUndoCommand

_COMMAND_ID = 1
_MERGE_SECONDS = 5.0

Value = TypeVar("Value")


class UndoStep(QUndoCommand, Generic[Value]):
    """Shows a value again; steps in a row with the same key become one.

    Args:
        title: What was done, as undo shows it.
        before: The value to go back to.
        after: The value the change made.
        show: Takes a value on, and whether it comes from typing.
        key: What the step is merged by; empty for a step of its own.
        typed_at: The field it was typed in; empty where it was not typed.
        again: Called by a redo, which drops the step; null where redo shows the value and that is all.
    """

    def __init__(
        self,
        title: str,
        *,
        before: Value,
        after: Value,
        show: Callable[[Value, bool], None],
        key: str = "",
        typed_at: str = "",
        again: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(title)
        self.before = before
        self.typed_at = typed_at
        self.again = again
        self._after = after
        self._show = show
        self._key = key
        self._is_undone = False

    def id(self) -> int:
        return _COMMAND_ID

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, UndoStep) or not self._key or other._key != self._key:
            return False
        self._after = other._after
        self.setObsolete(self._after == self.before)
        return True

    def undo(self) -> None:
        self._is_undone = True
        self._show(self.before, False)

    def redo(self) -> None:
        self._show(self._after, bool(self._key))
        if self.again is not None and self._is_undone:
            self.setObsolete(True)  # it is done again now, and may be given up again
            self.again()


class MergeKeys:
    """Gives edits that follow each other closely the same key, and a fresh one after a pause."""

    def __init__(self) -> None:
        self._run = 0
        self._last = 0.0

    def stop(self) -> None:
        """Let the next edit be a step of its own."""
        self._run += 1

    def key(self, wanted: str) -> str:
        """The key an edit is merged by; empty where it stands alone."""
        now = time.monotonic()
        if not wanted or now - self._last > _MERGE_SECONDS:
            self.stop()
        self._last = now
        return f"{wanted} {self._run}" if wanted else ""
