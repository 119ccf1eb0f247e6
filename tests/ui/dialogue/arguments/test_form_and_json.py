"""The form and the JSON of a call's arguments at once: what is typed in one shows in the other."""

import json
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QComboBox
from pytestqt.qtbot import QtBot

from tests.factories import tool
from tests.ui.dialogue.arguments.both_parts import (
    CONTROL,
    KEY,
    SHIFT,
    both,
    focused,
    line_of,
    marked,
    press,
    raw,
    retype,
    row,
    type_text,
)
from tests.ui.find import find
from ui.theme import TextLabel

if TYPE_CHECKING:
    from pydantic import JsonValue


def test_a_letter_in_the_form_stands_in_the_json_at_once(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo", "nights": 2})
    press(KEY.Key_End)
    type_text("!")
    assert json.loads(raw(editor)) == {"city": "Oslo!", "nights": 2}


def test_what_is_not_changed_stays_as_it_was_written(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {})
    retype(editor, '{"city":"🙂 Oslo",   "nights" : 2,\n\n "x": [1,2]}')
    press(KEY.Key_F4, SHIFT)
    row(editor, "/nights").field.setFocus()
    press(KEY.Key_End)
    type_text("1")
    assert raw(editor) == '{"city":"🙂 Oslo",   "nights" : 21,\n\n "x": [1,2]}'


def test_an_item_added_in_the_form_is_written_under_the_others(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"guests": [{"age": 7}]})
    row(editor, "/guests").field.setFocus()
    press(KEY.Key_Space)
    row(editor, "/guests/1/age").field.setFocus()
    type_text("41")
    assert json.loads(raw(editor)) == {"guests": [{"age": 7}, {"age": 41}]}
    assert raw(editor).startswith('{\n  "guests": [\n    {\n      "age": 7\n    },\n    {\n')


