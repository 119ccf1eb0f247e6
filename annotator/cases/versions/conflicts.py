"""Places of a case that two people changed differently: what each of them says, and how one is chosen."""

from collections.abc import Sequence
from typing import Literal

from pydantic import JsonValue

from annotator.cases.edits.step_edits import delete_step
from annotator.cases.edits.task_edits import delete_task
from annotator.cases.edits.text_edits import require_json
from annotator.cases.evidence.citation_moves import step_places, task_places
from annotator.cases.places import AnyStep, step_at, task_at, with_step, with_steps, with_task
from annotator.cases.pointers import has_value, keys_of, value_at, with_value_at
from scoring.errors import InputError
from scoring.model.case import Case, Edge, Now, Task
from scoring.model.graph import with_drawn_edges
from scoring.model.record import JsonObject, Record, canonical_bytes
from scoring.model.taxonomy import EdgeKind, Information, Policy

Side = Literal["mine", "theirs"]


class SideValue(Record):
    """What one side says at a place."""

    value: JsonValue = None


class Clash(Record):
    """One place that two sides changed differently.

    `field` names what clashes: a field of the step, task or case the numbers name, with `path` a JSON
    Pointer into it; or `edge` with the pair `edge`; or `step`, `task` where one side removed what the
    other changed; or `order` where both moved items, the values being places of the present items. A side
    that is None has nothing there. `stands` is the side that the case holds meanwhile.
    """

    field: str
    task: int | None = None
    step: int | None = None
    path: str = ""
    edge: tuple[int, int] | None = None
    mine: SideValue | None = None
    theirs: SideValue | None = None
    stands: Side = "mine"

    @property
    def place(self) -> tuple[object, ...]:
        """What tells it from the others of a case."""
        return self.field, self.task, self.step, self.path, self.edge

    def said_by(self, side: Side) -> SideValue | None:
        """What one side says."""
        return self.mine if side == "mine" else self.theirs


def choose_side(case: Case, clash: Clash, side: Side) -> Case:
    """Let one side stand at the place of a clash.

    Raises:
        InputError: The place is not there any more.
        GraphError: The dependency would close a circle.
    """
    if side == clash.stands:
        return case
    said = clash.said_by(side)
    if clash.field == "order":
        return _reordered(case, clash, said)
    if clash.task is None:
        return _with_case_field(case, clash, said)
    if clash.edge is not None:
        return _with_edge(case, clash.task, clash.edge, said)
    if clash.field == "task":
        return delete_task(case, clash.task)
    if clash.step is None:
        return _with_task_field(case, clash.task, clash, said)
    if clash.field == "step":
        return delete_step(case, clash.task, step=clash.step)
    found = step_at(case, clash.task, step=clash.step)
    return with_step(case, clash.task, step=clash.step, changed=_with_field(found, clash, said))


def follow_clashes(clashes: Sequence[Clash], *, before: Case, after: Case) -> tuple[Clash, ...]:
    """The clashes that are still open after one edit of the case, at their present places.

    Where somebody changed the place itself, they have settled it.
    """
    if not clashes or before is after:
        return tuple(clashes)
    steps = step_places(before, after)
    tasks = task_places(before, after, steps)
    moved = (_moved(clash, before, after, steps, tasks) for clash in clashes)
    return tuple(clash for clash in moved if clash is not None and is_open(after, clash))


def is_open(case: Case, clash: Clash) -> bool:
    """Whether a case still holds what stood there when two sides clashed."""
    stood = clash.said_by(clash.stands)
    now = held_at(case, clash)
    if clash.field in ("step", "task"):
        return now is not None
    if clash.field == "order":
        return now is not None and stood is not None and _length(now) == _length(stood)
    if now is None or stood is None:
        return now is stood
    return canonical_bytes(now.value) == canonical_bytes(stood.value)


def held_at(case: Case, clash: Clash) -> SideValue | None:
    """What a case holds at the place of a clash; None for nothing."""
    if clash.task is None:
        return (
            _order_of(len(case.tasks)) if clash.field == "order" else _inside(_body(case, clash.field), clash)
        )
    if clash.task >= len(case.tasks):
        return None
    task = case.tasks[clash.task]
    if clash.edge is not None:
        kinds = [edge.kind.value for edge in task.drawn_edges if edge.pair == clash.edge]
        return SideValue(value=kinds[0]) if kinds else None
    if clash.field == "order":
        return _order_of(len(task.steps))
    if clash.field == "task":
        return SideValue()
    if clash.step is None:
        return _inside(_body(task, clash.field), clash)
    if clash.step >= len(task.steps):
        return None
    return (
        SideValue() if clash.field == "step" else _inside(_body(task.steps[clash.step], clash.field), clash)
    )


