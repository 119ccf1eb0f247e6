"""Knowing the steps and tasks of one version of a case again in another, by what they say."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.cases.places import AnyStep
from annotator.cases.versions.alignment import AlignedSlot, Laid, aligned, laid_together
from annotator.cases.versions.field_merge import STEP_FIELDS
from scoring.groups import keyed
from scoring.model.case import Answer, Task
from scoring.model.record import JsonObject, canonical_bytes

_EQUAL = 0.9


@dataclass(frozen=True)
class StepLook:
    """What a step is known again by."""

    kind: str
    parts: tuple[bytes, ...]

    @classmethod
    def of(cls, step: AnyStep) -> "StepLook":
        body: JsonObject = step.model_dump(mode="json", by_alias=True)
        return cls(step.kind, tuple(canonical_bytes(body.get(name)) for name in STEP_FIELDS[type(step)]))


@dataclass(frozen=True)
class TaskLook:
    """What a task is known again by; `rest` is everything else it says."""

    user: str
    steps: tuple[StepLook, ...]
    rest: bytes

    @classmethod
    def of(cls, task: Task) -> "TaskLook":
        rest = task.model_dump(mode="json", by_alias=True, exclude={"user", "steps"})
        return cls(task.user, tuple(map(StepLook.of, task.steps)), canonical_bytes(rest))


Look = StepLook | TaskLook


def _alike_steps(one: StepLook, other: StepLook) -> float:
    if one.kind != other.kind:
        return 0.0
    if one == other:
        return 1.0
    if one.kind == "answer":
        return _EQUAL
    return 0.1 + 0.25 * sum(a == b for a, b in zip(one.parts[:3], other.parts[:3], strict=True))


def _alike_tasks(one: TaskLook, other: TaskLook) -> float:
    if one == other:
        return 1.0
    shared = len(set(one.steps) & set(other.steps))
    most = max(len(set(one.steps)), len(set(other.steps)), 1)
    names = [step.parts[0] for step in one.steps] == [step.parts[0] for step in other.steps]
    return 0.05 + 0.5 * (one.user == other.user) + 0.3 * shared / most + 0.1 * names


def laid_tasks(sides: Sequence[Sequence[Task]]) -> Laid:
    """Lay the tasks of two versions together; `sides` are those of the common version, mine and theirs."""
    return _laid([[TaskLook.of(task) for task in tasks] for tasks in sides])


def laid_steps(sides: Sequence[Task]) -> Laid:
    """Lay the steps of a task together; the answer stays the last where it is so on every side.

    A step is changed too where a side drew a dependency at it, or gave one of its dependencies another kind.
    """
    looks = [[StepLook.of(step) for step in task.steps] for task in sides]
    return _answer_last(_laid(looks, tasks=sides), [task.steps for task in sides])


def known_again(before: Sequence[AnyStep], after: Sequence[AnyStep]) -> tuple[int | None, ...]:
    """For each step after an edit its place before; None for what is new."""
    return aligned(
        [StepLook.of(step) for step in before], [StepLook.of(step) for step in after], likeness=_likeness
    )


def _laid(looks: Sequence[Sequence[Look]], *, tasks: Sequence[Task] = ()) -> Laid:
    base, mine, theirs = looks
    known = aligned(base, mine, likeness=_likeness), aligned(base, theirs, likeness=_likeness)
    drawn_at = [_newly_drawn(tasks[0], task, of) for task, of in zip(tasks[1:], known, strict=False)]

    def is_changed(at: int, place: int, is_mine: bool) -> bool:
        if base[at] != (mine if is_mine else theirs)[place]:
            return True
        return bool(drawn_at) and at in drawn_at[0 if is_mine else 1]

    return laid_together(
        len(base), *known, twins=_twins(mine, known[0], theirs, known[1]), is_changed=is_changed
    )


def _newly_drawn(base: Task, side: Task, known: Sequence[int | None]) -> set[int]:
    """The steps of the common version at which a side drew what was not drawn there before."""
    before = {(*edge.pair, edge.kind) for edge in base.drawn_edges}
    drawn = ((known[edge.source], known[edge.target], edge.kind) for edge in side.drawn_edges)
    fresh = (ends[:2] for ends in drawn if ends not in before)
    return {end for ends in fresh for end in ends if end is not None}


def _likeness(one: Look, other: Look) -> float:
    match one, other:
        case StepLook(), StepLook():
            return _alike_steps(one, other)
        case TaskLook(), TaskLook():
            return _alike_tasks(one, other)
        case _:
            return 0.0


@keyed
def _twins(
    mine: Sequence[Look],
    of_mine: Sequence[int | None],
    theirs: Sequence[Look],
    of_theirs: Sequence[int | None],
) -> Iterator[tuple[int, int]]:
    """What both sides added alike, and the one answer both wrote."""
    free = [j for j, known in enumerate(of_mine) if known is None]
    for k, known in enumerate(of_theirs):
        if known is not None:
            continue
        equal = next((j for j in free if _likeness(mine[j], theirs[k]) >= _EQUAL), None)
        if equal is not None:
            yield k, equal
            free.remove(equal)


def _answer_last(laid: Laid, sides: Sequence[Sequence[AnyStep]]) -> Laid:
    """Keep the answer the last step where it is so on every side."""
    if any(isinstance(step, Answer) for steps in sides for step in steps[:-1]):
        return laid
    answers = {at for at, slot in enumerate(laid.slots) if isinstance(_of(slot, sides), Answer)}
    order = [*(at for at in range(len(laid.slots)) if at not in answers), *sorted(answers)]
    places = {at: place for place, at in enumerate(order)}
    other = [laid.other_order[at] for at in order] if laid.other_order else []
    return Laid(tuple(laid.slots[at] for at in order), tuple(places[at] for at in other))


def _of(slot: AlignedSlot, sides: Sequence[Sequence[AnyStep]]) -> AnyStep | None:
    places = zip(sides, (slot.base, slot.mine, slot.theirs), strict=True)
    return next((steps[place] for steps, place in places if place is not None), None)
