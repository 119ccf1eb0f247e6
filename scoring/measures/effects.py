"""What one thing costs in points: contrasts of the same dialogues, over all models (results, Effects)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log2

from scoring.groups import collected, grouped, summed
from scoring.matching.task_scores import TaskScore, is_right
from scoring.measures.accuracy import RELATIONS
from scoring.measures.intervals import (
    RESAMPLES,
    Interval,
    Statistic,
    Sums,
    drawn_values,
    percentile_interval,
    units_are_few,
)
from scoring.measures.progress import OPTIMAL_OVER, PROGRESS_OVER
from scoring.measures.sample import ScoredSample, shared_tasks
from scoring.model.record import Record
from scoring.model.taxonomy import Information, Policy

Part = Callable[[TaskScore], tuple[int, int]]
"""What a task adds to a rate: to its count, and to its total."""


def _right(task: TaskScore) -> tuple[int, int]:
    return is_right(task), 1


def _steps(task: TaskScore) -> tuple[int, int]:
    return task.steps_done, task.steps_total


@dataclass(frozen=True)
class Arm:
    """One rate of a contrast: the tasks it counts, what they are called, and how the rate is weighted.

    `part` says what a task adds to the rate, which is accuracy unless given.
    """

    name: str
    weight: float
    tasks: Sequence[TaskScore]
    part: Part = _right

    @property
    def rate(self) -> float:
        """The rate of its tasks, which must add something to its total."""
        counts = [self.part(task) for task in self.tasks]
        return sum(count for count, _ in counts) / sum(total for _, total in counts)


@dataclass(frozen=True)
class Contrast:
    """A weighted sum of rates, the same for every model.

    Attributes:
        title: What is compared, the side that is expected to be better first.
        models: The arms of each model, or of each pair or series of runs.
        printed: What a paper prints for it; empty for nothing.
        why_none: Why nothing can be compared, where `models` is empty.
    """

    title: str
    models: Mapping[str, Sequence[Arm]]
    printed: str = ""
    why_none: str = ""


class Effect(Record):
    """What a contrast comes to, as shares: 0.1 is ten points.

    `value` is the unweighted mean of the models' own, which `by_model` has; it is None where `undefined`
    says why. `interval` is the 95 % percentile bootstrap interval over dialogues; `sessions` of them and
    `tasks` count in any arm. `p_value` is two-sided and by the same resamples, `holm` corrected for all
    effects of one call; both are None where no resample could be drawn.
    """

    title: str
    printed: str
    value: float | None
    undefined: str
    by_model: dict[str, float]
    interval: Interval | None
    sessions: int
    tasks: int
    p_value: float | None
    holm: float | None


@collected
def effects(
    contrasts: Sequence[Contrast], sessions: Iterable[str], *, seed: int = 0, resamples: int = RESAMPLES
) -> Iterator[Effect]:
    """Measure contrasts over the same resamples of whole dialogues, both arms of all models in each.

    The p-value inverts the percentile interval: twice the smaller share of resamples at or beyond zero, one
    more counted on either side (Davison and Hinkley 1997, Bootstrap methods, 4.4), so it is at least
    2 / (resamples + 1). Models without a task in some arm are left out.

    Args:
        contrasts: What is measured; Holm's correction is over those that have a p-value.
        sessions: The cases that were asked, also those that count in no arm.
        seed: Seed of the resampling; the same inputs give the same effects.
        resamples: How many samples to draw.
    """
    units = dict.fromkeys(sessions, 1)
    asked = [
        {name: arms for name, arms in c.models.items() if all(arm.tasks for arm in arms)} for c in contrasts
    ]
    statistics = [_statistic(list(models.values())) for models in asked]
    drawn = (
        [[]] * len(asked)
        if units_are_few(units)
        else drawn_values(units, statistics, seed=seed, resamples=resamples)
    )
    bounds = [percentile_interval(values, resamples=resamples).interval for values in drawn]
    p_values = [_p_value(values) if bound else None for values, bound in zip(drawn, bounds, strict=True)]
    for contrast, models, bound, p_value, corrected in zip(
        contrasts, asked, bounds, p_values, holm(p_values), strict=True
    ):
        own = {name: sum(arm.weight * arm.rate for arm in arms) for name, arms in models.items()}
        counted = {(task.case, task.task) for arms in models.values() for arm in arms for task in arm.tasks}
        yield Effect(
            title=contrast.title,
            printed=contrast.printed,
            value=sum(own.values()) / len(own) if own else None,
            undefined="" if own else _why_none(contrast),
            by_model=own,
            interval=bound,
            sessions=len({case for case, _ in counted}),
            tasks=len(counted),
            p_value=p_value,
            holm=corrected,
        )


def _why_none(contrast: Contrast) -> str:
    empty = dict.fromkeys(arm.name for arms in contrast.models.values() for arm in arms if not arm.tasks)
    return f"no task of these kinds: {'; '.join(empty)}" if empty else contrast.why_none


def _statistic(models: Sequence[Sequence[Arm]]) -> Statistic[str]:
    """The mean over models as a statistic of cases: sums are the count and the total of each arm."""
    places = [(model, arm) for model, arms in enumerate(models) for arm in range(len(arms))]
    parts = grouped(
        (task.case, ((model, arm, word), count))
        for model, arm in places
        for task in models[model][arm].tasks
        for word, count in zip(("right", "all"), models[model][arm].part(task), strict=True)
    )
    sums: dict[str, Sums] = {case: summed(of_case) for case, of_case in parts.items()}
    keys = [(models[m][a].weight / len(models), (m, a, "right"), (m, a, "all")) for m, a in places]

    def value(found: Sums) -> float | None:
        if not keys or not all(found.get(every) for _, _, every in keys):
            return None
        return sum(weight * found[right] / found[every] for weight, right, every in keys)

    return Statistic(parts=lambda case: sums.get(case, {}), value=value)


def _p_value(values: Sequence[float]) -> float:
    beyond = min(sum(value <= 0 for value in values), sum(value >= 0 for value in values))
    return min(1.0, 2 * (beyond + 1) / (len(values) + 1))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction of those p-values that are known (Holm 1979).

    Example:
        >>> holm([0.01, None, 0.04, 0.03])  # 3 * 0.01; 2 * 0.03; the larger of 0.04 and 0.06
        [0.03, None, 0.06, 0.06]
    """
    corrected: list[float | None] = [None] * len(p_values)
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    least = 0.0
    for number, (p, place) in enumerate(known):
        corrected[place] = least = max(least, min(1.0, (len(known) - number) * p))
    return corrected


