"""The further tabs of the team page: batches, workload, feedback, samples."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import ModuleType

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QTabBar,
    QToolButton,
)
from pytestqt.qtbot import QtBot

from annotator.jobs import JobContext
from annotator.project.people import list_people, login_name
from annotator.project.workspace import Workspace, open_workspace
from annotator.review.bulk_changes import BulkAction, BulkChange, change_cases, owners_of
from annotator.review.feedback import FeedbackCount, RecurringMistake
from annotator.review.measures.progress import SampleRow
from annotator.review.queue.assignments import assign_batch
from annotator.review.queue.case_rows import CaseFilter
from scoring.model.taxonomy import OWNER_STAGES
from tests.ui.find import find
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.team import batches, label_errors, reports, workload
from ui.team.page import TeamPage
from ui.team.reports import (
    OUTCOME_COLUMNS,
    SAMPLE_COLUMNS,
    FeedbackTold,
    feedback_columns,
    feedback_lines,
    week_labels,
)
from ui.theme.dialogs import FormDialog
from ui.theme.tables import FigureTable
from ui.theme.words import duration

PEOPLE, BATCHES, WORKLOAD, FEEDBACK, SAMPLES, ATTENTION = range(6)


class Opened:
    """The team page of a project, in a window, at one of its tabs."""

    def __init__(self, qtbot: QtBot, operations: Operations) -> None:
        self._qtbot = qtbot
        self.operations = operations
        self.window = QMainWindow()

    def open(self, project: str, person: str, tab: int, *, hourly_rate: float = 0) -> TeamPage:
        """Open the page in somebody's name."""
        with self._qtbot.waitSignal(self.operations.opened):
            self.operations.open(project, person)
        page = TeamPage(self.operations, Commands(self.window), hourly_rate=lambda: hourly_rate)
        self.window.setCentralWidget(page)
        self.window.resize(1400, 800)
        self.window.show()
        self.window.activateWindow()
        self._qtbot.waitUntil(self.window.isActiveWindow)
        find(page, QTabBar, "team-tabs").setCurrentIndex(tab)
        self.settle()
        return page

    def settle(self) -> None:
        """Wait until every answer is there."""
        operations = self.operations
        self._qtbot.waitUntil(lambda: not operations.pending_count and not operations.jobs)


@pytest.fixture
def opened(qtbot: QtBot, closed_operations: Operations) -> Iterator[Opened]:
    """A way to open the page."""
    found = Opened(qtbot, closed_operations)
    yield found
    closed_operations.close()
    shiboken6.delete(found.window)


def _texts(page: TeamPage, name: str) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in find(page, FigureTable, name).rows]


def _line(page: TeamPage, name: str, first: str) -> list[str]:
    [line] = [line for line in _texts(page, name) if line[0] == first]
    return line


def _press(page: TeamPage, name: str) -> None:
    QTest.mouseClick(find(page, QPushButton, name), Qt.MouseButton.LeftButton)


def test_a_batch_says_where_its_cases_stand(opened: Opened, reviewed_project: str) -> None:
    page = opened.open(reviewed_project, login_name(), BATCHES)
    # Cases, not begun, self-check, returned, cross-check, approved, expert, final, rejected.
    assert _line(page, "batches", "samples")[1:10] == ["16", "7", "0", "0", "3", "4", "2", "0", "0"]


def test_a_batch_is_given_to_people(opened: Opened, sample_project: str) -> None:
    page = opened.open(sample_project, login_name(), BATCHES)
    QTest.keyClick(page.window(), Qt.Key.Key_G)
    dialog = find(page, FormDialog, "assign-dialog")
    go = find(dialog, QPushButton, "assign-go")
    assert go.toolTip() == "Choose at least one person."
    people = find(dialog, QListWidget, "assign-people")
    people.findItems("ann-2", Qt.MatchFlag.MatchExactly)[0].setCheckState(Qt.CheckState.Checked)
    QTest.mouseClick(go, Qt.MouseButton.LeftButton)
    opened.settle()
    assert find(page, QLabel, "error-message").text() == "16 cases assigned to ann-2."
    find(page, QTabBar, "team-tabs").setCurrentIndex(WORKLOAD)
    opened.settle()
    assert _line(page, "workload", "ann-2")[2] == "16"


