"""The form beside the JSON: room, undo steps, giving up, keeping, and tools that say little."""

import json
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.factories import tool
from tests.ui.dialogue.arguments.both_parts import (
    CONTROL,
    KEY,
    SHIFT,
    both,
    focused,
    press,
    raw,
    retype,
    row,
    type_text,
)
from tests.ui.find import find
from ui.dialogue.arguments.editor import FormerValue
from ui.dialogue.arguments.model import EditedAs
from ui.theme import TextLabel

if TYPE_CHECKING:
    from pydantic import JsonValue


@pytest.mark.parametrize(("width", "is_side_by_side"), [(560, False), (900, True)])
def test_they_stand_side_by_side_where_there_is_room(
    qtbot: QtBot, light: QApplication, width: int, is_side_by_side: bool
) -> None:
    editor = both(qtbot, {"city": "Oslo"}, width=width)
    form, field = editor.parts.room.geometry(), editor.field.geometry()
    assert (form.right() < field.left()) is is_side_by_side
    assert (form.bottom() < field.top()) is not is_side_by_side
    assert field.right() < editor.width()


def test_one_alone_takes_the_whole_width(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo"}, width=900)
    for part in (editor.field, editor.parts.room):
        press(KEY.Key_F4)
        qtbot.waitUntil(lambda part=part: part.width() == 900)  # type: ignore[misc]


def test_a_row_one_walks_to_is_in_sight(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {f"argument {number}": number for number in range(60)}, known=None)
    for _ in range(59):
        press(KEY.Key_Down)
    field = row(editor, "/argument 59").field
    assert focused() is field
    assert field.visibleRegion().boundingRect().height() == field.height()


def test_each_part_that_is_left_ends_a_step_and_the_editor_stays(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo"})
    steps: list[JsonValue] = []
    editor.settled.connect(steps.append)
    type_text("ab")
    press(KEY.Key_F4, SHIFT)
    retype(editor, '{"city": "Rome"}')
    press(KEY.Key_Backtab, SHIFT)
    assert steps == [{"city": "abOslo"}, {"city": "Rome"}]
    assert not editor.is_closed


def test_escape_in_either_part_gives_back_what_there_was(qtbot: QtBot, light: QApplication) -> None:
    for keys in ((), ((KEY.Key_F4, SHIFT),)):
        editor = both(qtbot, {"city": "Oslo"})
        type_text("ab")
        for key, modifiers in keys:
            press(key, modifiers)
        with qtbot.waitSignal(editor.given_up) as signal:
            press(KEY.Key_Escape)
        assert signal.args == [{"city": "Oslo"}]
        editor.hide()


def test_control_and_return_keep_what_both_say(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo", "nights": 1})
    press(KEY.Key_F4, SHIFT)
    retype(editor, '{"city": "Rome", "nights": 1}')
    press(KEY.Key_F4, SHIFT)
    row(editor, "/nights").field.setFocus()
    type_text("2")
    with qtbot.waitSignal(editor.kept) as signal:
        press(KEY.Key_Return, CONTROL)
    assert signal.args == [{"city": "Rome", "nights": 21}]


@pytest.mark.parametrize("part", ["form", "json"])
def test_what_cannot_be_read_keeps_it_open_and_says_why(qtbot: QtBot, light: QApplication, part: str) -> None:
    editor = both(qtbot, {"nights": 1})
    if part == "form":
        row(editor, "/nights").field.setFocus()
        type_text("x")
    else:
        retype(editor, '{"nights": ')
    with qtbot.assertNotEmitted(editor.kept):
        press(KEY.Key_Return, CONTROL)
    assert find(editor, TextLabel, "editor-message").text() in (
        "This is not a number.",
        "Line 1, column 12: a value is missing.",
    )


def test_the_former_value_and_the_format_serve_both(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo"})
    press(KEY.Key_End)
    type_text("!")
    press(KEY.Key_D, CONTROL | SHIFT)
    assert find(editor, FormerValue, "json-former").words.text() == "Before: changed city"
    retype(editor, '{"city":"Oslo","nights":1}')
    press(KEY.Key_F, CONTROL | SHIFT)
    assert raw(editor) == '{\n  "city": "Oslo",\n  "nights": 1\n}'


def test_a_tool_the_case_does_not_have_gives_a_row_for_each_argument(
    qtbot: QtBot, light: QApplication
) -> None:
    editor = both(qtbot, {"a": "x", "b": {"c": [1]}}, known=None)
    assert [view.row.path for view in editor.form.views] == ["/a", "/b"]
    row(editor, "/b").field.setFocus()
    press(KEY.Key_Home)
    type_text("[")
    press(KEY.Key_End)
    type_text("]")
    assert json.loads(raw(editor)) == {"a": "x", "b": [{"c": [1]}]}


def test_without_parameters_and_arguments_the_keys_go_to_the_json(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {}, known=tool("ping"))
    assert focused() is editor.field
    editor.field.setPlainText('{"a": 1}')
    qtbot.waitUntil(lambda: editor.form.row("/a") is not None)
    press(KEY.Key_F4)
    press(KEY.Key_F4)
    assert focused() is row(editor, "/a").field


def test_a_form_without_rows_still_hears_its_keys(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {}, known=None)
    press(KEY.Key_F4)
    press(KEY.Key_F4)
    assert editor.edited_as is EditedAs.FORM
    assert editor.has_focus
    press(KEY.Key_F4)
    assert focused() is editor.field


def test_text_that_is_json_and_no_object_is_nothing_for_the_form(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo"})
    retype(editor, "[1, 2]")
    qtbot.waitUntil(lambda: not editor.form.isEnabled())
    assert find(editor, TextLabel, "editor-message").text() == "Arguments are an object: { … }."
    assert row(editor, "/city").text == "Oslo"
