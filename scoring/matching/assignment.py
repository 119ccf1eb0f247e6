"""The best way to give each call of one name a gold step of its own (scoring 3.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import lcm

from scoring.matching.argument_problems import CallCheck

MOST_CHOICES = 1_000
"""Choices that are kept open at once; only made-up tasks have more (scoring 3.3)."""


def best_assignments(fits: Sequence[Sequence[CallCheck]], kinds: Sequence[int]) -> Sequence[tuple[int, ...]]:
    """Every best way to give each call a step of its own, one for each set of steps (scoring 3.3).

    Best is the greatest number of correct calls, then the greatest sum of their scores, whole numbers both.
    By complementary slackness an assignment is best exactly if it pairs only where the prices of row and
    column add up to the weight, and takes every column that has a price; so only such pairs are followed.

    Args:
        fits: One row per call, one column per step; at least as many columns as rows.
        kinds: For each column what it is; of columns of one kind the lower is taken first.

    Returns:
        For each call the column of its step, lower steps for earlier calls; the lowest way first.
    """
    if not fits or len(fits) == len(fits[0]):
        return (best_assignment(fits),)
    gains = _gains(fits)
    columns = range(len(kinds))
    before = [sum(1 << i for i in range(j) if kinds[i] == kinds[j]) for j in columns]
    if len(gains) == 1:
        most = max(gains[0])
        return [(j,) for j in columns if gains[0][j] == most and not before[j]]
    solved = solve_assignment(gains)
    reached: dict[int, tuple[int, ...]] = {0: ()}
    for gain, price in zip(gains, solved.row_prices, strict=True):
        tight = [j for j in columns if price + solved.column_prices[j] == gain[j]]
        reached = _longer_choices(reached, tight, before)
    priced = sum(1 << j for j in columns if solved.column_prices[j])
    found = [chosen for taken, chosen in reached.items() if not priced & ~taken]
    return found or [solved.columns]


def _longer_choices(
    reached: Mapping[int, tuple[int, ...]], tight: Sequence[int], before: Sequence[int]
) -> dict[int, tuple[int, ...]]:
    """The choices with one more column, by the set of columns taken; the first way to a set is kept.

    Sets are bits. A column waits until those before it of its kind are taken.
    """
    longer: dict[int, tuple[int, ...]] = {}
    for taken, chosen in reached.items():
        for j in tight:
            if not taken >> j & 1 and not before[j] & ~taken:
                longer.setdefault(taken | 1 << j, (*chosen, j))
    return dict(islice(longer.items(), MOST_CHOICES))


def best_assignment(fits: Sequence[Sequence[CallCheck]]) -> tuple[int, ...]:
    """Give every call a different step.

    Maximises the number of correct calls, then the sum of their scores, then prefers lower steps for
    earlier calls (scoring 3.3). All of it is packed into whole numbers, so nothing is decided by rounding.

    Args:
        fits: One row per call, one column per step; at least as many columns as rows.

    Returns:
        For each call the column of its step.
    """
    if not fits:
        return ()
    base = len(fits[0])
    if base == 1:
        return (0,)
    weights = [
        [gain * base ** len(fits) - j * base ** (len(fits) - 1 - i) for j, gain in enumerate(gains)]
        for i, gains in enumerate(_gains(fits))
    ]
    return solve_assignment(weights).columns


def _gains(fits: Sequence[Sequence[CallCheck]]) -> list[list[int]]:
    """What each pair is worth in whole numbers: a correct call more than any sum of scores."""
    scores = [[Fraction(fit.score).limit_denominator(1_000_000) for fit in row] for row in fits]
    unit = lcm(*(score.denominator for row in scores for score in row))
    beyond_scores = len(fits) * unit + 1
    return [
        [fit.correct * beyond_scores + int(score * unit) for fit, score in zip(*rows, strict=True)]
        for rows in zip(fits, scores, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class WeightedMatching:
    """A column for each row, with prices that prove that no other choice weighs more.

    Everywhere row price + column price >= weight, with equality on the pairs chosen; the price of a column
    that is not chosen is 0, no column's is below.
    """

    columns: tuple[int, ...]
    row_prices: tuple[int, ...]
    column_prices: tuple[int, ...]


def solve_assignment(weights: Sequence[Sequence[int]]) -> WeightedMatching:
    """Kuhn and Munkres' assignment by shortest augmenting paths, on whole numbers of any size.

    Rows are placed one after another. The potentials keep every reduced cost
    `-weight - row potential - column potential` non-negative, and zero on the pairs chosen so far.

    Args:
        weights: One row or more, with at least as many columns as rows.
    """
    columns = range(len(weights[0]))
    by_row, by_column = [0] * len(weights), [0] * len(columns)
    owner: dict[int, int] = {}
    for new in range(len(weights)):
        slack = [-weights[new][j] - by_row[new] - by_column[j] for j in columns]
        previous: dict[int, int] = {}
        closed: list[int] = []
        open_columns = set(columns)
        while True:
            column = min(open_columns, key=slack.__getitem__)
            least = slack[column]
            by_row[new] += least
            for j in closed:
                by_row[owner[j]] += least
                by_column[j] -= least
            for j in open_columns:
                slack[j] -= least
            closed.append(column)
            open_columns.remove(column)
            if column not in owner:
                break
            row = owner[column]
            for j in open_columns:
                cost = -weights[row][j] - by_row[row] - by_column[j]
                if cost < slack[j]:
                    slack[j], previous[j] = cost, column
        while column in previous:
            owner[column] = owner[previous[column]]
            column = previous[column]
        owner[column] = new
    return WeightedMatching(
        columns=tuple(column for column, _ in sorted(owner.items(), key=lambda pair: pair[1])),
        row_prices=tuple(-price for price in by_row),
        column_prices=tuple(-price for price in by_column),
    )
