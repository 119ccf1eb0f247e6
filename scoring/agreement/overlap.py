"""Precision, recall and F1 of what raters picked: the edges they drew, the tasks they call completed.

An edge counts as met with both ends and kind. Precision is the share of the second rater's picks the first
has too, recall the share of the first one's the second has, F1 their harmonic mean, over all pairs of raters.
Each runs from 0 (nothing in common) to 1 (the same), and is undefined where there is no pick to count.
"""

from collections.abc import Callable, Hashable, Sequence
from itertools import combinations

from scoring.agreement.coefficients import Coefficient, Formula, Row, Undefined, where_paired
from scoring.measures.intervals import Sums


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
        used, total, picked = round(sums["used"]), round(sums["total"]), of(sums)
        if not picked:
            return Coefficient(value=None, undefined=empty, used=used, total=total)
        return Coefficient(value=sums["both"] / picked, used=used, total=total)

    return Formula(_parts, where_paired(combine))


PRECISION = _share(lambda sums: sums["second"], empty=Undefined.SECOND_PICKED_NOTHING)
RECALL = _share(lambda sums: sums["first"], empty=Undefined.FIRST_PICKED_NOTHING)
# 2PR / (P + R) = both / mean of what the two picked.
F1 = _share(lambda sums: (sums["first"] + sums["second"]) / 2, empty=Undefined.NOTHING_PICKED)
