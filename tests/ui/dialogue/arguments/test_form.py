"""The form edits arguments with the signals of the JSON, by keys alone, and changes nothing by itself."""

import json

import pytest
import shiboken6
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from annotator.drafts.draft_body import OpenEditor
from scoring.model.record import JsonObject
from tests.factories import answer, call, case, task
from tests.ui.dialogue.arguments.test_fields import HOTEL
from tests.ui.dialogue.test_json_text import values
from ui.dialogue.arguments.completions import SeenValue
from ui.dialogue.arguments.editor import JsonEditor
from ui.dialogue.arguments.form import ArgumentForm
from ui.dialogue.arguments.form_row import FormRowView
from ui.dialogue.arguments.model import EditedAs, FieldContext, JsonProblem
from ui.dialogue.content import Edit
from ui.dialogue.view import DialogueView

KEY = Qt.Key
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def check_city(value: JsonValue) -> tuple[JsonProblem, ...]:
    is_good = isinstance(value, dict) and value.get("city") != "Atlantis"
    return () if is_good else (JsonProblem(message="There is no Atlantis.", path="/city"),)


def make_form(arguments: JsonObject) -> JsonEditor:
    context = FieldContext(
        check=check_city,
        tool=HOTEL,
        seen=lambda: (SeenValue("Bergen", "task 1, user"),),
        edited_as=EditedAs.FORM,
    )
    return JsonEditor(arguments, context=context, name="Arguments", has_form=True)


def form_of(qtbot: QtBot, app: QApplication, arguments: JsonObject) -> JsonEditor:
    form = make_form(arguments)
    qtbot.addWidget(form)
    form.resize(560, 400)
    form.show()
    form.activateWindow()
    form.begin()
    qtbot.waitUntil(lambda: form.has_focus)
    return form


def row(form: JsonEditor, path: str) -> FormRowView:
    found = form.form.row(path)
    assert found is not None
    return found


def focused() -> QWidget:
    found = QApplication.focusWidget()
    assert found is not None
    return found


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(focused(), key, modifiers)


def kept(qtbot: QtBot, form: JsonEditor) -> str:
    with qtbot.waitSignal(form.kept) as signal:
        form.keep()
    return json.dumps(signal.args[0])


def test_typing_is_told_after_a_pause_and_ended_with_the_field(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {"city": "Oslo"})
    with qtbot.waitSignal(form.typed) as typed:
        press(KEY.Key_End)
        QTest.keyClicks(focused(), "!")
    with qtbot.waitSignal(form.settled) as settled:
        press(KEY.Key_Down)
    assert typed.args == settled.args == [{"city": "Oslo!"}]


def test_a_choice_is_one_step(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {"city": "Oslo", "room": "single"})
    row(form, "/room").field.setFocus()
    with qtbot.waitSignal(form.settled) as settled:
        press(KEY.Key_Right)
    assert settled.args == [{"city": "Oslo", "room": "double"}]


def test_the_arrows_walk_from_field_to_field(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {"room": "single"})
    for path in ("/nights", "/price", "/breakfast", "/room"):
        press(KEY.Key_Down)
        assert focused() is row(form, path).field
    press(KEY.Key_Up)
    assert focused() is row(form, "/breakfast").field


def test_a_cleared_text_is_empty_and_not_left_out(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {"city": "O"})
    press(KEY.Key_End)
    press(KEY.Key_Backspace)
    assert kept(qtbot, form) == '{"city": ""}'


def test_keys_leave_an_argument_out_or_make_it_null(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {"city": "Oslo", "nights": 2})
    press(KEY.Key_0, CONTROL | SHIFT)
    press(KEY.Key_Down)
    press(KEY.Key_M, CONTROL | SHIFT)
    assert kept(qtbot, form) == '{"city": null}'


def test_a_list_grows_by_an_item_and_the_item_by_a_value(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {"city": "Oslo"})
    for _ in range(2):
        row(form, "/guests").field.setFocus()
        press(KEY.Key_Space)
    row(form, "/guests/0/age").field.setFocus()
    QTest.keyClicks(focused(), "7")
    assert kept(qtbot, form) == '{"city": "Oslo", "guests": [{"age": 7}]}'


def test_a_field_without_a_value_keeps_the_form_open_and_says_why(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {"nights": 2})
    row(form, "/nights").field.setFocus()
    QTest.keyClicks(focused(), "x")
    with qtbot.assertNotEmitted(form.kept):
        form.keep()
    assert form.form.refusal == "This is not a number."


def test_what_the_schema_says_stands_at_the_field(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {"city": "Atlantis"})
    assert row(form, "/city").problem == "There is no Atlantis."
    assert row(form, "/nights").problem == ""


def test_escape_gives_back_what_there_was(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {"city": "Oslo"})
    QTest.keyClicks(focused(), "x")
    with qtbot.waitSignal(form.given_up) as signal:
        press(KEY.Key_Escape)
    assert signal.args == [{"city": "Oslo"}]


def test_values_seen_before_are_listed_in_a_field(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {})
    press(KEY.Key_Space, CONTROL)
    press(KEY.Key_Return)
    assert kept(qtbot, form) == '{"city": "Bergen"}'


