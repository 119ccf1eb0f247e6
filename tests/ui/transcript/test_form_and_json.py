"""The form and the JSON of a call's arguments at once: each follows the other and neither spoils it."""

import json

import pytest
from pydantic import JsonValue
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from scoring.model.case import Case, Tool
from scoring.model.labels import Finding
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Severity
from tests.factories import answer, call, case, task, tool
from tests.ui.find import find
from tests.ui.transcript.test_form_rows import HOTEL
from ui.theme import TextLabel
from ui.transcript.arguments_editor import ArgumentsEditor
from ui.transcript.content import Unread
from ui.transcript.field_context import EditedAs, FieldContext
from ui.transcript.form_fields import FormRowView
from ui.transcript.former_value import FormerValue
from ui.transcript.json_checking import JsonProblem
from ui.transcript.text_checker import LONG_TEXT, TextChecker
from ui.transcript.view import TranscriptView

KEY = Qt.Key
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier


def check_room(value: JsonValue) -> tuple[JsonProblem, ...]:
    is_good = not isinstance(value, dict) or value.get("room") != "cellar"
    return () if is_good else (JsonProblem(message="Nobody sleeps there.", path="/room"),)


def both(
    qtbot: QtBot, arguments: JsonObject, *, known: Tool | None = HOTEL, width: int = 560
) -> ArgumentsEditor:
    context = FieldContext(
        TextChecker(QApplication.instance()), check=check_room, tool=known, edited_as=EditedAs.BOTH
    )
    editor = ArgumentsEditor(arguments, context=context, name="Arguments")
    qtbot.addWidget(editor)
    editor.resize(width, 700)
    editor.show()
    editor.activateWindow()
    editor.begin()
    qtbot.waitUntil(lambda: editor.has_focus)
    return editor


def focused() -> QWidget:
    found = QApplication.focusWidget()
    assert found is not None
    return found


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    QTest.keyClick(focused(), key, modifiers)


def type_text(text: str) -> None:
    QTest.keyClicks(focused(), text)


def row(editor: ArgumentsEditor, path: str) -> FormRowView:
    found = editor.rows.row(path)
    assert found is not None
    return found


def raw(editor: ArgumentsEditor) -> str:
    return editor.field.text


def retype(editor: ArgumentsEditor, text: str) -> None:
    """Go to the JSON and type another text over all of it."""
    if focused() is not editor.field:
        press(KEY.Key_F4, SHIFT)
    editor.field.selectAll()
    editor.field.insertPlainText(text)


def marked(editor: ArgumentsEditor) -> list[str]:
    return [
        selection.cursor.selectedText()
        for selection in editor.field.extraSelections()
        if selection.cursor.selectedText() not in ("{", "}", "[", "]")
    ]


# from the form to the JSON


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


# from the JSON to the form


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
    qtbot.waitUntil(lambda: not editor.rows.isEnabled())
    assert row(editor, "/city").text == "Oslo"
    assert "until the JSON can be read" in "".join(label.text() for label in editor.findChildren(TextLabel))
    press(KEY.Key_F4, SHIFT)
    press(KEY.Key_Backtab, SHIFT)
    assert raw(editor) == '{"city": "Ber'
    assert not editor.is_closed


def test_json_that_is_mended_wakes_the_form(qtbot: QtBot, light: QApplication) -> None:
    editor = both(qtbot, {"city": "Oslo"})
    retype(editor, '{"city": "Ber')
    qtbot.waitUntil(lambda: not editor.rows.isEnabled())
    editor.field.moveCursor(QTextCursor.MoveOperation.End)
    type_text('gen"}')
    qtbot.waitUntil(editor.rows.isEnabled)
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
    assert editor.rows.refusal == ""


