"""The releases page on a project whose cases are final: freezing, verifying, comparing."""

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPushButton,
    QTableView,
    QTreeWidget,
)
from pytestqt.qtbot import QtBot

from annotator.jobs import JobContext
from annotator.project.people import list_people, login_name
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Workspace, open_workspace
from annotator.release.freeze import FreezePreview, freeze, freeze_preview
from annotator.release.quality import draw_planned
from annotator.release.verification import verify_release
from annotator.review.expert.decisions import Decision
from annotator.review.queue.case_rows import list_cases
from annotator.review.withdrawals import reopen
from db.read.rows import CaseFilter
from scoring.model.taxonomy import Stage, Verdict
from tests.annotator.team import team_on, two_step_case
from tests.ui.find import figure_of, find
from ui.releases.page import ReleasesPage
from ui.releases.quality import QualityView
from ui.services.commands import Commands
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme import Hint, Stat
from ui.theme.panels import TabBar
from ui.theme.tables import FigureTable


@pytest.fixture
def released(tmp_path: Path, released_sample: Path) -> Path:
    """A folder with the sample project, all its cases released as `samples-1`."""
    shutil.copy(released_sample / "sample.db", tmp_path / "sample.db")
    return tmp_path


class Opened:
    """The page in a window, as somebody."""

    def __init__(self, qtbot: QtBot, operations: Operations) -> None:
        self.qtbot = qtbot
        self.operations = operations
        self.window = QMainWindow()

    def open(self, project: Path | str, person: str) -> ReleasesPage:
        """Open the page."""
        with self.qtbot.waitSignal(self.operations.opened):
            self.operations.open(str(project), person)
        page = ReleasesPage(self.operations, Commands(self.window))
        self.window.setCentralWidget(page)
        self.window.resize(1400, 800)
        self.window.show()
        self.window.activateWindow()
        self.settle()
        self.qtbot.waitUntil(self.window.isActiveWindow)
        return page

    def settle(self) -> None:
        """Wait until every answer is there."""
        self.qtbot.waitUntil(lambda: not self.operations.pending_count and not self.operations.jobs)


@pytest.fixture
def opened(qtbot: QtBot, closed_operations: Operations) -> Iterator[Opened]:
    """A way to open the page."""
    found = Opened(qtbot, closed_operations)
    yield found
    closed_operations.close()
    shiboken6.delete(found.window)


def _names(page: ReleasesPage) -> list[str]:
    model = find(page, QTableView, "releases").model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def test_without_a_release_it_says_what_one_is(opened: Opened, sample_project: str) -> None:
    page = opened.open(sample_project, login_name())
    assert find(page, QLabel, "release-count").text() == "0 releases"
    assert find(page, QPushButton, "empty-freeze").isVisible()


def test_a_release_is_listed_with_its_manifest(opened: Opened, released: Path) -> None:
    page = opened.open(released / "sample.db", login_name())
    assert _names(page) == ["samples-1"]
    texts = [label.text() for label in page.findChildren(QLabel)]
    assert "STAGE ACCURACY" in texts
    assert "93.8 %" in texts  # 15 of 16 cases left the cross-check as they are now


def test_the_page_says_how_wrong_the_cases_may_be(opened: Opened, released: Path) -> None:
    page = opened.open(released / "sample.db", login_name())
    # Of the 16 samples 14 are approved and 2 are escalated; see the project's samples.
    words = find(page, QLabel, "quality-headline").text()
    assert "sampled" in words
    texts = [label.text() for label in page.findChildren(QLabel)]
    assert "HOW WRONG MAY IT BE" in texts


def test_one_key_plans_and_draws_more_cases_for_the_experts(opened: Opened, released: Path) -> None:
    page = opened.open(released / "sample.db", login_name())
    QTest.keyClick(page, Qt.Key.Key_S)
    opened.settle()
    dialog = find(page, QDialog, "sample-dialog")
    count = int(find(dialog, QLabel, "sample-plan").text().split()[0])
    assert count > 0
    bound = find(dialog, QLineEdit, "sample-bound")
    for typed in ("", "0", "100", "two", "nan"):
        bound.setText(typed)
        assert "above 0 and below 100" in find(dialog, QLabel, "sample-plan").text()
        assert not find(dialog, QPushButton, "sample-go").isEnabled()
    bound.setText("2 %")
    opened.settle()
    find(dialog, QPushButton, "sample-go").click()
    opened.settle()
    drawn = open_workspace(str(released / "sample.db"), login_name())
    assert len(list_cases(drawn, CaseFilter(stages=(Stage.EXPERT,)))) == count
    drawn.close()
    QTest.keyClick(page, Qt.Key.Key_S)
    opened.settle()
    again = page.findChildren(QDialog, "sample-dialog")[-1]
    assert "not decided yet" in find(again, QLabel, "sample-plan").text()
    assert not find(again, QPushButton, "sample-go").isEnabled()
    again.close()


