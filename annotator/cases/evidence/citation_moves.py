"""Citations that follow their calls and sources through an edit of the case."""

from collections.abc import Iterable, Mapping, Sequence

from scoring.model.case import Case, Step
from scoring.model.labels import Citation, DialogueSource

Place = tuple[int, int]


def follow_citations(citations: Sequence[Citation], *, before: Case, after: Case) -> tuple[Citation, ...]:
    """Renumber citations after steps or tasks were inserted, deleted, moved, split or merged.

    Args:
        citations: Citations of the case before the edit.
        before: The case they belong to.
        after: The case after one edit; a step is known again as the same object, else as an equal
            one, else by its place among the changed ones of its task.

    Returns:
        The citations whose call and source still exist, with their present numbers. Whether the
        source still holds the value is another question (`broken_citations`).
    """
    steps = step_places(before, after)
    tasks = task_places(before, after, steps)
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


def step_places(before: Case, after: Case) -> dict[Place, Place]:
    """Where each step that is still there is after one edit, as (task, step)."""
    old = {(t, s): step for t, s, step in before.steps()}
    new = {(t, s): step for t, s, step in after.steps()}
    present = {id(step): place for place, step in new.items()}
    places = {place: present[id(step)] for place, step in old.items() if id(step) in present}
    _place_equal_steps(places, old, new)
    _place_edited_steps(places, old, new, tasks=task_places(before, after, places))
    return places


def _place_equal_steps(
    places: dict[Place, Place], old: Mapping[Place, Step], new: Mapping[Place, Step]
) -> None:
    lost, free = _unplaced(places, old, new)
    for place in lost:
        equal = next((other for other in free if new[other] == old[place]), None)
        if equal is not None:
            places[place] = equal
            free.remove(equal)


def _place_edited_steps(
    places: dict[Place, Place], old: Iterable[Place], new: Iterable[Place], *, tasks: Mapping[int, int]
) -> None:
    """Take steps for edited ones where a task has as many new steps as it lost: each at its former place."""
    lost, free = _unplaced(places, old, new)
    for task in {t for t, _ in lost}:
        gone = [place for place in lost if place[0] == task]
        fresh = [place for place in free if place[0] == tasks.get(task)]
        if len(gone) == len(fresh):
            places.update(zip(gone, fresh, strict=True))


def _unplaced(
    places: Mapping[Place, Place], old: Iterable[Place], new: Iterable[Place]
) -> tuple[list[Place], list[Place]]:
    """The former steps whose place is not known yet, and the present ones that none of them took."""
    taken = set(places.values())
    return [place for place in old if place not in places], [place for place in new if place not in taken]


def task_places(before: Case, after: Case, steps: Mapping[Place, Place]) -> dict[int, int]:
    """Where each task that is still there is after one edit; `steps` is what `step_places` gives."""
    present = {id(task): t for t, task in reversed(list(enumerate(after.tasks)))}
    places = {t: present[id(task)] for t, task in enumerate(before.tasks) if id(task) in present}
    for (t, _), (target, _) in steps.items():
        places.setdefault(t, target)
    for t, task in enumerate(before.tasks):
        if t not in places:
            equal = next((i for i, other in enumerate(after.tasks) if other == task), None)
            if equal is not None and equal not in places.values():
                places[t] = equal
    if len(before.tasks) == len(after.tasks):
        for t in range(len(before.tasks)):
            if t not in places and t not in places.values():
                places[t] = t
    return places
