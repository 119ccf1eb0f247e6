"""Scoring spread over processes and over a Dask cluster, against scoring in one process."""

import gzip
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from annotator.jobs import JobContext
from annotator.release.runs import workers
from annotator.release.runs.evaluation import load_cases
from annotator.release.runs.workers import score_runs, scoring_executor
from annotator.resources import resource_path
from scoring.errors import InputError
from scoring.evaluation import ScoredPart
from scoring.formats.codecs import CODECS
from scoring.model.taxonomy import CaseFormat, Undrawn
from scoring.scorecard import Scorecard
from tests.shared import ROOT

ON_A_CLUSTER = """
from distributed import LocalCluster
from annotator.jobs import JobContext
from annotator.release.runs.workers import score_runs
from annotator.resources import resource_path

if __name__ == "__main__":
    cases = resource_path("samples", "cases.jsonl")
    runs = [[resource_path("samples", "predictions_careless.jsonl")]]
    options = dict(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")
    with LocalCluster(**options) as cluster:
        address = cluster.scheduler_address
        there = [*score_runs(cases, runs, context=JobContext(), workers=2, cluster=address)]
        there += score_runs(cases, runs, context=JobContext(), cluster=address)
    print(there == 2 * list(score_runs(cases, runs, context=JobContext())))
"""


def test_a_dask_cluster_scores_as_one_process_does(tmp_path: Path) -> None:
    script = tmp_path / "on_a_cluster.py"
    script.write_text(ON_A_CLUSTER)
    ran = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        timeout=180,
        check=False,
    )
    assert ran.stdout.strip() == "True", ran.stderr[-2000:]


def test_no_worker_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="0 workers cannot score"), scoring_executor(workers=0):
        pass


def test_a_scheduler_that_does_not_answer_is_named(tmp_path: Path) -> None:
    code = (
        "from annotator.release.runs.workers import scoring_executor\n"
        "from scoring.errors import AnnotatorError\n"
        "try:\n"
        "    with scoring_executor(cluster='tcp://127.0.0.1:9'): pass\n"
        "except AnnotatorError as exc: print(exc.message)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        timeout=180,
        check=False,
    )
    assert ran.stdout.strip() == "No Dask scheduler answers at tcp://127.0.0.1:9."


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[Path]]:
    """Two runs, one with a line that is none, and no work too small for a second process."""
    monkeypatch.setattr(workers, "_LEAST_BYTES", 0)
    monkeypatch.chdir(tmp_path)
    shutil.copy(resource_path("samples", "cases.jsonl"), "cases.jsonl")
    for kind in ("careful", "careless"):
        shutil.copy(resource_path("samples", f"predictions_{kind}.jsonl"), f"{kind}.jsonl")
    with Path("careless.jsonl").open("a") as stream:
        stream.write("no prediction\n")
    return [[Path("careful.jsonl")], [Path("careless.jsonl")]]


def cards(runs: list[list[Path]], count: int) -> Iterator[Scorecard]:
    return score_runs(Path("cases.jsonl"), runs, context=JobContext(), workers=count)


def test_runs_that_workers_read_themselves_have_the_scorecards_of_one_process(runs: list[list[Path]]) -> None:
    alone = list(cards(runs, 1))
    assert alone[1].ignored[-1].file == "careless.jsonl"
    assert list(cards(runs, 2)) == alone


