"""The drawings of the sides as values: edges, figures, and how far two of them agree."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.review.verifying import Adjudication
from scoring.errors import GraphError
from scoring.model.case import Edge, Task
from scoring.model.graph import derive_policy, step_graph, with_drawn_edges
from scoring.model.labels import edges_of
from scoring.orders import summarise_orders
from ui.theme.words import POLICY_SHORT


@dataclass(frozen=True)
class Figures:
    """One drawing in figures; `orders` is null where counting takes too long."""

    name: str
    orders: int | None
    rounds: int
    drawn_as: str


def drawings_of(adjudication: Adjudication, task: int) -> dict[str, tuple[Edge, ...]]:
    """What each side drew for a task, by letter."""
    return {side.letter: edges_of(side.labels[task]) for side in adjudication.sides}


def with_answer(task: Task, edges: Sequence[Edge]) -> tuple[Edge, ...]:
    """A drawing with the edges into the answer that follow from it, where it breaks no rule."""
    try:
        return with_drawn_edges(task, edges).edges
    except GraphError:
        return tuple(edges)


def figures_of(task: Task, name: str, *, edges: Sequence[Edge]) -> Figures | None:
    """A drawing of a task in figures; null where it breaks a rule."""
    try:
        drawn = with_drawn_edges(task, edges)
        summary = summarise_orders(step_graph(drawn))
        policy = derive_policy(drawn)
    except GraphError:
        return None
    return Figures(name, summary.count, summary.rounds, POLICY_SHORT[policy].lower() if policy else "")


def edge_f1(first: Sequence[Edge], second: Sequence[Edge]) -> float | None:
    """Agreement of two drawings on pairs of steps, 0 to 1; null where both drew nothing."""
    a, b = {edge.pair for edge in first}, {edge.pair for edge in second}
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else None
