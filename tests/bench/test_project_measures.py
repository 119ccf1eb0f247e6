"""How long a large project takes to measure, beside a bare query of the rows it is measured from."""

import time
from collections.abc import Callable
from functools import partial

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from sqlalchemy import text

from annotator.project.workspace import Workspace, open_workspace
from annotator.review.measures.progress import stage_report
from annotator.review.measures.rater_agreement import AgreementSlice, agreement, rated_rounds
from annotator.review.measures.workload import throughput, workloads
from db.engine import disposed, open_engine
from tests.bench.yardsticks import compare


def first_figures(workspace: Workspace) -> object:
    rounds = rated_rounds(workspace, AgreementSlice())
    return agreement(workspace, rounds=rounds, resamples=0)


MEASURED: dict[str, tuple[Callable[[Workspace], object], str]] = {
    "first figures of agreement": (first_figures, "SELECT body FROM rounds"),
    "workload": (workloads, "SELECT body FROM rounds"),
    "stages": (stage_report, "SELECT seconds, stage FROM judgments"),
    "throughput": (throughput, "SELECT at, stage FROM judgments"),
}


def a_bare_query(url: str, query: str) -> float:
    """The rows, read without anything else."""
    with disposed(open_engine(url)) as engine, engine.connect() as connection:
        began = time.perf_counter()
        connection.execute(text(query)).all()
        return time.perf_counter() - began


@pytest.mark.parametrize("name", MEASURED)
def test_measuring_a_large_project(benchmark: BenchmarkFixture, large_url: str, name: str) -> None:
    look, query = MEASURED[name]
    workspace = open_workspace(large_url, "max")
    assert benchmark(look, workspace)
    workspace.close()
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.min, against=partial(a_bare_query, large_url, query))
