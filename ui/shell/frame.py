"""The window itself: it is painted before anything else is loaded, and holds everything else.

Only Qt, the tokens and the standard library are imported here; whatever takes longer comes later.
"""

import base64
import gc
import json
import threading
from binascii import Error as NotBase64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QColor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QMainWindow, QWidget

from ui.theme.layouts import build, connect
from ui.theme.look import dress
from ui.theme.tokens import DARK, HEADER_HEIGHT, LIGHT, STATUS_HEIGHT, Tokens

if TYPE_CHECKING:
    from ui.services.operations import Operations

SIZE = (1440, 900)
"""Width and height of a window that was never closed before, at 100 %."""


@dataclass(frozen=True)
class FirstLook:
    """What the first paint needs of the settings: colours, scale, and where the window stood."""

    tokens: Tokens = LIGHT
    scale: float = 1.0
    place: bytes = b""


def first_look(path: Path, *, is_dark_desktop: bool) -> FirstLook:
    """Read the first look from the settings file without its schema, which loads longer than this paints.

    What does not fit is taken from the defaults: the settings are read with care right afterwards.

    Args:
        path: The settings file; it need not exist.
        is_dark_desktop: Decides where the person chose no colours.
    """
    found = _read(path)
    chosen, scale, window = found.get("theme"), found.get("scale"), found.get("window")
    is_dark = is_dark_desktop if chosen not in ("light", "dark") else chosen == "dark"
    fits = isinstance(scale, int | float) and 1 <= scale <= 2
    return FirstLook(
        tokens=DARK if is_dark else LIGHT,
        scale=float(scale) if fits and isinstance(scale, int | float) else 1.0,
        place=_place(window) if isinstance(window, str) else b"",
    )


def _read(path: Path) -> Mapping[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _place(window: str) -> bytes:
    try:
        return base64.b64decode(window, validate=True)
    except (NotBase64, ValueError):
        return b""


def restore_place(window: QWidget, place: bytes, *, scale: float) -> None:
    """Put a window where it stood; where that is not known, or no longer on any screen, in its first size."""
    if place and window.restoreGeometry(QByteArray(place)):
        return
    room = window.screen().availableSize()
    window.resize(min(round(SIZE[0] * scale), room.width()), min(round(SIZE[1] * scale), room.height()))


def is_dark_desktop() -> bool:
    """Whether the desktop's colours are dark."""
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


class Frame(QMainWindow):
    """Paints the bars of the window in its colours until `hold` puts the window's inside there.

    Args:
        look: Colours, scale and place.
    """

    painted = Signal()
    """The first paint is done; goes out once."""

    def __init__(self, look: FirstLook) -> None:
        build(super().__init__, objectName="frame", windowTitle="Annotator")
        dress(self)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._look = look
        self._inside: QWidget | None = None
        self._is_painted = False
        restore_place(self, look.place, scale=look.scale)

    def hold(self, inside: QWidget) -> None:
        """Show the inside from now on; its title is the window's, and it decides whether to close."""
        self._inside = inside
        inside.windowTitleChanged.connect(self.setWindowTitle)
        self.setCentralWidget(inside)
        inside.show()
        inside.setFocus()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, scale = self._look.tokens, self._look.scale
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.bg))
        if self._inside is None:
            top, bottom = round(HEADER_HEIGHT * scale), round(STATUS_HEIGHT * scale)
            painter.fillRect(QRect(0, 0, self.width(), top), QColor(tokens.surface))
            painter.fillRect(QRect(0, self.height() - bottom, self.width(), bottom), QColor(tokens.raised))
            for y in (top - 1, self.height() - bottom):
                painter.fillRect(QRect(0, y, self.width(), 1), QColor(tokens.line))
        if not self._is_painted:
            self._is_painted = True
            self.painted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.setAccepted(self._inside is None or self._inside.close())


HEAVY = ("annotator.settings", "annotator.project.changes", "annotator.jobs")
"""What the inside rests on and takes long to import; nothing with Qt (see `pages.load_rooms`)."""


class Startup(QObject):
    """Makes the inside once the frame is painted and what it rests on is loaded.

    Args:
        frame: The window.
        make: Makes its inside and puts it there, on the window's thread; gives what is closed at the end.
    """

    _loaded = Signal()

    def __init__(self, frame: Frame, make: Callable[[], "Operations"]) -> None:
        super().__init__()
        self._make = make
        self._operations: Operations | None = None
        self._collector: Collector | None = None
        self._thread = threading.Thread(target=self._load, name="loading")
        connect(
            (frame.painted, self._begin),
            (self._loaded, self._furnish),
            kind=Qt.ConnectionType.QueuedConnection,
        )

    def close(self) -> None:
        """Finish what the inside was doing; the window is closed already."""
        if self._thread.ident is not None:
            self._thread.join()
        if self._operations is not None:
            self._operations.close()
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
        self._operations = self._make()
        # Long enough for the first page to be read and the rooms of the others to be loaded.
        self._collector = Collector(self, start_milliseconds=5000)


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
