"""Runs of the generator as lines of tables, and their words."""

from collections.abc import Mapping, Sequence

from annotator.generation.estimate import Estimate
from annotator.generation.quality import RunQuality
from annotator.generation.records import (
    AttemptFailure,
    DialogueRow,
    DialogueStatus,
    Exchange,
    GenerationState,
    ReplyFault,
    RunStatus,
)
from annotator.generation.roles import AgentRole, RequestKind
from scoring.wording import counted
from ui.theme.cells import Cell, count_cell
from ui.theme.tables import Column
from ui.theme.tokens import Tone

ROLE_WORDS = {
    AgentRole.USER: "User",
    AgentRole.PLANNER: "Planner",
    AgentRole.TOOL: "Tool",
    AgentRole.AGENT: "Agent",
    AgentRole.CHECKER: "Checker",
}
ROLE_TONE = {
    AgentRole.USER: Tone.ACCENT,
    AgentRole.PLANNER: Tone.NEUTRAL,
    AgentRole.TOOL: Tone.WARN,
    AgentRole.AGENT: Tone.OK,
    AgentRole.CHECKER: Tone.NEUTRAL,
}
ASK_WORDS = {
    RequestKind.NEXT_TASK: "next request",
    RequestKind.FULL_ANSWER: "answers in full",
    RequestKind.VAGUE_ANSWER: "answers vaguely",
    RequestKind.PLAN: "decides",
    RequestKind.CHECK_PLAN: "judges the plan",
    RequestKind.CHOOSE: "picks a request",
    RequestKind.OBSERVE: "brings back",
    RequestKind.QUESTION: "asks the user",
    RequestKind.SUMMARY: "answers",
    RequestKind.DIRECT_ANSWER: "answers directly",
}
FAULT_WORDS: Mapping[str, str] = {
    ReplyFault.FORMAT: "no JSON that can be read",
    ReplyFault.THOUGHT_SIMULATES: "thought mentions simulated execution",
    ReplyFault.PLAN_SIMULATES: "plan mentions simulated execution",
    ReplyFault.THOUGHT_NAMES_CHECKER: "thought mentions the Checker",
    ReplyFault.PLAN_NAMES_CHECKER: "plan mentions the Checker",
    ReplyFault.THOUGHT_NAMES_ASK: "thought names the question action",
    ReplyFault.PLAN_NAMES_ASK: "plan names the question action",
    ReplyFault.THOUGHT_NAMES_ANSWER: "thought names the answer action",
    ReplyFault.PLAN_NAMES_ANSWER: "plan names the answer action",
    ReplyFault.NO_ACTION: "no action",
    ReplyFault.UNKNOWN_TOOL: "unknown tool",
    ReplyFault.ASK_NOT_ALONE: "question beside other actions",
    ReplyFault.ASKED_TOOL_UNKNOWN: "question about an unknown tool",
    ReplyFault.ANSWER_NOT_ALONE: "answer beside other actions",
    ReplyFault.UNKNOWN_PARAMETER: "undeclared argument",
    ReplyFault.EMPTY_PARAMETER: "required argument empty",
    ReplyFault.MISSING_PARAMETER: "required argument missing",
    ReplyFault.ASKED_NOT_REQUIRED: "question about an optional parameter",
    ReplyFault.ANSWER_TYPE: "unknown kind of answer",
    ReplyFault.CHAT_AFTER_TOOL: "direct answer after a result",
    ReplyFault.SCHEMA: "argument against the schema",
    ReplyFault.REPEATED_CALL: "call repeated",
    ReplyFault.OTHER_POLICY: "another policy than wanted",
    ReplyFault.MODEL_OBJECTION: "the Checker's model objects",
    ReplyFault.SERIAL_AT_ONCE: "serial plan, several actions",
    ReplyFault.OBSERVATION_FORMAT: "no list of observations",
    ReplyFault.OBSERVATION_COUNT: "wrong number of observations",
    ReplyFault.NO_TEXT: "empty text",
    ReplyFault.NO_CANDIDATE: "no request offered, or cut off",
    ReplyFault.NEAR_DUPLICATE: "request much like another",
    ReplyFault.TOOL_NAMED: "request names a tool",
    ReplyFault.VERDICT_UNREADABLE: "verdict cannot be read",
}
FAILURE_WORDS: Mapping[str, str] = {
    AttemptFailure.PLANNER: "the planner was rejected three times",
    AttemptFailure.TOOL: "the tool was rejected three times",
    AttemptFailure.USER: "the user was rejected three times",
    AttemptFailure.AGENT: "the agent was rejected three times",
    AttemptFailure.CHECKER: "the Checker gave no verdict",
    AttemptFailure.POLICY_DIFFERS: "another policy than wanted",
    AttemptFailure.TURN_LIMIT: "too many turns in one task",
    AttemptFailure.REFUSED: "the endpoint refused a request",
    AttemptFailure.PROMPT_CHANGED: "the prompts changed meanwhile",
    AttemptFailure.UNFIT_CASE: "the case does not pass the checks",
}
STATUS_WORDS = {
    DialogueStatus.OPEN: ("under way", Tone.ACCENT),
    DialogueStatus.WAITING: ("waits for a pick", Tone.WARN),
    DialogueStatus.FINISHED: ("case", Tone.OK),
    DialogueStatus.FAILED: ("failed", Tone.ERROR),
}
RUN_WORDS = {
    RunStatus.OPEN: "open",
    RunStatus.FINISHED: "finished",
    RunStatus.CANCELLED: "given up",
}
DIALOGUE_COLUMNS: tuple[Column[DialogueRow], ...] = (
    Column("Dialogue", 76, lambda row: count_cell(row.dialogue + 1), is_figure=True),
    Column(
        "Has",
        cell=lambda row: Cell(sequence_words(row.policies), colour="warn" if _is_other(row) else "text"),
        tip="The policies of the case as its labels show them now",
    ),
    Column(
        "Asked for",
        cell=lambda row: Cell(sequence_words(row.sequence), tip=_why(row) or row.note, colour="muted"),
    ),
    Column("Attempt", 68, lambda row: count_cell(row.attempt, colour="muted"), is_figure=True),
    Column("Status", 144, lambda row: _status(row)),
)
FAULT_COLUMNS: tuple[Column[tuple[str, int]], ...] = (
    Column("Rule", 56, lambda one: Cell(one[0], is_mono=True)),
    Column("Rejected because", cell=lambda one: FAULT_WORDS.get(one[0], one[0])),
    Column("Replies", 72, lambda one: count_cell(one[1]), is_figure=True),
)
FAILURE_COLUMNS: tuple[Column[tuple[str, int]], ...] = (
    Column("Attempt failed because", cell=lambda one: FAILURE_WORDS.get(one[0], one[0])),
    Column("Attempts", 80, lambda one: count_cell(one[1]), is_figure=True),
)
QUALITY_COLUMNS: tuple[Column[RunQuality], ...] = (
    Column("Run", cell=lambda one: Cell(one.name, tip=f"prompts {one.prompt_version}")),
    Column(
        "Models",
        150,
        lambda one: Cell(_model_words(one.models), is_mono=True, tip="\n".join(one.models)),
    ),
    Column("Cases", 60, lambda one: count_cell(one.cases), is_figure=True),
    Column(
        "Final",
        56,
        lambda one: count_cell(one.final, f"{counted(one.rejected, 'case')} rejected"),
        is_figure=True,
    ),
    Column(
        "Raw right",
        78,
        lambda one: Cell(
            one.raw.percent or "–", one.raw.value, tip=f"{one.raw.count:,} of {one.raw.total:,}"
        ),
        is_figure=True,
        tip="Share of final cases that are as they were generated",
    ),
    Column(
        "Cost a final",
        90,
        lambda one: _cost_cell(one),
        is_figure=True,
        tip="What the run cost for each final case",
    ),
)
"""What came of each run: which models make dialogues that survive review, and at what cost."""


