"""Which of two runs is preferred, task by task: win rates, and how they go with scores and with people."""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import combinations
from math import sqrt

from scoring.agreement.coefficients import Coefficient, cohen_kappa, percent_agreement
from scoring.groups import grouped
from scoring.measures.intervals import Interval, Statistic, Sums, bootstrap_interval
from scoring.measures.rates import Number, Rate, share_of
from scoring.model.record import Record

LEAST_RUNS = 3
"""Runs beside the baseline that an order of runs is worth correlating from."""


class Preference(StrEnum):
    """Which of two replies is the better one."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"

    @property
    def swapped(self) -> "Preference":
        """The same of the replies the other way round."""
        return {Preference.FIRST: Preference.SECOND, Preference.SECOND: Preference.FIRST}.get(self, self)


def preferred(there: Preference | None, back: Preference | None) -> Preference | None:
    """One preference from two answers, the second given to the replies in swapped order.

    Args:
        there: Of the replies as they are.
        back: Of the swapped replies, as it was given.

    Returns:
        What both say, a tie where the order decided, None where either is missing.
    """
    if there is None or back is None:
        return None
    return there if there is back.swapped else Preference.TIE


class ComparedTask(Record):
    """A task that two runs answered: what is preferred, and whether each is right.

    `preference` takes the baseline as the first; None where none was asked for or read. `is_swayed` says
    that the answer changed with the order.
    """

    case: str
    task: int
    preference: Preference | None
    is_swayed: bool
    is_baseline_right: bool
    is_run_right: bool

    @property
    def value(self) -> int:
        """1 where the run is preferred, -1 where the baseline is, 0 for a tie."""
        return (self.preference is Preference.SECOND) - (self.preference is Preference.FIRST)


class WinRate(Record):
    """How a run does against the baseline.

    `win_rate` is (won + tied / 2) / (won + tied + lost), 0..1: 0.5 is as good as the baseline. `interval` is
    its 95 % bootstrap interval over dialogues. Of the ties `swayed` changed with the order of the replies.
    `unread` tasks have no preference, `missing` ones no reply of one of the two. The accuracies are those of
    the tasks with a preference. `tau` is Kendall's tau-b between preference and difference in correctness
    over them, None where either never varies. `baseline` and `judge` name the other run and the judge model.
    """

    run: str
    baseline: str = ""
    judge: str = ""
    win_rate: Number
    interval: Interval | None
    won: int
    tied: int
    lost: int
    swayed: int
    unread: int
    missing: int
    accuracy: Rate
    baseline_accuracy: Rate
    tau: float | None


def win_rate(run: str, tasks: Sequence[ComparedTask], *, missing: int) -> WinRate:
    """Sum up the tasks of one run against the baseline.

    Args:
        run: Its name.
        tasks: Those that both answered.
        missing: How many others there are.
    """
    known = [task for task in tasks if task.preference is not None]
    sessions = grouped((task.case, task.value) for task in known)
    sums = Counter(task.value for task in known)
    return WinRate(
        run=run,
        win_rate=Number(value=_share({"value": sums[1] - sums[-1], "count": len(known)}), of=len(known)),
        interval=bootstrap_interval(map(tuple, sessions.values()), Statistic(_parts, _share), seed=0),
        won=sums[1],
        tied=sums[0],
        lost=sums[-1],
        swayed=sum(task.is_swayed for task in known),
        unread=len(tasks) - len(known),
        missing=missing,
        accuracy=share_of(known, lambda task: task.is_run_right),
        baseline_accuracy=share_of(known, lambda task: task.is_baseline_right),
        tau=kendall_tau((task.value, task.is_run_right - task.is_baseline_right) for task in known),
    )


def _parts(values: tuple[int, ...]) -> Sums:
    return {"value": sum(values), "count": len(values)}


def _share(sums: Sums) -> float | None:
    count = sums.get("count")
    return (1 + sums.get("value", 0) / count) / 2 if count else None


def consistency(rates: Sequence[WinRate]) -> float | None:
    """Kendall's tau-b between win rate and accuracy over runs (T-Eval 2.2.3); None for fewer than three."""
    pairs = [(one.win_rate.value, one.accuracy.value) for one in rates]
    known = [(win, right) for win, right in pairs if win is not None and right is not None]
    return kendall_tau(known) if len(known) >= LEAST_RUNS else None


def kendall_tau(pairs: Iterable[tuple[float, float]]) -> float | None:
    """Kendall's rank correlation with ties, tau-b: 1 for the same order, -1 for the reverse, 0 for none.

    Args:
        pairs: Two values of each thing.

    Returns:
        None where all first or all second values are equal.

    References:
        Kendall (1945), The treatment of ties in ranking problems, Biometrika 33.
    """
    # tau-b = (concordant - discordant) / sqrt(pairs untied in the first x pairs untied in the second)
    agreeing = first = second = 0
    for ((x, y), n), ((u, v), m) in combinations(Counter(pairs).items(), 2):
        dx, dy = (x > u) - (x < u), (y > v) - (y < v)
        agreeing += n * m * dx * dy
        first += n * m * abs(dx)
        second += n * m * abs(dy)
    return agreeing / sqrt(first * second) if first and second else None


class PeopleAgreement(Record):
    """How a judge model goes with what people prefer: the share of equal ones, and Cohen's kappa."""

    share: Coefficient
    kappa: Coefficient


def people_agreement(pairs: Sequence[tuple[Preference | None, Preference | None]]) -> PeopleAgreement:
    """Compare preferences, the judge model's first, a person's second; None for one that is missing."""
    return PeopleAgreement(share=percent_agreement(pairs), kappa=cohen_kappa(pairs))
