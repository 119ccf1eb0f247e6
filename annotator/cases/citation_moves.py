"""Citations that follow their calls and sources through an edit of the case."""

from collections.abc import Mapping, Sequence

from scoring.model.case import Case
from scoring.model.labels import Citation, DialogueSource

Place = tuple[int, int]


def follow_citations(citations: Sequence[Citation], *, before: Case, after: Case) -> tuple[Citation, ...]:
    """Renumber citations after steps or tasks were inserted, deleted, moved, split or merged.

    Args:
        citations: Citations of the case before the edit.
        before: The case they belong to.
        after: The case after one edit by the functions of this room, which keep untouched steps the
            same objects.

    Returns:
        The citations whose call and source still exist, with their present numbers. Whether the
        source still holds the value is another question (`broken_citations`).
    """
    steps = _step_places(before, after)
    tasks = _task_places(before, after, steps)
    moved = (_moved(citation, steps, tasks) for citation in citations)
    return tuple(citation for citation in moved if citation is not None)


def _moved(citation: Citation, steps: Mapping[Place, Place], tasks: Mapping[int, int]) -> Citation | None:
    place = steps.get((citation.task, citation.step))
    if place is None:
        return None
    source = citation.source
    if isinstance(source, DialogueSource) and source.text != "system":
        index = source.task if source.task is not None else citation.task
        if source.step is None:
            if index not in tasks:
                return None
            source = source.model_copy(update={"task": tasks[index]})
        else:
            target = steps.get((index, source.step))
            if target is None:
                return None
            source = source.model_copy(update={"task": target[0], "step": target[1]})
    return citation.model_copy(update={"task": place[0], "step": place[1], "source": source})


def _step_places(before: Case, after: Case) -> dict[Place, Place]:
    present = {id(step): (t, s) for t, s, step in after.steps()}
    places: dict[Place, Place] = {}
    lost: dict[int, list[Place]] = {}
    for t, s, step in before.steps():
        if id(step) in present:
            places[t, s] = present[id(step)]
        else:
            lost.setdefault(t, []).append((t, s))
    taken = set(places.values())
    fresh: dict[int, list[Place]] = {}
    for t, s, _ in after.steps():
        if (t, s) not in taken:
            fresh.setdefault(t, []).append((t, s))
    tasks = _task_places(before, after, places)
    # A step that was edited is a new object at the place of the old one.
    for t, old in lost.items():
        if t in tasks and len(fresh.get(tasks[t], [])) == len(old):
            places.update(zip(old, fresh[tasks[t]], strict=True))
    return places


def _task_places(before: Case, after: Case, steps: Mapping[Place, Place]) -> dict[int, int]:
    present = {id(task): t for t, task in enumerate(after.tasks)}
    places = {t: present[id(task)] for t, task in enumerate(before.tasks) if id(task) in present}
    for (t, _), (target, _) in steps.items():
        places.setdefault(t, target)
    if len(before.tasks) == len(after.tasks):
        for t in range(len(before.tasks)):
            if t not in places and t not in places.values():
                places[t] = t
    return places
