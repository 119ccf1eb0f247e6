"""A second start brings the window that has the project forward; a killed one is not in the way."""

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ui.services.running_window import RunningWindow, bring_forward


def opened(place: str, person: str) -> Any:
    """What a window says of its project, as far as this matters."""
    return SimpleNamespace(address=place, person=SimpleNamespace(name=person))


@pytest.fixture
def frame(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> QWidget:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    frame = QWidget()
    qtbot.addWidget(frame)
    frame.showMinimized()
    return frame


def test_the_same_project_and_person_bring_the_window_forward(
    qtbot: QtBot, frame: QWidget, tmp_path: Path
) -> None:
    running = RunningWindow(frame)
    place = str(tmp_path / "team.db")
    assert not bring_forward(place, "ann")
    running.answer_for(opened(place, "ann"))
    assert bring_forward(place, "ann")
    qtbot.waitUntil(lambda: not frame.windowState() & Qt.WindowState.WindowMinimized)
    assert bring_forward(f"{tmp_path}/./team.db", None)
    assert not bring_forward(place, "bob")
    assert not bring_forward(str(tmp_path / "other.db"), "ann")
    running.close()
    assert not bring_forward(place, "ann")


def test_the_window_answers_for_the_project_that_is_open_now(frame: QWidget, tmp_path: Path) -> None:
    running = RunningWindow(frame)
    first, second = (str(tmp_path / name) for name in ("first.db", "second.db"))
    running.answer_for(opened(first, "ann"))
    running.answer_for(opened(second, "ann"))
    assert (bring_forward(first, "ann"), bring_forward(second, "ann")) == (False, True)
    running.close()


def test_a_second_window_of_somebody_else_leaves_the_first_its_door(frame: QWidget, tmp_path: Path) -> None:
    place = str(tmp_path / "team.db")
    first, second = RunningWindow(frame), RunningWindow(frame)
    first.answer_for(opened(place, "ann"))
    second.answer_for(opened(place, "bob"))
    second.close()
    assert (bring_forward(place, None), bring_forward(place, "bob")) == (True, False)
    first.close()


def test_what_a_killed_window_left_is_no_window(frame: QWidget, tmp_path: Path) -> None:
    place = str(tmp_path / "team.db")
    before = RunningWindow(frame)
    before.answer_for(opened(place, "ann"))
    (door,) = [path for path in tmp_path.rglob("*") if path.is_socket()][:1]
    before.close()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(door))  # closed without being removed, as by a kill
    assert not bring_forward(place, "ann")
    assert not bring_forward(place, None)
    after = RunningWindow(frame)
    after.answer_for(opened(place, "ann"))
    assert bring_forward(place, "ann")
    after.close()


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose name leaves room: the path of a socket has 107 bytes at most."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.parametrize("is_taken", [False, True])
def test_where_sockets_cannot_lie_as_usual_windows_are_found_without_a_warning(
    frame: QWidget, short_path: Path, monkeypatch: pytest.MonkeyPatch, is_taken: bool
) -> None:
    """The folder may be seen by others, and the one in its place may be nobody's that is trusted."""
    monkeypatch.setattr("tempfile.tempdir", str(short_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(short_path))
    (short_path / "annotator").mkdir()
    if is_taken:
        (short_path / f"runtime-{os.getuid()}").symlink_to(short_path)
    short_path.chmod(0o755)
    running = RunningWindow(frame)
    place = str(short_path / "team.db")
    running.answer_for(opened(place, "ann"))
    assert bring_forward(place, "ann")
    running.close()
