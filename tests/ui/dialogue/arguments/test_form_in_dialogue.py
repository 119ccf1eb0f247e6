"""The form beside the JSON in its card: turning from one to the other, unread text, other cards."""

import pytest
from pytestqt.qtbot import QtBot

from annotator.drafts.draft_body import OpenEditor
from scoring.model.case import Case
from scoring.model.labels import Finding
from scoring.model.taxonomy import Severity
from tests.factories import answer, call, case, task
from tests.ui.dialogue.arguments.both_parts import (
    CONTROL,
    KEY,
    SHIFT,
    focused,
    press,
    raw,
    retype,
    row,
    type_text,
)
from tests.ui.dialogue.arguments.test_fields import HOTEL
from tests.ui.find import find
from ui.dialogue.arguments.editor import JsonEditor
from ui.dialogue.arguments.model import EditedAs
from ui.dialogue.content import CardNotes
from ui.dialogue.view import DialogueView
from ui.theme import TextLabel


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
def view(view: DialogueView) -> DialogueView:
    """The dialogue's view on two calls of a hotel."""
    view.resize(600, 800)
    view.show_case(stay(), task=0)
    view.activateWindow()
    return view


def editor_in(view: DialogueView) -> JsonEditor:
    (found,) = (editor for editor in view.findChildren(JsonEditor) if editor.isVisible())
    return found


def open_both(view: DialogueView, qtbot: QtBot) -> JsonEditor:
    view.begin_edit(0, 0)
    editor = editor_in(view)
    qtbot.waitUntil(lambda: focused() is editor.field)
    press(KEY.Key_F4)
    press(KEY.Key_F4)
    return editor


def test_the_key_goes_round_and_the_last_choice_is_remembered(view: DialogueView, qtbot: QtBot) -> None:
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


def test_turning_forgets_neither_the_text_nor_where_one_is(view: DialogueView, qtbot: QtBot) -> None:
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


def test_tab_out_of_the_json_keeps_what_was_typed(view: DialogueView, qtbot: QtBot) -> None:
    view.begin_edit(0, 0)
    editor = editor_in(view)
    qtbot.waitUntil(lambda: focused() is editor.field)
    view.show_case(
        stay(), task=0, notes=CardNotes(findings=(differs(),))
    )  # the card says more while its editor is open
    retype(editor, '{"city": "Rome"}')
    with qtbot.waitSignal(view.edited, check_params_cb=lambda edit: edit.is_final) as signal:
        press(KEY.Key_Tab)
    assert signal.args[0].value == {"city": "Rome"}
    assert not view.is_editing


def test_text_put_back_beside_the_form_is_not_overwritten_by_a_row(view: DialogueView, qtbot: QtBot) -> None:
    editor = open_both(view, qtbot)
    view.type_again(OpenEditor(task=0, step=0, field="arguments", text='{"city": '))
    assert focused() is editor.field
    qtbot.waitUntil(lambda: not editor.form.isEnabled())
    assert raw(editor) == '{"city": '


def test_a_row_that_cannot_be_read_is_not_hidden_by_turning(view: DialogueView, qtbot: QtBot) -> None:
    editor = open_both(view, qtbot)
    row(editor, "/nights").field.setFocus()
    type_text("x")
    press(KEY.Key_F4)
    assert editor.edited_as is EditedAs.BOTH
    assert find(editor, TextLabel, "editor-message").text() == "This is not a number."


def test_turning_to_the_form_says_why_broken_json_does_not_open_it(view: DialogueView, qtbot: QtBot) -> None:
    view.begin_edit(0, 0)
    editor = editor_in(view)
    qtbot.waitUntil(lambda: focused() is editor.field)
    retype(editor, '{"city": ')
    press(KEY.Key_F4)
    assert find(editor, TextLabel, "editor-message").text() == (
        "The form opens once the JSON can be read. Line 1, column 10: a value is missing."
    )
    qtbot.wait(400)
    assert "The form opens" in find(editor, TextLabel, "editor-message").text()


def test_what_neither_part_can_read_yet_comes_back_in_both(view: DialogueView, qtbot: QtBot) -> None:
    unread = OpenEditor(task=0, step=0, field="arguments", text='{"city": ', rows=(("/nights", "12a"),))
    view.type_again(unread)
    assert editor_in(view).edited_as is EditedAs.BOTH
    qtbot.waitUntil(lambda: view.unread == unread)


def test_what_is_half_typed_in_the_json_is_told_as_unread(view: DialogueView, qtbot: QtBot) -> None:
    editor = open_both(view, qtbot)
    retype(editor, '{"city": ')
    qtbot.waitUntil(lambda: view.unread == OpenEditor(task=0, step=0, field="arguments", text='{"city": '))


def test_selecting_another_card_keeps_what_both_say(view: DialogueView, qtbot: QtBot) -> None:
    open_both(view, qtbot)
    type_text("!")
    with qtbot.waitSignal(view.edited, check_params_cb=lambda edit: edit.is_final) as signal:
        view.select(0, 1)
    assert signal.args[0].value == {"city": "!Oslo", "nights": 1}
    assert not view.is_editing


def test_where_one_goes_is_in_sight_in_a_low_window(view: DialogueView, qtbot: QtBot) -> None:
    view.resize(500, 220)
    editor = open_both(view, qtbot)
    row(editor, "/when").field.setFocus()
    for widget in (row(editor, "/when").field, editor.field):
        qtbot.wait(20)  # the card takes its height
        assert focused() is widget
        at = editor.field.cursorRect().center() if widget is editor.field else widget.rect().center()
        assert view.column.viewport().rect().contains(widget.mapTo(view.column.viewport(), at))
        press(KEY.Key_F4, SHIFT)


def test_what_is_given_up_right_after_a_step_is_given_back(view: DialogueView, qtbot: QtBot) -> None:
    open_both(view, qtbot)
    type_text("!")
    press(KEY.Key_F4, SHIFT)
    with qtbot.waitSignal(view.edited) as signal:
        press(KEY.Key_Escape)
    assert signal.args[0].value == {"city": "Oslo", "nights": 1}
    assert signal.args[0].is_final
