"""How well several calls are orchestrated: optimal paths and accomplished progress (scoring 5.3, 5.4)."""

from collections.abc import Callable, Sequence

from scoring.groups import grouped
from scoring.matching.task_scores import TaskScore
from scoring.measures.rates import Rate, rate, share_of
from scoring.measures.sample import ScoredSample
from scoring.model.taxonomy import Policy

OPTIMAL_OVER = (Policy.MULTI_PARALLEL, Policy.MULTI_MIXED)
PROGRESS_OVER = (Policy.MULTI_SERIAL, Policy.MULTI_MIXED)
"""The policies whose tasks have an optimal path, and steps to accomplish."""


def optimal_path_rates(sample: ScoredSample) -> dict[str, Rate]:
    """Right tasks solved in the fewest rounds / tasks, over parallel and mixed tasks; wrong ones count 0."""
    return _over(sample, OPTIMAL_OVER, lambda group: share_of(group, lambda t: t.is_correct and t.optimal))


def accomplished_progress(sample: ScoredSample) -> dict[str, Rate]:
    """Sum of steps done / sum of steps, over serial and mixed tasks, questions and answers included."""
    return _over(
        sample,
        PROGRESS_OVER,
        lambda group: rate(sum(t.steps_done for t in group), sum(t.steps_total for t in group)),
    )


def _over(
    sample: ScoredSample, policies: Sequence[Policy], measure: Callable[[Sequence[TaskScore]], Rate]
) -> dict[str, Rate]:
    found = grouped((task.shape, task) for task in sample.counted)
    groups = {policy: found.get(policy, []) for policy in policies}
    every = [task for group in groups.values() for task in group]
    return {"total": measure(every)} | {policy.value: measure(group) for policy, group in groups.items()}
