"""Coefficients of agreement on ratings: units down, raters across, None where a rater said nothing."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Generic, TypeVar

from scoring.agreement.distances import nominal_distance
from scoring.generics import K
from scoring.measures.intervals import Statistic, Sums, add_up
from scoring.model.record import Record

Unit = TypeVar("Unit", bound=Hashable)
Row = tuple[K | None, ...]
Ratings = Iterable[Sequence[K | None]]
Distance = Callable[[K, K], float]


class Undefined(StrEnum):
    """Why a coefficient has no value, in words."""

    NO_PAIR = "no unit was rated by two raters"
    ONE_LABEL = "one label only: no disagreement to expect by chance"
    NOT_COMPLETE = "no unit was rated by every rater"
    FIRST_PICKED_NOTHING = "the first rater picked nothing"
    SECOND_PICKED_NOTHING = "the second rater picked nothing"
    NOTHING_PICKED = "nobody picked anything"


ROUNDING = 1e-9
"""A weighted count below this is zero: the least that two different labels add is a good part of 1."""


class Coefficient(Record):
    """A number of agreement with what it rests on.

    1 is perfect agreement. For the coefficients that allow for chance, 0 is what chance alone would
    give and below 0 is less than that; percent agreement and F1 run from 0 to 1. `value` is None
    where the number is undefined, and `undefined` then says why; a coefficient whose
    chance-disagreement is zero is undefined, never 0 or 1.

    `used` of `total` units entered the number, the others had too few ratings. `observed` and
    `expected` are the agreement seen and the agreement expected by chance (1 minus the disagreement,
    for alpha), None where the number has none. `low` and `high` bound its interval, None without one;
    `no_interval` then says why, where somebody looked for one.
    """

    value: float | None
    undefined: Undefined | None = None
    used: int
    total: int
    observed: float | None = None
    expected: float | None = None
    low: float | None = None
    high: float | None = None
    no_interval: str | None = None


@dataclass(frozen=True)
class Formula(Generic[Unit]):
    """How a coefficient follows from a sample: what a unit adds to each sum, and the sums combined."""

    parts: Callable[[Unit], Sums]
    combine: Callable[[Sums], Coefficient]

    def of(self, units: Mapping[Unit, int]) -> Coefficient:
        """The coefficient of a sample given as distinct units with their counts, without interval."""
        return self.combine(add_up(units, self.parts))

    @property
    def statistic(self) -> Statistic[Unit]:
        """The value alone, for resampling."""
        return Statistic(self.parts, lambda sums: self.combine(sums).value)


def percent_agreement(ratings: Ratings[K]) -> Coefficient:
    """Share of agreeing pairs of ratings within a unit, averaged over the units with two ratings.

    1: every rater says the same of every unit; 0: no two ever do. Undefined without a unit that two
    raters rated. It makes no allowance for chance. With more than two raters it is the observed
    agreement of Fleiss (1971) and Gwet (2014).

    Args:
        ratings: Units x raters.
    """
    return PERCENT.of(_tally(ratings))


def cohen_kappa(ratings: Ratings[K]) -> Coefficient:
    """Cohen's kappa of two raters; with more, Conger's generalisation to pairs of raters.

    1: the raters always agree; 0: as often as their own label frequencies would make them by chance;
    below 0: less often. Undefined where both used one and the same label throughout, or no unit was
    rated by both. It falls when one label dominates, however often they agree.

    With more than two raters observed and expected agreement are averaged over the pairs of raters,
    each pair weighing as many units as both rated: Conger's kappa where the table is complete. A
    rater's label frequencies are those of all units the rater shares with anybody.

    Args:
        ratings: Units x raters; the same column is the same rater in every unit.

    References:
        Cohen (1960), A coefficient of agreement for nominal scales. Conger (1980), Integration and
        generalization of kappas for multiple raters, Psychological Bulletin 88.
    """
    return KAPPA.of(_tally(ratings))


def gwet_ac1(ratings: Ratings[K]) -> Coefficient:
    """Gwet's first-order agreement coefficient, steady where one label dominates.

    1: perfect agreement; 0: what raters who guess on the hard units would reach; below 0: less.
    Where every rating is one label it is 1 as computed, since chance agreement is then taken as 0.
    Undefined only without a unit that two raters rated. Labels are those that occur.

    Args:
        ratings: Units x raters. A unit with one rating counts towards the frequency of its label, not
            towards `used`.

    References:
        Gwet (2008), Computing inter-rater reliability and its variance in the presence of high
        agreement; missing ratings: Gwet (2014), Handbook of Inter-Rater Reliability, chapter 2.
    """
    return AC1.of(_tally(ratings))


def fleiss_kappa(ratings: Ratings[K]) -> Coefficient:
    """Fleiss' kappa over the units that every rater rated; raters are interchangeable.

    1: perfect agreement; 0: what the pooled label frequencies would give by chance; below 0: less.
    Undefined where only one label occurs, or no unit is complete, or there is one rater.

    Args:
        ratings: Units x raters; a unit with a null is left out.

    References:
        Fleiss (1971), Measuring nominal scale agreement among many raters.
    """
    return FLEISS.of(_tally(ratings))


def krippendorff_alpha(ratings: Ratings[K], *, distance: Distance[K] = nominal_distance) -> Coefficient:
    """Krippendorff's alpha: 1 minus observed over expected disagreement, any number of raters.

    1: perfect agreement; 0: units and labels are unrelated; below 0: raters disagree systematically.
    Undefined where only one label occurs among the pairable ratings: there is nothing to tell
    reliability from, however well the raters agree.

    Args:
        ratings: Units x raters; a unit with fewer than two ratings is left out.
        distance: How far apart two labels are, 0 to 1; `masi_distance` or `jaccard_distance` for sets.

    References:
        Krippendorff (2011), Computing Krippendorff's alpha-reliability, University of Pennsylvania.
    """
    units = _tally(ratings)
    return alpha_formula(units, distance=distance).of(units)


def _tally(ratings: Ratings[K]) -> Counter[Row[K]]:
    return Counter(map(tuple, ratings))


def _given(row: Row[K]) -> list[K]:
    return [label for label in row if label is not None]


def _chance_corrected(
    sums: Sums, *, observed: float, expected: float, is_undefined: bool = False
) -> Coefficient:
    return Coefficient(
        value=None if is_undefined else (observed - expected) / (1 - expected),
        undefined=Undefined.ONE_LABEL if is_undefined else None,
        used=round(sums["used"]),
        total=round(sums["total"]),
        observed=observed,
        expected=expected,
    )


def where_paired(
    combine: Callable[[Sums], Coefficient], reason: Undefined = Undefined.NO_PAIR
) -> Callable[[Sums], Coefficient]:
    """Combine sums where a unit is used, and say why the coefficient is undefined where none is."""

    def guarded(sums: Sums) -> Coefficient:
        if sums.get("used"):
            return combine(sums)
        return Coefficient(value=None, undefined=reason, used=0, total=round(sums.get("total", 0)))

    return guarded


def _percent_parts(row: Row[K]) -> Sums:
    labels = _given(row)
    if len(labels) < 2:
        return {"total": 1}
    same = sum(count * (count - 1) for count in Counter(labels).values())
    return {"total": 1, "used": 1, "same": same / (len(labels) * (len(labels) - 1))}


def _percent(sums: Sums) -> Coefficient:
    share = sums["same"] / sums["used"]
    return Coefficient(value=share, used=round(sums["used"]), total=round(sums["total"]), observed=share)


PERCENT: Formula[Row[Hashable]] = Formula(_percent_parts, where_paired(_percent))


def _kappa_parts(row: Row[K]) -> Sums:
    rated = [(column, label) for column, label in enumerate(row) if label is not None]
    if len(rated) < 2:
        return {"total": 1}
    pairs = list(combinations(rated, 2))
    same = sum(first == second for (_, first), (_, second) in pairs)
    parts: dict[Hashable, float] = {"total": 1, "used": 1, "same": same}
    parts |= {("pair", i, j): 1 for (i, _), (j, _) in pairs}
    return parts | {("label", column, label): 1 for column, label in rated}


def _kappa(sums: Sums) -> Coefficient:
    frequencies: dict[Hashable, dict[Hashable, float]] = {}
    pairs: dict[tuple[Hashable, Hashable], float] = {}
    for name, count in sums.items():
        match name:
            case ("label", column, label) if count:
                frequencies.setdefault(column, {})[label] = count
            case ("pair", first, second) if count:
                pairs[first, second] = count
    units = {column: sum(counts.values()) for column, counts in frequencies.items()}
    # P_e = sum over pairs of raters of their shared units x sum over labels of p_first p_second, over all
    # shared units. `clashes` counts in whole numbers, so that zero means zero.
    expected = clashes = 0.0
    for (first, second), shared in pairs.items():
        meetings = sum(n * frequencies[second].get(label, 0) for label, n in frequencies[first].items())
        possible = units[first] * units[second]
        expected += shared * meetings / possible
        clashes += possible - meetings
    paired = sum(pairs.values())
    return _chance_corrected(
        sums,
        observed=sums.get("same", 0) / paired,
        expected=expected / paired,
        is_undefined=clashes == 0,
    )


KAPPA: Formula[Row[Hashable]] = Formula(_kappa_parts, where_paired(_kappa))


def _ac1_parts(row: Row[K]) -> Sums:
    parts: dict[Hashable, float] = dict(_percent_parts(row))
    labels = _given(row)
    if labels:
        parts["rated"] = 1
    return parts | {("share", label): count / len(labels) for label, count in Counter(labels).items()}


def _ac1(sums: Sums) -> Coefficient:
    # P_e = sum of pi_k (1 - pi_k) / (q - 1) over the q labels, pi_k the mean share of label k.
    shares = [s / sums["rated"] for name, s in sums.items() if isinstance(name, tuple) and s]
    labels = len(shares)
    expected = sum(share * (1 - share) for share in shares) / (labels - 1) if labels > 1 else 0.0
    return _chance_corrected(sums, observed=sums["same"] / sums["used"], expected=expected)


AC1: Formula[Row[Hashable]] = Formula(_ac1_parts, where_paired(_ac1))


def _fleiss_parts(row: Row[K]) -> Sums:
    labels = _given(row)
    if len(labels) < len(row) or len(row) < 2:
        return {"total": 1}
    parts: dict[Hashable, float] = dict(_percent_parts(row))
    return parts | {("label", label): count for label, count in Counter(labels).items()}


def _fleiss(sums: Sums) -> Coefficient:
    # P_e = sum of p_k², p_k the share of label k among all ratings.
    counts = [count for name, count in sums.items() if isinstance(name, tuple)]
    ratings = sum(counts)
    squares = sum(count * count for count in counts)
    return _chance_corrected(
        sums,
        observed=sums["same"] / sums["used"],
        expected=squares / (ratings * ratings),
        is_undefined=squares == ratings * ratings,
    )


FLEISS: Formula[Row[Hashable]] = Formula(_fleiss_parts, where_paired(_fleiss, Undefined.NOT_COMPLETE))


def alpha_formula(rows: Iterable[Row[K]], *, distance: Distance[K] = nominal_distance) -> Formula[Row[K]]:
    """Krippendorff's alpha for samples of these rows.

    Args:
        rows: Every row a sample may hold; the distances of their labels are computed once.
        distance: How far apart two labels are, 0 to 1.
    """
    labels = list(dict.fromkeys(label for row in rows for label in _given(row)))
    distances = {(a, b): distance(a, b) for a, b in combinations(labels, 2)}
    alike = [(("label", a), ("label", b), 2 * (1 - d)) for (a, b), d in distances.items() if d < 1]

    def parts(row: Row[K]) -> Sums:
        given = _given(row)
        if len(given) < 2:
            return {"total": 1}
        apart = sum(distances.get((a, b), distances.get((b, a), 0.0)) for a, b in combinations(given, 2))
        sums: dict[Hashable, float] = {"total": 1, "used": 1, "apart": 2 * apart / (len(given) - 1)}
        return sums | {("label", label): count for label, count in Counter(given).items()}

    def combine(sums: Sums) -> Coefficient:
        # D_o = apart / n; D_e = sum over labels c, k of n_c n_k d(c, k) / (n (n - 1)): n² less what is alike.
        counts = {name: n for name, n in sums.items() if isinstance(name, tuple)}
        n = sum(counts.values())
        apart = n * n - sum(count * count for count in counts.values())
        apart -= sum(counts.get(a, 0) * counts.get(b, 0) * weight for a, b, weight in alike)
        return _chance_corrected(
            sums,
            observed=1 - sums["apart"] / n,
            expected=1 - apart / (n * (n - 1)),
            is_undefined=apart < ROUNDING,
        )

    return Formula(parts, where_paired(combine))
