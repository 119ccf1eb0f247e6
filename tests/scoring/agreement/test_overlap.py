"""Drawings compared edge by edge, and completion as a retrieval question."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from scoring.agreement.coefficients import PERCENT, Coefficient, Row, Undefined
from scoring.agreement.overlap import F1, PRECISION, RECALL, completion_picks
from scoring.model.labels import EdgeTriple
from scoring.model.taxonomy import EdgeKind

Drawing = frozenset[EdgeTriple]
"""The edges one rater drew in one task, kinds included."""

LOGICAL, PARAMETER = EdgeKind.LOGICAL, EdgeKind.PARAMETER
CHAIN: Drawing = frozenset([(0, 1, LOGICAL), (1, 2, PARAMETER)])
NOTHING: Drawing = frozenset()


@dataclass(frozen=True)
class EdgeScores:
    precision: Coefficient
    recall: Coefficient
    f1: Coefficient
    exact_match: Coefficient


def edge_scores(reference: Sequence[Drawing], other: Sequence[Drawing]) -> EdgeScores:
    """Two raters' drawings compared task by task."""
    units: Counter[Row[Hashable]] = Counter(zip(reference, other, strict=True))
    return EdgeScores(PRECISION.of(units), RECALL.of(units), F1.of(units), PERCENT.of(units))


def completion_f1(ratings: Iterable[Sequence[bool | None]]) -> Coefficient:
    return F1.of(Counter(map(completion_picks, ratings)))


def test_edges_of_all_tasks_are_pooled() -> None:
    """Task 1: reference 0-1, 1-2; other 0-1, 0-2: one edge met. Task 2: reference 0-1; other nothing.

    Met 1, other drew 2, reference drew 3: precision 1/2, recall 1/3, F1 2 x 1 / 5.
    """
    other: Drawing = frozenset([(0, 1, LOGICAL), (0, 2, PARAMETER)])
    found = edge_scores([CHAIN, frozenset([(0, 1, LOGICAL)])], [other, NOTHING])
    assert found.precision.value == pytest.approx(1 / 2)
    assert found.recall.value == pytest.approx(1 / 3)
    assert found.f1.value == pytest.approx(2 / 5)
    assert (found.exact_match.value, found.exact_match.used) == (0.0, 2)


def test_an_edge_of_another_kind_is_another_edge() -> None:
    found = edge_scores([frozenset([(0, 1, LOGICAL)])], [frozenset([(0, 1, PARAMETER)])])
    assert (found.f1.value, found.exact_match.value) == (0.0, 0.0)


def test_the_same_drawings_score_one() -> None:
    found = edge_scores([CHAIN, NOTHING], [CHAIN, NOTHING])
    assert [c.value for c in (found.precision, found.recall, found.f1, found.exact_match)] == [1, 1, 1, 1]


def test_without_an_edge_only_exact_match_is_defined() -> None:
    found = edge_scores([NOTHING], [NOTHING])
    assert [c.value for c in (found.precision, found.recall, found.f1)] == [None, None, None]
    assert found.f1.undefined == "nobody picked anything"
    assert found.exact_match.value == 1.0


def test_precision_is_undefined_where_the_other_drew_nothing() -> None:
    found = edge_scores([CHAIN], [NOTHING])
    assert (found.precision.value, found.precision.undefined) == (None, "the second rater picked nothing")
    assert (found.recall.value, found.f1.value) == (0.0, 0.0)


def test_drawings_of_different_tasks_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="shorter"):
        edge_scores([CHAIN, CHAIN], [CHAIN])


drawings = st.frozensets(
    st.tuples(st.integers(0, 2), st.integers(3, 5), st.sampled_from([LOGICAL, PARAMETER])), max_size=6
)


@given(st.lists(st.tuples(drawings, drawings), min_size=1, max_size=6))
def test_changing_sides_swaps_precision_and_recall(tasks: list[tuple[Drawing, Drawing]]) -> None:
    first, second = [a for a, _ in tasks], [b for _, b in tasks]
    there, back = edge_scores(first, second), edge_scores(second, first)
    assert (there.precision.value, there.f1.value) == (back.recall.value, back.f1.value)


def test_completion_f1_counts_what_both_call_completed() -> None:
    """Both 3, only A 1, only B 2, neither 4: F1 = 2 x 3 / (4 + 5) = 2/3; one task B left open."""
    judged = [(True, True)] * 3 + [(True, False)] + [(False, True)] * 2 + [(False, False)] * 4
    found = completion_f1([*judged, (True, None)])
    assert found.value == pytest.approx(2 / 3)
    assert (found.used, found.total) == (10, 11)


def test_completion_f1_of_three_raters_pools_their_pairs() -> None:
    """Tasks TTF and TTT: pairs share 1 + 3 = 4; they pick 2 + 1 + 1 and 2 + 2 + 2: F1 = 2 x 4 / 10."""
    assert completion_f1([(True, True, False), (True, True, True)]).value == pytest.approx(0.8)


def test_completion_f1_is_undefined_where_nobody_completed_anything() -> None:
    found = completion_f1([(False, False)] * 3)
    assert (found.value, found.undefined, found.used) == (None, "nobody picked anything", 3)


def test_completion_f1_is_undefined_where_no_two_raters_met() -> None:
    assert completion_f1([(True, None)]).undefined == Undefined.NO_PAIR


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_completion_f1_equals_scikit_learn(ratings: list[tuple[bool, bool]]) -> None:
    first, second = zip(*ratings, strict=True)
    found = completion_f1(ratings).value
    assert (found or 0.0) == pytest.approx(f1_score(first, second, zero_division=0))
