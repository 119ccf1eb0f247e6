"""Settings while the window is open: kept at once, and harmless where their file cannot be written."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from annotator.settings import ColourScheme, load_settings
from ui.services.preferences import Preferences


def test_a_change_is_in_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    Preferences(path).change(theme=ColourScheme.DARK, scale=1.5)
    found = load_settings(path).settings
    assert (found.theme, found.scale) == (ColourScheme.DARK, 1.5)


def test_a_change_is_told_to_whoever_listens(qtbot: QtBot, tmp_path: Path) -> None:
    preferences = Preferences(tmp_path / "settings.json")
    with qtbot.waitSignal(preferences.changed) as told:
        preferences.change(scale=2.0)
    assert told.args[0].scale == 2.0


def test_the_same_values_again_are_no_change(qtbot: QtBot, tmp_path: Path) -> None:
    preferences = Preferences(tmp_path / "settings.json")
    with qtbot.assertNotEmitted(preferences.changed):
        preferences.change(scale=1.0)


def test_a_file_that_cannot_be_written_is_told_once_and_the_change_holds(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    preferences = Preferences(tmp_path / "file" / "settings.json")
    told: list[object] = []
    preferences.failed.connect(told.append)
    preferences.change(scale=1.25)
    preferences.change(scale=1.5)
    assert len(told) == 1
    assert preferences.settings.scale == 1.5


def test_a_damaged_file_is_told_and_the_defaults_are_used(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{broken")
    preferences = Preferences(path)
    assert "damaged" in preferences.message
    assert preferences.settings.scale == 1.0
