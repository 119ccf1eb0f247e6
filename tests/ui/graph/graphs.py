"""Graphs for the tests of the canvas: the task of the drawing in the issue, and random ones."""

from hypothesis import strategies as st

from annotator.cases.evidence.suggestions import SuggestedEdge
from scoring.model.case import Edge, Task
from scoring.model.graph import with_drawn_edges
from scoring.model.taxonomy import EdgeKind, Policy
from tests.factories import answer, ask, call, task


def show_task() -> Task:
    """Air quality, then shows, then two details beside each other, then the answer: 0 -> 1 -> {2, 3} -> 4."""
    return task(
        call("getCityAQIForecast", city="Las Vegas"),
        call("getCityShow", city="LasVegas"),
        call("getShowDetail", activity_id="show123"),
        call("getShowDetail", activity_id="show456"),
        answer(),
        edges=[(0, 1), (1, 2), (1, 3)],
        policy=Policy.MULTI_MIXED,
    )


def redrawn(original: Task, *pairs: tuple[int, int]) -> Task:
    """The same steps with other drawn edges, all logical."""
    return with_drawn_edges(original, [Edge(source=a, target=b, kind=EdgeKind.LOGICAL) for a, b in pairs])


def suggested(source: int, target: int, reason: str = "") -> SuggestedEdge:
    """A dependency that is offered."""
    edge = Edge(source=source, target=target, kind=EdgeKind.PARAMETER)
    return SuggestedEdge(edge=edge, reason=reason, path="")


@st.composite
def tasks(draw: st.DrawFn, most_steps: int = 8) -> Task:
    """A task of calls and questions with any acyclic drawing, and an answer."""
    kinds = draw(st.lists(st.sampled_from(["call", "call", "call", "ask"]), min_size=1, max_size=most_steps))
    steps = [call(f"tool{i}") if kind == "call" else ask() for i, kind in enumerate(kinds)]
    pairs = [(a, b) for b in range(len(steps)) for a in range(b)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return task(*steps, answer(), edges=chosen)