def test_the_letter_of_errata_writes_nothing_where_there_are_none(opened: Opened, released: Path) -> None:
    workspace = open_workspace(str(released / "sample.db"), login_name())
    freeze(workspace, "second", directory=released / "second", context=JobContext())
    workspace.close()
    page = opened.open(released / "sample.db", login_name())
    QTest.keyClick(page, Qt.Key.Key_E)
    opened.settle()
    said = [label.text() for label in find(page, ErrorBanner, "releases-notice").findChildren(QLabel)]
    assert "Nothing to write: no erratum of second is missing in its folder." in said
    assert not (released / "second" / "errata.json").exists()
    assert verify_release(released / "second").ok


def test_errata_that_nobody_wrote_are_offered_with_one_key(
    opened: Opened, sqlite_path: Path, tmp_path: Path
) -> None:
    policy = ReviewPolicy(cross_check=False, expert_sample=False)
    with team_on(str(sqlite_path), tmp_path, policy=policy) as team:
        team.bring(two_step_case("c-1"), two_step_case("c-2"))
        for case_id in ("c-1", "c-2"):
            team.self_check("ann", case_id)
        freeze(team["max"], "r1", directory=tmp_path / "r1", context=JobContext())
        draw_planned(team["eve"], bound=0.1)
        team.decide("c-2", Decision(verdict=Verdict.REJECT, note="no such depot"))
    page = opened.open(sqlite_path, "max")
    cells = find(page, QTableView, "releases").model()
    assert cells.index(0, 3).data() == "1 to write"
    hints = partial(page.findChildren, Hint, "unwritten-errata")
    opened.qtbot.waitUntil(lambda: any(hint.isVisible() for hint in hints()))
    for answer in ("dialog-cancel", "errata-go"):
        QTest.keyClick(page, Qt.Key.Key_E)
        dialog = page.findChildren(QDialog, "errata-dialog")[-1]
        assert dialog.focusWidget() is find(dialog, QPushButton, "dialog-cancel")
        assert not (tmp_path / "r1" / "errata.json").exists()
        find(dialog, QPushButton, answer).click()
        opened.settle()
    said = [label.text() for label in find(page, ErrorBanner, "releases-notice").findChildren(QLabel)]
    assert "1 erratum of r1 written." in said
    assert cells.index(0, 3).data() == ""
    opened.qtbot.waitUntil(lambda: not hints())
    assert verify_release(tmp_path / "r1").errata == ("c-2",)


def test_an_annotator_draws_no_sample(opened: Opened, sample_project: str) -> None:
    page = opened.open(sample_project, "ann-1")
    assert not find(page, QPushButton, "release-sample").isEnabled()


def test_an_annotator_cannot_freeze_and_is_told_who_can(opened: Opened, sample_project: str) -> None:
    page = opened.open(sample_project, "ann-1")
    button = find(page, QPushButton, "release-freeze")
    assert (button.isEnabled(), button.toolTip()) == (False, "Only managers freeze releases.")


def test_the_wizard_says_what_stays_out_and_why(opened: Opened, reviewed_project: str) -> None:
    page = opened.open(reviewed_project, login_name())
    QTest.keyClick(page, Qt.Key.Key_F)
    opened.settle()
    dialog = find(page, QDialog, "freeze-dialog")
    assert figure_of(find(dialog, Stat, "freeze-cases-out")) == "16"
    tree = find(dialog, QTreeWidget, "freeze-outside")
    groups = [tree.topLevelItem(row) for row in range(tree.topLevelItemCount())]
    lines = {item.text(0): item.text(1) for item in groups if item is not None}
    assert lines["Escalated"] == "2 cases: it waits for an expert's decision"
    assert find(dialog, QPushButton, "freeze-go").toolTip() == "No case is final yet."
    dialog.close()


def test_the_wizard_proposes_no_name_that_is_taken(opened: Opened, released: Path, tmp_path: Path) -> None:
    page = opened.open(released / "sample.db", login_name())
    month = f"{datetime.now().astimezone():%Y.%m}"
    other = open_workspace(str(released / "sample.db"), login_name())
    freeze(other, month, directory=tmp_path / "elsewhere", context=JobContext())  # another window did
    other.close()
    (tmp_path / f"{month}.2").mkdir()  # where releases of this project are put
    QTest.keyClick(page, Qt.Key.Key_F)
    opened.settle()
    dialog = find(page, QDialog, "freeze-dialog")
    assert find(dialog, QLineEdit, "freeze-name").text() == f"{month}.3"
    assert find(dialog, QPushButton, "freeze-go").isEnabled()
    dialog.close()


