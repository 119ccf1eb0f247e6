"""How far the raters of a set of cases agree: on every field, in every pair, and in their drawings."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from enum import StrEnum
from functools import cache
from itertools import combinations
from typing import cast

from scoring.agreement.coefficients import AC1, KAPPA, PERCENT, Coefficient, Distance, Formula, alpha_formula
from scoring.agreement.distances import masi_distance
from scoring.agreement.overlap import F1, PRECISION, RECALL, completion_picks
from scoring.agreement.rated_cases import (
    Block,
    LabelRow,
    RatedCase,
    RatedField,
    TaskUnit,
    between,
    count_units,
)
from scoring.groups import grouped, summed
from scoring.measures.intervals import RESAMPLES, TOO_FEW_UNITS, Drawn, Sums, add_up, drawn_intervals
from scoring.model.record import Record

UNDEFINED_ITSELF = "the number itself is undefined"
TOO_FEW_TASKS = "fewer than two tasks to draw samples from"
PAIRS_HAVE_NONE = "intervals are drawn for all raters together"


class AgreementMeasure(StrEnum):
    """What a column of the agreement table holds; precision and recall stand between two raters only."""

    PERCENT = "percent"
    KAPPA = "kappa"
    ALPHA = "alpha"
    AC1 = "ac1"
    F1 = "f1"
    EXACT_MATCH = "exact_match"
    SET_ALPHA = "set_alpha"
    PRECISION = "precision"
    RECALL = "recall"


Clash = tuple[str | bool, str | bool]


class Confusion(Record):
    """How often one label met another: `said` by one rater where a second rater said `against`."""

    said: str | bool
    against: str | bool
    count: int


class PairAgreement(Record):
    """Agreement of two raters on one field, without intervals; `first` is the reference of precision.

    `confusions` come most frequent first; `said` is the first rater's label. A graph has none.
    """

    first: str
    second: str
    coefficients: dict[AgreementMeasure, Coefficient]
    confusions: tuple[Confusion, ...]


class FieldAgreement(Record):
    """One row of the agreement table: all raters together with intervals, and each pair that met.

    `confusions` count pairs of differing ratings within a unit, most frequent first, whoever said
    which; `said` comes before `against` in the alphabet. A graph has none. `usual` is the label that was
    said most often, None for a graph; on `differing` of the units with two ratings or more somebody differs.
    """

    field: RatedField
    coefficients: dict[AgreementMeasure, Coefficient]
    confusions: tuple[Confusion, ...]
    pairs: tuple[PairAgreement, ...]
    usual: str | bool | None = None
    differing: int = 0

    @property
    def beyond_chance(self) -> Coefficient:
        """The coefficient that stands first: alpha, for whole drawings over sets of edges."""
        return self.coefficients[main_measure(self.field)]

    @property
    def seen(self) -> Coefficient:
        """How often two raters say the same; for whole drawings F1 over their edges."""
        is_graph = self.field is RatedField.GRAPH
        return self.coefficients[AgreementMeasure.F1 if is_graph else AgreementMeasure.PERCENT]


def main_measure(field: RatedField) -> AgreementMeasure:
    """Which coefficient stands first for a field."""
    return AgreementMeasure.SET_ALPHA if field is RatedField.GRAPH else AgreementMeasure.ALPHA


def agreement_table(
    cases: Iterable[RatedCase], *, seed: int, resamples: int = RESAMPLES, level: float = 0.95
) -> tuple[FieldAgreement, ...]:
    """Measure the agreement of all raters on every field.

    Intervals are percentile bootstraps that resample tasks, so that the calls or edges of one task
    stay together; tasks count as independent of each other. A task with fewer than two steps to
    connect is no unit of the drawn fields: nothing can be drawn there.

    Args:
        cases: The cases of the slice that is asked about, in any order; may be empty. Those that were
            checked by choice are left out: they say nothing of the others.
        seed: Seed of the intervals: same cases and seed, same intervals.
        resamples: Samples drawn for the intervals; 0 leaves them out.
        level: Level of the intervals, above 0 and below 1.

    Returns:
        One row for each field, in the order of `RatedField`, with percent, kappa (Conger's for more
        than two raters), alpha and AC1; for completed F1, too. The row of graph has F1 over the edges
        with their kinds, exact match, and set-valued alpha with MASI distance; between two raters
        also precision and recall. A coefficient without interval says why in `no_interval`.
    """
    counted = sorted((case for case in cases if not case.by_choice), key=lambda case: case.case_id)
    return tuple(
        _row(field, units, seed=seed, resamples=resamples, level=level)
        for field, units in count_units(counted).items()
        if units or field is not RatedField.REVIEW  # most projects ask nobody
    )


def _row(
    field: RatedField, units: Counter[TaskUnit], *, seed: int, resamples: int, level: float
) -> FieldAgreement:
    blocks = summed((block, count) for (_, block), count in units.items())
    formulas = _formulas(field, blocks)
    said = Counter[Hashable]()
    differing = 0
    for block, tasks in blocks.items():
        for row, count in block:
            labels = [label for label in row if label is not None]
            said.update({label: labels.count(label) * tasks * count for label in labels})
            differing += tasks * count * (len(set(labels)) > 1)
    usual = max(said, key=said.__getitem__, default=None)
    # Who said what matters to kappa alone; without it tasks that differ in nothing else are one unit.
    nameless = Counter({TaskUnit((), block): count for block, count in blocks.items()})
    return FieldAgreement(
        field=field,
        coefficients=_with_intervals(
            units if AgreementMeasure.KAPPA in formulas else nameless,
            {measure: _by_unit(measure, formula) for measure, formula in formulas.items()},
            seed=seed,
            resamples=resamples,
            level=level,
        ),
        confusions=_confusions(
            summed((_in_order(*clash), count) for clash, count in _clashes(blocks).items())
        ),
        pairs=_pairs(field, units, formulas),
        usual=usual if isinstance(usual, str | bool) else None,
        differing=differing,
    )


def _with_intervals(
    units: Mapping[TaskUnit, int],
    formulas: Mapping[AgreementMeasure, Formula[TaskUnit]],
    *,
    seed: int,
    resamples: int,
    level: float,
) -> dict[AgreementMeasure, Coefficient]:
    statistics = [formula.statistic for formula in formulas.values()]
    intervals = drawn_intervals(units, statistics, seed=seed, resamples=resamples, level=level)
    return {
        measure: _bounded(formula.of(units), drawn)
        for (measure, formula), drawn in zip(formulas.items(), intervals, strict=True)
    }


def _bounded(found: Coefficient, drawn: Drawn) -> Coefficient:
    if found.value is None:
        return found.model_copy(update={"no_interval": UNDEFINED_ITSELF})
    if drawn.interval is None:
        why = TOO_FEW_TASKS if drawn.why_none == TOO_FEW_UNITS else drawn.why_none
        return found.model_copy(update={"no_interval": why})
    return found.model_copy(update={"low": drawn.interval.low, "high": drawn.interval.high})


def _pairs(
    field: RatedField, units: Mapping[TaskUnit, int], formulas: Mapping[AgreementMeasure, Formula[Block]]
) -> tuple[PairAgreement, ...]:
    @cache  # the same block comes back in many teams
    def of_two(block: Block, first: int, second: int) -> Block:
        return between(field, block, first, second)

    met = grouped(
        ((first, second), (of_two(block, i, j), count))
        for (raters, block), count in units.items()
        for (i, first), (j, second) in combinations(enumerate(raters), 2)
    )
    if field is RatedField.GRAPH:
        formulas = {
            **formulas,
            AgreementMeasure.PRECISION: _by_block(PRECISION),
            AgreementMeasure.RECALL: _by_block(RECALL),
        }
    return tuple(
        PairAgreement(
            first=first,
            second=second,
            coefficients={
                measure: formula.of(blocks).model_copy(update={"no_interval": PAIRS_HAVE_NONE})
                for measure, formula in formulas.items()
            },
            confusions=_confusions(_clashes(blocks)),
        )
        for (first, second), told in sorted(met.items(), key=lambda item: item[0])
        for blocks in (summed(told),)
    )


def _formulas(field: RatedField, blocks: Mapping[Block, int]) -> dict[AgreementMeasure, Formula[Block]]:
    rows = [row for block in blocks for row, _ in block]
    if field is RatedField.GRAPH:
        # The labels of these rows are drawings, which are sets.
        drawn = alpha_formula(rows, distance=cast("Distance[Hashable]", masi_distance))
        formulas = {
            AgreementMeasure.F1: F1,
            AgreementMeasure.EXACT_MATCH: PERCENT,
            AgreementMeasure.SET_ALPHA: drawn,
        }
    else:
        formulas = {
            AgreementMeasure.PERCENT: PERCENT,
            AgreementMeasure.KAPPA: KAPPA,
            AgreementMeasure.ALPHA: alpha_formula(rows),
            AgreementMeasure.AC1: AC1,
        }
    if field is RatedField.COMPLETED:
        formulas[AgreementMeasure.F1] = Formula(lambda row: F1.parts(completion_picks(row)), F1.combine)
    return {measure: _by_block(formula) for measure, formula in formulas.items()}


def _by_block(formula: Formula[LabelRow]) -> Formula[Block]:
    """The same coefficient over the rows of all blocks."""

    @cache  # asked for once for the value, once for the interval and once for every pair of raters
    def parts(block: Block) -> Sums:
        return add_up(dict(block), formula.parts)

    return Formula(parts, formula.combine)


def _by_unit(measure: AgreementMeasure, formula: Formula[Block]) -> Formula[TaskUnit]:
    """The same coefficient over tasks; kappa's parts get the raters' names in the place of their columns."""

    def parts(unit: TaskUnit) -> Sums:
        columns = formula.parts(unit.block)
        if measure is not AgreementMeasure.KAPPA:
            return columns
        named: dict[Hashable, float] = {}
        for name, part in columns.items():
            match name:
                case ("pair", int(first), int(second)):
                    named["pair", unit.raters[first], unit.raters[second]] = part
                case ("label", int(column), label):
                    named["label", unit.raters[column], label] = part
                case _:
                    named[name] = part
        return named

    return Formula(parts, formula.combine)


def _clashes(blocks: Mapping[Block, int]) -> dict[Clash, int]:
    """Count the pairs of differing labels within a unit, the earlier column's first; drawings are none."""
    rows = ((row, tasks * count) for block, tasks in blocks.items() for row, count in block)
    return summed(
        ((first, second), count)
        for row, count in rows
        for first, second in combinations((label for label in row if isinstance(label, (str, bool))), 2)
        if first != second
    )


def _in_order(first: str | bool, second: str | bool) -> Clash:
    """Two labels whoever said which."""
    return (first, second) if str(first) < str(second) else (second, first)


def _confusions(clashes: Mapping[Clash, int]) -> tuple[Confusion, ...]:
    ordered = sorted(clashes.items(), key=lambda item: (-item[1], str(item[0])))
    return tuple(Confusion(said=a, against=b, count=count) for (a, b), count in ordered)
