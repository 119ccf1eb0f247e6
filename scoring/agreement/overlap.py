"""Precision, recall and F1 of what raters picked: the edges they drew, the tasks they call completed."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations

from scoring.agreement.coefficients import PERCENT, Coefficient, Formula, Row, Undefined
from scoring.measures.intervals import Sums
from scoring.model.labels import EdgeTriple
from scoring.model.record import Record

Drawing = frozenset[EdgeTriple]
"""The edges one rater drew in one task, kinds included."""


class EdgeScores(Record):
    """How well one rater's drawings meet another's; an edge counts as met with both ends and kind.

    `precision` is the share of the other's edges the reference has too, `recall` the share of the
    reference's edges the other drew, `f1` their harmonic mean, `exact_match` the share of tasks drawn
    alike. Each runs from 0 (nothing in common) to 1 (the same); all but the last are undefined where
    there is no edge to count. `used` and `total` count tasks.
    """

    precision: Coefficient
    recall: Coefficient
    f1: Coefficient
    exact_match: Coefficient


def edge_scores(reference: Sequence[Drawing], other: Sequence[Drawing]) -> EdgeScores:
    """Compare the drawings of two raters, edges of all tasks pooled.

    Args:
        reference: Per task the drawing to compare with.
        other: Per task the other rater's drawing, aligned with `reference`.

    Raises:
        ValueError: The two have drawn a different number of tasks.
    """
    units: Counter[Row[Hashable]] = Counter(zip(reference, other, strict=True))
    return EdgeScores(
        precision=PRECISION.of(units), recall=RECALL.of(units), f1=F1.of(units), exact_match=PERCENT.of(units)
    )


def completion_f1(ratings: Iterable[Sequence[bool | None]]) -> Coefficient:
    """F1 of the tasks called completed, between two raters or pooled over all pairs of raters.

    1: the same tasks are completed for both; 0: no task is completed for both; undefined where nobody
    called a task completed that two raters judged. It does not reward agreeing that a task failed.

    Args:
        ratings: Tasks x raters; null where a rater did not say.
    """
    return F1.of(Counter(map(completion_picks, ratings)))


def completion_picks(row: Sequence[Hashable | None]) -> Row[Hashable]:
    """Completed or not, as the set a rater picked: the task or nothing."""
    return tuple(None if said is None else frozenset([True] if said is True else []) for said in row)


def _parts(row: Row[Hashable]) -> Sums:
    picked = [picks for picks in row if isinstance(picks, frozenset)]
    if len(picked) < 2:
        return {"total": 1}
    pairs = list(combinations(picked, 2))
    return {
        "total": 1,
        "used": 1,
        "both": sum(len(first & second) for first, second in pairs),
        "first": sum(len(first) for first, _ in pairs),
        "second": sum(len(second) for _, second in pairs),
    }


def _share(of: Callable[[Sums], float], *, empty: Undefined) -> Formula[Row[Hashable]]:
    def combine(sums: Sums) -> Coefficient:
        used, total = round(sums.get("used", 0)), round(sums.get("total", 0))
        if not used:
            return Coefficient(value=None, undefined=Undefined.NO_PAIR, used=0, total=total)
        picked = of(sums)
        if not picked:
            return Coefficient(value=None, undefined=empty, used=used, total=total)
        return Coefficient(value=sums["both"] / picked, used=used, total=total)

    return Formula(_parts, combine)


PRECISION = _share(lambda sums: sums["second"], empty=Undefined.SECOND_PICKED_NOTHING)
RECALL = _share(lambda sums: sums["first"], empty=Undefined.FIRST_PICKED_NOTHING)
# 2PR / (P + R) = both / mean of what the two picked.
F1 = _share(lambda sums: (sums["first"] + sums["second"]) / 2, empty=Undefined.NOTHING_PICKED)
