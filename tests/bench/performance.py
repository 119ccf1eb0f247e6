"""Makes `docs/performance.md`: what people wait for, held against something that anybody can run.

    python -m tests.bench.performance [ROW ...]

Each row is measured in a process of its own, as processor time, so that other work on the machine changes
little; what it is held against follows in the same minute. Rows that were measured before are kept in
`build/performance.json` with their day, so that a few can be measured again.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from annotator.resources import resource_path
from tests.bench import ordinary_tasks
from tests.shared import ROOT

KEPT = ROOT / "build" / "performance.json"
PAGE = ROOT / "docs" / "performance.md"
Kept = dict[str, dict[str, dict[str, Any]]]
"""What was measured, by row and size."""
Measured = tuple[float, float]
"""Processor seconds of ours, and of what it is held against."""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    `before` and `goal` are those of the day the work began, on another machine of about this speed.
    """

    title: str
    against: str
    before: str
    goal: str
    measure: Callable[[int, Path], Measured]
    met: Callable[[float, float], bool]
    """Whether seconds at the largest size, and those of what they are held against, meet the goal."""
    sizes: tuple[int, ...] = (10_000, 100_000)
    unmet: str = "no"
    """What the table says where the seconds are above the goal."""


def seconds_of(*arguments: str | Path) -> float:
    """Processor time of a Python of its own and of its workers, start and end included."""
    before = _of_processes()
    subprocess.run([sys.executable, "-m", *map(str, arguments)], check=True, capture_output=True, cwd=ROOT)
    return _of_processes() - before


