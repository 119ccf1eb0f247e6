"""Which steps a reply takes as the papers describe it.

A set of finished steps is walked through the lattice (scoring 3.3). Only names decide whether a run goes
on; arguments are judged beside and never stop it (scoring 3.1).

Which of several same-named steps a call takes stays open until an edge tells them apart (scoring
3.3). With R(S) the ready steps of a set S of finished ones, and A(S, c) the best assignments of the
calls c to R(S), that is those with most correct calls, then the greatest sum of scores, the sets that a
run may have reached are

    F(0) = {{}},   F(k) = {S + a(c_k) : S in F(k-1), a in A(S, c_k)},

and the run fails where F(k) is empty. What is reported is the way to one of the last sets with the most
steps before its first error.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import islice, product

from scoring.groups import grouped
from scoring.matching.assignment import MOST_CHOICES, best_assignments
from scoring.matching.gold import CallChecks, Gold
from scoring.matching.outcomes import OutcomeKind, ReplyOutcome, failed
from scoring.model.graph import ANSWER_NAME, ASK_NAME, PSEUDO_ACTIONS
from scoring.model.taxonomy import ActionDetail
from scoring.orders.lattice import bits
from scoring.predictions import Reply, ToolCall


class PaperRules:
    """The rules of semantics `paper` for one task.

    Args:
        gold: The task.
        checks: What the calls are worth; that decides which of several same-named steps a call takes.
    """

    def __init__(self, gold: Gold, checks: CallChecks) -> None:
        self._gold = gold
        self._check = checks.of

    def is_text(self, reply: Reply) -> bool:
        """Whether a reply without calls says anything; white space does not."""
        return not reply.is_empty

    def ready(self, done: int) -> tuple[int, ...]:
        """The steps that may come next."""
        return tuple(bits(self._gold.lattice.ready(done)))

    def take_text(self, done: int) -> tuple[ReplyOutcome, ...]:
        """Match a reply with text only: the question that is due, else the answer."""
        ready = self._gold.lattice.ready(done)
        questions = self._gold.asks_in(ready)
        if questions:
            return (ReplyOutcome(kind=OutcomeKind.QUESTION, steps=questions[:1], feedback=questions[:1]),)
        if self._gold.answer in bits(ready):
            return (ReplyOutcome(kind=OutcomeKind.ANSWER, steps=(self._gold.answer,)),)
        due = due_next(self._gold, ready)
        return (failed(ActionDetail.TEXT_TOO_EARLY, f"A text although calls are due: {due}."),)

    def take_calls(self, done: int, calls: Sequence[ToolCall]) -> tuple[ReplyOutcome, ...]:
        """Match a reply with calls; every call needs a ready step of its name.

        Returns:
            One outcome for each choice of steps that stays open, or the one failure.
        """
        ready = self._gold.calls_in(self._gold.lattice.ready(done))
        offered = grouped((self._gold.graph.names[step], step) for step in ready)
        wanted = Counter(call.name for call in calls)
        unmet = any(len(offered.get(name or "", ())) < count for name, count in wanted.items())
        if unmet or not all(call.is_readable for call in calls):
            return (failed(*explain_calls(self._gold, done, calls)),)
        by_name = [self._assign(name or "", calls, offered[name or ""]) for name in wanted]
        outcomes = []
        for choice in islice(product(*by_name), MOST_CHOICES):
            steps = {number: step for part in choice for number, step in part.items()}
            taken = tuple(steps[i] for i in range(len(calls)))
            checks = tuple(self._check(call, step) for call, step in zip(calls, taken, strict=True))
            outcomes.append(ReplyOutcome(kind=OutcomeKind.CALLS, steps=taken, feedback=taken, checks=checks))
        return tuple(outcomes)

    def _assign(self, name: str, calls: Sequence[ToolCall], offered: list[int]) -> list[dict[int, int]]:
        """The best ways to give the calls of one name their steps: number of a call -> step (scoring 3.3)."""
        numbers = [i for i, call in enumerate(calls) if call.name == name]
        if len(offered) == 1:
            return [{numbers[0]: offered[0]}]
        rows = [[self._check(calls[number], step) for step in offered] for number in numbers]
        kinds = [self._gold.kinds[step] for step in offered] if len(numbers) < len(offered) else offered
        return [
            {number: offered[column] for number, column in zip(numbers, columns, strict=True)}
            for columns in best_assignments(rows, kinds)
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
