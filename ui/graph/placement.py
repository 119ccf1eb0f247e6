"""Where cards and lines go from left to right: with few crossings, or where they were before an edit."""

from bisect import bisect_right, insort
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, combinations, pairwise
from math import inf
from statistics import fmean

from scoring.groups import grouped

STOP_WIDTH = 16.0
"""What an edge takes of a round it passes."""
_STOP_CLEARANCE = 10.0
_LINE_WIDTH = 2.0
_ROUNDING = 1e-7
"""Overlap that comes of adding numbers up: what stood in a gap just as wide as itself fits there again."""

Pair = tuple[int, int]
Interval = tuple[float, float]
Stops = Mapping[Pair, Sequence[float]]
"""Where an edge passes the rounds between its two cards, from top to bottom."""


@dataclass(frozen=True, eq=False)
class RoundSlot:
    """One place in a round: a step, or a stop of an edge that passes through the round.

    `edge` is the edge that passes; None for a step.
    """

    step: int
    round: int
    edge: Pair | None = None


Link = tuple[RoundSlot, RoundSlot]
Rows = Sequence[Sequence[RoundSlot]]


def arrange_steps(
    widths: Sequence[float], rounds: Sequence[int], pairs: Collection[Pair], *, gap: float, room: float
) -> tuple[dict[int, float], dict[Pair, list[float]]]:
    """Place cards and long edges anew, with few crossings.

    Args:
        widths: Width of each card.
        rounds: Round of each step.
        pairs: Dependencies; those that do not lead downwards are left to the caller to route.
        gap: Least space between two cards of a round.
        room: A round that is no wider stays within this width.

    Returns:
        The centre of each card, and the stops of each edge that passes rounds.
    """
    rows, links = order_slots(rounds, [pair for pair in pairs if rounds[pair[0]] < rounds[pair[1]]])
    placed = _spread(rows, links, widths, gap=gap, room=room).items()
    return (
        {slot.step: x for slot, x in placed if slot.edge is None},
        grouped((slot.edge, x) for slot, x in placed if slot.edge is not None),
    )


def order_slots(rounds: Sequence[int], pairs: Sequence[Pair]) -> tuple[Rows, list[Link]]:
    """Order the steps of each round so that few edges cross (barycentre heuristic of Sugiyama, 1981).

    Args:
        rounds: The round of each step.
        pairs: Dependencies that lead downwards.

    Returns:
        For each round its slots from left to right, and what links them; long edges hold a slot in every
        round they pass.
    """
    rows, links = _slots(rounds, pairs)
    best = [list(row) for row in rows]
    best_crossings = crossings(best, links)
    for sweep in range(8 if best_crossings else 0):
        _sweep(rows, links, is_down=sweep % 2 == 0)
        count = crossings(rows, links)
        if count < best_crossings:
            best, best_crossings = [list(row) for row in rows], count
    return best, links


def _slots(rounds: Sequence[int], pairs: Sequence[Pair]) -> tuple[list[list[RoundSlot]], list[Link]]:
    rows: list[list[RoundSlot]] = [[] for _ in range(max(rounds, default=-1) + 1)]
    steps = [RoundSlot(step, row) for step, row in enumerate(rounds)]
    for slot in steps:
        rows[slot.round].append(slot)
    links: list[Link] = []
    for source, target in pairs:
        last = steps[source]
        for row in range(rounds[source] + 1, rounds[target]):
            stop = RoundSlot(source, row, (source, target))
            rows[row].append(stop)
            links.append((last, stop))
            last = stop
        links.append((last, steps[target]))
    return rows, links


def crossings(rows: Sequence[Sequence[RoundSlot]], links: Sequence[Link]) -> int:
    """Count pairs of edges that cross between neighbouring rounds."""
    place = {slot: at for row in rows for at, slot in enumerate(row)}
    by_round = grouped((upper.round, (place[upper], place[lower])) for upper, lower in links)
    # Sorted by their upper ends, edges cross where the lower ends are out of order.
    return sum(
        one > other
        for between in by_round.values()
        for (_, one), (_, other) in combinations(sorted(between), 2)
    )


