"""Texts and values are edited in their cards; the case itself never changes here."""

from collections.abc import Sequence

import pytest
from pydantic import JsonValue
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from tests.factories import answer, call, case, task
from tests.ui.dialogue.dialogue import block, dialogue, differs, editor, focus, press
from ui.dialogue.arguments.model import JsonProblem
from ui.dialogue.content import USER_STEP, CardNotes, Edit
from ui.dialogue.view import DialogueView

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


def test_enter_edits_the_arguments_and_control_enter_keeps_them(view: DialogueView, qtbot: QtBot) -> None:
    focus(view, qtbot)
    press(view, Qt.Key.Key_Down, Qt.Key.Key_Return)
    field = editor(view)
    field.selectAll()
    field.insertPlainText('{"city": "Las Vegas"}')
    with qtbot.waitSignal(view.edited, check_params_cb=lambda edit: edit.is_final) as signal:
        QTest.keyClick(field, Qt.Key.Key_Return, CONTROL)
    assert signal.args == [Edit(task=1, step=0, field="arguments", value={"city": "Las Vegas"})]
    assert not view.is_editing


@pytest.mark.parametrize("opens_with", ["Enter", "a double click"])
def test_the_editor_of_an_answer_below_is_brought_into_sight(
    view: DialogueView, qtbot: QtBot, opens_with: str
) -> None:
    long = answer("\n\n".join(["One more line."] * 7))
    view.resize(600, 330)
    view.show_case(case(task(call("look", text="word " * 60), long)), task=0)
    focus(view, qtbot)
    press(view, Qt.Key.Key_Down, Qt.Key.Key_Down)
    if opens_with == "Enter":
        press(view, Qt.Key.Key_Return)
    else:
        QTest.mouseDClick(block(view, (0, 1), "text"), LEFT)
    card, room = view.column.card((0, 1)), view.column.viewport().rect()
    assert card is not None
    assert card.is_editing
    qtbot.waitUntil(lambda: room.contains(card.geometry()))


def test_the_keys_stay_with_the_card_after_an_edit(view: DialogueView, qtbot: QtBot) -> None:
    focus(view, qtbot)
    press(view, Qt.Key.Key_Down, Qt.Key.Key_Return)
    QTest.keyClick(editor(view), Qt.Key.Key_Return, CONTROL)
    press(view, Qt.Key.Key_Down)
    assert view.current == (1, 1)


def test_escape_puts_the_former_value_back(view: DialogueView, qtbot: QtBot) -> None:
    view.begin_edit(1, USER_STEP)
    field = editor(view)
    with qtbot.waitSignal(view.edited):
        field.insertPlainText("Hm. ")
    with qtbot.waitSignal(view.edited) as signal:
        QTest.keyClick(field, Qt.Key.Key_Escape)
    assert signal.args == [Edit(task=1, step=None, field="user", value="And there?")]


def test_an_editor_left_untouched_says_nothing(view: DialogueView, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(view.edited, wait=300):
        view.begin_edit(1, 2)
        QTest.keyClick(editor(view), Qt.Key.Key_Return, CONTROL)


def test_losing_the_focus_keeps_what_was_typed(view: DialogueView, qtbot: QtBot) -> None:
    focus(view, qtbot)
    view.begin_edit(1, USER_STEP)
    editor(view).insertPlainText("Hm. ")
    with qtbot.waitSignal(view.edited, check_params_cb=lambda edit: edit.is_final) as signal:
        QTest.mouseClick(block(view, (1, 2), "text"), LEFT)
    assert signal.args[0].value == "Hm. And there?"


def test_alt_enter_edits_the_observation(view: DialogueView, qtbot: QtBot) -> None:
    view.select(1, 1)
    QTest.keyClick(view, Qt.Key.Key_Return, Qt.KeyboardModifier.AltModifier)
    editor(view).insertPlainText('{"ok": 1}')
    with qtbot.waitSignal(view.edited, check_params_cb=lambda edit: edit.is_final) as signal:
        QTest.keyClick(editor(view), Qt.Key.Key_Return, CONTROL)
    assert signal.args == [Edit(task=1, step=1, field="observation", value={"ok": 1})]


def test_a_double_click_edits_the_text_under_it(view: DialogueView) -> None:
    QTest.mouseDClick(block(view, (1, 2), "text"), LEFT)
    assert editor(view).toPlainText() == "# Fine\n\nAll *good*."


def test_json_is_checked_for_the_place_it_stands_at(qtbot: QtBot, light: QApplication) -> None:
    asked: list[tuple[int, int, str]] = []

    def check(number: int, step: int, field: str, value: JsonValue) -> Sequence[JsonProblem]:
        asked.append((number, step, field))
        return ()

    view = DialogueView(check=check)
    qtbot.addWidget(view)
    view.resize(600, 700)
    view.show()
    view.show_case(dialogue(), task=1)
    view.begin_edit(1, 0)
    assert asked
    assert set(asked) == {(1, 0, "arguments")}


def test_an_open_editor_survives_the_next_value_of_the_case(view: DialogueView) -> None:
    view.begin_edit(1, USER_STEP)
    editor(view).insertPlainText("Hm. ")
    changed = dialogue().model_copy(update={"language": "de"})
    view.show_case(changed, task=1, notes=CardNotes(findings=[differs()]))
    assert editor(view).toPlainText() == "Hm. And there?"


def test_nothing_is_edited_in_a_dialogue_that_is_only_read(view: DialogueView) -> None:
    view.set_read_only(on=True)
    view.show_case(dialogue(), task=1, notes=CardNotes(findings=[differs()]))
    view.begin_edit(1, 0)
    QTest.mouseDClick(block(view, (1, 2), "text"), LEFT)
    assert not view.is_editing
    card = view.column.card((1, 0))
    assert card is not None
    assert not card.findChildren(QPushButton)
