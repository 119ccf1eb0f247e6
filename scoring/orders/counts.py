"""How many legal executions a set of steps has, by number of rounds.

A set of steps splits in series (everything in one part before everything in the next) or in parallel
(no dependency between the parts) as often as it can; what splits no further is counted by dynamic
programming over its down-sets, interchangeable steps taken as one kind (scoring 2.1). An execution in k
rounds is a strictly order-preserving map onto {1..k}; the maps into {1..m}, gaps allowed, multiply over
parallel parts (Stanley's strict order polynomial), and finite differences turn them back into counts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, pairwise
from math import comb, prod
from operator import or_

from scoring.errors import AnnotatorError
from scoring.groups import collected, grouped
from scoring.orders.lattice import Lattice, bits, topological

Ways = tuple[int, ...]
"""Number of executions by number of rounds: item k counts those in exactly k rounds."""

_DEEPEST_SPLIT = 200


class TooManyStatesError(AnnotatorError):
    """A graph has more states than counting was allowed to visit."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"The legal orders of this task pass through more than {limit:,} states.",
            "Raise the limit, or connect steps that depend on each other.",
        )


@dataclass(frozen=True)
class One:
    """A single step."""

    step: int
    ways: Ways = (0, 1)


@dataclass(frozen=True)
class Series:
    """Parts that run one after another."""

    parts: "tuple[Block, ...]"
    ways: Ways


@dataclass(frozen=True)
class Parallel:
    """Parts without any dependency between them."""

    parts: "tuple[Block, ...]"
    ways: Ways


@dataclass(frozen=True)
class Prime:
    """A set that splits neither way.

    `kinds` are its interchangeable steps, `completions` maps each down-set (the lowest steps of every
    kind) to the number of ways to finish it, by number of rounds, packed `width` bits apiece.
    """

    kinds: tuple[tuple[int, ...], ...]
    completions: dict[int, int]
    width: int
    lattice: Lattice
    ways: Ways


Block = One | Series | Parallel | Prime


