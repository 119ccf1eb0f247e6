"""The sheet of shortcuts: found, changed, refused, given back."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QKeySequenceEdit, QLineEdit, QMainWindow, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.find import find
from ui.services.commands import Command, Commands
from ui.services.preferences import DEFAULT, Profiles
from ui.services.shortcut_sheet import ShortcutSheet
from ui.theme import TextLabel
from ui.theme.dialogs import open_dialog


@pytest.fixture
def sheet(qtbot: QtBot, commands: Commands) -> ShortcutSheet:
    """The sheet on the screen."""
    window = commands.parent()
    assert isinstance(window, QMainWindow)
    profiles = Profiles(commands, active=DEFAULT, own={})
    found = ShortcutSheet(commands, profiles, parent=window)
    found.show()
    return found


def test_the_page_the_person_is_on_comes_before_the_window_and_that_before_other_pages(
    qtbot: QtBot, commands: Commands
) -> None:
    window = commands.parent()
    assert isinstance(window, QMainWindow)
    shown, hidden = QWidget(), QWidget(window)
    window.setCentralWidget(shown)
    shown.show()
    hidden.hide()
    commands.add(Command("elsewhere", "Score a run", "Runs", lambda: None), hidden)
    commands.add(Command("here", "Draw an edge", "Drawing", lambda: None, keys="D"), shown)
    assert [command.id for command in commands.by_place()] == ["here", "next", "import", "elsewhere"]
    sheet = ShortcutSheet(commands, Profiles(commands, active=DEFAULT, own={}), parent=window)
    open_dialog(sheet)
    qtbot.waitUntil(lambda: _top(sheet, "here") == _top(sheet, "next") < _top(sheet, "import"))
    assert _top(sheet, "import") <= _top(sheet, "elsewhere")
    assert _place(sheet, "here").x() < _place(sheet, "next").x()


def test_a_command_without_keys_stands_in_line_with_the_others(
    sheet: ShortcutSheet, commands: Commands
) -> None:
    commands.choose_keys("next", "")
    none, other = (find(sheet, QPushButton, f"keys-{name}") for name in ("next", "import"))
    assert none.text() == other.text() == ""  # both are badges, whose places the button sees to
    assert none.accessibleName() == "Next case: no shortcut"
    row = none.parentWidget()
    assert row is not None
    assert none.geometry().right() == row.width() - 1


def _top(sheet: ShortcutSheet, name: str) -> int:
    return _place(sheet, name).y()


def _place(sheet: ShortcutSheet, name: str) -> QPoint:
    button = find(sheet, QPushButton, f"keys-{name}")
    return button.mapTo(sheet, QPoint(0, 0))


def _press(sheet: ShortcutSheet, command_id: str, key: Qt.Key) -> None:
    QTest.mouseClick(find(sheet, QPushButton, f"keys-{command_id}"), Qt.MouseButton.LeftButton)
    edit = find(sheet, QKeySequenceEdit, f"capture-{command_id}")
    QTest.keyClick(edit, key)


def test_every_command_is_listed_with_its_keys(sheet: ShortcutSheet) -> None:
    assert find(sheet, QPushButton, "keys-import").accessibleName() == "Import cases: Ctrl I"


def test_pressed_keys_are_taken(qtbot: QtBot, sheet: ShortcutSheet, commands: Commands) -> None:
    with qtbot.waitSignal(commands.chosen_changed):
        _press(sheet, "next", Qt.Key.Key_J)
    assert commands.keys("next") == "J"
    assert find(sheet, QPushButton, "keys-next").accessibleName() == "Next case: J"


def test_keys_of_another_command_are_refused_by_name(
    qtbot: QtBot, sheet: ShortcutSheet, commands: Commands
) -> None:
    commands.choose_keys("import", "J")
    _press(sheet, "next", Qt.Key.Key_J)
    message = find(sheet, TextLabel, "shortcut-message")
    qtbot.waitUntil(lambda: "J is used by “Import cases”" in message.text())
    assert commands.keys("next") == "N"


def test_backspace_takes_the_keys_away(sheet: ShortcutSheet, commands: Commands) -> None:
    _press(sheet, "next", Qt.Key.Key_Backspace)
    assert commands.keys("next") == ""


def test_reset_gives_the_default_back(sheet: ShortcutSheet, commands: Commands) -> None:
    commands.choose_keys("next", "J")
    QTest.mouseClick(find(sheet, QPushButton, "reset-next"), Qt.MouseButton.LeftButton)
    assert find(sheet, QPushButton, "keys-next").accessibleName() == "Next case: N"


def test_searching_leaves_what_fits(sheet: ShortcutSheet) -> None:
    QTest.keyClicks(find(sheet, QLineEdit, "shortcut-search"), "import")
    assert find(sheet, QPushButton, "keys-import").isVisible()
    assert not find(sheet, QPushButton, "keys-next").isVisible()