def test_a_field_is_read_out_with_name_state_and_meaning(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {"nights": None})
    assert row(form, "/city").field.accessibleName() == "city, left out"
    assert row(form, "/city").field.accessibleDescription() == "string, required. Where."
    assert row(form, "/nights").field.accessibleName() == "nights, null"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    arguments=st.dictionaries(
        st.sampled_from(["city", "nights", "price", "breakfast", "room", "guests", "contact", "when", "x"]),
        values | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_a_form_kept_untouched_gives_back_the_very_arguments(
    light: QApplication, arguments: JsonObject
) -> None:
    form = make_form(arguments)
    told: list[JsonValue] = []
    form.typed.connect(told.append)
    form.settled.connect(told.append)
    form.kept.connect(told.append)
    form.begin()
    form.keep()
    shiboken6.delete(form)
    assert [json.dumps(value) for value in told] == [json.dumps(arguments)]


# in the dialogue


@pytest.fixture
def view(qtbot: QtBot, light: QApplication) -> DialogueView:
    widget = DialogueView()
    qtbot.addWidget(widget)
    widget.resize(600, 700)
    widget.show()
    made = call("bookHotel", city="Oslo", room="single")
    widget.show_case(case(task(made, answer("Done.")), tools=[HOTEL]), task=0)
    widget.activateWindow()
    return widget


def editor_in(view: DialogueView) -> JsonEditor:
    found = view.findChildren(JsonEditor)
    assert len(found) == 1
    return found[0]


def turn_to_form(view: DialogueView, qtbot: QtBot) -> JsonEditor:
    view.begin_edit(0, 0)
    qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QPlainTextEdit))
    press(KEY.Key_F4)
    return editor_in(view)


def test_a_key_turns_from_json_to_the_form_and_back(view: DialogueView, qtbot: QtBot) -> None:
    form = turn_to_form(view, qtbot)
    assert view.is_editing
    QTest.keyClicks(row(form, "/city").field, "!")
    press(KEY.Key_F4)
    press(KEY.Key_F4)
    fields = [field for field in view.findChildren(QPlainTextEdit) if field.isVisible()]
    assert [json.loads(field.toPlainText()) for field in fields] == [{"city": "!Oslo", "room": "single"}]


def test_the_form_is_remembered_for_the_next_call(view: DialogueView, qtbot: QtBot) -> None:
    turn_to_form(view, qtbot)
    press(KEY.Key_Return, CONTROL)
    assert not view.is_editing
    view.begin_edit(0, 0)
    assert isinstance(focused().parentWidget(), FormRowView)


def test_broken_json_does_not_turn_into_a_form(view: DialogueView, qtbot: QtBot) -> None:
    view.begin_edit(0, 0)
    qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QPlainTextEdit))
    QTest.keyClicks(focused(), "x")
    press(KEY.Key_F4)
    assert [rows for rows in view.findChildren(ArgumentForm) if rows.isVisible()] == []


def test_a_choice_in_the_form_is_a_final_edit_and_the_form_stays(view: DialogueView, qtbot: QtBot) -> None:
    form = turn_to_form(view, qtbot)
    row(form, "/room").field.setFocus()
    with qtbot.waitSignal(view.edited) as signal:
        press(KEY.Key_Right)
    value = {"city": "Oslo", "room": "double"}
    assert signal.args == [Edit(task=0, step=0, field="arguments", value=value, is_final=True)]
    assert view.is_editing


def test_leaving_the_form_keeps_it(view: DialogueView, qtbot: QtBot) -> None:
    form = turn_to_form(view, qtbot)
    QTest.keyClicks(row(form, "/city").field, "!")
    with qtbot.waitSignal(view.edited, check_params_cb=lambda edit: edit.is_final) as signal:
        view.select(0, 1)
    assert signal.args[0].value == {"city": "!Oslo", "room": "single"}
    assert not view.is_editing


def test_what_does_not_read_yet_is_typed_again_in_another_form(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {"city": "Oslo", "nights": 1})
    row(form, "/nights").field.setFocus()
    with qtbot.waitSignal(form.checked):
        press(KEY.Key_End)
        QTest.keyClicks(focused(), "2a")
    assert form.form.unread == (("/nights", "12a"),)
    other = form_of(qtbot, light, {"city": "Oslo", "nights": 1})
    other.type_again("", form.form.unread)
    assert row(other, "/nights").text == "12a"
    assert row(other, "/nights").problem == "This is not a number."
    assert other.form.refusal


def test_what_does_not_read_yet_stays_when_another_row_changes(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {"city": "Oslo", "nights": 1, "room": "single"})
    row(form, "/nights").field.setFocus()
    QTest.keyClicks(focused(), "x")
    row(form, "/room").field.setFocus()
    press(KEY.Key_Right)
    assert form.form.refusal
    assert dict(form.form.unread).keys() == {"/nights"}


def test_leaving_an_argument_out_drops_what_did_not_read(qtbot: QtBot, light: QApplication) -> None:
    form = form_of(qtbot, light, {"city": "Oslo", "nights": 1})
    row(form, "/nights").field.setFocus()
    QTest.keyClicks(focused(), "x")
    press(KEY.Key_M, CONTROL | SHIFT)
    assert form.form.unread == ()
    assert kept(qtbot, form) == '{"city": "Oslo"}'


def test_a_dialogue_opens_the_form_again_with_what_did_not_read(qtbot: QtBot, light: QApplication) -> None:
    shown = case(task(call("bookHotel", city="Oslo", nights=1), answer()), tools=[HOTEL])
    view = DialogueView()
    qtbot.addWidget(view)
    view.resize(600, 600)
    view.show()
    view.show_case(shown, task=0)
    unread = OpenEditor(task=0, step=0, field="arguments", rows=(("/nights", "12a"),))
    view.type_again(unread)
    assert view.unread == unread
