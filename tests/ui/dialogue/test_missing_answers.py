"""An answer that is missing is written in its place."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.ui.dialogue.dialogue import dialogue, editor
from ui.desk.case_actions import edited
from ui.dialogue.content import ANSWER_MISSING, Edit
from ui.dialogue.editors import PlainEditor
from ui.dialogue.view import DialogueView

CONTROL = Qt.KeyboardModifier.ControlModifier


def test_a_missing_answer_is_written_in_its_place(view: DialogueView, qtbot: QtBot) -> None:
    view.begin_edit(2, ANSWER_MISSING)
    editor(view).insertPlainText("You are welcome.")
    with qtbot.waitSignal(view.edited, check_params_cb=lambda edit: edit.is_final) as signal:
        QTest.keyClick(editor(view), Qt.Key.Key_Return, CONTROL)
    assert signal.args == [Edit(task=2, step=None, field="answer", value="You are welcome.")]


def type_answer(view: DialogueView, text: str) -> None:
    """Type at a missing answer of the third task, and let the case follow as the workbench does."""
    shown = dialogue()

    def follow(edit: Edit) -> None:
        nonlocal shown
        shown = edited(shown, edit)
        view.show_case(shown, task=2)

    view.edited.connect(follow)
    view.show_case(shown, task=2)
    view.begin_edit(2, ANSWER_MISSING)
    for letter in text:
        QTest.keyClicks(editor(view), letter)
        field = view.findChild(PlainEditor)
        assert isinstance(field, PlainEditor)
        field.settle()


def test_a_missing_answer_keeps_its_editor_when_it_becomes_a_step(view: DialogueView) -> None:
    view.begin_edit(2, ANSWER_MISSING)
    first = editor(view)
    type_answer(view, "You")
    assert editor(view) is first
    assert first.hasFocus()
    assert view.current == (2, 0)
    assert view.keys[-1] == (2, 0)


def test_the_keys_go_on_where_the_cursor_was_in_an_answer_that_became_a_step(view: DialogueView) -> None:
    type_answer(view, "Hi")
    QTest.keyClick(editor(view), Qt.Key.Key_Left)
    QTest.keyClicks(editor(view), "a")
    assert editor(view).toPlainText() == "Hai"


def test_giving_up_a_new_answer_leaves_none(view: DialogueView) -> None:
    type_answer(view, "You")
    QTest.keyClick(editor(view), Qt.Key.Key_Escape)
    assert view.keys[-1] == (2, ANSWER_MISSING)
    assert view.current == (2, ANSWER_MISSING)
    assert not view.is_editing
    focus = QApplication.focusWidget()
    assert focus is not None
    assert view.isAncestorOf(focus)


def test_writing_a_new_answer_is_one_edit_until_it_is_kept(view: DialogueView) -> None:
    told: list[Edit] = []
    view.edited.connect(told.append)
    type_answer(view, "Yo")
    QTest.keyClick(editor(view), Qt.Key.Key_Return, CONTROL)
    assert {(edit.step, edit.field) for edit in told} == {(None, "answer")}
    assert [edit.is_final for edit in told] == [False, False, True]
