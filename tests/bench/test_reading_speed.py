"""Files of the field: how much processor their reading takes against `json.loads`, and how much memory."""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from scoring.formats.case_reader import ReadCase, read_cases
from tests.bench.yardsticks import compare
from tests.shared import ROOT, SHARED, needs_shared

LINES, FEW = 10_000, 20
LARGE, SMALL = 2_000_000_000, 24_000_000
"""Bytes of the larger file, with and without measuring; the smaller one has an eighth."""
LONG = "clear " * 3_000
"""What a tool returns that says much."""
CALL = {"name": "forecast", "arguments": {"city": "Oslo", "days": 3}}
TOOL = {
    "name": "forecast",
    "description": "The weather of the next days.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}
PEAK = """
import sys
from pathlib import Path
from scoring.formats.case_reader import ReadCase, read_cases
count = sum(isinstance(found, ReadCase) for found in read_cases(Path(sys.argv[1])))
status = Path("/proc/self/status").read_text().split()
print(count, int(status[status.index("VmHWM:") + 1]) * 1024)
"""


def sharegpt_line(number: int, *, sky: str = "clear") -> str:
    turns = [
        ("human", f"What is the weather in Oslo on day {number}?"),
        ("function_call", json.dumps(CALL)),
        ("observation", json.dumps({"day": number, "sky": sky})),
        ("gpt", f"On day {number} the sky is clear."),
    ]
    said = [{"from": who, "value": text} for who, text in turns]
    return json.dumps({"id": f"s-{number}", "tools": json.dumps([TOOL]), "conversations": said}) + "\n"


def sharegpt(folder: Path, lines: int) -> list[Path]:
    path = folder / "sharegpt.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(map(sharegpt_line, range(lines)))
    return [path]


def bfcl(_folder: Path, _lines: int) -> list[Path]:
    return sorted((SHARED / "data" / "bfcl_v4").glob("BFCL_v4_*.json"))


def tau(_folder: Path, _lines: int) -> list[Path]:
    return [SHARED / "data" / "tau_bench_airline.json"]


@pytest.mark.benchmark(timer=process_time)
@pytest.mark.parametrize(
    "source",
    [sharegpt, pytest.param(bfcl, marks=needs_shared), pytest.param(tau, marks=needs_shared)],
)
def test_a_file_of_the_field_is_read(
    benchmark: BenchmarkFixture, tmp_path: Path, source: Callable[[Path, int], list[Path]]
) -> None:
    files = source(tmp_path, LINES if benchmark.enabled else FEW)
    found = benchmark.pedantic(  # type: ignore[no-untyped-call]
        lambda: [one for file in files for one in read_cases(file)], rounds=1
    )
    assert found
    assert all(isinstance(one, ReadCase) for one in found)
    if benchmark.stats:
        benchmark.extra_info["cases_a_second"] = round(len(found) / benchmark.stats.stats.total)
        compare(benchmark, benchmark.stats.stats.total, against=partial(json_of_the_same_files, files))


def json_of_the_same_files(files: list[Path]) -> float:
    began = process_time()
    for file in files:
        text = file.read_text(encoding="utf-8")
        try:
            json.loads(text)
        except json.JSONDecodeError:
            for line in text.splitlines():
                json.loads(line)
    return process_time() - began


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells it (2026-11-30)")
def test_memory_does_not_grow_with_the_file(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    size = len(sharegpt_line(0, sky=LONG))
    large = (LARGE if benchmark.enabled else SMALL) // size
    counts = large // 8, large
    peaks = [peak_of(tmp_path / f"{count}.jsonl", count) for count in counts]
    grown = (counts[1] - counts[0]) * size
    benchmark.extra_info["bytes_a_byte_of_the_file"] = round((peaks[1] - peaks[0]) / grown, 4)
    print(f"\n{counts[1] * size:,} bytes read in {peaks[1]:,} bytes of memory, an eighth in {peaks[0]:,}")
    assert peaks[1] - peaks[0] < grown / 2
    benchmark(lambda: None)


def peak_of(path: Path, lines: int) -> int:
    """The most memory that a process of its own takes to read a file of so many lines, in bytes."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(sharegpt_line(number, sky=LONG) for number in range(lines))
    told = subprocess.run(
        [sys.executable, "-c", PEAK, str(path)], check=True, capture_output=True, text=True, cwd=ROOT
    )
    path.unlink()
    count, peak = map(int, told.stdout.split())
    assert count == lines
    return peak
