"""A client of a scripted endpoint, and a whole run against one, for the tests that need them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from annotator.jobs import JobContext
from annotator.llm import ChatClient
from annotator.llm.endpoints import Endpoint, Patience
from annotator.release.runs.conversation import RunSetting
from annotator.release.runs.model_run import RunPlan, RunState, run_model
from scoring.model.case import Case
from tests.scripted_model.server import Script, ScriptedModel

MODEL = "m-1"
QUICK = Patience(timeout_seconds=10, retries=2, first_wait_seconds=0.01, longest_wait_seconds=0.02)


@contextmanager
def scripted(
    script: Script, *, key: str | None = None, patience: Patience = QUICK
) -> Iterator[tuple[ChatClient, ScriptedModel]]:
    """A client of a scripted endpoint."""
    with ScriptedModel(script) as model:
        client = ChatClient(Endpoint(model.base_url, MODEL, key), patience=patience)
        try:
            yield client, model
        finally:
            client.close()


def plan_of(*, concurrency: int = 2, **setting: Any) -> RunPlan:
    """A plan whose keyword arguments are the setting."""
    return RunPlan(setting=RunSetting(model=MODEL, **setting), concurrency=concurrency)


def run(cases: Sequence[Case], client: ChatClient, out: Path, *, plan: RunPlan | None = None) -> RunState:
    """Run to the end without anybody watching."""
    return run_model(cases, client, plan=plan or plan_of(), out=out, context=JobContext())


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a predictions file, in order of task."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return sorted(lines, key=lambda line: (line["case"], line["task"]))
