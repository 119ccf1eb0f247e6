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
        return self in (Policy.MULTI_SERIAL, Policy.MULTI_PARALLEL, Policy.MULTI_MIXED)

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
