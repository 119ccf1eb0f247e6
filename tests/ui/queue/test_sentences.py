"""Who begins to type a sentence on the queue gives no case away and takes none."""

import sqlite3
from contextlib import closing

import pytest
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from tests.ui.queue.conftest import Opener
from tests.ui.queue.driving import cases_of, settle
from tests.ui.sentences import SENTENCE, type_sentence
from ui.services.operations import Operations


def rows_of(project: str) -> list[object]:
    """Who has which case, and where each stands."""
    with closing(sqlite3.connect(project)) as reader:
        cases = reader.execute("SELECT id, stage, owner_id FROM cases ORDER BY id").fetchall()
        held = reader.execute("SELECT id, status FROM assignments ORDER BY id").fetchall()
    return [*cases, *held]


@pytest.mark.parametrize("text", [SENTENCE, "a file is missing", "open it for all"])
def test_a_sentence_gives_no_case_away(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, closed_operations: Operations, text: str
) -> None:
    with closing(sqlite3.connect(reviewed_project)) as store:
        manager = store.execute("SELECT name FROM people ORDER BY id").fetchone()[0]
    page = open_queue(reviewed_project, manager)
    cases_of(page).setFocus()
    before = rows_of(reviewed_project)
    type_sentence(page.window(), text)
    settle(qtbot, closed_operations)
    assert rows_of(reviewed_project) == before
    assert not [one for one in QApplication.topLevelWidgets() if isinstance(one, QDialog) and one.isVisible()]


@pytest.mark.parametrize("pause", [15, 150, 250])
@pytest.mark.parametrize("text", ["Next we move the files", "No idea", "now n", "n 1", "Not"])
def test_a_sentence_that_begins_with_n_takes_no_case(
    qtbot: QtBot,
    open_queue: Opener,
    reviewed_project: str,
    closed_operations: Operations,
    text: str,
    pause: int,
) -> None:
    page = open_queue(reviewed_project, "ann-2")
    cases_of(page).setFocus()
    opened: list[object] = []
    page.open_requested.connect(opened.append)
    before = rows_of(reviewed_project)
    for letter in text[:6]:
        type_sentence(page.window(), letter)
        qtbot.wait(pause)
    qtbot.wait(400)
    settle(qtbot, closed_operations)
    assert opened == []
    assert rows_of(reviewed_project) == before