def test_the_wizard_names_final_cases_nobody_is_known_to_have_drawn(opened: Opened, released: Path) -> None:
    with sqlite3.connect(released / "sample.db") as store:  # as an older version left it
        store.execute("""UPDATE judgments SET body = replace(body, '"drawn":true', '"drawn":null')""")
    store.close()
    page = opened.open(released / "sample.db", login_name())
    QTest.keyClick(page, Qt.Key.Key_F)
    opened.settle()
    dialog = find(page, QDialog, "freeze-dialog")
    tree = find(dialog, QTreeWidget, "freeze-outside")
    group = tree.topLevelItem(0)
    assert group is not None
    assert group.text(0) == "Released"
    assert "nobody is known to have drawn it; reopen it" in group.text(1)
    inside, outside = (int(figure_of(find(dialog, Stat, f"freeze-cases-{name}"))) for name in ("in", "out"))
    assert (inside + outside, group.childCount()) == (16, outside)
    # What only one expert has decided is said where the release is made.
    assert (
        "that one expert decided and no other has sampled." in find(dialog, QLabel, "freeze-quality").text()
    )
    assert inside > 0
    dialog.close()


def test_the_list_of_what_stays_out_is_as_high_as_its_lines_and_grows_with_them(
    opened: Opened, reviewed_project: str
) -> None:
    page = opened.open(reviewed_project, login_name())
    QTest.keyClick(page, Qt.Key.Key_F)
    opened.settle()
    dialog = find(page, QDialog, "freeze-dialog")
    tree = find(dialog, QTreeWidget, "freeze-outside")
    first, last = tree.topLevelItem(0), tree.topLevelItem(tree.topLevelItemCount() - 1)
    assert first is not None
    assert last is not None
    folded, height = dialog.height(), tree.visualItemRect(last).height()
    assert tree.viewport().height() - tree.visualItemRect(last).bottom() <= 2
    first.setExpanded(True)
    assert dialog.height() == folded + first.childCount() * height
    first.setExpanded(False)
    assert dialog.height() == folded
    dialog.close()


def test_a_release_is_frozen_into_its_folder(opened: Opened, released: Path) -> None:
    page = opened.open(released / "sample.db", login_name())
    _freeze(opened, page, name="second")
    assert _names(page) == ["second", "samples-1"]
    assert (released / "releases" / "second" / "manifest.json").is_file()
    assert "16 cases frozen as second." in find(page, QLabel, "error-message").text()


def test_a_look_before_a_freeze_that_arrives_late_holds_up_nothing_and_asks_nothing_elsewhere(
    opened: Opened, released: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened.open(released / "sample.db", login_name())
    goes_on = threading.Event()
    answers: list[object] = []

    def slow(workspace: Workspace) -> FreezePreview:
        assert goes_on.wait(120)
        return freeze_preview(workspace)

    monkeypatch.setattr("ui.releases.page.freeze_preview", slow)
    QTest.keyClick(page, Qt.Key.Key_F)
    opened.operations.run(list_people, then=answers.append)
    opened.qtbot.waitUntil(lambda: bool(answers), timeout=60_000)
    page.hide()
    goes_on.set()
    opened.settle()
    assert page.findChildren(QDialog, "freeze-dialog") == []


def _freeze(opened: Opened, page: ReleasesPage, *, name: str) -> None:
    QTest.keyClick(page, Qt.Key.Key_F)
    opened.settle()
    dialog = find(page, QDialog, "freeze-dialog")
    field = find(dialog, QLineEdit, "freeze-name")
    folder = find(dialog, QLineEdit, "freeze-folder")
    assert folder.text()
    folder.setText(str(Path(opened.operations.project.place).parent / "releases"))  # type: ignore[union-attr]
    field.setText(name)
    QTest.mouseClick(find(dialog, QPushButton, "freeze-go"), Qt.MouseButton.LeftButton)
    opened.qtbot.waitUntil(lambda: bool(opened.operations.jobs))
    opened.settle()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "Fill in “Name”."),
        ("a/b", "Choose a name without slashes"),
        ("..", "Choose a name without slashes"),
    ],
)
def test_a_name_that_is_no_folder_is_refused_while_typing(
    opened: Opened, released: Path, name: str, words: str
) -> None:
    page = opened.open(released / "sample.db", login_name())
    page.ask_freeze()
    opened.settle()
    dialog = find(page, QDialog, "freeze-dialog")
    find(dialog, QLineEdit, "freeze-name").setText(name)
    go = find(dialog, QPushButton, "freeze-go")
    assert not go.isEnabled()
    assert words in go.toolTip()
    dialog.close()


