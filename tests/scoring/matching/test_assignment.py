"""The best way to give each call a step of its own."""

from fractions import Fraction
from itertools import permutations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from scoring.matching.argument_problems import CallCheck
from scoring.matching.assignment import best_assignment, best_assignments
from scoring.model.taxonomy import ArgumentProfile


def fit(score: float, *, right: bool = False) -> CallCheck:
    return CallCheck(profile=ArgumentProfile.WTB, correct=right, score=score)


@st.composite
def matrices(draw: st.DrawFn) -> list[list[CallCheck]]:
    rows = draw(st.integers(1, 4))
    columns = draw(st.integers(rows, 5))
    scores = st.sampled_from([0.0, 1 / 3, 0.5, 2 / 3, 1.0])
    return [[fit(draw(scores), right=draw(st.booleans())) for _ in range(columns)] for _ in range(rows)]


def best_of_all(fits: list[list[CallCheck]]) -> list[tuple[int, ...]]:
    def value(columns: tuple[int, ...]) -> tuple[int, Fraction]:
        chosen = [fits[i][j] for i, j in enumerate(columns)]
        score = sum((Fraction(one.score).limit_denominator(1000) for one in chosen), Fraction(0))
        return sum(one.correct for one in chosen), score

    every = list(permutations(range(len(fits[0])), len(fits)))
    best = max(map(value, every))
    return [columns for columns in every if value(columns) == best]


@given(matrices())
def test_the_assignment_is_the_first_of_the_best_of_all(fits: list[list[CallCheck]]) -> None:
    # permutations come in lexicographic order: lower steps for earlier calls first
    assert best_assignment(fits) == best_of_all(fits)[0]


@given(matrices())
def test_each_set_of_steps_that_a_best_assignment_takes_is_given_once(fits: list[list[CallCheck]]) -> None:
    first: dict[frozenset[int], tuple[int, ...]] = {}
    for columns in best_of_all(fits):
        first.setdefault(frozenset(columns), columns)
    assert list(best_assignments(fits, range(len(fits[0])))) == list(first.values())


def test_of_steps_of_one_kind_the_lower_are_taken_first() -> None:
    fits = [[fit(1.0, right=True)] * 20] * 10
    assert list(best_assignments(fits, [0] * 20)) == [tuple(range(10))]
    assert list(best_assignments(fits[:1], [0] * 19 + [19])) == [(0,), (19,)]


def test_correct_calls_count_more_than_any_sum_of_scores() -> None:
    # right on the diagonal 0, 0 = one correct call, score 1; else two near misses, score 1.8
    fits = [[fit(1.0, right=True), fit(0.9)], [fit(0.9), fit(0.0)]]
    assert best_assignment(fits) == (0, 1)


def test_scores_add_up_exactly() -> None:
    # 0.3 + 0 = 0.1 + 0.2, though not in floating point: a tie, so lower steps for earlier calls decide
    assert best_assignment([[fit(0.3), fit(0.1)], [fit(0.2), fit(0.0)]]) == (0, 1)


def test_no_calls_need_no_steps() -> None:
    assert best_assignment([]) == ()


def test_twelve_calls_find_their_steps_in_any_order() -> None:
    order = list(range(12))
    Random(7).shuffle(order)
    fits = [
        [fit(1.0 if step == wanted else 0.5, right=step == wanted) for step in range(12)] for wanted in order
    ]
    assert best_assignment(fits) == tuple(order)
