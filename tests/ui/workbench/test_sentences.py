"""Who begins to type a sentence where letters are commands ends with the labels there were."""

import sqlite3
from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication, QDialog

from annotator.review.drafts import open_assignment
from scoring.model.labels import Judgment
from tests.annotator.drafts.cases import parcel_case
from tests.ui.sentences import SENTENCE, type_sentence
from tests.ui.workbench.driving import Bench
from ui.desk import case_actions

Place = Callable[[Bench], None]

PLACES: dict[str, tuple[str, ...]] = {
    "the request": (),
    "a call": ("J",),
    "the last card of a task": ("J", "J", "J"),
    "another task": ("Alt+2",),
    "the canvas": ("V",),
    "the canvas while one connects": ("D",),
    "the canvas while one simulates": ("G", "S"),
    "the Review tab": ("Alt+R",),
    "the Evidence tab": ("Alt+E",),
    "the History tab": ("Alt+H",),
    "an item of the checklist": ("G", "P", "4", "Shift+E", "F8", "F8", "F8"),
    "a drawing that is open": ("F8",),
    "a column that is alone": ("M",),
}


def stored(bench: Bench) -> Judgment | None:
    """What the store has of the open work."""
    loaded = bench.page.open_work.loaded
    assert loaded is not None
    opened = open_assignment(bench.team["ann"], loaded.opened.assignment.id)
    return opened.draft.judgment.model_copy(update={"seconds": 0}) if opened.draft is not None else None


def assert_nothing_changes(bench: Bench, text: str = SENTENCE) -> None:
    """Type a text and compare what is open and what is stored."""
    before, undone = bench.document.snapshot, bench.document.stack.index()
    bench.page.flush()
    kept = stored(bench)
    type_sentence(bench.window, text)
    assert bench.document.snapshot == before
    assert bench.document.stack.index() == undone
    assert not any(
        isinstance(widget, QDialog) for widget in QApplication.topLevelWidgets() if widget.isVisible()
    )
    assert QApplication.activePopupWidget() is None
    bench.page.flush()
    bench.wait(lambda: bench.save_words() != "Saving …")
    bench.qtbot.wait(400)
    now = stored(bench)
    assert now is None or kept is None or now == kept
    if kept is None and now is not None:
        assert now == before.judgment.model_copy(update={"seconds": 0})


@pytest.mark.parametrize("place", PLACES)
def test_a_sentence_changes_nothing(bench: Bench, place: str) -> None:
    bench.open("c-1")
    bench.press(*PLACES[place], "F35")
    assert_nothing_changes(bench)


@pytest.mark.parametrize(
    "text",
    ["This is a test of it", "can you check it", "till then", "group the calls", "with care", "A file"],
)
def test_neither_do_other_sentences(bench: Bench, text: str) -> None:
    bench.open("c-1")
    bench.press("J", "G", "F35")
    assert_nothing_changes(bench, text)


def test_nor_does_one_in_a_blind_cross_check(bench: Bench) -> None:
    bench.team.self_check("bob", "c-1")
    bench.open("c-1")
    assert_nothing_changes(bench)
    bench.press("J", "F35")
    assert_nothing_changes(bench)


def test_nor_does_one_that_begins_with_a_digit_where_digits_choose_a_label(bench: Bench) -> None:
    bench.open("c-1")
    case_actions.set_policy(bench.document, None)
    while (problem := bench.page.keyboard.navigation.problem) is None or problem.label is None:
        bench.press("F8")
    bench.press("F35")
    assert_nothing_changes(bench, "2 files please")


def test_nor_does_one_right_after_a_submission(bench: Bench) -> None:
    bench.team.bring(parcel_case().model_copy(update={"id": "c-2"}), batch="b2")
    bench.open("c-1")
    bench.press("Ctrl+Shift+E")
    bench.give_reason("unclear")
    type_sentence(bench.window, "Please ")
    bench.wait(lambda: bench.is_open("c-2"))
    before = bench.document.start
    type_sentence(bench.window, "move the files")
    assert bench.document.snapshot == before


def test_on_the_summary_page_it_opens_and_stores_nothing(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Ctrl+Shift+B")
    bench.wait(lambda: bench.page.open_work.document is None)
    with sqlite3.connect(bench.team.url) as reader:
        before = reader.execute("SELECT * FROM drafts").fetchall()
        type_sentence(bench.window)
        assert reader.execute("SELECT * FROM drafts").fetchall() == before
    assert bench.page.open_work.document is None


def test_it_says_so_and_redo_brings_back_what_was_meant(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("G", "F35")
    type_sentence(bench.window, "the")
    assert bench.document.judgment.tasks[0].completed is None
    assert "Looked like a sentence" in bench.page.submit_bar.note
    bench.press("Ctrl+Shift+Z")
    assert bench.document.judgment.tasks[0].completed is True


def test_what_a_letter_did_is_said_in_a_line_and_one_key_takes_it_back(bench: Bench) -> None:
    bench.open("c-1")
    with bench.qtbot.waitSignal(bench.page.undo_changed) as told:
        bench.press("T")
    assert told.args == ["Ctrl Z undoes: say whether task 1 is completed"]
    bench.press("Ctrl+Z")
    assert bench.document.judgment.tasks[0].completed is None


def test_a_reason_typed_behind_its_letter_is_a_reason(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("G", "P", "1", "W")
    bench.type_text("the depot is known")
    bench.press("Return")
    (waiver,) = bench.document.judgment.waivers
    assert waiver.reason == "the depot is known"
