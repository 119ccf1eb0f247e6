"""Leading batches in the window: what holds one up, splitting, moving, merging, and the day it is due."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QTabBar

from annotator.project.people import login_name
from annotator.project.workspace import open_workspace
from annotator.review.batches import split_batch
from tests.ui.find import find
from tests.ui.team.opening import Opened
from ui.team.page import TeamPage
from ui.theme.dialogs import FormDialog
from ui.theme.tables import FigureTable

BATCHES = 1


def _open(opened: Opened, project: str) -> TeamPage:
    opened.project = project
    page = opened.open(login_name())
    find(page, QTabBar, "team-tabs").setCurrentIndex(BATCHES)
    opened.settle()
    return page


def _lines(page: TeamPage, name: str) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in find(page, FigureTable, name).rows]


def _said(page: TeamPage) -> str:
    return find(page, QLabel, "error-message").text()


def test_one_key_splits_off_what_is_finished_and_the_rest_says_what_it_waits_for(
    opened: Opened, reviewed_project: str
) -> None:
    page = _open(opened, reviewed_project)
    waiting = _lines(page, "batch-waiting")
    assert sum(int(line[2]) for line in waiting) == 12
    assert [line[:3] for line in waiting if line[0] == "Cross-check"] == [
        ["Cross-check", "any reviewer who may judge them", "3"]
    ]
    assert "4 finished could be split off (F)." in find(page, QLabel, "batch-outlook").text()
    QTest.keyClick(page.window(), Qt.Key.Key_F)
    dialog = find(page, FormDialog, "split-dialog")
    name = find(dialog, QLineEdit, "split-name")
    assert name.text() == "samples-part-1"
    name.setText("samples")
    assert find(dialog, QPushButton, "split-go").toolTip() == "There is a batch of this name already."
    name.setText("ready")
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    opened.settle()
    # The two escalated cases are open still, and stay.
    assert _said(page) == "4 cases are in batch ready now. 1 of its cases are sampled."
    assert [line[:2] for line in _lines(page, "batches")] == [["ready", "4"], ["samples", "12"]]
    assert _lines(page, "batch-waiting") == waiting  # the selection stays on what is left


def test_a_split_during_an_open_sample_is_refused_with_the_reason(
    opened: Opened, reviewed_project: str
) -> None:
    page = _open(opened, reviewed_project)
    QTest.keyClick(page.window(), Qt.Key.Key_F)
    dialog = find(page, FormDialog, "split-dialog")
    workspace = open_workspace(reviewed_project, login_name())
    split_batch(workspace, "samples", name="ready")  # another window was faster
    workspace.close()
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    opened.settle()
    assert _said(page).startswith("No case of samples is approved")


def test_cases_before_their_first_judgment_move_to_a_new_batch_and_back(
    opened: Opened, reviewed_project: str
) -> None:
    page = _open(opened, reviewed_project)
    QTest.keyClick(page.window(), Qt.Key.Key_V)
    opened.settle()
    dialog = find(page, FormDialog, "move-dialog")
    assert find(dialog, QComboBox, "move-cases").currentText().endswith("7 cases")
    assert find(dialog, QPushButton, "move-go").toolTip() == "Enter a name."
    find(dialog, QLineEdit, "move-name").setText("later")
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    opened.settle()
    assert _said(page) == "7 cases are in batch later now."
    find(page, FigureTable, "batches").mark("later")
    QTest.keyClick(page.window(), Qt.Key.Key_M)
    QTest.keyClick(find(page, FormDialog, "merge-dialog"), Qt.Key.Key_Return)
    opened.settle()
    assert _said(page) == "7 cases are in batch samples now."
    assert [line[:2] for line in _lines(page, "batches")] == [["samples", "16"]]


def test_a_due_day_is_set_and_what_is_no_day_is_not(opened: Opened, reviewed_project: str) -> None:
    page = _open(opened, reviewed_project)
    QTest.keyClick(page.window(), Qt.Key.Key_U)
    dialog = find(page, FormDialog, "due-dialog")
    day = find(dialog, QLineEdit, "due-day")
    day.setText("9 December")
    assert "is not a day" in find(dialog, QPushButton, "due-go").toolTip()
    day.setText("2026-12-09")
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    opened.settle()
    [line] = _lines(page, "batches")
    assert line[11] == "9 Dec"


def test_leading_is_for_managers(opened: Opened, reviewed_project: str) -> None:
    opened.project = reviewed_project
    page = opened.open("ann-2")
    find(page, QTabBar, "team-tabs").setCurrentIndex(BATCHES)
    opened.settle()
    for name in ("batch-split", "batch-merge", "batch-move", "batch-due"):
        assert find(page, QPushButton, name).toolTip() == "Only managers lead batches."
