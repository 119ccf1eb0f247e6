"""Layer by layer from the desk: when a generated dialogue may grow by a task, and what is said meanwhile."""

import json
from collections.abc import Callable

from annotator.generation.checks.replies import (
    ReplyError,
    plain_text,
    read_candidates,
    read_decision,
    read_observations,
)
from annotator.generation.made_case import origin_of
from annotator.generation.models import LoopSetting
from annotator.generation.next_task import (
    NextTask,
    make_next_task,
    wanted_next,
)
from annotator.generation.plan import RoleModel
from annotator.generation.records import Exchange
from annotator.generation.roles import AgentRole
from annotator.jobs import JobContext
from annotator.llm.endpoints import Patience
from annotator.project.workspace import Workspace
from annotator.settings import AssistSettings
from scoring.errors import BlockedError
from scoring.model.case import Ask, Call, Case, Task
from scoring.model.graph import ANSWER_NAME, ASK_NAME
from scoring.model.labels import Judgment
from scoring.model.taxonomy import Stage

PATIENCE = Patience(timeout_seconds=120.0, retries=2)
"""Somebody waits for the task: rather a clear failure soon than a task late."""


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
    for number, said in enumerate(judgment.tasks):
        if said.completed is None:
            return f"Review task {number + 1} first, and say whether it is completed."
    return ""


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
    wanted = wanted_next(case)
    if wanted is None:
        raise BlockedError("This dialogue has all its planned tasks.", "Insert one by hand (Shift+A).")
    played = RoleModel(
        model=settings.model, base_url=settings.base_url, key_variable=settings.key_variable or None
    )
    return make_next_task(
        workspace,
        case,
        wanted=wanted,
        played=played,
        context=context,
        setting=LoopSetting(patience=PATIENCE, leaves=context),
        listen=listen,
        is_another=is_another,
    )


def exchange_line(exchange: Exchange) -> str:
    """What a role said, in a line: its name, and its words or why they were rejected."""
    name = exchange.ask.role.value.capitalize()
    if not exchange.verdict.is_accepted:
        return f"{name}: rejected, {exchange.verdict.reason}"
    return f"{name}: {_said(exchange)}"


def task_lines(task: Task) -> tuple[str, ...]:
    """A task step by step, each with who says it."""
    lines = [f"User: {task.user}"]
    for step in task.steps:
        if isinstance(step, Call):
            lines.append(f"Planner: calls {_call_words(step.name, step.arguments)}")
            lines.append(f"Tool: {json.dumps(step.observation, ensure_ascii=False)}")
        elif isinstance(step, Ask):
            lines += [f"Agent: {step.text}", f"User: {step.reply}"]
        else:
            lines.append(f"Agent: {step.text}")
    return tuple(lines)


def _said(exchange: Exchange) -> str:
    role, reply, verdict = exchange.ask.role, exchange.reply, exchange.verdict
    try:
        if role is AgentRole.PLANNER:
            return "; ".join(_action_words(one.name, one.arguments) for one in read_decision(reply).actions)
        if role is AgentRole.TOOL:
            return "; ".join(json.dumps(one, ensure_ascii=False) for one in read_observations(reply))
        if role is AgentRole.CHECKER:
            return "nothing against it"
        if verdict.chosen is not None:
            return verdict.text or read_candidates(reply)[verdict.chosen]
        return plain_text(reply)
    except ReplyError:
        return ""


def _action_words(name: str, arguments: object) -> str:
    if name == ASK_NAME:
        return "the user has to be asked"
    return "the request can be answered" if name == ANSWER_NAME else f"calls {_call_words(name, arguments)}"


def _call_words(name: str, arguments: object) -> str:
    return f"{name} {json.dumps(arguments, ensure_ascii=False)}"
