"""Leaving with unsaved work: save works, save fails, cancel, discard; nothing is ever lost unasked."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from annotator.cases.edits.text_edits import set_policy
from annotator.drafts.draft_body import DraftBody
from annotator.drafts.journal import Journal
from annotator.review.drafts import open_assignment
from annotator.review.queue.claims import claim_case
from scoring.model.taxonomy import CheckAnswer, Policy, Stage
from tests.annotator.team import Team
from tests.ui.find import find
from tests.ui.workbench.driving import save_words
from ui.desk import judgment_actions
from ui.desk.document import CaseDocument
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.shell.main_window import MainWindow
from ui.shell.navigation import PageContext, PageKind
from ui.workbench.page import WorkbenchPage

LEFT = Qt.MouseButton.LeftButton
WAYS = ["window.quit", "project.leave", "project.person"]


def _workbench(journal: Journal, context: PageContext) -> QWidget:
    return WorkbenchPage(context.operations, context.commands, context.preferences, journal=journal)


def _other(context: PageContext) -> QWidget:
    return QWidget()


@pytest.fixture
def window(
    qtbot: QtBot, light: QApplication, preferences: Preferences, team: Team, journal: Journal
) -> Iterator[MainWindow]:
    """The window with the parcel case open in ann's name."""
    operations = Operations(retry_milliseconds=500)
    kinds = (
        PageKind("workbench", "Workbench", "list", partial(_workbench, journal)),
        PageKind("other", "Other", "list", _other),
    )
    found = MainWindow(operations, preferences, pages=kinds)
    found.show()
    found.entrance.open(team.url, "ann")
    qtbot.waitUntil(lambda: bool(found.ways.open_pages()))
    page_of(found).open_assignment(claim_case(team["ann"], "c-1").value.id)
    qtbot.waitUntil(lambda: page_of(found).open_work.document is not None)
    yield found
    found.hide()
    operations.close()
    shiboken6.delete(found)
    # A QObject left to the garbage collector may be collected on another test's database thread.
    shiboken6.delete(operations)


def page_of(window: MainWindow) -> WorkbenchPage:
    return next(page for page in window.ways.open_pages() if isinstance(page, WorkbenchPage))


def document_of(window: MainWindow) -> CaseDocument:
    document = page_of(window).open_work.document
    assert document is not None
    return document


def change(window: MainWindow) -> None:
    changed = document_of(window).edit_case("label", partial(set_policy, task=0, policy=Policy.SINGLE))
    assert changed


def draft(team: Team) -> DraftBody | None:
    return open_assignment(team["ann"], claim_case(team["ann"], "c-1").value.id).draft


def holds_the_change(team: Team) -> bool:
    saved = draft(team)
    return saved is not None and saved.case.tasks[0].policy is Policy.SINGLE


