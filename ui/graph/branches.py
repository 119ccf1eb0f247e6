"""The decision tree of a game, one branching at a time: which rounds may come next, and what each leaves."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice

from scoring.lattice import bits, lattice_of
from ui.graph.simulation import Simulation

AT_MOST = 16
"""Branches listed at one point; a task with twenty ready calls has a million."""


@dataclass(frozen=True)
class Branch:
    """One way to go on: the round, the game after it, and how many orders that leaves.

    `remaining` is null where counting takes too long.
    """

    steps: tuple[int, ...]
    game: Simulation
    remaining: int | None

    @property
    def is_optimal(self) -> bool:
        """Whether the fewest rounds are still within reach after it."""
        return self.game.is_optimal


@dataclass(frozen=True)
class Branching:
    """The branches at one point, the widest rounds first, and how many more there are."""

    branches: tuple[Branch, ...]
    left_out: int


def branching_of(game: Simulation, *, at_most: int = AT_MOST) -> Branching:
    """List the rounds that may come next in a game.

    Args:
        game: Where it stands; what is chosen but not played does not matter.
        at_most: Branches to list.

    Returns:
        Questions and the answer each by themselves, then calls together, as many as possible first;
        nothing once the game is over.
    """
    lone, together = _ready(game)
    total = len(lone) + (1 << len(together)) - 1
    # Where even the whole is too much to count, so are most of its parts.
    is_countable = game.remaining is not None
    listed = tuple(
        Branch(steps, after, after.remaining if is_countable else None)
        for steps in islice(_rounds(lone, together), at_most)
        for after in (game.playing(steps),)
    )
    return Branching(listed, total - len(listed))


def _ready(game: Simulation) -> tuple[tuple[int, ...], tuple[int, ...]]:
    alone = set(bits(lattice_of(game.graph).alone))
    ready = game.ready
    return tuple(s for s in ready if s in alone), tuple(s for s in ready if s not in alone)


def _rounds(lone: tuple[int, ...], together: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    yield from ((step,) for step in lone)
    for size in range(len(together), 0, -1):
        yield from combinations(together, size)
