"""Whether a difference is news: intervals over sessions, and the paired comparison of two runs."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import comb

from scoring.matching.task_scores import TaskScore, is_right
from scoring.measures import catalogue
from scoring.measures.catalogue import Measure
from scoring.measures.intervals import Interval, Statistic, Sums, bootstrap_intervals
from scoring.measures.sample import ScoredSample, Session, by_session, shared_tasks
from scoring.model.record import Record


def rate_intervals(
    sample: ScoredSample,
    *,
    measures: Mapping[str, Measure] | None = None,
    seed: int = 0,
    resamples: int = 1000,
    level: float = 0.95,
) -> dict[str, Interval | None]:
    """Percentile bootstrap intervals of rates, whole sessions resampled (scoring 5; Efron 1979).

    The tasks of one dialogue share its tools and topic, so they are drawn together.

    Args:
        sample: The run.
        measures: The measures by name; None for the rates among the overall figures.
        seed: Seed of the resampling.
        resamples: How many samples to draw.
        level: Share of resamples between the bounds.

    Returns:
        An interval for each name, None where there are fewer than two sessions or nothing to count.
    """
    chosen = catalogue.headlines() if measures is None else measures
    sessions = Counter(sample.sessions)
    statistics = [_statistic(measure, sample) for measure in chosen.values()]
    found = bootstrap_intervals(sessions, statistics, seed=seed, resamples=resamples, level=level)
    return dict(zip(chosen, found, strict=True))


def _statistic(measure: Measure, sample: ScoredSample) -> Statistic[Session]:
    def parts(session: Session) -> Sums:
        found = measure.total(replace(sample, tasks=session))
        return {"count": found.count, "total": found.total}

    def value(sums: Sums) -> float | None:
        return sums["count"] / sums["total"] if sums.get("total") else None

    return Statistic(parts=parts, value=value)


class Flip(Record):
    """A task that only one of two runs gets right."""

    case: str
    task: int
    only_first: bool


class PairedComparison(Record):
    """Two runs over the tasks that have a prediction in both; `left_out` counts those that lack one in some.

    `difference` is the accuracy of the second minus that of the first, None without common tasks;
    `interval` its bootstrap interval over sessions. `p_value` is that of the permutation test over sessions;
    `mcnemar` that of McNemar's exact test, which takes the tasks of a session for independent.
    """

    both_right: int
    only_first: int
    only_second: int
    both_wrong: int
    difference: float | None
    interval: Interval | None
    p_value: float
    mcnemar: float
    left_out: int
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


def permutation_p_value(gains: Iterable[int]) -> float:
    """Exact paired permutation test over sessions, two-sided (Fisher 1935, section 21; Gail et al. 1996).

    The tasks of a session share its tools and topic, so they stand or fall together. Were the runs equally
    good, each session could as well have come out with the runs swapped: with g(s) the tasks the second run
    wins in session s less those it loses, p is the share of all signs e(s) = +1, -1 with
    |sum of e(s) g(s)| >= |sum of g(s)|. The sums are whole numbers, so their distribution is built session by
    session and nothing is drawn: it is exact however many sessions there are. With one task a session it is
    McNemar's exact test.

    Args:
        gains: g(s) of each session; those of 0 change nothing.

    Returns:
        The share, 0 to 1; 1 where no session differs.

    References:
        Fisher (1935), The design of experiments; Gail, Mark, Carroll, Green and Pee (1996), On design
        considerations and randomization-based inference for community intervention trials.

    Example:
        >>> permutation_p_value([3, 2, -1])  # 6 and 4, each way: 4 of 8 signs
        0.5
    """
    import numpy as np  # late, as in `intervals`

    differing = [gain for gain in gains if gain]
    shares = np.ones(1)
    """Share of the signs whose sum is its place minus the largest one."""
    for size in map(abs, differing):
        shares = (np.pad(shares, (0, 2 * size)) + np.pad(shares, (2 * size, 0))) / 2
    largest, observed = len(shares) // 2, abs(sum(differing))
    return min(1.0, 2 * float(shares[: largest - observed + 1].sum()))


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
        second: Scores of the other; tasks that are not in both, or lack a prediction in one, are left out.
        right: What counts as right.
        seed: Seed of the resampling.
        resamples: How many samples to draw for the interval.
    """
    shared, others = shared_tasks(first, second)
    other = {(task.case, task.task): right(task) for task in others}
    pairs = [(right(task), other[task.case, task.task]) for task in shared]
    every, rest = ({(task.case, task.task) for task in run} for run in (first, second))
    only_first, only_second = pairs.count((True, False)), pairs.count((False, True))

    def change(session: Session) -> Sums:
        gained = sum(other[task.case, task.task] - right(task) for task in session)
        return {"gained": gained, "total": len(session)}

    statistic = Statistic[Session](parts=change, value=lambda sums: sums["gained"] / sums["total"])
    sessions = by_session(shared)
    [interval] = bootstrap_intervals(Counter(sessions), [statistic], seed=seed, resamples=resamples)
    return PairedComparison(
        both_right=pairs.count((True, True)),
        only_first=only_first,
        only_second=only_second,
        both_wrong=pairs.count((False, False)),
        difference=(only_second - only_first) / len(pairs) if pairs else None,
        interval=interval,
        p_value=permutation_p_value(int(change(session)["gained"]) for session in sessions),
        mcnemar=mcnemar_p_value(only_first, only_second),
        left_out=len(every & rest) - len(pairs),
        flips=tuple(
            Flip(case=task.case, task=task.task, only_first=one)
            for task, (one, two) in zip(shared, pairs, strict=True)
            if one is not two
        ),
    )
