"""What became of a model's replies to a task, under either semantics."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from scoring.matching.argument_problems import CallCheck
from scoring.model.taxonomy import ActionDetail
from scoring.predictions import Reply


class OutcomeKind(StrEnum):
    """What became of one reply."""

    CALLS = "calls"
    QUESTION = "question"
    ANSWER = "answer"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class ReplyOutcome:
    """What became of one reply.

    `done` and `ready` are the finished and the ready steps when the reply arrived, which the walk fills in.
    `steps` are the steps it took: one per call in the order of the calls, or the one question or answer;
    empty on failure. `feedback` names for each call the step whose observation the model is given
    (scoring 3.6). `checks` has one item per call, or is empty where arguments are judged later. `detail`
    and `message` say what failed.
    """

    kind: OutcomeKind
    done: tuple[int, ...] = ()
    ready: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()
    feedback: tuple[int, ...] = ()
    checks: tuple[CallCheck, ...] = ()
    detail: ActionDetail | None = None
    message: str = ""

    def met(self, *, done: tuple[int, ...], ready: tuple[int, ...]) -> "ReplyOutcome":
        """The same with the steps that were finished and ready."""
        rest = (self.steps, self.feedback, self.checks, self.detail, self.message)
        return ReplyOutcome(self.kind, done, ready, *rest)


Way = tuple[ReplyOutcome, ...]
"""What became of one reply after the other."""


def flawless_steps(outcomes: Sequence[ReplyOutcome]) -> list[int]:
    """The steps taken before the first error (scoring 5.4 `paper`).

    All steps before the first reply with a wrong name or a wrong argument; of a reply with wrong arguments
    only the steps whose arguments are right.
    """
    done: list[int] = []
    for outcome in outcomes:
        if not all(check.correct for check in outcome.checks):
            pairs = zip(outcome.steps, outcome.checks, strict=True)
            return [*done, *(step for step, check in pairs if check.correct)]
        done += outcome.steps
    return done


def failed(detail: ActionDetail, message: str) -> ReplyOutcome:
    """A reply that took nothing: the run ends."""
    return ReplyOutcome(kind=OutcomeKind.FAILURE, detail=detail, message=message)


@dataclass(frozen=True)
class Match:
    """A run against one task: the replies that counted and what became of each.

    Replies after the end are not among them. A run that stopped short has one more outcome than
    replies: the failure to go on.
    """

    replies: tuple[Reply, ...]
    outcomes: tuple[ReplyOutcome, ...]

    @property
    def names_correct(self) -> bool:
        """Whether the run reached the answer."""
        return bool(self.outcomes) and self.outcomes[-1].kind is OutcomeKind.ANSWER

    @property
    def failure(self) -> ReplyOutcome | None:
        """The outcome that ended the run early."""
        last = self.outcomes[-1] if self.outcomes else None
        return last if last and last.kind is OutcomeKind.FAILURE else None

    @cached_property
    def first_bad_arguments(self) -> int | None:
        """Number of the first reply with a call whose arguments are wrong."""
        return next(
            (i for i, outcome in enumerate(self.outcomes) if not all(c.correct for c in outcome.checks)), None
        )
