"""Runs of the generator as lines of tables, and their words."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from annotator.generation.estimate import Estimate
from annotator.generation.plan import UserStyle
from annotator.generation.quality import PickedRequest, RunQuality, Target
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
from scoring.measures.rates import share_of
from scoring.texts import tr, tr_count, with_commas
from ui.charts.pyramid import TYPE_WORDS
from ui.theme.cells import Cell, count_cell, known_cell, share_cell
from ui.theme.tables import Column
from ui.theme.tokens import Tone
from ui.theme.words import INFORMATION, POLICY

RunTarget = tuple[RunQuality, Target]
"""A target with the run it is of."""
ROLE_WORDS = {
    AgentRole.USER: tr("User"),
    AgentRole.PLANNER: tr("Planner"),
    AgentRole.TOOL: tr("Tool"),
    AgentRole.AGENT: tr("Agent"),
    AgentRole.CHECKER: tr("Checker"),
}
STYLE_WORDS = {
    UserStyle.TERSE: tr("terse"),
    UserStyle.VAGUE: tr("vague"),
    UserStyle.CHATTY: tr("chatty"),
    UserStyle.CORRECTS: tr("corrects oneself"),
}
ROLE_TONE = {
    AgentRole.USER: Tone.ACCENT,
    AgentRole.PLANNER: Tone.NEUTRAL,
    AgentRole.TOOL: Tone.WARN,
    AgentRole.AGENT: Tone.OK,
    AgentRole.CHECKER: Tone.NEUTRAL,
}
ASK_WORDS = {
    RequestKind.NEXT_TASK: tr("next request"),
    RequestKind.FULL_ANSWER: tr("answers in full"),
    RequestKind.VAGUE_ANSWER: tr("answers vaguely"),
    RequestKind.PLAN: tr("decides"),
    RequestKind.CHECK_PLAN: tr("judges the plan"),
    RequestKind.CHOOSE: tr("picks a request"),
    RequestKind.OBSERVE: tr("brings back"),
    RequestKind.QUESTION: tr("asks the user"),
    RequestKind.SUMMARY: tr("answers"),
    RequestKind.DIRECT_ANSWER: tr("answers directly"),
}
FAULT_WORDS: Mapping[str, str] = {
    ReplyFault.FORMAT: tr("no JSON that can be read"),
    ReplyFault.THOUGHT_SIMULATES: tr("thought mentions simulated execution"),
    ReplyFault.PLAN_SIMULATES: tr("plan mentions simulated execution"),
    ReplyFault.THOUGHT_NAMES_CHECKER: tr("thought mentions the Checker"),
    ReplyFault.PLAN_NAMES_CHECKER: tr("plan mentions the Checker"),
    ReplyFault.THOUGHT_NAMES_ASK: tr("thought names the question action"),
    ReplyFault.PLAN_NAMES_ASK: tr("plan names the question action"),
    ReplyFault.THOUGHT_NAMES_ANSWER: tr("thought names the answer action"),
    ReplyFault.PLAN_NAMES_ANSWER: tr("plan names the answer action"),
    ReplyFault.NO_ACTION: tr("no action"),
    ReplyFault.UNKNOWN_TOOL: tr("unknown tool"),
    ReplyFault.ASK_NOT_ALONE: tr("question beside other actions"),
    ReplyFault.ASKED_TOOL_UNKNOWN: tr("question about an unknown tool"),
    ReplyFault.ANSWER_NOT_ALONE: tr("answer beside other actions"),
    ReplyFault.UNKNOWN_PARAMETER: tr("undeclared argument"),
    ReplyFault.EMPTY_PARAMETER: tr("required argument empty"),
    ReplyFault.MISSING_PARAMETER: tr("required argument missing"),
    ReplyFault.ASKED_NOT_REQUIRED: tr("question about an optional parameter"),
    ReplyFault.ANSWER_TYPE: tr("unknown kind of answer"),
    ReplyFault.CHAT_AFTER_TOOL: tr("direct answer after a result"),
    ReplyFault.SCHEMA: tr("argument against the schema"),
    ReplyFault.REPEATED_CALL: tr("call repeated"),
    ReplyFault.OTHER_POLICY: tr("another policy than wanted"),
    ReplyFault.MODEL_OBJECTION: tr("the Checker's model objects"),
    ReplyFault.SERIAL_AT_ONCE: tr("serial plan, several actions"),
    ReplyFault.OBSERVATION_FORMAT: tr("no list of observations"),
    ReplyFault.OBSERVATION_COUNT: tr("wrong number of observations"),
    ReplyFault.NO_TEXT: tr("empty text"),
    ReplyFault.NO_CANDIDATE: tr("no request offered, or cut off"),
    ReplyFault.NEAR_DUPLICATE: tr("request much like another"),
    ReplyFault.TOOL_NAMED: tr("request names a tool"),
    ReplyFault.VERDICT_UNREADABLE: tr("verdict cannot be read"),
}
FAILURE_WORDS: Mapping[str, str] = {
    AttemptFailure.PLANNER: tr("the planner was rejected three times"),
    AttemptFailure.TOOL: tr("the tool was rejected three times"),
    AttemptFailure.USER: tr("the user was rejected three times"),
    AttemptFailure.AGENT: tr("the agent was rejected three times"),
    AttemptFailure.CHECKER: tr("the Checker gave no verdict"),
    AttemptFailure.POLICY_DIFFERS: tr("another policy than wanted"),
    AttemptFailure.TURN_LIMIT: tr("too many turns in one task"),
    AttemptFailure.REFUSED: tr("the endpoint refused a request"),
    AttemptFailure.PROMPT_CHANGED: tr("the prompts changed meanwhile"),
    AttemptFailure.UNFIT_CASE: tr("the case does not pass the checks"),
}
STATUS_WORDS = {
    DialogueStatus.OPEN: (tr("under way"), Tone.ACCENT),
    DialogueStatus.WAITING: (tr("waits for a pick"), Tone.WARN),
    DialogueStatus.FINISHED: ("case", Tone.OK),
    DialogueStatus.FAILED: ("failed", Tone.ERROR),
}
RUN_WORDS = {
    RunStatus.OPEN: tr("open"),
    RunStatus.FINISHED: tr("finished"),
    RunStatus.CANCELLED: tr("given up"),
}
DIALOGUE_COLUMNS: tuple[Column[DialogueRow], ...] = (
    Column(tr("Dialogue"), 76, lambda row: count_cell(row.dialogue + 1), is_figure=True),
    Column(
        tr("Has"),
        cell=lambda row: Cell(sequence_words(row.policies), colour="warn" if _is_other(row) else "text"),
        tip=tr("The policies of the case as its labels show them now"),
    ),
    Column(
        tr("Asked for"),
        cell=lambda row: Cell(sequence_words(row.sequence), tip=_why(row) or row.note, colour="muted"),
    ),
    Column(tr("Attempt"), 68, lambda row: count_cell(row.attempt, colour="muted"), is_figure=True),
    Column(tr("Status"), 144, lambda row: _status(row)),
)
FAULT_COLUMNS: tuple[Column[tuple[str, int]], ...] = (
    Column(tr("Rule"), 56, lambda one: Cell(one[0], is_mono=True)),
    Column(tr("Rejected because"), cell=lambda one: FAULT_WORDS.get(one[0], one[0])),
    Column(tr("Replies"), 72, lambda one: count_cell(one[1]), is_figure=True),
)
FAILURE_COLUMNS: tuple[Column[tuple[str, int]], ...] = (
    Column(tr("Attempt failed because"), cell=lambda one: FAILURE_WORDS.get(one[0], one[0])),
    Column(tr("Attempts"), 80, lambda one: count_cell(one[1]), is_figure=True),
)
QUALITY_COLUMNS: tuple[Column[RunQuality], ...] = (
    Column(
        tr("Run"),
        cell=lambda one: Cell(
            one.name, tip=tr("prompts {prompt_version}", prompt_version=one.prompt_version)
        ),
    ),
    Column(
        tr("Models"),
        150,
        lambda one: Cell(
            with_commas(dict.fromkeys(words.partition(": ")[2] for words in one.models)),
            is_mono=True,
            tip="\n".join(one.models),
        ),
    ),
    Column(tr("Cases"), 60, lambda one: count_cell(one.cases), is_figure=True),
    Column(
        tr("Final"),
        56,
        lambda one: count_cell(one.final, tr("{case} rejected", case=tr_count(one.rejected, "case"))),
        is_figure=True,
    ),
    Column(
        tr("Raw right"),
        78,
        lambda one: Cell(
            one.raw.percent or "–",
            one.raw.value,
            tip=tr("{count:,} of {total:,}", count=one.raw.count, total=one.raw.total),
        ),
        is_figure=True,
        tip=tr("Share of final cases that are as they were generated"),
    ),
    Column(
        tr("Reworded"),
        82,
        lambda one: _reworded_cell(one),
        is_figure=True,
        tip=tr("Share of the requests people picked that they worded anew"),
    ),
    Column(
        tr("Cost a final"),
        90,
        lambda one: _cost_cell(one),
        is_figure=True,
        tip=tr("What the run cost for each final case"),
    ),
)
"""What came of each run: which models make dialogues that survive review, and at what cost."""
_LANGUAGE_WORDS = {"en": tr("English"), "zh": tr("Chinese")}
_TARGET_WORDS = {
    str(word): words
    for kind in (POLICY, TYPE_WORDS, INFORMATION, _LANGUAGE_WORDS)
    for word, words in kind.items()
}
_FAR_POINTS = 5
"""How far from its target a share may be before the table warns, in points."""


def _deviation_cell(one: Target) -> Cell:
    deviation = None if one.made.value is None else 100 * one.made.value - 100 * one.wanted
    is_far = deviation is not None and abs(deviation) > _FAR_POINTS
    return known_cell(deviation, "{:+.1f}", colour="warn" if is_far else "text")


TARGET_COLUMNS: tuple[Column[RunTarget], ...] = (
    Column(tr("Run"), cell=lambda one: Cell(one[0].name)),
    Column(tr("Target"), cell=lambda one: Cell(_TARGET_WORDS.get(one[1].word, one[1].word))),
    Column(tr("Wanted"), 84, lambda one: share_cell(one[1].wanted), is_figure=True),
    Column(
        tr("Made"),
        84,
        lambda one: share_cell(
            one[1].made.value,
            tr("{count:,} of {total:,}", count=one[1].made.count, total=one[1].made.total),
        ),
        is_figure=True,
    ),
    Column(
        tr("Deviation"),
        84,
        lambda one: _deviation_cell(one[1]),
        is_figure=True,
        tip=tr("What was made less what was wanted, in points"),
    ),
)


def targets_of(qualities: Iterable[RunQuality]) -> tuple[RunTarget, ...]:
    """The targets of some runs, each with its run."""
    return tuple((one, target) for one in qualities for target in one.targets)


def target_key(one: RunTarget) -> Hashable:
    """What tells a target from the others."""
    return one[0].run, one[1].word


PICK_COLUMNS: tuple[Column[PickedRequest], ...] = (
    Column(tr("Dialogue"), 76, lambda one: count_cell(one.dialogue + 1), is_figure=True),
    Column(tr("Task"), 56, lambda one: count_cell(one.task + 1), is_figure=True),
    Column(
        tr("Offered"), cell=lambda one: Cell(one.offered, tip=f"{one.model}: {one.offered}", colour="muted")
    ),
    Column(
        tr("Asked"),
        cell=lambda one: Cell(one.asked, tip=one.asked, colour="text" if one.is_reworded else "muted"),
    ),
)


def state_words(state: GenerationState) -> str:
    """How a run stands, in one line."""
    rejected = sum(state.rejected.values())
    parts = (
        state.outage,
        tr("{finished:,} of {dialogue}", finished=state.finished, dialogue=tr_count(state.total, "dialogue")),
        tr("{as_wanted:,} with the sequence asked for", as_wanted=state.as_wanted) if state.finished else "",
        tr("{waiting:,} wait for a pick", waiting=state.waiting) if state.waiting else "",
        tr("{given_up:,} given up", given_up=state.given_up) if state.given_up else "",
        tr("{requests:,} replies", requests=state.requests),
        tr("{rejected:,} rejected", rejected=rejected) if rejected else "",
        f"${state.dollars:.2f}" if state.dollars is not None else "",
    )
    return " · ".join(filter(None, parts))


def estimate_words(found: Estimate) -> str:
    """What a run will take, in one or two sentences."""
    if not found.dialogues:
        return tr("No sequence is missing.")
    takes = tr(
        "{dialogue}: about {request}, {tokens}{dollars}. Rejected replies come on top.\n"
        "What the project has + what is new, and the share then: {mix}.",
        dialogue=tr_count(found.dialogues, "dialogue"),
        request=tr_count(found.requests, "request"),
        tokens=tr(
            "{prompt_tokens:.1f} million tokens read, {completion_tokens:.2f} written",
            prompt_tokens=found.prompt_tokens / 1000000.0,
            completion_tokens=found.completion_tokens / 1000000.0,
        ),
        dollars=tr(", about ${dollars:,.2f}", dollars=found.dollars) if found.dollars is not None else "",
        mix=with_commas(
            tr(
                "{label} {present:,} + {planned:,} ({share} %)",
                label=_TARGET_WORDS.get(one.word, one.word),
                present=one.present,
                planned=one.planned,
                share=one.then.percent,
            )
            for one in found.shares
        ),
    )
    return "\n".join([takes, *_steering_words(found)])


def _steering_words(found: Estimate) -> Iterator[str]:
    """How often scenarios and styles are drawn."""
    if found.scenarios:
        drawn = [one.planned for one in found.scenarios]
        yield tr(
            "{scenarios}, each drawn {least} to {most} times.",
            scenarios=tr_count(len(drawn), "scenario"),
            least=min(drawn),
            most=max(drawn),
        )
    if found.styles:
        users = with_commas(f"{STYLE_WORDS[style]} {count}" for style, count in found.styles.items())
        yield tr("Users: {styles}.", styles=users)


def newest_attempts(rows: Sequence[DialogueRow]) -> list[DialogueRow]:
    """The newest attempt at each dialogue, the newest dialogue first."""
    return sorted({row.dialogue: row for row in rows}.values(), key=lambda row: -row.dialogue)


def _is_other(row: DialogueRow) -> bool:
    return row.status is DialogueStatus.FINISHED and bool(row.policies) and not row.is_as_wanted


def _why(row: DialogueRow) -> str:
    return FAILURE_WORDS[row.failure] if row.failure else ""


def _status(row: DialogueRow) -> Cell:
    words, tone = (tr("other sequence"), Tone.WARN) if _is_other(row) else STATUS_WORDS[row.status]
    return Cell(words, chip=tone, tip=". ".join(filter(None, (_why(row), row.note))))


def sequence_words(sequence: Sequence[str]) -> str:
    """A sequence as people read it."""
    return " → ".join(word.replace("_", " ").capitalize() or "?" for word in sequence)


def most_frequent(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """What was counted, the most frequent first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _reworded_cell(one: RunQuality) -> Cell:
    found = share_of(one.picks, lambda pick: pick.is_reworded)
    return Cell(
        found.percent or "–",
        found.value,
        tip="\n".join(f"{model}: {share.percent}" for model, share in one.reworded.items()),
    )


def _cost_cell(one: RunQuality) -> Cell:
    if one.dollars_per_final is not None:
        return Cell(f"${one.dollars_per_final:,.3f}", one.dollars_per_final)
    if one.tokens_per_final is not None:
        return Cell(
            f"{one.tokens_per_final:,.0f} t", one.tokens_per_final, tip=tr("Tokens; no price is known")
        )
    return Cell("–", colour="muted", tip=tr("No case is final yet."))


def exchange_words(exchange: Exchange) -> str:
    """Who was asked for what, and what it took, in one line."""
    read = exchange.completion_tokens
    return " · ".join(
        [
            ASK_WORDS.get(exchange.ask, tr("first requests")),
            exchange.model,
            *([tr("{read:,} tokens", read=read)] if read is not None else []),
            f"{exchange.seconds:.1f} s",
        ]
    )