def _of_processes() -> float:
    """Processor time of all processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(act: Callable[[], object]) -> float:
    """Processor time of a call, and of processes it starts and ends."""
    began = time.process_time() + _of_processes()
    act()
    return time.process_time() + _of_processes() - began


def scored(size: int, folder: Path) -> Measured:
    """One run of so many tasks, the whole command."""
    cases, results = ordinary_tasks.write(folder, size // 4)
    ours = seconds_of("ui.cli", "score", cases, results, "-o", folder / "ours")
    theirs = seconds_of("tests.bench.published_evaluator", cases, results, folder / "published")
    return ours, theirs


def scored_together(size: int, folder: Path) -> Measured:
    """Eight runs at once, and eight times one of them."""
    cases, results = ordinary_tasks.write(folder, size // 4)
    files = [folder / f"m{number}.jsonl" for number in range(8)]
    for file in files:
        file.write_bytes(results.read_bytes())
    together = seconds_of("ui.cli", "score", cases, *files, "--each", "-o", folder / "each")
    return together, 8 * seconds_of("ui.cli", "score", cases, results, "-o", folder / "one")


def scored_by_two(size: int, folder: Path) -> Measured:
    """One run by two workers, and by one."""
    cases, results = ordinary_tasks.write(folder, size // 4)
    two = seconds_of("ui.cli", "score", cases, results, "-o", folder / "two", "--workers", "2")
    return two, seconds_of("ui.cli", "score", cases, results, "-o", folder / "one")


def imported(size: int, folder: Path) -> Measured:
    """So many dialogues imported, and parsed."""
    from annotator.cases.file_import import import_files
    from annotator.jobs import JobContext
    from db.care.upgrade import create_project
    from tests.annotator.team import team_on

    records = [json.loads(line) for line in resource_path("samples", "cases.jsonl").open(encoding="utf-8")]
    path = folder / "cases.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(size):
            file.write(json.dumps(records[number % len(records)] | {"id": f"c-{number}"}) + "\n")
    create_project(str(folder / "team.db"))
    with team_on(str(folder / "team.db"), folder) as team:
        ours = timed(lambda: import_files(team["max"], [path], context=JobContext()))
    return ours, timed(lambda: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()])


def exported(size: int, folder: Path) -> Measured:
    """So many cases written in the four formats of a release, and in our own alone."""
    from io import BytesIO

    from annotator.release.freeze import DATA_FILES
    from scoring.formats.case_reader import ReadCase, read_cases
    from scoring.formats.case_writer import write_cases
    from scoring.model.taxonomy import CaseFormat

    path, _ = ordinary_tasks.write(folder, size)
    cases = [found.case for found in read_cases(path) if isinstance(found, ReadCase)]
    ours = timed(lambda: [write_cases(cases, BytesIO(), format=one) for one in DATA_FILES.values()])
    return ours, timed(lambda: write_cases(cases, BytesIO(), format=CaseFormat.NATIVE))


def of_a_project(look: str) -> Callable[[int, Path], Measured]:
    """One figure of a large project, and the bare query of the rows it is from."""

    def measured(size: int, folder: Path) -> Measured:
        from sqlalchemy import text

        from annotator.cases.coverage import project_coverage
        from annotator.project.workspace import open_workspace
        from annotator.release.freeze import freeze_preview
        from annotator.release.quality import plan
        from annotator.review.measures.accuracy_curve import curve
        from db.care.upgrade import create_project
        from db.engine import disposed, open_engine
        from tests.bench.large_project import TEMPLATES, fill_large_project
        from tests.bench.test_project_measures import MEASURED
        from ui.team.workload import read_overview

        heads = "SELECT body FROM revisions"
        looks: dict[str, tuple[Callable[..., object], str]] = MEASURED | {
            "coverage": (project_coverage, heads),
            "plan": (lambda workspace: plan(workspace, bound=0.05), heads),
            "freeze preview": (freeze_preview, heads),
            "curve": (lambda workspace: workspace.read(curve), heads),
            "team": (read_overview, "SELECT body FROM rounds"),
        }
        act, query = looks[look]
        url = str(folder / "large.db")
        create_project(url)
        with disposed(open_engine(url)) as engine:
            fill_large_project(engine, copies=size // TEMPLATES)
        workspace = open_workspace(url, "max")
        ours = timed(lambda: act(workspace))
        workspace.close()
        with disposed(open_engine(url)) as engine, engine.connect() as connection:
            return ours, timed(lambda: connection.execute(text(query)).all())

    return measured


def counted(size: int, _folder: Path) -> Measured:
    """The legal orders of so many random tasks of 20 steps; and those of twelve parallel calls as often."""
    from scoring.model.graph import StepGraph
    from scoring.orders.legal_orders import summarise_orders
    from tests.bench.test_orders_speed import random_graph

    graphs = [random_graph(20, density=(0.05, 0.1, 0.2)[seed % 3], seed=seed) for seed in range(size)]
    parallel = StepGraph(tuple("abcdefghijkl"), (frozenset(),) * 12)
    found: list[int | None] = []
    ours = timed(lambda: found.extend(summarise_orders(graph).count for graph in graphs))
    assert None not in found
    return ours, timed(lambda: [summarise_orders(parallel) for _ in graphs])


PUBLISHED = "an evaluator of the published steps, written from the specification"
QUERY = "a bare query of the same rows"


def below(seconds: float) -> Callable[[float, float], bool]:
    """Whether ours is less than so many seconds."""
    return lambda ours, _: ours < seconds


def of_theirs(share: float) -> Callable[[float, float], bool]:
    """Whether ours is less than a share of what it is held against."""
    return lambda ours, theirs: ours < share * theirs


def look(title: str, name: str, before: str) -> Row:
    """The row of a figure of a project, which the window reads as a job."""
    measure = of_a_project(name)
    return Row(title, QUERY, before, "300 ms, or a job", measure, below(0.3), unmet="as a job")


ROWS = {
    "score": Row(
        "`score`, one run of ordinary tasks",
        PUBLISHED,
        "1.15 to 1.35 x the released evaluator",
        "a third of the released evaluator",
        scored,
        of_theirs(1 / 3),
    ),
    "each": Row(
        "`score --each`, eight runs",
        "eight commands",
        "one command a run",
        "cases are read once",
        scored_together,
        of_theirs(0.8),
        sizes=(4_000,),
    ),
    "workers": Row(
        "`score --workers 2`, one run",
        "one process",
        "+30 %, no less waiting",
        "no more than one process",
        scored_by_two,
        of_theirs(1.05),
        sizes=(10_000,),
    ),
    "import": Row(
        "import",
        "`json.loads` of the same lines",
        "2.8 ms a case",
        "1.4 ms a case",
        imported,
        below(2.8),
        sizes=(200, 2_000),
    ),
    "export": Row(
        "the four files of a release",
        "our own format alone",
        "36 s a freeze of 10,000",
        "12 s",
        exported,
        below(2.4),
        sizes=(200, 2_000),
    ),
    "team": Row(
        "Team page", QUERY, "5.6 to 11.8 s at 100,000", "1 s, as a job", of_a_project("team"), below(1)
    ),
    "agreement": Row(
        "first figures of agreement",
        QUERY,
        "13 s for 30,000 rounds",
        "2 s for 30,000 rounds",
        of_a_project("first figures of agreement"),
        below(2 * 45_000 / 30_000),
    ),
    "coverage": look("coverage", "coverage", "7.0 s at 100,000"),
    "stages": look("stages", "stages", "2.4 s at 100,000"),
    "workload": look("workloads", "workload", "1.6 s at 100,000"),
    "throughput": look("throughput", "throughput", "1.5 s at 100,000"),
    "plan": look("plan of the sample", "plan", "1.6 s at 100,000"),
    "preview": look("look before a freeze", "freeze preview", "1.0 s at 100,000"),
    "curve": look("accuracy by stage", "curve", "0.8 s at 100,000"),
    "orders": Row(
        "legal orders of random tasks of 20 steps",
        "twelve parallel calls as often",
        "27 of 30 not counted",
        "all counted",
        counted,
        below(float("inf")),
        sizes=(30, 300),
    ),
}


def measure(name: str, size: int) -> None:
    """Measure one row here, and print what was found as JSON."""
    with TemporaryDirectory() as folder:
        ours, theirs = ROWS[name].measure(size, Path(folder))
    print(json.dumps({"ours": ours, "theirs": theirs}))


def measured(name: str, size: int) -> dict[str, object]:
    """What a process of its own finds; the most memory it and its children took, in MB."""
    code = f"from tests.bench.performance import measure; measure({name!r}, {size})"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{name} at {size} ended with {process.returncode}.")
    found: dict[str, object] = json.loads(said)
    return found | {"memory": used.ru_maxrss // 1024, "day": f"{datetime.now(UTC):%Y-%m-%d}"}


def page(kept: Kept) -> str:
    """The page: a line for each row, with what was measured of it."""
    lines = [
        "# What people wait for",
        "",
        "Made by `python -m tests.bench.performance`. It measures each row in a process of its own, and",
        "right after it what the row is held against. Seconds are those of the processor. *Before* and",
        "*goal* are of the day the work began, from another machine. Only *times* compares two things on",
        "one machine. *Growth* is how seconds grow where the work grows tenfold. Memory is the most the",
        "measuring process took, its data included.",
        "",
        "| what | size | before | goal | seconds | held against | times | growth | memory | met |",
        "|---|--:|---|---|--:|---|--:|--:|--:|---|",
    ]
    for name, row in ROWS.items():
        done = {size: kept[name][str(size)] for size in row.sizes if str(size) in kept.get(name, {})}
        for size, found in done.items():
            ours, theirs = found["ours"], found["theirs"]
            is_last, first = size == row.sizes[-1], done.get(row.sizes[0], found)["ours"]
            growth = f"{ours / first:.1f}" if is_last and len(done) > 1 else ""
            met = ("yes" if row.met(ours, theirs) else row.unmet) if is_last else ""
            head = (row.title, f"{size:,}", row.before, row.goal, f"{ours:.2f}", row.against)
            lines.append(_line(*head, f"{ours / theirs:.2f}", growth, f"{found['memory']:,} MB", met))
        for size in sorted(set(row.sizes) - set(done)):
            head = (row.title, f"{size:,}", row.before, row.goal, "not measured", row.against)
            lines.append(_line(*head, "", "", "", ""))
    return "\n".join([*lines, "", *NOTES, ""])


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


NOTES = (
    "Notes:",
    "",
    "- The released evaluator is not in the repository. Where the work began it took 6.6 to 7.1 s for",
    "  12,000 tasks. The one that is written from the specification takes much less.",
    "- A third of the released one is met where `score` takes about 2 s for 10,000 tasks. It does not.",
    "  What is left is spread thinly: reading the cases 24 %, judging 16, the measures 13, reading the",
    "  predictions 10. Hashing the cases takes 8 %, imports 6, making tasks ready 5, hashing what was",
    "  said 4, writing 3.",
    "- A freeze of more than 1,000 cases and an import of more than 1,000 lines use all cores: seconds are",
    "  those of all cores together. The four files are written on one here. Import was measured before that.",
    "- Figures of a project are read beside the window: who opens a case does not wait for them. The",
    "  project of 100,000 cases has 45,000 closed rounds, so the goal for agreement is 3 s there.",
    "- Not measured here are embeddings of T-Eval, whose model `teval setup` fetches, and",
    "  twenty windows on PostgreSQL, for which there is `tests/bench/test_office_speed.py`.",
)


def main(names: list[str]) -> None:
    """Measure the named rows, or all, and write the page."""
    KEPT.parent.mkdir(exist_ok=True)
    for name in names or ROWS:
        for size in ROWS[name].sizes:
            found = measured(name, size)
            print(name, size, found, flush=True)
            kept = _kept()
            kept.setdefault(name, {})[str(size)] = found
            KEPT.write_text(json.dumps(kept), encoding="utf-8")
    PAGE.write_text(page(_kept()), encoding="utf-8")


def _kept() -> Kept:
    found: Kept = {}
    return found | (json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {})


if __name__ == "__main__":
    main(sys.argv[1:])
