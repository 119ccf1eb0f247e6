"""Shortcut profiles: switched, kept, written to files and read from any."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMainWindow, QPushButton

from scoring.errors import ConflictError, InputError
from tests.ui.find import find
from ui.services.commands import Command, Commands
from ui.services.preferences import (
    DEFAULT,
    OWN,
    ProfileBar,
    Profiles,
    ShortcutProfile,
    profile_text,
    read_profile,
)
from ui.services.shortcut_sheet import ShortcutSheet
from ui.theme import TextLabel


@pytest.fixture
def profiles(commands: Commands) -> Profiles:
    """The default and one own profile, in which J is the next case."""
    return Profiles(commands, active=DEFAULT, own={"Left hand": {"next": "J", "future.command": "F9"}})


def test_a_profile_changes_its_keys_and_leaves_the_others_at_their_defaults(
    profiles: Profiles, commands: Commands
) -> None:
    assert profiles.switch("Left hand") == ()
    assert (commands.keys("next"), commands.keys("import")) == ("J", "Ctrl+I")
    profiles.switch(DEFAULT)
    assert commands.keys("next") == "N"


def test_a_command_that_comes_later_has_the_keys_of_the_profile(
    profiles: Profiles, commands: Commands
) -> None:
    profiles.switch("Left hand")
    commands.add(Command("future.command", "Fly", "Queue", lambda: None, keys="F7"))
    assert commands.keys("future.command") == "F9"


def test_changing_keys_keeps_commands_this_version_does_not_know(
    profiles: Profiles, commands: Commands
) -> None:
    profiles.switch("Left hand")
    commands.choose_keys("import", "K")
    assert profiles.own["Left hand"] == {"next": "J", "future.command": "F9", "import": "K"}


def test_changing_a_default_key_begins_a_profile_of_ones_own(profiles: Profiles, commands: Commands) -> None:
    commands.choose_keys("next", "X")
    assert (profiles.active, profiles.own[OWN]) == (OWN, {"next": "X"})


def test_an_own_profile_begins_with_the_keys_there_are_and_can_be_removed(
    profiles: Profiles, commands: Commands
) -> None:
    profiles.switch("Left hand")
    profiles.add("Night shift")
    assert (profiles.active, commands.keys("next")) == ("Night shift", "J")
    profiles.remove()
    assert (profiles.active, commands.keys("next")) == (DEFAULT, "N")
    assert profiles.names == (DEFAULT, "Left hand")


@pytest.mark.parametrize(
    ("name", "kind"), [("Left hand", ConflictError), ("Default", ConflictError), (" ", InputError)]
)
def test_a_profile_needs_a_name_of_its_own(
    profiles: Profiles, name: str, kind: type[InputError | ConflictError]
) -> None:
    with pytest.raises(kind):
        profiles.add(name)


def test_keys_that_two_commands_share_in_a_file_are_named(profiles: Profiles, tmp_path: Path) -> None:
    file = tmp_path / "clash.shortcuts.json"
    file.write_text(profile_text(ShortcutProfile(name="Clash", keys={"import": "N"})), encoding="utf-8")
    (clash,) = profiles.take_in(file)
    assert clash.words == "N is used by “Next case” and “Import cases”"
    assert profiles.active == "Clash"


def test_a_file_gives_back_what_was_written_under_a_name_that_is_free(
    profiles: Profiles, tmp_path: Path
) -> None:
    profiles.switch("Left hand")
    profiles.export(tmp_path / "own.shortcuts.json")
    profiles.take_in(tmp_path / "own.shortcuts.json")
    assert profiles.active == "Left hand 2"
    assert profiles.own["Left hand 2"] == profiles.own["Left hand"]


@given(st.builds(ShortcutProfile, name=st.text(), keys=st.dictionaries(st.text(), st.text())))
def test_every_profile_is_read_as_it_was_written(profile: ShortcutProfile) -> None:
    assert read_profile(profile_text(profile)) == profile


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"format": "annotator shortcuts", "version": 0, "name": "a", "keys": {}}',
        '{"format": "annotator shortcuts", "version": "one", "name": "a", "keys": {}}',
        '{"format": "annotator shortcuts", "version": 1, "name": "a", "keys": {"next": 3}}',
        '{"format": "annotator shortcuts", "version": 1, "name": "a"}',
        "[" * 100_000,
    ],
)
def test_a_damaged_file_is_refused_and_changes_nothing(
    profiles: Profiles, commands: Commands, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "damaged.shortcuts.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="damaged"):
        profiles.take_in(file)
    assert (profiles.active, commands.keys("next")) == (DEFAULT, "N")


def test_a_file_of_another_kind_and_one_of_a_newer_version_say_so() -> None:
    with pytest.raises(InputError, match="no shortcuts"):
        read_profile('{"format": "recipe"}')
    with pytest.raises(InputError, match="newer version"):
        read_profile('{"format": "annotator shortcuts", "version": 99}')


@pytest.fixture
def sheet(profiles: Profiles, commands: Commands) -> ShortcutSheet:
    """The sheet on the screen."""
    window = commands.parent()
    assert isinstance(window, QMainWindow)
    found = ShortcutSheet(commands, profiles, parent=window)
    found.show()
    return found


def test_the_sheet_keeps_the_keys_there_are_under_a_name(sheet: ShortcutSheet, profiles: Profiles) -> None:
    QTest.mouseClick(find(sheet, QPushButton, "profile-add"), Qt.MouseButton.LeftButton)
    field = find(sheet, QLineEdit, "profile-name")
    QTest.keyClicks(field, "Night shift")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert sheet.isVisible()
    assert profiles.active == "Night shift"
    assert find(sheet, QPushButton, "shortcut-profile").text() == "Night shift"


def test_the_sheet_says_what_is_wrong_with_a_file(sheet: ShortcutSheet, tmp_path: Path) -> None:
    file = tmp_path / "damaged.shortcuts.json"
    file.write_text("{", encoding="utf-8")
    sheet.findChildren(ProfileBar)[0].take_in(str(file))
    assert "is damaged" in find(sheet, TextLabel, "shortcut-message").text()


def test_the_default_profile_cannot_be_removed(sheet: ShortcutSheet, profiles: Profiles) -> None:
    remove = find(sheet, QPushButton, "profile-remove")
    assert not remove.isEnabled()
    profiles.switch("Left hand")
    QTest.mouseClick(remove, Qt.MouseButton.LeftButton)
    assert profiles.names == (DEFAULT,)
