"""The queue as its people find cases in it: list, filters, views, and what an empty one says."""

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.cases.file_import import import_files
from annotator.jobs import JobContext
from annotator.project.changes import Changes
from annotator.project.creation import create_workspace
from annotator.project.people import login_name
from annotator.project.workspace import open_workspace
from annotator.review.policy_changes import change_review_policy
from scoring.model.case import dump_case
from scoring.model.record import to_json
from scoring.model.taxonomy import Stage
from tests.factories import answer, case, task
from tests.ui.find import find, show_view
from tests.ui.queue.conftest import Opener
from tests.ui.queue.driving import cases_of, count_of, ids_of, place_of, settle
from ui.queue.case_table import CASE_ROLE
from ui.queue.filter_bar import FilterChip, QueueHead
from ui.queue.import_dialogs import ImportDialog
from ui.queue.views import FilterDimension, QueueView
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.theme import ChipButton


def test_it_lists_every_case_with_the_newest_change_first(open_queue: Opener, reviewed_project: str) -> None:
    page = open_queue(reviewed_project, "ann-1")
    assert len(ids_of(page)) == 16
    assert count_of(page) == "16 cases"
    rows = [cases_of(page).model().index(row, 0).data(CASE_ROLE) for row in range(16)]
    moments = [row.changed_at for row in rows]
    assert moments == sorted(moments, reverse=True)


@pytest.mark.parametrize(
    ("person", "words"),
    [
        ("ann-1", "Yours: 7 in self-check"),
        ("ann-2", "Yours: 7 in self-check, 3 to cross-check"),
        ("expert-1", "Yours: 2 to decide"),
    ],
)
def test_the_head_line_says_what_waits_for_a_person(
    open_queue: Opener, reviewed_project: str, person: str, words: str
) -> None:
    page = open_queue(reviewed_project, person)
    head = page.findChildren(QueueHead)[0]
    shown = find(head, QLabel, "waiting")
    assert shown.accessibleName() == words
    plain = QTextDocumentFragment.fromHtml(shown.text()).toPlainText()
    assert plain == words.replace(", ", " · ")