def kept_files(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "state" / "drafts"
    return [path for path in folder.iterdir() if path.suffix == ".json"] if folder.is_dir() else []


def is_asked(window: MainWindow) -> bool:
    return bool(window.findChildren(QDialog, "leave-dialog"))


def has_left(window: MainWindow) -> bool:
    """Whether the window is closed, or shows a page outside the project."""
    return not window.isVisible() or window.stack.currentWidget() in window.entrance.pages()


def take_away(team: Team) -> Path:
    """Put the project's file out of reach, as a network drive that drops out."""
    return Path(team.url).rename(f"{team.url}.away")


def block_journal(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the journal should be")


@pytest.mark.parametrize("way", WAYS)
def test_where_saving_works_one_leaves_and_the_store_has_everything(
    qtbot: QtBot, window: MainWindow, team: Team, way: str
) -> None:
    change(window)
    window.commands.trigger(way)
    qtbot.waitUntil(lambda: has_left(window))
    assert holds_the_change(team)


@pytest.mark.parametrize("way", WAYS)
def test_where_saving_fails_the_work_is_kept_here_and_one_leaves(
    qtbot: QtBot, window: MainWindow, team: Team, tmp_path: Path, way: str
) -> None:
    away = take_away(team)
    change(window)
    window.commands.trigger(way)
    qtbot.waitUntil(lambda: has_left(window))
    away.rename(team.url)
    assert draft(team) is None
    assert len(kept_files(tmp_path)) == 1


@pytest.mark.parametrize("way", WAYS)
def test_where_nothing_can_be_written_people_are_asked_and_staying_keeps_everything(
    qtbot: QtBot, window: MainWindow, team: Team, tmp_path: Path, way: str
) -> None:
    block_journal(tmp_path)
    away = take_away(team)
    change(window)
    window.commands.trigger(way)
    qtbot.waitUntil(lambda: is_asked(window))
    QTest.mouseClick(find(window, QPushButton, "leave-stay"), LEFT)
    assert not has_left(window)
    away.rename(team.url)
    qtbot.waitUntil(lambda: save_words(page_of(window)).startswith("Saved"))
    assert holds_the_change(team)


@pytest.mark.parametrize("way", WAYS)
def test_discarding_is_possible_but_only_when_asked_for(
    qtbot: QtBot, window: MainWindow, team: Team, tmp_path: Path, way: str
) -> None:
    block_journal(tmp_path)
    away = take_away(team)
    change(window)
    window.commands.trigger(way)
    qtbot.waitUntil(lambda: is_asked(window))
    QTest.mouseClick(find(window, QPushButton, "leave-go"), LEFT)
    qtbot.waitUntil(lambda: has_left(window))
    away.rename(team.url)
    assert draft(team) is None


def test_another_page_is_shown_at_once_and_the_work_is_saved_meanwhile(
    qtbot: QtBot, window: MainWindow, team: Team
) -> None:
    change(window)
    window.ways.show_page("other")
    qtbot.waitUntil(lambda: holds_the_change(team))


def test_work_left_for_another_page_is_kept_here_where_it_cannot_be_saved(
    qtbot: QtBot, window: MainWindow, team: Team, tmp_path: Path
) -> None:
    away = take_away(team)
    change(window)
    window.ways.show_page("other")
    qtbot.waitUntil(lambda: len(kept_files(tmp_path)) == 1)
    away.rename(team.url)


def test_a_case_closed_before_the_store_refused_its_last_change_is_kept_here(
    qtbot: QtBot, window: MainWindow, team: Team, tmp_path: Path
) -> None:
    away = take_away(team)
    change(window)
    page_of(window).open_work.close()
    qtbot.waitUntil(lambda: len(kept_files(tmp_path)) == 1)
    away.rename(team.url)


def test_changes_made_while_a_save_is_under_way_do_not_hold_anybody_up(
    qtbot: QtBot, window: MainWindow, team: Team
) -> None:
    change(window)
    page_of(window).flush()
    document_of(window).edit_case("label", partial(set_policy, task=0, policy=Policy.CHAT))
    window.close()
    qtbot.waitUntil(lambda: is_asked(window) or has_left(window))
    assert has_left(window)
    saved = draft(team)
    assert saved is not None
    assert saved.case.tasks[0].policy is Policy.CHAT


def test_a_window_closed_during_a_submission_waits_for_it(
    qtbot: QtBot, window: MainWindow, team: Team
) -> None:
    team.check_once("ann", "c-1")
    page_of(window).open_work.close()
    page_of(window).open_assignment(claim_case(team["ann"], "c-1").value.id)
    qtbot.waitUntil(lambda: page_of(window).open_work.document is not None)
    document = document_of(window)
    for _ in ("coherence", "retention", "completed"):
        item = judgment_actions.next_item(document)
        assert item is not None
        assert judgment_actions.answer_item(document, item, answer=CheckAnswer.PASS)
    page_of(window).submit()
    window.close()
    qtbot.waitUntil(lambda: has_left(window))
    assert team.stage("c-1") is Stage.CROSS_CHECK
    assert not is_asked(window)
