"""The window itself: it is painted before anything else is loaded, and holds everything else.

Only Qt, the tokens and the standard library are imported here; whatever takes longer comes later.
"""

import base64
import json
from binascii import Error as NotBase64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QByteArray, QRect, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QMainWindow, QWidget

from ui.theme.tokens import DARK, HEADER_HEIGHT, LIGHT, STATUS_HEIGHT, Tokens

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
        super().__init__()
        self.setObjectName("frame")
        self.setWindowTitle("Annotator")
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