def test_what_a_worker_had_that_died_is_scored_again(
    runs: list[list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = list(cards(runs, 1))
    monkeypatch.setattr(workers, "_written", _die)
    assert list(cards(runs, 2)) == alone


_WRITTEN = workers._written


def _die(order: workers.ScoringOrder) -> object:
    if multiprocessing.parent_process() is not None:
        os._exit(9)
    return _WRITTEN(order)


def test_two_processes_score_one_run_as_one_does(runs: list[list[Path]]) -> None:
    assert list(cards(runs[1:], 2)) == list(cards(runs[1:], 1))


def in_parts(cases: Path, files: list[Path], count: int = 3) -> tuple[Scorecard, bool]:
    """A run as workers score it in parts, and whether what they found was put together."""
    ranges = workers._ranges(cases, count)
    orders = [
        workers._order(cases.absolute(), [file.absolute() for file in files], Undrawn.RECORDED, {}, part)
        for part in ranges
    ]
    found = [workers.score_order(order) for order in orders]
    card = workers._put_together(orders[0], found, JobContext())
    return workers._as_named(card, [*files, cases]), all(isinstance(part, ScoredPart) for part in found)


def test_what_does_not_count_is_told_in_the_order_of_the_files(runs: list[list[Path]]) -> None:
    said = Path("careful.jsonl").read_text().splitlines()
    first, last = json.loads(said[0]), json.loads(said[-1])
    odd = [
        json.dumps(last | {"case": "nobody"}),
        "{broken",
        json.dumps(last | {"error": {"kind": "timeout"}, "replies": []}),
        said[-1],
        json.dumps(first | {"task": 99}),
        *said[:5],
        said[0],
    ]
    Path("odd.jsonl").write_text("\n".join(odd) + "\n")
    files = [Path("careless.jsonl"), Path("odd.jsonl")]
    [alone] = score_runs(Path("cases.jsonl"), [files[::-1]], context=JobContext())
    card, is_whole = in_parts(Path("cases.jsonl"), files[::-1])
    assert is_whole
    assert card == alone
    assert len(card.ignored) > 10
    assert {one.file for one in card.ignored} == {"careless.jsonl", "odd.jsonl"}


@pytest.mark.parametrize(
    "what", ["another release", "repeated case", "repeated line", "no id", "one array", "packed", "no room"]
)
def test_what_cannot_be_cut_is_scored_whole(
    runs: list[list[Path]], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    cases, files = Path("cases.jsonl"), [Path("careful.jsonl")]
    lines = cases.read_text().splitlines()
    wildtool = [json.dumps(CODECS[CaseFormat.WILDTOOL].encode(one)) for one in load_cases(cases)]
    if what == "another release":
        said = json.loads(files[0].read_text().splitlines()[0])
        files[0].write_text(files[0].read_text() + json.dumps(said | {"cases_sha256": "0" * 64}) + "\n")
    elif what == "repeated case":
        cases.write_text("\n".join([*lines, lines[0]]))
    elif what == "repeated line":
        cases.write_text("\n".join([*lines, lines[-1]]))
    elif what == "no id":
        bare = {key: value for key, value in json.loads(wildtool[-1]).items() if key not in ("id", "case_id")}
        cases.write_text("\n".join([*wildtool[:-1], json.dumps(bare)]))
    elif what == "one array":
        cases.write_text(f"[{','.join(lines)}]")
    elif what == "no room":
        monkeypatch.setattr("tempfile.tempdir", "missing")
    else:
        cases.write_bytes(gzip.compress(cases.read_bytes()))
    [alone] = score_runs(cases, [files], context=JobContext())
    assert in_parts(cases, files)[0] == alone


def test_a_line_of_a_hundred_megabytes_is_named_as_by_one_process(runs: list[list[Path]]) -> None:
    with Path("cases.jsonl").open("a") as stream:
        stream.write('{"format": "annotator-case", "id": "' + "x" * 100_000_000 + '"}\n')
    with pytest.raises(InputError, match=r"cases\.jsonl, line 17: The line is longer than 16 MiB"):
        in_parts(Path("cases.jsonl"), [Path("careful.jsonl")])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe holds the workers up (2026-11-28)")
def test_ten_workers_end_with_the_process_that_is_interrupted(runs: list[list[Path]]) -> None:
    os.mkfifo("pipe")
    code = (
        "import signal\n"
        "from pathlib import Path\n"
        "from annotator.jobs import JobContext\n"
        "from annotator.release.runs import workers\n"
        "workers._LEAST_BYTES = 0\n"
        "if __name__ == '__main__':\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell left it ignored\n"
        "    print('begun', flush=True)\n"
        "    files = [Path('careful.jsonl'), Path('pipe')]\n"
        "    list(workers.score_runs(Path('cases.jsonl'), [files], context=JobContext(), workers=10))\n"
    )
    Path("interrupted.py").write_text(code)
    begun = [sys.executable, "interrupted.py"]
    with (
        subprocess.Popen(
            begun, env={"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process,
        Path("pipe").open("wb"),
    ):  # opens once a worker reads it
        for _ in range(4):  # Python drops an interrupt that meets a callback of its own; people press again
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=30)
                break
        output, errors = process.communicate(timeout=120)  # ends once no worker holds its output
    assert output == "begun\n"
    assert "KeyboardInterrupt" in errors
    assert process.returncode not in (0, None)


def test_cases_that_change_while_they_are_scored_are_named(runs: list[list[Path]]) -> None:
    order = workers._order(Path("cases.jsonl"), runs[0], Undrawn.RECORDED, {})
    with Path("cases.jsonl").open("a") as stream:
        stream.write("\n")
    with pytest.raises(InputError, match=r"cases\.jsonl has changed while it was scored"):
        workers.score_order(order)


def test_a_worker_that_does_not_see_a_file_is_named(
    runs: list[list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    order = workers._order(Path("cases.jsonl"), runs[0], Undrawn.RECORDED, {})
    Path("careful.jsonl").unlink()
    monkeypatch.setattr("socket.gethostname", lambda: "node-7")
    with pytest.raises(InputError, match=r"careful\.jsonl cannot be read on node-7"):
        workers.score_order(order)
