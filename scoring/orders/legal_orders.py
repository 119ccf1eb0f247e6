"""The legal orders of a task: how many there are, how short they can be, which come first, which remain.

A task is executed in rounds; a round is any non-empty set of ready steps (scoring 2.1, the path
enumeration of C3-Bench, Multi-Mission Tool Bench and WildToolBench). Orders are never listed to be counted.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from random import Random

from scoring.groups import collected, united
from scoring.model.graph import StepGraph
from scoring.orders.counts import TooManyStatesError, count_block
from scoring.orders.lattice import Lattice, Order, bits, lattice_of, mask_of
from scoring.orders.samples import draw, pick

STATE_LIMIT = 600_000
"""States that counting visits before it gives up: all tasks of 20 steps are counted, most in 20 ms."""


@dataclass(frozen=True)
class OrderSummary:
    """What the graph of one task allows.

    `count` is the number of legal orders and `optimal_count` how many of them are shortest; both are None
    where counting would pass through more than `state_limit` states. `rounds` is the length of the
    shortest order, `chain` a longest chain of dependent steps, `first` the first shortest order of the
    published enumeration (the one history is laid out along).
    """

    count: int | None
    optimal_count: int | None
    rounds: int
    chain: tuple[int, ...]
    first: Order
    state_limit: int


def summarise_orders(graph: StepGraph, *, isolated: bool = True, limit: int = STATE_LIMIT) -> OrderSummary:
    """Count and measure the legal orders of a task.

    Args:
        graph: The steps of the task.
        isolated: Whether questions and the answer take a round of their own (scoring 2.1, refinement).
        limit: States to visit before the counts are given up as None.

    Returns:
        The summary; a task without steps has one order of no rounds.

    Example:
        >>> two_calls_then_one = StepGraph(("a", "b", "c"), (frozenset(), frozenset(), frozenset({0, 1})))
        >>> summary = summarise_orders(two_calls_then_one)
        >>> summary.count, summary.rounds, summary.first
        (3, 2, ((0, 1), (2,)))
    """
    lattice = lattice_of(graph, isolated=isolated)
    rounds = optimal_rounds(lattice)
    ways = _ways(lattice, 0, limit)
    return OrderSummary(
        count=None if ways is None else sum(ways),
        optimal_count=None if ways is None else ways[rounds],
        rounds=rounds,
        chain=longest_dependent_chain(lattice),
        first=first_optimal_order(lattice),
        state_limit=limit,
    )


def count_orders(graph: StepGraph, *, isolated: bool = True, limit: int = STATE_LIMIT) -> int | None:
    """Number of legal orders; None where counting would pass through more than `limit` states."""
    return remaining_orders(graph, (), isolated=isolated, limit=limit)


def remaining_orders(
    graph: StepGraph, done: Iterable[int], *, isolated: bool = True, limit: int = STATE_LIMIT
) -> int | None:
    """Number of ways to finish a task once some steps are done.

    Args:
        graph: The steps of the task.
        done: Steps that have run.
        isolated: As in `summarise_orders`.
        limit: As in `summarise_orders`.

    Returns:
        The number (1 when nothing is left), or None where counting it would pass the limit.
    """
    ways = _ways(lattice_of(graph, isolated=isolated), mask_of(done, len(graph)), limit)
    return None if ways is None else sum(ways)


def _ways(lattice: Lattice, done: int, limit: int) -> tuple[int, ...] | None:
    try:
        block = count_block(lattice, lattice.full & ~done, limit=limit)
    except TooManyStatesError:
        return None
    return block.ways if block else (1,)


def ready_steps(graph: StepGraph, done: Iterable[int], *, isolated: bool = True) -> tuple[int, ...]:
    """Steps that may run next, ascending; isolated, each question and the answer only by itself."""
    return tuple(bits(lattice_of(graph, isolated=isolated).ready(mask_of(done, len(graph)))))


def is_legal_round(
    graph: StepGraph, done: Iterable[int], chosen: Iterable[int], *, isolated: bool = True
) -> bool:
    """Whether some steps may run together as the next round."""
    lattice = lattice_of(graph, isolated=isolated)
    return lattice.accepts(mask_of(done, len(graph)), mask_of(chosen, len(graph)))


def optimal_rounds(lattice: Lattice, done: int = 0) -> int:
    """Length of the shortest order of what is left (scoring 2.1; C3-Bench, MMTB, WildToolBench).

    Rounds = steps that run alone + the most other steps on one dependency chain: running every lone step
    as soon as it is ready and then everything else that is ready can never be beaten, since a larger set
    of finished steps allows whatever a smaller one does. Without lone steps: the longest chain.
    """
    left = lattice.full & ~done
    return (left & lattice.alone).bit_count() + max(lattice.heights(left).values(), default=0)


@collected
def longest_dependent_chain(lattice: Lattice) -> Iterator[int]:
    """The steps of a longest chain of dependencies, in order; of several the one with the lowest steps."""
    heights = Lattice(lattice.before, lattice.after, 0).heights(lattice.full)
    candidates = lattice.ready(0)
    while candidates:
        best = max(bits(candidates), key=lambda step: (heights[step], -step))
        yield best
        candidates = lattice.after[best]


@collected
def first_optimal_order(lattice: Lattice) -> Iterator[tuple[int, ...]]:
    """The first of the shortest orders, as enumerated by size, then lexicographically (scoring 2.1).

    A round shortens what is left only if it is a lone step or holds every step of full height, so the
    smallest such round comes first: without lone steps the "as late as possible" schedule.
    """
    done = 0
    # What follows a step that is left is left too: its height never changes.
    levels = united((height, 1 << step) for step, height in lattice.heights(lattice.full).items())
    for most in sorted(levels, reverse=True):
        while levels[most] & ~done:
            tallest = levels[most] & ~done & ~lattice.alone
            ready = lattice.ready(done, among=lattice.alone | tallest)
            lone = ready & lattice.alone
            chosen = tallest
            if lone:
                alternatives = lone | (tallest if tallest.bit_count() == 1 and tallest & ready else 0)
                chosen = alternatives & -alternatives
            yield tuple(bits(chosen))
            done |= chosen


def list_orders(
    graph: StepGraph, *, at_most: int, isolated: bool = True, done: Iterable[int] = ()
) -> Iterator[Order]:
    """List legal orders lazily, in the published order: rounds by size, then lexicographically.

    Args:
        graph: The steps of the task.
        at_most: How many to list.
        isolated: As in `summarise_orders`.
        done: Steps that have run already; the orders are those of the rest.
    """
    return islice(_walk(lattice_of(graph, isolated=isolated), mask_of(done, len(graph))), at_most)


def _walk(lattice: Lattice, done: int) -> Iterator[Order]:
    path: list[tuple[int, ...]] = []
    open_rounds = [_rounds_from(lattice, done)]
    states = [done]
    if done == lattice.full:
        yield ()
    while open_rounds:
        chosen = next(open_rounds[-1], None)
        if chosen is None:
            open_rounds.pop()
            states.pop()
            if path:
                path.pop()
            continue
        reached = states[-1] | sum(1 << step for step in chosen)
        if reached == lattice.full:
            yield (*path, chosen)
            continue
        path.append(chosen)
        states.append(reached)
        open_rounds.append(_rounds_from(lattice, reached))


def _rounds_from(lattice: Lattice, done: int) -> Iterator[tuple[int, ...]]:
    """Every legal next round, by size, then lexicographically."""
    ready = lattice.ready(done)
    together = tuple(bits(ready & ~lattice.alone))
    yield from ((step,) for step in bits(ready))
    for size in range(2, len(together) + 1):
        yield from combinations(together, size)


def sample_order(
    graph: StepGraph, rng: Random, *, isolated: bool = True, limit: int = STATE_LIMIT
) -> Order | None:
    """Draw one legal order, each of them equally likely.

    Args:
        graph: The steps of the task.
        rng: Source of randomness; the same state draws the same order.
        isolated: As in `summarise_orders`.
        limit: As in `summarise_orders`.

    Returns:
        The order, or None where counting would pass the limit.
    """
    lattice = lattice_of(graph, isolated=isolated)
    try:
        block = count_block(lattice, lattice.full, limit=limit)
    except TooManyStatesError:
        return None
    if block is None:
        return ()
    return tuple(tuple(bits(mask)) for mask in draw(block, pick(block.ways, rng), rng))