def test_an_argument_left_out_goes_from_the_json(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo", "nights": 2})
    press(KEY.Key_M, CONTROL | SHIFT)
    assert raw(editor) == '{\n  "nights": 2\n}'


def test_what_is_typed_in_one_field_is_undone_at_once_in_the_json(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo"})
    before = raw(editor)
    type_text("abc")
    press(KEY.Key_F4, SHIFT)
    press(KEY.Key_Z, CONTROL)
    assert raw(editor) == before
    qtbot.waitUntil(lambda: row(editor, "/city").text == "Oslo")


def test_json_that_reads_shows_in_the_form(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo"})
    retype(editor, '{"city": "Bergen", "room": "single", "guests": [{"age": 3}], "extra": 1}')
    qtbot.waitUntil(lambda: row(editor, "/city").text == "Bergen")
    choice = row(editor, "/room").field
    assert isinstance(choice, QComboBox)
    assert choice.currentText() == "single"
    assert row(editor, "/guests/0/age").text == "3"
    assert not row(editor, "/extra").row.is_declared


def test_rows_that_stay_are_the_same_widgets(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo", "nights": 1})
    kept = row(editor, "/nights")
    retype(editor, '{"city": "Oslo", "nights": 2, "guests": []}')
    qtbot.waitUntil(lambda: row(editor, "/nights").text == "2")
    assert row(editor, "/nights") is kept


def test_while_the_json_does_not_read_the_form_waits_and_says_so(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo"})
    retype(editor, '{"city": "Ber')
    qtbot.waitUntil(lambda: not editor.form.isEnabled())
    assert row(editor, "/city").text == "Oslo"
    assert "until the JSON can be read" in "".join(label.text() for label in editor.findChildren(TextLabel))
    press(KEY.Key_F4, SHIFT)
    press(KEY.Key_Backtab, SHIFT)
    assert raw(editor) == '{"city": "Ber'
    assert not editor.is_closed


def test_json_that_is_mended_wakes_the_form(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo"})
    retype(editor, '{"city": "Ber')
    qtbot.waitUntil(lambda: not editor.form.isEnabled())
    editor.field.moveCursor(QTextCursor.MoveOperation.End)
    type_text('gen"}')
    qtbot.waitUntil(editor.form.isEnabled)
    assert row(editor, "/city").text == "Bergen"


def test_the_form_shows_the_newest_json_however_soon_one_goes_there(
    qtbot: QtBot, light: QApplication
) -> None:
    editor = both(qtbot, {"city": "Oslo"})
    retype(editor, '{"city": "Bergen", "nights": 3}')
    press(KEY.Key_F4, SHIFT)
    row(editor, "/nights").field.setFocus()
    press(KEY.Key_End)
    type_text("0")
    assert json.loads(raw(editor)) == {"city": "Bergen", "nights": 30}


def test_what_no_value_is_yet_stays_in_its_row_while_the_json_changes_elsewhere(
    qtbot: QtBot, light: QApplication
) -> None:
    editor = both(qtbot, {"city": "Oslo", "nights": 1})
    row(editor, "/nights").field.setFocus()
    type_text("x")
    retype(editor, '{"city": "Bergen", "nights": 1}')
    qtbot.waitUntil(lambda: row(editor, "/city").text == "Bergen")
    assert row(editor, "/nights").text == "x1"
    retype(editor, '{"city": "Bergen", "nights": 5}')
    qtbot.waitUntil(lambda: row(editor, "/nights").text == "5")
    assert editor.form.refusal == ""


def test_long_json_shows_in_the_form_and_is_edited_beside_it(qtbot: QtBot, light: QApplication) -> None:
    long: JsonValue = [{"id": at} for at in range(2_000)]
    editor = both(qtbot, {"city": "Oslo", "rows": long})
    assert "too long for a field" in line_of(editor, "/rows").placeholderText()
    assert line_of(editor, "/rows").isReadOnly()
    press(KEY.Key_F4, SHIFT)
    cursor = editor.field.document().find("Oslo")
    editor.field.setTextCursor(cursor)
    type_text("Rome")
    qtbot.waitUntil(lambda: row(editor, "/city").text == "Rome")


def test_a_row_shows_its_place_in_the_json(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo", "nights": 12})
    assert marked(editor) == ['"Oslo"']
    press(KEY.Key_Down)
    assert marked(editor) == ["12"]
    type_text("3")
    assert marked(editor) == ["312"]
    press(KEY.Key_Down)
    assert marked(editor) == []  # the price is left out


def test_the_row_of_the_cursor_is_marked(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo", "guests": [{"age": 7}]})
    press(KEY.Key_F4, SHIFT)
    editor.field.setTextCursor(editor.field.document().find("7"))
    qtbot.waitUntil(lambda: row(editor, "/guests/0/age").is_marked)
    assert [view.row.path for view in editor.form.views if view.is_marked] == ["/guests/0/age"]


def test_a_key_goes_to_the_same_value_in_the_other_part(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo", "nights": 12, "room": "single"})
    press(KEY.Key_Down)
    press(KEY.Key_F4, SHIFT)
    assert focused() is editor.field
    assert editor.json_field.path_at_cursor == "/nights"
    editor.field.setTextCursor(editor.field.document().find("single"))
    press(KEY.Key_F4, SHIFT)
    assert focused() is row(editor, "/room").field


def test_tab_goes_through_the_rows_and_then_into_the_json(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo", "extra": True}, known=tool("t", city={"type": "string"}))
    for expected in (row(editor, "/city").field, row(editor, "/extra").field, editor.field):
        assert focused() is expected
        press(KEY.Key_Tab)
    editor.field.setFocus()
    press(KEY.Key_Backtab, SHIFT)
    assert focused() is row(editor, "/extra").field


def test_what_is_wrong_is_marked_in_both(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"room": "cellar"})
    assert row(editor, "/room").problem == "Nobody sleeps there."
    assert '"cellar"' in marked(editor)
    press(KEY.Key_F4, SHIFT)
    assert find(editor, TextLabel, "editor-message").text() == "Nobody sleeps there."


def test_both_parts_are_named_for_screen_readers(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo"})
    assert (editor.form.accessibleName(), editor.field.accessibleName()) == (
        "Arguments, form", "Arguments, JSON",
    )  # fmt: skip
