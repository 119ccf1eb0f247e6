"""Editors keep, give up and check what is typed."""

from collections.abc import Sequence

from pydantic import JsonValue
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from scoring.model.taxonomy import Severity
from tests.ui.find import find
from ui.theme import TextLabel
from ui.transcript.editors import FieldEditor, result_editor, text_editor
from ui.transcript.json_checking import JsonProblem
from ui.transcript.json_editor import JsonEditor

CONTROL = Qt.KeyboardModifier.ControlModifier


def check_city(value: JsonValue) -> Sequence[JsonProblem]:
    if isinstance(value, dict) and isinstance(value.get("city"), str):
        return ()
    return (JsonProblem(message="city is missing", severity=Severity.WARNING),)


def json_editor(qtbot: QtBot, value: JsonValue) -> JsonEditor:
    editor = JsonEditor(value, check=check_city, name="Arguments", must_be_object=True)
    qtbot.addWidget(editor)
    editor.resize(400, 200)
    editor.show()
    return editor


def retype(editor: FieldEditor, text: str) -> None:
    editor.field.selectAll()
    editor.field.insertPlainText(text)


def message(editor: FieldEditor) -> str:
    return find(editor, TextLabel, "editor-message").text()


def test_control_and_enter_keep_a_text(qtbot: QtBot, light: QApplication) -> None:
    editor = text_editor("before", name="Request")
    qtbot.addWidget(editor)
    retype(editor, "after")
    with qtbot.waitSignal(editor.kept) as signal:
        QTest.keyClick(editor.field, Qt.Key.Key_Return, CONTROL)
    assert signal.args == ["after"]


def test_escape_gives_back_the_value_before(qtbot: QtBot, light: QApplication) -> None:
    editor = text_editor("before", name="Request")
    qtbot.addWidget(editor)
    retype(editor, "after")
    with qtbot.waitSignal(editor.given_up) as signal:
        QTest.keyClick(editor.field, Qt.Key.Key_Escape)
    assert signal.args == ["before"]


def test_an_editor_closes_only_once(qtbot: QtBot, light: QApplication) -> None:
    editor = text_editor("before", name="Request")
    qtbot.addWidget(editor)
    editor.give_up()
    with qtbot.assertNotEmitted(editor.kept):
        editor.keep()


def test_typing_is_told_after_a_pause(qtbot: QtBot, light: QApplication) -> None:
    editor = text_editor("before", name="Request")
    qtbot.addWidget(editor)
    with qtbot.waitSignal(editor.typed, timeout=2000) as signal:
        retype(editor, "after")
    assert signal.args == ["after"]


def test_broken_json_is_explained_and_not_kept(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"city": "Oslo"})
    retype(editor, '{"city": "Oslo"')
    with qtbot.assertNotEmitted(editor.kept):
        editor.keep()
    assert message(editor) == "Line 1, column 16: a comma or a closing bracket is missing."
    assert editor.isVisible()


def test_a_warning_of_the_schema_is_shown_but_kept(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"city": "Oslo"})
    retype(editor, "{}")
    qtbot.waitUntil(lambda: message(editor) == "city is missing", timeout=2000)
    with qtbot.waitSignal(editor.kept) as signal:
        editor.keep()
    assert signal.args == [{}]


def test_json_is_told_while_typing_only_where_it_can_be_read(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"city": "Oslo"})
    with qtbot.assertNotEmitted(editor.typed, wait=400):
        retype(editor, '{"city": ')


def test_opening_an_editor_tells_no_change(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"city": "Oslo"})
    with qtbot.assertNotEmitted(editor.typed, wait=400):
        editor.field.moveCursor(QTextCursor.MoveOperation.End)


def test_format_indents_what_was_typed(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"city": "Oslo"})
    retype(editor, '{"city":"Oslo","n":[1]}')
    QTest.mouseClick(find(editor, QPushButton, "json-format"), Qt.MouseButton.LeftButton)
    assert editor.field.toPlainText() == '{\n  "city": "Oslo",\n  "n": [\n    1\n  ]\n}'


def test_enter_keeps_the_indentation(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"city": "Oslo"})
    retype(editor, '{\n  "a": [')
    QTest.keyClick(editor.field, Qt.Key.Key_Return)
    assert editor.field.toPlainText().endswith("[\n    ")


def test_brackets_at_the_cursor_are_marked(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"city": "Oslo"})
    editor.field.moveCursor(QTextCursor.MoveOperation.Start)
    places = {selection.cursor.selectionStart() for selection in editor.field.extraSelections()}
    assert places == {0, len(editor.field.toPlainText()) - 1}


def test_json_is_coloured(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"city": "Oslo"})
    block = editor.field.document().findBlockByNumber(1)
    qtbot.waitUntil(lambda: len(block.layout().formats()) >= 2)


def test_an_observation_written_as_an_object_becomes_one(qtbot: QtBot, light: QApplication) -> None:
    editor = result_editor(None, name="Observation")
    qtbot.addWidget(editor)
    retype(editor, '{"ok": true}')
    with qtbot.waitSignal(editor.kept) as signal:
        editor.keep()
    assert signal.args == [{"ok": True}]


def test_an_observation_that_is_a_text_stays_a_text(qtbot: QtBot, light: QApplication) -> None:
    editor = result_editor("fine", name="Observation")
    qtbot.addWidget(editor)
    retype(editor, "[1]")
    with qtbot.waitSignal(editor.kept) as signal:
        editor.keep()
    assert signal.args == ["[1]"]


def test_nothing_written_stays_not_recorded(qtbot: QtBot, light: QApplication) -> None:
    editor = result_editor(None, name="Observation")
    qtbot.addWidget(editor)
    with qtbot.waitSignal(editor.kept) as signal:
        editor.keep()
    assert signal.args == [None]
