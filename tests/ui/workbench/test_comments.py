"""Comments on steps and values: written by keys, answered, resolved."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from annotator.cases.history import CommentPlace, CommentRow, comments_of
from tests.ui.find import find
from tests.ui.workbench.driving import Bench, click
from ui.desk.tabs.comments_tab import threads_of
from ui.theme import ElidedLabel


def comment(id_: int, *, parent: int | None = None, is_resolved: bool = False) -> CommentRow:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return CommentRow(
        id=id_, parent_id=parent, person="ann", where="case", text="?", at=at, is_resolved=is_resolved
    )


def said(bench: Bench) -> list[tuple[str, str, int | None]]:
    return [(c.where, c.text, c.parent_id) for c in comments_of(bench.team["ann"], "c-1")]


def write(bench: Bench, text: str) -> None:
    count = len(said(bench))
    bench.type(text)
    bench.press("Ctrl+Return")
    bench.wait(lambda: len(said(bench)) > count and not bench.panels.comments.field.toPlainText())


def test_answers_stand_below_their_comment_however_deep_and_open_threads_come_first() -> None:
    threads = threads_of(
        (
            comment(1, is_resolved=True),
            comment(2),
            comment(3, parent=2),
            comment(4, parent=3),
            comment(5, parent=9),
        )
    )
    assert [(t.first.id, [a.id for a in t.answers]) for t in threads] == [(2, [3, 4]), (5, []), (1, [])]


def test_a_comment_is_about_the_selected_step(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "Alt+M")
    write(bench, "Is this the parcel?")
    assert said(bench) == [("task 0 step 0", "Is this the parcel?", None)]


def test_a_comment_is_about_the_selected_value(bench: Bench) -> None:
    bench.open("c-1")
    bench.panels.dialogue.view.value_clicked.emit(0, 1, "/depot")
    bench.press("Alt+M")
    write(bench, "Real?")
    assert said(bench)[0][0] == "task 0 step 1 /depot"


def test_an_answer_goes_to_its_thread_and_counts_no_further(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+M")
    write(bench, "Real?")
    number = comments_of(bench.team["ann"], "c-1")[0].id
    bench.wait(lambda: bench.panels.comments.findChild(QPushButton, f"answer-{number}") is not None)
    click(find(bench.panels.comments, QPushButton, f"answer-{number}"))
    assert find(bench.panels.comments, ElidedLabel, "comment-about").text() == "answers ann"
    write(bench, "Yes.")
    assert said(bench)[1][1:] == ("Yes.", number)
    assert bench.panels.tabs.tabText(3) == "Comments 1"

    def lefts() -> dict[str, int]:
        labels = bench.panels.comments.findChildren(QLabel)
        return {label.text(): label.contentsMargins().left() for label in labels}

    bench.wait(lambda: "Yes." in lefts())
    assert lefts()["Real?"] == 0 < lefts()["Yes."]


def test_a_resolved_thread_is_not_counted(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+M")
    write(bench, "Real?")
    number = comments_of(bench.team["ann"], "c-1")[0].id
    bench.wait(lambda: bench.panels.comments.findChild(QPushButton, f"resolve-{number}") is not None)
    click(find(bench.panels.comments, QPushButton, f"resolve-{number}"))
    bench.wait(lambda: bench.panels.tabs.tabText(3) == "Comments")


def test_open_conversations_are_counted_on_their_card(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "Alt+M")
    write(bench, "Is this the parcel?")
    bench.wait(lambda: bench.panels.tabs.tabText(3) == "Comments 1")
    counts = {c.key: c.comment_count for c in bench.panels.dialogue.view.column.contents}
    assert counts == {(0, -1): 0, (0, 0): 1, (0, 1): 0, (0, 2): 0, (1, -1): 0}
    bench.press("Esc")
    bench.panels.go_to(1, None)
    counts = {c.key: c.comment_count for c in bench.panels.dialogue.view.column.contents}
    assert counts[0, -1] == 1


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("case", CommentPlace()),
        ("task 0", CommentPlace(task=0)),
        ("task 2 step 3", CommentPlace(task=2, step=3)),
        ("task 1 step 0 /city/0 of it", CommentPlace(task=1, step=0, path="/city/0 of it")),
        ("task 1 /now", CommentPlace(task=1, path="/now")),
    ],
)
def test_a_place_text_is_read_and_written(text: str, place: CommentPlace) -> None:
    assert CommentPlace.of(text) == place
    assert place.text == text


def test_a_comment_by_command_may_name_its_place_with_a_comma_or_not_at_all() -> None:
    assert CommentPlace.of("task 2, step 3") == CommentPlace(task=2, step=3)
    assert CommentPlace.of("the second task") == CommentPlace()


def test_what_people_write_about_a_case_is_a_comment_in_window_and_manual() -> None:
    root = Path(__file__).parents[3]
    shown = [root / "docs" / "roles" / "annotator.md", *(root / "tests" / "golden" / "screens").glob("*.txt")]
    assert len(shown) > 1
    assert [path.name for path in shown if "remark" in path.read_text(encoding="utf-8").lower()] == []


def test_a_comment_that_was_not_added_is_kept_with_the_draft_and_typed_again(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+M")
    bench.type("Is this the parcel?")
    field = bench.panels.comments.field
    bench.wait(bench.is_saved)
    assert bench.page.unsaved_words() == ""
    loaded = bench.page.open_work.loaded
    assert loaded is not None
    bench.page.open_work.close()
    field.clear()  # a window that starts again has nothing in it
    bench.page.open_assignment(loaded.opened.assignment.id)
    bench.wait(lambda: bench.is_open("c-1"))
    assert field.toPlainText() == "Is this the parcel?"
    bench.press("Alt+M", "Ctrl+Return")
    bench.wait(lambda: bool(said(bench)) and field.toPlainText() == "")
    bench.wait(bench.is_saved)
    bench.reopen()
    assert field.toPlainText() == ""
