"""The window before anything else is loaded: its first look, and what it holds later."""

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from ui.shell.frame import SIZE, FirstLook, Frame, first_look
from ui.theme import DARK, LIGHT


def test_the_first_look_has_the_colours_and_the_scale_that_were_chosen(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"version": 2, "theme": "dark", "scale": 1.5, "window": "YWJj"}))
    assert first_look(path, is_dark_desktop=False) == FirstLook(DARK, 1.5, b"abc")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        '{"theme": 3, "scale": "big", "window": 7}',
        '{"scale": 9, "window": "é"}',
    ],
)
def test_a_damaged_settings_file_is_no_reason_not_to_begin(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text, encoding="utf-8")
    assert first_look(path, is_dark_desktop=False) == FirstLook(LIGHT, 1.0, b"")


def test_without_a_choice_the_desktop_decides(tmp_path: Path) -> None:
    assert first_look(tmp_path / "none.json", is_dark_desktop=True).tokens is DARK


def test_it_tells_its_first_paint_once(qtbot: QtBot) -> None:
    frame = Frame(FirstLook())
    qtbot.addWidget(frame)
    told: list[bool] = []
    frame.painted.connect(lambda: told.append(True))
    with qtbot.waitSignal(frame.painted):
        frame.show()
    frame.repaint()
    assert told == [True]


def test_a_place_nobody_can_read_gives_the_first_size(qtbot: QtBot) -> None:
    frame = Frame(FirstLook(place=b"abc"))
    qtbot.addWidget(frame)
    room = frame.screen().availableSize()
    assert frame.width() == min(SIZE[0], room.width())


def test_what_it_holds_names_it_and_decides_whether_it_closes(qtbot: QtBot) -> None:
    class Stubborn(QLabel):
        def closeEvent(self, event: object) -> None:  # noqa: N802 (Qt's name)
            event.ignore()  # type: ignore[attr-defined]  # a QCloseEvent

    frame, inside = Frame(FirstLook()), Stubborn("Work")
    qtbot.addWidget(frame)
    frame.hold(inside)
    frame.show()
    inside.setWindowTitle("team – Annotator")
    assert frame.windowTitle() == "team – Annotator"
    assert not frame.close()
    assert frame.isVisible()
