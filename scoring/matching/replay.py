"""Matching a model's replies with the legal orders of a task, live or recorded, under either semantics."""

from collections.abc import Sequence

from scoring.matching.gold import Gold
from scoring.matching.outcomes import Match, Outcome, OutcomeKind, failed
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
    """

    def __init__(
        self, gold: Gold, *, profile: ArgumentProfile, semantics: Semantics = Semantics.PAPER
    ) -> None:
        rules = PaperRules if semantics is Semantics.PAPER else PublishedRules
        self._rules = rules(gold, profile=profile)
        self._done = 0
        self.ended = False

    def feed(self, reply: Reply) -> Outcome:
        """Match the next reply.

        Returns:
            What became of it; after an answer or a failure the walk has ended.
        """
        ready = self._rules.ready(self._done)
        if reply.tool_calls:
            taken = self._rules.take_calls(self._done, reply.tool_calls)
        elif reply.content:
            taken = self._rules.take_text(self._done)
        else:
            taken = failed(ActionDetail.EMPTY_REPLY, "The reply has neither calls nor text.")
        return self._after(taken, ready)

    def give_up(self) -> Outcome:
        """End a run that has no further reply."""
        return self._after(failed(ActionDetail.NO_REPLY, "No further reply."), self._rules.ready(self._done))

    def _after(self, taken: Outcome, ready: tuple[int, ...]) -> Outcome:
        outcome = taken.met(done=tuple(bits(self._done)), ready=ready)
        self._done |= sum(1 << step for step in set(taken.steps))
        self.ended = taken.kind in (OutcomeKind.ANSWER, OutcomeKind.FAILURE)
        return outcome


def replay(
    gold: Gold,
    replies: Sequence[Reply],
    *,
    profile: ArgumentProfile,
    semantics: Semantics = Semantics.PAPER,
) -> Match:
    """Run recorded replies against a task exactly as a live run would have met them.

    Args:
        gold: The task.
        replies: The model's successive replies; those after the end are left out of the match.
        profile: Rules for arguments.
        semantics: Whether the papers or the released evaluators say what a reply takes.

    Returns:
        The match; where the replies stop before the end, it ends with a failure.
    """
    walk = Walk(gold, profile=profile, semantics=semantics)
    outcomes: list[Outcome] = []
    while not walk.ended:
        position = len(outcomes)
        outcomes.append(walk.feed(replies[position]) if position < len(replies) else walk.give_up())
    return Match(replies=tuple(replies[: len(outcomes)]), outcomes=tuple(outcomes))
