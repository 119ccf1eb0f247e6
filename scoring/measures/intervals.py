"""How sure a number is: percentile bootstrap over counted units, and Wilson intervals for shares."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, sqrt
from statistics import NormalDist
from typing import Generic

from scoring.generics import K
from scoring.groups import summed
from scoring.model.record import Record

Sums = Mapping[Hashable, float]
"""Named totals over units: all a statistic needs to know about a sample."""


RESAMPLES = 1000
"""Samples drawn for an interval wherever nobody asks for another number: one figure has one interval."""

NOT_DRAWN = "no interval was drawn"
TOO_FEW_UNITS = "fewer than two units to draw samples from"

CHUNK = 100
"""Resamples drawn at a time: keeps the table of ten thousand distinct units within a few megabytes."""


class Interval(Record):
    """The bounds of an interval at the level that was asked for; `low` <= `high`."""

    low: float
    high: float


@dataclass(frozen=True)
class Drawn:
    """What resampling gave: an interval, or one sentence's worth of why there is none; never both."""

    interval: Interval | None = None
    why_none: str | None = None


@dataclass(frozen=True)
class Statistic(Generic[K]):
    """A number that depends on a sample only through sums over its units.

    `parts` gives what one unit adds to each sum, `value` the number for given sums, None where it is
    undefined. Sums a sample never touched are absent. Because equal units add equal parts, a sample
    of ten thousand units is as cheap as its few distinct ones.
    """

    parts: Callable[[K], Sums]
    value: Callable[[Sums], float | None]


def add_up(units: Mapping[K, int], parts: Callable[[K], Sums]) -> dict[Hashable, float]:
    """Sum the parts of all units.

    Args:
        units: Each distinct unit with how often it occurs; may be empty.
        parts: What one unit adds to each sum.

    Returns:
        The sums by name, names in order of first touch.
    """
    return summed((name, count * part) for unit, count in units.items() for name, part in parts(unit).items())


def bootstrap_interval(
    units: Iterable[K],
    statistic: Statistic[K],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Interval | None:
    """Interval of a statistic by resampling its units with replacement (percentile bootstrap).

    Units are taken as independent draws: group what belongs together (the pairs of one drawing) into
    one unit first.

    Args:
        units: The sample, one item per unit; the same units in the same order give the same interval.
        statistic: The number whose interval is wanted.
        seed: Seed of the resampling.
        resamples: How many samples to draw; 0 gives no interval.
        level: Share of resamples between the bounds, above 0 and below 1.

    Returns:
        The interval; None with fewer than two units, or where so many resamples were undefined (more
        than 1 - level of them) that its bounds would not mean what they say.

    References:
        Efron (1979), Bootstrap methods: another look at the jackknife; percentile interval: Efron and
        Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    return bootstrap_intervals(Counter(units), [statistic], seed=seed, resamples=resamples, level=level)[0]


def bootstrap_intervals(
    units: Mapping[K, int],
    statistics: Sequence[Statistic[K]],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> tuple[Interval | None, ...]:
    """Intervals of several statistics from the same resamples, as `drawn_intervals` without its reasons."""
    found = drawn_intervals(units, statistics, seed=seed, resamples=resamples, level=level)
    return tuple(one.interval for one in found)


def drawn_intervals(
    units: Mapping[K, int],
    statistics: Sequence[Statistic[K]],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> tuple[Drawn, ...]:
    """Intervals of several statistics from the same resamples; see `bootstrap_interval`.

    Args:
        units: Each distinct unit with how often it occurs.
        statistics: The numbers whose intervals are wanted.
        seed: Seed of the resampling.
        resamples: How many samples to draw; 0 gives no interval.
        level: Share of resamples between the bounds, above 0 and below 1.

    Returns:
        One per statistic, in their order: an interval, or why there is none.
    """
    if not resamples or units_are_few(units):
        return (Drawn(why_none=TOO_FEW_UNITS if resamples else NOT_DRAWN),) * len(statistics)
    values = drawn_values(units, statistics, seed=seed, resamples=resamples)
    return tuple(percentile_interval(found, resamples=resamples, level=level) for found in values)


def units_are_few(units: Mapping[K, int]) -> bool:
    """Whether there are too few units to draw samples from."""
    return sum(units.values()) < 2


def drawn_values(
    units: Mapping[K, int], statistics: Sequence[Statistic[K]], *, seed: int, resamples: int = RESAMPLES
) -> list[list[float]]:
    """What several statistics are in the same resamples; those in which one is undefined are missing."""
    # numpy takes a while to import, and most commands never draw an interval. Its legacy generator
    # is the one whose stream is promised to stay the same in all versions.
    import numpy as np

    counts = list(units.values())
    random = np.random.RandomState(seed)
    shares = np.array(counts) / sum(counts)
    parts = (_parts_table([statistic.parts(unit) for unit in units]) for statistic in statistics)
    tables = [(names, np.array(rows, dtype=float)) for names, rows in parts]
    values: list[list[float]] = [[] for _ in statistics]
    for done in range(0, resamples, CHUNK):
        drawn = random.multinomial(sum(counts), shares, size=min(CHUNK, resamples - done)).astype(float)
        for (names, table), statistic, found in zip(tables, statistics, values, strict=True):
            # Not `@`: for tables this small its threads cost more than they bring.
            sums = np.einsum("ru,us->rs", drawn, table).tolist()
            for drawn_sums, count in Counter(map(tuple, sums)).items():  # few units make few different sums
                value = statistic.value(dict(zip(names, drawn_sums, strict=True)))
                if value is not None:
                    found += [value] * count
    return values


def _parts_table(parts: Sequence[Sums]) -> tuple[list[Hashable], list[list[float]]]:
    """The names of all sums, and for each unit what it adds to each of them."""
    names = list(dict.fromkeys(name for unit_parts in parts for name in unit_parts))
    return names, [[unit_parts.get(name, 0.0) for name in names] for unit_parts in parts]


def percentile_interval(values: Sequence[float], *, resamples: int, level: float = 0.95) -> Drawn:
    """The interval of a statistic by its values in resamples, of which some may be undefined."""
    undefined = resamples - len(values)
    if 1 - len(values) / resamples > 1 - level:
        most = f"{100 * (1 - level):.3g} %"
        return Drawn(why_none=f"{undefined:,} of {resamples:,} samples undefined, more than {most}")
    ordered = sorted(values)
    low, high = _quantile(ordered, (1 - level) / 2), _quantile(ordered, (1 + level) / 2)
    return Drawn(Interval(low=low, high=high))


def _quantile(ordered: Sequence[float], share: float) -> float:
    position = share * (len(ordered) - 1)
    below = floor(position)
    above = min(below + 1, len(ordered) - 1)
    if ordered[below] == ordered[above]:
        return ordered[below]
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def wilson_interval(successes: int, total: int, *, level: float = 0.95) -> Interval | None:
    """The `score_interval` of a share; None where there is no unit."""
    return score_interval(successes, total, level=level) if total else None


def score_interval(successes: float, total: float, *, level: float = 0.95) -> Interval:
    """Score interval of a share: stays inside 0 to 1 and is honest for small samples.

    Args:
        successes: How many of the units have the property; a fraction where units count for less than one.
        total: How many units there are, above 0.
        level: Confidence level, above 0 and below 1.

    References:
        Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22.
    """
    # (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / total
    shrink = 1 + z * z / total
    centre = (share + z * z / (2 * total)) / shrink
    half = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / shrink
    return Interval(
        low=0.0 if successes == 0 else centre - half,
        high=1.0 if successes == total else centre + half,
    )
