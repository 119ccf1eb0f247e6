"""Matching a model's replies with the legal orders of a task, live or recorded, under either semantics."""

from collections.abc import Callable, Sequence
from itertools import islice

from scoring.groups import grouped
from scoring.matching.argument_problems import CallCheck
from scoring.matching.assignment import MOST_CHOICES
from scoring.matching.gold import CallChecks, Gold
from scoring.matching.outcomes import Match, OutcomeKind, ReplyOutcome, Way, failed, flawless_steps
from scoring.matching.paper_rules import PaperRules
from scoring.matching.published_rules import PublishedRules
from scoring.model.taxonomy import ActionDetail, ArgumentProfile, Semantics
from scoring.orders.lattice import bits
from scoring.predictions import Reply


class Walk:
    """A run in progress: feed it reply after reply until `ended`.

    Args:
        gold: The task.
        profile: Rules for arguments.
        semantics: Whether the papers or the released evaluators say what a reply takes.
        checks: What the calls of the run are worth, as far as they were judged before.
    """

    def __init__(
        self,
        gold: Gold,
        *,
        profile: ArgumentProfile,
        semantics: Semantics = Semantics.PAPER,
        checks: CallChecks | None = None,
    ) -> None:
        self._rules = (
            PaperRules(gold, checks or CallChecks(gold, profile))
            if semantics is Semantics.PAPER
            else PublishedRules(gold, profile=profile)
        )
        self._ways: dict[int, Way] = {0: ()}
        self.ended = False

    @property
    def outcomes(self) -> Way:
        """What became of the replies so far, as the best of the ways that are still open has it.

        A later reply may show that an earlier one took another of several same-named steps.
        """
        ways = tuple(self._ways.values())
        return ways[0] if len(ways) == 1 else max(ways, key=_progress)

    def feed(self, reply: Reply) -> ReplyOutcome:
        """Match the next reply.

        Returns:
            What became of it; after an answer or a failure the walk has ended.
        """
        if reply.tool_calls:
            return self._after(lambda done: self._rules.take_calls(done, reply.tool_calls))
        if self._rules.is_text(reply):
            return self._after(self._rules.take_text)
        return self._fail(ActionDetail.EMPTY_REPLY, "The reply has neither calls nor text.")

    def give_up(self) -> ReplyOutcome:
        """End a run that has no further reply."""
        return self._fail(ActionDetail.NO_REPLY, "No further reply.")

    def _fail(self, detail: ActionDetail, message: str) -> ReplyOutcome:
        return self._after(lambda _: (failed(detail, message),))

    def _after(self, take: Callable[[int], Sequence[ReplyOutcome]]) -> ReplyOutcome:
        longer: list[tuple[int, Way]] = []
        for done, way in self._ways.items():
            finished, ready = tuple(bits(done)), self._rules.ready(done)
            for taken in take(done):
                reached = done
                for step in taken.steps:
                    reached |= 1 << step
                longer.append((reached, (*way, taken.met(done=finished, ready=ready))))
        self._ways = dict(longer) if len(longer) == 1 else _best_ways(longer)
        outcome = self.outcomes[-1]
        self.ended = outcome.kind in (OutcomeKind.ANSWER, OutcomeKind.FAILURE)
        return outcome


def _best_ways(ways: Sequence[tuple[int, Way]]) -> dict[int, Way]:
    """Of the ways that lead to one set of steps the best; failures only where there is nothing else."""
    going_on = [one for one in ways if one[1][-1].kind is not OutcomeKind.FAILURE]
    best: dict[int, Way] = {}
    for reached, way in going_on or ways:
        if reached not in best or _progress(way) > _progress(best[reached]):
            best[reached] = way
    return dict(islice(best.items(), MOST_CHOICES))


def _progress(way: Way) -> int:
    return len(flawless_steps(way))


def replay(
    gold: Gold,
    replies: Sequence[Reply],
    *,
    profile: ArgumentProfile,
    semantics: Semantics = Semantics.PAPER,
    checks: CallChecks | None = None,
) -> Match:
    """Run recorded replies against a task exactly as a live run would have met them.

    Args:
        gold: The task.
        replies: The model's successive replies; those after the end are left out of the match.
        profile: Rules for arguments.
        semantics: Whether the papers or the released evaluators say what a reply takes.
        checks: What the calls are worth, as far as they were judged before.

    Returns:
        The match; where the replies stop before the end, it ends with a failure.
    """
    walk = Walk(gold, profile=profile, semantics=semantics, checks=checks)
    for reply in replies:
        if not walk.ended:
            walk.feed(reply)
    if not walk.ended:
        walk.give_up()
    outcomes = walk.outcomes
    return Match(replies=tuple(replies[: len(outcomes)]), outcomes=outcomes)


def flawless_length(gold: Gold, replies: Sequence[Reply], checks: CallChecks) -> int | None:
    """How many replies of a run count that `replay` would find right in every name and argument.

    Most runs of a good model are such. Each call takes the first ready step of its name that it fits
    perfectly: such a choice is among the best, and one that leads to the answer makes the run flawless.

    Returns:
        The number of its replies up to the answer; None where only `replay` can tell.
    """
    done, choices = 0, 1
    for length, reply in enumerate(replies, start=1):
        ready = gold.lattice.ready(done)
        if not reply.tool_calls:
            questions = gold.asks_in(ready)
            if reply.is_empty or not (questions or ready >> gold.answer & 1):
                return None
            if not questions:
                return length
            done |= 1 << questions[0]
            continue
        offered = grouped((gold.graph.names[step], step) for step in gold.calls_in(ready))
        for call in reply.tool_calls:
            steps = offered.get(call.name or "", []) if call.is_readable else []
            choices *= len(steps)
            taken = next((one for one in steps if _fits(checks.of(call, one))), None)
            if taken is None or choices > MOST_CHOICES:
                return None
            steps.remove(taken)
            done |= 1 << taken
    return None


def _fits(check: CallCheck) -> bool:
    return check.correct and check.score == 1 and not check.problems
