"""How long a dialogue of a thousand steps takes in which values flow, at first and after an edit.

Measured is processor time; the window's own part is in `test_transcript_speed` and `test_graph_speed`.
"""

import statistics
import time
from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from annotator.cases.editing import set_argument_value, set_observation, set_policy
from annotator.project.policy import ReviewPolicy
from scoring.model.case import Case
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import Policy, Stage
from tests.bench.flowing import many_tasks_case, one_task_case
from ui.workbench.assessing import Assessment, assess
from ui.workbench.snapshot import Snapshot, opening_snapshot, with_case

OPENED_SECONDS = 2.0
"""It took eighteen when every value was looked for in every passage; a fresh look takes a second."""
EDITED_SECONDS = 0.25
"""It took as long as a fresh look."""
SHAPES = pytest.mark.parametrize("made", [many_tasks_case, one_task_case])
pytestmark = pytest.mark.benchmark(timer=time.process_time)


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
