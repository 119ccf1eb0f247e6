"""From the first paint to the window's inside: what is loaded when, and on which thread."""

import threading
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from ui.shell.frame import Frame

if TYPE_CHECKING:
    from ui.services.operations import Collector
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
        from ui.services.operations import Collector

        self._window = self._make()
        self._collector = Collector(self, start_milliseconds=_START_MILLISECONDS)
