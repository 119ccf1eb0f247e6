"""How much processor an import takes, against parsing the same file and nothing else."""

import json
from functools import partial
from pathlib import Path
from time import process_time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from annotator.cases.file_import import import_files
from annotator.jobs import JobContext
from annotator.resources import resource_path
from tests.annotator.team import team_on
from tests.bench.yardsticks import compare
from tests.shared import SHARED, needs_shared

COPIES = 10
SAMPLES = resource_path("samples", "cases.jsonl")


@pytest.mark.benchmark(timer=process_time)
@pytest.mark.parametrize(
    "source",
    [
        pytest.param(SAMPLES, id="samples"),
        pytest.param(
            SHARED / "data" / "bfcl_multi_turn_base.openai.jsonl", id="recorded", marks=needs_shared
        ),
    ],
)
def test_ten_copies_of_a_file_are_imported(
    benchmark: BenchmarkFixture, sqlite_path: Path, tmp_path: Path, source: Path
) -> None:
    records = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    copies = COPIES if benchmark.enabled else 1
    path = tmp_path / "copies.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for copy in range(copies):
            for number, record in enumerate(records):
                file.write(json.dumps({**record, "id": f"{copy}-{number}"}) + "\n")

    with team_on(str(sqlite_path), tmp_path) as team:
        report = benchmark.pedantic(  # type: ignore[no-untyped-call]
            lambda: import_files(team["max"], [path], context=JobContext()), rounds=1
        )
    assert (report.imported, report.rejected) == (copies * len(records), 0)
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.total, against=partial(json_of_the_same_file, path))


def json_of_the_same_file(path: Path) -> float:
    began = process_time()
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            json.loads(line)
    return process_time() - began
