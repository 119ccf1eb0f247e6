"""Matching replies as the released evaluators do, their side effects included (scoring 3.4).

What remains of the path list is kept as the points of the path tree that the run may stand at.
"""

import json
from collections import Counter
from collections.abc import Sequence

from scoring.argument_problems import CallCheck
from scoring.arguments import check_arguments
from scoring.gold import Gold
from scoring.lattice import bits
from scoring.matching import Match, Outcome, OutcomeKind
from scoring.model.taxonomy import ActionDetail, ArgumentProfile
from scoring.predictions import Reply, ToolCall
from scoring.published_paths import PathNode, Round, path_tree

CANDIDATE_LIMIT = 100_000
"""Next rounds that may be open at once; the released code gives up after 60 seconds instead (scoring 2.6)."""


class PublishedWalk:
    """A run in progress under semantics `reference`: feed it reply after reply until `ended`.

    Choosing among same-named steps ignores arguments and is final; after a question the paths are not
    pruned; calls named like questions or answers match like any call.

    Args:
        gold: The task.
        profile: Rules for arguments; profile c3 judges them only after the run.
    """

    def __init__(self, gold: Gold, *, profile: ArgumentProfile) -> None:
        self._gold = gold
        self._profile = profile
        self._tree = path_tree(gold.graph)
        self._nodes = [PathNode(0)]
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
        self._done |= sum(1 << step for step in set(outcome.steps))
        self.ended = outcome.kind in (OutcomeKind.ANSWER, OutcomeKind.FAILURE)
        return outcome

    def give_up(self) -> Outcome:
        """End a run that has no further reply."""
        self.ended = True
        return self._fail(ActionDetail.NO_REPLY, "No further reply.")

    def _take(
        self,
        kind: OutcomeKind,
        steps: Round,
        *,
        feedback: Round = (),
        checks: tuple[CallCheck, ...] = (),
    ) -> Outcome:
        return Outcome(
            kind=kind,
            done=tuple(bits(self._done)),
            ready=self._ready(),
            steps=steps,
            feedback=feedback,
            checks=checks,
        )

    def _ready(self) -> Round:
        steps: set[int] = set()
        for node in self._nodes:
            steps.update(node.rest[:1] or bits(self._tree.lattice.ready(node.placed)))
        return tuple(sorted(steps))

    def _fail(self, detail: ActionDetail, message: str) -> Outcome:
        failure = self._take(OutcomeKind.FAILURE, ())
        return failure.model_copy(update={"detail": detail, "message": message})

    def _take_text(self) -> Outcome:
        """The first candidate in path order that holds a question or an answer decides.

        Rounds of one step come first, so it is always a single step.
        """
        graph = self._gold.graph
        for node in self._nodes:
            steps = node.rest[:1] or bits(self._tree.lattice.ready(node.placed))
            found = next((step for step in steps if step in graph.pseudo), None)
            if found is None:
                continue
            if found in graph.answers:
                return self._take(OutcomeKind.ANSWER, (found,))
            outcome = self._take(OutcomeKind.QUESTION, (found,), feedback=(found,))
            return outcome if self._go_on_without_pruning() else self._too_many()
        return self._fail(ActionDetail.TEXT_TOO_EARLY, "No open path has a question or the answer next.")

    def _go_on_without_pruning(self) -> bool:
        """Keep every path, one round further; false where they are too many."""
        reached: dict[PathNode, None] = {}
        for node in self._nodes:
            for _, child in self._tree.children(node):
                reached[child] = None
                if len(reached) > CANDIDATE_LIMIT:
                    return False
        self._nodes = list(reached)
        return True

    def _too_many(self) -> Outcome:
        message = f"More than {CANDIDATE_LIMIT:,} paths stay open after a question."
        return self._fail(ActionDetail.GRAPH_TIMEOUT, message)

    def _take_calls(self, calls: Sequence[ToolCall]) -> Outcome:
        if not all(call.is_readable and call.id is not None for call in calls):
            return self._fail(ActionDetail.UNREADABLE_CALL, "A call lacks its id, name or arguments.")
        named = Counter(call.name or "" for call in calls)
        candidates = (round_ for node in self._nodes for round_, _ in self._tree.children(node, named=named))
        chosen = next(candidates, None)
        if chosen is None or any(self._tree.is_end(node) for node in self._nodes):
            names = ", ".join(sorted(named.elements()))
            return self._fail(ActionDetail.NOT_A_CANDIDATE, f"No open path calls {names} next.")
        outcome = self._paired(calls, chosen)
        held = sum(1 << step for step in chosen)
        self._nodes = [
            child for node in self._nodes for _, child in self._tree.children(node, named=named, holding=held)
        ]
        return outcome

    def _paired(self, calls: Sequence[ToolCall], chosen: Round) -> Outcome:
        """Pair calls and steps for judging by sorted text, and for feedback by order (scoring 4.1, 3.6)."""
        graph = self._gold.graph
        by_text = sorted(range(len(calls)), key=lambda i: (calls[i].name, calls[i].arguments))
        gold_by_text = sorted(chosen, key=lambda step: (graph.names[step], self._gold_text(step)))
        judged = dict(zip(by_text, gold_by_text, strict=True))
        steps = tuple(judged[i] for i in range(len(calls)))
        feedback = tuple(sorted(chosen, key=lambda step: graph.names[step]))
        if self._profile is ArgumentProfile.C3 or graph.pseudo & set(chosen):
            return self._take(OutcomeKind.CALLS, steps, feedback=feedback)
        checks = tuple(
            check_arguments(
                call.arguments or "",
                self._gold.arguments(step),
                tool=self._gold.tools.get(call.name or ""),
                profile=self._profile,
            )
            for call, step in zip(calls, steps, strict=True)
        )
        return self._take(OutcomeKind.CALLS, steps, feedback=feedback, checks=checks)

    def _gold_text(self, step: int) -> str:
        return json.dumps(self._gold.arguments(step), ensure_ascii=False)


def replay_as_published(gold: Gold, replies: Sequence[Reply], *, profile: ArgumentProfile) -> Match:
    """Run recorded replies against a task as the released evaluators would have met them.

    Args:
        gold: The task.
        replies: The model's successive replies; those after the end are left out of the match.
        profile: Rules for arguments.

    Returns:
        The match; where the replies stop before the end, it ends with a failure.
    """
    walk = PublishedWalk(gold, profile=profile)
    outcomes: list[Outcome] = []
    while not walk.ended:
        position = len(outcomes)
        outcomes.append(walk.feed(replies[position]) if position < len(replies) else walk.give_up())
    return Match(replies=tuple(replies[: len(outcomes)]), outcomes=tuple(outcomes))