Test = Callable[[ScoredSample, TaskScore], bool]
"""Whether a task of a run counts in an arm."""


def _is_shape(*policies: Policy) -> Test:
    return lambda _, task: task.shape in policies


def _is_related(*relations: Information, since: int = 1) -> Test:
    return lambda _, task: task.task >= since and task.information in relations


def _is_place(place: int) -> Test:
    return lambda _, task: task.task == place


def _is_after(switches: int, places: Sequence[int] = (0, 1, 2, 3)) -> Test:
    return lambda sample, task: (
        task.task in places and sample.transitions.get((task.case, task.task)) == switches
    )


_PARALLEL = ("parallel", 1.0, _is_shape(Policy.MULTI_PARALLEL))
_SERIAL_OR_MIXED = _is_shape(Policy.MULTI_SERIAL, Policy.MULTI_MIXED)


def _long_range(since: int) -> tuple[tuple[str, float, Test], ...]:
    return tuple(
        (relation.value.replace("_", " "), weight, _is_related(relation, since=since))
        for relation, weight in zip(RELATIONS, (0.5, 0.5, -1.0), strict=True)
    )


def _switches(weight: float, places: Sequence[int]) -> tuple[tuple[str, float, Test], ...]:
    words = "" if len(places) > 3 else ", fourth tasks only" if len(places) == 1 else ", first tasks left out"
    return (
        (f"without a switch{words}", weight, _is_after(0, places)),
        (f"after three switches{words}", -weight, _is_after(3, places)),
    )


def _places(first: int, second: int, weight: float = 1.0) -> tuple[tuple[str, float, Test], ...]:
    return tuple(
        (f"number {place + 1} of its dialogue", sign * weight, _is_place(place))
        for place, sign in ((first, 1), (second, -1))
    )