def state_words(state: GenerationState) -> str:
    """How a run stands, in one line."""
    rejected = sum(state.rejected.values())
    parts = (
        state.outage,
        f"{state.finished:,} of {counted(state.total, 'dialogue')}",
        f"{state.as_wanted:,} with the sequence asked for" if state.finished else "",
        f"{state.waiting:,} wait for a pick" if state.waiting else "",
        f"{state.given_up:,} given up" if state.given_up else "",
        f"{state.requests:,} replies",
        f"{rejected:,} rejected" if rejected else "",
        f"${state.dollars:.2f}" if state.dollars is not None else "",
    )
    return " · ".join(filter(None, parts))


def estimate_words(found: Estimate) -> str:
    """What a run will take, in one or two sentences."""
    if not found.dialogues:
        return "No sequence is missing."
    tokens = (
        f"{found.prompt_tokens / 1e6:.1f} million tokens read, {found.completion_tokens / 1e6:.2f} written"
    )
    dollars = f", about ${found.dollars:,.2f}" if found.dollars is not None else ""
    return (
        f"{counted(found.dialogues, 'dialogue')}: about {counted(found.requests, 'request')}, "
        f"{tokens}{dollars}. Rejected replies come on top."
    )


def newest_attempts(rows: Sequence[DialogueRow]) -> list[DialogueRow]:
    """The newest attempt at each dialogue, the newest dialogue first."""
    newest = {row.dialogue: row for row in rows}
    return [row for _, row in sorted(newest.items(), reverse=True)]


def _is_other(row: DialogueRow) -> bool:
    return row.status is DialogueStatus.FINISHED and bool(row.policies) and not row.is_as_wanted


def _why(row: DialogueRow) -> str:
    return FAILURE_WORDS[row.failure] if row.failure else ""


def _status(row: DialogueRow) -> Cell:
    words, tone = ("other sequence", Tone.WARN) if _is_other(row) else STATUS_WORDS[row.status]
    return Cell(words, chip=tone, tip=". ".join(filter(None, (_why(row), row.note))))


def sequence_words(sequence: Sequence[str]) -> str:
    """A sequence as people read it."""
    return " → ".join(word.replace("_", " ").capitalize() or "?" for word in sequence)


def most_frequent(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """What was counted, the most frequent first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _model_words(models: Sequence[str]) -> str:
    names = dict.fromkeys(words.partition(": ")[2] for words in models)
    return ", ".join(names)


def _cost_cell(one: RunQuality) -> Cell:
    if one.dollars_per_final is not None:
        return Cell(f"${one.dollars_per_final:,.3f}", one.dollars_per_final)
    if one.tokens_per_final is not None:
        return Cell(f"{one.tokens_per_final:,.0f} t", one.tokens_per_final, tip="Tokens; no price is known")
    return Cell("–", colour="muted", tip="No case is final yet.")


def exchange_words(exchange: Exchange) -> str:
    """Who was asked for what, and what it took, in one line."""
    read = exchange.completion_tokens
    tokens = [f"{read:,} tokens"] if read is not None else []
    asked = ASK_WORDS.get(exchange.ask, "first requests")
    return " · ".join([asked, exchange.model, *tokens, f"{exchange.seconds:.1f} s"])