def _moved(
    clash: Clash,
    before: Case,
    after: Case,
    steps: dict[tuple[int, int], tuple[int, int]],
    tasks: dict[int, int],
) -> Clash | None:
    if clash.task is None:
        is_same = len(before.tasks) == len(after.tasks)
        return clash if clash.field != "order" or is_same else None
    task = tasks.get(clash.task)
    if task is None:
        return None
    if clash.field == "order" and len(after.tasks[task].steps) != len(before.tasks[clash.task].steps):
        return None
    update: dict[str, object] = {"task": task}
    if clash.step is not None:
        place = steps.get((clash.task, clash.step))
        if place is None:
            return None
        update = {"task": place[0], "step": place[1]}
    if clash.edge is not None:
        ends = [steps.get((clash.task, end)) for end in clash.edge]
        if None in ends:
            return None
        update["edge"] = tuple(end[1] for end in ends if end is not None)
    return clash.model_copy(update=update)


def _with_field(step: AnyStep, clash: Clash, said: SideValue | None) -> AnyStep:
    body: JsonObject = step.model_dump(mode="json", by_alias=True)
    changed = {**body, clash.field: _with_said(body.get(clash.field), clash.path, said)}
    return type(step).model_validate(changed)


def _with_said(value: JsonValue, path: str, said: SideValue | None) -> JsonValue:
    if said is not None:
        require_json(said.value)
        return with_value_at(value, path, replacement=said.value)
    keys = keys_of(path)
    if not keys:
        return None
    holder_path = path.rpartition("/")[0]
    holder = value_at(value, holder_path)
    if not isinstance(holder, dict):
        raise InputError(f"There is no key at {path}.", "Edit the value by hand.")
    rest = {key: item for key, item in holder.items() if key != keys[-1]}
    return with_value_at(value, holder_path, replacement=rest)


def _with_task_field(case: Case, number: int, clash: Clash, said: SideValue | None) -> Case:
    value = said.value if said is not None else None
    read: object = value
    if value is not None and clash.field in ("policy", "information"):
        read = (Policy if clash.field == "policy" else Information)(str(value))
    elif value is not None and clash.field == "now":
        read = Now.model_validate(value)
    elif clash.field == "user":
        require_json(value)
    return with_task(case, number, changed=task_at(case, number).model_copy(update={clash.field: read}))


def _with_case_field(case: Case, clash: Clash, said: SideValue | None) -> Case:
    body: JsonObject = case.model_dump(mode="json", by_alias=True, exclude={"tasks"})
    changed = {**body, clash.field: _with_said(body.get(clash.field), clash.path, said)}
    read = Case.model_validate({**changed, "tasks": [{"user": ""}]})
    return case.model_copy(update={clash.field: getattr(read, clash.field)})


def _with_edge(case: Case, number: int, pair: tuple[int, int], said: SideValue | None) -> Case:
    task = task_at(case, number)
    drawn = [edge for edge in task.drawn_edges if edge.pair != pair]
    if said is not None:
        drawn.append(Edge(source=pair[0], target=pair[1], kind=EdgeKind(str(said.value))))
    return with_task(case, number, changed=with_drawn_edges(task, drawn))


def _reordered(case: Case, clash: Clash, said: SideValue | None) -> Case:
    order = said.value if said is not None else None
    places = [place for place in order if isinstance(place, int)] if isinstance(order, list) else []
    items: Sequence[Task | AnyStep] = case.tasks if clash.task is None else task_at(case, clash.task).steps
    if sorted(places) != list(range(len(items))):
        raise InputError("The items have changed since this order was made.", "Move them by hand.")
    if clash.task is None:
        return case.model_copy(update={"tasks": tuple(case.tasks[place] for place in places)})
    task = task_at(case, clash.task)
    moved = {old: present for present, old in enumerate(places)}
    steps = tuple(task.steps[place] for place in places)
    return with_task(case, clash.task, changed=with_steps(task, steps, places=moved))


def _inside(found: SideValue | None, clash: Clash) -> SideValue | None:
    if found is None or not has_value(found.value, clash.path):
        return None
    return SideValue(value=value_at(found.value, clash.path))


def _body(record: Record, field: str) -> SideValue | None:
    body: JsonObject = record.model_dump(mode="json", by_alias=True, include={field})
    return SideValue(value=body[field]) if field in body else None


def _order_of(count: int) -> SideValue:
    return SideValue(value=list(range(count)))


def _length(said: SideValue) -> int:
    return len(said.value) if isinstance(said.value, list) else 0
