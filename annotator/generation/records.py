"""What is remembered of a run: requests with replies, attempts at dialogues, how the run stands."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from itertools import takewhile

from pydantic import Field, JsonValue

from annotator.generation.plan import UserStyle, fits
from annotator.generation.roles import RequestKind
from annotator.llm.budget import Budget
from scoring.model.record import JsonObject, Record, is_none
from scoring.model.taxonomy import Information


class ReplyFault(StrEnum):
    """Why a reply was rejected: the rules of the Checker (generation 5), and ours for the other roles."""

    FORMAT = "F-1"
    THOUGHT_SIMULATES = "T-1"
    PLAN_SIMULATES = "T-2"
    THOUGHT_NAMES_CHECKER = "T-3"
    PLAN_NAMES_CHECKER = "T-4"
    THOUGHT_NAMES_ASK = "T-5"
    PLAN_NAMES_ASK = "T-6"
    THOUGHT_NAMES_ANSWER = "T-7"
    PLAN_NAMES_ANSWER = "T-8"
    NO_ACTION = "A-1"
    UNKNOWN_TOOL = "A-2"
    ASK_NOT_ALONE = "A-3"
    ASKED_TOOL_UNKNOWN = "A-4"
    ANSWER_NOT_ALONE = "A-5"
    UNKNOWN_PARAMETER = "P-1"
    EMPTY_PARAMETER = "P-2"
    MISSING_PARAMETER = "P-3"
    ASKED_NOT_REQUIRED = "P-4"
    ANSWER_TYPE = "P-5"
    CHAT_AFTER_TOOL = "P-6"
    SCHEMA = "P-7"
    REPEATED_CALL = "P-8"
    OTHER_POLICY = "P-9"
    MODEL_OBJECTION = "L-1"
    SERIAL_AT_ONCE = "L-2"
    OBSERVATION_FORMAT = "X-1"
    OBSERVATION_COUNT = "X-2"
    NO_TEXT = "U-1"
    NO_CANDIDATE = "U-2"
    NEAR_DUPLICATE = "U-3"
    TOOL_NAMED = "U-4"
    VERDICT_UNREADABLE = "V-1"


class AttemptFailure(StrEnum):
    """Why an attempt at a dialogue ended without a case."""

    PLANNER = "planner"
    TOOL = "tool"
    USER = "user"
    AGENT = "agent"
    CHECKER = "checker"
    POLICY_DIFFERS = "policy_differs"
    TURN_LIMIT = "turn_limit"
    REFUSED = "refused"
    PROMPT_CHANGED = "prompt_changed"
    UNFIT_CASE = "unfit_case"


class DialogueStatus(StrEnum):
    """How an attempt at a dialogue stands."""

    OPEN = "open"
    WAITING = "waiting"
    FINISHED = "finished"
    FAILED = "failed"


class RunStatus(StrEnum):
    """How a run stands: it can be resumed unless it is finished."""

    OPEN = "open"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class ReplyVerdict(Record):
    """What was thought of a reply.

    Attributes:
        faults: The rules it breaks; empty where it was accepted.
        reason: What the role was told about them.
        chosen: Which of the candidates was picked, from 0; None where there is nothing to pick, and while
            a person has not picked yet.
        text: The request as a person picked and edited it.
        declined: Why a person wanted none of the candidates.
    """

    faults: tuple[ReplyFault, ...] = ()
    reason: str = ""
    chosen: int | None = None
    text: str | None = None
    declined: str = ""

    @property
    def is_accepted(self) -> bool:
        """Whether the dialogue goes on with the reply."""
        return not self.faults


class Exchange(Record):
    """One stored request with its reply.

    Attributes:
        dialogue: Number of the dialogue in the run, from 0.
        attempt: Attempt at it, from 1.
        number: Place in the attempt, from 0.
        task: Task of the dialogue it belongs to, from 0.
        ask: What was asked for; `ask.role` is who was asked.
        model: Who replied.
        seed: What all draws of the attempt follow from.
        request_sha256: Hash of what was sent, by which a repeated run knows its request again.
        messages: What was sent.
        reply: The message that came back, as it came.
        verdict: What was thought of it.
        dollars: None without prices.
    """

    dialogue: int
    attempt: int
    number: int
    task: int
    ask: RequestKind
    model: str
    seed: int
    request_sha256: str
    messages: tuple[JsonObject, ...]
    reply: JsonObject
    verdict: ReplyVerdict
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    dollars: float | None = None
    seconds: float = 0.0
    at: datetime | None = None


class OfferedRequest(Record):
    """One request a person may pick.

    Attributes:
        text: Its words.
        number: The exchange it came in.
        place: Its place in that reply, from 0.
        model: Who made it.
        information: How it leans on the dialogue; None where that was left to the model.
    """

    text: str
    number: int
    place: int
    model: str
    information: Information | None = None


class Candidates(Record):
    """Candidate requests that wait for a person to pick one."""

    dialogue: int
    attempt: int
    task: int
    sequence: tuple[str, ...]
    offers: tuple[OfferedRequest, ...]


class DialogueRow(Record):
    """One attempt at a dialogue.

    Attributes:
        sequence: The policies that are wanted.
        policies: Those its case has now, as its labels show them; an empty text for a task whose label is
            missing or hidden, none without a case.
        case_id: The case it became.
        failure: Why it became none.
        note: What exactly was wrong, in the words of the rule.
    """

    dialogue: int
    attempt: int
    sequence: tuple[str, ...]
    status: DialogueStatus
    policies: tuple[str, ...] = ()
    case_id: str | None = None
    failure: AttemptFailure | None = None
    note: str = ""

    @property
    def is_as_wanted(self) -> bool:
        """Whether its case begins with the policies that were wanted."""
        return len(self.policies) >= len(self.sequence) and all(map(fits, self.sequence, self.policies))

    @property
    def labelled(self) -> tuple[str, ...]:
        """The policies of its case up to the first task without a label."""
        return tuple(takewhile(bool, self.policies))


class GenerationState(Record):
    """How a run stands; told after every dialogue and request.

    Attributes:
        run: Its number.
        status: Whether it goes on.
        total: Dialogues to make.
        finished: Dialogues that are cases.
        as_wanted: Of these, cases with the sequence that was asked for.
        given_up: Dialogues whose attempts are used up.
        waiting: Dialogues that wait for a person to pick a request.
        requests: Replies that are stored.
        rejected: Of these, replies that were rejected, by rule.
        failures: Attempts that failed, by reason.
        sequences: Sequences of policies the cases have.
        newest: Number of the dialogue that made the last step, for a live view.
        is_over_budget: Whether the budget stopped it.
        outage: Which endpoint is out of reach and when it is asked again, in words; empty where none is.
    """

    run: int
    status: RunStatus = RunStatus.OPEN
    total: int
    finished: int = 0
    as_wanted: int = 0
    given_up: int = 0
    waiting: int = 0
    requests: int = 0
    rejected: dict[str, int] = Field(default_factory=dict)
    failures: dict[str, int] = Field(default_factory=dict)
    sequences: dict[str, int] = Field(default_factory=dict)
    newest: int | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: float | None = None
    is_over_budget: bool = False
    outage: str = ""

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to do."""
        return self.finished + self.given_up >= self.total

    @property
    def note(self) -> str:
        """In a few words, for a progress bar."""
        rejected = sum(self.rejected.values())
        parts = (
            self.outage,
            f"{self.requests} replies",
            f"{rejected} rejected" if rejected else "",
            f"{self.given_up} given up" if self.given_up else "",
            f"${self.dollars:.2f}" if self.dollars is not None else "",
        )
        return ", ".join(filter(None, parts))

    def with_exchange(self, exchange: Exchange, *, budget: Budget) -> "GenerationState":
        """The state with one more stored reply."""
        prompt = self.prompt_tokens + (exchange.prompt_tokens or 0)
        completion = self.completion_tokens + (exchange.completion_tokens or 0)
        return self.model_copy(
            update={
                "requests": self.requests + 1,
                "rejected": _with_more(self.rejected, [fault.value for fault in exchange.verdict.faults]),
                "newest": exchange.dialogue,
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "dollars": budget.cost(prompt, completion),
            }
        )

    def with_row(self, row: DialogueRow, *, is_last: bool) -> "GenerationState":
        """The state after an attempt ended or began to wait.

        Args:
            row: The attempt.
            is_last: Whether a failed one was the last that may be tried.
        """
        changes: dict[str, object] = {"newest": row.dialogue}
        if row.status is DialogueStatus.FINISHED:
            changes |= {
                "finished": self.finished + 1,
                "as_wanted": self.as_wanted + row.is_as_wanted,
                "sequences": _with_more(self.sequences, [" ".join(row.labelled)]),
            }
        elif row.status is DialogueStatus.WAITING:
            changes["waiting"] = self.waiting + 1
        elif row.failure:
            changes |= {
                "failures": _with_more(self.failures, [row.failure.value]),
                "given_up": self.given_up + is_last,
            }
        return self.model_copy(update=changes)


def _with_more(counts: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(counts) + Counter(names))


class Provenance(Record):
    """Where one field of a generated case is from."""

    role: str
    model: str
    exchange: int
    try_number: int


class GeneratedFrom(Record):
    """What a generated case says about its making, under `generation` in its extras.

    `fields` names for each field of the case the role, the model and the try it came from; `graph` says
    who drew the dependencies: `machine` until a person has confirmed them. `scenario` is its name: its text
    stays with the run, so that no excerpt of a log travels with cases.
    """

    run: str
    dialogue: int
    attempt: int
    seed: int
    prompt_version: str
    toolset: str
    scenario: str | None = Field(default=None, exclude_if=is_none)
    style: UserStyle | None = Field(default=None, exclude_if=is_none)
    wanted: tuple[str, ...]
    graph: str = "machine"
    patterns: tuple[JsonValue, ...] = ()
    fields: dict[str, Provenance] = Field(default_factory=dict)
