"""How fast cases come in, open and are counted; prints figures, asserts only what the issue promises."""

import json
from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

from annotator.cases.file_import import import_files
from annotator.jobs import JobContext
from annotator.project.creation import create_workspace
from annotator.review.drafts import open_assignment
from annotator.review.queue.case_rows import CaseFilter, count_cases
from annotator.review.queue.claims import claim_case
from scoring.model.case import dump_case, load_case
from scoring.model.graph import StepGraph
from scoring.orders.legal_orders import count_orders
from tests.shared import SHARED, needs_shared

LEGAL_ORDERS_OF_12 = 28_091_567_595
"""Ordered set partitions of 12 things (Fubini number a(12))."""


def _copies(path: Path, *, times: int) -> int:
    """Write the bundled cases many times over under new ids; returns how many."""
    from annotator.resources import resource_text

    cases = [load_case(json.loads(line)) for line in resource_text("samples", "cases.jsonl").splitlines()]
    with path.open("w", encoding="utf-8") as stream:
        for i in range(times):
            for case in cases:
                stream.write(json.dumps(dump_case(case.model_copy(update={"id": f"{case.id}-{i}"}))) + "\n")
    return len(cases) * times


def test_import_speed(tmp_path: Path, benchmark: BenchmarkFixture) -> None:
    count = _copies(tmp_path / "many.jsonl", times=30)
    places = iter(range(1000))

    def bring_all() -> int:
        workspace = create_workspace(str(tmp_path / f"p{next(places)}.db"), person="max")
        try:
            return import_files(workspace, [tmp_path / "many.jsonl"], context=JobContext()).imported
        finally:
            workspace.close()

    assert benchmark.pedantic(bring_all, rounds=3) == count  # type: ignore[no-untyped-call]
    if benchmark.stats is not None:
        benchmark.extra_info["cases_a_second"] = round(count / benchmark.stats.stats.min)
        print(f"\nimport: {count / benchmark.stats.stats.min:,.0f} cases a second, checked and stored")


@needs_shared
def test_opening_the_largest_real_dialogue(tmp_path: Path, benchmark: BenchmarkFixture) -> None:
    workspace = create_workspace(str(tmp_path / "p.db"), person="max")
    try:
        files = [SHARED / "data" / "bfcl_multi_turn_base.openai.jsonl"]
        import_files(workspace, files, context=JobContext())
        assert count_cases(workspace, CaseFilter()) == 200
        largest = max(files[0].read_text(encoding="utf-8").splitlines(), key=len)
        held = claim_case(workspace, json.loads(largest)["id"]).value
        opened = benchmark(lambda: open_assignment(workspace, held.id))
        assert opened.base.id == held.case_id
        if benchmark.stats is not None:
            print(f"\nopen: {1000 * benchmark.stats.stats.mean:.1f} ms for the largest real dialogue")
    finally:
        workspace.close()


def test_counting_twelve_parallel_calls(benchmark: BenchmarkFixture) -> None:
    graph = StepGraph(tuple(f"call{i}" for i in range(12)), (frozenset(),) * 12)
    assert benchmark(lambda: count_orders(graph)) == LEGAL_ORDERS_OF_12
    if benchmark.stats is not None:
        print(f"\ncount: {1000 * benchmark.stats.stats.mean:.2f} ms for {LEGAL_ORDERS_OF_12:,} legal orders")
