"""Places of a case that two people changed differently: what each of them says, and how one is chosen."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from annotator.cases.edits.step_edits import delete_step
from annotator.cases.edits.task_edits import delete_task
from annotator.cases.edits.text_edits import require_json
from annotator.cases.evidence.citation_moves import step_places, task_places
from annotator.cases.places import AnyStep, step_at, task_at, with_step, with_steps, with_task
from annotator.cases.pointers import has_value, value_at, with_value_at, without_value_at
from scoring.errors import InputError
from scoring.model.case import Case, Edge, Now, Task
from scoring.model.flow import escape
from scoring.model.graph import with_drawn_edges
from scoring.model.record import JsonObject, Record, canonical_bytes, items_in
from scoring.model.taxonomy import EdgeKind, Information, Policy

Side = Literal["mine", "theirs"]


class SideValue(Record):
    """What one side says at a place."""

    value: JsonValue = None


class FieldPlace(Record):
    """A field of the step or task the numbers name, else of the case; `path` is a JSON Pointer into it."""

    kind: Literal["field"] = "field"
    field: str
    task: int | None = None
    step: int | None = None
    path: str = ""

    def inside(self, key: str) -> "FieldPlace":
        """The place of a key or of a number in a list."""
        return self.model_copy(update={"path": f"{self.path}/{escape(key)}"})


class ItemPlace(Record):
    """A step, or a whole task, that one side removed and the other changed."""

    kind: Literal["item"] = "item"
    task: int
    step: int | None = None


class EdgePlace(Record):
    """A dependency of a task between two of its steps."""

    kind: Literal["edge"] = "edge"
    task: int
    edge: tuple[int, int]


class OrderPlace(Record):
    """The order of a task's steps, or of the tasks; what is said of it are places of the present items."""

    kind: Literal["order"] = "order"
    task: int | None = None


ClashPlace = Annotated[FieldPlace | ItemPlace | EdgePlace | OrderPlace, Field(discriminator="kind")]


_EARLIER: dict[str, type[Record]] = {
    "step": ItemPlace,
    "task": ItemPlace,
    "edge": EdgePlace,
    "order": OrderPlace,
}
"""What the field of a clash stood for in drafts of before 2026-11-26, other than a field."""


class Clash(Record):
    """One place that two sides changed differently.

    A side that is None has nothing there. `stands` is the side that the case holds meanwhile.
    """

    place: ClashPlace
    mine: SideValue | None = None
    theirs: SideValue | None = None
    stands: Side = "mine"

    @model_validator(mode="before")
    @classmethod
    def _read_earlier(cls, body: object) -> object:
        """Read an earlier draft, which has the fields of all places beside each other."""
        if not isinstance(body, dict) or "field" not in body:
            return body
        place = _EARLIER.get(body["field"], FieldPlace)
        known = {name: body[name] for name in place.model_fields if name in body}
        sides = {name: body[name] for name in ("mine", "theirs", "stands") if name in body}
        return {**sides, "place": place.model_validate(known)}

    def said_by(self, side: Side) -> SideValue | None:
        """What one side says."""
        return self.mine if side == "mine" else self.theirs


def is_as(one: SideValue | None, other: SideValue | None) -> bool:
    """Whether two sides say the same, or neither says anything."""
    if one is None or other is None:
        return one is other
    return canonical_bytes(one.value) == canonical_bytes(other.value)


def choose_side(case: Case, clash: Clash, side: Side) -> Case:
    """Let one side stand at the place of a clash.

    Raises:
        InputError: The place is not there any more.
        GraphError: The dependency would close a circle.
    """
    if side == clash.stands:
        return case
    said = clash.said_by(side)
    match clash.place:
        case OrderPlace(task=task):
            return _reordered(case, task, said)
        case EdgePlace(task=task, edge=edge):
            return _with_edge(case, task, edge, said)
        case ItemPlace(task=task, step=step):
            return delete_task(case, task) if step is None else delete_step(case, task, step=step)
        case FieldPlace() as place:
            return _with_field(case, place, said)


def follow_clashes(clashes: Sequence[Clash], *, before: Case, after: Case) -> tuple[Clash, ...]:
    """The clashes that are still open after one edit of the case, at their present places.

    Where somebody changed the place itself, they have settled it.
    """
    if not clashes or before is after:
        return tuple(clashes)
    steps = step_places(before, after)
    tasks = task_places(before, after, steps)
    moved = ((clash, _moved(clash.place, before, after, steps, tasks)) for clash in clashes)
    there = (clash.model_copy(update={"place": place}) for clash, place in moved if place is not None)
    return tuple(clash for clash in there if is_open(after, clash))


def is_open(case: Case, clash: Clash) -> bool:
    """Whether a case still holds what stood there when two sides clashed."""
    stood = clash.said_by(clash.stands)
    now = held_at(case, clash.place)
    match clash.place:
        case ItemPlace():
            return now is not None
        case OrderPlace():
            return now is not None and stood is not None and _length(now) == _length(stood)
        case _:
            return is_as(now, stood)


