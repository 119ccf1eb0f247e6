"""What a run is measured on: its scored tasks, and what else is known of each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise

from scoring.groups import keyed
from scoring.matching.task_scores import TaskScore
from scoring.model.taxonomy import ActionDetail

Key = tuple[str, int]
"""A case and the number of one of its tasks."""
Session = tuple[TaskScore, ...]
"""The scored tasks of one case."""


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """What only the scorer sees of a task: the gold case and the model's replies.

    `messages` the model was shown before its first reply, None where an earlier task has no gold;
    `calls` and user `turns` of the gold solution; `is_passable` whether any reply can be right;
    `failing_types` the declared types of the arguments that were wrong, one an argument; tokens of all
    replies, None where no reply said; `first_token_seconds` from the first request to the first token of the
    reply, None where that was no stream.
    """

    messages: int | None
    calls: int
    turns: int
    is_passable: bool
    failing_types: tuple[str, ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    first_token_seconds: float | None = None


@dataclass(frozen=True)
class ScoredSample:
    """The tasks of a run, those of a case together and in order.

    `facts` may be missing: a scorecard does not keep them. With `leaves_out_infra` a task that failed
    outside the model counts nowhere, nor does its session; else it counts as wrong (scoring 3.8).
    """

    tasks: Sequence[TaskScore]
    facts: Mapping[Key, TaskFacts] = field(default_factory=dict)
    leaves_out_infra: bool = False

    def counts(self, task: TaskScore) -> bool:
        """Whether a task counts."""
        return not (self.leaves_out_infra and task.action_detail is ActionDetail.INFRA_ERROR)

    @cached_property
    def counted(self) -> tuple[TaskScore, ...]:
        """The tasks that count."""
        return tuple(filter(self.counts, self.tasks) if self.leaves_out_infra else self.tasks)

    @cached_property
    def sessions(self) -> tuple[Session, ...]:
        """The tasks of each case, whether they count or not."""
        return tuple(by_session(self.tasks))

    @cached_property
    @keyed
    def transitions(self) -> Iterator[tuple[Key, int]]:
        """For each task the policy transitions of the dialogue up to it; tasks after a gap are left out.

        Policy transition frequency (scoring 5.5; C3-Bench PTF) is the number of neighbours of different main
        type: (single, multi, single) -> 2. Where a policy is unknown there is none from there on.
        """
        for session in self.sessions:
            types = [task.policy and task.policy.main_type for task in session]
            for i, task in enumerate(session):
                if task.task == i and None not in types[: i + 1]:
                    yield (task.case, task.task), sum(a != b for a, b in pairwise(types[: i + 1]))

    def facts_of(self, task: TaskScore) -> TaskFacts | None:
        """What is known of a task; None where nothing is."""
        return self.facts.get((task.case, task.task))


def shared_tasks(*runs: Iterable[TaskScore]) -> list[list[TaskScore]]:
    """Of each run the tasks that have a prediction in all of them, in the order of the first."""
    sides = [{(task.case, task.task): task for task in run if task.is_answered} for run in runs]
    keys = [key for key in sides[0] if all(key in side for side in sides)]
    return [[side[key] for key in keys] for side in sides]


def by_session(tasks: Iterable[TaskScore]) -> list[Session]:
    """The tasks of each case together; those of one case stand next to each other."""
    return [tuple(group) for _, group in groupby(tasks, key=lambda task: task.case)]
