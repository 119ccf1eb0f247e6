"""Python's cyclic garbage collection, kept to the window's thread."""

import gc

from PySide6.QtCore import QObject, QTimer

CHECK_MILLISECONDS = 1000
_YOUNG, _MIDDLE, _OLD = 5_000, 10, 10


class Collector(QObject):
    """Collects here what would otherwise be collected on whatever thread happens to allocate.

    A dialog in a reference cycle that is collected on the database thread is destroyed there, and Qt
    ends the program. So the automatic collection is off while this lives, and a timer does its work.
    What the start brings is kept out of it (`gc.freeze`): it stays until the end anyway, and to look
    through all of it takes as long as a tenth of the start.

    Args:
        check_milliseconds: How often to look whether there is enough to collect.
        start_milliseconds: How long the start goes on; nothing is collected meanwhile.
    """

    def __init__(
        self,
        parent: QObject | None = None,
        *,
        check_milliseconds: int = CHECK_MILLISECONDS,
        start_milliseconds: int = 0,
    ) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(check_milliseconds)
        self._timer.timeout.connect(self._check)
        self._start = QTimer(self)
        self._start.setSingleShot(True)
        self._start.timeout.connect(self._begin)
        if start_milliseconds:
            self._start.start(start_milliseconds)
        else:
            self._begin()

    def stop(self) -> None:
        """Let Python collect by itself again."""
        self._start.stop()
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def _begin(self) -> None:
        gc.freeze()
        self._timer.start()

    def _check(self) -> None:
        young, middle, old = gc.get_count()
        if old > _OLD:
            gc.collect(2)
        elif middle > _MIDDLE:
            gc.collect(1)
        elif young > _YOUNG:
            gc.collect(0)
