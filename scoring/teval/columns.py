"""The eleven columns of T-Eval's published table: what a model reaches in each, and how two models differ."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from scoring.errors import InputError
from scoring.groups import collected, grouped, keyed, summed
from scoring.measures.intervals import RESAMPLES, Interval, Statistic, Sums, drawn_intervals
from scoring.model.record import Record
from scoring.teval.scores import ABILITIES, ItemResult, TevalScores
from scoring.teval.subsets import Subset


class AbilityColumn(StrEnum):
    """One ability in one format (teval 10); S is a reply as text, J as JSON."""

    INSTRUCT_S = "instr S"
    INSTRUCT_J = "instr J"
    PLAN_S = "plan S"
    PLAN_J = "plan J"
    REASON_S = "reas S"
    REASON_J = "reas J"
    RETRIEVE_S = "retr S"
    RETRIEVE_J = "retr J"
    UNDERSTAND_S = "und S"
    UNDERSTAND_J = "und J"
    REVIEW = "review"


_READ: Mapping[AbilityColumn, tuple[Subset, tuple[str, ...]]] = {
    AbilityColumn.INSTRUCT_S: (Subset.INSTRUCT, ("string_format_metric", "string_args_em_metric")),
    AbilityColumn.INSTRUCT_J: (Subset.INSTRUCT, ("json_format_metric", "json_args_em_metric")),
    AbilityColumn.PLAN_S: (Subset.PLAN_STR, ("f1_score",)),
    AbilityColumn.PLAN_J: (Subset.PLAN_JSON, ("f1_score",)),
    AbilityColumn.REASON_S: (Subset.REASON_STR, ("thought",)),
    AbilityColumn.REASON_J: (Subset.RRU_JSON, ("thought",)),
    AbilityColumn.RETRIEVE_S: (Subset.RETRIEVE_STR, ("name",)),
    AbilityColumn.RETRIEVE_J: (Subset.RRU_JSON, ("name",)),
    AbilityColumn.UNDERSTAND_S: (Subset.UNDERSTAND_STR, ("args",)),
    AbilityColumn.UNDERSTAND_J: (Subset.RRU_JSON, ("args",)),
    AbilityColumn.REVIEW: (Subset.REVIEW_STR, ("review_quality",)),
}
"""For each column its file, and the metrics whose mean it is."""

OVERALL = "overall"


@keyed
def column_values(scores: TevalScores) -> Iterator[tuple[AbilityColumn, float | None]]:
    """What a model reaches in each column, from 0 to 1; None where its file is missing."""
    for column, (subset, metrics) in _READ.items():
        name = "instruct_json" if subset is Subset.INSTRUCT else subset.value
        known = scores.subsets[name].metrics if name in scores.subsets else {}
        values = [known[metric] for metric in metrics if metric in known]
        yield column, sum(values) / len(metrics) if len(values) == len(metrics) else None


def item_value(result: ItemResult, column: AbilityColumn) -> float | None:
    """What one item adds to a column; None where it belongs to another one."""
    subset, metrics = _READ[column]
    if result.subset is not subset or any(metric not in result.metrics for metric in metrics):
        return None
    return sum(result.metrics[metric] for metric in metrics) / len(metrics)


class ColumnDifference(Record):
    """Two models in one column or overall: their values, second minus first, and its 95 % interval.

    `interval` is None where it cannot be drawn; `why_none` says why.
    """

    name: str
    first: float | None
    second: float | None
    items: int
    interval: Interval | None = None
    why_none: str | None = None

    @property
    def difference(self) -> float | None:
        """Second minus first; None where one of them is missing."""
        return None if self.first is None or self.second is None else self.second - self.first

    @property
    def is_significant(self) -> bool:
        """Whether chance does not explain the difference: 0 lies outside the interval."""
        return self.interval is not None and not self.interval.low <= 0 <= self.interval.high


@dataclass(frozen=True)
class _CaseSums:
    """What the items of one case add to each column: differences and how many items."""

    parts: tuple[tuple[Hashable, float], ...]


@collected
def compare_models(
    first: Sequence[ItemResult], second: Sequence[ItemResult], *, seed: int = 0, resamples: int = RESAMPLES
) -> Iterator[ColumnDifference]:
    """Compare two models item by item; intervals resample cases, so that items of one case stay together.

    Args:
        first: The results of one model; its order does not matter.
        second: Those of the other over the same items.
        seed: Seed of the intervals.
        resamples: Samples drawn for them; 0 for none.

    Returns:
        One per column that has items, then `overall`.

    Raises:
        InputError: They are not over the same items.
    """
    pairs = _paired(first, second)
    totals = _totals(pairs)
    shown = [column for column in AbilityColumn if column in totals]
    statistics = [Statistic(_parts, partial(_mean_difference, column=column)) for column in shown]
    statistics.append(Statistic(_parts, _overall_difference))
    drawn = drawn_intervals(_units(pairs), statistics, seed=seed, resamples=resamples)
    means = {column: [total / totals[column][2] for total in totals[column][:2]] for column in shown}
    yield from [
        ColumnDifference(
            name=column.value,
            first=means[column][0],
            second=means[column][1],
            items=int(totals[column][2]),
            interval=one.interval,
            why_none=one.why_none,
        )
        for column, one in zip(shown, drawn, strict=False)
    ]
    ends = [_overall({column: means[column][side] for column in shown}) for side in (0, 1)]
    last = drawn[-1]
    yield ColumnDifference(
        name=OVERALL,
        first=ends[0],
        second=ends[1],
        items=len(first),
        interval=last.interval if ends[0] is not None else None,
        why_none=last.why_none,
    )


def _paired(
    first: Sequence[ItemResult], second: Sequence[ItemResult]
) -> tuple[tuple[ItemResult, ItemResult], ...]:
    """What both models did with each item, in the order of the first one's results.

    Raises:
        InputError: They are not over the same items.
    """
    others = {(one.subset, one.item): one for one in second}
    if len(first) != len(second) or any((one.subset, one.item) not in others for one in first):
        raise InputError("The two models answered other items.", "Compare models over the same items.")
    return tuple((one, others[one.subset, one.item]) for one in first)


def _shared_values(first: ItemResult, second: ItemResult) -> Iterator[tuple[AbilityColumn, float, float]]:
    """What two results of one item add to each column both of them belong to."""
    for column in AbilityColumn:
        mine, theirs = item_value(first, column), item_value(second, column)
        if mine is not None and theirs is not None:
            yield column, mine, theirs


def _totals(pairs: Iterable[tuple[ItemResult, ItemResult]]) -> dict[AbilityColumn, list[float]]:
    """For each column that has items the sum of either model, and how many items there are."""
    totals: dict[AbilityColumn, list[float]] = {}
    for first, second in pairs:
        for column, mine, theirs in _shared_values(first, second):
            total = totals.setdefault(column, [0.0, 0.0, 0.0])
            total[0], total[1], total[2] = total[0] + mine, total[1] + theirs, total[2] + 1
    return totals


def _units(pairs: Iterable[tuple[ItemResult, ItemResult]]) -> dict[_CaseSums, int]:
    """One unit per case in the order of the items, so that the same seed gives the same interval."""
    sums = (
        summed(
            ((column, name), part)
            for first, second in own
            for column, mine, theirs in _shared_values(first, second)
            for name, part in (("difference", theirs - mine), ("items", 1.0))
        )
        for own in grouped((first.case or first.item, (first, second)) for first, second in pairs).values()
    )
    return {_CaseSums((("case", number), *of_case.items())): 1 for number, of_case in enumerate(sums)}


def _parts(case: _CaseSums) -> Sums:
    return {name: part for name, part in case.parts if name != "case"}


def _mean_difference(sums: Sums, *, column: AbilityColumn) -> float | None:
    count = sums.get((column, "items"), 0.0)
    return sums.get((column, "difference"), 0.0) / count if count else None


def _overall_difference(sums: Sums) -> float | None:
    found = {column: _mean_difference(sums, column=column) for column in AbilityColumn}
    return _overall({column: value for column, value in found.items() if value is not None})


def _overall(means: Mapping[AbilityColumn, float]) -> float | None:
    """The mean of the six abilities, each the mean of its formats (teval 6); None where one is missing."""
    if len(means) < len(AbilityColumn):
        return None
    columns = list(AbilityColumn)
    pairs = [columns[start : start + 2] for start in range(0, len(columns) - 1, 2)]
    abilities = [(means[text] + means[json]) / 2 for text, json in pairs]
    return (sum(abilities) + means[AbilityColumn.REVIEW]) / len(ABILITIES)
