"""The down-sets of a task's graph as bit masks: which steps are ready, and which never run beside another."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scoring.errors import GraphError
from scoring.groups import collected
from scoring.model.graph import StepGraph

Order = tuple[tuple[int, ...], ...]
"""One legal execution: its rounds in order, each with its steps in ascending order."""


@dataclass(frozen=True)
class Lattice:
    """A graph as masks: bit i stands for step i, a set of finished steps is one integer.

    `before[i]` and `after[i]` are the direct predecessors and successors of step i, `alone` the steps
    that take a round of their own.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    alone: int

    @property
    def full(self) -> int:
        """The set of all steps."""
        return (1 << len(self.before)) - 1

    def ready(self, done: int, *, among: int | None = None) -> int:
        """Steps outside `done` whose predecessors are all in it; only those of another set where given."""
        left = (self.full if among is None else among) & ~done
        before, result = self.before, 0
        while left:
            low = left & -left
            left ^= low
            if not before[low.bit_length() - 1] & ~done:
                result |= low
        return result

    def accepts(self, done: int, chosen: int) -> bool:
        """Whether the steps of `chosen` may form the next round once `done` is done."""
        if not chosen or chosen & ~self.ready(done):
            return False
        return not chosen & self.alone or chosen.bit_count() == 1

    def heights(self, inside: int) -> dict[int, int]:
        """For each step of a set that is closed under successors, the most rounds a chain from it takes.

        Steps of `alone` add no height: all of them cost one round each wherever they stand, so only the
        chains of the others decide which of the others must run now (see `optimal_rounds`).
        """
        result: dict[int, int] = {}
        for step in reversed(topological(self.before, inside)):
            below = max((result[later] for later in bits(self.after[step] & inside)), default=0)
            result[step] = below + (0 if self.alone >> step & 1 else 1)
        return result


def lattice_of(graph: StepGraph, *, isolated: bool = True) -> Lattice:
    """Turn a graph into masks.

    Args:
        graph: The steps of one task.
        isolated: Whether questions and answers take a round of their own and the answer waits for
            everything else (scoring 2.1, the refinement); otherwise the bare rules of the papers.

    Returns:
        The lattice. Isolated, an edge that leaves an answer is void: the answer comes last.
    """
    before = [sum(1 << source for source in sources) for sources in graph.before]
    alone = 0
    if isolated:
        answers = sum(1 << step for step in graph.answers)
        others = ((1 << len(graph)) - 1) & ~answers
        before = [others if answers >> step & 1 else mask & ~answers for step, mask in enumerate(before)]
        alone = sum(1 << step for step in graph.pseudo)
    after = [0] * len(graph)
    for step, mask in enumerate(before):
        for source in bits(mask):
            after[source] |= 1 << step
    return Lattice(tuple(before), tuple(after), alone)


def bits(mask: int) -> Iterator[int]:
    """The steps of a set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(steps: Iterable[int], step_count: int) -> int:
    """The set of some steps.

    Raises:
        GraphError: A number is no step of the task.
    """
    mask = 0
    for step in steps:
        if not 0 <= step < step_count:
            raise GraphError(f"There is no step {step} among {step_count}.", "Correct the step number.")
        mask |= 1 << step
    return mask


@collected
def topological(before: tuple[int, ...], inside: int) -> Iterator[int]:
    """The steps of a set in an order in which predecessors inside the set come first."""
    done = ~inside
    waiting = list(bits(inside))
    while waiting:
        later = []
        for step in waiting:
            if before[step] & ~done:
                later.append(step)
            else:
                yield step
                done |= 1 << step
        waiting = later
