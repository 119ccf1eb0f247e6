"""Layer by layer: the next task of a generated dialogue, made on the tasks that people have corrected."""

import threading
from collections.abc import Callable, Sequence
from contextlib import closing

from annotator.cases.coverage import GENERATION_KEY
from annotator.cases.edits.task_edits import insert_task
from annotator.generation.checks.diversity import UsedRequests
from annotator.generation.dialogue import DialogueMaker, DialogueOrder
from annotator.generation.exchanges import AttemptFailed, Exchanges, row_of
from annotator.generation.generation_run import (
    ROLES,
    exchanges_of,
    find_run,
    run_of_case,
    store_replies,
)
from annotator.generation.made_case import origin_of
from annotator.generation.models import LoopSetting, open_models
from annotator.generation.plan import Chooser, RoleModel, Toolset
from annotator.generation.records import AttemptFailure, Exchange, GeneratedFrom, Provenance
from annotator.generation.roles import AgentRole
from annotator.jobs import JobContext
from annotator.llm.budget import Budget
from annotator.llm.endpoints import Patience
from annotator.project.workspace import Done, Workspace
from annotator.settings import AssistSettings
from scoring.errors import BlockedError, ConflictError, InputError, existing
from scoring.model.case import Case, Task
from scoring.model.labels import Judgment
from scoring.model.record import JsonObject, Record, sha256_of
from scoring.model.taxonomy import Stage

_ATTEMPTS_OF_A_TASK = 1000
"""Attempts at a later task are numbered from here on, times the task, apart from those at dialogues."""
_PATIENCE = Patience(timeout_seconds=120.0, retries=2)
"""Somebody waits for the task: rather a clear failure soon than a task late."""


class NextTask(Record):
    """A task a machine made for the end of a case, for a person to take or leave.

    Attributes:
        case_id: The case.
        number: Number of the task, from 0.
        run: The run the case is from.
        attempt: Under which number its requests are stored with the run.
        wanted: The policy it was to have.
        task: The task.
        fields: Where each of its fields is from.
        pattern: How its request leans on the dialogue.
        model: Who played the roles.
        dialogue_sha256: Hash of what was said before it when it was made.
    """

    case_id: str
    number: int
    run: int
    attempt: int
    wanted: str
    task: Task
    fields: dict[str, Provenance]
    pattern: str | None
    model: str
    dialogue_sha256: str


def wanted_next(case: Case) -> str | None:
    """The policy the next task of a generated case should have; None where the dialogue is complete.

    Raises:
        InputError: The case was not generated, or the reader may not know.
    """
    wanted = _origin_of(case).wanted
    return wanted[len(case.tasks)] if len(case.tasks) < len(wanted) else None


def why_no_next(case: Case, judgment: Judgment, *, stage: Stage) -> str:
    """Why the next task of a case cannot be made now, in a sentence; empty where it can.

    Args:
        case: The case as it is edited.
        judgment: What is said about it: each of its tasks is reviewed before the next is made.
        stage: Of the assignment; who judges blind adds no task.
    """
    if stage is Stage.CROSS_CHECK:
        return "A cross-check judges the tasks there are."
    if origin_of(case) is None:
        return "Only generated dialogues get their tasks one by one."
    if wanted_next(case) is None:
        return "This dialogue has all its planned tasks."
    unsaid = (number for number, said in enumerate(judgment.tasks, 1) if said.completed is None)
    return next((f"Review task {number} first, and say whether it is completed." for number in unsaid), "")


def propose_next(
    workspace: Workspace,
    case: Case,
    *,
    settings: AssistSettings,
    context: JobContext,
    listen: Callable[[Exchange], object],
    is_another: bool = False,
) -> NextTask:
    """Let the endpoint for proposals play the five roles until the next task is made.

    Args:
        workspace: Whose annotator asks; used by this thread alone meanwhile.
        case: The case as it is edited.
        settings: The endpoint.
        context: Of the job; cancelling it gives up the waiting at once.
        listen: Told each reply when it is stored, on this thread.
        is_another: Whether another task is wanted than the one that was made before.

    Raises:
        BlockedError: The dialogue is complete, or no attempt came to an end.
        As for `make_next_task`.
    """
    wanted = existing(
        wanted_next(case),
        BlockedError("This dialogue has all its planned tasks.", "Insert one by hand (Shift+A)."),
    )
    played = RoleModel(
        model=settings.model, base_url=settings.base_url, key_variable=settings.key_variable or None
    )
    return make_next_task(
        workspace,
        case,
        wanted=wanted,
        played=played,
        context=context,
        setting=LoopSetting(patience=_PATIENCE, leaves=context),
        listen=listen,
        is_another=is_another,
    )


