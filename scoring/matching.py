"""Matching a model's replies with the legal orders of a task, live or replayed, as the papers describe it.

One set of finished steps is walked through the lattice (scoring 3.3). Only names decide whether a run goes
on; arguments are judged beside and never stop it (scoring 3.1).
"""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from scoring.argument_problems import CallCheck
from scoring.arguments import check_arguments, read_arguments
from scoring.assignment import Fit, best_assignment
from scoring.gold import Gold
from scoring.lattice import bits
from scoring.model.graph import ANSWER_NAME, ASK_NAME, PSEUDO_ACTIONS
from scoring.model.record import Record
from scoring.model.taxonomy import ActionDetail, ArgumentProfile
from scoring.predictions import Reply, ToolCall


class OutcomeKind(StrEnum):
    """What became of one reply."""

    CALLS = "calls"
    QUESTION = "question"
    ANSWER = "answer"
    FAILURE = "failure"


class Outcome(Record):
    """What became of one reply.

    `done` and `ready` are the finished and the ready steps when the reply arrived. `steps` are the steps
    it took: one per call in the order of the calls, or the one question or answer; empty on failure.
    `feedback` names for each call the step whose observation the model is given (scoring 3.6). `checks`
    has one item per call, or is empty where arguments are judged later. `detail` and `message` say
    what failed.
    """

    kind: OutcomeKind
    done: tuple[int, ...]
    ready: tuple[int, ...]
    steps: tuple[int, ...] = ()
    feedback: tuple[int, ...] = ()
    checks: tuple[CallCheck, ...] = ()
    detail: ActionDetail | None = None
    message: str = ""