_SLICES: tuple[tuple[str, str, tuple[tuple[str, float, Test], ...]], ...] = (
    (
        "Dependencies: parallel − average of serial and mixed",
        "C3-Bench 28.7",
        (
            _PARALLEL,
            ("serial", -0.5, _is_shape(Policy.MULTI_SERIAL)),
            ("mixed", -0.5, _is_shape(Policy.MULTI_MIXED)),
        ),
    ),
    (
        "Dependencies: parallel − serial and mixed together",
        "",
        (_PARALLEL, ("serial or mixed", -1.0, _SERIAL_OR_MIXED)),
    ),
    (
        "Hidden information: nothing hidden − something hidden",
        "",
        (
            (
                "without hidden information",
                1.0,
                lambda _, task: task.task == 0 or task.information is Information.FIRST,
            ),
            ("with hidden information", -1.0, _is_related(*RELATIONS)),
        ),
    ),
    ("Long range: average of omission and reference − long range", "C3-Bench 11.0", _long_range(1)),
    ("Long range, tasks 3 and later only", "", _long_range(2)),
    ("One more task: (task 1 − task 4) / 3", "C3-Bench 10.1", _places(0, 3, 1 / 3)),
    ("Task 1 − task 2", "", _places(0, 1)),
    ("Task 2 − task 3", "", _places(1, 2)),
    ("Task 3 − task 4", "", _places(2, 3)),
    ("Switches: none − three", "WildToolBench up to 30 in one model", _switches(1.0, (0, 1, 2, 3))),
    ("One more switch: (none − three) / 3, tasks 2 to 4", "", _switches(1 / 3, (1, 2, 3))),
    ("One more switch: (none − three) / 3, tasks 4 only", "", _switches(1 / 3, (3,))),
)
"""Contrasts of the tasks of one run: title, what is printed, and name, weight and test of each arm."""


def slice_contrasts(runs: Mapping[str, ScoredSample]) -> tuple[Contrast, ...]:
    """What dependencies, hidden information, one more task and one more switch cost each run."""
    return tuple(
        Contrast(title, {name: list(map(partial(_arm, run), arms)) for name, run in runs.items()}, printed)
        for title, printed, arms in _SLICES
    )


def _arm(sample: ScoredSample, arm: tuple[str, float, Test]) -> Arm:
    name, weight, test = arm
    return Arm(name, weight, [task for task in sample.counted if test(sample, task)])


PAIRED_RATES: Mapping[str, tuple[Sequence[Policy | None], Part]] = {
    "accuracy": ((*Policy, None), _right),
    "optimal paths": (OPTIMAL_OVER, lambda task: (task.is_correct and task.optimal, 1)),
    "progress": (PROGRESS_OVER, _steps),
}
"""What two runs are compared by: the policies whose tasks count, and what a task adds to the rate."""


def paired_arms(
    better: ScoredSample, other: ScoredSample, *, since: int = 0, by: str = "accuracy"
) -> tuple[Arm, Arm]:
    """The tasks that count and have a prediction in both of two runs, from a place of their dialogue on.

    Args:
        better: The run that is expected to be better.
        other: The other one.
        since: The first place that counts.
        by: One of `PAIRED_RATES`.
    """
    policies, part = PAIRED_RATES[by]
    first, second = (
        [task for task in tasks if task.task >= since and task.shape in policies]
        for tasks in shared_tasks(better.counted, other.counted)
    )
    words = "in both runs" if by == "accuracy" else f"in both runs and counts for {by}"
    return Arm(words, 1.0, first, part), Arm(words, -1.0, second, part)


def size_arms(runs: Sequence[tuple[float, ScoredSample]]) -> tuple[Arm, ...]:
    """Accuracy of models of several sizes, weighted for the least-squares slope per doubling of the size.

    Only tasks that have a prediction in all of them count.
    """
    places = [log2(size) for size, _ in runs]
    mean = sum(places) / len(places)
    spread = sum((place - mean) ** 2 for place in places)
    return tuple(
        Arm("answered in every size", (place - mean) / spread, tasks)
        for place, tasks in zip(places, shared_tasks(*(run.counted for _, run in runs)), strict=True)
    )
