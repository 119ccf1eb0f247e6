"""Where cards and stops go when a drawing is edited: what the edit does not touch stays where it was."""

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

_STOP_CLEARANCE = 10.0
_LINE_WIDTH = 2.0
_ROUNDING = 1e-7
"""Overlap that comes of adding numbers up: what stood in a gap just as wide as itself fits there again."""


Course = tuple[tuple[float, float], ...]
"""The stops of an edge as (x, height), from top to bottom."""


@dataclass
class Row:
    """What stands in one round from left to right: intervals that do not overlap."""

    taken: list[tuple[float, float]] = field(default_factory=list)

    def take(self, middle: float, half: float) -> None:
        """Note that something stands here."""
        insort(self.taken, (middle - half, middle + half))

    def nearest(self, wanted: float, half: float) -> float:
        """The free place nearest to a wanted one.

        Args:
            wanted: Centre that is wished for.
            half: Free space needed on both sides of the centre.
        """
        rights = self._pushed_right(wanted, half)
        if rights == wanted:
            return wanted
        lefts = self._pushed_left(wanted, half)
        return rights if rights - wanted <= wanted - lefts else lefts

    def _pushed_right(self, wanted: float, half: float) -> float:
        x = wanted
        # The interval that begins before may still reach here.
        for at in range(max(bisect_left(self.taken, (wanted, wanted)) - 1, 0), len(self.taken)):
            left, right = self.taken[at]
            if left >= x + half - _ROUNDING:
                break
            if right > x - half + _ROUNDING:
                x = right + half
        return x

    def _pushed_left(self, wanted: float, half: float) -> float:
        x = wanted
        for at in range(bisect_left(self.taken, (wanted + half, wanted + half)) - 1, -1, -1):
            left, right = self.taken[at]
            if right <= x - half + _ROUNDING:
                break
            if left < x + half - _ROUNDING:
                x = left - half
        return x


@dataclass(frozen=True)
class Former:
    """What an edited drawing looked like before, by the present numbers of the steps.

    `pairs` are its dependencies; `middles` and `rounds` know only the steps that were there. `places` has
    for (step, round) where a step stood when it was last in that round.
    """

    middles: Mapping[int, float]
    rounds: Mapping[int, int]
    pairs: frozenset[tuple[int, int]]
    stops: Mapping[tuple[int, int], Course]
    places: Mapping[tuple[int, int], float]