def make_next_task(
    workspace: Workspace,
    case: Case,
    *,
    wanted: str,
    played: RoleModel,
    context: JobContext,
    setting: LoopSetting,
    listen: Callable[[Exchange], object] | None = None,
    is_another: bool = False,
) -> NextTask:
    """Make one more task on the tasks of a case as they are now; nothing is written into the case.

    Every reply is stored with the run, and asked for again only where the tasks before have changed.

    Args:
        workspace: Whose manager or annotator generates; used by this thread alone meanwhile.
        case: The case as people corrected it.
        wanted: The policy of the task.
        played: Who plays the five roles, whatever models the run has.
        context: Cancellation.
        setting: How the model is asked.
        listen: Told every reply once it is safe, on the calling thread.
        is_another: Whether it is to differ from what was made for this place before.

    Returns:
        A proposal for a person.

    Raises:
        InputError: The case was not generated.
        NotFoundError: Its run is not in this project.
        BlockedError: No attempt came to an end; the message says why.
        ModelError, StoreError, JobCancelled: As for `run_loop.resume`.
    """
    origin = _origin_of(case)
    found = find_run(workspace, run_of_case(workspace, case.id))
    # A person sees the task before it counts: no candidates to pick, and no share of the run's budget.
    changes = {
        "models": dict.fromkeys(AgentRole, (played,)),
        "budget": Budget(),
        "chooser": Chooser.RULE if found.plan.chooser is Chooser.PERSON else found.plan.chooser,
    }
    plan = found.plan.model_copy(update=changes)
    stored = exchanges_of(workspace, found.number, dialogue=origin.dialogue)
    prompts = found.prompts(origin.dialogue)
    base = _ATTEMPTS_OF_A_TASK * len(case.tasks)
    numbers = {one.attempt - base for one in stored if base < one.attempt < base + _ATTEMPTS_OF_A_TASK}
    number = max(numbers, default=0) if is_another else 0
    failed, reason = 0, ""

    def store(exchange: Exchange) -> None:
        store_replies(workspace, found.number, [row_of(exchange)])
        if listen:
            listen(exchange)
        context.check_cancelled()

    with closing(open_models(plan, setting)) as models:
        while failed < plan.attempts:
            context.check_cancelled()
            number += 1
            order = DialogueOrder(
                sequence=(
                    *(task.policy.main_type if task.policy else "single" for task in case.tasks),
                    wanted,
                ),
                toolset=Toolset(name=case.id, tools=case.tools),
                is_last_attempt=failed + 1 == plan.attempts,
                history=case.tasks,
                now=case.now,
                steering=found.steering[origin.dialogue],
            )
            attempt = found.attempt(origin.dialogue, base + number)
            exchanges = Exchanges(
                attempt,
                stored={one.number: one for one in stored if one.attempt == attempt.number},
                models=models,
                store=store,
                stop=threading.Event(),
            )
            try:
                made = DialogueMaker(
                    plan, order, prompts=prompts, exchanges=exchanges, used=UsedRequests()
                ).make()
            except AttemptFailed as exc:
                reason = exc.note or exc.failure.value
                failed += exc.failure is not AttemptFailure.PROMPT_CHANGED
                continue
            return NextTask(
                case_id=case.id,
                number=len(case.tasks),
                run=found.number,
                attempt=attempt.number,
                wanted=wanted,
                task=made.tasks[-1],
                fields=made.fields,
                pattern=made.patterns[-1],
                model=played.model,
                dialogue_sha256=_said_sha256(case.tasks),
            )
    raise BlockedError(f"No attempt at the next task came to an end: {reason}.", "Write the task by hand.")


def with_next_task(case: Case, proposal: NextTask) -> Case:
    """The case with a task a person accepted at its end; its extras say which fields a machine made.

    Raises:
        ConflictError: What is said in the dialogue has changed since the task was made on it.
    """
    if _said_sha256(case.tasks) != proposal.dialogue_sha256:
        raise ConflictError("The dialogue has changed since this task was made on it.", "Ask again.")
    origin = _origin_of(case)
    patterns = (*origin.patterns, *[None] * len(case.tasks))[: len(case.tasks)]
    marked = origin.model_copy(
        update={
            "patterns": (*patterns, proposal.pattern),
            "fields": {**origin.fields, **proposal.fields},
        }
    )
    return insert_task(case, len(case.tasks), task=proposal.task).model_copy(
        update={"extras": {**case.extras, GENERATION_KEY: marked.model_dump(mode="json")}}
    )


def record_task_decision(workspace: Workspace, proposal: NextTask, *, accepted: bool) -> Done[None]:
    """Note that a person accepted or declined a task; its requests and replies are with the run."""
    subject: JsonObject = {
        "task": proposal.number,
        "run": proposal.run,
        "attempt": proposal.attempt,
        "model": proposal.model,
        "wanted": proposal.wanted,
    }
    return workspace.run(
        f"generation:task:{'accept' if accepted else 'decline'}",
        lambda w: w.record(f"case:{proposal.case_id}", subject),
        roles=ROLES,
    )


def _said_sha256(tasks: Sequence[Task]) -> str:
    """Hash of what the roles are told of earlier tasks: requests and steps, without labels and drawing."""
    said: list[JsonObject] = [task.model_dump(mode="json", include={"user", "steps"}) for task in tasks]
    return sha256_of(said)


def _origin_of(case: Case) -> GeneratedFrom:
    return existing(
        origin_of(case), InputError(f"Case {case.id} was not generated.", "Choose a generated case.")
    )
