"""Replacing words by keys: everywhere, in some places, in one."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QTreeWidget

from tests.factories import answer, case, task
from tests.ui.find import find
from tests.ui.workbench.driving import Bench
from ui.desk.dialogs import ReplaceDialog
from ui.desk.document import Selection
from ui.theme import Button, TextLabel


def test_words_are_replaced_in_the_whole_case_as_one_step(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Ctrl+H")
    bench.wait(lambda: bench.target.objectName() == "replace-needle")
    bench.type("Hamar-7")
    find(bench.window, QLineEdit, "replace-with").setText("Lom-3")
    assert find(bench.window, TextLabel, "replace-count").text() == "3 places"
    bench.press("Return")
    assert "Hamar" not in bench.document.case.model_dump_json()
    assert bench.document.stack.count() == 1


def _replacing(bench: Bench, words: str) -> QTreeWidget:
    bench.open("c-1")
    bench.press("Ctrl+H")
    bench.wait(lambda: bench.target.objectName() == "replace-needle")
    bench.type(words)
    find(bench.window, QLineEdit, "replace-with").setText("Lom-3")
    return find(bench.window, QTreeWidget, "replace-places")


def test_a_place_that_is_left_out_is_not_replaced(bench: Bench) -> None:
    places = _replacing(bench, "Hamar-7")
    places.setFocus()
    bench.press("Down", "Up", "Space")
    assert find(bench.window, TextLabel, "replace-count").text() == "2 of 3 places"
    item = places.topLevelItem(0)
    assert item is not None
    assert "“Hamar-7”" in item.text(1)
    find(bench.window, Button, "replace-ok").click()
    assert bench.document.case.model_dump_json().count("Hamar-7") == 1
    assert bench.document.stack.count() == 1


def test_one_place_is_replaced_and_list_and_dialogue_go_on_to_the_next(bench: Bench) -> None:
    places = _replacing(bench, "Hamar-7")
    places.setFocus()
    bench.press("Down")
    assert bench.document.selection == Selection(0, 1)
    bench.press("Ctrl+Return")
    assert bench.document.case.model_dump_json().count("Hamar-7") == 2
    assert (places.topLevelItemCount(), bench.document.selection) == (2, Selection(0, 2))


def test_only_the_wanted_kind_of_place_is_replaced(bench: Bench) -> None:
    _replacing(bench, "parcel")
    find(bench.window, QComboBox, "replace-scope").setCurrentText("Requests")
    before = bench.document.case
    find(bench.window, Button, "replace-ok").click()
    after = bench.document.case
    assert [task.steps for task in after.tasks] == [task.steps for task in before.tasks]
    assert "Lom-3" in after.tasks[0].user


def test_what_was_searched_is_what_is_replaced(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Ctrl+F")
    bench.type("Hamar-7")
    bench.press("Ctrl+H")
    bench.wait(lambda: bench.target.objectName() == "replace-needle")
    assert find(bench.window, QLineEdit, "replace-needle").text() == "Hamar-7"


def test_places_beyond_the_end_of_the_list_are_replaced_though_one_in_it_is_left_out(bench: Bench) -> None:
    shown = case(task(answer("Hamar-7 " * 600), user="Hamar-7"))
    dialog = ReplaceDialog(lambda: shown, bench.window, words="Hamar-7")
    find(dialog, QLineEdit, "replace-with").setText("Lom-3")
    places = find(dialog, QTreeWidget, "replace-places")
    assert places.topLevelItemCount() == 500
    first = places.topLevelItem(0)
    assert first is not None
    first.setCheckState(0, Qt.CheckState.Unchecked)
    assert find(dialog, TextLabel, "replace-count").text() == "600 of 601 places"
    with bench.qtbot.waitSignal(dialog.wanted) as wanted:
        find(dialog, Button, "replace-ok").click()
    assert wanted.args is not None
    after = wanted.args[1](shown).tasks[0]
    assert after.user == "Hamar-7"
    assert after.answer is not None
    assert after.answer.text.split() == ["Lom-3"] * 600
