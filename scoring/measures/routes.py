"""Accuracy by policy and position: the matrix, the route table and its spread (scoring 5.2, C3-Bench)."""

from collections.abc import Mapping, Sequence

from scoring.groups import grouped
from scoring.matching.task_scores import TaskScore, is_right
from scoring.measures.accuracy import Right
from scoring.measures.coverage import Route, route_of
from scoring.measures.rates import Number, Rate, rate, share_of
from scoring.measures.sample import ScoredSample

_COLUMNS = ("single", "multi", "chat", "clarify")


def policy_matrix(sample: ScoredSample, *, right: Right = is_right) -> dict[str, dict[str, Rate]]:
    """Accuracy by position (rows, from "0", and "all") and main type (columns, and "all") (scoring 5.2).

    The number of tasks of a cell is its rate's total.
    """
    tasks = sample.counted
    by_position = grouped((task.task, task) for task in tasks)
    rows = {str(position): found for position, found in sorted(by_position.items())}
    rows["all"] = list(tasks)
    return {row: _by_main_type(found, right) for row, found in rows.items()}


def _by_main_type(tasks: Sequence[TaskScore], right: Right) -> dict[str, Rate]:
    groups = grouped((task.policy.main_type, task) for task in tasks if task.policy)
    return {column: share_of(groups.get(column, ()), right) for column in _COLUMNS} | {
        "all": share_of(tasks, right)
    }


def route_table(sample: ScoredSample, *, right: Right = is_right) -> dict[Route, Rate]:
    """For every beginning of a dialogue, how often its last task is right (scoring 5.2).

    Returns:
        One rate per sequence of main types that occurs, the short ones first; what does not occur is
        absent, not 0.
    """
    groups = grouped(
        (route[: i + 1], task)
        for session in sample.sessions
        for route in [route_of(task.policy for task in session)]
        for i, task in enumerate(session[: len(route)])
        if task.task == i and sample.counts(task)
    )
    return {route: share_of(group, right) for route, group in sorted(groups.items(), key=lambda g: len(g[0]))}


def layer_variance(table: Mapping[Route, Rate]) -> dict[int, Number]:
    """How much the next task depends on the route that led to it (scoring 5.2).

    For every route of length l the mean correctness of all tasks that follow it directly; of these means
    the sample variance sum((x - mean)^2) / (count - 1 + 1e-5).

    Args:
        table: A route table.

    Returns:
        By length of the leading route, with the number of means; a length no task follows is absent, a
        single route gives 0.
    """
    following = grouped((route[:-1], found) for route, found in table.items() if len(route) > 1)
    together = (
        (len(route), rate(sum(one.count for one in rates), sum(one.total for one in rates)).value)
        for route, rates in sorted(following.items())
    )
    means = grouped((length, value) for length, value in together if value is not None)
    return {
        length: Number(value=_sample_variance(values), of=len(values))
        for length, values in sorted(means.items())
    }


def _sample_variance(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1 + 1e-5)