def test_a_stage_chosen_in_the_menu_narrows_the_list_and_its_cross_widens_it(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, closed_operations: Operations
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    chip = find(page, FilterChip, "filter-stage")
    menu = chip.menu_of_choices()
    next(action for action in menu.actions() if action.text() == "Approved").trigger()
    qtbot.waitUntil(lambda: len(ids_of(page)) == 4)
    assert count_of(page) == "4 of 16 cases"
    assert chip.text() == "Stage: Approved"
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton, pos=QPoint(chip.width() - 12, chip.height() // 2))
    qtbot.waitUntil(lambda: len(ids_of(page)) == 16)
    settle(qtbot, closed_operations)


def test_markup_and_direction_marks_in_a_request_are_shown_as_they_are(
    open_queue: Opener, tmp_path: Path
) -> None:
    place = str(tmp_path / "untrusted.db")
    file = tmp_path / "untrusted.jsonl"
    request = "<img src='http://example.com/x.png'> \u202eabc"
    file.write_text(to_json(dump_case(case(task(answer(), user=request)))), encoding="utf-8")
    workspace = create_workspace(place, person="anna")
    import_files(workspace, [file], context=JobContext())
    workspace.close()
    page = open_queue(place, "anna")
    index = cases_of(page).model().index(0, place_of("request"))
    assert "\u202e" not in str(index.data())
    assert "&lt;img" in str(index.data(Qt.ItemDataRole.ToolTipRole))


def test_several_filters_hold_together(qtbot: QtBot, open_queue: Opener, reviewed_project: str) -> None:
    page = open_queue(reviewed_project, "ann-1")
    show_view(page, QueueView(stages=(Stage.IMPORTED,), rules=("graph.missing_edge",)))
    qtbot.waitUntil(lambda: ids_of(page) == ["sample-14-festival-shifts"])


def test_slash_goes_to_the_text_field_and_words_find_a_case(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    QTest.keyClick(cases_of(page), Qt.Key.Key_Slash)
    field = find(page, QLineEdit, "filter-text")
    assert field.hasFocus()
    QTest.keyClicks(field, "badminton")
    qtbot.waitUntil(lambda: ids_of(page) == ["sample-10-badminton-zh"])
    QTest.keyClick(field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(ids_of(page)) == 16)
    assert cases_of(page).hasFocus()


def test_a_saved_view_is_one_click_and_a_second_click_takes_it_off(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    chip = find(page, QPushButton, "view-Escalated")
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(ids_of(page)) == 2)
    assert chip.isChecked()
    QTest.mouseClick(find(page, QPushButton, "view-Escalated"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(ids_of(page)) == 16)


def test_filters_kept_under_a_name_are_there_next_time(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, preferences: Preferences
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    show_view(page, QueueView(stages=(Stage.APPROVED,)))
    qtbot.waitUntil(lambda: len(ids_of(page)) == 4)
    QTest.mouseClick(find(page, QWidget, "view-keep"), Qt.MouseButton.LeftButton)
    field = find(page, QLineEdit, "view-name")
    QTest.keyClicks(field, "Waiting")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert preferences.settings.views == {"Waiting": {"stages": ["approved"]}}
    again = open_queue(reviewed_project, "ann-1")
    QTest.mouseClick(find(again, QPushButton, "view-Waiting"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(ids_of(again)) == 4)


def _name_it(page: QWidget, name: str, *, is_shared: bool = False) -> None:
    field = find(page, QLineEdit, "view-name")
    find(page, QCheckBox, "view-shared").setChecked(is_shared)
    field.setText(name)
    QTest.keyClick(field, Qt.Key.Key_Return)


def _choose(qtbot: QtBot, page: QWidget, chip_name: str, choice: str) -> None:
    """Choose in the menu of a view."""
    qtbot.waitUntil(lambda: len(page.findChildren(QPushButton, chip_name)) == 1)  # the former ones are gone
    chip = find(page, QPushButton, chip_name)
    chip.customContextMenuRequested.emit(QPoint(2, 2))
    [menu] = page.findChildren(QMenu, "view-menu")
    next(action for action in menu.actions() if action.text() == choice).trigger()
    menu.close()
    menu.setObjectName("")


def _views_in(page: QWidget) -> list[str]:
    names = [chip.objectName() for chip in page.findChildren(ChipButton)]
    return [name.removeprefix("team-") for name in names if name.startswith("team-view-")]


def test_a_lead_shares_a_view_that_everybody_sees_and_only_leads_change(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, closed_operations: Operations
) -> None:
    page = open_queue(reviewed_project, login_name())
    show_view(page, QueueView(stages=(Stage.APPROVED,)))
    QTest.mouseClick(find(page, QWidget, "view-keep"), Qt.MouseButton.LeftButton)
    assert find(page, QCheckBox, "view-shared").isVisible()
    _name_it(page, "Waiting", is_shared=True)
    qtbot.waitUntil(lambda: _views_in(page) == ["view-Waiting"])
    assert find(page, QPushButton, "team-view-Waiting").text() == "Waiting · team"
    show_view(page, QueueView(stages=(Stage.ESCALATED,)))
    _choose(qtbot, page, "team-view-Waiting", "Replace by the present filters")
    chips = partial(page.findChildren, QPushButton, "team-view-Waiting")
    qtbot.waitUntil(lambda: [chip.isChecked() for chip in chips()] == [True])
    _choose(qtbot, page, "team-view-Waiting", "Rename…")
    _name_it(page, "Disputed", is_shared=True)
    qtbot.waitUntil(lambda: _views_in(page) == ["view-Disputed"])
    theirs = open_queue(reviewed_project, "ann-1")
    qtbot.waitUntil(lambda: _views_in(theirs) == ["view-Disputed"])
    chip = find(theirs, QPushButton, "team-view-Disputed")
    assert chip.contextMenuPolicy() is not Qt.ContextMenuPolicy.CustomContextMenu
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(ids_of(theirs)) == 2)
    QTest.mouseClick(find(theirs, QWidget, "view-keep"), Qt.MouseButton.LeftButton)
    assert not find(theirs, QCheckBox, "view-shared").isVisible()
    _name_it(theirs, "")
    settle(qtbot, closed_operations)
    again = open_queue(reviewed_project, login_name())
    qtbot.waitUntil(lambda: _views_in(again) == ["view-Disputed"])
    _choose(qtbot, again, "team-view-Disputed", "Delete this view")
    qtbot.waitUntil(lambda: not _views_in(again))


def test_an_own_view_is_renamed_and_deleted(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, preferences: Preferences
) -> None:
    preferences.change(views={"Old": {"batch": "07"}, "Other": {}})
    page = open_queue(reviewed_project, "ann-1")
    _choose(qtbot, page, "view-Old", "Rename…")
    _name_it(page, "New")
    assert preferences.settings.views == {"Other": {}, "New": {"batch": "07"}}
    _choose(qtbot, page, "view-Other", "Delete this view")
    assert preferences.settings.views == {"New": {"batch": "07"}}
    qtbot.waitUntil(lambda: not page.findChildren(QPushButton, "view-Other"))


def test_a_view_that_names_a_batch_which_is_gone_says_so(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, preferences: Preferences
) -> None:
    preferences.change(views={"Old": {"batch": "week-0"}})
    page = open_queue(reviewed_project, "ann-1")
    QTest.mouseClick(find(page, QPushButton, "view-Old"), Qt.MouseButton.LeftButton)
    message = find(page, QLabel, "error-message")
    qtbot.waitUntil(lambda: message.text().startswith("There is no batch 'week-0'."))


def test_a_heading_sorts_and_a_second_click_turns_round(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    header = cases_of(page).horizontalHeader()
    at = QPoint(header.sectionViewportPosition(place_of("case")) + 20, header.height() // 2)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: ids_of(page)[0] == "sample-01-ghent-weekend")
    heading = cases_of(page).model().headerData(place_of("case"), Qt.Orientation.Horizontal)
    assert heading == "Case ↑"
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: ids_of(page)[0] == "sample-16-paper-moons")


def test_an_empty_project_says_what_to_do_next(open_queue: Opener, tmp_path: Path) -> None:
    place = str(tmp_path / "empty.db")
    create_workspace(place, person="anna").close()
    page = open_queue(place, "anna")
    start = find(page, QPushButton, "empty-import")
    assert start.isVisible()
    QTest.mouseClick(start, Qt.MouseButton.LeftButton)
    dialog = find(page, ImportDialog, "import-dialog")
    assert find(dialog, QPushButton, "import-go").toolTip() == "Fill in “Files”."
    dialog.close()


def test_an_annotator_imports_only_where_the_policy_says_so(
    qtbot: QtBot, open_queue: Opener, sample_project: str, closed_operations: Operations
) -> None:
    page = open_queue(sample_project, "ann-1")
    button = find(page, QPushButton, "import")
    assert "Only managers import cases" in button.toolTip()
    manager = open_workspace(sample_project, login_name())
    change_review_policy(manager, ("annotators_import=true",))
    manager.close()
    closed_operations.changed.emit(Changes(has_policy=True), None)
    qtbot.waitUntil(lambda: "Only managers" not in button.toolTip())


def test_where_words_fit_nothing_the_keys_go_to_the_way_back(
    qtbot: QtBot, open_queue: Opener, sample_project: str
) -> None:
    page = open_queue(sample_project, "ann-1")
    QTest.keyClick(cases_of(page), Qt.Key.Key_Slash)
    field = find(page, QLineEdit, "filter-text")
    clear = find(page, QPushButton, "empty-clear")
    QTest.keyClicks(field, "no such words")
    qtbot.waitUntil(clear.isVisible)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert clear.hasFocus()
    QTest.keyClick(clear, Qt.Key.Key_X, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: len(ids_of(page)) == 16)
    assert cases_of(page).hasFocus()


def test_filters_that_fit_nothing_can_be_taken_off(
    qtbot: QtBot, open_queue: Opener, sample_project: str
) -> None:
    page = open_queue(sample_project, "ann-1")
    show_view(page, QueueView(text="no such words"))
    clear = find(page, QPushButton, "empty-clear")
    qtbot.waitUntil(clear.isVisible)
    QTest.mouseClick(clear, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(ids_of(page)) == 16)


def test_the_owner_filter_offers_mine_and_everybody(open_queue: Opener, sample_project: str) -> None:
    page = open_queue(sample_project, "ann-1")
    menu = find(page, FilterChip, "filter-owner").menu_of_choices()
    names = [action.text() for action in menu.actions()]
    assert names == ["mine", "ann-1", "ann-2", "ann-3", "expert-1", login_name()]
    menu.close()


def test_the_batch_filter_offers_the_batches(open_queue: Opener, sample_project: str) -> None:
    page = open_queue(sample_project, "ann-1")
    chip = find(page, FilterChip, "filter-batch")
    assert chip.dimension is FilterDimension.BATCH
    menu = chip.menu_of_choices()
    assert [action.text() for action in menu.actions()] == ["samples"]
    menu.close()
