"""Scoring spread over processes and over a Dask cluster, against scoring in one process."""

import subprocess
import sys
from pathlib import Path

import pytest

from annotator.jobs import JobContext
from annotator.release.runs.evaluation import evaluate, load_cases
from annotator.release.runs.workers import scoring_executor
from annotator.resources import resource_path
from scoring.errors import InputError
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
