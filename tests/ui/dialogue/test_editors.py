"""Editors keep, give up and check what is typed."""

import time
from collections.abc import Sequence

from pydantic import JsonValue
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from scoring.model.taxonomy import Severity
from tests.factories import tool
from tests.ui.cut import cut
from tests.ui.find import find
from ui.dialogue.arguments.completions import SeenValue
from ui.dialogue.arguments.editor import FormerValue, JsonEditor
from ui.dialogue.arguments.model import FieldContext, JsonProblem
from ui.dialogue.block import TextBlock
from ui.dialogue.editors import FieldEditor, PlainEditor, result_editor, text_editor
from ui.theme import TextLabel

CONTROL = Qt.KeyboardModifier.ControlModifier


def check_city(value: JsonValue) -> Sequence[JsonProblem]:
    if isinstance(value, dict) and isinstance(value.get("city"), str):
        return ()
    return (JsonProblem(message="city is missing", severity=Severity.WARNING),)


def json_editor(qtbot: QtBot, value: JsonValue) -> JsonEditor:
    context = FieldContext(check=check_city)
    editor = JsonEditor(value, context=context, name="Arguments", has_form=True)
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
    with qtbot.waitSignal(editor.typed) as signal:
        retype(editor, "after")
    assert signal.args == ["after"]


def test_broken_json_is_explained_and_not_kept(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"city": "Oslo"})
    retype(editor, '{"city": "Oslo"')
    with qtbot.assertNotEmitted(editor.kept):
        editor.keep()
    assert message(editor) == "Line 1, column 16: a comma or a closing bracket is missing."
    assert editor.isVisible()


def test_an_editor_has_the_sign_of_something_wrong_only_beside_words(
    qtbot: QtBot, light: QApplication
) -> None:
    plain = text_editor("before", name="Request")
    qtbot.addWidget(plain)
    plain.show()
    assert cut(plain) == []
    plain.foot.say("It must say something.", "error")
    assert plain.foot.message.property("look") == "error"
    plain.foot.say("", "error")
    assert cut(plain) == []


def test_a_warning_of_the_schema_is_shown_but_kept(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"city": "Oslo"})
    retype(editor, "{}")
    qtbot.waitUntil(lambda: message(editor) == "city is missing")
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


# completion


CITY_TOOL = tool("getForecast", required=["city"], city={"type": "string"}, unit={"enum": ["C", "F"]})


def completing_editor(
    qtbot: QtBot, text: str, *, seen: tuple[SeenValue, ...] = (SeenValue("Oslo", "task 1, user"),)
) -> JsonEditor:
    context = FieldContext(tool=CITY_TOOL, seen=lambda: seen)
    editor = JsonEditor({}, context=context, name="Arguments", has_form=True)
    qtbot.addWidget(editor)
    editor.resize(420, 320)
    editor.show()
    retype(editor, text)
    return editor


def offered(editor: JsonEditor) -> list[str]:
    return [offer.text for offer in editor.json_field.popup.offers]


def test_control_and_space_list_what_can_be_written(qtbot: QtBot, light: QApplication) -> None:
    editor = completing_editor(qtbot, "{")
    QTest.keyClick(editor.field, Qt.Key.Key_Space, CONTROL)
    assert offered(editor) == ['"city"', '"unit"']


def test_typing_in_a_name_lists_what_fits_and_tab_writes_it(qtbot: QtBot, light: QApplication) -> None:
    editor = completing_editor(qtbot, "{")
    QTest.keyClicks(editor.field, '"u')
    assert offered(editor) == ['"unit"']
    QTest.keyClick(editor.field, Qt.Key.Key_Tab)
    assert editor.field.toPlainText() == '{"unit": '
    assert editor.json_field.popup.isHidden()


def test_the_arrows_choose_and_enter_writes_a_value(qtbot: QtBot, light: QApplication) -> None:
    editor = completing_editor(qtbot, '{"unit": ')
    QTest.keyClick(editor.field, Qt.Key.Key_Space, CONTROL)
    QTest.keyClick(editor.field, Qt.Key.Key_Down)
    QTest.keyClick(editor.field, Qt.Key.Key_Return)
    assert editor.field.toPlainText() == '{"unit": "F"'


def test_enter_breaks_the_line_behind_a_number_that_is_finished(qtbot: QtBot, light: QApplication) -> None:
    editor = completing_editor(qtbot, '{"zip": ', seen=(SeenValue(25, "0/1"), SeenValue(57, "0/2")))
    QTest.keyClicks(editor.field, "5")
    assert offered(editor) == ["57"]  # a 5 in 25 is another number
    QTest.keyClick(editor.field, Qt.Key.Key_Return)
    assert editor.field.toPlainText() == '{"zip": 5\n'
    assert editor.json_field.popup.isHidden()


