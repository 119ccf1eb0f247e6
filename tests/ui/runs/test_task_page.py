"""One task and all its runs on the sample project: what stands there, the rules, the keys, the pictures."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMainWindow, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from annotator.jobs import JobContext
from annotator.project.people import login_name
from annotator.project.workspace import open_workspace
from annotator.release.reports.score_tables import ScoreTable
from annotator.release.runs.recorded_runs import list_runs, record_run, run_scorecard
from annotator.release.runs.replies import ReleaseRuns, compared, release_runs
from annotator.release.runs.task_replies import Pick, TakenTask, replies_table
from annotator.release.sample_project import REVIEWERS
from annotator.resources import resource_path
from annotator.review.withdrawals import reopen
from scoring.errors import NotFoundError
from scoring.matching.gold import Gold
from scoring.measures.sample import Key
from scoring.model.taxonomy import Semantics
from tests.ui.find import find
from tests.ui.runs.conftest import is_quiet
from ui.runs.task_page import TaskPage
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.theme.buttons import ChoiceChip
from ui.theme.tables import FigureTable

Opener = Callable[[str], TaskPage]


@pytest.fixture
def open_task(qtbot: QtBot, closed_operations: Operations) -> Iterator[Opener]:
    """Open the page on a project in the name of its founder."""
    windows: list[QMainWindow] = []

    def open_(project: str) -> TaskPage:
        with qtbot.waitSignal(closed_operations.opened):
            closed_operations.open(project, login_name())
        window = QMainWindow()
        windows.append(window)
        page = TaskPage(closed_operations, Commands(window))
        window.setCentralWidget(page)
        window.resize(1400, 860)
        window.show()
        window.activateWindow()
        return page

    yield open_
    closed_operations.close()
    for window in windows:
        shiboken6.delete(window)


@pytest.fixture
def page(qtbot: QtBot, open_task: Opener, released_project: str, closed_operations: Operations) -> TaskPage:
    """The task of the sample that both runs get wrong in their first round."""
    page = open_task(released_project)
    page.show_task("sample-01-ghent-weekend", 1)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    return page


def _table(page: TaskPage) -> FigureTable:
    return find(page, FigureTable, "task-runs")


def _text(page: TaskPage, name: str) -> str:
    return find(page, QLabel, name).text()


def test_a_task_stands_there_with_what_each_recorded_run_did(page: TaskPage) -> None:
    rows = {row.cells[0].text: [cell.text for cell in row.cells[1:]] for row in _table(page).rows}
    assert set(rows) == {"careful", "careless"}
    assert rows["careless"][:3] == ["wrong", "round 1", "0 of 3"]
    assert rows["careless"][4] == "bookTrain (step 0) /passengers/0: wrong type for the schema"
    # Of careful's 6 failures of 56 tasks one is a question for what was said; careless has 35 and none.
    assert [row[5] for row in rows.values()] == ["16.67 (1/6)", "0.00 (0/35)"]
    assert _text(page, "task-request").startswith("Asked: The second train it is.")
    assert "bookTrain → bookHotel → prepare_to_answer" in _text(page, "task-orders")
    assert [find(page, QWidget, f"taken-{run}").isVisible() for run in rows] == [True, True]
    assert _text(page, "task-place") == "2 of 56"


def test_keys_go_through_the_tasks_a_rule_picks(
    qtbot: QtBot, page: TaskPage, closed_operations: Operations
) -> None:
    rule = find(page, ChoiceChip, "task-rule")
    assert dict(rule.choices)[Pick.ONE_FAILS] == "One fails · 33"
    rule.take(Pick.ALL_FAIL)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    places = []
    for key in (Qt.Key.Key_K, Qt.Key.Key_J, Qt.Key.Key_J, Qt.Key.Key_J, Qt.Key.Key_J):
        places.append(_text(page, "task-place"))
        assert {row.cells[1].text for row in _table(page).rows} == {"wrong"}
        QTest.keyClick(page, key)
        qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert places == ["1 of 4", "1 of 4", "2 of 4", "3 of 4", "4 of 4"]
    QTest.keyClick(page, Qt.Key.Key_T)
    assert find(page, QWidget, "task-tree").isVisible()
    with qtbot.waitSignal(page.left):
        QTest.keyClick(page, Qt.Key.Key_Escape)


def test_going_on_quickly_never_shows_the_replies_of_another_task(
    qtbot: QtBot, page: TaskPage, closed_operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()
    shown: list[tuple[Key, set[Key]]] = []

    def slow(found: ReleaseRuns, key: Key, *, context: JobContext) -> tuple[TakenTask, ...]:
        assert goes_on.wait(120)
        return compared(found, key, context=context)

    def note(gold: Gold, taken: Sequence[TakenTask], **asks: Any) -> ScoreTable:
        shown.append(((gold.case_id, gold.task_number), {(one.score.case, one.score.task) for one in taken}))
        return replies_table(gold, taken, **asks)

    monkeypatch.setattr("ui.runs.task_page.compared", slow)
    monkeypatch.setattr("ui.runs.task_page.replies_table", note)
    for _ in range(3):
        QTest.keyClick(page, Qt.Key.Key_J)
    goes_on.set()
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert _text(page, "task-place") == "5 of 56"
    [(key, replies)] = shown
    assert replies == {key}
    assert _text(page, "task-name") == f"{key[0]}, task {key[1] + 1}"


def test_the_comparison_is_written_as_pictures(
    qtbot: QtBot, page: TaskPage, closed_operations: Operations, tmp_path: Path
) -> None:
    page.export_pictures(str(tmp_path / "out"))
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    names = {file.name for file in (tmp_path / "out").iterdir()}
    assert names == {f"{stem}.{form}" for stem in ("replies", "orders") for form in ("svg", "pdf", "png")}
    assert "6 pictures written." in [one.text() for one in page.findChildren(QLabel)]


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("no-such-case", "No recorded run replied to no-such-case."),
        ("", "No recorded run has kept its replies."),
    ],
)
def test_without_a_run_the_page_says_so_and_what_to_do(
    qtbot: QtBot, open_task: Opener, sample_project: str, closed_operations: Operations, case: str, words: str
) -> None:
    page = open_task(sample_project)
    page.show_task(case, 0)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    shown = [one.text() for one in page.findChildren(QLabel) if one.isVisible()]
    assert words in shown
    assert any(one.startswith("Score predictions against the release on the Runs page") for one in shown)
    assert not find(page, QPushButton, "task-next").isEnabled()


def test_a_case_somebody_must_not_see_labels_of_is_left_out_for_them(released_project: str) -> None:
    case = "sample-01-ghent-weekend"
    with closing(open_workspace(released_project, login_name())) as founder:
        reopen(founder, case_id=case, reason="Look again.")
        assert list(release_runs(founder, case=case, context=JobContext()).gold.cases) == [case]
    with closing(open_workspace(released_project, REVIEWERS[0])) as other:
        with pytest.raises(NotFoundError, match="No recorded run replied to sample-01"):
            release_runs(other, case=case, context=JobContext())
        assert case not in release_runs(other, context=JobContext()).gold.cases


def test_a_run_recorded_under_other_rules_too_stands_there_once(released_project: str) -> None:
    with closing(open_workspace(released_project, login_name())) as founder:
        [careful] = [row for row in list_runs(founder) if row.name == "careful"]
        card = run_scorecard(founder, careful.id)
        other = card.model_copy(update={"semantics": Semantics.REFERENCE})
        predictions = resource_path("samples", "predictions_careful.jsonl")
        record_run(founder, "careful", card=other, predictions=[predictions])
        record_run(founder, "silent", card=other.model_copy(update={"predictions_sha256": "0" * 64}))
        found = release_runs(founder, context=JobContext())
    assert (list(found.runs), found.unkept) == (["careful", "careless"], 1)
