"""The tasks of a release as the runs see them: suspects first, what they did, one key to the expert."""

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QTabBar
from pytestqt.qtbot import QtBot

from annotator.jobs import JobContext
from annotator.project.people import login_name
from annotator.project.workspace import open_workspace
from annotator.release.freeze import list_releases
from annotator.release.runs.evaluation import evaluate, load_cases
from annotator.release.runs.recorded_runs import record_run
from annotator.resources import resource_path
from annotator.review.queue.case_rows import list_cases
from db.read.rows import CaseFilter
from scoring.measures.suspects import Accuser, Suspect, TaskItem
from scoring.model.taxonomy import Stage
from tests.ui.find import find
from tests.ui.runs.conftest import Opener, is_quiet
from ui.runs.page import RunsPage
from ui.runs.suspect_panel import COLUMNS, task_lines
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme.tables import FigureTable

CASE = "sample-01-ghent-weekend"


def record_suspect(project: str, folder: Path) -> None:
    """Record two runs that are careful, except that both book the trains of the first task for nobody."""
    workspace = open_workspace(project, login_name())
    try:
        [release] = list_releases(workspace)
        cases = load_cases(Path(release.directory))
        for name in ("gpt-4o", "qwen2.5"):
            lines = []
            for line in resource_path("samples", "predictions_careful.jsonl").read_text().splitlines():
                said = json.loads(line)
                if (said["case"], said["task"]) == (CASE, 0):
                    called = said["replies"][0]["tool_calls"][0]["function"]
                    called["arguments"] = json.dumps(json.loads(called["arguments"]) | {"passengers": 9})
                lines.append(json.dumps(said))
            path = folder / f"{name}.jsonl"
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            card = evaluate(cases, [path], context=JobContext())
            record_run(workspace, name, card=card, predictions=[path])
    finally:
        workspace.close()


@pytest.fixture
def project(released_project: str, tmp_path: Path) -> str:
    """The released samples with a task two models question; `careless` fails it in its own way."""
    place = str(shutil.copy(released_project, tmp_path / "suspects.db"))
    record_suspect(place, tmp_path)
    return place


@pytest.fixture
def page(qtbot: QtBot, open_runs: Opener, project: str, closed_operations: Operations) -> RunsPage:
    """The runs with the tab of the suspects open."""
    page = open_runs(project)
    page.toggle_details()
    find(page, QTabBar, "run-tabs").setCurrentIndex(2)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    return page


def _table(page: RunsPage) -> FigureTable:
    return find(page, FigureTable, "suspects")


def test_the_likeliest_suspect_comes_first_and_says_what_the_models_did(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations
) -> None:
    assert find(page, QTabBar, "run-tabs").tabText(2).startswith("Suspects · ")
    [row] = [row for row in _table(page).rows if row.key == (CASE, 0)]
    assert row.cells[2].text == "2"
    _table(page).mark((CASE, 0))
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    words = find(page, QLabel, "suspect-words").text()
    assert words.startswith("Task 1: gpt-4o, qwen2.5 called searchTrains(")
    assert '"passengers": 9' in words
    # Beside it the failure of one of the two, with the gold.
    assert find(page, QLabel, "failure-case").text() == CASE


def test_one_key_sends_the_suspect_to_an_expert(
    qtbot: QtBot, page: RunsPage, project: str, closed_operations: Operations
) -> None:
    _table(page).mark((CASE, 0))
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    for answer in ("dialog-cancel", "nominate-go"):
        QTest.keyClick(page, Qt.Key.Key_X)  # waits a moment for a second letter
        qtbot.waitUntil(lambda: bool(page.findChildren(QDialog, "nominate-dialog")))
        dialog = page.findChildren(QDialog, "nominate-dialog")[-1]
        assert dialog.focusWidget() is find(dialog, QPushButton, "dialog-cancel")
        find(dialog, QPushButton, answer).click()
        qtbot.waitUntil(lambda: not page.findChildren(QDialog, "nominate-dialog"))
    labels = find(page, ErrorBanner, "runs-notice").findChildren(QLabel)
    qtbot.waitUntil(lambda: f"{CASE} goes to an expert." in [label.text() for label in labels])
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    [row] = [row for row in _table(page).rows if row.key == (CASE, 0)]
    assert row.cells[2].text == "2, sent"
    other = open_workspace(project, login_name())
    assert [row.case_id for row in list_cases(other, CaseFilter(stages=(Stage.ESCALATED,)))] == [CASE]
    other.close()
    button = find(page, QPushButton, "suspect-send")
    assert (button.isEnabled(), button.toolTip()) == (False, "It was sent to an expert.")


def test_a_task_that_is_no_suspect_cannot_be_sent(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations
) -> None:
    others = [row.key for row in _table(page).rows if row.cells[2].text == "–"]
    _table(page).mark(others[0])
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    button = find(page, QPushButton, "suspect-send")
    assert (button.isEnabled(), button.toolTip()) == (False, "The selected task is not a suspect.")


def test_suspects_stand_before_the_hardest_of_the_others() -> None:
    def item(case: str, difficulty: float) -> TaskItem:
        return TaskItem(case=case, task=0, n=4, difficulty=difficulty, discrimination=None)

    accuser = Accuser(model="m", make="m", runs=("m",), strength=0.5, deed="f({})")
    suspect = Suspect(
        case="s",
        task=0,
        weight=1.0,
        accusers=(accuser, accuser),
        loyal=(),
    )
    lines = task_lines([item("easy", 1.0), item("hard", 0.0), item("s", 0.5)], [suspect], frozenset())
    rows = [[column.cell_of(line) for column in COLUMNS] for line in lines]
    assert [row[0].text for row in rows] == ["s", "hard", "easy"]
    assert rows[2][4].tip == "It tells no models apart: all are right, or none is."