class Match(Record):
    """A run against one task: the replies that counted and what became of each.

    Replies after the end are not among them. A run that stopped short has one more outcome than
    replies: the failure to go on.
    """

    replies: tuple[Reply, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def names_correct(self) -> bool:
        """Whether the run reached the answer."""
        return bool(self.outcomes) and self.outcomes[-1].kind is OutcomeKind.ANSWER

    @property
    def failure(self) -> Outcome | None:
        """The outcome that ended the run early."""
        last = self.outcomes[-1] if self.outcomes else None
        return last if last and last.kind is OutcomeKind.FAILURE else None

    @property
    def first_bad_arguments(self) -> int | None:
        """Number of the first reply with a call whose arguments are wrong."""
        return next(
            (i for i, outcome in enumerate(self.outcomes) if not all(c.correct for c in outcome.checks)), None
        )


class PaperWalk:
    """A run in progress under semantics `paper`: feed it reply after reply until `ended`.

    Args:
        gold: The task.
        profile: Rules for arguments; they decide which of several same-named steps a call takes.
    """

    def __init__(self, gold: Gold, *, profile: ArgumentProfile) -> None:
        self._gold = gold
        self._profile = profile
        self._done = 0
        self.ended = False

    def feed(self, reply: Reply) -> Outcome:
        """Match the next reply.

        Returns:
            What became of it; after an answer or a failure the walk has ended.
        """
        if reply.tool_calls:
            outcome = self._take_calls(reply.tool_calls)
        elif reply.content:
            outcome = self._take_text()
        else:
            outcome = self._fail(ActionDetail.EMPTY_REPLY, "The reply has neither calls nor text.")
        self._done |= sum(1 << step for step in outcome.steps)
        self.ended = outcome.kind in (OutcomeKind.ANSWER, OutcomeKind.FAILURE)
        return outcome

    def give_up(self) -> Outcome:
        """End a run that has no further reply."""
        self.ended = True
        return self._fail(ActionDetail.NO_REPLY, "No further reply.")

    @property
    def _ready(self) -> int:
        return self._gold.lattice.ready(self._done)

    def _take(
        self,
        kind: OutcomeKind,
        steps: tuple[int, ...],
        *,
        feedback: tuple[int, ...] = (),
        checks: tuple[CallCheck, ...] = (),
    ) -> Outcome:
        done, ready = tuple(bits(self._done)), tuple(bits(self._ready))
        return Outcome(kind=kind, done=done, ready=ready, steps=steps, feedback=feedback, checks=checks)

    def _fail(self, detail: ActionDetail, message: str) -> Outcome:
        failure = self._take(OutcomeKind.FAILURE, ())
        return failure.model_copy(update={"detail": detail, "message": message})

    def _take_text(self) -> Outcome:
        questions = self._gold.asks_in(self._ready)
        if questions:
            return self._take(OutcomeKind.QUESTION, questions[:1], feedback=questions[:1])
        if self._gold.answer in bits(self._ready):
            return self._take(OutcomeKind.ANSWER, (self._gold.answer,))
        due = due_next(self._gold, self._ready)
        return self._fail(ActionDetail.TEXT_TOO_EARLY, f"A text although calls are due: {due}.")

    def _take_calls(self, calls: Sequence[ToolCall]) -> Outcome:
        offered: dict[str, list[int]] = {}
        for step in self._gold.calls_in(self._ready):
            offered.setdefault(self._gold.graph.names[step], []).append(step)
        wanted = Counter(call.name for call in calls)
        unmet = any(len(offered.get(name or "", ())) < count for name, count in wanted.items())
        if unmet or not all(call.is_readable for call in calls):
            return self._fail(*explain_calls(self._gold, self._done, calls))
        steps: dict[int, int] = {}
        checks: dict[int, CallCheck] = {}
        for name in wanted:
            numbers = [i for i, call in enumerate(calls) if call.name == name]
            for number, step, check in self._assign(name or "", numbers, calls, offered[name or ""]):
                steps[number], checks[number] = step, check
        taken = tuple(steps[i] for i in range(len(calls)))
        judged = tuple(checks[i] for i in range(len(calls)))
        return self._take(OutcomeKind.CALLS, taken, feedback=taken, checks=judged)

    def _assign(
        self, name: str, numbers: list[int], calls: Sequence[ToolCall], offered: list[int]
    ) -> list[tuple[int, int, CallCheck]]:
        """Give the calls of one name their steps by their arguments (scoring 3.3)."""
        rows = []
        for number in numbers:
            said = read_arguments(calls[number].arguments or "")
            rows.append(
                [
                    check_arguments(
                        said,
                        self._gold.arguments(step),
                        tool=self._gold.tools.get(name),
                        profile=self._profile,
                    )
                    for step in offered
                ]
            )
        fits = [[Fit(correct=check.correct, score=check.score) for check in row] for row in rows]
        columns = best_assignment(fits)
        return [
            (number, offered[column], rows[i][column])
            for i, (number, column) in enumerate(zip(numbers, columns, strict=True))
        ]


def due_next(gold: Gold, ready: int) -> str:
    """The ready steps in words."""
    words = {ASK_NAME: "a question", ANSWER_NAME: "the answer"}
    names = (gold.graph.names[step] for step in bits(ready))
    return ", ".join(words.get(name, name) for name in names) or "nothing"


def explain_calls(gold: Gold, done: int, calls: Sequence[ToolCall]) -> tuple[ActionDetail, str]:
    """Say why a reply with calls has no place in the legal orders of a task.

    Args:
        gold: The task.
        done: Steps finished when the reply arrived.
        calls: Its calls.

    Returns:
        The reason that weighs most, and a sentence that names the call.
    """
    if not all(call.is_readable for call in calls):
        return ActionDetail.UNREADABLE_CALL, "A call lacks its name or its arguments."
    names = [call.name or "" for call in calls]
    left = Counter(gold.graph.names[step] for step in bits(gold.lattice.full & ~done))
    ready = gold.lattice.ready(done)
    due = due_next(gold, ready)
    for name in names:
        if name in PSEUDO_ACTIONS:
            return ActionDetail.PSEUDO_ACTION, f"{name} is not a tool."
        if name not in gold.tools and name not in gold.call_names:
            return ActionDetail.UNKNOWN_TOOL, f"{name} is not in the toolset."
    for name in names:
        if name not in gold.call_names:
            return ActionDetail.WRONG_TOOL, f"{name} is not part of the solution; due: {due}."
    for name, count in Counter(names).items():
        if count > left[name]:
            more = f"{count} times, {left[name]} left" if left[name] else "although it is done"
            return ActionDetail.REDUNDANT_CALL, f"{name} is called {more}."
    if gold.asks_in(ready):
        return ActionDetail.QUESTION_SKIPPED, f"{names[0]} is called although a question is due."
    return ActionDetail.NOT_READY, f"{', '.join(names)}: not all of them ready; due: {due}."


def replay(gold: Gold, replies: Sequence[Reply], *, profile: ArgumentProfile) -> Match:
    """Run recorded replies against a task exactly as a live run would have met them.

    Args:
        gold: The task.
        replies: The model's successive replies; those after the end are left out of the match.
        profile: Rules for arguments.

    Returns:
        The match; where the replies stop before the end, it ends with a failure.
    """
    walk = PaperWalk(gold, profile=profile)
    outcomes: list[Outcome] = []
    while not walk.ended:
        position = len(outcomes)
        outcomes.append(walk.feed(replies[position]) if position < len(replies) else walk.give_up())
    return Match(replies=tuple(replies[: len(outcomes)]), outcomes=tuple(outcomes))
