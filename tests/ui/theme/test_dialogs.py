"""The frame of dialogs: as large as what is in it and no larger than the screen, worked by keys alone."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMainWindow,
    QScrollArea,
    QTreeView,
)
from pytestqt.qtbot import QtBot

from ui.theme import Button, apply_theme
from ui.theme.dialogs import DialogFrame, FormDialog, open_dialog, room_for
from ui.theme.layouts import build


class Asking(QDialog):
    """A field, sentences, and two buttons besides Cancel; notes which was pressed."""

    def __init__(self, parent: QMainWindow, *, sentences: int = 1, has_field: bool = True) -> None:
        super().__init__(parent)
        self.pressed: list[str] = []
        self.frame = DialogFrame(self, "What is asked", width=400)
        self.field = QLineEdit()
        if has_field:
            self.frame.add_form().addRow("Name", self.field)
        self.words = [self.frame.explain(f"Sentence {number}.") for number in range(sentences)]
        self.other, self.go = Button("Another way"), Button("Do it", keys="↵")
        self.go.setDefault(True)
        self.other.clicked.connect(self._note_other)
        self.go.clicked.connect(self._note_go)
        self.frame.end_with(self.other, self.go)

    def _note_other(self) -> None:
        self.pressed.append("other")

    def _note_go(self) -> None:
        self.pressed.append("go")


@pytest.fixture
def window(qtbot: QtBot, light: QApplication) -> Iterator[QMainWindow]:
    """Above which dialogs open."""
    found = QMainWindow()
    found.resize(600, 400)
    found.show()
    found.activateWindow()
    qtbot.waitUntil(found.isActiveWindow)
    yield found
    found.close()


def _opened(qtbot: QtBot, dialog: QDialog) -> None:
    open_dialog(dialog)
    qtbot.waitUntil(dialog.isActiveWindow)


def test_enter_in_a_field_presses_the_button_that_shows_it(qtbot: QtBot, window: QMainWindow) -> None:
    dialog = Asking(window)
    _opened(qtbot, dialog)
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.pressed == ["go"]
    dialog.close()


def test_enter_on_another_button_presses_that_one(qtbot: QtBot, window: QMainWindow) -> None:
    dialog = Asking(window)
    _opened(qtbot, dialog)
    dialog.other.setFocus()
    QTest.keyClick(dialog.other, Qt.Key.Key_Return)
    assert dialog.pressed == ["other"]
    dialog.close()


def test_it_is_as_high_as_what_is_in_it_and_follows_it(qtbot: QtBot, window: QMainWindow) -> None:
    dialog = Asking(window, sentences=2)
    _opened(qtbot, dialog)
    before = dialog.height()
    dialog.words[1].setText("Now it needs more room. " * 20)
    qtbot.waitUntil(lambda: dialog.height() > before)
    dialog.words[1].hide()
    qtbot.waitUntil(lambda: dialog.height() < before)
    dialog.close()


def test_resized_by_hand_it_keeps_its_size_until_the_scale_changes(
    qtbot: QtBot, window: QMainWindow, light: QApplication
) -> None:
    dialog = Asking(window)
    _opened(qtbot, dialog)
    dialog.resize(500, 350)
    dialog.words[0].setText("More words. " * 10)
    qtbot.wait(30)
    assert dialog.size().toTuple() == (500, 350)
    apply_theme(light, dark=False, scale=1.5)
    qtbot.waitUntil(lambda: dialog.width() == 600)
    apply_theme(light, dark=False)
    dialog.close()


def test_more_than_the_screen_has_room_for_is_scrolled_by_keys_with_the_buttons_in_sight(
    qtbot: QtBot, window: QMainWindow
) -> None:
    dialog = Asking(window, sentences=80, has_field=False)
    _opened(qtbot, dialog)
    assert dialog.height() == room_for(dialog).height()
    assert dialog.rect().contains(dialog.go.geometry())
    area = dialog.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    QTest.keyClick(dialog.go, Qt.Key.Key_PageDown)
    assert area.verticalScrollBar().value() > 0
    QTest.keyClick(dialog.go, Qt.Key.Key_PageUp)
    assert area.verticalScrollBar().value() == 0
    dialog.close()


def test_a_dialog_for_files_grows_with_the_scale_and_fits(
    qtbot: QtBot, window: QMainWindow, light: QApplication
) -> None:
    sizes = []
    for scale in (1.0, 2.0):
        apply_theme(light, dark=False, scale=scale)
        dialog = QFileDialog(window, "Open")
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        _opened(qtbot, dialog)
        assert dialog.screen().availableGeometry().contains(dialog.frameGeometry())
        sizes.append(dialog.width())
        dialog.close()
    apply_theme(light, dark=False)
    assert sizes[1] > sizes[0] >= 640


def test_a_dialog_for_files_leaves_the_locks_of_an_open_project_alone(
    qtbot: QtBot, window: QMainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "team.db"
    with closing(sqlite3.connect(path)) as held:
        held.execute("PRAGMA journal_mode = WAL")
        held.execute("CREATE TABLE batches (name)")
        dialog = QFileDialog(window, "Open", str(tmp_path))
        _opened(qtbot, dialog)
        listed = dialog.findChild(QTreeView, "treeView")
        assert isinstance(listed, QTreeView)
        files, place = listed.model(), listed.rootIndex
        qtbot.waitUntil(lambda: files.rowCount(place()) >= 1)
        qtbot.waitUntil(lambda: files.index(0, 2, place()).data() == "db")
        assert files.index(0, 0, place()).data() == "team.db"
        look = (
            "import sys, sqlite3; held = sqlite3.connect(sys.argv[1]);"
            "held.execute('SELECT * FROM batches').fetchall(); held.close()"
        )
        subprocess.run([sys.executable, "-c", look, str(path)], check=True)
        assert path.with_name("team.db-wal").exists(), "whoever leaves last takes it away"
        dialog.close()


def test_a_form_answers_once_nothing_is_missing(qtbot: QtBot, window: QMainWindow) -> None:
    answers: list[object] = []
    dialog = FormDialog("name", "Name", "What is it called?", width=300, parent=window)
    field = build(QLineEdit, textChanged=dialog.check)
    dialog.frame.add_form(("Name", field))
    dialog.end_with("Save", field.text, missing=lambda: "" if field.text() else "Type a name.")
    dialog.ask(answers.append)
    assert dialog.go is not None
    assert (dialog.objectName(), dialog.go.objectName()) == ("name-dialog", "name-go")
    assert (dialog.go.isEnabled(), dialog.go.toolTip()) == (False, "Type a name.")
    dialog.give()
    assert (answers, dialog.isVisible()) == ([], True)
    field.setText("week-1")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert (answers, dialog.isVisible()) == (["week-1"], False)