def test_cases_of_a_batch_go_from_one_owner_to_another(opened: Opened, sample_project: str) -> None:
    workspace = open_workspace(sample_project, login_name())
    assign_batch(workspace, "samples", to=["ann-1", "ann-2"])
    workspace.close()
    page = opened.open(sample_project, login_name(), BATCHES)
    QTest.keyClick(page.window(), Qt.Key.Key_G, Qt.KeyboardModifier.ShiftModifier)
    opened.settle()
    dialog = find(page, FormDialog, "hand-over-dialog")
    assert find(dialog, QComboBox, "hand-over-from").currentText() == "ann-1, 8 cases"
    go = find(dialog, QPushButton, "hand-over-go")
    assert go.toolTip() == "Choose two different people."
    to = find(dialog, QComboBox, "hand-over-to")
    to.setCurrentIndex(to.findData("ann-3"))
    QTest.mouseClick(go, Qt.MouseButton.LeftButton)
    opened.settle()
    assert find(page, QLabel, "error-message").text() == ("8 cases: 8 changed, 0 had it already, 0 stay.")
    workspace = open_workspace(sample_project, login_name())
    assert owners_of(workspace, batch="samples") == {"ann-2": 8, "ann-3": 8}
    workspace.close()


def test_a_case_that_cannot_be_reassigned_stays_and_says_why(reviewed_project: str) -> None:
    workspace = open_workspace(reviewed_project, login_name())
    assign_batch(workspace, "samples", to=["ann-1"])
    change = BulkChange(action=BulkAction.ASSIGN, value="expert-1")
    where = CaseFilter(batch="samples", owner="ann-1", stages=OWNER_STAGES)
    done = change_cases(workspace, where, change=change, context=JobContext())
    assert done.words == (
        "7 cases: 0 changed, 0 had it already, 7 stay.",
        "7 because: expert-1 is not an active annotator.",
    )
    workspace.close()


def test_a_batch_is_returned_with_a_reason(opened: Opened, reviewed_project: str) -> None:
    page = opened.open(reviewed_project, login_name(), BATCHES)
    _press(page, "batch-return")
    dialog = find(page, FormDialog, "return-dialog")
    go = find(dialog, QPushButton, "return-go")
    assert (go.text(), go.toolTip()) == ("Return 7 cases", "Enter a reason for the owners.")
    find(dialog, QPlainTextEdit, "return-reason").setPlainText("The dates are wrong.")
    QTest.mouseClick(go, Qt.MouseButton.LeftButton)
    opened.settle()
    assert _line(page, "batches", "samples")[4] == "7"


def test_a_batch_without_cases_to_return_says_so(opened: Opened, sample_project: str) -> None:
    page = opened.open(sample_project, login_name(), BATCHES)
    assert find(page, QPushButton, "batch-return").toolTip() == (
        "None of its cases is in cross-check or approved."
    )


def test_only_managers_give_and_return(opened: Opened, sample_project: str) -> None:
    page = opened.open(sample_project, "ann-1", BATCHES)
    for name in ("batch-give", "batch-return"):
        assert find(page, QPushButton, name).toolTip() == "Only managers lead batches."


def test_the_workload_counts_own_cases_and_names_who_has_nothing(
    opened: Opened, reviewed_project: str
) -> None:
    page = opened.open(reviewed_project, login_name(), WORKLOAD)
    # To do, to decide, holds now, finished, median time, too fast, agreement, n.
    # 9 cases through two self-checks each; 227 of 232 comparisons are the same.
    found = ["nothing", "0", "0", "18", "1 min 30 s", "0", "97.8 %", "232"]
    assert _line(page, "workload", "ann-1")[2:] == found
    assert _line(page, "workload", "expert-1")[6:] == ["–", "0", "–", "0"]
    # What the queue offers the expert: two escalated cases and nothing sampled.
    assert _line(page, "workload", "expert-1")[3] == str(len(_texts(page, "team-waiting"))) == "2"
    # Two self-checks of 9 cases, and 12 cross-checks.
    assert _texts(page, "throughput")[0][1:] == ["18", "12", "0", "30"]
    assert _line(page, "stage-times", "Cross-check") == ["Cross-check", "3", "1 min 30 s", "–"]
    tip = next(row.cells[6].tip for row in find(page, FigureTable, "workload").rows if row.key == "ann-1")
    stages = ["Self-check, tasks: 13 min 30 s", "Self-check, dialogue: 13 min 30 s"]
    assert tip.splitlines() == ["27 min 0 s in all", *stages]