def _sweep(rows: list[list[RoundSlot]], links: list[Link], *, is_down: bool) -> None:
    neighbours = grouped((lower, upper) if is_down else (upper, lower) for upper, lower in links)
    order = range(1, len(rows)) if is_down else range(len(rows) - 2, -1, -1)
    for number in order:
        fixed = {slot: at for at, slot in enumerate(rows[number - 1 if is_down else number + 1])}
        here = {slot: float(at) for at, slot in enumerate(rows[number])}
        for slot in rows[number]:
            near = [fixed[other] for other in neighbours.get(slot, ()) if other in fixed]
            if near:
                here[slot] = sum(near) / len(near)
        rows[number].sort(key=here.__getitem__)


def _spread(
    rows: Rows, links: Sequence[Link], widths: Sequence[float], *, gap: float, room: float
) -> dict[RoundSlot, float]:
    """Give each slot its centre: as near to its neighbours as the order and the gaps allow."""
    size = {slot: STOP_WIDTH if slot.edge else widths[slot.step] for row in rows for slot in row}
    near = grouped(ends for upper, lower in links for ends in ((upper, lower), (lower, upper)))
    apart = [[(size[left] + size[right]) / 2 + gap for left, right in pairwise(row)] for row in rows]
    placed = list(zip(rows, apart, strict=True))
    centre = {
        slot: x
        for row, distances in placed
        for slot, x in zip(row, pack([0.0] * len(row), distances), strict=True)
    }
    for turn in range(6):
        for row, distances in placed if turn % 2 == 0 else reversed(placed):
            wanted = [fmean([centre[other] for other in near.get(slot, [slot])]) for slot in row]
            found = pack(wanted, distances)
            left, right = found[0] - size[row[0]] / 2, found[-1] + size[row[-1]] / 2
            if right - left <= room + _ROUNDING:
                aside = max(-room / 2 - left, 0) - max(right - room / 2, 0)
                found = [x + aside for x in found]
            centre.update(zip(row, found, strict=True))
    return centre


@dataclass(frozen=True)
class Former:
    """What an edited drawing looked like before, by the present numbers of the steps.

    `pairs` are its dependencies; `middles` and `rounds` know only the steps that were there. `places` has
    for (step, round) where a step stood when it was last in that round and nothing pushed it aside.
    """

    middles: Mapping[int, float] = field(default_factory=dict)
    rounds: Mapping[int, int] = field(default_factory=dict)
    pairs: frozenset[Pair] = frozenset()
    stops: Stops = field(default_factory=dict)
    places: Mapping[tuple[int, int], float] = field(default_factory=dict)


def place_steps(
    widths: Sequence[float],
    rounds: Sequence[int],
    pairs: Collection[Pair],
    *,
    former: Former,
    answers: Collection[int],
    gap: float,
) -> dict[int, float]:
    """Place cards after an edit.

    A step that stays in its round does not move. One that changes it goes where it stood when it was last
    in that round; else it keeps its column, or, where the edit gave it other steps to wait for, goes below
    them.

    Args:
        widths: Width of each card.
        rounds: Round of each step.
        pairs: Dependencies.
        former: The drawing before.
        answers: Steps that are final answers; they keep their column whatever they wait for.
        gap: Least space between two cards of a round.

    Returns:
        The centre of each card.
    """
    staying = [step for step, number in enumerate(rounds) if former.rounds.get(step) == number]
    middles = _kept(staying, widths, rounds, former=former, gap=gap)
    rows = _occupied(widths, rounds, middles)
    above, was_above = _above(pairs), _above(former.pairs)
    moving = set(range(len(widths))) - set(staying)
    for step in sorted(moving, key=lambda step: (rounds[step], step)):
        number, half = rounds[step], widths[step] / 2
        wanted = former.places.get((step, number), former.middles.get(step))
        is_moved = above.get(step) != was_above.get(step) and step not in answers
        if (step, number) not in former.places and (wanted is None or is_moved):
            over = [middles[other] for other in above.get(step, ()) if other in middles]
            wanted = fmean(over) if over else wanted
        if wanted is None:
            # Near to the rest: edits one after another must not run away to one side.
            wanted = fmean(middles.values()) if middles else 0.0
        middles[step] = _nearest(rows[number], wanted, half + gap)
        insort(rows[number], (middles[step] - half, middles[step] + half))
    return middles


