"""How often raters are wrong against what became final: shares, their intervals, and what a team is worth.

The formulas stand in `docs/checking.md`, with their sources and what they promise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from scoring.agreement.rated_cases import RatedCase, RatedField
from scoring.generics import K
from scoring.measures.intervals import Interval, score_interval
from scoring.measures.rates import Rate, rate
from scoring.model.case import Answer, Case
from scoring.model.record import Record
from scoring.wording import written_interval

Counts = Sequence[tuple[int, int, float]]
"""Wrong labels and all labels of each case, at least one, and how many cases it stands for, at least 1."""


class ErrorRate(Record):
    """How many labels of a rater are wrong, in how many cases.

    `share` is of all cases that these stand for, the share of the labels where all cases are checked.
    `interval` (95 %) is that of the rater's own labels. `estimate` is the share drawn towards the team.
    """

    wrong: Rate
    case_count: int
    share: float
    interval: Interval
    estimate: float

    @property
    def words(self) -> str:
        """The interval in percent."""
        return written_interval(100 * self.interval.low, 100 * self.interval.high, form=".1f")


@dataclass(frozen=True)
class GivenLabel:
    """A label a rater gave, and what stands in the final content; an edge that is absent is None.

    `pair` are the steps of an edge.
    """

    rater: str
    task: int
    field: RatedField
    pair: tuple[int, int] | None
    said: JsonValue
    final: JsonValue

    @property
    def is_right(self) -> bool:
        """Whether it stands."""
        return self.said == self.final


def given_labels(rated: RatedCase, final: Case) -> tuple[GivenLabel, ...]:
    """Every policy, information and dependency that raters said, beside what is final.

    Nobody is asked for the information of a first task; who has not drawn a task said nothing of its
    dependencies. One that nobody drew and is final counts for each who drew the task. Judgments of calls and
    of completion are left out: what they were about is gone once it was put right.

    Returns:
        Nothing for a final case with other tasks or steps than the one that was judged.
    """
    counts = [sum(not isinstance(step, Answer) for step in task.steps) for task in final.tasks]
    judged = {field.task for field in rated.fields}
    if len(counts) != len(rated.step_counts) or any(counts[t] != rated.step_counts[t] for t in judged):
        return ()
    drew, found = rated.drew(), []
    drawn = {t: {edge.pair: edge.kind.value for edge in final.tasks[t].drawn_edges} for t in judged}
    for field in rated.fields:
        task = final.tasks[field.task]
        if field.pair is not None:
            right: JsonValue = drawn[field.task].pop(field.pair, None)
            is_said = drew[field.task]
        elif field.kind == "policy" or (field.kind == "information" and field.task > 0):
            right = task.policy if field.kind == "policy" else task.information
            is_said = tuple(value is not None for value in field.values)
        else:
            continue
        said = zip(rated.raters, field.values, is_said, strict=True)
        kind = RatedField(field.kind)
        found += [GivenLabel(rater, field.task, kind, field.pair, v, right) for rater, v, has in said if has]
    found += [
        GivenLabel(rater, t, RatedField.EDGE, pair, None, kind)
        for t, left in drawn.items()
        for pair, kind in left.items()
        for rater, has in zip(rated.raters, drew[t], strict=True)
        if has
    ]
    return tuple(found)


def error_rates(team: Mapping[K, Counts]) -> dict[K, ErrorRate]:
    """The rates of everybody in a team, with intervals and estimates.

    Args:
        team: What each rater had wrong, case by case; everybody has a case.
    """
    together = design_effect(list(team.values()))
    known = {key: _independent(cases, together) for key, cases in team.items()}
    mean, weight = _worth_of_team(list(known.values()))
    return {
        key: ErrorRate(
            wrong=rate(sum(x for x, _, _ in team[key]), sum(n for _, n, _ in team[key])),
            case_count=len(team[key]),
            share=x / n,
            interval=score_interval(x, n),
            estimate=mean if weight is None else (x + weight * mean) / (n + weight),
        )
        for key, (x, n) in known.items()
    }


def _independent(cases: Counts, effect: float) -> tuple[float, float]:
    """Wrong and all labels, as so many independent ones of equal weight."""
    wrong, total = _stood_for(cases)
    unequal = sum(weight * weight * n for _, n, weight in cases) / total
    return wrong / max(effect, unequal), total / max(effect, unequal)


def _stood_for(cases: Counts) -> tuple[float, float]:
    return sum(weight * x for x, _, weight in cases), sum(weight * n for _, n, weight in cases)


def design_effect(team: Sequence[Counts]) -> float:
    """How many labels are worth one independent label, at least 1: labels of a case err together."""
    spread = alone = 0.0
    for cases in team:
        wrong, total = _stood_for(cases)
        if len(cases) > 1:
            share = wrong / total
            squares = sum((weight * (x - share * n)) ** 2 for x, n, weight in cases)
            spread += len(cases) / (len(cases) - 1) * squares
            alone += total * share * (1 - share)
    return max(1.0, spread / alone) if alone else 1.0


def _worth_of_team(known: Sequence[tuple[float, float]]) -> tuple[float, float | None]:
    """The mean of a team, and how many labels it is worth; None for infinitely many."""
    total = sum(n for _, n in known)
    if len(known) < 2:
        return 0.0, 0.0
    mean = sum(x for x, _ in known) / total
    squares = sum(n * (x / n - mean) ** 2 for x, n in known)
    room = total - sum(n * n for _, n in known) / total
    variance = (squares - (len(known) - 1) * mean * (1 - mean)) / room
    return mean, mean * (1 - mean) / variance - 1 if variance > 0 else None
