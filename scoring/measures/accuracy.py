"""How often a run is right: over all tasks, over sessions, and in slices (scoring 5.1)."""

from collections.abc import Callable

from scoring.groups import grouped
from scoring.matching.task_scores import TaskScore, is_right
from scoring.measures.rates import Rate, share_of
from scoring.measures.sample import ScoredSample
from scoring.model.taxonomy import Information, Policy

Right = Callable[[TaskScore], bool]
"""What counts as right."""

SMALLEST_GROUP = 10
"""Groups of fewer tasks are left out of the accuracy by messages, as in C3-Bench and MMTB."""

RELATIONS = (Information.OMISSION, Information.REFERENCE, Information.LONG_RANGE)
"""How a later task may hide what it needs, in the order a person is offered them."""


def task_accuracy(sample: ScoredSample, *, right: Right = is_right) -> Rate:
    """Right tasks / tasks."""
    return share_of(sample.counted, right)


def session_accuracy(sample: ScoredSample, *, right: Right = is_right) -> Rate:
    """Cases whose tasks are all right / cases."""
    counted = [session for session in sample.sessions if all(map(sample.counts, session))]
    return share_of(counted, lambda session: all(map(right, session)))


def subsequent_accuracy(sample: ScoredSample) -> Rate:
    """Right tasks / tasks, first tasks left out: the overall figure of C3-Bench (scoring 3.7)."""
    return accuracy_by_information(sample)["subsequent"]


def accuracy_by_policy(sample: ScoredSample, *, right: Right = is_right) -> dict[str, Rate]:
    """The six policies, and `multi` for the three of them together."""
    tasks = sample.counted
    declared = grouped((task.policy, task) for task in tasks)
    analysed = grouped((task.shape, task) for task in tasks)
    table = {
        policy.value: share_of((analysed if policy.is_multi else declared).get(policy, ()), right)
        for policy in Policy
    }
    multi = share_of((task for task in tasks if task.policy and task.policy.is_multi), right)
    return {"single": table.pop("single"), "multi": multi, **table}


def accuracy_by_position(sample: ScoredSample, *, right: Right = is_right) -> dict[str, Rate]:
    """By the place of the task in its dialogue, from "0"."""
    return _grouped(sample, lambda task: task.task, right)


def accuracy_by_information(sample: ScoredSample, *, right: Right = is_right) -> dict[str, Rate]:
    """First tasks, all `subsequent` ones and these by relation; tasks that need the dialogue and the others.

    `related` are the true multi-turn tasks of C3-Bench, `unrelated` first tasks and those labelled as needing
    nothing of the dialogue; a later task without a label is neither.
    """
    tasks = sample.counted
    later = [task for task in tasks if task.task > 0]
    related = [task for task in later if task.information in RELATIONS]
    unrelated = [task for task in tasks if task.task == 0 or task.information is Information.FIRST]
    return {
        "first": share_of((task for task in tasks if task.task == 0), right),
        "subsequent": share_of(later, right),
        **{
            relation.value: share_of((task for task in related if task.information is relation), right)
            for relation in RELATIONS
        },
        "related": share_of(related, right),
        "unrelated": share_of(unrelated, right),
    }


def accuracy_by_transitions(
    sample: ScoredSample, *, right: Right = is_right, has_first: bool = True
) -> dict[str, Rate]:
    """By the policy changes up to the task, from "0" (scoring 5.5).

    Args:
        sample: The run.
        right: What counts as right.
        has_first: Whether first tasks count, all of which are in the group without a change; C3-Bench
            leaves them out (scoring 3.7).
    """

    def changes(task: TaskScore) -> int | None:
        return sample.transitions.get((task.case, task.task)) if has_first or task.task > 0 else None

    return _grouped(sample, changes, right)


def accuracy_by_messages(
    sample: ScoredSample, *, right: Right = is_right, smallest: int = SMALLEST_GROUP
) -> dict[str, Rate]:
    """By the number of messages before the first reply; groups of less than `smallest` tasks are left out."""

    def messages(task: TaskScore) -> int | None:
        facts = sample.facts_of(task)
        return facts.messages if facts else None

    table = _grouped(sample, messages, right)
    return {count: found for count, found in table.items() if found.total >= smallest}


def _grouped(sample: ScoredSample, key: Callable[[TaskScore], int | None], right: Right) -> dict[str, Rate]:
    groups = grouped((found, task) for task in sample.counted if (found := key(task)) is not None)
    return {str(found): share_of(group, right) for found, group in sorted(groups.items())}
