"""What was decided about earlier cases of the same toolset, as proposals for a case: labels and orders."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotator.cases.evidence.dialogue import ancestors_along
from annotator.cases.evidence.suggestions import SuggestedEdge
from annotator.cases.phrases import quoted
from db.read.rows import OrderCount
from scoring.groups import collected
from scoring.model.case import Case, Edge, Task
from scoring.model.labels import TaskLabels
from scoring.model.taxonomy import EdgeKind, Information, Policy
from scoring.wording import counted

FEWEST_CASES = 3
"""Cases an order must have been drawn in before it is proposed."""
_LEAST_SHARE = 0.7
_MOST_TOOLS = 40
"""Different tools of one task whose orders are kept; a task with more says little about any two of them."""


class OrderHabit(OrderCount):
    """Two tools called one after the other: an order was drawn in `ordered` of `total` cases."""

    @property
    def is_usual(self) -> bool:
        """Whether the order was drawn often enough to propose it."""
        return self.ordered >= FEWEST_CASES and self.ordered / self.total >= _LEAST_SHARE

    @property
    def reason(self) -> str:
        """Why the order is proposed, as a sentence."""
        cases = counted(self.total, "case")
        first, second = quoted(self.first), quoted(self.second)
        return f"In {self.ordered} of {cases} {first} came before {second}, though no value flows."


@dataclass(frozen=True)
class Precedent:
    """What the person said of a task of another case with the same tools and calls."""

    case_id: str
    labels: TaskLabels


@dataclass(frozen=True)
class Precedents:
    """All that earlier cases say about a case; `tasks` is by the pattern of the calls."""

    habits: tuple[OrderHabit, ...] = ()
    tasks: tuple[tuple[str, Precedent], ...] = ()

    def of_task(self, task: Task) -> Precedent | None:
        """What the person said of a task like this one; None where there is none."""
        pattern = pattern_of(task)
        return next((found for key, found in self.tasks if key == pattern), None)


NO_PRECEDENTS = Precedents()


@dataclass(frozen=True)
class LabelOffer:
    """One field of a task with the value proposed for it, and why; exactly one of the three is given.

    `edges` are the whole drawing of the task.
    """

    reason: str
    policy: Policy | None = None
    information: Information | None = None
    edges: tuple[Edge, ...] | None = None


def toolset_of(case: Case) -> str:
    """A hash that cases with the same tools share, by the names of the tools."""
    return _hash(sorted({tool.name for tool in case.tools}))


def pattern_of(task: Task) -> str:
    """A hash that tasks share whose steps are of the same kinds and call the same tools in the same order."""
    return _hash([getattr(step, "name", "") or step.kind for step in task.steps])


def orders_of(case: Case, labels: Sequence[TaskLabels]) -> dict[tuple[str, str], bool]:
    """For two tools called one after the other in a drawn task, whether an order was drawn between them.

    Pairs between which a value flows say nothing about order alone and are left out.
    """
    orders: dict[tuple[str, str], bool] = {}
    for task, drawn in zip(case.tasks, labels, strict=True):
        if not drawn.is_drawn or len({call.name for _, call in task.calls}) > _MOST_TOOLS:
            continue
        kinds = {(a, b): kind for a, b, kind in drawn.edges}
        for i, first in task.calls:
            for j, second in task.calls:
                kind = kinds.get((i, j))
                if i < j and first.name != second.name and kind is not EdgeKind.PARAMETER:
                    pair = first.name, second.name
                    orders[pair] = orders.get(pair, False) or kind is EdgeKind.LOGICAL
    return orders


@collected
def usual_orders(
    task: Task, habits: Iterable[OrderHabit], *, suggested: Sequence[SuggestedEdge]
) -> Iterator[SuggestedEdge]:
    """Propose logical dependencies that people drew in other cases of the toolset.

    Args:
        task: The task.
        habits: How often an order was drawn between two tools.
        suggested: What is proposed already, which counts as drawn.

    Returns:
        Edges between calls that nothing connects yet, each from the nearest call before.
    """
    usual = {(habit.first, habit.second): habit for habit in habits if habit.is_usual}
    if not usual:
        return
    pairs = {*(edge.pair for edge in task.drawn_edges), *(other.edge.pair for other in suggested)}
    for j, second in task.calls:
        for i, first in reversed(task.calls):
            habit = usual.get((first.name, second.name)) if i < j else None
            if habit and not ancestors_along(len(task.steps), pairs)[j] >> i & 1:
                pairs.add((i, j))
                edge = Edge(source=i, target=j, kind=EdgeKind.LOGICAL)
                yield SuggestedEdge(edge=edge, reason=habit.reason, path="")


def decided_before(task: Task, labels: TaskLabels, *, number: int, precedent: Precedent) -> list[LabelOffer]:
    """What the person decided otherwise of a task like this one, or has not said here yet, field by field.

    Args:
        task: The task as it is labelled now.
        labels: What is said about it.
        number: Its number; the first task has no information to label.
        precedent: What was said of a task with the same calls.
    """
    before, offers = precedent.labels, []
    reason = f"as you decided in {precedent.case_id}"
    if before.policy is not None and before.policy is not task.policy:
        offers.append(LabelOffer(reason, policy=before.policy))
    information = before.information
    if number and information not in (None, Information.FIRST) and information is not task.information:
        offers.append(LabelOffer(reason, information=information))
    edges = {(a, b, kind) for a, b, kind in before.edges}
    is_other = edges != {(*edge.pair, edge.kind) for edge in task.drawn_edges}
    if before.drawn and task.needs_drawing and (is_other or not labels.drawn):
        drawing = tuple(Edge(source=a, target=b, kind=kind) for a, b, kind in sorted(edges))
        offers.append(LabelOffer(reason, edges=drawing))
    return offers


def _hash(names: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()
