"""Where the tasks and steps of a case are after an edit, so that what was said about them can follow."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from annotator.cases.evidence.citation_moves import Place, step_places
from scoring.model.case import Call, Case


@dataclass(frozen=True)
class Moves:
    """For each task, step and call that is still there, its place before and after an edit."""

    tasks: Mapping[int, int]
    steps: Mapping[Place, Place]
    calls: dict[Place, Place]

    def task_before(self, task: int) -> int | None:
        """The former number of a present task; None for one that is new."""
        return next((old for old, present in self.tasks.items() if present == task), None)

    @cached_property
    def former_steps(self) -> Mapping[Place, Place]:
        """The former places of the present steps; those that are new have none."""
        return {present: old for old, present in self.steps.items()}

    @cached_property
    def former_calls(self) -> Mapping[Place, Place]:
        """The former places of the present calls; those that are new have none."""
        # Of several calls that came to one place the first counts.
        return {present: old for old, present in reversed(self.calls.items())}


def moves_between(before: Case, after: Case) -> Moves:
    """Find out what moved where in one edit.

    Args:
        before: The case before the edit.
        after: The case after it; untouched tasks and steps are the same objects.
    """
    steps = step_places(before, after)
    calls = {
        (t, s): steps[t, s] for t, s, step in before.steps() if isinstance(step, Call) and (t, s) in steps
    }
    present = {id(task): t for t, task in enumerate(after.tasks)}
    tasks = {t: present[id(task)] for t, task in enumerate(before.tasks) if id(task) in present}
    taken = set(tasks.values())
    for (t, _), (target, _) in calls.items():
        if target not in taken and t not in tasks:
            tasks[t] = target
            taken.add(target)
    if len(before.tasks) == len(after.tasks):
        tasks |= {t: t for t in range(len(before.tasks)) if t not in tasks and t not in tasks.values()}
    elif (part := _first_part(before, after, tasks)) is not None:
        tasks[part[0]] = part[1]
    return Moves(tasks=tasks, steps=steps, calls=calls)


def _first_part(before: Case, after: Case, tasks: Mapping[int, int]) -> Place | None:
    """The first changed task where tasks were split or merged: its labels stay with the first part."""
    lost = [t for t in range(len(before.tasks)) if t not in tasks]
    fresh = [t for t in range(len(after.tasks)) if t not in tasks.values()]
    return (lost[0], fresh[0]) if lost and lost[:1] == fresh[:1] else None
