"""Writes the run that `annotator demo --generate` replays: `make recording`."""

import gzip
import tempfile
from pathlib import Path
from typing import Any

from annotator.cases.access import show_case
from annotator.generation.generation_run import dialogues_of, exchanges_of, find_run, start
from annotator.generation.models import LoopSetting
from annotator.generation.plan import GenerationPlan, Policies, RoleModel, Toolset
from annotator.generation.records import DialogueStatus
from annotator.generation.roles import AgentRole
from annotator.generation.run_loop import resume
from annotator.generation.sample_run import BATCH, RECORDING, Recording
from annotator.generation.traversal import wanted_sequences
from annotator.jobs import JobContext
from annotator.llm.endpoints import Patience
from annotator.project.workspace import Workspace, open_workspace
from annotator.release.sample_project import OWNER, make_sample
from annotator.resources import resource_path
from annotator.review.queue.case_rows import CaseFilter, list_cases
from tests.scripted_model.endpoint import MODEL, scripted_endpoint

ADDRESS = "http://127.0.0.1:9/v1"
"""Written into the recording: nobody is asked there."""
TASKS = 3
"""Tasks of the longest sequences that are filled."""
MISTAKES = 0.1
"""Share of faulty replies, so that there is something to see."""


def record(workspace: Workspace) -> Recording:
    """Fill a sample project by the scripted endpoint."""
    with scripted_endpoint(mistake_rate=MISTAKES) as endpoint:
        plan = _plan(endpoint.base_url, policies=Policies.MISSING)
        sequences = wanted_sequences(workspace, plan)
        plan = _plan(endpoint.base_url, policies=Policies.GIVEN, sequences=sequences)
        run = start(workspace, plan, _toolsets(workspace))
        assert run is not None
        patience = Patience(timeout_seconds=30, first_wait_seconds=0.05, longest_wait_seconds=1)
        setting = LoopSetting(concurrency=8, patience=patience)
        resume(workspace, run, context=JobContext(), setting=setting)
    found = find_run(workspace, run)
    plan = found.plan.model_copy(update={"models": _plan(ADDRESS).models})
    dialogues = range(len(plan.sequences))
    return Recording(
        run=found.model_copy(update={"plan": plan}),
        failed=tuple(row for row in dialogues_of(workspace, run) if row.status is DialogueStatus.FAILED),
        exchanges=tuple(one for number in dialogues for one in exchanges_of(workspace, run, dialogue=number)),
    )


def _plan(base_url: str, **fields: Any) -> GenerationPlan:
    played = (RoleModel(model=MODEL, base_url=base_url),)
    return GenerationPlan(name=BATCH, tasks=TASKS, models=dict.fromkeys(AgentRole, played), **fields)


def _toolsets(workspace: Workspace) -> tuple[Toolset, ...]:
    """The toolsets of the project's cases, each once."""
    found: dict[tuple[str, ...], Toolset] = {}
    for row in list_cases(workspace, CaseFilter(order="case")):
        case = show_case(workspace, row.case_id)
        if case.tools:
            found.setdefault(tuple(tool.text for tool in case.tools), Toolset(name=case.id, tools=case.tools))
    return tuple(found.values())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "samples.db")
        make_sample(project, context=JobContext())
        sample = open_workspace(str(project), OWNER)
        try:
            made = record(sample)
        finally:
            sample.close()
    path = resource_path(RECORDING[0]) / RECORDING[1]
    path.write_bytes(gzip.compress(made.model_dump_json(exclude_defaults=True).encode(), mtime=0))
