"""Layer by layer: the next task of a dialogue whose earlier tasks people have corrected."""

import threading

from annotator.generation.checks.diversity import UsedRequests
from annotator.generation.dialogue import DialogueMaker, DialogueOrder
from annotator.generation.exchanges import Attempt, AttemptFailed, Exchanges
from annotator.generation.generation_run import ROLES, exchanges_of, find_run, row_of
from annotator.generation.made_case import origin_of
from annotator.generation.models import LoopSetting, open_models
from annotator.generation.plan import Toolset
from annotator.generation.prompts import prompts_in
from annotator.generation.records import Exchange
from annotator.generation.traversal import seed_of
from annotator.jobs import JobContext
from annotator.project.workspace import Work, Workspace
from db.write import generations as writes
from scoring.errors import BlockedError, InputError
from scoring.model.case import Case, Task

_ATTEMPTS_OF_A_TASK = 1000
"""Attempts at a later task are numbered from here on, times the task, apart from those at dialogues."""


def wanted_next(workspace: Workspace, run: int, case: Case) -> str | None:
    """The policy the next task of a generated case should have; null where the dialogue is complete.

    Raises:
        InputError: The case is not from this run.
    """
    sequence = find_run(workspace, run).plan.sequences[_dialogue_of(case)]
    return sequence[len(case.tasks)] if len(case.tasks) < len(sequence) else None


def make_next_task(
    workspace: Workspace,
    run: int,
    case: Case,
    *,
    wanted: str,
    context: JobContext,
    setting: LoopSetting | None = None,
) -> Task:
    """Make one more task on the tasks of a case as they are now; nothing is written into the case.

    Every reply is stored with the run, and asked for again only where the tasks before have changed.

    Args:
        workspace: Whose manager or annotator generates; used by this thread alone meanwhile.
        run: The run the case is from.
        case: The case as people corrected it.
        wanted: The policy of the task.
        context: Cancellation.
        setting: How the models are opened.

    Returns:
        A proposal for a person.

    Raises:
        InputError: The case is not from a run.
        BlockedError: No attempt came to an end; the message says why.
        ModelError, StoreError, JobCancelled: As for `run_loop.resume`.
    """
    found, dialogue = find_run(workspace, run), _dialogue_of(case)
    models = open_models(found.plan, setting or LoopSetting())
    reason = ""
    try:
        for number in range(1, found.plan.attempts + 1):
            context.check_cancelled()
            attempt = _ATTEMPTS_OF_A_TASK * len(case.tasks) + number
            seed = seed_of(found.plan.seed, dialogue, attempt)
            stored = exchanges_of(workspace, run, dialogue=dialogue, attempt=attempt)

            def store(exchange: Exchange) -> None:
                def work(w: Work) -> None:
                    writes.add_requests(w.tx, run, [{**row_of(exchange), "at": w.at}])

                workspace.run("generation:reply:store", work, roles=ROLES)
                context.check_cancelled()

            maker = DialogueMaker(
                found.plan,
                DialogueOrder(
                    sequence=(*(_policy(task) for task in case.tasks), wanted),
                    toolset=Toolset(name=case.id, tools=case.tools),
                    is_last_attempt=number == found.plan.attempts,
                    history=case.tasks,
                    now=case.now,
                ),
                prompts=prompts_in(found.plan.language),
                exchanges=Exchanges(
                    Attempt(dialogue, attempt, seed, found.prompt_version),
                    stored={one.number: one for one in stored},
                    models=models,
                    store=store,
                    stop=threading.Event(),
                ),
                used=UsedRequests(),
            )
            try:
                return maker.make().tasks[-1]
            except AttemptFailed as exc:
                reason = exc.note or exc.failure.value
    finally:
        models.close()
    raise BlockedError(f"No attempt at the next task came to an end: {reason}.", "Write the task by hand.")


def _policy(task: Task) -> str:
    return task.policy.main_type if task.policy else "single"


def _dialogue_of(case: Case) -> int:
    origin = origin_of(case)
    if origin is None:
        raise InputError(f"Case {case.id} was not generated.", "Choose a generated case.")
    return origin.dialogue
