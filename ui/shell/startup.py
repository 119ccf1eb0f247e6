"""From the first paint to the window's inside: what is loaded when, and on which thread."""

import gc
import threading
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from ui.shell.frame import Frame
from ui.theme.layouts import build

if TYPE_CHECKING:
    from ui.shell.main_window import MainWindow


_START_MILLISECONDS = 5000  # until the first page is read and the rooms of the others are loaded
HEAVY = ("annotator.settings", "annotator.project.changes", "annotator.jobs")
"""What the inside rests on and takes long to import; nothing with Qt (see `pages.load_rooms`)."""


class Startup(QObject):
    """Makes the inside once the frame is painted and what it rests on is loaded.

    Args:
        frame: The window.
        make: Makes its inside and puts it there, on the window's thread.
    """

    _loaded = Signal()

    def __init__(self, frame: Frame, make: Callable[[], "MainWindow"]) -> None:
        super().__init__()
        self._make = make
        self._window: MainWindow | None = None
        self._collector: Collector | None = None
        self._thread = threading.Thread(target=self._load, name="loading")
        queued = Qt.ConnectionType.QueuedConnection
        frame.painted.connect(self._begin, queued)
        self._loaded.connect(self._furnish, queued)

    def close(self) -> None:
        """Finish what the inside was doing; the window is closed already."""
        if self._thread.ident is not None:
            self._thread.join()
        if self._window is not None:
            self._window.operations.close()
        if self._collector is not None:
            self._collector.stop()

    def _begin(self) -> None:
        self._thread.start()

    def _load(self) -> None:
        try:
            for name in HEAVY:
                import_module(name)
        finally:
            self._loaded.emit()  # what cannot be loaded is told where the inside is made

    def _furnish(self) -> None:
        self._window = self._make()
        self._collector = Collector(self, start_milliseconds=_START_MILLISECONDS)


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
        self._timer = build(QTimer, self, interval=check_milliseconds, timeout=self._check)
        self._start = build(QTimer, self, singleShot=True, timeout=self._begin)
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
