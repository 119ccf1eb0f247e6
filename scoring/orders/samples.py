"""Drawing one legal execution at random, every one equally likely, from the counts by rounds."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, compress, product
from math import comb
from random import Random

from scoring.orders.counts import Block, One, Parallel, Prime, Series, in_parallel, in_series, mask_of_steps


def draw(block: Block, rounds: int, rng: Random) -> list[int]:
    """Draw one execution in exactly so many rounds, every one equally likely.

    Args:
        block: What `count_block` returned.
        rounds: A number of rounds with `block.ways[rounds] > 0`.
        rng: Source of randomness.

    Returns:
        The rounds as masks.
    """
    match block:
        case One():
            return [1 << block.step]
        case Series():
            return _draw_series(block, rounds, rng)
        case Parallel():
            return _draw_parallel(block, rounds, rng)
        case _:
            return _draw_prime(block, rounds, rng)


def pick(weights: Sequence[int], rng: Random) -> int:
    """Draw an index with the given whole-number weights, exactly."""
    ticket = rng.randrange(sum(weights))
    for index, weight in enumerate(weights):
        ticket -= weight
        if ticket < 0:
            return index
    raise AssertionError("unreachable: the ticket is below the sum of the weights")


def _draw_series(block: Series, rounds: int, rng: Random) -> list[int]:
    prefixes = list(accumulate((part.ways for part in block.parts), in_series))
    pieces = []
    for i in range(len(block.parts) - 1, 0, -1):
        part, prefix = block.parts[i], prefixes[i - 1]
        weights = [
            count * prefix[rounds - k] if 0 <= rounds - k < len(prefix) else 0
            for k, count in enumerate(part.ways)
        ]
        taken = pick(weights, rng)
        pieces.append(draw(part, taken, rng))
        rounds -= taken
    pieces.append(draw(block.parts[0], rounds, rng))
    return [mask for piece in reversed(pieces) for mask in piece]


def _draw_parallel(block: Parallel, rounds: int, rng: Random) -> list[int]:
    """Peel parts off: with i rounds for the others and j for the part, C(rounds, i) places for the
    others and C(i, i + j - rounds) choices of the rounds both share."""
    result = [0] * rounds
    places = list(range(rounds))
    for i in range(len(block.parts) - 1, 0, -1):
        part = block.parts[i]
        others = in_parallel([other.ways for other in block.parts[:i]])
        pairs = [(a, b) for a in range(1, len(others)) for b in range(1, len(part.ways))]
        here = len(places)
        weights = [
            others[a] * part.ways[b] * comb(here, a) * comb(a, a + b - here) if a <= here <= a + b else 0
            for a, b in pairs
        ]
        a, b = pairs[pick(weights, rng)]
        kept = sorted(rng.sample(places, a))
        own = sorted({*rng.sample(kept, a + b - here), *set(places).difference(kept)})
        for place, mask in zip(own, draw(part, b, rng), strict=True):
            result[place] |= mask
        places = kept
    for place, mask in zip(places, draw(block.parts[0], len(places), rng), strict=True):
        result[place] |= mask
    return result


def _draw_prime(block: Prime, rounds: int, rng: Random) -> list[int]:
    waiting = [list(kind) for kind in block.kinds]
    state, result = 0, []
    low = (1 << block.width) - 1
    while rounds:
        moves = list(_next_rounds(block, waiting, state))
        weights = [
            ways * (block.completions[mask] >> ((rounds - 1) * block.width) & low) for mask, _, ways in moves
        ]
        state, amounts, _ = moves[pick(weights, rng)]
        chosen = 0
        for kind, amount in zip(waiting, amounts, strict=True):
            for step in rng.sample(kind, amount):
                kind.remove(step)
                chosen |= 1 << step
        result.append(chosen)
        rounds -= 1
    return result


def _next_rounds(
    block: Prime, waiting: list[list[int]], state: int
) -> Iterator[tuple[int, tuple[int, ...], int]]:
    """Every kind of next round: the state it leads to, how many of each kind, ways to choose them."""
    ready = block.lattice.ready(state | ~sum(1 << step for kind in block.kinds for step in kind))
    most = [
        len(left) if ready & mask_of_steps(kind) else 0
        for kind, left in zip(block.kinds, waiting, strict=True)
    ]
    lonely = [bool(block.lattice.alone >> kind[0] & 1) for kind in block.kinds]
    for amounts in product(*(range(count + 1) for count in most)):
        if not any(amounts) or (sum(amounts) > 1 and any(compress(amounts, lonely))):
            continue
        after, ways = state, 1
        for kind, left, amount in zip(block.kinds, waiting, amounts, strict=True):
            start = len(kind) - len(left)
            after |= mask_of_steps(kind[start : start + amount])
            ways *= comb(len(left), amount)
        yield after, amounts, ways
