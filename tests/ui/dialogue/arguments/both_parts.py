"""The form and the JSON of a call's arguments open at once, and the keys pressed in them."""

from pydantic import JsonValue
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from scoring.model.case import Tool
from scoring.model.record import JsonObject
from tests.ui.dialogue.arguments.test_fields import HOTEL
from ui.dialogue.arguments.editor import JsonEditor
from ui.dialogue.arguments.form_row import FormRowView
from ui.dialogue.arguments.model import EditedAs, FieldContext, JsonProblem

KEY = Qt.Key

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier

NONE = Qt.KeyboardModifier.NoModifier


def check_room(value: JsonValue) -> tuple[JsonProblem, ...]:
    is_good = not isinstance(value, dict) or value.get("room") != "cellar"
    return () if is_good else (JsonProblem(message="Nobody sleeps there.", path="/room"),)


def both(qtbot: QtBot, arguments: JsonObject, *, known: Tool | None = HOTEL, width: int = 560) -> JsonEditor:
    context = FieldContext(check=check_room, tool=known, edited_as=EditedAs.BOTH)
    editor = JsonEditor(arguments, context=context, name="Arguments", has_form=True)
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


def row(editor: JsonEditor, path: str) -> FormRowView:
    found = editor.form.row(path)
    assert found is not None
    return found


def raw(editor: JsonEditor) -> str:
    return editor.field.text


def retype(editor: JsonEditor, text: str) -> None:
    """Go to the JSON and type another text over all of it."""
    if focused() is not editor.field:
        press(KEY.Key_F4, SHIFT)
    editor.field.selectAll()
    editor.field.insertPlainText(text)


def marked(editor: JsonEditor) -> list[str]:
    return [
        selection.cursor.selectedText()
        for selection in editor.field.extraSelections()
        if selection.cursor.selectedText() not in ("{", "}", "[", "]")
    ]


def line_of(editor: JsonEditor, path: str) -> QLineEdit:
    field = row(editor, path).field
    assert isinstance(field, QLineEdit)
    return field