def test_verifying_says_that_every_byte_is_as_it_was(opened: Opened, released: Path) -> None:
    page = opened.open(released / "sample.db", login_name())
    _freeze(opened, page, name="second")
    QTest.keyClick(page, Qt.Key.Key_V)
    opened.qtbot.waitUntil(lambda: bool(page.findChildren(Hint, "verify-result")))
    assert "no file was changed since the freeze" in find(page, Hint, "verify-result").words
    opened.settle()


def test_verifying_finds_a_changed_byte(opened: Opened, released: Path) -> None:
    page = opened.open(released / "sample.db", login_name())
    _freeze(opened, page, name="second")
    with (released / "releases" / "second" / "cases.jsonl").open("ab") as stream:
        stream.write(b" ")
    QTest.keyClick(page, Qt.Key.Key_V)
    opened.qtbot.waitUntil(lambda: bool(page.findChildren(Hint, "verify-result")))
    assert find(page, Hint, "verify-result").words == "Changed since the freeze: 1 problem"
    assert any("cases.jsonl was changed" in label.text() for label in page.findChildren(QLabel))
    opened.settle()


def test_a_release_whose_folder_is_gone_is_told(opened: Opened, released: Path) -> None:
    page = opened.open(released / "sample.db", login_name())
    _freeze(opened, page, name="second")
    shutil.rmtree(released / "releases" / "second")
    QTest.keyClick(page, Qt.Key.Key_V)
    message = find(page, QLabel, "error-message")
    opened.qtbot.waitUntil(lambda: "not a release folder" in message.text())
    opened.settle()


def test_two_releases_are_compared_case_by_case(opened: Opened, released: Path) -> None:
    page = opened.open(released / "sample.db", login_name())
    _freeze(opened, page, name="first")
    expert = open_workspace(str(released / "sample.db"), "expert-1")
    reopen(expert, "sample-16-paper-moons", reason="look again")
    expert.close()
    _freeze(opened, page, name="second")
    QTest.keyClick(page, Qt.Key.Key_C)
    menu = find(page, QMenu, "compare-menu")
    next(action for action in menu.actions() if action.text() == "first").trigger()
    menu.close()
    opened.qtbot.waitUntil(lambda: bool(page.findChildren(Hint, "diff-result")))
    words = find(page, Hint, "diff-result").words
    assert words == "From first to second 0 added, 1 removed, 0 changed, 15 the same."
    opened.settle()


def test_a_folder_that_is_no_release_cannot_be_compared(opened: Opened, released: Path) -> None:
    page = opened.open(released / "sample.db", login_name())
    page.compare_with_folder(str(released))
    message = find(page, QLabel, "error-message")
    opened.qtbot.waitUntil(lambda: "not a release folder" in message.text())
    opened.settle()


def _click_heading(table: FigureTable, column: int) -> None:
    header = table.horizontalHeader()
    at = QPoint(header.sectionPosition(column) + 8, header.height() // 2)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_the_quality_tab_lists_what_is_known_and_writes_it_down(opened: Opened, released: Path) -> None:
    page = opened.open(released / "sample.db", login_name())
    find(page, TabBar, "release-kinds").setCurrentIndex(1)
    opened.settle()
    table = find(page, FigureTable, "quality")
    assert not find(page, QTableView, "releases").isVisible()
    assert {"Stage accuracy", "Agreement (alpha)", "Known defects kept"} <= {
        row.cells[0].text for row in table.rows
    }
    for column in (2, 3, 4):
        _click_heading(table, column)
        keys = [row.cells[column].key for row in table.rows]
        known = [key for key in keys if key is not None]
        assert len(set(known)) > 1
        assert keys == sorted(known, reverse=True) + [None] * (len(keys) - len(known))
    view = find(page, QualityView, "quality-view")
    view.export(str(released / "quality"))
    opened.settle()
    assert (released / "quality.csv").read_text().startswith("topic,what,value")
    assert "quality.csv" in find(page, ErrorBanner, "releases-notice").words
    view.export(str(released / "quality.csv" / "quality.png"))
    opened.settle()
    assert "Wrote" not in find(page, ErrorBanner, "releases-notice").words
