"""What a bench is compared with in the same run, since milliseconds say as much of the machine as of us."""

import json
import statistics
import sys
import time
from collections.abc import Callable

from pytest_benchmark.fixture import BenchmarkFixture

from annotator.resources import resource_path

ROUNDS = 9
MEASURES = "--benchmark-enable" in sys.argv
"""Whether this is `make bench`; elsewhere benches only show that they run, on less."""


def json_of_the_samples() -> float:
    """`json.loads` of the bundled dialogues."""
    lines = resource_path("samples", "cases.jsonl").read_text(encoding="utf-8").splitlines()
    return _median(lambda: [json.loads(line) for line in lines])


def an_empty_window() -> float:
    """An empty window, made and painted."""
    from PySide6.QtWidgets import QWidget

    def paint() -> None:
        window = QWidget()
        window.resize(1400, 860)
        window.show()
        window.grab()
        window.close()

    return _median(paint)


def a_bare_query(project: str) -> float:
    """The first two hundred cases of a project by number, read without anything else."""
    from sqlalchemy import text

    from db.engine import disposed, open_engine

    query = text("SELECT * FROM cases ORDER BY id LIMIT 200")
    with disposed(open_engine(project)) as engine, engine.connect() as connection:
        return _median(lambda: connection.execute(query).all())


def compare(benchmark: BenchmarkFixture, seconds: float, *, against: Callable[[], float]) -> None:
    """Print how many times the yardstick a bench takes; nothing fails on it."""
    unit = against()
    benchmark.extra_info["times_the_yardstick"] = round(seconds / unit, 2)
    named = getattr(against, "func", against).__name__.replace("_", " ")  # of a partial
    both = f"{1000 * seconds:.2f} ms against {1000 * unit:.2f} ms of {named}"
    print(f"\n{benchmark.name}: {seconds / unit:.2f} x ({both})")


def _median(act: Callable[[], object]) -> float:
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        act()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)
