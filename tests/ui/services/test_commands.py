"""Commands: shortcuts where they are shown, blocked ones that say why, and keys people choose."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMainWindow, QStackedWidget, QWidget
from pytestqt.qtbot import QtBot

from scoring.errors import ConflictError, InputError
from ui.services.commands import Command, Commands, shown_keys
from ui.theme import Button


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    """A window with two pages; the first is shown."""
    found = QMainWindow()
    pages = QStackedWidget()
    pages.addWidget(QWidget())
    pages.addWidget(QWidget())
    found.setCentralWidget(pages)
    qtbot.addWidget(found)
    found.show()
    found.activateWindow()
    qtbot.waitUntil(found.isActiveWindow)
    return found


def _pages(window: QMainWindow) -> QStackedWidget:
    pages = window.centralWidget()
    assert isinstance(pages, QStackedWidget)
    return pages


def test_a_shortcut_works_on_its_page_only(window: QMainWindow) -> None:
    done: list[str] = []
    commands = Commands(window)
    first, second = _pages(window).widget(0), _pages(window).widget(1)
    commands.add(Command("a.next", "Next", "A", lambda: done.append("a"), keys="N"), first)
    commands.add(Command("b.new", "New", "B", lambda: done.append("b"), keys="N"), second)
    QTest.keyClick(window, Qt.Key.Key_N)
    _pages(window).setCurrentIndex(1)
    QTest.keyClick(window, Qt.Key.Key_N)
    assert done == ["a", "b"]


def test_a_letter_typed_into_a_field_is_no_shortcut(window: QMainWindow) -> None:
    done: list[str] = []
    commands = Commands(window)
    commands.add(Command("go", "Go", "A", lambda: done.append("go"), keys="N"))
    field = QLineEdit(_pages(window).widget(0))
    field.show()
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_N)
    assert (done, field.text()) == ([], "n")


def test_a_command_that_waits_acts_a_moment_later_and_shows_at_once_that_it_will(
    qtbot: QtBot, window: QMainWindow
) -> None:
    done: list[str] = []
    commands = Commands(window)
    commands.add(Command("go", "Go", "A", lambda: done.append("go"), keys="N", waits=True))
    button = Button("Go")
    button.setParent(_pages(window).widget(0))
    button.show()
    commands.bind(button, "go")
    QTest.keyClick(window, Qt.Key.Key_N)
    assert (done, button.isDown()) == ([], True)
    qtbot.waitUntil(lambda: done == ["go"])
    assert not button.isDown()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert done == ["go", "go"]


def test_a_letter_behind_it_leaves_a_command_that_waits_undone(qtbot: QtBot, window: QMainWindow) -> None:
    done: list[str] = []
    commands = Commands(window)
    commands.add(Command("go", "Go", "A", lambda: done.append("go"), keys="N", waits=True))
    with qtbot.waitSignal(commands.refused) as told:
        QTest.keyClick(window, Qt.Key.Key_N)
        QTest.keyClick(window, Qt.Key.Key_E)
    qtbot.wait(400)
    assert done == []
    assert told.args == ["Go", "nothing done, because another letter followed as in a sentence."]


def test_a_page_that_went_away_meanwhile_gets_no_command(qtbot: QtBot, window: QMainWindow) -> None:
    done: list[str] = []
    commands = Commands(window)
    first = _pages(window).widget(0)
    commands.add(Command("go", "Go", "A", lambda: done.append("go"), keys="N", waits=True), first)
    QTest.keyClick(window, Qt.Key.Key_N)
    _pages(window).setCurrentIndex(1)
    qtbot.wait(400)
    assert done == []


def test_a_blocked_command_says_why_instead(qtbot: QtBot, window: QMainWindow) -> None:
    done: list[str] = []
    commands = Commands(window)
    commands.add(Command("go", "Go", "A", lambda: done.append("go"), keys="N"))
    commands.block("go", "Nothing waits for you.")
    with qtbot.waitSignal(commands.refused) as told:
        QTest.keyClick(window, Qt.Key.Key_N)
    assert told.args == ["Go", "Nothing waits for you."]
    assert done == []


def test_a_bound_button_follows_its_command(window: QMainWindow) -> None:
    done: list[str] = []
    commands = Commands(window)
    commands.add(Command("go", "Go", "A", lambda: done.append("go"), keys="N"))
    button = Button("Go", parent=window)
    button.show()
    commands.bind(button, "go")
    assert button.accessibleName() == "Go (N)"
    commands.block("go", "Not now.")
    assert (button.isEnabled(), button.toolTip()) == (False, "Not now.")
    commands.block("go", "")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert done == ["go"]


def test_a_button_that_is_gone_does_not_disturb_its_command(qtbot: QtBot, window: QMainWindow) -> None:
    commands = Commands(window)
    commands.add(Command("go", "Go", "A", lambda: None, keys="N"))
    button = Button("Go", parent=window)
    commands.bind(button, "go")
    with qtbot.waitSignal(button.destroyed):
        button.deleteLater()
    commands.block("go", "Not now.")
    assert commands.reason("go") == "Not now."


def test_chosen_keys_replace_the_default_ones_and_are_told(qtbot: QtBot, window: QMainWindow) -> None:
    done: list[str] = []
    commands = Commands(window)
    commands.add(Command("go", "Go", "A", lambda: done.append("go"), keys="N"))
    with qtbot.waitSignal(commands.chosen_changed) as told:
        commands.choose_keys("go", "Ctrl+G")
    assert told.args == [{"go": "Ctrl+G"}]
    QTest.keyClick(window, Qt.Key.Key_N)
    QTest.keyClick(window, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    assert done == ["go"]


def test_keys_chosen_earlier_are_used_from_the_start(window: QMainWindow) -> None:
    commands = Commands(window, chosen={"go": "Ctrl+G"})
    commands.add(Command("go", "Go", "A", lambda: None, keys="N"))
    assert (commands.keys("go"), commands.is_chosen("go")) == ("Ctrl+G", True)


def test_resetting_gives_the_default_keys_back(window: QMainWindow) -> None:
    commands = Commands(window, chosen={"go": "Ctrl+G"})
    commands.add(Command("go", "Go", "A", lambda: None, keys="N"))
    commands.reset_keys("go")
    assert (commands.keys("go"), commands.is_chosen("go")) == ("N", False)


def test_keys_in_use_on_the_same_page_are_refused_by_name(window: QMainWindow) -> None:
    page = _pages(window).widget(0)
    commands = Commands(window)
    commands.add(Command("a", "Next case", "A", lambda: None, keys="N"), page)
    commands.add(Command("b", "Assign", "A", lambda: None, keys="S"), page)
    with pytest.raises(ConflictError, match="N is used by “Next case”"):
        commands.choose_keys("b", "N")
    assert commands.keys("b") == "S"


def test_keys_of_the_window_cannot_be_taken_by_a_page(window: QMainWindow) -> None:
    commands = Commands(window)
    commands.add(Command("palette", "Search", "Window", lambda: None, keys="Ctrl+K"))
    commands.add(Command("a", "Next", "A", lambda: None, keys="N"), _pages(window).widget(0))
    assert [command.id for command in commands.conflicts("a", "Ctrl+K")] == ["palette"]


def test_two_pages_may_use_the_same_keys(window: QMainWindow) -> None:
    commands = Commands(window)
    commands.add(Command("a", "Next", "A", lambda: None, keys="N"), _pages(window).widget(0))
    commands.add(Command("b", "New", "B", lambda: None), _pages(window).widget(1))
    commands.choose_keys("b", "N")
    assert commands.keys("b") == "N"


def test_keys_that_do_not_exist_are_refused(window: QMainWindow) -> None:
    commands = Commands(window)
    commands.add(Command("a", "Next", "A", lambda: None))
    with pytest.raises(InputError):
        commands.choose_keys("a", "Ctrl+Banana")


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ("Ctrl+K", "Ctrl K"),
        ("Ctrl+Return", "Ctrl ↵"),
        ("Return", "Enter"),
        ("Ctrl+Shift+E", "Ctrl ⇧ E"),
        ("/", "/"),
        ("Ctrl++", "Ctrl +"),
        ("", ""),
    ],
)
def test_shortcuts_are_shown_as_on_a_keyboard(keys: str, shown: str) -> None:
    assert shown_keys(keys) == shown


def test_a_command_that_is_done_once_does_not_repeat_while_its_key_is_held(window: QMainWindow) -> None:
    commands = Commands(window)
    once = commands.add(Command("a", "Confirm", "A", lambda: None, keys="C", is_done_once=True))
    often = commands.add(Command("b", "Next", "A", lambda: None, keys="J"))
    assert (once.autoRepeat(), often.autoRepeat()) == (False, True)


def test_keys_chosen_for_a_command_hold_for_what_is_like_it_on_another_page(window: QMainWindow) -> None:
    commands = Commands(window, chosen={"a.next": "Y"})
    first, second = _pages(window).widget(0), _pages(window).widget(1)
    commands.add(Command("a.next", "Next", "A", lambda: None, keys="N"), first)
    commands.add(Command("b.next", "Next", "B", lambda: None, keys="N", like="a.next"), second)
    commands.add(Command("b.other", "Other", "B", lambda: None, keys="X"), second)
    assert commands.keys("b.next") == "Y"
    commands.choose_keys("a.next", "Z")
    assert commands.keys("b.next") == "Z"
    commands.choose_keys("a.next", "X")  # taken on the other page
    assert commands.keys("b.next") == "N"
    commands.choose_keys("b.next", "B")
    commands.choose_keys("a.next", "Q")
    assert commands.keys("b.next") == "B"
    assert not commands.clashes()
