"""Closed sets: every fixed vocabulary of the product, stored by value."""

from enum import StrEnum


class Policy(StrEnum):
    """What the agent must do in a task."""

    SINGLE = "single"
    MULTI_SERIAL = "multi_serial"
    MULTI_PARALLEL = "multi_parallel"
    MULTI_MIXED = "multi_mixed"
    CLARIFY = "clarify"
    CHAT = "chat"

    @property
    def is_multi(self) -> bool:
        """Whether the task needs several calls without a question first."""
        return self.startswith("multi")

    @property
    def main_type(self) -> str:
        """One of the four types that span the switching space: single, multi, clarify, chat."""
        return "multi" if self.is_multi else self.value


class Information(StrEnum):
    """How a task hides what it needs from the earlier dialogue; `first` for the first task."""

    FIRST = "first"
    OMISSION = "omission"
    REFERENCE = "reference"
    LONG_RANGE = "long_range"


class EdgeKind(StrEnum):
    """Why one step waits for another; `derived` edges touch the answer and are never compared."""

    PARAMETER = "parameter"
    LOGICAL = "logical"
    DERIVED = "derived"


class ReviewLabel(StrEnum):
    """How a call ended (T-Eval); letters A to E stand for them in this order."""

    SUCCESS = "Success"
    INTERNAL = "Internal Error"
    INPUT = "Input Error"
    IRRELEVANT = "Irrelevant Response"
    UNABLE = "Unable to Accomplish"

    @property
    def letter(self) -> str:
        """The option of REVIEW it is."""
        return "ABCDE"[list(ReviewLabel).index(self)]


class InfraErrors(StrEnum):
    """How tasks that failed outside the model count in the rates (scoring 3.8)."""

    WRONG = "wrong"
    LEFT_OUT = "left-out"

    @property
    def words(self) -> str:
        """How they count, as it stands beside their number."""
        return "counted as wrong" if self is InfraErrors.WRONG else "left out"


class Undrawn(StrEnum):
    """How tasks are matched whose file says nothing about the order of their steps (scoring 11.1)."""

    RECORDED = "recorded"
    PARALLEL = "parallel"
    LEAVE_OUT = "leave-out"

    @property
    def words(self) -> str:
        """What becomes of them, as it stands beside their number."""
        return _UNDRAWN_WORDS[self]


_UNDRAWN_WORDS = {
    Undrawn.RECORDED: "matched in the order recorded",
    Undrawn.PARALLEL: "matched in any order",
    Undrawn.LEAVE_OUT: "excluded",
}


class Structure(StrEnum):
    """Shape of the calls of a task, questions and answer transmitting order only (scoring 1.3)."""

    NONE = "none"
    SINGLE = "single"
    PARALLEL = "parallel"
    SERIAL = "serial"
    MIXED = "mixed"


class Severity(StrEnum):
    """How much a finding matters: only `error` stops a submission."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Stage(StrEnum):
    """Where a case stands in the review."""

    IMPORTED = "imported"
    SELF_CHECK_TASK = "self_check_task"
    SELF_CHECK_DIALOGUE = "self_check_dialogue"
    CROSS_CHECK = "cross_check"
    APPROVED = "approved"
    ESCALATED = "escalated"
    EXPERT = "expert"
    FINAL = "final"
    RELEASED = "released"
    RETURNED = "returned"
    REJECTED = "rejected"


FINAL_STAGES = (Stage.FINAL, Stage.RELEASED)
"""Stages that count as final in every query: final or later."""


SELF_CHECKS = (Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE)
"""The two self-checks of a case's owner."""

OWNER_STAGES = (Stage.RETURNED, *SELF_CHECKS, Stage.IMPORTED)
"""Stages at which a case is its owner's, or waits for one; the most urgent first."""

EXPERT_STAGES = (Stage.ESCALATED, Stage.EXPERT)
"""Stages at which a case waits for an expert's decision."""


class SlotStatus(StrEnum):
    """How somebody's work on a case stands; a known-answer case can be dropped too."""

    CLAIMED = "claimed"
    SUBMITTED = "submitted"
    RELEASED = "released"
    SKIPPED = "skipped"
    EXPIRED = "expired"
    DROPPED = "dropped"


class Priority(StrEnum):
    """How soon the queue gives a case out, among those that wait for the same work; the soonest first."""

    HIGH = "high"
    NORMAL = "normal"
    LOW = "low"


class SampleStatus(StrEnum):
    """How the random sample of a batch stands: with errors it is corrected."""

    OPEN = "open"
    CLEAN = "clean"
    CORRECTED = "corrected"


class SampleOutcome(StrEnum):
    """What an expert made of a sampled case; `REST` was not drawn."""

    OPEN = "open"
    UNCHANGED = "unchanged"
    CORRECTED = "corrected"
    RETURNED = "returned"
    REJECTED = "rejected"
    REST = "rest"


class Role(StrEnum):
    """What a person may do; one person may hold several."""

    ANNOTATOR = "annotator"
    EXPERT = "expert"
    MANAGER = "manager"


class Verdict(StrEnum):
    """What one reviewer decides about a case."""

    APPROVE = "approve"
    RETURN = "return"
    ESCALATE = "escalate"
    REJECT = "reject"


