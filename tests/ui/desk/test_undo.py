"""A step of undo: it shows the value before and after, and steps of one key become one."""

import pytest
from PySide6.QtGui import QUndoStack
from pytestqt.qtbot import QtBot

from ui.desk.document import MergeKeys, UndoStep


class Shown:
    """A number that steps of undo change."""

    def __init__(self) -> None:
        self.stack = QUndoStack()
        self.value = 0
        self.is_typing = False

    def show(self, value: int, is_typing: bool) -> None:
        self.value, self.is_typing = value, is_typing

    def change(self, value: int, *, key: str = "") -> None:
        self.stack.push(UndoStep(f"to {value}", before=self.value, after=value, show=self.show, key=key))


@pytest.fixture
def shown(qtbot: QtBot) -> Shown:
    return Shown()


def test_undo_and_redo_show_the_value_before_and_after(shown: Shown) -> None:
    shown.change(1)
    shown.stack.undo()
    assert shown.value == 0
    shown.stack.redo()
    assert shown.value == 1


def test_steps_with_the_same_key_become_one(shown: Shown) -> None:
    for value in (1, 2, 3):
        shown.change(value, key="field")
    assert (shown.stack.count(), shown.value, shown.is_typing) == (1, 3, True)
    shown.stack.undo()
    assert (shown.value, shown.is_typing) == (0, False)


def test_steps_without_a_key_or_with_another_one_stay_apart(shown: Shown) -> None:
    for value, key in ((1, ""), (2, ""), (3, "a"), (4, "b")):
        shown.change(value, key=key)
    assert shown.stack.count() == 4


def test_a_step_that_leads_back_to_where_it_began_is_dropped(shown: Shown) -> None:
    shown.change(1, key="field")
    shown.change(0, key="field")
    assert shown.stack.count() == 0


def test_what_was_given_up_is_asked_for_by_redo_and_then_dropped(shown: Shown) -> None:
    asked: list[str] = []
    step = UndoStep("type", before=0, after=0, show=shown.show, again=lambda: asked.append("again"))
    shown.stack.push(step)
    assert asked == []
    shown.stack.undo()
    shown.stack.redo()
    assert (asked, shown.stack.count()) == (["again"], 0)


def test_keys_of_a_run_are_the_same_until_it_is_stopped() -> None:
    keys = MergeKeys()
    first, second = keys.key("field"), keys.key("field")
    keys.stop()
    assert first == second != keys.key("field")
    assert keys.key("") == ""
