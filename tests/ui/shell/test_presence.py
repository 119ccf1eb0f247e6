"""Two windows on one project: each shows who else is there, and who has the same case open."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from annotator.review.queue.claims import claim_case
from annotator.review.queue.presence import list_present, tell_presence
from scoring.errors import StoreError
from tests.annotator.team import Team, team_on, two_step_case
from ui.services.feed import ProjectFeed
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.shell.main_window import MainWindow
from ui.workbench.page import WorkbenchPage

OTHER = "another window"


@pytest.fixture
def team(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A founded project with two cases."""
    with team_on(str(sqlite_path), tmp_path) as found:
        found.bring(two_step_case(), two_step_case("c-2"))
        found.workspaces.pop("max").close()
        found.clock = None  # type: ignore[assignment]  # windows and team share the real clock from here on
        yield found


@pytest.fixture
def open_window(qtbot: QtBot, team: Team, tmp_path: Path) -> Iterator[Callable[[str], MainWindow]]:
    """Opens the project in a window of its own, in somebody's name."""
    windows: list[MainWindow] = []

    def open_for(name: str) -> MainWindow:
        operations = Operations(retry_milliseconds=20)
        ProjectFeed(operations, parent=operations)
        window = MainWindow(operations, Preferences(tmp_path / f"{name}-{len(windows)}.json"))
        windows.append(window)
        with qtbot.waitSignal(operations.opened):
            operations.open(team.url, name)
        window.entrance.entered.emit(operations.project)
        window.show()
        qtbot.waitUntil(lambda: operations.pending_count == 0)
        return window

    yield open_for
    for window in windows:
        window.operations.close()
        shiboken6.delete(window)


def _people(window: MainWindow) -> str:
    button = window.header.present
    return button.text().strip() if button.isVisibleTo(window) else ""


def _lines(window: MainWindow) -> list[str]:
    menu = window.header.present.menu()
    assert isinstance(menu, QMenu)
    return [action.text() for action in menu.actions()]


def test_another_window_is_shown_until_it_closes(
    qtbot: QtBot, open_window: Callable[[str], MainWindow]
) -> None:
    mine = open_window("max")
    assert _people(mine) == ""
    theirs = open_window("ann")
    qtbot.waitUntil(lambda: _people(mine) == "ann")
    qtbot.waitUntil(lambda: _people(theirs) == "max")
    assert _lines(mine)[0].startswith("ann has no case open")
    theirs._close_now()
    qtbot.waitUntil(lambda: _people(mine) == "")


def test_who_has_the_same_case_open_stands_above_it(
    qtbot: QtBot, team: Team, open_window: Callable[[str], MainWindow]
) -> None:
    held = claim_case(team["ann"], "c-1").value
    window = open_window("ann")
    window.ways.open_assignment(held)
    page = window.stack.currentWidget()
    assert isinstance(page, WorkbenchPage)
    qtbot.waitUntil(lambda: page.case_bar.shown_id == "c-1")
    qtbot.waitUntil(lambda: [row.case_id for row in list_present(team["max"])] == ["c-1"])
    tell_presence(team["max"], window=OTHER, case_id="c-1")
    chip = page.case_bar.others
    qtbot.waitUntil(lambda: chip.text() == "also open: max")
    assert chip.isVisibleTo(window)
    tell_presence(team["max"], window=OTHER, case_id="c-2")
    qtbot.waitUntil(lambda: not chip.isVisibleTo(window))
    qtbot.waitUntil(lambda: _lines(window)[0].startswith("max has"))
    window.stack.setCurrentIndex(0)
    assert window._presence._shown_case() == "c-1"  # it stays open on its page


def test_a_case_that_was_handed_back_is_open_nowhere(
    qtbot: QtBot, team: Team, open_window: Callable[[str], MainWindow]
) -> None:
    held = claim_case(team["ann"], "c-1").value
    window = open_window("ann")
    window.ways.open_assignment(held)
    qtbot.waitUntil(lambda: [row.case_id for row in list_present(team["max"])] == ["c-1"])
    page = window.stack.currentWidget()
    assert isinstance(page, WorkbenchPage)
    page.hand_back()
    qtbot.waitUntil(lambda: [row.case_id for row in list_present(team["max"])] == [None])


def test_where_presence_cannot_be_written_the_window_says_nothing(
    qtbot: QtBot, open_window: Callable[[str], MainWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise StoreError("The disk is full.", "Make room.")

    monkeypatch.setattr("annotator.review.queue.presence.tell_presence", refuse)
    window = open_window("ann")
    window.operations.run(partial(lambda _: None))
    qtbot.waitUntil(lambda: window.operations.pending_count == 0)
    assert window.operations.lost is None
    assert not window.banner.isVisibleTo(window)


def test_a_case_one_has_open_in_two_windows_says_so(
    qtbot: QtBot, team: Team, open_window: Callable[[str], MainWindow]
) -> None:
    held = claim_case(team["ann"], "c-1").value
    window = open_window("ann")
    window.ways.open_assignment(held)
    page = window.stack.currentWidget()
    assert isinstance(page, WorkbenchPage)
    qtbot.waitUntil(lambda: page.case_bar.shown_id == "c-1")
    tell_presence(team["ann"], window=OTHER, case_id="c-1")
    qtbot.waitUntil(lambda: page.case_bar.others.text() == "open twice")
    assert page.case_bar.others.toolTip() == "This case is also open by you, in another window."
    assert _people(window) == ""  # nobody else is here


_TELLS = """
import sys
from annotator.project.workspace import open_workspace
from annotator.review.queue.presence import tell_presence
from ui.shell.presence import name_window
tell_presence(open_workspace(sys.argv[1], "ann"), window=name_window(), case_id="c-1")
print("told", flush=True)
sys.stdin.read()
"""


def test_a_window_that_was_killed_is_not_there_when_the_program_starts_again(
    qtbot: QtBot, team: Team, open_window: Callable[[str], MainWindow]
) -> None:
    held = claim_case(team["ann"], "c-1").value
    window = open_window("ann")
    window.ways.open_assignment(held)
    page = window.stack.currentWidget()
    assert isinstance(page, WorkbenchPage)
    others = page.case_bar.others
    for _ in range(2):
        command = [sys.executable, "-c", _TELLS, team.url]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "told\n"
            qtbot.waitUntil(lambda: others.text() == "open twice" and others.isVisibleTo(window))
            other.kill()
        tell_presence(team["max"], window=OTHER, case_id=None)  # so that the window looks again
        qtbot.waitUntil(lambda: not others.isVisibleTo(window))
        tell_presence(team["max"], window=OTHER, case_id="c-2")
    assert len(list_present(team["ann"])) > 2  # the project has not forgotten them yet
