"""Scoring spread over processes and over a Dask cluster, against scoring in one process."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.jobs import JobContext
from annotator.release.runs import workers
from annotator.release.runs.evaluation import evaluate, load_cases
from annotator.release.runs.workers import score_runs, scoring_executor
from annotator.resources import resource_path
from scoring.errors import InputError
from scoring.model.taxonomy import Undrawn
from scoring.scorecard import Scorecard
from tests.shared import ROOT

ON_A_CLUSTER = """
from distributed import LocalCluster
from annotator.jobs import JobContext
from annotator.release.runs.evaluation import evaluate, load_cases
from annotator.release.runs.workers import scoring_executor
from annotator.resources import resource_path

if __name__ == "__main__":
    cases = load_cases(resource_path("samples", "cases.jsonl"))
    files = [resource_path("samples", "predictions_careless.jsonl")]
    options = dict(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")
    with LocalCluster(**options) as cluster:
        with scoring_executor(cluster=cluster.scheduler_address) as executor:
            there = evaluate(cases, files, context=JobContext(), executor=executor)
    print(there == evaluate(cases, files, context=JobContext()))
"""


def test_two_processes_score_as_one_does() -> None:
    cases = load_cases(resource_path("samples", "cases.jsonl"))
    files = [resource_path("samples", "predictions_careless.jsonl")]
    with scoring_executor(workers=2) as executor:
        assert executor is not None
        there = evaluate(cases, files, context=JobContext(), executor=executor)
    assert there == evaluate(cases, files, context=JobContext())


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


def _die(_order: object) -> str:
    os._exit(9)


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
