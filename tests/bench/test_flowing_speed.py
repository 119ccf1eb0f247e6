"""How long dialogues of 200 and of 1,000 steps take in which values flow, at first and after an edit.

What is said about it is measured in processor time; when it is on the screen, by the clock.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from annotator.cases.edits.text_edits import set_argument_value, set_observation, set_policy
from annotator.drafts.assessment import Assessment, assess
from annotator.drafts.snapshot import Snapshot, opening_snapshot, with_case
from annotator.project.policy import ReviewPolicy
from scoring.model.case import Case
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import Policy, Stage
from tests.bench.flowing import many_tasks_case, one_task_case
from tests.bench.opened_workbench import workbench_on
from tests.bench.yardsticks import MEASURES, an_empty_window, compare
from tests.ui.workbench.driving import save_words

PAUSE_SECONDS = 0.002
"""Between two looks for events, so that the other threads get their turn as they do in Qt's own loop."""
ROUNDS = 5 if MEASURES else 1
EDIT = partial(set_argument_value, task=0, step=5, path="/note", value="another")
SHAPES = pytest.mark.parametrize("made", [many_tasks_case, one_task_case])
LONG = pytest.mark.parametrize("made", [partial(many_tasks_case, 20), partial(one_task_case, 200)])
pytestmark = [
    pytest.mark.benchmark(timer=time.process_time),
    pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints"),
]


def looked_at(snapshot: Snapshot, before: Assessment | None = None) -> Assessment:
    return assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=ReviewPolicy(), before=before)


def opened(case: Case) -> Snapshot:
    return opening_snapshot(case, Judgment(tasks=labels_of(case)))


@LONG
def test_all_that_is_said_about_two_hundred_steps_is_there_soon(
    benchmark: BenchmarkFixture, made: Callable[[], Case]
) -> None:
    snapshot = opened(made())
    found = benchmark.pedantic(looked_at, args=(snapshot,), rounds=3)  # type: ignore[no-untyped-call]
    assert len(found.evidence) >= 540
    assert all(line.citation is not None for line in found.evidence)
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.min, against=an_empty_window)


@LONG
def test_a_label_a_value_and_an_observation_are_looked_at_again_at_once(
    benchmark: BenchmarkFixture, made: Callable[[], Case]
) -> None:
    spent: list[float] = []
    edits: tuple[Callable[[Case], Case], ...] = (
        lambda case: set_policy(case, 0, policy=Policy.SINGLE),
        lambda case: set_argument_value(case, 0, step=5, path="/note", value="thing 4 3"),
        lambda case: set_observation(case, 0, step=3, observation={"next": "K-00004", "items": []}),
    )

    def edit_all() -> Assessment:
        found = looked_at(opened(made()))
        for edit in edits:
            snapshot = with_case(found.snapshot, edit)
            start = time.process_time()
            found = looked_at(snapshot, found)
            spent.append(time.process_time() - start)
        return found

    found = benchmark.pedantic(edit_all, rounds=1)  # type: ignore[no-untyped-call]
    assert found == looked_at(found.snapshot)
    benchmark.extra_info["edit_ms"] = [round(1000 * one) for one in spent]
    if benchmark.stats:
        compare(benchmark, statistics.median(spent), against=an_empty_window)


@SHAPES
@pytest.mark.usefixtures("collector")
def test_a_thousand_steps_open_and_the_window_answers_meanwhile(
    benchmark: BenchmarkFixture,
    made: Callable[[], Case],
    qtbot: QtBot,
    qapp: QApplication,
    tmp_path: Path,
) -> None:
    shown: list[float] = []
    silent: list[float] = []
    edited: list[float] = []
    cases = [made().model_copy(update={"id": f"long-{number}"}) for number in range(ROUNDS)]
    with workbench_on(cases, qtbot=qtbot, app=qapp, folder=tmp_path) as (_, page, _):

        def wait(is_so: Callable[[], bool]) -> float:
            longest, last = 0.0, time.perf_counter()
            while not is_so():
                qapp.processEvents()
                now = time.perf_counter()
                longest, last = max(longest, now - last), now
                time.sleep(PAUSE_SECONDS)
            return longest

        def open_all() -> None:
            for case in cases:
                start = time.perf_counter()
                page.open_work.open_case(case.id)
                silent.append(wait(lambda: page.open_work.document is not None))
                page.panels.repaint()
                shown.append(time.perf_counter() - start)
                assert page.open_work.document is not None
                start = time.perf_counter()
                page.open_work.document.edit_case("change a value", EDIT)
                page.panels.repaint()
                edited.append(time.perf_counter() - start)
                wait(lambda: save_words(page).startswith("Saved"))

        benchmark.pedantic(open_all, rounds=1)  # type: ignore[no-untyped-call]
    for name, seconds in (("shown", shown), ("silent", silent), ("edited", edited)):
        benchmark.extra_info[f"{name}_ms"] = [round(1000 * one) for one in seconds]
    assert len(shown) == ROUNDS
    if benchmark.stats:
        compare(benchmark, max(shown), against=an_empty_window)
