"""The main window on the sample project."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

from tests.ui.settling import is_settled
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.shell.main_window import MainWindow


@pytest.fixture
def window(
    qtbot: QtBot, closed_operations: Operations, preferences: Preferences, tmp_path: Path
) -> Iterator[MainWindow]:
    """The window before a project is open."""
    found = MainWindow(closed_operations, preferences, sample_folder=tmp_path / "made")
    found.show()
    found.activateWindow()
    qtbot.waitUntil(found.isActiveWindow)
    yield found
    found.hide()
    closed_operations.close()
    shiboken6.delete(found)


@pytest.fixture
def inside(qtbot: QtBot, window: MainWindow, reviewed_project: str) -> MainWindow:
    """The window on the sample project, in the name of ann-1, an annotator."""
    window.entrance.open(reviewed_project, "ann-1")
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()) and is_settled(window.operations))
    return window


@pytest.fixture
def no_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of a person who has just installed the program: none."""
    for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / "home" / kind.lower()))


@pytest.fixture
def lasting_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said for a few seconds stays, however slow the machine is."""
    for place in ("ui.workbench.submit_bar", "ui.adjudication.columns", "ui.shell.footer"):
        monkeypatch.setattr(f"{place}.NOTE_MILLISECONDS", 10**9)
