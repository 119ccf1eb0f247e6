"""A run from the window: ordered, watched, paused, gone on with, and in the leaderboard at its end."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QSpinBox
from pytestqt.qtbot import QtBot

from annotator.jobs import ProgressReport
from annotator.release.runs.evaluation import load_cases
from annotator.release.runs.model_run import RunState
from tests.scripted_model.agents import AGENTS, script_of
from tests.scripted_model.server import Asked, ScriptedModel, Sent, refused
from tests.ui.find import find, said_in
from tests.ui.runs.conftest import Opener, is_quiet
from ui.runs.active_runs import ActiveRuns, left_words, progress_words
from ui.runs.page import RunsPage
from ui.runs.run_dialog import RunDialog, run_file
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme.tables import FigureTable


@pytest.fixture
def page(open_runs: Opener, released_project: str) -> RunsPage:
    """The runs of the released samples."""
    return open_runs(released_project)


@pytest.fixture
def release(released_sample: Path) -> Path:
    """The folder of the release samples-1."""
    return released_sample / "release"


@pytest.fixture
def quick_model(release: Path) -> Iterator[ScriptedModel]:
    """An endpoint whose agent asks a question first in every task."""
    with ScriptedModel(script_of(AGENTS["asks-too-much"], load_cases(release))) as model:
        yield model


@pytest.fixture
def slow_model(release: Path) -> Iterator[ScriptedModel]:
    """An endpoint that is right about everything, and takes a while to say so."""
    script = script_of(AGENTS["perfect"], load_cases(release))

    def slowly(asked: Asked) -> Sent:
        return replace(script(asked), delay_seconds=0.05)

    with ScriptedModel(slowly) as model:
        yield model


def _live(page: RunsPage) -> ActiveRuns:
    return find(page, ActiveRuns, "live-runs")


def _models(page: RunsPage) -> list[str]:
    return [row.cells[0].text for row in find(page, FigureTable, "runs").rows]


def _fill(dialog: RunDialog, endpoint: str, file: Path, **fields: str) -> None:
    find(dialog, QLineEdit, "run-model").setText("m-1")
    find(dialog, QLineEdit, "run-base_url").setText(endpoint)
    find(dialog, QLineEdit, "run-file").setText(str(file))
    for name, text in fields.items():
        find(dialog, QLineEdit, f"run-{name}").setText(text)


def _ask(page: RunsPage) -> RunDialog:
    QTest.keyClick(page.window(), Qt.Key.Key_R)
    return find(page, RunDialog, "run-dialog")


def _start(dialog: RunDialog) -> None:
    QTest.mouseClick(find(dialog, QPushButton, "run-go"), Qt.MouseButton.LeftButton)


def test_a_run_ends_in_the_leaderboard_with_its_replies_at_hand(
    qtbot: QtBot,
    page: RunsPage,
    closed_operations: Operations,
    quick_model: ScriptedModel,
    tmp_path: Path,
) -> None:
    dialog = _ask(page)
    _fill(dialog, quick_model.base_url, tmp_path / "m.jsonl")
    _start(dialog)
    qtbot.waitUntil(lambda: "m-1" in _models(page) and is_quiet(closed_operations))
    assert _live(page).rows == ()
    assert find(page, QLabel, "failure-head").text() == "task 1 · left the legal orders in round 1"


def test_one_order_carried_out_twice_is_one_run(
    qtbot: QtBot,
    page: RunsPage,
    closed_operations: Operations,
    quick_model: ScriptedModel,
    tmp_path: Path,
) -> None:
    for _ in range(2):
        dialog = _ask(page)
        _fill(dialog, quick_model.base_url, tmp_path / "m.jsonl")
        _start(dialog)
        qtbot.waitUntil(lambda: "m-1" in _models(page) and is_quiet(closed_operations))
        find(page, FigureTable, "runs").mark(1)
    assert _models(page).count("m-1") == 1


def test_a_paused_run_keeps_its_answers_and_goes_on_where_it_stopped(
    qtbot: QtBot,
    page: RunsPage,
    closed_operations: Operations,
    slow_model: ScriptedModel,
    tmp_path: Path,
) -> None:
    dialog = _ask(page)
    _fill(dialog, slow_model.base_url, tmp_path / "m.jsonl")
    find(dialog, QSpinBox, "run-concurrency").setValue(1)
    _start(dialog)
    [row] = _live(page).rows
    qtbot.waitUntil(lambda: "of 56 tasks · accuracy so far" in said_in(row, "live-words"))
    QTest.mouseClick(find(row, QPushButton, "live-pause"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: said_in(row, "live-words").startswith("Paused at "))
    kept = len((tmp_path / "m.jsonl").read_text(encoding="utf-8").splitlines())
    assert 0 < kept < 56
    asked = len(slow_model.asked)
    QTest.mouseClick(find(row, QPushButton, "live-resume"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "m-1" in _models(page) and is_quiet(closed_operations))
    assert len((tmp_path / "m.jsonl").read_text(encoding="utf-8").splitlines()) == 56
    assert len(slow_model.asked) > asked


def test_a_run_stops_at_its_budget_and_says_so(
    qtbot: QtBot,
    page: RunsPage,
    closed_operations: Operations,
    quick_model: ScriptedModel,
    tmp_path: Path,
) -> None:
    dialog = _ask(page)
    _fill(dialog, quick_model.base_url, tmp_path / "m.jsonl", tokens="500")
    _start(dialog)
    [row] = _live(page).rows
    qtbot.waitUntil(lambda: said_in(row, "live-words").startswith("Stopped at its limit"))
    assert "m-1" not in _models(page)


def test_an_endpoint_that_refuses_is_told_with_what_to_do(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations, tmp_path: Path
) -> None:
    with ScriptedModel(lambda asked: refused(401, "wrong key")) as model:
        dialog = _ask(page)
        _fill(dialog, model.base_url, tmp_path / "m.jsonl")
        _start(dialog)
        [row] = _live(page).rows
        qtbot.waitUntil(lambda: said_in(row, "live-words").startswith("Stopped: "))
        qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert find(find(page, ErrorBanner, "runs-notice"), QLabel, "error-hint").text() == "Check the API key."
    QTest.mouseClick(find(row, QPushButton, "live-dismiss"), Qt.MouseButton.LeftButton)
    assert _live(page).rows == ()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"base_url": "localhost:8000"}, "'localhost:8000' is not the address of an endpoint."),
        ({"dollars": "10"}, "A budget in dollars needs the price"),
        ({"dollars": "ten"}, "“Spending limit, dollars” takes a number above 0."),
        ({"tokens": "0"}, "“Token limit” takes a number above 0."),
        ({"api_key_variable": "$NO_SUCH_KEY"}, "$NO_SUCH_KEY is not set."),
        ({"model": ""}, "Fill in “Model”."),
    ],
)
def test_the_dialog_says_what_does_not_fit(
    page: RunsPage, tmp_path: Path, fields: dict[str, str], words: str
) -> None:
    dialog = _ask(page)
    _fill(dialog, "http://127.0.0.1:9/v1", tmp_path / "m.jsonl", **fields)
    go = find(dialog, QPushButton, "run-go")
    assert not go.isEnabled()
    assert words in go.toolTip()
    dialog.reject()


def test_a_file_with_answers_is_gone_on_with(page: RunsPage, tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text("", encoding="utf-8")
    dialog = _ask(page)
    _fill(dialog, "http://127.0.0.1:9/v1", file)
    assert find(dialog, QPushButton, "run-go").text() == "Continue"
    assert "continues where it stopped" in find(dialog, QLabel, "run-words").text()
    dialog.reject()


def test_answers_are_put_beside_the_project_under_the_name_of_the_model(tmp_path: Path) -> None:
    place = run_file(str(tmp_path / "team.db"), "org/model:8b")
    assert place == tmp_path / "runs" / "org-model-8b.jsonl"


def test_a_run_under_way_says_how_far_how_right_and_how_dear_it_is() -> None:
    note = RunState(total=1024, answered=392, correct=207, dollars=1.84, dollar_limit=10).note
    report = ProgressReport(done=392, total=1024, note=note)
    assert progress_words(report, seconds_left=840) == (
        "392 of 1,024 tasks · accuracy so far 52.8 ± 4.9, $1.84 of $10 · 14 min left"
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(20, "less than a minute left"), (840, "14 min left"), (5 * 3600, "5 h left")],
)
def test_what_is_left_is_said_roughly(seconds: float, words: str) -> None:
    assert left_words(seconds) == words
