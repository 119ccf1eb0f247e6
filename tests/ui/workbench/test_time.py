"""Changing the simulated time by keys: of the case, or of a task that has its own."""

from PySide6.QtWidgets import QLineEdit

from annotator.cases.edits.text_edits import set_now
from tests.ui.find import find
from tests.ui.workbench.driving import Bench
from ui.theme import ElidedLabel


def facts(bench: Bench) -> str:
    return find(bench.page, ElidedLabel, "case-facts").text()


def change_time(bench: Bench, text: str) -> str:
    """Write a time into the dialog; what stood there before."""
    bench.press("Alt+Shift+D")
    bench.wait(lambda: bench.target.objectName() == "time-text")
    field = find(bench.window, QLineEdit, "time-text")
    before = field.text()
    field.setText(text)
    bench.press("Return")
    bench.wait(lambda: bench.page.isAncestorOf(bench.target))
    return before


def test_the_time_of_the_case_is_changed_shown_and_taken_back(bench: Bench) -> None:
    bench.open("c-1")
    before = bench.document.case.now
    was = change_time(bench, "2026-05-01 08:00:00 Friday")
    assert was == (before.raw if before else "")
    now = bench.document.case.now
    assert now is not None
    assert now.raw == "2026-05-01 08:00:00 Friday"
    bench.wait(lambda: "now 2026-05-01 08:00:00 Friday" in facts(bench))
    assert bench.document.stack.undoText() == "change the time"
    bench.press("Ctrl+Z")
    assert bench.document.case.now == before


def test_an_empty_time_is_none_and_the_same_time_is_no_step(bench: Bench) -> None:
    bench.open("c-1")
    change_time(bench, "2026-05-01")
    steps = bench.document.stack.count()
    change_time(bench, "2026-05-01")
    assert bench.document.stack.count() == steps
    change_time(bench, " ")
    assert bench.document.case.now is None
    bench.wait(lambda: "now" not in facts(bench))


def test_a_task_with_a_time_of_its_own_keeps_it_for_itself(bench: Bench) -> None:
    bench.open("c-1")
    bench.document.edit_case("give it a time", lambda case: set_now(case, "2026-05-08", task=0))
    before = bench.document.case.now
    assert change_time(bench, "2026-05-09") == "2026-05-08"
    own = bench.document.case.tasks[0].now
    assert own is not None
    assert own.raw == "2026-05-09"
    assert bench.document.case.now == before
    assert bench.document.stack.undoText() == "change the time of task 1"


def test_a_dialog_that_is_cancelled_changes_nothing(bench: Bench) -> None:
    bench.open("c-1")
    steps = bench.document.stack.count()
    bench.press("Alt+Shift+D")
    bench.wait(lambda: bench.target.objectName() == "time-text")
    find(bench.window, QLineEdit, "time-text").setText("2026-05-01")
    bench.press("Esc")
    bench.wait(lambda: bench.page.isAncestorOf(bench.target))
    assert bench.document.stack.count() == steps
