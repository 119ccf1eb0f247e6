"""Three windows in one review session: they go on together, and no vote is seen before its time."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from annotator.review.sessions.steps import show_session
from scoring.model.taxonomy import Policy, Stage
from tests.annotator.team import Team, team_on, two_step_case
from tests.ui.find import find
from ui.services.errors import ErrorBanner
from ui.services.feed import ProjectFeed
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.shell.main_window import MainWindow
from ui.shell.presence import ShowsCase

Open = Callable[[str], MainWindow]


@pytest.fixture
def team(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A project with two cases on whose policy bob and cleo differ."""
    with team_on(str(sqlite_path), tmp_path) as found:
        found.bring(two_step_case(), two_step_case("c-2"))
        for case_id in ("c-1", "c-2"):
            found.self_check("ann", case_id)
            found.cross_check("bob", case_id, policies={0: Policy.MULTI_PARALLEL})
            found.cross_check("cleo", case_id)
        found.close()
        found.clock = None  # type: ignore[assignment]  # windows and team share the real clock from here on
        yield found


@pytest.fixture
def open_window(qtbot: QtBot, team: Team, tmp_path: Path) -> Iterator[Open]:
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


def _says(window: MainWindow) -> str:
    """What the panel says of the session, the question and the votes, a line each."""
    names = ("words", "question", "votes")
    return "\n".join(find(window.session, QLabel, f"session-{name}").text() for name in names)


def _wait_for(qtbot: QtBot, words: str, *windows: MainWindow) -> None:
    for window in windows:
        qtbot.waitUntil(partial(_is_said, window, words), timeout=15_000)


def _is_said(window: MainWindow, words: str) -> bool:
    return words in _says(window)


def _wait_for_case(qtbot: QtBot, case_id: str, *windows: MainWindow) -> None:
    for window in windows:
        qtbot.waitUntil(partial(_shows, window, case_id), timeout=15_000)


def _shows(window: MainWindow, case_id: str) -> bool:
    page = window.stack.currentWidget()
    return isinstance(page, ShowsCase) and page.case_bar.shown_id == case_id


def _button(window: MainWindow, name: str) -> QPushButton:
    return find(window.session, QPushButton, f"session-{name}")


def _press(qtbot: QtBot, window: MainWindow, name: str, words: str) -> None:
    button = _button(window, name)
    qtbot.waitUntil(lambda: button.isVisibleTo(window) and button.text() == words)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def _key(window: MainWindow, key: Qt.Key) -> None:
    QTest.keyClick(find(window.session, QListWidget, "session-options"), key)


def _in_session(qtbot: QtBot, open_window: Open) -> tuple[MainWindow, MainWindow, MainWindow]:
    eve, bob, cleo = (open_window(name) for name in ("eve", "bob", "cleo"))
    eve.session.open()
    _press(qtbot, eve, "main", "Open a session")
    for window in (bob, cleo):  # it comes by itself
        _press(qtbot, window, "main", "Join")
    _wait_for(qtbot, "bob", eve, bob, cleo)
    _wait_for(qtbot, "cleo", eve, bob, cleo)
    return eve, bob, cleo


def test_three_windows_vote_blind_see_the_votes_together_and_go_on_together(
    qtbot: QtBot, open_window: Open, team: Team
) -> None:
    eve, bob, cleo = everybody = _in_session(qtbot, open_window)
    note, entry = (
        find(eve.session, QPlainTextEdit, "session-note"),
        find(eve.session, QLineEdit, "session-entry"),
    )
    _wait_for_case(qtbot, "c-1", *everybody)
    _key(bob, Qt.Key.Key_3)
    _key(cleo, Qt.Key.Key_2)
    _key(eve, Qt.Key.Key_4)
    _wait_for(qtbot, "Votes: 3 hidden", *everybody)
    assert [window for window in everybody if "Multi" in _says(window)] == []
    assert not _button(bob, "main").isVisibleTo(bob)
    _key(eve, Qt.Key.Key_Return)
    _wait_for(qtbot, "cleo: Multi, serial", *everybody)
    _wait_for(qtbot, "bob: Multi, parallel", *everybody)
    _key(eve, Qt.Key.Key_Return)  # pressed twice: her own vote is no decision
    banner = find(eve.session, ErrorBanner, "error-banner")
    qtbot.waitUntil(lambda: banner.message == "No option is marked.", timeout=15_000)
    _key(bob, Qt.Key.Key_1)  # too late: it marks a line and casts nothing
    note.setPlainText("one needs the other")
    entry.setText("A depot is a parameter.")
    _key(eve, Qt.Key.Key_2)
    _key(eve, Qt.Key.Key_Return)
    _wait_for_case(qtbot, "c-2", *everybody)
    assert all("1 of 2 done" in _says(window) for window in everybody)
    assert team.stage("c-1") is Stage.FINAL
    first = show_session(team["eve"]).questions[0]
    assert first.votes == {"bob": 3, "cleo": 2, "eve": 4}
    assert (first.choice, first.note, first.entry) == (2, "one needs the other", "A depot is a parameter.")
    assert (note.toPlainText(), entry.text()) == ("", "")


def test_when_the_leaders_window_dies_another_takes_over_and_nothing_is_lost(
    qtbot: QtBot, open_window: Open, team: Team
) -> None:
    eve, bob, cleo = _in_session(qtbot, open_window)
    _key(bob, Qt.Key.Key_3)
    _wait_for(qtbot, "Votes: 1 hidden", cleo)
    eve.operations.close()  # as a process that is killed: it says goodbye to nobody
    founder = open_window("max")
    assert not _button(bob, "lead").isVisibleTo(bob)
    founder.session.open()
    _press(qtbot, founder, "lead", "Take over the lead")
    _wait_for(qtbot, "led by max; there: eve, ", bob)
    _press(qtbot, founder, "main", "Reveal the votes")
    _wait_for(qtbot, "bob: Multi, parallel", cleo)
    assert show_session(team["max"]).leader == "max"


def test_what_is_refused_is_said_in_the_panel(qtbot: QtBot, open_window: Open) -> None:
    eve, _, _ = _in_session(qtbot, open_window)
    _press(qtbot, eve, "main", "Decide")
    banner = find(eve.session, ErrorBanner, "error-banner")
    qtbot.waitUntil(lambda: banner.message == "No option is marked.", timeout=15_000)
    _press(qtbot, eve, "next", "Next question")
    _wait_for(qtbot, "1 of 2 done", eve)
    _press(qtbot, eve, "next", "Next question")
    _press(qtbot, eve, "main", "Close the session")
    _wait_for(qtbot, "No review session is open.", eve)