def _kept(
    staying: Collection[int], widths: Sequence[float], rounds: Sequence[int], *, former: Former, gap: float
) -> dict[int, float]:
    """Where the steps that stay in their round stand: at their places, unless one of them grew."""
    from_left = sorted(staying, key=lambda step: former.middles[step])
    by_round = grouped((rounds[step], step) for step in from_left)
    middles = {step: former.places[step, rounds[step]] for step in staying}
    for steps in by_round.values():
        apart = [(widths[left] + widths[right]) / 2 + gap for left, right in pairwise(steps)]
        wanted = [middles[step] for step in steps]
        if any(b - a < least - 0.01 for (a, b), least in zip(pairwise(wanted), apart, strict=True)):
            middles.update(zip(steps, pack(wanted, apart), strict=True))
    return middles


def _above(pairs: Collection[Pair]) -> dict[int, set[int]]:
    found = grouped((target, source) for source, target in pairs)
    return {target: set(sources) for target, sources in found.items()}


def kept_stops(former: Former, rounds: Sequence[int], middles: Mapping[int, float]) -> Stops:
    """The stops of edges whose two cards did not move."""
    still = {
        step
        for step, middle in former.middles.items()
        if former.rounds[step] == rounds[step] and middle == middles[step]
    }
    return {pair: xs for pair, xs in former.stops.items() if still.issuperset(pair)}


def lead_edges(
    pairs: Collection[Pair],
    widths: Sequence[float],
    rounds: Sequence[int],
    middles: Mapping[int, float],
    *,
    kept: Stops,
) -> dict[Pair, list[float]]:
    """Lead long edges past the cards of the rounds between, each on a line of its own.

    Args:
        pairs: Dependencies.
        widths: Width of each card.
        rounds: Round of each step.
        middles: Centre of each card.
        kept: Stops of edges before an edit; they choose before all others, and stay where it is free.

    Returns:
        For each edge that passes rounds its stops.
    """
    rows = _occupied(widths, rounds, middles)
    stops: dict[Pair, list[float]] = {}
    for pair in sorted(pairs, key=lambda pair: (pair not in kept, pair)):
        (source, target), x = pair, middles[pair[0]]
        for at, number in enumerate(range(rounds[source] + 1, rounds[target])):
            straight = x + (middles[target] - x) / (rounds[target] - number + 1)
            x = _nearest(rows[number], kept[pair][at] if pair in kept else straight, _STOP_CLEARANCE)
            insort(rows[number], (x - _LINE_WIDTH / 2, x + _LINE_WIDTH / 2))
            stops.setdefault(pair, []).append(x)
    return stops


def _occupied(
    widths: Sequence[float], rounds: Sequence[int], middles: Mapping[int, float]
) -> list[list[Interval]]:
    """What stands in each round from left to right."""
    rows: list[list[Interval]] = [[] for _ in range(max(rounds, default=-1) + 1)]
    for step, middle in middles.items():
        insort(rows[rounds[step]], (middle - widths[step] / 2, middle + widths[step] / 2))
    return rows


def _nearest(row: Sequence[Interval], wanted: float, half: float) -> float:
    """The free place of a round that is nearest to a wanted one, with so much space on both sides."""
    at = bisect_right(row, (wanted, wanted))
    before, after = row[at - 1][1] if at else -inf, row[at][0] if at < len(row) else inf
    if before + half <= wanted + _ROUNDING and after - half >= wanted - _ROUNDING:
        return wanted
    return min(_free(row, wanted, half), key=lambda x: abs(x - wanted))


def _free(row: Sequence[Interval], wanted: float, half: float) -> Iterator[float]:
    for (_, left), (right, _) in pairwise([(-inf, -inf), *row, (inf, inf)]):
        if right - left >= 2 * half - _ROUNDING:
            yield min(max(wanted, left + half), right - half)


def pack(wanted: Sequence[float], apart: Sequence[float]) -> list[float]:
    """Move points as little as possible so that neighbours keep their distance.

    Least squares under an order, by pooling neighbours that would overlap (isotonic regression).

    Args:
        wanted: Where each point would like to be, from left to right.
        apart: Least distance between each point and the next; one item fewer.

    Returns:
        Where each point is.
    """
    offsets = [*accumulate(apart, initial=0.0)]
    blocks: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=False):
        blocks.append((want - offset, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (mean_b, count_b), (mean_a, count_a) = blocks.pop(), blocks.pop()
            count = count_a + count_b
            blocks.append(((mean_a * count_a + mean_b * count_b) / count, count))
    means = [mean for mean, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=False)]
