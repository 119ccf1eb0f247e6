"""Fields of forms: what has no room is told, what is ticked is told, files come and go."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListWidget, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.find import find
from ui.theme import WrappedLabel
from ui.theme.fields import CheckList, DropDown, FilesField, NoteField
from ui.theme.labels import breakable

LONG = "release_of_the_second_delivery_of_november_2026 · 100 cases"


def test_a_long_choice_is_cut_in_the_middle_and_is_the_tooltip(qtbot: QtBot) -> None:
    field = DropDown("release", [(LONG, 1), ("short", 2)])
    qtbot.addWidget(field)
    field.resize(200, 28)
    field.show()
    assert "…" in field.shown_text
    assert field.shown_text.endswith("100 cases")
    assert field.toolTip() == LONG
    field.setCurrentIndex(1)
    assert (field.shown_text, field.toolTip()) == ("short", "")


def test_a_long_choice_does_not_widen_its_form(qtbot: QtBot) -> None:
    short, long = DropDown("a", [("short", 1)]), DropDown("b", [(LONG * 4, 1)])
    qtbot.addWidget(short)
    qtbot.addWidget(long)
    assert long.minimumSizeHint().width() == short.minimumSizeHint().width()


def test_space_ticks_a_name(qtbot: QtBot) -> None:
    people = CheckList("people", "People", names=["ann", "bob & co", "cy"], nothing="Nobody.")
    qtbot.addWidget(people)
    people.show()
    QTest.keyClick(people, Qt.Key.Key_Down)
    QTest.keyClick(people, Qt.Key.Key_Space)
    assert people.chosen == ("bob & co",)


def test_a_list_without_names_says_what_is_missing_and_nothing_can_be_ticked(qtbot: QtBot) -> None:
    people = CheckList("people", "People", names=[], nothing="Add a person first.")
    qtbot.addWidget(people)
    people.show()
    assert people.item(0).text() == "Add a person first."
    QTest.keyClick(people, Qt.Key.Key_Space)
    assert people.chosen == ()


def test_ctrl_enter_sends_a_note_and_enter_begins_a_line(qtbot: QtBot) -> None:
    note = NoteField("note", "Why", "What is wrong")
    qtbot.addWidget(note)
    note.show()
    QTest.keyClicks(note, "one")
    QTest.keyClick(note, Qt.Key.Key_Return)
    with qtbot.waitSignal(note.sent):
        QTest.keyClick(note, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert note.toPlainText() == "one\n"
    assert note.words == "one"


# files


@pytest.fixture
def ground(qtbot: QtBot) -> QWidget:
    """What files may be dropped on."""
    found = QWidget()
    qtbot.addWidget(found)
    return found


@pytest.fixture
def files(qtbot: QtBot, ground: QWidget) -> FilesField:
    """The field with two files."""
    found = FilesField("import", "Import", filters="All files (*)", drops_on=ground)
    qtbot.addWidget(found)
    found.add(["/srv/one.jsonl", "/srv/two.jsonl"])
    found.show()
    return found


def test_a_file_that_is_there_already_stays_once(files: FilesField) -> None:
    files.add(["/srv/two.jsonl", "/srv/three.jsonl"])
    assert [file.name for file in files.files] == ["one.jsonl", "two.jsonl", "three.jsonl"]


def test_delete_takes_the_marked_file_out_and_marks_the_next(qtbot: QtBot, files: FilesField) -> None:
    shown = find(files, QListWidget, "import-files")
    shown.setCurrentRow(0)
    with qtbot.waitSignal(files.changed):
        QTest.keyClick(shown, Qt.Key.Key_Delete)
    assert files.files == (Path("/srv/two.jsonl"),)
    assert shown.currentRow() == 0


def test_without_a_file_there_is_nothing_to_take_out(files: FilesField) -> None:
    shown, remove = find(files, QListWidget, "import-files"), find(files, QPushButton, "import-remove")
    for _ in range(2):
        shown.setCurrentRow(0)
        remove.click()
    assert files.files == ()
    assert remove.toolTip() == "There is no file to take out."
    assert shown.item(0).text() == "Add files, or drop them here."


def test_files_are_taken_wherever_they_are_dropped(files: FilesField, ground: QWidget) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/srv/dropped.jsonl"), QUrl("https://example.org/x.jsonl")])
    copy, button, keys = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entering = QDragEnterEvent(QPoint(1, 1), copy, data, button, keys)
    QApplication.sendEvent(ground, entering)
    assert entering.isAccepted()
    QApplication.sendEvent(ground, QDropEvent(QPointF(1, 1), copy, data, button, keys))
    assert files.files[-1] == Path("/srv/dropped.jsonl")
    assert len(files.files) == 3


# words


def test_a_path_is_broken_over_lines_and_read_out_whole(qtbot: QtBot) -> None:
    path = "/srv/annotation/deliveries/" * 8
    label = WrappedLabel(path)
    qtbot.addWidget(label)
    label.resize(200, 400)
    label.show()
    assert label.minimumSizeHint().width() < 200
    assert label.heightForWidth(200) > 3 * label.fontMetrics().height()
    assert (label.text(), label.accessibleName()) == (path, path)


def test_no_line_of_chinese_begins_with_a_mark_because_the_text_was_taken_for_a_long_word() -> None:
    text = "此用例会优先提供给该专家。其他人仍可从列表中打开它，且会留下记录。"
    assert breakable(text) == text
    assert breakable(f"{'x' * 20}。").count("\u200b") == 1