def test_enter_takes_an_offer_that_nobody_asked_for_once_somebody_moved_to_it(
    qtbot: QtBot, light: QApplication
) -> None:
    editor = completing_editor(qtbot, '{"zip": ', seen=(SeenValue(57, "0/2"),))
    QTest.keyClicks(editor.field, "5")
    QTest.keyClick(editor.field, Qt.Key.Key_Down)
    QTest.keyClick(editor.field, Qt.Key.Key_Return)
    assert editor.field.toPlainText() == '{"zip": 57'


def test_enter_completes_a_text_whose_quote_is_open(qtbot: QtBot, light: QApplication) -> None:
    editor = completing_editor(qtbot, '{"city": ')
    QTest.keyClicks(editor.field, '"o')
    QTest.keyClick(editor.field, Qt.Key.Key_Return)
    assert editor.field.toPlainText() == '{"city": "Oslo"'


def test_escape_closes_the_list_and_not_the_editor(qtbot: QtBot, light: QApplication) -> None:
    editor = completing_editor(qtbot, "{")
    QTest.keyClick(editor.field, Qt.Key.Key_Space, CONTROL)
    with qtbot.assertNotEmitted(editor.given_up):
        QTest.keyClick(editor.field, Qt.Key.Key_Escape)
    assert editor.json_field.popup.isHidden()


def test_a_value_seen_before_names_its_place_beside_it(qtbot: QtBot, light: QApplication) -> None:
    editor = completing_editor(qtbot, '{"city": ')
    QTest.keyClicks(editor.field, '"o')
    assert [(offer.text, offer.note) for offer in editor.json_field.popup.offers] == [
        ('"Oslo"', "task 1, user")
    ]


def test_a_word_that_is_finished_offers_nothing_more(qtbot: QtBot, light: QApplication) -> None:
    editor = completing_editor(qtbot, "{")
    QTest.keyClicks(editor.field, '"unit')
    assert editor.json_field.popup.isHidden()


# what there was before


def test_the_difference_from_the_value_before_is_shown(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"city": "Oslo"})
    retype(editor, '{"city": "Bergen"}')
    QTest.keyClick(editor.field, Qt.Key.Key_D, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    former = find(editor, FormerValue, "json-former")
    assert former.words.text() == "Before: changed city"
    assert find(former, TextBlock, "json-former-text").text == '{ "city": "Oslo" }'


def test_beside_broken_json_the_value_before_is_shown_as_well(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"city": "Oslo"})
    retype(editor, '{"city": "Ber')
    QTest.keyClick(editor.field, Qt.Key.Key_D, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert find(editor, TextBlock, "json-former-text").text == '{ "city": "Oslo" }'


def test_a_number_that_becomes_true_is_a_change(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"n": 1})
    with qtbot.waitSignal(editor.typed) as signal:
        retype(editor, '{"n": true}')
    assert signal.args[0]["n"] is True


def test_characters_nobody_sees_survive_an_editor_left_untouched(qtbot: QtBot, light: QApplication) -> None:
    text = "a\u00a0b\r\nc\u2028d"
    for editor in (text_editor(text, name="Request"), json_editor(qtbot, {"t": text})):
        qtbot.addWidget(editor)
        with qtbot.waitSignal(editor.kept) as signal:
            editor.keep()
        assert signal.args == [text] or signal.args == [{"t": text}]


def test_characters_nobody_sees_are_written_as_escapes(qtbot: QtBot, light: QApplication) -> None:
    editor = json_editor(qtbot, {"t": "a\u2028b\u202ec"})
    assert r'"a\u2028b\u202ec"' in editor.field.toPlainText()


# long texts


def test_what_is_wrong_in_a_long_text_is_marked_after_a_pause(qtbot: QtBot, light: QApplication) -> None:
    def check(value: JsonValue) -> Sequence[JsonProblem]:
        return (JsonProblem(message="Wrong.", path="/rows/4999"),) if "!" in str(value) else ()

    value: JsonValue = {"rows": ["x" * 40] * 5_000}
    editor = JsonEditor(value, context=FieldContext(check=check), name="Observation")
    qtbot.addWidget(editor)
    retype(editor, editor.field.text[:-8] + '!"\n  ]\n}')
    qtbot.waitUntil(lambda: message(editor) == "Wrong.")
    (marked,) = editor.field.extraSelections()
    assert marked.cursor.selectedText().endswith('x!"')


def test_somebody_who_never_pauses_is_heard_every_350_milliseconds(qtbot: QtBot, light: QApplication) -> None:
    field = PlainEditor("", pause=150)
    qtbot.addWidget(field)
    heard: list[str] = []
    field.paused.connect(lambda: heard.append(field.text))
    began = time.monotonic()
    while len(heard) < 2 and time.monotonic() - began < 10:
        QTest.keyClicks(field, "x")
        qtbot.wait(30)
    assert len(heard) == 2
    assert len(heard[0]) < len(heard[-1])