def test_an_hour_that_has_a_price_says_what_a_final_case_costs(opened: Opened, released_project: str) -> None:
    page = opened.open(released_project, login_name(), WORKLOAD, hourly_rate=30)
    # 34 cross-checks of 90 s are 3,060 s: 3 min 11 s for each of 16 final cases, 1.59 at 30 an hour.
    assert _line(page, "stage-times", "Cross-check")[3:] == ["3 min 11 s", "1.59"]
    words = "A final case takes 6.3 min of work without decisions, 3.14 for it."
    assert find(page, QLabel, "case-cost").text() == words
    tip = next(row.cells[6].tip for row in find(page, FigureTable, "workload").rows if row.key == "ann-2")
    assert tip.startswith("25 min 30 s in all, 12.75\n")


@pytest.mark.parametrize("width", [1216, 1376])
def test_a_day_and_every_tab_are_whole_at_the_common_widths(
    opened: Opened, reviewed_project: str, width: int
) -> None:
    page = opened.open(reviewed_project, login_name(), PEOPLE)
    page.window().resize(width, 700)  # windows of 1280 and 1440 pixels, without the rail
    tabs = find(page, QTabBar, "team-tabs")
    for tab in range(tabs.count()):
        tabs.setCurrentIndex(tab)
        opened.settle()
        assert tabs.tabRect(tabs.count() - 1).right() <= tabs.width()
        assert not any(button.isVisible() for button in tabs.findChildren(QToolButton))
    tabs.setCurrentIndex(WORKLOAD)
    opened.settle()
    days = find(page, FigureTable, "throughput")
    assert days.columnWidth(0) >= days.sizeHintForColumn(0)


@pytest.mark.parametrize(
    ("tab", "module", "reader"),
    [
        (BATCHES, batches, "read_overview"),
        (WORKLOAD, workload, "read_overview"),
        (WORKLOAD, label_errors, "label_errors"),
        (FEEDBACK, reports, "feedback_over_time"),
        (SAMPLES, reports, "samples"),
        (ATTENTION, reports, "attention"),
    ],
)
def test_while_a_tab_is_read_the_window_goes_on(
    qtbot: QtBot,
    opened: Opened,
    reviewed_project: str,
    monkeypatch: pytest.MonkeyPatch,
    tab: int,
    module: ModuleType,
    reader: str,
) -> None:
    page = opened.open(reviewed_project, login_name(), PEOPLE)
    goes_on, read = threading.Event(), getattr(module, reader)
    answers: list[object] = []

    def slow(workspace: Workspace, **arguments: object) -> object:
        assert goes_on.wait(120)
        return read(workspace, **arguments)

    monkeypatch.setattr(module, reader, slow)
    find(page, QTabBar, "team-tabs").setCurrentIndex(tab)
    opened.operations.run(list_people, then=answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=60_000)
    goes_on.set()
    opened.settle()


def test_samples_come_with_their_cases_and_open_them(
    qtbot: QtBot, opened: Opened, released_project: str
) -> None:
    page = opened.open(released_project, login_name(), SAMPLES)
    assert _line(page, "samples", "samples")[1:8] == ["1", "2", "12", "0", "0", "0.0 %", "clean"]
    assert find(page, QLabel, "sample-seed").text() == "once, 10 %, seed annotator:samples:1"
    cases = find(page, FigureTable, "sampled-cases")
    cases.setFocus()
    with qtbot.waitSignal(page.case_wanted) as asked:
        QTest.keyClick(cases, Qt.Key.Key_Return)
    assert asked.args == ["sample-01-ghent-weekend"]


def test_without_a_sample_it_says_when_one_is_drawn(opened: Opened, sample_project: str) -> None:
    page = opened.open(sample_project, login_name(), SAMPLES)
    assert not find(page, FigureTable, "samples").isVisible()


def test_a_sample_counts_errors_among_the_decided(qtbot: QtBot) -> None:
    outcomes = {"a": "unchanged", "b": "corrected", "c": "open", "d": "unchanged"}
    sample = SampleRow(
        id=1,
        batch="b-1",
        batch_id=1,
        sequence=2,
        seed="s",
        share=0.2,
        population=20,
        status="open",
        drawn_at=datetime.now(UTC) - timedelta(hours=2),
        outcomes=outcomes,
    )
    # One error among three decided cases.
    assert [column.cell_of(sample).text for column in SAMPLE_COLUMNS] == [
        "b-1",
        "2",
        "4",
        "20",
        "1",
        "1",
        "33.3 %",
        "open",
        "2 h ago",
    ]
    assert [OUTCOME_COLUMNS[1].cell_of(one).text for one in sorted(outcomes.items())] == [
        "unchanged",
        "corrected",
        "open",
        "unchanged",
    ]


