"""The metrics of a run: accuracies and their slices, optimal paths, progress, error shares (scoring 5).

All rates are micro-averages over tasks, except session accuracy; an empty group has no value.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise

from pydantic import Field

from scoring.mistakes import PUBLISHED_COLUMNS
from scoring.model.record import Record
from scoring.model.taxonomy import ActionDetail, C3Mistake, Information, Policy, WildtoolMistake
from scoring.rates import Rate, rate, share_of
from scoring.task_scores import TaskScore, has_right_names, is_right

_PARALLEL = (Policy.MULTI_PARALLEL, Policy.MULTI_MIXED)
_SERIAL = (Policy.MULTI_SERIAL, Policy.MULTI_MIXED)
_RELATIONS = (Information.OMISSION, Information.REFERENCE, Information.LONG_RANGE)


class AccuracyTable(Record):
    """Accuracy of all tasks and of their slices (scoring 5.1).

    `by_policy` has the six policies and `multi` for the three of them together; `by_position` the task's
    place from "0"; `by_task_count` the same as number of tasks so far from "1" (C3-Bench);
    `by_information` the first tasks, all `subsequent` ones (the overall figure of C3-Bench), and these by
    relation, and apart from that the tasks that need the earlier dialogue (`related`, the true multi-turn
    of C3-Bench) and the others; `by_transitions` the number of policy changes up to the task.
    """

    tasks: Rate
    sessions: Rate
    by_policy: dict[str, Rate]
    by_position: dict[str, Rate]
    by_task_count: dict[str, Rate]
    by_information: dict[str, Rate]
    by_transitions: dict[str, Rate]


class ReplyTotals(Record):
    """What the replies of a run took; null where no reply said."""

    replies: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_seconds: float | None = None


class Summary(Record):
    """The metrics of a run by name; plain numbers are 0..1 or null for an empty group.

    `names_accuracy` counts a task as right where all tool names are, whatever the arguments;
    `subsequent_accuracy` leaves out first tasks (the overall figure of C3-Bench). `infra_errors` failed
    outside the model and `missing` have no prediction: both count as wrong in accuracies and are left out
    of the error shares.
    """

    task_accuracy: float | None
    session_accuracy: float | None
    subsequent_accuracy: float | None
    names_accuracy: float | None
    optimal_path_rate: float | None
    accomplished_progress: float | None
    tasks: int
    sessions: int
    predictions: int
    infra_errors: int
    missing: int
    ignored: int
    accuracy: AccuracyTable
    names: AccuracyTable
    optimal: dict[str, Rate]
    progress: dict[str, Rate]
    errors: dict[str, Rate]
    errors_c3: dict[str, Rate]
    error_columns: dict[str, Rate]
    replies: ReplyTotals = Field(default_factory=ReplyTotals)


def summarise(tasks: Sequence[TaskScore], *, ignored: int = 0, replies: ReplyTotals | None = None) -> Summary:
    """Compute all metrics of a run.

    Args:
        tasks: Every scored task, those of a case next to each other and in order.
        ignored: How many predictions or tasks did not count.
        replies: Tokens and time, where known.

    Returns:
        The metrics. A run without a single prediction has measured nothing: its rates are null.
    """
    missing = sum(task.action_detail is ActionDetail.NO_PREDICTION for task in tasks)
    measured = tasks if missing < len(tasks) else ()
    accuracy = accuracy_table(measured, right=is_right)
    names = accuracy_table(measured, right=has_right_names)
    optimal, progress = optimal_path_rates(measured), accomplished_progress(measured)
    return Summary(
        task_accuracy=accuracy.tasks.value,
        session_accuracy=accuracy.sessions.value,
        subsequent_accuracy=accuracy.by_information["subsequent"].value,
        names_accuracy=names.tasks.value,
        optimal_path_rate=optimal["total"].value,
        accomplished_progress=progress["total"].value,
        tasks=len(tasks),
        sessions=len(by_session(tasks)),
        predictions=len(tasks) - missing,
        infra_errors=sum(task.action_detail is ActionDetail.INFRA_ERROR for task in tasks),
        missing=missing,
        ignored=ignored,
        accuracy=accuracy,
        names=names,
        optimal=optimal,
        progress=progress,
        errors=error_shares(measured),
        errors_c3=error_shares_c3(measured),
        error_columns=error_columns(measured),
        replies=replies or ReplyTotals(),
    )


def by_session(tasks: Iterable[TaskScore]) -> list[tuple[TaskScore, ...]]:
    """The tasks of each case together; those of one case stand next to each other."""
    return [tuple(group) for _, group in groupby(tasks, key=lambda task: task.case)]


def transitions(policies: Sequence[Policy | None]) -> int | None:
    """Policy transition frequency of a sequence of tasks (scoring 5.5; C3-Bench PTF).

    PTF = number of neighbours of different main type; (single, multi, single) -> 2.

    Returns:
        The number, 0 for a single task; null where a policy is unknown.
    """
    types = [policy.main_type for policy in policies if policy is not None]
    if len(types) < len(policies):
        return None
    return sum(a != b for a, b in pairwise(types))


def transitions_at(tasks: Sequence[TaskScore]) -> dict[tuple[str, int], int]:
    """For each task the policy transitions of the dialogue up to it; tasks after a gap are left out."""
    result = {}
    for session in by_session(tasks):
        for i, task in enumerate(session):
            count = transitions([earlier.policy for earlier in session[: i + 1]])
            if task.task == i and count is not None:
                result[task.case, task.task] = count
    return result


def accuracy_table(tasks: Sequence[TaskScore], *, right: Callable[[TaskScore], bool]) -> AccuracyTable:
    """Accuracy and its slices (scoring 5.1; C3-Bench, MMTB, and WildToolBench for sessions).

    Task accuracy = right tasks / tasks; session accuracy = cases whose tasks are all right / cases.

    Args:
        tasks: Scored tasks, those of a case together.
        right: What counts as right.
    """
    changes = transitions_at(tasks)
    sessions = by_session(tasks)
    return AccuracyTable(
        tasks=share_of(tasks, right),
        sessions=share_of(sessions, lambda session: all(map(right, session))),
        by_policy=_by_policy(tasks, right),
        by_position=_grouped(tasks, lambda task: task.task, right),
        by_task_count=_grouped(tasks, lambda task: task.task + 1, right),
        by_information=_by_information(tasks, right),
        by_transitions=_grouped(tasks, lambda task: changes.get((task.case, task.task)), right),
    )


def accuracy_by_messages(
    tasks: Sequence[TaskScore],
    message_counts: Mapping[tuple[str, int], int],
    *,
    right: Callable[[TaskScore], bool] = is_right,
    smallest: int = 10,
) -> dict[str, Rate]:
    """Accuracy by the number of messages before the first reply (scoring 5.1; C3-Bench, MMTB).

    Args:
        tasks: Scored tasks.
        message_counts: Messages the model was shown, by case and task.
        right: What counts as right.
        smallest: Groups of fewer tasks are left out.
    """
    table = _grouped(tasks, lambda task: message_counts.get((task.case, task.task)), right)
    return {count: found for count, found in table.items() if found.total >= smallest}


def _by_policy(tasks: Sequence[TaskScore], right: Callable[[TaskScore], bool]) -> dict[str, Rate]:
    table = {policy.value: share_of((t for t in tasks if t.policy is policy), right) for policy in Policy}
    multi = share_of((task for task in tasks if task.policy and task.policy.is_multi), right)
    return {"single": table.pop("single"), "multi": multi, **table}


def _by_information(tasks: Sequence[TaskScore], right: Callable[[TaskScore], bool]) -> dict[str, Rate]:
    def is_related(task: TaskScore) -> bool:
        return task.task > 0 and task.information in _RELATIONS

    later = [task for task in tasks if task.task > 0]
    related = [task for task in later if is_related(task)]
    return {
        "first": share_of((task for task in tasks if task.task == 0), right),
        "subsequent": share_of(later, right),
        **{
            relation.value: share_of((task for task in related if task.information is relation), right)
            for relation in _RELATIONS
        },
        "related": share_of(related, right),
        "unrelated": share_of((task for task in tasks if not is_related(task)), right),
    }


def _grouped(
    tasks: Sequence[TaskScore],
    key: Callable[[TaskScore], int | None],
    right: Callable[[TaskScore], bool],
) -> dict[str, Rate]:
    groups: dict[int, list[TaskScore]] = {}
    for task in tasks:
        found = key(task)
        if found is not None:
            groups.setdefault(found, []).append(task)
    return {str(found): share_of(group, right) for found, group in sorted(groups.items())}


def optimal_path_rates(tasks: Sequence[TaskScore]) -> dict[str, Rate]:
    """Optimal path rate (scoring 5.3; OP of C3-Bench, MMTB and WildToolBench).

    OP = right tasks solved in the fewest rounds / tasks, over parallel and mixed tasks; wrong ones count 0.
    """
    return _over(tasks, _PARALLEL, lambda group: share_of(group, lambda t: t.is_correct and t.optimal))


def accomplished_progress(tasks: Sequence[TaskScore]) -> dict[str, Rate]:
    """Accomplished progress (scoring 5.4; AP of C3-Bench, MMTB and WildToolBench).

    AP = sum of steps done / sum of steps, over serial and mixed tasks, questions and answers included.
    """
    return _over(
        tasks,
        _SERIAL,
        lambda group: rate(sum(t.steps_done for t in group), sum(t.steps_total for t in group)),
    )


def _over(
    tasks: Sequence[TaskScore],
    policies: Sequence[Policy],
    measure: Callable[[Sequence[TaskScore]], Rate],
) -> dict[str, Rate]:
    groups = {policy: [task for task in tasks if task.policy is policy] for policy in policies}
    every = [task for group in groups.values() for task in group]
    return {"total": measure(every)} | {policy.value: measure(group) for policy, group in groups.items()}


def failed(tasks: Iterable[TaskScore]) -> list[TaskScore]:
    """Wrong tasks whose failure is the model's own (scoring 3.8)."""
    return [task for task in tasks if not task.is_correct and not task.is_outside_model]


def error_shares(tasks: Sequence[TaskScore]) -> dict[str, Rate]:
    """Share of each WildToolBench class among the failed tasks (scoring 5.9)."""
    wrong = failed(tasks)
    return {m.value: rate(sum(task.error is m for task in wrong), len(wrong)) for m in WildtoolMistake}


def error_shares_c3(tasks: Sequence[TaskScore]) -> dict[str, Rate]:
    """Share of each C3-Bench class among the failed tasks (scoring 5.8)."""
    wrong = failed(tasks)
    return {m.value: rate(sum(task.error_c3 is m for task in wrong), len(wrong)) for m in C3Mistake}


def error_columns(tasks: Sequence[TaskScore]) -> dict[str, Rate]:
    """The four columns the C3-Bench and MMTB papers print, each the sum of its classes (scoring 5.8)."""
    return _rolled_up(error_shares_c3(tasks), PUBLISHED_COLUMNS)


def _rolled_up(shares: Mapping[str, Rate], columns: Mapping[str, Sequence[C3Mistake]]) -> dict[str, Rate]:
    return {
        column: rate(sum(shares[m.value].count for m in mistakes), shares[mistakes[0].value].total)
        for column, mistakes in columns.items()
    }
