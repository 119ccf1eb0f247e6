"""Where the tasks and steps of a case are after an edit, so that what was said about them can follow."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from annotator.cases.citation_moves import follow_citations
from scoring.model.case import Call, Case
from scoring.model.labels import Citation
from scoring.model.taxonomy import SourceMark

Place = tuple[int, int]


@dataclass(frozen=True)
class Moves:
    """For each task and call that is still there, its place before and after an edit."""

    tasks: Mapping[int, int]
    calls: dict[Place, Place]

    def task_before(self, task: int) -> int | None:
        """The former number of a present task; null for one that is new."""
        return next((old for old, present in self.tasks.items() if present == task), None)

    def call_before(self, task: int, step: int) -> Place | None:
        """The former place of a present call; null for one that is new."""
        return self._former_calls.get((task, step))

    @cached_property
    def _former_calls(self) -> Mapping[Place, Place]:
        # Of several calls that came to one place the first counts.
        return {present: old for old, present in reversed(self.calls.items())}


def moves_between(before: Case, after: Case) -> Moves:
    """Find out what moved where in one edit.

    Args:
        before: The case before the edit.
        after: The case after it; untouched tasks and steps are the same objects.
    """
    calls = _call_moves(before, after)
    present = {id(task): t for t, task in enumerate(after.tasks)}
    tasks = {t: present[id(task)] for t, task in enumerate(before.tasks) if id(task) in present}
    taken = set(tasks.values())
    for (t, _), (target, _) in calls.items():
        if target not in taken and t not in tasks:
            tasks[t] = target
            taken.add(target)
    if len(before.tasks) == len(after.tasks):
        for t in range(len(before.tasks)):
            if t not in tasks and t not in tasks.values():
                tasks[t] = t
    elif (part := _first_part(before, after, tasks)) is not None:
        tasks[part[0]] = part[1]
    return Moves(tasks=tasks, calls=calls)


def _call_moves(before: Case, after: Case) -> dict[Place, Place]:
    # A citation of each call, its place written into the path, comes out where the call is now.
    probes = [
        Citation(task=t, step=s, path=f"/{t}/{s}", source=SourceMark.WORLD)
        for t, s, step in before.steps()
        if isinstance(step, Call)
    ]
    moved: dict[Place, Place] = {}
    for probe in follow_citations(probes, before=before, after=after):
        _, t, s = probe.path.split("/")
        moved[int(t), int(s)] = (probe.task, probe.step)
    return moved


def _first_part(before: Case, after: Case, tasks: Mapping[int, int]) -> Place | None:
    """The first changed task where tasks were split or merged: its labels stay with the first part."""
    lost = [t for t in range(len(before.tasks)) if t not in tasks]
    fresh = [t for t in range(len(after.tasks)) if t not in tasks.values()]
    if lost and fresh and lost[0] == fresh[0]:
        return lost[0], fresh[0]
    return None
