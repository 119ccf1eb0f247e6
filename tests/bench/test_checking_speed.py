"""How long a check takes: it runs again after every edit in the window, so a case has 50 ms."""

import time

import pytest
from pydantic import JsonValue
from pytest_benchmark.fixture import BenchmarkFixture

from annotator.cases.evidence.citations import propose_evidence
from annotator.cases.findings.checks import check_case
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.model.case import Case
from tests.bench.yardsticks import compare, json_of_the_samples
from tests.factories import answer, call, case, task, tool
from tests.shared import SHARED, needs_shared

STEPS = 60
pytestmark = pytest.mark.benchmark(timer=time.process_time)  # a check waits for nothing but the processor
TEXT: dict[str, JsonValue] = {"type": "string"}


def long_task_case() -> Case:
    """One task of sixty calls, each fed by the call before, with observations of twenty values."""
    tools = [tool("act", required=("id",), id=TEXT, note=TEXT, count={"type": "integer"}, day=TEXT)]
    steps = [
        call(
            "act",
            {
                "next": f"K-{i + 1:05}",
                "items": [{"name": f"thing {i} {k}", "size": k} for k in range(10)],
            },
            id=f"K-{i:05}",
            note=f"thing {max(0, i - 1)} {i % 10}",
            count=i % 10,
            day="2026-03-03",
        )
        for i in range(STEPS)
    ]
    user = "Start at K-00000 tomorrow with nine things and go on until none is left."
    edges = [(i, i + 1) for i in range(STEPS - 1)]
    return case(task(*steps, answer(), user=user, edges=edges), tools=tools, now="2026-03-02 09:00:00")


def biggest_dialogues(count: int) -> list[Case]:
    path = SHARED / "data" / "bfcl_multi_turn_base.openai.jsonl"
    read = [found.case for found in read_cases(path) if isinstance(found, ReadCase)]
    return sorted(read, key=lambda found: sum(len(t.steps) for t in found.tasks))[-count:]


def test_a_task_of_sixty_steps_is_checked(benchmark: BenchmarkFixture) -> None:
    assert benchmark(check_case, long_task_case()) == ()
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.min, against=json_of_the_samples)


@needs_shared
def test_the_biggest_real_dialogues_are_checked(
    benchmark: BenchmarkFixture,
) -> None:
    cases = biggest_dialogues(10)
    found = benchmark(lambda: [check_case(big) for big in cases])
    assert all(found)
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.min / len(cases), against=json_of_the_samples)


def test_evidence_of_sixty_steps_is_proposed(benchmark: BenchmarkFixture) -> None:
    proposed = benchmark(propose_evidence, long_task_case(), 0)
    assert len(proposed) == 4 * STEPS
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.min, against=json_of_the_samples)
