"""Python's cyclic garbage collection, kept to the window's thread."""

import gc

from PySide6.QtCore import QObject, QTimer

CHECK_MILLISECONDS = 1000
_YOUNG, _MIDDLE, _OLD = 5_000, 10, 10


class Collector(QObject):
    """Collects here what would otherwise be collected on whatever thread happens to allocate.

    A dialog in a reference cycle that is collected on the database thread is destroyed there, and Qt
    ends the program. So the automatic collection is off while this lives, and a timer does its work.
    What exists at the start is kept out of it (`gc.freeze`): it stays until the end anyway.

    Args:
        check_milliseconds: How often to look whether there is enough to collect.
    """

    def __init__(
        self, parent: QObject | None = None, *, check_milliseconds: int = CHECK_MILLISECONDS
    ) -> None:
        super().__init__(parent)
        gc.disable()
        gc.freeze()
        self._timer = QTimer(self)
        self._timer.setInterval(check_milliseconds)
        self._timer.timeout.connect(self._check)
        self._timer.start()

    def stop(self) -> None:
        """Let Python collect by itself again."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def _check(self) -> None:
        young, middle, old = gc.get_count()
        if old > _OLD:
            gc.collect(2)
        elif middle > _MIDDLE:
            gc.collect(1)
        elif young > _YOUNG:
            gc.collect(0)
