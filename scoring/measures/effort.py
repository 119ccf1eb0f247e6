"""How much work the tasks are, and what a model spends on them."""

from collections import Counter
from collections.abc import Callable
from statistics import median

from scoring.measures.rates import Number, Rate, mean_of, rate
from scoring.measures.sample import ScoredSample, TaskFacts

_LAST_BAR = 10


def calls_per_task(sample: ScoredSample) -> dict[str, Rate]:
    """Share of the tasks with each number of calls in their gold solution; `10+` for ten and more."""
    return _histogram(sample, lambda facts: facts.calls)


def turns_per_task(sample: ScoredSample) -> dict[str, Rate]:
    """Share of the tasks with each number of user turns, the request and the replies to questions."""
    return _histogram(sample, lambda facts: facts.turns)


def tokens_per_task(sample: ScoredSample) -> dict[str, Number]:
    """Mean tokens read and written for a task, over the tasks whose replies say."""
    facts = [found for task in sample.counted if (found := sample.facts_of(task))]
    return {
        "read": mean_of(found.prompt_tokens for found in facts),
        "written": mean_of(found.completion_tokens for found in facts),
    }


def first_token_seconds(sample: ScoredSample) -> dict[str, Number]:
    """Mean and median seconds to the first token of the tasks that say; nothing where none does."""
    facts = [found for task in sample.counted if (found := sample.facts_of(task))]
    known = [found.first_token_seconds for found in facts if found.first_token_seconds is not None]
    return {"mean": mean_of(known), "median": Number(value=median(known), of=len(known))} if known else {}


def _histogram(sample: ScoredSample, size: Callable[[TaskFacts], int]) -> dict[str, Rate]:
    sizes = Counter(min(size(found), _LAST_BAR) for task in sample.tasks if (found := sample.facts_of(task)))
    total = sizes.total()
    return {
        f"{number}+" if number == _LAST_BAR else str(number): rate(count, total)
        for number, count in sorted(sizes.items())
    }
