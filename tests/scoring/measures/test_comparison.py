"""Whether a difference between runs is news."""

from itertools import product
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.matching.task_scores import TaskScore
from scoring.measures.catalogue import TOTAL, headlines
from scoring.measures.comparison import compare_runs, mcnemar_p_value, permutation_p_value, rate_intervals
from scoring.measures.sample import ScoredSample
from scoring.measures.summary import summarise
from scoring.model.taxonomy import Policy
from tests.factories import task_score


def run(*sessions: str) -> list[TaskScore]:
    """Sessions as texts: + for a right task, - for a wrong one."""
    return [
        task_score(f"c{n}", i, right=sign == "+", policy=Policy.MULTI_MIXED, steps=(int(sign == "+"), 1))
        for n, signs in enumerate(sessions)
        for i, sign in enumerate(signs)
    ]


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [
        (0, 0, 1.0),
        (1, 1, 1.0),
        (0, 5, 2 / 32),
        (1, 5, 2 * (1 + 6) / 64),
        (10, 2, 2 * (1 + 12 + 66) / 4096),
    ],
)
def test_mcnemar_by_hand(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar_p_value(only_first, only_second) == p


@given(st.integers(0, 30), st.integers(0, 30))
def test_mcnemar_is_symmetric_and_a_probability(a: int, b: int) -> None:
    p = mcnemar_p_value(a, b)
    assert p == mcnemar_p_value(b, a)
    assert 0 < p <= 1
    if a != b:
        assert p == pytest.approx(2 * sum(comb(a + b, i) for i in range(min(a, b) + 1)) / 2 ** (a + b))


@pytest.mark.parametrize(
    ("gains", "p"),
    [
        ([], 1.0),
        ([0, 0], 1.0),
        ([4], 1.0),  # one session says nothing
        ([3, 2, -1], 4 / 8),  # sums of the signs: 6, 4, 2, 0 and their opposites; two of four reach 4
        ([4, 4, 4, 4, 4], 2 / 32),
    ],
)
def test_sessions_are_permuted_by_hand(gains: list[int], p: float) -> None:
    assert permutation_p_value(gains) == p


@given(st.lists(st.integers(-4, 4), max_size=9))
def test_the_permutation_test_is_the_share_of_all_signs(gains: list[int]) -> None:
    observed = abs(sum(gains))
    sums = [
        abs(sum(sign * gain for sign, gain in zip(signs, gains, strict=True)))
        for signs in product((1, -1), repeat=len(gains))
    ]
    assert permutation_p_value(gains) == pytest.approx(sum(one >= observed for one in sums) / len(sums))


@given(st.lists(st.sampled_from([-1, 0, 1]), max_size=40))
def test_with_one_task_a_session_it_is_mcnemars_test(gains: list[int]) -> None:
    expected = mcnemar_p_value(gains.count(-1), gains.count(1))
    assert permutation_p_value(gains) == pytest.approx(expected)


def test_where_sessions_flip_together_mcnemar_finds_too_much_and_the_permutation_does_not() -> None:
    """Type I error at 5 % of two equally good runs whose tasks of a session flip together, mostly."""
    random, trials, found = Random(7), 2_000, {"permutation": 0, "mcnemar": 0}
    for _ in range(trials):
        gains, wins, losses = [], 0, 0
        for _ in range(40):
            lead = random.choice((0.9, 0.1))  # which run this session suits is a coin's toss
            flips = [random.random() < lead for _ in range(random.choice((0, 0, 2, 4)))]
            wins, losses = wins + sum(flips), losses + len(flips) - sum(flips)
            gains.append(2 * sum(flips) - len(flips))
        found["permutation"] += permutation_p_value(gains) < 0.05
        found["mcnemar"] += mcnemar_p_value(losses, wins) < 0.05
    shares = {name: count / trials for name, count in found.items()}
    # Three standard errors of a share of 5 % over 2,000 trials are 1.5 %.
    assert shares["permutation"] < 0.065
    assert shares["mcnemar"] > 0.15


def test_two_runs_are_compared_task_by_task() -> None:
    found = compare_runs(run("++-", "+-"), run("+-+", "+-"))
    assert (found.both_right, found.only_first, found.only_second, found.both_wrong) == (2, 1, 1, 1)
    assert (found.difference, found.p_value, found.mcnemar) == (0.0, 1.0, 1.0)
    assert [(flip.case, flip.task, flip.only_first) for flip in found.flips] == [
        ("c0", 1, True),
        ("c0", 2, False),
    ]


def test_the_p_value_of_two_runs_swaps_whole_sessions() -> None:
    # Two sessions of four tasks, all won: McNemar takes eight flips, 2 / 2^8; the sessions give 2 / 2^2.
    found = compare_runs(run("----", "----", "+"), run("++++", "++++", "+"))
    assert (found.p_value, found.mcnemar) == (0.5, 2 / 256)


def test_runs_without_a_common_task_have_no_difference() -> None:
    found = compare_runs(run("+"), [])
    assert (found.difference, found.interval, found.p_value, found.flips) == (None, None, 1.0, ())


def test_the_interval_of_a_difference_holds_it() -> None:
    found = compare_runs(run(*["-"] * 20, *["+"] * 20), run(*["+"] * 30, *["-"] * 10), seed=1)
    assert found.difference == 0.25  # 20 gained, 10 lost of 40
    assert found.interval is not None
    assert found.interval.low <= 0.25 <= found.interval.high


def test_intervals_hold_the_rates_of_the_summary() -> None:
    tasks = run("++++", "+-+-", "----", "++-+", "+++-")
    summary, found = summarise(tasks), rate_intervals(ScoredSample(tasks), seed=3)
    for name, interval in found.items():
        value = summary.figures(headlines()[name])[TOTAL].value
        assert interval is not None
        assert value is not None
        assert interval.low <= value <= interval.high


def test_sessions_that_are_all_alike_leave_no_doubt() -> None:
    found = rate_intervals(ScoredSample(run("+-", "+-", "+-")))["task_accuracy"]
    assert found is not None
    assert (found.low, found.high) == (0.5, 0.5)


def test_one_session_gives_no_interval() -> None:
    assert rate_intervals(ScoredSample(run("++")))["task_accuracy"] is None
