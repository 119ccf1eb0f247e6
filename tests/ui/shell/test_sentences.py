"""Who types a sentence on a page where nothing can be typed starts nothing: every page has the guard."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from annotator.project.people import login_name
from tests.ui.find import find
from tests.ui.sentences import type_sentence
from tests.ui.settling import is_settled
from ui.shell.main_window import MainWindow

PAGES = ("queue", "agreement", "coverage", "releases", "runs", "generate", "team", "training", "adjudication")
SENTENCES = ("as planned, file it", "go on please", "every run, then", "team of four")


@pytest.fixture
def inside(qtbot: QtBot, window: MainWindow, released_project: str) -> MainWindow:
    """The window on a project with releases and runs, in the name of a manager who is an expert too."""
    window.entrance.open(released_project, login_name())
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()) and is_settled(window.operations))
    return window


def open_above(window: QWidget) -> list[str]:
    """Dialogs and menus that stand above a window."""
    dialogs = [one for one in QApplication.topLevelWidgets() if isinstance(one, QDialog) and one.isVisible()]
    popup = QApplication.activePopupWidget()
    return [one.objectName() for one in (*dialogs, *([popup] if popup is not None else []))]


def stored(project: str) -> tuple[int, list[Path]]:
    """How many events a project has, and the files beside it."""
    with closing(sqlite3.connect(project)) as reader:
        (count,) = reader.execute("SELECT count(*) FROM events").fetchone()
    return count, sorted(Path(project).parent.rglob("*.json"))


@pytest.mark.parametrize("name", PAGES)
def test_a_sentence_typed_on_a_page_starts_nothing(
    qtbot: QtBot, inside: MainWindow, name: str, released_project: str
) -> None:
    page = inside.ways.show_page(name)
    qtbot.waitUntil(lambda: page.isVisible() and is_settled(inside.operations))
    before = stored(released_project)
    for sentence in SENTENCES:
        page.setFocus()
        type_sentence(inside, sentence)
        assert open_above(inside) == [], sentence
        qtbot.waitUntil(lambda: is_settled(inside.operations))
    assert page.isVisible()
    assert stored(released_project) == before


def test_the_footer_says_so(qtbot: QtBot, inside: MainWindow) -> None:
    page = inside.ways.show_page("releases")
    qtbot.waitUntil(lambda: page.isVisible() and is_settled(inside.operations))
    page.setFocus()
    type_sentence(inside, "plans are done")
    note = find(inside, QLabel, "footer-note")
    assert note.text() == "Looked like a sentence: ignored."
