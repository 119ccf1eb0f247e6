"""What went wrong: error classes among the failed tasks, and the arguments that failed (scoring 5.8, 5.9)."""

from collections import Counter

from scoring.matching.mistakes import PUBLISHED_COLUMNS
from scoring.matching.task_scores import TaskScore
from scoring.measures.rates import Rate, rate
from scoring.measures.sample import ScoredSample
from scoring.model.taxonomy import C3Mistake, WildtoolMistake


def failed(sample: ScoredSample) -> list[TaskScore]:
    """Wrong tasks whose failure is the model's own (scoring 3.8)."""
    return [task for task in sample.tasks if not task.is_correct and not task.is_outside_model]


def error_shares(sample: ScoredSample) -> dict[str, Rate]:
    """Share of each WildToolBench class among the failed tasks."""
    wrong = failed(sample)
    return {m.value: rate(sum(task.error is m for task in wrong), len(wrong)) for m in WildtoolMistake}


def error_shares_c3(sample: ScoredSample) -> dict[str, Rate]:
    """Share of each C3-Bench class among the failed tasks."""
    wrong = failed(sample)
    return {m.value: rate(sum(task.error_c3 is m for task in wrong), len(wrong)) for m in C3Mistake}


def error_columns(sample: ScoredSample) -> dict[str, Rate]:
    """The four columns the C3-Bench and MMTB papers print, each the sum of its classes."""
    shares = error_shares_c3(sample)
    return {
        column: rate(sum(shares[m.value].count for m in mistakes), shares[mistakes[0].value].total)
        for column, mistakes in PUBLISHED_COLUMNS.items()
    }


def failing_argument_types(sample: ScoredSample) -> dict[str, Rate]:
    """Share of each declared type among the arguments that were wrong, most frequent first.

    An argument no schema declares counts as `undeclared`.
    """
    types = Counter(
        name for task in sample.counted if (facts := sample.facts_of(task)) for name in facts.failing_types
    )
    total = types.total()
    ordered = sorted(types.items(), key=lambda item: (-item[1], item[0]))
    return {name: rate(count, total) for name, count in ordered}
