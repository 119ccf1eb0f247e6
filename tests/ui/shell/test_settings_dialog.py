"""The page of a person's own settings: what is chosen holds at once, keys go to the keyring alone."""

from pathlib import Path

import keyring
import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QSpinBox
from pytestqt.qtbot import QtBot

from annotator.files import settings_path
from annotator.llm.endpoints import find_api_key
from annotator.resources import place_of_message
from annotator.settings import ColourScheme, Density
from tests.annotator.project.test_passwords import MemoryKeyring
from tests.ui.find import find
from ui.services.errors import ManualLink
from ui.services.preferences import Preferences
from ui.services.shortcut_sheet import ShortcutSheet
from ui.shell.main_window import MainWindow
from ui.shell.settings_dialog import SettingsDialog
from ui.theme import theme
from ui.theme.dialogs import FormDialog
from ui.theme.fields import DropDown

SECRET = "sk-planted"


@pytest.fixture
def dialog(qtbot: QtBot, window: MainWindow) -> SettingsDialog:
    """The page, opened by its key."""
    QTest.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    found = window.findChild(SettingsDialog)
    assert found is not None
    qtbot.waitUntil(found.isVisible)
    return found


def choose(dialog: SettingsDialog, field: str, value: object) -> None:
    """Choose from a drop-down as a person does."""
    choice = find(dialog, DropDown, f"settings-{field}")
    choice.setCurrentIndex(choice.findData(value))
    choice.activated.emit(choice.currentIndex())


def press(dialog: SettingsDialog, name: str) -> None:
    """Press a button."""
    QTest.mouseClick(find(dialog, QPushButton, f"settings-{name}"), Qt.MouseButton.LeftButton)


def test_what_is_chosen_holds_at_once_and_is_kept(dialog: SettingsDialog, preferences: Preferences) -> None:
    choose(dialog, "theme", ColourScheme.DARK)
    choose(dialog, "density", Density.COMPACT)
    choose(dialog, "scale", 1.25)
    choose(dialog, "guidelines_language", "zh")
    look, settings = theme(), preferences.settings
    assert (look.tokens.is_dark, look.density.value, look.scale) == (True, "compact", 1.25)
    assert (settings.theme, settings.guidelines_language) == (ColourScheme.DARK, "zh")
    preferences.change(theme=ColourScheme.LIGHT)  # by a key, while the page is open
    assert find(dialog, DropDown, "settings-theme").currentData() == ColourScheme.LIGHT


def test_what_an_hour_costs_is_kept(dialog: SettingsDialog, preferences: Preferences) -> None:
    assert preferences.settings.hourly_rate == 0
    find(dialog, QSpinBox, "settings-hourly_rate").setValue(30)
    assert preferences.settings.hourly_rate == 30


def test_the_forms_that_exist_are_opened_from_it(
    qtbot: QtBot, window: MainWindow, dialog: SettingsDialog
) -> None:
    press(dialog, "endpoint-change")
    qtbot.waitUntil(lambda: window.findChild(FormDialog) is not None)
    window.findChildren(FormDialog)[0].reject()
    press(dialog, "shortcuts")
    qtbot.waitUntil(lambda: window.findChild(ShortcutSheet) is not None)


def test_a_key_goes_to_the_keyring_and_nowhere_else(
    qtbot: QtBot, dialog: SettingsDialog, preferences: Preferences
) -> None:
    ring, before = MemoryKeyring(), keyring.get_keyring()
    keyring.set_keyring(ring)
    try:
        find(dialog, QLineEdit, "settings-host").setText("https://models.example/v1")
        QTest.keyClicks(find(dialog, QLineEdit, "settings-key"), SECRET)
        QTest.keyClick(find(dialog, QLineEdit, "settings-key"), Qt.Key.Key_Return)
        message = find(dialog, QLabel, "settings-message")
        qtbot.waitUntil(lambda: "models.example is kept" in message.text())
        assert find_api_key("https://models.example/v1") == SECRET
    finally:
        keyring.set_keyring(before)
    assert find(dialog, QLineEdit, "settings-key").text() == ""
    assert dialog.isVisible()
    assert SECRET not in preferences.settings.model_dump_json()


@pytest.mark.parametrize(
    ("address", "key", "message"),
    [
        ("models.example", SECRET, "not the address of an endpoint"),
        ("https://models.example/v1", "", "No key was typed"),
        ("https://models.example/v1", SECRET, "no keyring that is open"),
    ],
)
def test_a_key_that_cannot_be_kept_is_said(
    qtbot: QtBot, dialog: SettingsDialog, address: str, key: str, message: str
) -> None:
    find(dialog, QLineEdit, "settings-host").setText(address)
    find(dialog, QLineEdit, "settings-key").setText(key)
    press(dialog, "key-keep")
    said = find(dialog, QLabel, "settings-message")
    qtbot.waitUntil(lambda: message in said.text())
    assert SECRET not in said.text()
    link = find(dialog, ManualLink, "settings-manual")
    assert link.isVisible()
    assert place_of_message(link.page.partition("#")[2])


def test_a_folder_is_opened_and_one_that_is_not_there_says_so(
    dialog: SettingsDialog, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_nothing(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return False

    monkeypatch.setattr(QDesktopServices, "openUrl", open_nothing)
    dialog.accept()
    settings_path().parent.mkdir(parents=True, exist_ok=True)
    window.open_settings()
    fresh = window.findChildren(SettingsDialog)[-1]
    press(fresh, "open-settings")
    assert [Path(folder) for folder in opened] == [settings_path().parent]
    assert "No program on this computer shows folders" in find(fresh, QLabel, "settings-message").text()
    log = find(fresh, QPushButton, "settings-open-log")
    assert not log.isEnabled()
    assert "Nothing has been written" in log.toolTip()
