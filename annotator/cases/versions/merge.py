"""Two versions of a case that began with the same one, brought together place by place."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotator.cases.places import AnyStep
from annotator.cases.versions.alignment import AlignedSlot, Laid
from annotator.cases.versions.conflicts import Clash, EdgePlace, ItemPlace, OrderPlace, Side, SideValue
from annotator.cases.versions.field_merge import CASE_FIELDS, STEP_FIELDS, TASK_FIELDS, is_same, merge_fields
from annotator.cases.versions.identity import known_again, laid_steps, laid_tasks
from scoring.errors import CycleError
from scoring.groups import collected
from scoring.model.case import Case, Edge, Task
from scoring.model.graph import check_edges, with_drawn_edges
from scoring.model.record import R, Record
from scoring.model.taxonomy import EdgeKind

Drawing = dict[tuple[int, int], EdgeKind]


@dataclass(frozen=True)
class Merged:
    """Two versions of a case brought together.

    `case` keeps every rule of a case; at each of the `clashes` it holds the side that `stands` there.
    `moved` is my version with its steps and tasks where they are in `case`, and theirs where I have none.
    `touched` are the tasks of `case` that are not as in mine.
    """

    case: Case
    clashes: tuple[Clash, ...]
    moved: Case
    touched: tuple[int, ...] = ()


def merge(base: Case, mine: Case, theirs: Case) -> Merged:
    """Bring two versions of a case together over the one both were made from.

    What only one of them changed is taken; where both changed one place and differ, it is a clash. There
    mine stands, except where mine removed what theirs changed: nothing that somebody wrote goes without
    being asked for. A step or task is known again by what it says, else by its neighbours.

    Args:
        base: The version both began with.
        mine: My version.
        theirs: The other version.

    Returns:
        The case with its clashes in dialogue order; `mine` itself where theirs changed nothing.
    """
    if is_same(theirs, base):
        return Merged(mine, (), mine)
    clashes: list[Clash] = []
    values = merge_fields(CASE_FIELDS, (base, mine, theirs), clashes)
    laid = laid_tasks((base.tasks, mine.tasks, theirs.tasks))
    if not laid.slots:  # each side removed what the other one left: a case has one task at least
        laid = Laid(
            tuple(AlignedSlot(None, place, None, is_disputed=True) for place in range(len(mine.tasks)))
        )
    merged, moved, touched = [], [], []
    for number, slot in enumerate(laid.slots):
        old, own, other = _triple(slot, (base.tasks, mine.tasks, theirs.tasks))
        task, my_task, found = _task(old, own, other, number)
        clashes += _disputed(ItemPlace(task=number), slot, own, other)
        clashes += found
        merged.append(task)
        moved.append(my_task)
        if not is_same(task, own):
            touched.append(number)
    if laid.other_order:
        clashes.append(_order_clash(laid))
    case = mine.model_copy(update={**values, "tasks": tuple(merged)})
    return Merged(
        case=mine if is_same(case, mine) else case,
        clashes=tuple(clashes),
        moved=case.model_copy(update={"tasks": tuple(moved)}),
        touched=tuple(touched),
    )


def _task(
    base: Task | None, mine: Task | None, theirs: Task | None, number: int
) -> tuple[Task, Task, list[Clash]]:
    """One task: merged, mine with its steps in the merged places, and where the two clash."""
    if mine is None or theirs is None:
        only = mine or theirs
        assert only is not None
        return only, only, []
    if is_same(theirs, base):
        return mine, mine, []
    if is_same(mine, base):
        return theirs, _taken_over(base, mine, theirs), []
    clashes: list[Clash] = []
    values = merge_fields(TASK_FIELDS, (base, mine, theirs), clashes, task=number)
    sides = (base or Task(user=""), mine, theirs)
    laid = laid_steps(sides)
    merged, moved = [], []
    for place, slot in enumerate(laid.slots):
        old, own_step, other = _triple(slot, [task.steps for task in sides])
        step_place = ItemPlace(task=number, step=place)
        step = _step(old, own_step, other, step_place, clashes)
        clashes += _disputed(step_place, slot, own_step, other)
        merged.append(step)
        moved.append(own_step or step)
    if laid.other_order:
        clashes.append(_order_clash(laid, task=number))
    bare = mine.model_copy(update={**values, "steps": tuple(merged)})
    task = _with_edges(bare, laid.slots, (base, mine, theirs), number, clashes)
    is_as_mine = [slot.mine for slot in laid.slots] == list(range(len(mine.steps)))
    return task, mine if is_as_mine else task.model_copy(update={"steps": tuple(moved)}), clashes


def _taken_over(base: Task | None, mine: Task, theirs: Task) -> Task:
    """My untouched task with its steps where theirs has them."""
    known = known_again((base or mine).steps, theirs.steps)
    if known == tuple(range(len(mine.steps))):
        return mine
    steps = tuple(
        mine.steps[place] if place is not None else step
        for place, step in zip(known, theirs.steps, strict=True)
    )
    return theirs.model_copy(update={"steps": steps})


def _step(
    base: AnyStep | None,
    mine: AnyStep | None,
    theirs: AnyStep | None,
    place: ItemPlace,
    clashes: list[Clash],
) -> AnyStep:
    if mine is None or theirs is None:
        only = mine or theirs
        assert only is not None
        return only
    if type(mine) is not type(theirs) or is_same(theirs, base):
        return mine
    if is_same(mine, base):
        return theirs
    fields = (*STEP_FIELDS[type(mine)], "recorded_round")
    values = merge_fields(fields, (base, mine, theirs), clashes, task=place.task, step=place.step)
    merged = mine.model_copy(update=values)
    return mine if is_same(merged, mine) else merged


# dependencies


def _with_edges(
    bare: Task,
    slots: Sequence[AlignedSlot],
    sides: tuple[Task | None, Task, Task],
    number: int,
    clashes: list[Clash],
) -> Task:
    base, mine, theirs = sides
    old, own, other = (
        _drawing(
            task, {place: at for at, slot in enumerate(slots) if (place := getattr(slot, name)) is not None}
        )
        for task, name in zip(sides, ("base", "mine", "theirs"), strict=True)
    )
    drawn: Drawing = {}
    added: Drawing = {}
    for pair in sorted(old.keys() | own.keys() | other.keys()):
        ours, others, before = own.get(pair), other.get(pair), old.get(pair)
        # Who has not got a step has not taken its dependencies away.
        if any(slots[end].mine is None for end in pair):
            ours = before
        if any(slots[end].theirs is None for end in pair):
            others = before
        if before not in (ours, others) and ours is not others:
            clashes.append(
                Clash(
                    place=EdgePlace(task=number, edge=pair),
                    mine=_kind(ours),
                    theirs=_kind(others),
                    stands="mine" if ours is not None else "theirs",
                )
            )
            chosen = ours or others
        else:
            chosen = others if ours is before else ours
        if chosen is not None:
            (drawn if pair in own else added)[pair] = chosen
    refused = _add_acyclic(drawn, added, step_count=len(slots))
    left_out = [EdgePlace(task=number, edge=pair) for pair in refused]
    clashes[:] = [clash for clash in clashes if clash.place not in left_out]
    clashes += [Clash(place=place, theirs=_kind(added[place.edge])) for place in left_out]
    is_mine_first = base is None or mine.edges != base.edges
    return _redrawn(bare, slots, drawn, mine=mine, theirs=theirs, is_mine_first=is_mine_first)


@collected
def _add_acyclic(drawn: Drawing, added: Drawing, *, step_count: int) -> Iterator[tuple[int, int]]:
    """Add dependencies to a drawing; returns those that would close a circle and are left out."""
    for pair, kind in added.items():
        try:
            check_edges(step_count, [*drawn, pair])
        except CycleError:
            yield pair
        else:
            drawn[pair] = kind


def _redrawn(
    bare: Task,
    slots: Sequence[AlignedSlot],
    drawn: Drawing,
    *,
    mine: Task,
    theirs: Task,
    is_mine_first: bool,
) -> Task:
    """Draw the dependencies; a side that has these very ones keeps its edges at the answer as they are."""
    named = [("mine", mine), ("theirs", theirs)]
    for name, task in named if is_mine_first else reversed(named):
        places = [getattr(slot, name) for slot in slots]
        if places == list(range(len(task.steps))) and _drawing(task, dict(enumerate(places))) == drawn:
            return bare.model_copy(update={"edges": task.edges})
    return with_drawn_edges(bare, [Edge(source=a, target=b, kind=kind) for (a, b), kind in drawn.items()])


def _drawing(task: Task | None, places: Mapping[int, int]) -> Drawing:
    return {
        (places[edge.source], places[edge.target]): edge.kind
        for edge in (task.drawn_edges if task is not None else ())
        if edge.source in places and edge.target in places
    }


def _kind(kind: EdgeKind | None) -> SideValue | None:
    return SideValue(value=kind.value) if kind is not None else None


def _triple(slot: AlignedSlot, sides: Sequence[Sequence[R]]) -> tuple[R | None, R | None, R | None]:
    base, mine, theirs = (
        side[place] if place is not None else None
        for side, place in zip(sides, (slot.base, slot.mine, slot.theirs), strict=True)
    )
    return base, mine, theirs


def _disputed(
    place: ItemPlace, slot: AlignedSlot, mine: Record | None, theirs: Record | None
) -> Iterator[Clash]:
    """The clash about an item that one side removed and the other changed; the item stays meanwhile."""
    if slot.is_disputed:
        stands: Side = "mine" if mine is not None else "theirs"
        yield Clash(place=place, mine=_whole(mine), theirs=_whole(theirs), stands=stands)


def _order_clash(laid: Laid, task: int | None = None) -> Clash:
    return Clash(
        place=OrderPlace(task=task),
        mine=SideValue(value=[*range(len(laid.slots))]),
        theirs=SideValue(value=[*laid.other_order]),
    )


def _whole(item: Record | None) -> SideValue | None:
    return SideValue(value=item.model_dump(mode="json", by_alias=True)) if item is not None else None
