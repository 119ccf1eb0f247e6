"""Drawing the dependencies of a task: adding, removing and naming their kind."""

from collections.abc import Iterable

from annotator.cases.places import task_at, with_task
from scoring.errors import InputError
from scoring.model.case import Ask, Call, Case, Edge, Task
from scoring.model.flow import flows
from scoring.model.graph import check_new_edge, recorded_order, with_drawn_edges
from scoring.model.taxonomy import EdgeKind


def add_edge(case: Case, task: int, *, source: int, target: int, kind: EdgeKind | None = None) -> Case:
    """Draw a dependency; the answer follows the new sinks.

    Args:
        case: The case.
        task: Task number.
        source: The step to wait for.
        target: The step that waits.
        kind: `parameter` or `logical`; None: `parameter` where a value flows from the one to the other.

    Raises:
        InputError: There is no such task, or the kind is `derived`.
        GraphError: The dependency is there already, names no step, touches the answer, or closes a
            circle, which the error names.
    """
    found = task_at(case, task)
    _require_drawable(kind)
    check_new_edge(found, source, target)
    edge = Edge(source=source, target=target, kind=kind or flowing_kind(found, source, target=target))
    return with_task(case, task, changed=with_drawn_edges(found, [*found.drawn_edges, edge]))


def add_edges(case: Case, task: int, *, edges: Iterable[Edge]) -> Case:
    """Draw several dependencies; raises as `add_edge` does."""
    for edge in edges:
        case = add_edge(case, task, source=edge.source, target=edge.target, kind=edge.kind)
    return case


def redraw(case: Case, task: int, *, edges: Iterable[Edge]) -> Case:
    """Draw these dependencies and no others; raises as `add_edge` does."""
    return add_edges(clear_edges(case, task), task, edges=edges)


def flowing_kind(task: Task, source: int, *, target: int) -> EdgeKind:
    """The kind a dependency has by itself: `parameter` where a value flows along it, else `logical`."""
    first, second = task.steps[source], task.steps[target]
    brought = (
        first.observation if isinstance(first, Call) else first.reply if isinstance(first, Ask) else None
    )
    if isinstance(second, Call) and brought is not None and flows(second.arguments, brought):
        return EdgeKind.PARAMETER
    return EdgeKind.LOGICAL


def remove_edge(case: Case, task: int, *, source: int, target: int) -> Case:
    """Remove a drawn dependency; the answer follows the new sinks.

    Raises:
        InputError: There is no such drawn dependency.
    """
    found = task_at(case, task)
    _require_drawn(found, source, target)
    kept = [edge for edge in found.drawn_edges if edge.pair != (source, target)]
    return with_task(case, task, changed=with_drawn_edges(found, kept))


def set_edge_kind(case: Case, task: int, *, source: int, target: int, kind: EdgeKind) -> Case:
    """Say why one step waits for another.

    Raises:
        InputError: There is no such drawn dependency, or the kind is `derived`.
    """
    found = task_at(case, task)
    _require_drawn(found, source, target)
    _require_drawable(kind)
    edges = tuple(
        edge.model_copy(update={"kind": kind}) if edge.pair == (source, target) else edge
        for edge in found.edges
    )
    return with_task(case, task, changed=found.model_copy(update={"edges": edges}))


def clear_edges(case: Case, task: int) -> Case:
    """Have no step wait for another; the answer follows them all.

    Raises:
        InputError: There is no such task.
    """
    return with_task(case, task, changed=with_drawn_edges(task_at(case, task), ()))


def chain_rounds(case: Case, task: int) -> Case:
    """Draw the order recorded; see `recorded_order`.

    Raises:
        InputError: There is no such task.
    """
    found = task_at(case, task)
    edges = [
        Edge(source=source, target=target, kind=flowing_kind(found, source, target=target))
        for source, target in recorded_order(found)
    ]
    return with_task(case, task, changed=with_drawn_edges(found, edges))


def redraw_answer(case: Case, task: int) -> Case:
    """Let the answer follow every step, whatever its file said.

    Raises:
        InputError: There is no such task.
    """
    found = task_at(case, task)
    return with_task(case, task, changed=with_drawn_edges(found, found.drawn_edges))


def _require_drawn(task: Task, source: int, target: int) -> None:
    if all(edge.pair != (source, target) for edge in task.drawn_edges):
        raise InputError(
            f"There is no drawn dependency {source} -> {target}.",
            "Those at the answer follow from the others and cannot be changed by hand.",
        )


def _require_drawable(kind: EdgeKind | None) -> None:
    if kind is EdgeKind.DERIVED:
        raise InputError("A drawn dependency is 'parameter' or 'logical'.", "Choose one of the two.")