def test_long_json_shows_in_the_form_when_its_check_is_through(qtbot: QtBot, light: QApplication) -> None:
    long: JsonValue = [{"id": at} for at in range(LONG_TEXT // 5)]
    editor = both(qtbot, {"city": "Oslo", "rows": long})
    assert "too long for a field" in _line(editor, "/rows").placeholderText()
    assert _line(editor, "/rows").isReadOnly()
    press(KEY.Key_F4, SHIFT)
    cursor = editor.field.document().find("Oslo")
    editor.field.setTextCursor(cursor)
    type_text("Rome")
    assert row(editor, "/city").text == "Oslo"
    qtbot.waitUntil(lambda: row(editor, "/city").text == "Rome", timeout=5000)


def _line(editor: ArgumentsEditor, path: str) -> QLineEdit:
    field = row(editor, path).field
    assert isinstance(field, QLineEdit)
    return field


# both at the same place


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
    assert [view.row.path for view in editor.rows.views if view.is_marked] == ["/guests/0/age"]


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
    assert (editor.rows.accessibleName(), editor.field.accessibleName()) == (
        "Arguments, form", "Arguments, JSON",
    )  # fmt: skip


# what there is room for


@pytest.mark.parametrize(("width", "is_side_by_side"), [(560, False), (900, True)])
def test_they_stand_side_by_side_where_there_is_room(
    qtbot: QtBot, light: QApplication, width: int, is_side_by_side: bool
) -> None:
    editor = both(qtbot, {"city": "Oslo"}, width=width)
    assert editor.parts.is_side_by_side is is_side_by_side
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


# steps, and the end


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
    assert find(editor, FormerValue, "json-former").words == "Before: changed city"
    retype(editor, '{"city":"Oslo","nights":1}')
    press(KEY.Key_F, CONTROL | SHIFT)
    assert raw(editor) == '{\n  "city": "Oslo",\n  "nights": 1\n}'


# tools that say little


def test_a_tool_the_case_does_not_have_gives_a_row_for_each_argument(
    qtbot: QtBot, light: QApplication
) -> None:
    editor = both(qtbot, {"a": "x", "b": {"c": [1]}}, known=None)
    assert [view.row.path for view in editor.rows.views] == ["/a", "/b"]
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
    qtbot.waitUntil(lambda: editor.rows.row("/a") is not None)
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
    qtbot.waitUntil(lambda: not editor.rows.isEnabled())
    assert find(editor, TextLabel, "editor-message").text() == "Arguments are an object: { … }."
    assert row(editor, "/city").text == "Oslo"


# in the dialogue


def differs() -> Finding:
    return Finding(
        rule="args.differs",
        severity=Severity.WARNING,
        message="Value differs from its source.",
        task=0,
        step=0,
        path="/city",
        proposal="Las Vegas",
    )


def stay() -> Case:
    return case(
        task(call("bookHotel", city="Oslo", nights=1), call("bookHotel", city="Rome"), answer()),
        tools=[HOTEL],
    )


@pytest.fixture
def view(qtbot: QtBot, light: QApplication) -> TranscriptView:
    widget = TranscriptView()
    qtbot.addWidget(widget)
    widget.resize(600, 800)
    widget.show()
    widget.show_case(stay(), task=0)
    widget.activateWindow()
    return widget


def editor_in(view: TranscriptView) -> ArgumentsEditor:
    (found,) = (editor for editor in view.findChildren(ArgumentsEditor) if editor.isVisible())
    return found


def open_both(view: TranscriptView, qtbot: QtBot) -> ArgumentsEditor:
    view.begin_edit(0, 0)
    editor = editor_in(view)
    qtbot.waitUntil(lambda: focused() is editor.field)
    press(KEY.Key_F4)
    press(KEY.Key_F4)
    return editor


def test_the_key_goes_round_and_the_last_choice_is_remembered(view: TranscriptView, qtbot: QtBot) -> None:
    editor = open_both(view, qtbot)
    assert (editor.edited_as, editor.parts.room.isVisible(), editor.field.isVisible()) == (
        EditedAs.BOTH, True, True,
    )  # fmt: skip
    press(KEY.Key_Return, CONTROL)
    assert not view.is_editing
    view.begin_edit(0, 1)
    assert editor_in(view).edited_as is EditedAs.BOTH
    press(KEY.Key_F4)
    assert editor_in(view).edited_as is EditedAs.JSON
    assert focused() is editor_in(view).field


def test_turning_forgets_neither_the_text_nor_where_one_is(view: TranscriptView, qtbot: QtBot) -> None:
    view.begin_edit(0, 0)
    editor = editor_in(view)
    qtbot.waitUntil(lambda: focused() is editor.field)
    retype(editor, '{"city":"Oslo","nights":   7}')
    editor.field.setTextCursor(editor.field.document().find("7"))
    press(KEY.Key_F4)
    assert focused() is row(editor, "/nights").field
    press(KEY.Key_F4)
    assert focused() is row(editor, "/nights").field
    press(KEY.Key_F4)
    assert raw(editor) == '{"city":"Oslo","nights":   7}'
    assert editor.json_field.path_at_cursor == "/nights"


def test_tab_out_of_the_json_keeps_what_was_typed(view: TranscriptView, qtbot: QtBot) -> None:
    view.begin_edit(0, 0)
    editor = editor_in(view)
    qtbot.waitUntil(lambda: focused() is editor.field)
    view.show_case(stay(), task=0, findings=(differs(),))  # the card says more while its editor is open
    retype(editor, '{"city": "Rome"}')
    with qtbot.waitSignal(view.edited, check_params_cb=lambda edit: edit.is_final) as signal:
        press(KEY.Key_Tab)
    assert signal.args[0].value == {"city": "Rome"}
    assert not view.is_editing


def test_text_put_back_beside_the_form_is_not_overwritten_by_a_row(
    view: TranscriptView, qtbot: QtBot
) -> None:
    editor = open_both(view, qtbot)
    view.type_again(Unread(0, 0, "arguments", text='{"city": '))
    assert focused() is editor.field
    qtbot.waitUntil(lambda: not editor.rows.isEnabled())
    assert raw(editor) == '{"city": '


def test_a_row_that_cannot_be_read_is_not_hidden_by_turning(view: TranscriptView, qtbot: QtBot) -> None:
    editor = open_both(view, qtbot)
    row(editor, "/nights").field.setFocus()
    type_text("x")
    press(KEY.Key_F4)
    assert editor.edited_as is EditedAs.BOTH
    assert find(editor, TextLabel, "editor-message").text() == "This is not a number."


def test_what_neither_part_can_read_yet_comes_back_in_both(view: TranscriptView, qtbot: QtBot) -> None:
    unread = Unread(0, 0, "arguments", text='{"city": ', rows=(("/nights", "12a"),))
    view.type_again(unread)
    assert editor_in(view).edited_as is EditedAs.BOTH
    qtbot.waitUntil(lambda: view.unread == unread)


def test_what_is_half_typed_in_the_json_is_told_as_unread(view: TranscriptView, qtbot: QtBot) -> None:
    editor = open_both(view, qtbot)
    retype(editor, '{"city": ')
    qtbot.waitUntil(lambda: view.unread == Unread(0, 0, "arguments", text='{"city": '))


def test_selecting_another_card_keeps_what_both_say(view: TranscriptView, qtbot: QtBot) -> None:
    open_both(view, qtbot)
    type_text("!")
    with qtbot.waitSignal(view.edited, check_params_cb=lambda edit: edit.is_final) as signal:
        view.select(0, 1)
    assert signal.args[0].value == {"city": "!Oslo", "nights": 1}
    assert not view.is_editing


def test_where_one_goes_is_in_sight_in_a_low_window(view: TranscriptView, qtbot: QtBot) -> None:
    view.resize(500, 220)
    editor = open_both(view, qtbot)
    row(editor, "/when").field.setFocus()
    for widget in (row(editor, "/when").field, editor.field):
        qtbot.wait(20)  # the card takes its height
        assert focused() is widget
        at = editor.field.cursorRect().center() if widget is editor.field else widget.rect().center()
        assert view.column.viewport().rect().contains(widget.mapTo(view.column.viewport(), at))
        press(KEY.Key_F4, SHIFT)


def test_what_is_given_up_right_after_a_step_is_given_back(view: TranscriptView, qtbot: QtBot) -> None:
    open_both(view, qtbot)
    type_text("!")
    press(KEY.Key_F4, SHIFT)
    with qtbot.waitSignal(view.edited) as signal:
        press(KEY.Key_Escape)
    assert signal.args[0].value == {"city": "Oslo", "nights": 1}
    assert signal.args[0].is_final
