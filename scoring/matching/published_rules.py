"""Which steps a reply takes in the released evaluators, their side effects included (scoring 3.4).

What remains of the path list is kept as the points of the path tree that the run may stand at.
"""

from collections import Counter
from collections.abc import Sequence

from scoring.matching.arguments import check_arguments
from scoring.matching.gold import Gold
from scoring.matching.outcomes import OutcomeKind, ReplyOutcome, failed
from scoring.model.record import to_text
from scoring.model.taxonomy import ActionDetail, ArgumentProfile
from scoring.orders.lattice import bits
from scoring.orders.published_paths import PathNode, Round, path_tree
from scoring.predictions import Reply, ToolCall

CANDIDATE_LIMIT = 100_000
"""Next rounds that may be open at once; the released code gives up after 60 seconds instead (scoring 2.6)."""


class PublishedRules:
    """The rules of semantics `reference` for one run; what was taken decides what may come next.

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

    def is_text(self, reply: Reply) -> bool:
        """Whether a reply without calls says anything; white space does."""
        return bool(reply.content)

    def ready(self, _done: int) -> Round:
        """The steps that may come next on some open path."""
        opened = (node.rest[:1] or bits(self._tree.lattice.ready(node.placed)) for node in self._nodes)
        return tuple(sorted({step for steps in opened for step in steps}))

    def take_text(self, _done: int) -> tuple[ReplyOutcome]:
        """Match a reply with text only: the first open round with a question or an answer decides.

        Rounds of one step come first, so it is always a single step.
        """
        graph = self._gold.graph
        for node in self._nodes:
            steps = node.rest[:1] or bits(self._tree.lattice.ready(node.placed))
            found = next((step for step in steps if step in graph.pseudo), None)
            if found is None:
                continue
            if found in graph.answers:
                return (ReplyOutcome(kind=OutcomeKind.ANSWER, steps=(found,)),)
            outcome = ReplyOutcome(kind=OutcomeKind.QUESTION, steps=(found,), feedback=(found,))
            message = f"More than {CANDIDATE_LIMIT:,} paths stay open after a question."
            too_many = failed(ActionDetail.GRAPH_TIMEOUT, message)
            return (outcome if self._go_on_without_pruning() else too_many,)
        return (failed(ActionDetail.TEXT_TOO_EARLY, "No open path has a question or the answer next."),)

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

    def take_calls(self, _done: int, calls: Sequence[ToolCall]) -> tuple[ReplyOutcome]:
        """Match a reply with calls: the first open round of their names is taken."""
        if not all(call.is_readable and call.id is not None for call in calls):
            return (failed(ActionDetail.UNREADABLE_CALL, "A call lacks its id, name or arguments."),)
        named = Counter(call.name or "" for call in calls)
        candidates = (round_ for node in self._nodes for round_, _ in self._tree.children(node, named=named))
        chosen = next(candidates, None)
        if chosen is None or any(self._tree.is_end(node) for node in self._nodes):
            names = ", ".join(sorted(named.elements()))
            return (failed(ActionDetail.NOT_A_CANDIDATE, f"No open path calls {names} next."),)
        outcome = self._paired(calls, chosen)
        held = sum(1 << step for step in chosen)
        self._nodes = [
            child for node in self._nodes for _, child in self._tree.children(node, named=named, holding=held)
        ]
        return (outcome,)

    def _paired(self, calls: Sequence[ToolCall], chosen: Round) -> ReplyOutcome:
        """Pair calls and steps for judging by sorted text, and for feedback by order (scoring 4.1, 3.6)."""
        graph = self._gold.graph
        by_text = sorted(range(len(calls)), key=lambda i: (calls[i].name, calls[i].arguments))
        gold_by_text = sorted(
            chosen, key=lambda step: (graph.names[step], to_text(self._gold.arguments(step)))
        )
        judged = dict(zip(by_text, gold_by_text, strict=True))
        steps = tuple(judged[i] for i in range(len(calls)))
        feedback = tuple(sorted(chosen, key=lambda step: graph.names[step]))
        if self._profile is ArgumentProfile.C3 or graph.pseudo & set(chosen):
            return ReplyOutcome(kind=OutcomeKind.CALLS, steps=steps, feedback=feedback)
        checks = tuple(
            check_arguments(
                call.arguments or "",
                self._gold.arguments(step),
                tool=self._gold.tools.get(call.name or ""),
                profile=self._profile,
            )
            for call, step in zip(calls, steps, strict=True)
        )
        return ReplyOutcome(kind=OutcomeKind.CALLS, steps=steps, feedback=feedback, checks=checks)
