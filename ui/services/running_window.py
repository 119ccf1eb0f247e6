"""One window for a project and person: a second start brings the one that runs forward."""

import hashlib
import json
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from warnings import catch_warnings

import platformdirs

from annotator.files import settings_path
from scoring.wording import without_passwords

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer
    from PySide6.QtWidgets import QWidget

    from ui.services.calls import OpenProject


def bring_forward(project: str | None, person: str | None) -> bool:
    """Ask the window that has a project open to come forward; whether there is one.

    Args:
        project: Path or URL; None is the project that was open last.
        person: In whose name; None is whoever works there.
    """
    place = project or _last_project()
    return place is not None and _is_answered(_door(place, person))


def _is_answered(door: str) -> bool:
    try:
        if sys.platform == "win32":
            with Path(door).open("r+b"):
                return True
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(door)
            return True
    except OSError:
        return False


def _last_project() -> str | None:
    """The settings' word for it, without their schema, which loads longer than a window is painted."""
    with suppress(OSError, ValueError, AttributeError):
        place = json.loads(settings_path().read_text(encoding="utf-8")).get("last_project")
        return place if isinstance(place, str) else None
    return None


def _door(place: str, person: str | None) -> str:
    """Where a window with a project and a person answers: a socket of this user, on Windows a pipe."""
    address = without_passwords(place) if "://" in place else str(Path(place).resolve())
    key = hashlib.sha256("\n".join((address, person or "")).encode()).hexdigest()[:16]
    if sys.platform == "win32":
        return rf"\\.\pipe\annotator-{key}"
    folder = settings_path().parent
    with suppress(OSError), catch_warnings(action="ignore"):  # it warns where it must look further
        folder = platformdirs.user_runtime_path("annotator", appauthor=False)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(folder / key)


class RunningWindow:
    """Where second starts knock: it answers for the project that is open, until another is.

    Args:
        frame: What comes forward.
    """

    def __init__(self, frame: "QWidget") -> None:
        self._frame = frame
        self._doors: list[QLocalServer] = []

    def answer_for(self, project: "OpenProject") -> None:
        """Answer for a project from now on, in its person's name and where none is named.

        A window that answers already goes on doing so; where no door can be opened a second start opens a
        second window.
        """
        from PySide6.QtNetwork import QLocalServer  # the window is painted before it is loaded

        self.close()
        person = project.person.name if project.person else None
        for named in dict.fromkeys((person, None)):
            door = QLocalServer(self._frame, socketOptions=QLocalServer.SocketOption.UserAccessOption)
            door.newConnection.connect(self._come_forward)
            path = _door(project.address, named)
            if not _is_answered(path):
                QLocalServer.removeServer(path)  # of a program that was killed
                door.listen(path)
                self._doors.append(door)

    def close(self) -> None:
        """Answer no more."""
        for door in self._doors:
            door.close()
        self._doors.clear()

    def _come_forward(self) -> None:
        from PySide6.QtCore import Qt

        for door in self._doors:
            while (caller := door.nextPendingConnection()) is not None:
                caller.close()
        self._frame.setWindowState(self._frame.windowState() & ~Qt.WindowState.WindowMinimized)
        self._frame.raise_()
        self._frame.activateWindow()