def test_feedback_is_counted_by_week_and_what_recurs_is_marked_with_its_newest_note() -> None:
    counts = (
        FeedbackCount(week="2026-W44", person="ann-1", category="wrong_dependency", count=1),
        FeedbackCount(week="2026-W46", person="ann-1", category="wrong_dependency", count=2),
        FeedbackCount(week="2026-W46", person="ann-2", category="wrong_value", count=1),
    )
    mistake = RecurringMistake(person="ann-1", category="wrong_dependency", count=3, latest_note="Redraw.")
    assert week_labels(counts) == ("2026-W44", "2026-W45", "2026-W46")
    lines = feedback_lines(FeedbackTold(counts, (mistake,)))
    columns = feedback_columns(lines, week_labels(counts))
    assert [[column.cell_of(line).text for column in columns] for line in lines] == [
        ["ann-1", "Wrong dependency", "1", "·", "2", "3", "recurring", "Redraw."],
        ["ann-2", "Wrong value", "·", "·", "1", "1", "", ""],
    ]


def test_the_weeks_of_a_new_year_follow_those_of_the_old_one_and_only_the_last_have_columns() -> None:
    counts = [
        FeedbackCount(week=week, person="a", category="other", count=1) for week in ("2026-W40", "2027-W01")
    ]
    # 2026 has 53 weeks
    assert week_labels(counts, most=3) == ("2026-W52", "2026-W53", "2027-W01")
    assert week_labels(()) == ()


@pytest.mark.parametrize(("person", "words"), [("expert-1", "all people"), ("ann-1", "given to you")])
def test_experts_see_what_recurs_with_everybody_and_others_their_own(
    opened: Opened, released_project: str, person: str, words: str
) -> None:
    page = opened.open(released_project, person, FEEDBACK)
    assert find(page, QLabel, "feedback-words").text() == words


def test_the_attention_tab_says_what_to_do_where_nothing_is_measured(
    opened: Opened, sample_project: str
) -> None:
    page = opened.open(sample_project, login_name(), ATTENTION)
    assert find(page, QLabel, "attention-words").text() == "0 % of new cases are known-answer cases"
    said = [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    assert any("A manager sets the share of known-answer cases" in text for text in said)


def test_the_keys_go_from_tab_to_tab(opened: Opened, sample_project: str) -> None:
    page = opened.open(sample_project, login_name(), PEOPLE)
    tabs = find(page, QTabBar, "team-tabs")
    control = Qt.KeyboardModifier.ControlModifier
    for key, tab in (
        (Qt.Key.Key_PageDown, BATCHES),
        (Qt.Key.Key_PageUp, PEOPLE),
        (Qt.Key.Key_PageUp, ATTENTION),
    ):
        QTest.keyClick(page.window(), key, control)
        assert tabs.currentIndex() == tab


def test_what_is_hidden_from_reviewers_is_chosen_with_boxes(opened: Opened, sample_project: str) -> None:
    page = opened.open(sample_project, login_name(), PEOPLE)
    find(page, QCheckBox, "policy-blind_fields-owner").setChecked(True)
    assert find(page, QLabel, "policy-state").text() == "1 changed"
    QTest.keyClick(page.window(), Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    opened.settle()
    assert not page.unsaved_words()


def test_changes_of_the_policy_can_be_discarded(opened: Opened, sample_project: str) -> None:
    page = opened.open(sample_project, login_name(), PEOPLE)
    find(page, QLineEdit, "policy-pairs").setText('[["ann-1"]]')
    assert "two or more people" in find(page, QLabel, "policy-state").text()
    _press(page, "policy-undo")
    assert not page.unsaved_words()
    assert find(page, QPushButton, "policy-undo").toolTip() == "No changes."


@pytest.mark.parametrize(
    ("seconds", "words"), [(41, "41 s"), (161, "2 min 41 s"), (3720, "1 h 2 min"), (0, "0 s")]
)
def test_times_are_said_as_people_say_them(seconds: float, words: str) -> None:
    assert duration(seconds) == words
