"""The run of a model in a project: asked, scored once every task has an answer, and kept as one run."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.jobs import JobContext
from annotator.llm import ChatClient
from annotator.project.changes import Changes
from annotator.project.workspace import Done
from annotator.release.runs.evaluation import evaluate, record_run, run_name
from annotator.release.runs.model_run import RunPlan, RunState, run_model
from scoring.evaluation import GoldSet
from scoring.model.case import Case

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace


def ask_and_record(
    cases: Sequence[Case] | GoldSet,
    client: ChatClient,
    *,
    plan: RunPlan,
    out: Path,
    context: JobContext,
    project: "Callable[[], AbstractContextManager[Workspace | None]]" = nullcontext,
    name: str = "",
    listen: Callable[[RunState], object] | None = None,
) -> Done[RunState]:
    """Ask a model every task that has no answer yet; where all have one, score and record the run.

    Carried out again, it goes on where it stopped; a run that is recorded already stays one.

    Args:
        cases: The cases.
        client: The model; it is closed in the end.
        plan: What is asked, how, and within which limits.
        out: The predictions file.
        context: Progress, and cancellation.
        project: Opens the project once there is something to record; gives None if there is none.
        name: What the run is called; empty for its model and setting.
        listen: Told how the run stands; see `run_model`.

    Returns:
        How the run stands, with its number in the project where it is recorded.

    Raises:
        ModelError, BlockedError, JobCancelled, InputError, ConflictError, StoreError: See `run_model`.
    """
    try:
        state = run_model(cases, client, plan=plan, out=out, context=context, listen=listen)
    finally:
        client.close()
    with project() if state.is_finished else nullcontext() as workspace:
        if workspace is None:
            return Done(state, Changes())
        card = evaluate(
            cases,
            [out],
            context=context,
            name=name or run_name(plan.setting.dump()),
            arguments=plan.arguments,
            protocol=plan.setting.protocol,
        )
        recorded = record_run(workspace, card.name, card=card, predictions=[out])
    return Done(state.model_copy(update={"run": recorded.value}), recorded.changes)
