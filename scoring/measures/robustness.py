"""How steady a model is when it also sees the tool traffic of earlier tasks (scoring 5.6, C3-Bench).

The same tasks are answered twice: after a history of requests and answers only (`ua`, Challenge 2) and
after the full process (`upta`, Challenge 3).
"""

from collections.abc import Callable, Iterable
from itertools import pairwise
from statistics import linear_regression

from scoring.matching.task_scores import TaskScore, is_right
from scoring.measures.sample import ScoredSample, shared_tasks
from scoring.model.record import Record


class Robustness(Record):
    """Four counts of pairs and what follows from them.

    `right_right` are right under both histories, `right_wrong` right under `ua` and wrong under `upta`,
    `wrong_right` and `wrong_wrong` likewise. `volatility` (VF), `both_right` (Acc2) and `descent` (DDD) are
    None where undefined; then `undefined` says which count is zero.
    """

    right_right: int
    right_wrong: int
    wrong_right: int
    wrong_wrong: int
    volatility: float | None
    both_right: float | None
    descent: float | None
    undefined: str | None

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return self.right_right + self.right_wrong + self.wrong_right + self.wrong_wrong

    @property
    def is_descent_infinite(self) -> bool:
        """Whether the descent may be shown as infinite: it has a numerator and only WR is zero."""
        return self.wrong_right == 0 and self.right_wrong > 0 and self.right_right > 0


class RobustnessTable(Record):
    """Robustness of all but first tasks, overall and by policy transitions up to the task, from "0".

    A first task has no earlier dialogue to be shown in two ways: `first` has these pairs, which count
    nowhere else (scoring 3.7: 768 of the 1,024 tasks of C3-Bench count). `is_sensitive` says whether
    switching policies unsettles the model, None where it cannot be told.
    """

    overall: Robustness
    by_transitions: dict[str, Robustness]
    first: Robustness
    is_sensitive: bool | None

    @property
    def descent_slope(self) -> float | None:
        """How much descent rises a transition, by least squares; None with fewer than two values."""
        found = {int(count): one.descent for count, one in self.by_transitions.items()}
        known = {count: descent for count, descent in found.items() if descent is not None}
        return linear_regression(list(known), list(known.values())).slope if len(known) > 1 else None


def robustness(*, right_right: int, right_wrong: int, wrong_right: int, wrong_wrong: int) -> Robustness:
    """Volatility factor, double accuracy and debiased descent direction (scoring 5.6, C3-Bench).

    With N = RR + RW + WR + WW: VF = (RW + WR) / N, Acc2 = RR / N, DDD = (RW / WR) * (1 / Acc2).

    Example:
        >>> found = robustness(right_right=60, right_wrong=20, wrong_right=10, wrong_wrong=10)
        >>> found.volatility, found.both_right, round(found.descent, 2)
        (0.3, 0.6, 3.33)
    """
    pairs = right_right + right_wrong + wrong_right + wrong_wrong
    zeros = {"N=0": pairs, "WR=0": wrong_right, "RR=0": right_right}
    undefined = "N=0" if not pairs else ", ".join(name for name, count in zeros.items() if not count)
    return Robustness(
        right_right=right_right,
        right_wrong=right_wrong,
        wrong_right=wrong_right,
        wrong_wrong=wrong_wrong,
        volatility=(right_wrong + wrong_right) / pairs if pairs else None,
        both_right=right_right / pairs if pairs else None,
        descent=None if undefined else right_wrong / wrong_right * (pairs / right_right),
        undefined=undefined or None,
    )


def compare_histories(
    ua: ScoredSample, upta: ScoredSample, *, right: Callable[[TaskScore], bool] = is_right
) -> RobustnessTable:
    """Pair the results of the same tasks under both histories (scoring 5.6).

    Args:
        ua: The run after requests and answers only (protocol `c2`).
        upta: The run after the full process (protocol `c3` or `wildtool`).
        right: What counts as right.

    Returns:
        The table over the tasks answered in both.
    """
    both = list(zip(*shared_tasks(ua.counted, upta.counted), strict=True))
    pairs = [
        (upta.transitions.get((one.case, one.task)), right(one), right(other))
        for one, other in both
        if one.task
    ]
    by_transitions = {
        str(group): _counted((one, other) for count, one, other in pairs if count == group)
        for group in sorted({count for count, _, _ in pairs if count is not None})
    }
    return RobustnessTable(
        overall=_counted((one, other) for _, one, other in pairs),
        by_transitions=by_transitions,
        first=_counted([(right(one), right(other)) for one, other in both if one.task == 0]),
        is_sensitive=is_sensitive([found.descent for found in by_transitions.values()]),
    )


def _counted(pairs: Iterable[tuple[bool, bool]]) -> Robustness:
    every = list(pairs)
    return robustness(
        right_right=every.count((True, True)),
        right_wrong=every.count((True, False)),
        wrong_right=every.count((False, True)),
        wrong_wrong=every.count((False, False)),
    )


def is_sensitive(descents: Iterable[float | None]) -> bool | None:
    """Whether descent grows with transitions: it never decreases, and its last value exceeds the first.

    Args:
        descents: DDD by rising number of transitions, the baseline without any first.

    Returns:
        None with fewer than two values; undefined ones are passed over (results E4; the paper judges by eye).
    """
    known = [value for value in descents if value is not None]
    rises = all(a <= b for a, b in pairwise(known))
    return rises and known[-1] > known[0] if len(known) > 1 else None