class StateLimit:
    """States that may still be visited; counting stops politely when none is left."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.left = limit

    def spend(self, count: int) -> None:
        """Take some states away.

        Raises:
            TooManyStatesError: Fewer are left.
        """
        self.left -= count
        if self.left < 0:
            raise TooManyStatesError(self.limit)


def count_block(lattice: Lattice, inside: int, *, limit: int) -> Block | None:
    """Split and count a set of steps.

    Args:
        lattice: The graph.
        inside: Steps still to run; everything else counts as done.
        limit: Most (state, next round) pairs to visit.

    Returns:
        The counted block, or None for an empty set: one execution of no rounds.

    Raises:
        TooManyStatesError: The limit is reached.
    """
    if not inside:
        return None
    return _split(lattice, inside, _related(lattice, inside), StateLimit(limit), depth=0)


def _related(lattice: Lattice, inside: int) -> dict[int, int]:
    """For each step the steps it is ordered against, directly or through others."""
    earlier: dict[int, int] = {}
    for step in topological(lattice.before, inside):
        direct = lattice.before[step] & inside
        earlier[step] = reduce(or_, (earlier[source] for source in bits(direct)), direct)
    later: dict[int, int] = {}
    for step in reversed(earlier):
        direct = lattice.after[step] & inside
        later[step] = reduce(or_, (later[target] for target in bits(direct)), direct)
    return {step: mask | later[step] for step, mask in earlier.items()}


def _components(inside: int, neighbours: dict[int, int]) -> Iterator[int]:
    """The connected parts of a set, each with its lowest step first."""
    while inside:
        part = frontier = inside & -inside
        while frontier:
            step = frontier.bit_length() - 1
            part |= neighbours[step] & inside
            inside &= ~(1 << step)
            frontier = part & inside
        yield part


def _split(
    lattice: Lattice, inside: int, related: dict[int, int], budget: StateLimit, *, depth: int
) -> Block:
    if inside.bit_count() == 1:
        return One(inside.bit_length() - 1)
    if depth > _DEEPEST_SPLIT:
        raise TooManyStatesError(budget.limit)
    parts = [*_components(inside, {step: inside & ~related[step] & ~(1 << step) for step in bits(inside)})]
    if len(parts) > 1:
        rank = {step: place for place, step in enumerate(topological(lattice.before, inside))}
        parts.sort(key=lambda part: min(rank[step] for step in bits(part)))
        blocks = tuple(_split(lattice, part, related, budget, depth=depth + 1) for part in parts)
        return Series(blocks, reduce(in_series, (block.ways for block in blocks)))
    parts = [*_components(inside, related)]
    if len(parts) > 1 and not inside & lattice.alone:
        blocks = tuple(_split(lattice, part, related, budget, depth=depth + 1) for part in parts)
        return Parallel(blocks, in_parallel([block.ways for block in blocks]))
    return _count_down_sets(lattice, inside, budget)


def in_series(first: Ways, second: Ways) -> Ways:
    """Ways of two parts that run one after the other: rounds add, ways multiply."""
    result = [0] * (len(first) + len(second) - 1)
    for i, a in enumerate(first):
        if a:
            for j, b in enumerate(second):
                result[i + j] += a * b
    return tuple(result)


@collected
def in_parallel(parts: Sequence[Ways]) -> Iterator[int]:
    """Ways of independent parts together: multiply the maps into {1..m} for m = 0..n, then difference.

    Maps of one part into {1..m} = sum over k of ways[k] * C(m, k).
    """
    most = sum(len(ways) - 1 for ways in parts)
    maps = [1] * (most + 1)
    for ways in set(parts):
        repeated = parts.count(ways)
        for m in range(most + 1):
            maps[m] *= sum(count * comb(m, k) for k, count in enumerate(ways) if count) ** repeated
    while maps:
        yield maps[0]
        maps = [b - a for a, b in pairwise(maps)]


def _kinds(lattice: Lattice, inside: int) -> tuple[tuple[int, ...], ...]:
    """Interchangeable steps: same predecessors, same successors, and alike in running alone."""
    kinds = grouped(
        ((lattice.before[step] & inside, lattice.after[step] & inside, lattice.alone >> step & 1), step)
        for step in bits(inside)
    )
    return tuple(map(tuple, kinds.values()))


def _count_down_sets(lattice: Lattice, inside: int, budget: StateLimit) -> Prime:
    """Count from the full set downwards: each state gives its ways to the states one round before it."""
    size = inside.bit_count()
    width = size * size.bit_length() + 2  # one packed count is below 2 * size**size
    kinds = _kinds(lattice, inside)
    scan = [(mask_of_steps(kind), lattice.after[kind[0]] & inside, kind) for kind in kinds]
    completions = {inside: 1}
    by_size: list[list[int]] = [[] for _ in range(size + 1)]
    by_size[size].append(inside)
    for states in reversed(by_size):
        for state in states:
            packed = completions[state] << width
            last = [
                _last_of_kind(kind, state) for mask, after, kind in scan if state & mask and not state & after
            ]
            for removed, ways in _combine(last, lattice.alone, budget):
                earlier = state & ~removed
                if earlier in completions:
                    completions[earlier] += ways * packed
                else:
                    completions[earlier] = ways * packed
                    by_size[earlier.bit_count()].append(earlier)
    return Prime(kinds, completions, width, lattice, _unpack(completions[0], width, size))


def _unpack(packed: int, width: int, size: int) -> Ways:
    low = (1 << width) - 1
    return tuple(packed >> (k * width) & low for k in range(size + 1))


def _last_of_kind(kind: tuple[int, ...], state: int) -> list[tuple[int, int]]:
    """What may have run last of one kind: (steps removed, ways to choose them) for none, one, two, ..."""
    if len(kind) == 1:
        return [(0, 1), (1 << kind[0], 1)]
    present = [step for step in kind if state >> step & 1]
    absent = len(kind) - len(present)
    removed = accumulate((1 << step for step in reversed(present)), or_, initial=0)
    return [(mask, comb(absent + k, k)) for k, mask in enumerate(removed)]


def _combine(options: list[list[tuple[int, int]]], alone: int, budget: StateLimit) -> list[tuple[int, int]]:
    """All non-empty rounds made of some of each kind; a kind that runs alone gives rounds of one step."""
    together = [option for option in options if not option[1][0] & alone]
    single = [option[1] for option in options if option[1][0] & alone]
    budget.spend(prod(map(len, together)) - 1 + len(single))
    rounds = [(0, 1)]
    for option in together:
        rounds = [(mask | more, ways * count) for more, count in option for mask, ways in rounds]
    return single + rounds[1:]


def mask_of_steps(steps: Sequence[int]) -> int:
    """The set of some steps that are known to exist."""
    return reduce(or_, (1 << step for step in steps), 0)
