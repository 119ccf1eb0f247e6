"""Differences are marked by shape as well as colour, and shown exactly."""

from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from annotator.cases.versions.case_diff import FieldChange, case_diff
from annotator.cases.versions.differences import Change, DiffSegment, PieceKind, json_diff
from scoring.model.taxonomy import Policy
from tests.factories import answer, call, case, task
from tests.ui.find import find
from ui.diffs import (
    ChangeList,
    JsonDiffView,
    SideBySide,
    WordDiffLabel,
    change_pieces,
    escaped,
    heading_of,
    spoken,
)


def texts(widget: object) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel)]  # type: ignore[attr-defined]


def test_removed_words_are_struck_through_and_added_ones_underlined(
    qtbot: QtBot, light: QApplication
) -> None:
    label = WordDiffLabel()
    qtbot.addWidget(label)
    label.show_texts("It was fine", "It will be fine")
    assert 'line-through">was</span>' in label.text()
    assert 'underline">will be</span>' in label.text()


def test_a_difference_is_read_out_in_words(qtbot: QtBot, light: QApplication) -> None:
    label = WordDiffLabel()
    qtbot.addWidget(label)
    label.show_texts("It was fine", "It will be fine")
    assert label.accessibleName() == "It [removed: was][added: will be] fine"


def test_markup_in_a_text_is_shown_not_read(qtbot: QtBot, light: QApplication) -> None:
    label = WordDiffLabel()
    qtbot.addWidget(label)
    label.show_texts("", "<img src=x>")
    assert "&lt;img src=x&gt;" in label.text()


def test_line_breaks_and_double_spaces_survive() -> None:
    assert escaped("a\nb  c") == "a<br>b&nbsp; c"


def test_direction_marks_are_made_visible() -> None:
    assert "\u202e" not in escaped("abc\u202edef")


def test_each_side_shows_only_its_own_words(qtbot: QtBot, light: QApplication) -> None:
    both = SideBySide(("Owner", "Reviewer A"))
    qtbot.addWidget(both)
    both.show_texts("It was fine", "It is fine")
    assert "is</span>" not in find(both, WordDiffLabel, "side-before").text()
    assert "was</span>" not in find(both, WordDiffLabel, "side-after").text()


def test_json_changes_name_place_and_kind(qtbot: QtBot, light: QApplication) -> None:
    view = JsonDiffView(json_diff({"city": "Oslo", "n": 1}, {"city": "Bergen", "m": 2}))
    qtbot.addWidget(view)
    shown = [text for text in texts(view) if text in ("changed", "removed", "added") or text[0] == "/"]
    assert set(zip(shown[::2], shown[1::2], strict=True)) == {
        ("/city", "changed"),
        ("/n", "removed"),
        ("/m", "added"),
    }


def test_values_without_difference_say_so(qtbot: QtBot, light: QApplication) -> None:
    view = JsonDiffView(json_diff({"a": 1}, {"a": 1}))
    qtbot.addWidget(view)
    assert texts(view) == ["No difference."]


def test_very_many_changes_are_cut_with_their_number(qtbot: QtBot, light: QApplication) -> None:
    view = JsonDiffView(json_diff({}, {f"k{i}": i for i in range(250)}))
    qtbot.addWidget(view)
    assert "… and 50 more changes" in texts(view)


def test_numbers_are_compared_whole() -> None:
    change = Change(kind="changed", path="/n", before=10, after=100)
    assert spoken(change_pieces(change)) == "[removed: 10] [added: 100]"


def test_a_change_of_type_shows_both_values() -> None:
    change = Change(kind="changed", path="/n", before="1", after=1)
    assert [piece.kind for piece in change_pieces(change)] == [
        PieceKind.REMOVED,
        PieceKind.SAME,
        PieceKind.ADDED,
    ]


def test_every_change_of_a_case_has_an_entry(qtbot: QtBot, light: QApplication) -> None:
    before = case(task(call(city="Oslo"), answer("It was fine.")))
    after = case(task(call(city="Bergen"), answer("It is fine."), policy=Policy.SINGLE))
    changes = case_diff(before, after)
    view = ChangeList()
    qtbot.addWidget(view)
    view.show_changes(changes)
    headings = [find(view, QLabel, f"change-{number}").accessibleName() for number in range(len(changes))]
    assert len(headings) == 3
    assert all(heading.startswith("Task 1") for heading in headings)


def test_tasks_are_counted_from_one_in_headings() -> None:
    change = FieldChange(where="task 2 step 1 /city", kind="json", field="arguments", task=2, step=1)
    assert heading_of(change) == "Task 3 · step 1 /city"


def test_a_version_without_changes_says_so(qtbot: QtBot, light: QApplication) -> None:
    view = ChangeList()
    qtbot.addWidget(view)
    view.show_changes(())
    assert texts(view) == ["Nothing changed."]


def test_pieces_made_elsewhere_are_shown_as_they_are(qtbot: QtBot, light: QApplication) -> None:
    label = WordDiffLabel()
    qtbot.addWidget(label)
    pieces = (DiffSegment(kind=PieceKind.SAME, text="a "), DiffSegment(kind=PieceKind.ADDED, text="b"))
    label.show_pieces(pieces)
    assert label.pieces == pieces
