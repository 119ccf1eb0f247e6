"""The next task of a generated dialogue, as the workbench asks for it and shows it."""

import json
from collections.abc import Iterator
from functools import partial

from annotator.generation.checks.replies import (
    ReplyError,
    plain_text,
    read_candidates,
    read_decision,
    read_observations,
)
from annotator.generation.next_task import (
    NextTask,
    propose_next,
    record_task_decision,
    why_no_next,
    with_next_task,
)
from annotator.generation.records import Exchange
from annotator.generation.roles import AgentRole
from scoring.groups import collected
from scoring.model.case import Ask, Call, Task
from scoring.model.graph import ANSWER_NAME, ASK_NAME
from scoring.texts import tr
from scoring.wording import sentence_case
from ui.desk.model_actions import ModelAction, ShownProposal
from ui.theme.words import POLICY


def exchange_line(exchange: Exchange) -> str:
    """What a role said, in a line: its name, and its words or why they were rejected."""
    name = sentence_case(tr(exchange.ask.role.value))
    if not exchange.verdict.is_accepted:
        return tr("{name}: rejected, {reason}", name=name, reason=exchange.verdict.reason)
    return f"{name}: {_said(exchange)}"


@collected
def task_lines(task: Task) -> Iterator[str]:
    """A task step by step, each with who says it."""
    yield tr("User: {user}", user=task.user)
    for step in task.steps:
        if isinstance(step, Call):
            yield tr("Planner: calls {call_words}", call_words=_call_words(step.name, step.arguments))
            yield tr("Tool: {dumps}", dumps=json.dumps(step.observation, ensure_ascii=False))
        elif isinstance(step, Ask):
            yield from (
                tr("Agent: {value}", value=step.text),
                tr("User: {reply}", reply=step.reply),
            )
        else:
            yield tr("Agent: {value}", value=step.text)


def _said(exchange: Exchange) -> str:
    role, reply, verdict = exchange.ask.role, exchange.reply, exchange.verdict
    try:
        if role is AgentRole.PLANNER:
            return "; ".join(_action_words(one.name, one.arguments) for one in read_decision(reply).actions)
        if role is AgentRole.TOOL:
            return "; ".join(json.dumps(one, ensure_ascii=False) for one in read_observations(reply))
        if role is AgentRole.CHECKER:
            return tr("nothing against it")
        if verdict.chosen is not None:
            return verdict.text or read_candidates(reply)[verdict.chosen]
        return plain_text(reply)
    except ReplyError:
        return ""


def _action_words(name: str, arguments: object) -> str:
    if name == ASK_NAME:
        return tr("the user has to be asked")
    return (
        tr("the request can be answered")
        if name == ANSWER_NAME
        else tr("calls {call_words}", call_words=_call_words(name, arguments))
    )


def _call_words(name: str, arguments: object) -> str:
    return f"{name} {json.dumps(arguments, ensure_ascii=False)}"


def _shown(proposal: NextTask) -> ShownProposal:
    policy = proposal.task.policy
    return ShownProposal(
        title=tr("Proposed task {number}", number=proposal.number + 1),
        about=tr(
            "made by {model}{kind}; accepting adds it to the end as a machine's work",
            model=proposal.model,
            kind=f", {POLICY[policy].lower()}" if policy is not None else "",
        ),
        lines=task_lines(proposal.task),
        undo_words=tr("accept the proposed task"),
        applied=partial(with_next_task, proposal=proposal),
        record=partial(record_task_decision, proposal=proposal),
        new_task=proposal.number,
    )


NEXT_TASK = ModelAction(
    name="next-task",
    title=tr("Make the next task"),
    keys="Alt+N",
    job=tr("Making the next task"),
    reason=lambda document: why_no_next(document.case, document.judgment, stage=document.stage),
    waiting=lambda settings: tr("{model} plays the five roles …", model=settings.model),
    ask=propose_next,
    line=exchange_line,
    shown=_shown,
)
