"""The rounds in which a task's steps are laid out as messages (formats 10.1)."""

from collections.abc import Iterator
from itertools import groupby

from scoring.groups import collected
from scoring.model.case import Call, Task
from scoring.model.graph import step_graph
from scoring.orders.lattice import lattice_of
from scoring.orders.legal_orders import first_optimal_order

Rounds = tuple[tuple[int, ...], ...]


def rounds_of(task: Task) -> Rounds:
    """Lay the steps of a task out in rounds.

    Args:
        task: Any task; one without steps has no rounds.

    Returns:
        Step numbers of each round: as recorded while the task has no drawn dependency, else along the
        first optimal order. Questions and the answer stand alone.
    """
    if task.drawn_edges or all(step.recorded_round is None for step in task.steps):
        return first_optimal_order(lattice_of(step_graph(task), isolated=True))
    return _as_recorded(task)


@collected
def _as_recorded(task: Task) -> Iterator[tuple[int, ...]]:
    """A step without a recorded round was added by hand: it follows its neighbour in a round of its own."""
    placed: list[tuple[float, int]] = []
    last = -1.0
    for i, step in enumerate(task.steps):
        last = float(step.recorded_round) if step.recorded_round is not None else int(last) + 0.5
        placed.append((last, i))
    for _, group in groupby(sorted(placed), key=lambda entry: entry[0]):
        numbers = [i for _, i in group]
        calls = tuple(i for i in numbers if isinstance(task.steps[i], Call))
        yield from [calls] if calls else []
        yield from ((i,) for i in numbers if i not in calls)
