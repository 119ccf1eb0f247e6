"""What is typed is safe while it is typed: in full flow, in a missing answer, and with a slow store."""

import threading
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from annotator.cases.edits.text_edits import set_policy
from annotator.drafts.draft_body import DraftBody
from annotator.project.workspace import Workspace
from annotator.review.drafts import open_assignment
from scoring.model.taxonomy import Policy, Verdict
from tests.ui.find import find
from tests.ui.workbench.driving import Bench
from ui.desk.autosave import Autosaver
from ui.dialogue.arguments.form_row import FormRowView
from ui.dialogue.arguments.json_field import JsonField
from ui.dialogue.editors import PlainEditor


def type_in_full_flow(bench: Bench, text: str, *, pause_milliseconds: int) -> None:
    """Type letter by letter with the same little pause after each."""
    for letter in text:
        QApplication.sendPostedEvents()  # as Qt does before each key of a real keyboard
        bench.type(letter)
        bench.qtbot.wait(pause_milliseconds)


def rest(bench: Bench, keeper: type[QObject]) -> int:
    """Milliseconds that what was typed stays at most with an editor, or what saves, before it goes on."""
    timers = [timer for timer in bench.window.findChildren(QTimer) if timer.isSingleShot()]
    return max(
        timer.interval() for timer in timers if timer.isActive() and isinstance(timer.parent(), keeper)
    )


def kept_files(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "state" / "drafts").glob("*.json"))


def test_letters_that_follow_each_other_without_a_pause_reach_the_document(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("F2", "Ctrl+A")
    lengths: list[int] = []
    bench.document.changed.connect(lambda: lengths.append(len(bench.document.case.tasks[0].user)))
    type_in_full_flow(bench, "x" * 40, pause_milliseconds=30)
    assert len([length for length in lengths if length < 40]) >= 3  # while one types: every 350 ms at least
    bench.press("Ctrl+Return")
    assert bench.document.case.tasks[0].user == "x" * 40


def test_a_missing_answer_stays_open_when_one_pauses_in_it(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("G", "J", "J", "J", "Ctrl+Del", "F8", "Return")
    type_in_full_flow(bench, "On its way.", pause_milliseconds=200)
    assert isinstance(bench.target, QPlainTextEdit)
    bench.press("Ctrl+Return")
    answer = bench.document.case.tasks[0].answer
    assert answer is not None
    assert answer.text == "On its way."


def test_one_goes_on_writing_a_missing_answer_where_the_cursor_was(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("G", "J", "J", "J", "Ctrl+Del", "F8", "Return")
    bench.type("ae")
    bench.press("Left")
    bench.wait(lambda: bench.document.case.tasks[0].answer is not None)
    bench.qtbot.wait(300)
    bench.type("bcd")
    bench.press("Ctrl+Return")
    answer = bench.document.case.tasks[0].answer
    assert answer is not None
    assert answer.text == "abcde"


def test_while_the_store_is_slow_the_work_is_kept_here_until_it_answers(bench: Bench, tmp_path: Path) -> None:
    bench.open("c-1")
    answers = threading.Event()
    bench.operations.run(partial(_hold_up, until=answers))
    assert bench.document.edit_case("label", partial(set_policy, task=0, policy=Policy.SINGLE))
    assert 0 < rest(bench, Autosaver) <= 600
    bench.wait(lambda: bool(kept_files(tmp_path)))
    answers.set()
    bench.wait(bench.is_saved)
    assert kept_files(tmp_path) == []


def _hold_up(_: Workspace, *, until: threading.Event) -> None:
    assert until.wait(120)


def drafted(bench: Bench) -> DraftBody | None:
    return open_assignment(bench.team["ann"], 1).draft


def type_half_json(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "Return", "Ctrl+A")
    bench.type('{"number": ["P-')


def test_json_that_does_not_read_yet_is_in_the_draft_and_comes_back_in_its_editor(bench: Bench) -> None:
    type_half_json(bench)
    assert 0 < rest(bench, JsonField) <= 400  # what saves takes at most 600 more
    bench.wait(lambda: (draft := drafted(bench)) is not None and draft.open_editor is not None)
    bench.page.open_work.close()
    view = bench.panels.dialogue.view
    view.column.show_contents(())
    assert not view.is_editing
    bench.page.open_assignment(1)
    bench.wait(lambda: bench.page.open_work.restored.body is not None)
    assert isinstance(bench.target, PlainEditor)
    assert bench.target.text.startswith('{"number": ["P-')
    assert "being typed" in bench.page.open_work.restored.words


def test_what_is_given_up_is_in_no_draft_any_more(bench: Bench) -> None:
    type_half_json(bench)
    bench.wait(lambda: (draft := drafted(bench)) is not None and draft.open_editor is not None)
    bench.press("Escape")
    if isinstance(bench.target, PlainEditor):  # the first one closed the list of completions
        bench.press("Escape")
    bench.wait(lambda: (draft := drafted(bench)) is not None and draft.open_editor is None)


def test_nothing_is_submitted_while_an_editor_holds_what_cannot_be_read(bench: Bench) -> None:
    type_half_json(bench)
    bench.page.submit()
    bench.page.ask_verdict(Verdict.ESCALATE)
    assert isinstance(bench.target, PlainEditor)
    assert "complete it" in bench.page.submit_bar.note


def test_what_a_row_of_the_form_cannot_hold_yet_is_in_the_draft_and_comes_back_in_it(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "J", "Return", "F4", "Down")
    bench.type("12a")
    bench.wait(lambda: (draft := drafted(bench)) is not None and draft.open_editor is not None)
    bench.page.open_work.close()
    view = bench.panels.dialogue.view
    view.column.show_contents(())
    assert not view.is_editing
    bench.page.open_assignment(1)
    bench.wait(lambda: bench.page.open_work.restored.body is not None)
    row = find(view, FormRowView, "row-/days")
    assert (row.text, row.problem) == ("12a", "This is not a number.")
