"""Whether a difference is news: intervals over sessions, and the paired comparison of two runs."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import comb

from scoring.intervals import Interval, Statistic, Sums, bootstrap_intervals
from scoring.metrics import by_session
from scoring.model.record import Record
from scoring.model.taxonomy import Policy
from scoring.task_scores import TaskScore, has_right_names, is_right

Session = tuple[TaskScore, ...]
"""The scored tasks of one case."""
Measure = Callable[[Session], tuple[int, int]]
"""What a session adds to a rate: how many of how many."""


def task_measure(right: Callable[[TaskScore], bool], *, among: Callable[[TaskScore], bool]) -> Measure:
    """A rate over tasks: the right ones of those that belong to the group."""

    def measure(session: Session) -> tuple[int, int]:
        group = [task for task in session if among(task)]
        return sum(map(right, group)), len(group)

    return measure


def _every(task: TaskScore) -> bool:
    return task.task >= 0


def _is_parallel(task: TaskScore) -> bool:
    return task.policy in (Policy.MULTI_PARALLEL, Policy.MULTI_MIXED)


def _whole_session(session: Session) -> tuple[int, int]:
    return int(all(task.is_correct for task in session)), 1


def _progress(session: Session) -> tuple[int, int]:
    group = [task for task in session if task.policy in (Policy.MULTI_SERIAL, Policy.MULTI_MIXED)]
    return sum(task.steps_done for task in group), sum(task.steps_total for task in group)


HEADLINES: Mapping[str, Measure] = {
    "task_accuracy": task_measure(is_right, among=_every),
    "session_accuracy": _whole_session,
    "subsequent_accuracy": task_measure(is_right, among=lambda task: task.task > 0),
    "names_accuracy": task_measure(has_right_names, among=_every),
    "optimal_path_rate": task_measure(lambda task: task.is_correct and task.optimal, among=_is_parallel),
    "accomplished_progress": _progress,
}
"""The plain numbers of a summary, as measures over sessions."""


def rate_intervals(
    tasks: Sequence[TaskScore],
    *,
    measures: Mapping[str, Measure] = HEADLINES,
    seed: int = 0,
    resamples: int = 1000,
    level: float = 0.95,
) -> dict[str, Interval | None]:
    """Percentile bootstrap intervals of rates, whole sessions resampled (scoring 5; Efron 1979).

    The tasks of one dialogue share its tools and topic, so they are drawn together.

    Args:
        tasks: Scored tasks, those of a case together.
        measures: The rates by name.
        seed: Seed of the resampling.
        resamples: How many samples to draw.
        level: Share of resamples between the bounds.

    Returns:
        An interval for each name, null where there are fewer than two sessions or nothing to count.
    """
    sessions = Counter(by_session(tasks))
    statistics = [_statistic(measure) for measure in measures.values()]
    found = bootstrap_intervals(sessions, statistics, seed=seed, resamples=resamples, level=level)
    return dict(zip(measures, found, strict=True))


def _statistic(measure: Measure) -> Statistic[Session]:
    def parts(session: Session) -> Sums:
        count, total = measure(session)
        return {"count": count, "total": total}

    def value(sums: Sums) -> float | None:
        return sums["count"] / sums["total"] if sums.get("total") else None

    return Statistic(parts=parts, value=value)


class Flip(Record):
    """A task that only one of two runs gets right."""

    case: str
    task: int
    only_first: bool


class PairedComparison(Record):
    """Two runs over the same tasks.

    `difference` is the accuracy of the second minus that of the first, null without common tasks;
    `interval` its bootstrap interval over sessions. `p_value` is that of McNemar's exact test: how often
    chance alone would flip the tasks at least so unevenly.
    """

    both_right: int
    only_first: int
    only_second: int
    both_wrong: int
    difference: float | None
    interval: Interval | None
    p_value: float
    flips: tuple[Flip, ...]


def mcnemar_p_value(only_first: int, only_second: int) -> float:
    """McNemar's exact test, two-sided (McNemar 1947; exact by the binomial distribution).

    Of n = only_first + only_second flipped tasks each side wins each with probability 1/2 if the runs are
    equally good: p = min(1, 2 * sum over i <= min(only_first, only_second) of C(n, i) / 2^n).

    Example:
        >>> mcnemar_p_value(1, 5)  # 2 * (1 + 6) / 64
        0.21875
    """
    flipped = only_first + only_second
    tail = sum(comb(flipped, i) for i in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / (1 << flipped))


def compare_runs(
    first: Sequence[TaskScore],
    second: Sequence[TaskScore],
    *,
    right: Callable[[TaskScore], bool] = is_right,
    seed: int = 0,
    resamples: int = 1000,
) -> PairedComparison:
    """Compare two runs task by task, so that a difference of one point is not taken for news.

    Args:
        first: Scores of one run, the tasks of a case together.
        second: Scores of the other; tasks that are not in both are left out.
        right: What counts as right.
        seed: Seed of the resampling.
        resamples: How many samples to draw for the interval.
    """
    other = {(task.case, task.task): right(task) for task in second}
    shared = [task for task in first if (task.case, task.task) in other]
    pairs = [(right(task), other[task.case, task.task]) for task in shared]
    only_first, only_second = pairs.count((True, False)), pairs.count((False, True))

    def change(session: Session) -> Sums:
        gained = sum(other[task.case, task.task] - right(task) for task in session)
        return {"gained": gained, "total": len(session)}

    statistic = Statistic[Session](parts=change, value=lambda sums: sums["gained"] / sums["total"])
    sessions = Counter(by_session(shared))
    [interval] = bootstrap_intervals(sessions, [statistic], seed=seed, resamples=resamples)
    return PairedComparison(
        both_right=pairs.count((True, True)),
        only_first=only_first,
        only_second=only_second,
        both_wrong=pairs.count((False, False)),
        difference=(only_second - only_first) / len(pairs) if pairs else None,
        interval=interval,
        p_value=mcnemar_p_value(only_first, only_second),
        flips=tuple(
            Flip(case=task.case, task=task.task, only_first=one)
            for task, (one, two) in zip(shared, pairs, strict=True)
            if one is not two
        ),
    )
