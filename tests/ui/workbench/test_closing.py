"""Closing with unsaved work: save works, save fails, cancel, discard; nothing is ever lost unasked."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from annotator.cases.editing import set_policy
from annotator.review.claiming import claim_case
from annotator.review.drafts import DraftBody, open_assignment
from scoring.model.taxonomy import Policy
from tests.annotator.team import Team
from tests.ui.find import find
from ui.main_window.pages import PageContext, PageKind
from ui.main_window.window import MainWindow
from ui.operations import Operations
from ui.preferences import Preferences
from ui.workbench.journal import Journal
from ui.workbench.page import WorkbenchPage

LEFT = Qt.MouseButton.LeftButton


def _workbench(journal: Journal, context: PageContext) -> QWidget:
    return WorkbenchPage(context.operations, context.commands, context.preferences, journal=journal)


@pytest.fixture
def window(
    qtbot: QtBot, light: QApplication, preferences: Preferences, team: Team, journal: Journal
) -> Iterator[MainWindow]:
    """The window with the parcel case open in ann's name."""
    operations = Operations(retry_milliseconds=500)
    kinds = (PageKind("workbench", "Workbench", "list", partial(_workbench, journal)),)
    found = MainWindow(operations, preferences, pages=kinds)
    found.show()
    found.entrance.open(team.url, "ann")
    qtbot.waitUntil(lambda: bool(found.open_pages()))
    page_of(found).open_assignment(claim_case(team["ann"], "c-1").value.id)
    qtbot.waitUntil(lambda: page_of(found).desk.document is not None)
    yield found
    found.hide()
    operations.close()
    shiboken6.delete(found)
    # A QObject left to the garbage collector may be collected on another test's database thread.
    shiboken6.delete(operations)


def page_of(window: MainWindow) -> WorkbenchPage:
    (page,) = window.open_pages()
    assert isinstance(page, WorkbenchPage)
    return page


def change(window: MainWindow) -> None:
    document = page_of(window).desk.document
    assert document is not None
    assert document.edit_case("label", partial(set_policy, task=0, policy=Policy.SINGLE))


def draft(team: Team) -> DraftBody | None:
    return open_assignment(team["ann"], claim_case(team["ann"], "c-1").value.id).draft


def kept_files(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "state" / "drafts"
    return [path for path in folder.iterdir() if path.suffix == ".json"] if folder.is_dir() else []


def is_asked(window: MainWindow) -> bool:
    return bool(window.findChildren(QDialog, "leave-dialog"))


def test_where_saving_works_the_window_closes_and_the_store_has_everything(
    qtbot: QtBot, window: MainWindow, team: Team
) -> None:
    change(window)
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible())
    saved = draft(team)
    assert saved is not None
    assert saved.case.tasks[0].policy is Policy.SINGLE


def test_where_saving_fails_the_work_is_kept_here_and_the_window_closes(
    qtbot: QtBot, window: MainWindow, team: Team, tmp_path: Path
) -> None:
    away = Path(team.url).rename(f"{team.url}.away")
    change(window)
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible())
    away.rename(team.url)
    assert draft(team) is None
    assert len(kept_files(tmp_path)) == 1


def test_where_nothing_can_be_written_people_are_asked_and_staying_keeps_everything(
    qtbot: QtBot, window: MainWindow, team: Team, tmp_path: Path
) -> None:
    (tmp_path / "state").write_text("a file where the journal should be")
    away = Path(team.url).rename(f"{team.url}.away")
    change(window)
    window.close()
    qtbot.waitUntil(lambda: is_asked(window))
    QTest.mouseClick(find(window, QPushButton, "leave-stay"), LEFT)
    assert window.isVisible()
    away.rename(team.url)
    qtbot.waitUntil(lambda: page_of(window).desk.save_state.words.startswith("Saved"), timeout=8000)
    saved = draft(team)
    assert saved is not None
    assert saved.case.tasks[0].policy is Policy.SINGLE


def test_discarding_is_possible_but_only_when_asked_for(
    qtbot: QtBot, window: MainWindow, team: Team, tmp_path: Path
) -> None:
    (tmp_path / "state").write_text("a file where the journal should be")
    away = Path(team.url).rename(f"{team.url}.away")
    change(window)
    window.close()
    qtbot.waitUntil(lambda: is_asked(window))
    QTest.mouseClick(find(window, QPushButton, "leave-go"), LEFT)
    qtbot.waitUntil(lambda: not window.isVisible())
    away.rename(team.url)
    assert draft(team) is None