def settle_cards(
    widths: Sequence[float],
    rounds: Sequence[int],
    pairs: Collection[tuple[int, int]],
    *,
    former: Former,
    answers: Collection[int],
    gap: float,
) -> tuple[dict[int, float], list[Row]]:
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
        The centre of each card, and the rounds with the cards in them.
    """
    rows = [Row() for _ in range(max(rounds, default=-1) + 1)]
    staying = [step for step in range(len(widths)) if former.rounds.get(step) == rounds[step]]
    middles = _kept(staying, widths, rounds, former=former, gap=gap)
    for step, middle in middles.items():
        rows[rounds[step]].take(middle, widths[step] / 2)
    moving = sorted(set(range(len(widths))) - set(staying), key=lambda step: (rounds[step], step))
    above, was_above = (_above(pairs), _above(former.pairs)) if moving else ({}, {})
    for step in moving:
        half, row = widths[step] / 2, rows[rounds[step]]
        wanted = former.places.get((step, rounds[step]))
        if wanted is None:
            wanted = former.middles.get(step)
            if wanted is None or (above.get(step) != was_above.get(step) and step not in answers):
                wanted = _mean([middles[other] for other in above.get(step, ()) if other in middles], wanted)
        if wanted is None:
            wanted = row.taken[-1][1] + gap + half if row.taken else 0.0
        middles[step] = row.nearest(wanted, half + gap)
        row.take(middles[step], half)
    return middles, rows


def _kept(
    staying: Collection[int],
    widths: Sequence[float],
    rounds: Sequence[int],
    *,
    former: Former,
    gap: float,
) -> dict[int, float]:
    """Where the steps that stay in their round stand: where they did, unless one of them grew."""
    by_round: dict[int, list[int]] = {}
    for step in sorted(staying, key=lambda step: former.middles[step]):
        by_round.setdefault(rounds[step], []).append(step)
    middles = {step: former.middles[step] for step in staying}
    for steps in by_round.values():
        apart = [(widths[left] + widths[right]) / 2 + gap for left, right in pairwise(steps)]
        wanted = [middles[step] for step in steps]
        if any(b - a < least - 0.01 for a, b, least in zip(wanted, wanted[1:], apart, strict=False)):
            middles.update(zip(steps, pack(wanted, apart), strict=True))
    return middles


def settle_stops(
    rounds: Sequence[int],
    middles: Mapping[int, float],
    pairs: Iterable[tuple[int, int]],
    *,
    rows: Sequence[Row],
    levels: Sequence[float],
    former: Former,
) -> dict[tuple[int, int], Course]:
    """Lead long edges past the cards of the rounds between, each on a line of its own.

    Args:
        rounds: Round of each step.
        middles: Centre of each card.
        pairs: Dependencies.
        rows: The rounds with the cards in them; the stops are added to those some edge looks for its way in.
        levels: Height of the middle of each round.
        former: The drawing before; an edge whose ends did not move keeps its course in the rounds nothing
            changed in, before all others, and in the rest of the rounds where it is free.

    Returns:
        For each edge that passes rounds its stops as (x, height), from top to bottom.
    """
    still = {
        step
        for step, middle in former.middles.items()
        if former.rounds[step] == rounds[step] and middle == middles[step]
    }
    changed = {rounds[step] for step in middles if step not in still}
    changed |= {former.rounds[step] for step in former.middles if step not in still}
    stops: dict[tuple[int, int], Course] = {}
    others: dict[tuple[int, int], Course] = {}
    for pair in sorted(pairs):
        between = range(rounds[pair[0]] + 1, rounds[pair[1]])
        kept = former.stops.get(pair, ())
        is_kept = len(kept) == len(between) and pair[0] in still and pair[1] in still
        if between and is_kept and changed.isdisjoint(between):
            stops[pair] = kept
        elif between:
            others[pair] = kept if is_kept else ()
    searched = {
        number
        for (source, target), kept in others.items()
        for number in range(rounds[source] + 1, rounds[target])
        if not kept or number in changed
    }
    _let_pass({**stops, **others}, searched - changed, rows=rows, rounds=rounds)
    for pair, kept in others.items():
        stops[pair] = _led(pair, rounds, middles, kept=kept, changed=changed, rows=rows, levels=levels)
    return stops


def _led(
    pair: tuple[int, int],
    rounds: Sequence[int],
    middles: Mapping[int, float],
    *,
    kept: Course,
    changed: Collection[int],
    rows: Sequence[Row],
    levels: Sequence[float],
) -> Course:
    """Lead one edge: as it was in unchanged rounds, near to that or straight on in the others."""
    source, target = pair
    x, course = middles[source], []
    for at, number in enumerate(range(rounds[source] + 1, rounds[target])):
        if kept and number not in changed:
            x = kept[at][0]
        else:
            straight = x + (middles[target] - x) / (rounds[target] - number + 1)
            x = rows[number].nearest(kept[at][0] if kept else straight, _STOP_CLEARANCE)
            rows[number].take(x, _LINE_WIDTH / 2)
        course.append((x, levels[number]))
    return tuple(course)


def _let_pass(
    stops: Mapping[tuple[int, int], Course],
    numbers: Collection[int],
    *,
    rows: Sequence[Row],
    rounds: Sequence[int],
) -> None:
    """Note in some rounds which lines pass there already."""
    for (source, _), course in stops.items():
        for number, (x, _) in enumerate(course, start=rounds[source] + 1):
            if number in numbers:
                rows[number].taken.append((x - _LINE_WIDTH / 2, x + _LINE_WIDTH / 2))
    for number in numbers:
        rows[number].taken.sort()


def _above(pairs: Collection[tuple[int, int]]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for source, target in pairs:
        found.setdefault(target, set()).add(source)
    return found


def _mean(values: Sequence[float], otherwise: float | None) -> float | None:
    return sum(values) / len(values) if values else otherwise


def pack(wanted: Sequence[float], apart: Sequence[float]) -> list[float]:
    """Move points as little as possible so that neighbours keep their distance.

    Least squares under an order, by pooling neighbours that would overlap (isotonic regression).

    Args:
        wanted: Where each point would like to be, from left to right.
        apart: Least distance between each point and the next; one item fewer.

    Returns:
        Where each point is.
    """
    offsets = [0.0]
    for distance in apart:
        offsets.append(offsets[-1] + distance)
    blocks: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=False):
        blocks.append((want - offset, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (mean_b, count_b), (mean_a, count_a) = blocks.pop(), blocks.pop()
            count = count_a + count_b
            blocks.append(((mean_a * count_a + mean_b * count_b) / count, count))
    means = [mean for mean, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=False)]
