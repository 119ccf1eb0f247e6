"""Finished dialogues in the shapes of the published generator: raw, streamlined, per role (formats 7)."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from annotator.files import replace_text
from annotator.generation.checks.replies import ReplyError, plain_text, read_candidates, read_choice, text_of
from annotator.generation.generation_run import (
    GenerationRun,
    dialogues_of,
    exchanges_of,
    find_run,
)
from annotator.generation.prompts import Prompts, definitions
from annotator.generation.records import DialogueStatus, Exchange, ReplyFault
from annotator.generation.roles import REQUESTS, AgentRole, RequestKind
from annotator.jobs import JobContext
from annotator.project.workspace import Workspace
from scoring.model.record import JsonObject, Record

RAW, STREAMLINED, PER_ROLE = "train_origin", "train", "train_fetch_data"
"""Ends of the names of the three files."""

_FIRST_REQUESTS = REQUESTS - {RequestKind.NEXT_TASK}


class ExportedDialogue(Record):
    """One finished dialogue in the three shapes; `per_role` has a record for each request."""

    raw: JsonObject
    streamlined: JsonObject
    per_role: tuple[JsonObject, ...]


def export_run(workspace: Workspace, run: int, directory: Path, *, context: JobContext) -> tuple[Path, ...]:
    """Write three files of JSON lines, over older ones of the same run.

    Args:
        workspace: The project.
        run: The run.
        directory: Where to; made where it is missing.
        context: Progress in dialogues, and cancellation between them.

    Returns:
        The files: raw, streamlined, per role.

    Raises:
        NotFoundError: There is no such run.
        StoreError: A file cannot be written.
    """
    found = tuple(exported_dialogues(workspace, run, context=context))
    records = {
        RAW: [one.raw for one in found],
        STREAMLINED: [one.streamlined for one in found],
        PER_ROLE: [record for one in found for record in one.per_role],
    }
    files = {directory / f"generation-{run}_{name}.jsonl": kept for name, kept in records.items()}
    for path, kept in files.items():
        replace_text(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in kept))
    return tuple(files)


def exported_dialogues(workspace: Workspace, run: int, *, context: JobContext) -> Iterator[ExportedDialogue]:
    """The finished dialogues of a run, by number.

    Raises:
        NotFoundError: There is no such run.
    """
    found = find_run(workspace, run)
    rows = [row for row in dialogues_of(workspace, run) if row.status is DialogueStatus.FINISHED]
    for row in context.each(rows, "exporting"):
        exchanges = exchanges_of(workspace, run, dialogue=row.dialogue, attempt=row.attempt)
        if exchanges:
            yield exported(found, exchanges)


def exported(run: GenerationRun, exchanges: Sequence[Exchange]) -> ExportedDialogue:
    """One attempt in the three shapes.

    Args:
        run: Its run.
        exchanges: Its requests, in order.
    """
    attempt = run.attempt(exchanges[0].dialogue, exchanges[0].attempt)
    prompts, tools = run.prompts(attempt.dialogue), run.toolset(attempt).tools
    shown: JsonObject = {"tools": [*definitions(tools), *prompts.pseudo_actions()]}
    label = prompts.text("label_now")
    lines = (line for one in exchanges for line in str(one.messages[0].get("content")).splitlines())
    now = next((line[len(label) :].strip() for line in lines if line.startswith(label)), "")
    messages = list(_messages(exchanges, prompts))
    said = [message for is_kept, message in messages if is_kept]
    return ExportedDialogue(
        raw={**shown, "env_info": now, "messages": [message for _, message in messages]},
        streamlined={**shown, "env_info": now, "messages": [*said]},
        per_role=tuple(
            {
                "task": one.ask.value,
                **shown,
                "env_info": None if one.ask in _FIRST_REQUESTS else now,
                "messages": [*one.messages],
                "answer": text_of(one.reply),
            }
            for one in exchanges
        ),
    )


def _messages(exchanges: Sequence[Exchange], prompts: Prompts) -> Iterator[tuple[bool, JsonObject]]:
    """Every message in order, and whether the streamlined shape keeps it."""
    is_first = True
    for i, one in enumerate(exchanges):
        role = one.ask.role
        if one.ask is RequestKind.CHOOSE or (one.ask is RequestKind.CHECK_PLAN and not _objects(one)):
            continue
        yield False, {"role": "user", "content": _switch(prompts, role)}
        if one.ask is RequestKind.CHECK_PLAN:
            yield False, _verdict(one, AgentRole.PLANNER)
            continue
        text = _text(one, exchanges[i + 1 :], prompts)
        author = (
            "user" if role is AgentRole.TOOL or (one.ask in _FIRST_REQUESTS and is_first) else "assistant"
        )
        is_unused = one.ask in REQUESTS and one.verdict.chosen is None
        is_kept = one.verdict.is_accepted and not is_unused and not _is_objected(exchanges[i + 1 :], one)
        is_first = is_first and not (one.ask in REQUESTS and is_kept)
        yield is_kept, {"role": author, "content": text}
        if not one.verdict.is_accepted and role in (AgentRole.PLANNER, AgentRole.TOOL):
            yield False, {"role": "user", "content": _switch(prompts, AgentRole.CHECKER)}
            yield False, _verdict(one, role)


def _switch(prompts: Prompts, role: AgentRole) -> str:
    return prompts.text("switch", role=prompts.text(f"role_{role.value}"))


def _objects(one: Exchange) -> bool:
    return ReplyFault.MODEL_OBJECTION in one.verdict.faults


def _is_objected(later: Sequence[Exchange], one: Exchange) -> bool:
    """Whether the model part of the Checker rejects a plan that the rules accepted."""
    if one.ask is not RequestKind.PLAN:
        return False
    for other in later:
        if other.ask is not RequestKind.CHECK_PLAN:
            return False
        if ReplyFault.VERDICT_UNREADABLE not in other.verdict.faults:
            return _objects(other)
    return False


def _verdict(one: Exchange, role: AgentRole) -> JsonObject:
    fields = {"format_analysis": "", "correct": "no"}
    if role is AgentRole.PLANNER:
        fields = {
            "format_analysis": "",
            "thought_and_plan_analysis": "",
            "tool_call_analysis": "",
            "parameter_input_analysis": "",
            "correct": "no",
        }
    kind = {"T": "thought_and_plan_analysis", "P": "parameter_input_analysis", "F": "format_analysis"}
    for fault in one.verdict.faults:
        key = "" if fault is ReplyFault.OTHER_POLICY else fault.value[0]
        place = kind.get(key, "tool_call_analysis")
        fields[place if place in fields else "format_analysis"] = one.verdict.reason
    body = json.dumps(fields, ensure_ascii=False)
    return {"role": "assistant", "content": f"Checker_{role.value.capitalize()}：\n```json\n{body}\n```"}


def _text(one: Exchange, later: Sequence[Exchange], prompts: Prompts) -> str:
    """A reply under its label; what was accepted as it was used, what was rejected as it came."""
    raw = text_of(one.reply) or json.dumps(one.reply.get("tool_calls"), ensure_ascii=False)
    role = one.ask.role
    if role in (AgentRole.PLANNER, AgentRole.TOOL):
        colon = ":" if prompts.language == "en" else "："
        label = f"{role.value.capitalize()}{colon}"
        return raw if raw.lstrip().startswith(role.value.capitalize()) else f"{label}\n{raw}"
    label = prompts.label("agent" if role is AgentRole.AGENT else "user")
    try:
        words = _picked(one, later) if one.ask in REQUESTS else plain_text(one.reply)
    except ReplyError:
        words = raw
    return f"{label} {words}"


def _picked(one: Exchange, later: Sequence[Exchange]) -> str:
    texts = read_candidates(one.reply)
    choice = next(
        (other for other in later if other.ask is RequestKind.CHOOSE and other.verdict.is_accepted), None
    )
    if choice is not None and choice.task == one.task:
        chosen, edited = read_choice(choice.reply, count=len(texts))
        return edited or texts[chosen]
    return one.verdict.text or texts[one.verdict.chosen or 0]