class SourceMark(StrEnum):
    """Where an argument value comes from when nothing in the dialogue holds it."""

    DEFAULT = "default"
    DERIVED = "derived"
    WORLD = "world"


class CheckAnswer(StrEnum):
    """Answer to one item of a checklist."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "n/a"


class FeedbackCategory(StrEnum):
    """What kind of mistake a correction is about."""

    INSUFFICIENT_EVIDENCE = "insufficient_evidence"
    WRONG_DEPENDENCY = "wrong_dependency"
    WRONG_VALUE = "wrong_value"
    WRONG_TOOL = "wrong_tool"
    UNNATURAL_LANGUAGE = "unnatural_language"
    POLICY_MISMATCH = "policy_mismatch"
    INFORMATION_MISMATCH = "information_mismatch"
    INCOHERENT_DIALOGUE = "incoherent_dialogue"
    WRONG_ANSWER = "wrong_answer"
    OTHER = "other"


class CaseFormat(StrEnum):
    """File formats a case can come from and go to."""

    NATIVE = "native"
    WILDTOOL = "wildtool"
    C3 = "c3"
    OPENAI = "openai"


class WrittenFormat(StrEnum):
    """File formats of others that a case is written in as far as they can say it."""

    BFCL = "bfcl"
    SHAREGPT = "sharegpt"
    HERMES = "hermes"
    HUGGINGFACE = "huggingface"
    ANTHROPIC = "anthropic"


class Semantics(StrEnum):
    """Which rules decide: the papers' words, the published evaluators bug for bug, or BFCL's checker."""

    PAPER = "paper"
    REFERENCE = "reference"
    BFCL = "bfcl"


class ArgumentProfile(StrEnum):
    """Which rules judge the arguments of a call (scoring 4)."""

    WTB = "wtb"
    C3 = "c3"
    WTB_STRICT = "wtb-strict"
    ACCEPTED = "accepted"


class Protocol(StrEnum):
    """What of the earlier dialogue the model was shown, and which tasks count (scoring 3.7)."""

    WILDTOOL = "wildtool"
    C2 = "c2"
    C3 = "c3"


class ToolMode(StrEnum):
    """How a model is told of its tools: by the endpoint's own function calling, or in the prompt."""

    NATIVE = "native"
    PROMPT = "prompt"


class ReportFormat(StrEnum):
    """Forms a report of scores can take."""

    HTML = "html"
    MARKDOWN = "md"
    CSV = "csv"
    LATEX = "latex"
    XLSX = "xlsx"


class ActionDetail(StrEnum):
    """Why the actions of a run are wrong, apart from their arguments."""

    NO_PREDICTION = "no_prediction"
    INFRA_ERROR = "infra_error"
    NO_REPLY = "no_reply"
    EMPTY_REPLY = "empty_reply"
    UNREADABLE_CALL = "unreadable_call"
    PSEUDO_ACTION = "pseudo_action"
    UNKNOWN_TOOL = "unknown_tool"
    WRONG_TOOL = "wrong_tool"
    REDUNDANT_CALL = "redundant_call"
    QUESTION_SKIPPED = "question_skipped"
    NOT_READY = "not_ready"
    TEXT_TOO_EARLY = "text_too_early"
    NOT_A_CANDIDATE = "not_a_candidate"
    ARGUMENTS_UNREADABLE = "arguments_unreadable"
    GRAPH_TIMEOUT = "graph generate timeout."


class WildtoolMistake(StrEnum):
    """The nine error classes of WildToolBench (scoring 5.9), as its tables head them."""

    REFUSAL = "Refusal"
    WRONG_NAME = "Wrong Name / Missing Info"
    WRONG_REFUSAL = "Wrong Refusal"
    REDUNDANT_CALL = "Redundant Call"
    CALL_ERROR = "Call Error"
    EARLY_TERMINATION = "Early Termination"
    PARAM_TYPE = "Param Type Error"
    PARAM_HALLUCINATION = "Param Hallucination"
    PARAM_VALUE = "Param Value Error"


class C3Mistake(StrEnum):
    """The twelve error classes of C3-Bench and Multi-Mission Tool Bench (scoring 5.8)."""

    REJECT = "reject tool calling"
    NAME_HALLUCINATION = "function name hallucination"
    MISSING_INFORMATION = "missing information in tool calling"
    CALL_WITHOUT_REJECT = "call function without reject"
    REDUNDANT = "redundant tool calling"
    WRONG_FUNCTION = "call the wrong function"
    EARLY_STOP = "early stop"
    MISS_REQUIRED = "miss required params"
    PARAM_HALLUCINATION = "param hallucination"
    TYPE_ERROR = "type error"
    VALUE_HALLUCINATION = "param value hallucination"
    VALUE_ERROR = "param value error"


class ModelKind(StrEnum):
    """Whether the weights of a general model are open, or it is made for calling tools."""

    CLOSED = "closed"
    OPEN = "open"
    SPECIALISED = "specialised"


class Thinking(StrEnum):
    """Whether a model thinks before it answers; `budget`: up to a number of tokens."""

    OFF = "off"
    ON = "on"
    BUDGET = "budget"


class Grouping(StrEnum):
    """What of a card runs are grouped by."""

    KIND = "kind"
    FAMILY = "family"
    SIZE = "size"
    THINKING = "thinking"
