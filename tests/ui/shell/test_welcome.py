"""The welcome page: what was open lately, and the ways to a project."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.find import find
from ui.shell.welcome import RecentProject, WelcomePage, recent_of


@pytest.fixture
def page(qtbot: QtBot) -> WelcomePage:
    """The page."""
    found = WelcomePage()
    qtbot.addWidget(found)
    found.show()
    return found


def test_a_typed_place_is_opened_with_return(qtbot: QtBot, page: WelcomePage) -> None:
    field = find(page, QLineEdit, "welcome-place")
    QTest.keyClicks(field, " postgresql://anna@host/team ")
    with qtbot.waitSignal(page.open_asked) as asked:
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert asked.args == ["postgresql://anna@host/team"]


def test_the_sample_project_is_one_click(qtbot: QtBot, page: WelcomePage) -> None:
    with qtbot.waitSignal(page.sample_asked):
        QTest.mouseClick(find(page, QAbstractButton, "welcome-sample"), Qt.MouseButton.LeftButton)


def test_a_recent_project_is_opened_by_its_name(qtbot: QtBot, page: WelcomePage) -> None:
    page.show_recent((RecentProject("/data/team.db"), RecentProject("/data/other.db")))
    row = find(page, QWidget, "recent-1")
    name = find(row, QPushButton, "recent-open")
    assert name.text() == "other"
    with qtbot.waitSignal(page.open_asked) as asked:
        QTest.mouseClick(name, Qt.MouseButton.LeftButton)
    assert asked.args == ["/data/other.db"]


def test_a_recent_project_that_is_gone_can_only_be_forgotten(qtbot: QtBot, page: WelcomePage) -> None:
    page.show_recent((RecentProject("/data/gone.db", is_missing=True),))
    row = find(page, QWidget, "recent-0")
    assert not find(row, QPushButton, "recent-open").isEnabled()
    with qtbot.waitSignal(page.forget_asked) as asked:
        QTest.mouseClick(find(row, QPushButton, "recent-forget"), Qt.MouseButton.LeftButton)
    assert asked.args == ["/data/gone.db"]


def test_while_a_project_is_opened_nothing_else_can_be(page: WelcomePage) -> None:
    page.show_busy("Opening team.db …")
    assert find(page, QLabel, "welcome-busy").text() == "Opening team.db …"
    assert not find(page, QAbstractButton, "welcome-open").isEnabled()
    page.show_busy("")
    assert find(page, QAbstractButton, "welcome-open").isEnabled()


def test_files_that_are_gone_are_known_and_servers_are_not_asked(tmp_path: Path) -> None:
    there = tmp_path / "there.db"
    there.touch()
    gone = tmp_path / "gone.db"
    found = recent_of((str(there), str(gone), "postgresql://anna@host/team"))
    assert [(project.title, project.is_missing) for project in found] == [
        ("there", False),
        ("gone", True),
        ("team", False),
    ]
