"""Which steps a reply takes as the papers describe it.

One set of finished steps is walked through the lattice (scoring 3.3). Only names decide whether a run goes
on; arguments are judged beside and never stop it (scoring 3.1).
"""

from collections import Counter
from collections.abc import Sequence

from scoring.matching.argument_problems import CallCheck
from scoring.matching.arguments import check_arguments, read_arguments
from scoring.matching.assignment import best_assignment
from scoring.matching.gold import Gold
from scoring.matching.outcomes import Outcome, OutcomeKind, failed
from scoring.model.graph import ANSWER_NAME, ASK_NAME, PSEUDO_ACTIONS
from scoring.model.taxonomy import ActionDetail, ArgumentProfile
from scoring.orders.lattice import bits
from scoring.predictions import ToolCall


class PaperRules:
    """The rules of semantics `paper` for one task.

    Args:
        gold: The task.
        profile: Rules for arguments; they decide which of several same-named steps a call takes.
    """

    def __init__(self, gold: Gold, *, profile: ArgumentProfile) -> None:
        self._gold = gold
        self._profile = profile

    def ready(self, done: int) -> tuple[int, ...]:
        """The steps that may come next."""
        return tuple(bits(self._gold.lattice.ready(done)))

    def take_text(self, done: int) -> Outcome:
        """Match a reply with text only: the question that is due, else the answer."""
        ready = self._gold.lattice.ready(done)
        questions = self._gold.asks_in(ready)
        if questions:
            return Outcome(kind=OutcomeKind.QUESTION, steps=questions[:1], feedback=questions[:1])
        if self._gold.answer in bits(ready):
            return Outcome(kind=OutcomeKind.ANSWER, steps=(self._gold.answer,))
        due = due_next(self._gold, ready)
        return failed(ActionDetail.TEXT_TOO_EARLY, f"A text although calls are due: {due}.")

    def take_calls(self, done: int, calls: Sequence[ToolCall]) -> Outcome:
        """Match a reply with calls; every call needs a ready step of its name."""
        offered: dict[str, list[int]] = {}
        for step in self._gold.calls_in(self._gold.lattice.ready(done)):
            offered.setdefault(self._gold.graph.names[step], []).append(step)
        wanted = Counter(call.name for call in calls)
        unmet = any(len(offered.get(name or "", ())) < count for name, count in wanted.items())
        if unmet or not all(call.is_readable for call in calls):
            return failed(*explain_calls(self._gold, done, calls))
        steps: dict[int, int] = {}
        checks: dict[int, CallCheck] = {}
        for name in wanted:
            numbers = [i for i, call in enumerate(calls) if call.name == name]
            for number, step, check in self._assign(name or "", numbers, calls, offered[name or ""]):
                steps[number], checks[number] = step, check
        taken = tuple(steps[i] for i in range(len(calls)))
        judged = tuple(checks[i] for i in range(len(calls)))
        return Outcome(kind=OutcomeKind.CALLS, steps=taken, feedback=taken, checks=judged)

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
        columns = best_assignment(rows)
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