def held_at(case: Case, place: ClashPlace) -> SideValue | None:
    """What a case holds at a place; None for nothing."""
    if place.task is None:
        return _order_of(len(case.tasks)) if isinstance(place, OrderPlace) else _held_in(case, place)
    if place.task >= len(case.tasks):
        return None
    task = case.tasks[place.task]
    match place:
        case OrderPlace():
            return _order_of(len(task.steps))
        case EdgePlace():
            kinds = [edge.kind.value for edge in task.drawn_edges if edge.pair == place.edge]
            return SideValue(value=kinds[0]) if kinds else None
    if place.step is not None and place.step >= len(task.steps):
        return None
    if isinstance(place, ItemPlace):
        return SideValue()
    return _held_in(task if place.step is None else task.steps[place.step], place)


def _moved(
    place: ClashPlace,
    before: Case,
    after: Case,
    steps: dict[tuple[int, int], tuple[int, int]],
    tasks: dict[int, int],
) -> ClashPlace | None:
    """Where a place is after an edit; None where it is gone."""
    if place.task is None:
        is_same = len(before.tasks) == len(after.tasks)
        return place if is_same or not isinstance(place, OrderPlace) else None
    task = tasks.get(place.task)
    if task is None:
        return None
    update: dict[str, object] = {"task": task}
    match place:
        case OrderPlace():
            if len(after.tasks[task].steps) != len(before.tasks[place.task].steps):
                return None
        case EdgePlace():
            ends = [steps.get((place.task, end)) for end in place.edge]
            if None in ends:
                return None
            update["edge"] = tuple(end[1] for end in ends if end is not None)
        case FieldPlace(step=int(step)) | ItemPlace(step=int(step)):
            moved = steps.get((place.task, step))
            if moved is None:
                return None
            update = {"task": moved[0], "step": moved[1]}
    return place.model_copy(update=update)


def _with_field(case: Case, place: FieldPlace, said: SideValue | None) -> Case:
    if place.task is None:
        return _with_case_field(case, place, said)
    if place.step is None:
        return _with_task_field(case, place.task, place.field, said)
    step = step_at(case, place.task, step=place.step)
    body: JsonObject = step.model_dump(mode="json", by_alias=True)
    changed = {**body, place.field: _with_said(body.get(place.field), place.path, said)}
    return with_step(case, place.task, step=place.step, changed=type(step).model_validate(changed))


def _with_said(value: JsonValue, path: str, said: SideValue | None) -> JsonValue:
    if said is not None:
        require_json(said.value)
        return with_value_at(value, path, replacement=said.value)
    return without_value_at(value, path) if path else None


def _with_task_field(case: Case, number: int, field: str, said: SideValue | None) -> Case:
    value = said.value if said is not None else None
    read: object = value
    if value is not None and field in ("policy", "information"):
        read = (Policy if field == "policy" else Information)(str(value))
    elif value is not None and field == "now":
        read = Now.model_validate(value)
    elif field == "user":
        require_json(value)
    return with_task(case, number, changed=task_at(case, number).model_copy(update={field: read}))


def _with_case_field(case: Case, place: FieldPlace, said: SideValue | None) -> Case:
    body: JsonObject = case.model_dump(mode="json", by_alias=True, exclude={"tasks"})
    changed = {**body, place.field: _with_said(body.get(place.field), place.path, said)}
    read = Case.model_validate({**changed, "tasks": [{"user": ""}]})
    return case.model_copy(update={place.field: getattr(read, place.field)})


def _with_edge(case: Case, number: int, pair: tuple[int, int], said: SideValue | None) -> Case:
    task = task_at(case, number)
    drawn = [edge for edge in task.drawn_edges if edge.pair != pair]
    if said is not None:
        drawn.append(Edge(source=pair[0], target=pair[1], kind=EdgeKind(str(said.value))))
    return with_task(case, number, changed=with_drawn_edges(task, drawn))


def _reordered(case: Case, number: int | None, said: SideValue | None) -> Case:
    order = items_in(said.value if said is not None else None)
    places = [place for place in order if isinstance(place, int)]
    items: Sequence[Task | AnyStep] = case.tasks if number is None else task_at(case, number).steps
    if sorted(places) != list(range(len(items))):
        raise InputError("The items have changed since this order was made.", "Move them by hand.")
    if number is None:
        return case.model_copy(update={"tasks": tuple(case.tasks[place] for place in places)})
    task = task_at(case, number)
    moved = {old: present for present, old in enumerate(places)}
    steps = tuple(task.steps[place] for place in places)
    return with_task(case, number, changed=with_steps(task, steps, places=moved))


def _held_in(record: Record, place: FieldPlace) -> SideValue | None:
    """What a field of a record holds at a path; None where either is absent."""
    body: JsonObject = record.model_dump(mode="json", by_alias=True, include={place.field})
    if place.field not in body or not has_value(body[place.field], place.path):
        return None
    return SideValue(value=value_at(body[place.field], place.path))


def _order_of(count: int) -> SideValue:
    return SideValue(value=list(range(count)))


def _length(said: SideValue) -> int:
    return len(said.value) if isinstance(said.value, list) else 0
