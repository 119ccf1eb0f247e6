"""Generation without any key: the bundled scripted endpoint fills what the sample project lacks."""

from annotator.cases.bodies import read_body
from annotator.generation.generation_run import start
from annotator.generation.models import LoopSetting
from annotator.generation.plan import GenerationPlan, Policies, RoleModel, Toolset
from annotator.generation.records import GenerationState
from annotator.generation.roles import AgentRole
from annotator.generation.run_loop import resume
from annotator.generation.scripted.endpoint import MODEL, scripted_endpoint
from annotator.jobs import JobContext
from annotator.llm import Patience
from annotator.project.workspace import Workspace
from db.read import queries

BATCH = "generated"
TASKS = 3
"""Tasks of the longest sequences that are filled: 64 dialogues at most, in about a minute."""
MISTAKES = 0.1
"""Share of faulty replies, so that there is something to see."""


def generate_sample(workspace: Workspace, *, context: JobContext) -> GenerationState | None:
    """Make the sequences no case of a project begins with, from the project's own toolsets.

    Args:
        workspace: Whose manager or annotator generates.
        context: Progress and cancellation.

    Returns:
        How the run ended; None where nothing is missing.

    Raises:
        InputError: The project has no case with tools.
        JobCancelled: Somebody cancelled; the same call goes on.
    """
    with scripted_endpoint(mistake_rate=MISTAKES) as endpoint:
        played = (RoleModel(model=MODEL, base_url=endpoint.base_url),)
        plan = GenerationPlan(
            name=BATCH,
            tasks=TASKS,
            policies=Policies.MISSING,
            models=dict.fromkeys(AgentRole, played),
        )
        run = start(workspace, plan, _toolsets(workspace))
        if run is None:
            return None
        patience = Patience(timeout_seconds=30, first_wait_seconds=0.05, longest_wait_seconds=1)
        return resume(workspace, run, context=context, setting=LoopSetting(concurrency=8, patience=patience))


def _toolsets(workspace: Workspace) -> tuple[Toolset, ...]:
    """The toolsets of the project's cases, each once."""
    bodies = workspace.read(lambda tx: [body for *_, body in queries.head_bodies(tx)])
    found: dict[tuple[str, ...], Toolset] = {}
    for case in map(read_body, bodies):
        if case.tools:
            found.setdefault(tuple(tool.text for tool in case.tools), Toolset(name=case.id, tools=case.tools))
    return tuple(found.values())
