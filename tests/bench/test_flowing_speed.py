"""How long a dialogue of a thousand steps takes in which values flow, at first and after an edit.

What is said about it is measured in processor time, since it is made beside the window's thread; when it is
on the screen, by the clock.
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

from annotator.cases.editing import set_argument_value, set_observation, set_policy
from annotator.project.policy import ReviewPolicy
from scoring.model.case import Case
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import Policy, Stage
from tests.bench.flowing import many_tasks_case, one_task_case
from tests.bench.opened_workbench import workbench_on
from ui.workbench.assessing import Assessment, assess
from ui.workbench.snapshot import Snapshot, opening_snapshot, with_case

OPENED_SECONDS = 2.0
"""It took eighteen when every value was looked for in every passage; a fresh look takes a second."""
EDITED_SECONDS = 0.25
"""It took as long as a fresh look."""
SHOWN_SECONDS = 0.5
"""Issue 5: dialogues of 1,000 steps open in less."""
PAUSE_SECONDS = 0.002
"""Between two looks for events, so that the other threads get their turn as they do in Qt's own loop."""
ROUNDS = 5
EDIT = partial(set_argument_value, task=0, step=5, path="/note", value="another")
SHAPES = pytest.mark.parametrize("made", [many_tasks_case, one_task_case])
pytestmark = [
    pytest.mark.benchmark(timer=time.process_time),
    pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints"),
]


def looked_at(snapshot: Snapshot, before: Assessment | None = None) -> Assessment:
    return assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=ReviewPolicy(), before=before)


def opened(case: Case) -> Snapshot:
    return opening_snapshot(case, Judgment(tasks=labels_of(case)))


@SHAPES
def test_all_that_is_said_about_a_thousand_steps_is_there_soon(
    benchmark: BenchmarkFixture, made: Callable[[], Case]
) -> None:
    snapshot = opened(made())
    found = benchmark.pedantic(looked_at, args=(snapshot,), rounds=3)  # type: ignore[no-untyped-call]
    assert len(found.evidence) >= 2700
    assert all(line.citation is not None for line in found.evidence)
    if benchmark.stats:
        assert benchmark.stats.stats.min < OPENED_SECONDS


@SHAPES
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
        assert statistics.median(spent) < EDITED_SECONDS


@SHAPES
@pytest.mark.usefixtures("collector")
def test_a_thousand_steps_are_shown_and_edited_while_they_are_looked_at(
    benchmark: BenchmarkFixture,
    made: Callable[[], Case],
    qtbot: QtBot,
    qapp: QApplication,
    tmp_path: Path,
) -> None:
    shown: list[float] = []
    edited: list[float] = []
    known: list[float] = []
    cases = [made().model_copy(update={"id": f"long-{number}"}) for number in range(ROUNDS)]
    with workbench_on(cases, qtbot=qtbot, app=qapp, folder=tmp_path) as (_, page, _):

        def wait(is_so: Callable[[], bool]) -> None:
            while not is_so():
                qapp.processEvents()
                time.sleep(PAUSE_SECONDS)

        def is_looked_at() -> bool:
            return page.desk.document is not None and not page.desk.document.shown.is_awaited

        def open_all() -> None:
            for case in cases:
                start = time.perf_counter()
                page.desk.open_case(case.id)
                wait(lambda: page.desk.document is not None)
                page.editor.repaint()
                shown.append(time.perf_counter() - start)
                wait(is_looked_at)
                known.append(time.perf_counter() - start)
                assert page.desk.document is not None
                start = time.perf_counter()
                page.desk.document.edit_case("change a value", EDIT)
                page.editor.repaint()
                edited.append(time.perf_counter() - start)
                wait(is_looked_at)
                wait(lambda: page.desk.save_state.words.startswith("Saved"))

        benchmark.pedantic(open_all, rounds=1)  # type: ignore[no-untyped-call]
    for name, seconds in (("shown", shown), ("known", known), ("edited", edited)):
        benchmark.extra_info[f"{name}_ms"] = [round(1000 * one) for one in seconds]
    assert all(a < b for a, b in zip(shown, known, strict=True))
    if benchmark.stats:
        assert max(shown) < SHOWN_SECONDS
