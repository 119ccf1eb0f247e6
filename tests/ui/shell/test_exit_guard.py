"""Leaving: everything is saved first, and people are asked only where something is at risk."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from annotator.project.people import add_person, list_people
from annotator.project.workspace import Workspace
from scoring.errors import AnnotatorError, StoreError
from scoring.model.taxonomy import Role
from tests.ui.find import find
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.shell.main_window import MainWindow
from ui.shell.navigation import PageContext, PageKind
from ui.theme.look import application


class Notebook(QWidget):
    """A page that holds one unsaved name, and adds a person of that name when it is flushed."""

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        self._operations = operations
        self.unsaved = ""
        self.is_failing = False

    def flush(self) -> None:
        """Save the name."""
        if self.unsaved:
            self._operations.run(self._save, then=self._note_saved, failed=self._note_failure)

    def unsaved_words(self) -> str:
        """What would be lost."""
        return f"“{self.unsaved}” is not saved." if self.unsaved else ""

    def _save(self, workspace: Workspace) -> int:
        if self.is_failing:
            raise StoreError("The disk is full.", "Free some space.")
        return add_person(workspace, self.unsaved, roles=[Role.ANNOTATOR]).value

    def _note_saved(self, number: int) -> None:
        self.unsaved = ""

    def _note_failure(self, error: AnnotatorError) -> None:
        assert isinstance(error, StoreError)


def _notebook(context: PageContext) -> QWidget:
    return Notebook(context.operations)


@pytest.fixture
def window(
    qtbot: QtBot, closed_operations: Operations, preferences: Preferences, sample_project: str, tmp_path: Path
) -> Iterator[MainWindow]:
    """The window with one page, the notebook, as the founder."""
    kinds = (PageKind("notebook", "Notebook", "list", _notebook),)
    found = MainWindow(closed_operations, preferences, sample_folder=tmp_path, pages=kinds)
    found.show()
    founder = _people(sample_project)[-1]
    found.entrance.open(sample_project, founder)
    qtbot.waitUntil(lambda: bool(found.ways.open_pages()))
    yield found
    found.hide()
    closed_operations.close()
    shiboken6.delete(found)


def _people(project: str) -> list[str]:
    workspace = Workspace(project, person=None)
    try:
        return [person.name for person in list_people(workspace)]
    finally:
        workspace.close()


def _page(window: MainWindow) -> Notebook:
    (page,) = window.ways.open_pages()
    assert isinstance(page, Notebook)
    return page


def test_with_nothing_at_risk_the_window_closes_without_a_question(qtbot: QtBot, window: MainWindow) -> None:
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible())


def test_unsaved_work_is_saved_before_the_window_closes(
    qtbot: QtBot, window: MainWindow, sample_project: str
) -> None:
    _page(window).unsaved = "late"
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert "late" in _people(sample_project)


def test_where_saving_fails_people_are_asked_and_can_stay(qtbot: QtBot, window: MainWindow) -> None:
    page = _page(window)
    page.unsaved, page.is_failing = "late", True
    window.close()
    qtbot.waitUntil(lambda: bool(window.findChildren(QDialog, "leave-dialog")))
    QTest.mouseClick(find(window, QPushButton, "leave-stay"), Qt.MouseButton.LeftButton)
    assert window.isVisible()
    page.is_failing = False
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible())


def test_who_stays_instead_of_starting_again_only_closes_later(qtbot: QtBot, window: MainWindow) -> None:
    page = _page(window)
    page.unsaved, page.is_failing = "late", True
    window.open_settings()
    find(window, QDialog, "settings-dialog").restart_wanted.emit()  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: bool(window.findChildren(QDialog, "leave-dialog")))
    QTest.mouseClick(find(window, QPushButton, "leave-stay"), Qt.MouseButton.LeftButton)
    assert window.isVisible()
    page.is_failing = False
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert not application().property("start-again")


def test_where_saving_fails_people_can_leave_anyway(qtbot: QtBot, window: MainWindow) -> None:
    page = _page(window)
    page.unsaved, page.is_failing = "late", True
    window.close()
    qtbot.waitUntil(lambda: bool(window.findChildren(QDialog, "leave-dialog")))
    QTest.mouseClick(find(window, QPushButton, "leave-go"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.isVisible())


def test_a_running_job_is_asked_about_by_name(qtbot: QtBot, window: MainWindow) -> None:
    gate = threading.Event()
    window.operations.start_job(lambda _, context: gate.wait(120), "Import batch 08")
    window.close()
    qtbot.waitUntil(lambda: bool(window.findChildren(QDialog, "leave-dialog")))
    labels = find(window, QDialog, "leave-dialog").findChildren(QLabel)
    assert any("Import batch 08" in label.text() for label in labels)
    gate.set()
    QTest.mouseClick(find(window, QPushButton, "leave-go"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.isVisible())


def test_a_second_close_does_not_wait_for_a_project_that_does_not_answer(
    qtbot: QtBot, window: MainWindow
) -> None:
    gate = threading.Event()
    window.operations.run(lambda workspace: gate.wait(120))
    window.close()
    window.close()
    dialog = find(window, QDialog, "leave-dialog")
    assert dialog.isVisible()
    gate.set()
    QTest.mouseClick(find(window, QPushButton, "leave-stay"), Qt.MouseButton.LeftButton)
    assert window.isVisible()


def test_where_the_window_stood_is_kept(qtbot: QtBot, window: MainWindow, preferences: Preferences) -> None:
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert preferences.settings.window
