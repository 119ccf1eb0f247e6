"""Intervals: the bootstrap against known distributions, its degenerate cases, and Wilson's formula."""

from collections import Counter
from collections.abc import Hashable
from itertools import product
from math import sqrt
from statistics import quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.agreement.coefficients import KAPPA, PERCENT, Row
from scoring.measures.intervals import (
    Interval,
    Statistic,
    Sums,
    bootstrap_interval,
    bootstrap_intervals,
    wilson_interval,
)


def parts_of_mean(unit: Hashable) -> Sums:
    assert isinstance(unit, int)
    return {"n": 1, "sum": unit}


MEAN: Statistic[Hashable] = Statistic(parts_of_mean, lambda sums: sums["sum"] / sums["n"])


def test_the_interval_of_a_share_is_as_wide_as_the_binomial_says() -> None:
    """400 units, a quarter of them 1: standard error √(0.25 x 0.75 / 400), bounds 0.25 ± 1.96 of it."""
    found = bootstrap_interval([1] * 100 + [0] * 300, MEAN, seed=1, resamples=4000)
    assert found is not None
    half = 1.96 * sqrt(0.25 * 0.75 / 400)
    assert found.low == pytest.approx(0.25 - half, abs=0.004)
    assert found.high == pytest.approx(0.25 + half, abs=0.004)


def test_the_bounds_are_the_percentiles_of_all_possible_resamples() -> None:
    """Units 0 and 1: means 0, 1/2, 1 with chances 1/4, 1/2, 1/4, so the middle 40 % lie at 1/2."""
    assert bootstrap_interval([0, 1], MEAN, seed=3, level=0.4) == Interval(low=0.5, high=0.5)
    assert bootstrap_interval([0, 1], MEAN, seed=3, level=0.95) == Interval(low=0, high=1)


def test_the_bounds_are_those_of_every_resample_there_is() -> None:
    """Five units are drawn in 5⁵ = 3,125 ways, each counted here: 2.5 % of them lie below the lower bound."""
    units = (0, 1, 1, 4, 9)
    every = [sum(drawn) / 5 for drawn in product(units, repeat=5)]
    found = bootstrap_interval(units, MEAN, seed=4, resamples=40_000)
    assert found is not None
    for bound, share in ((found.low, 0.025), (found.high, 0.975)):
        below, up_to = (sum(one < b for one in every) / len(every) for b in (bound - 1e-9, bound + 1e-9))
        assert below < share < up_to


def test_a_bound_between_two_resamples_lies_between_them() -> None:
    """Of 10 resamples the quarters lie at positions 2.25 and 6.75, as `statistics.quantiles` has them."""
    drawn: list[float] = []

    def noted_mean(sums: Sums) -> float:
        drawn.append(sums["sum"] / sums["n"])
        return drawn[-1]

    noted: Statistic[Hashable] = Statistic(parts_of_mean, noted_mean)
    found = bootstrap_interval([number**3 for number in range(12)], noted, seed=5, resamples=10, level=0.5)
    assert found is not None
    low, _, high = quantiles(drawn[-10:], n=4, method="inclusive")
    assert [found.low, found.high] == pytest.approx([low, high])


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    units = [number * number % 97 for number in range(60)]
    first, again, other = (bootstrap_interval(units, MEAN, seed=seed) for seed in (7, 7, 8))
    assert first == again
    assert first != other


def test_a_higher_level_gives_a_wider_interval() -> None:
    narrow, wide = (bootstrap_interval(range(50), MEAN, seed=2, level=level) for level in (0.5, 0.99))
    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low < narrow.high < wide.high


def test_several_statistics_share_the_resamples_of_one() -> None:
    units: Counter[Row[Hashable]] = Counter({("a", "a"): 30, ("a", "b"): 6, ("b", "b"): 20})
    together = bootstrap_intervals(units, [PERCENT.statistic, KAPPA.statistic], seed=5)
    alone = bootstrap_interval(list(units.elements()), KAPPA.statistic, seed=5)
    assert together[1] == alone


@pytest.mark.parametrize("units", [[], [4]])
def test_fewer_than_two_units_have_no_interval(units: list[int]) -> None:
    assert bootstrap_interval(units, MEAN, seed=1) is None


def test_no_resamples_give_no_interval() -> None:
    assert bootstrap_interval([1, 2, 3], MEAN, seed=1, resamples=0) is None


def test_a_statistic_that_is_often_undefined_has_no_interval() -> None:
    """Units aa, aa, bb: 8/27 + 1/27 = 1/3 of the resamples hold one label, and kappa has no value there."""
    units = [("a", "a"), ("a", "a"), ("b", "b")]
    assert bootstrap_interval(units, KAPPA.statistic, seed=1) is None


def test_rare_undefined_resamples_are_left_out() -> None:
    """Six units: 2 / 2^6 = 3 % of the resamples hold one label; the rest all give kappa 1."""
    units = [("a", "a"), ("b", "b")] * 3
    assert bootstrap_interval(units, KAPPA.statistic, seed=1) == Interval(low=1, high=1)


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=30), st.integers(0, 50))
def test_the_interval_lies_within_what_the_sample_holds(units: list[int], seed: int) -> None:
    found = bootstrap_interval(units, MEAN, seed=seed, resamples=50)
    assert found is not None
    assert min(units) <= found.low <= found.high <= max(units)


def test_wilson_follows_the_hand_calculation() -> None:
    """8 of 10 at 95 %, z = 1.959964, z² = 3.841459.

    Centre (0.8 + 0.1920729) / 1.3841459 = 0.7167401; half width 1.959964 √(0.016 + 0.0096036) / 1.3841459
    = 1.959964 x 0.1600114 / 1.3841459 = 0.2265777.
    """
    found = wilson_interval(8, 10)
    assert found is not None
    assert found.low == pytest.approx(0.7167401 - 0.2265777, abs=1e-6)
    assert found.high == pytest.approx(0.7167401 + 0.2265777, abs=1e-6)


def test_wilson_reaches_the_end_of_the_scale_where_all_or_none_succeed() -> None:
    """Lower bound of 10 of 10 is n / (n + z²) = 10 / 13.841459."""
    everything, nothing = wilson_interval(10, 10), wilson_interval(0, 10)
    assert everything is not None
    assert nothing is not None
    assert (everything.high, nothing.low) == (1, 0)
    assert everything.low == pytest.approx(10 / 13.841459)
    assert nothing.high == pytest.approx(3.841459 / 13.841459)


def test_wilson_has_nothing_to_say_about_no_units() -> None:
    assert wilson_interval(0, 0) is None


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_stays_inside_the_scale(counts: tuple[int, int]) -> None:
    successes, total = counts
    found = wilson_interval(successes, total)
    assert found is not None
    assert 0 <= found.low <= successes / total <= found.high <= 1
