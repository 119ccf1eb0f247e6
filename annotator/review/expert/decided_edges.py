"""The drawing an expert decides on: edges taken from the sides, left out, or drawn by nobody before."""

from collections.abc import Iterator

from pydantic import JsonValue

from annotator.cases.edits.edge_edits import flowing_kind
from annotator.review.expert.decision_edits import take_side
from annotator.review.expert.decisions import Adjudication, Decision, Own, possible_fields
from scoring.errors import GraphError
from scoring.model.case import Edge, Task
from scoring.model.graph import check_new_edge, with_drawn_edges
from scoring.model.labels import UNDRAWN, ComparedField
from scoring.model.taxonomy import EdgeKind

Pair = tuple[int, int]


def value_of(adjudication: Adjudication, field: ComparedField, choice: str | Own) -> JsonValue:
    """What a choice says about a field: the own value, or that of the side with this letter."""
    if isinstance(choice, Own):
        return choice.own
    return field.values[[side.letter for side in adjudication.sides].index(choice)]


def choice_for(adjudication: Adjudication, field: ComparedField, value: JsonValue) -> str | Own:
    """A value as a choice: the first side that says it, else an own value."""
    sides = zip(adjudication.sides, field.values, strict=True)
    same = (side.letter for side, said in sides if said == value and type(said) is type(value))
    return next(same, Own(own=value))


def own_fields(adjudication: Adjudication, decision: Decision) -> tuple[ComparedField, ...]:
    """Fields the expert decided that no side spoke of, in the order of the case; their values are None."""
    compared = {field.id for field in adjudication.fields}
    asked = {name for name, choice in decision.fields.items() if isinstance(choice, Own)} - compared
    nothing = (None,) * len(adjudication.sides)
    case = decision.edit or adjudication.case
    return tuple(field.model_copy(update={"values": nothing}) for field in possible_fields(case, asked))


def own_edges(adjudication: Adjudication, decision: Decision, task: int) -> tuple[Edge, ...]:
    """Edges of a task that the expert drew and no side did."""
    return tuple(
        Edge(source=field.pair[0], target=field.pair[1], kind=EdgeKind(str(choice.own)))
        for field in own_fields(adjudication, decision)
        if field.task == task and field.pair is not None
        if isinstance(choice := decision.fields[field.id], Own) and choice.own is not None
    )


def decided_edges(adjudication: Adjudication, decision: Decision, task: int) -> tuple[Edge, ...]:
    """The drawing of a task as far as it is decided: agreed, taken or own edges; open ones are left out."""
    return (*_compared_edges(adjudication, decision, task), *own_edges(adjudication, decision, task))


def _compared_edges(adjudication: Adjudication, decision: Decision, task: int) -> Iterator[Edge]:
    asked = {field.id for field in adjudication.differing}
    for field in adjudication.fields:
        if field.task != task or field.pair is None:
            continue
        choice = decision.fields.get(field.id)
        if choice is None and field.id in asked:
            continue
        kind = field.said[0] if choice is None else value_of(adjudication, field, choice)
        if kind is not None and kind != UNDRAWN:
            yield Edge(source=field.pair[0], target=field.pair[1], kind=EdgeKind(str(kind)))


def decided_task(adjudication: Adjudication, decision: Decision, task: int) -> Task:
    """A task as it is shown, with the drawing decided so far; without one where that breaks a rule."""
    shown = (decision.edit or adjudication.case).tasks[task]
    try:
        return with_drawn_edges(shown, decided_edges(adjudication, decision, task))
    except GraphError:
        return shown


def edge_id(task: int, pair: Pair) -> str:
    """Id of the field of an edge."""
    return f"task.{task}.edge.{pair[0]}-{pair[1]}"


def draw_edge(adjudication: Adjudication, decision: Decision, task: int, *, pair: Pair) -> Decision:
    """Decide that an edge is there: as a side drew it, else of the kind that follows from the values.

    Raises:
        GraphError: It is there already, touches the answer, or closes a circle, which the error names.
    """
    shown = decided_task(adjudication, decision, task)
    check_new_edge(shown, *pair)
    field = _compared(adjudication, task, pair)
    drawn = [value for value in field.said if value is not None] if field is not None else []
    kind = drawn[0] if drawn else flowing_kind(shown, pair[0], target=pair[1]).value
    return _with_value(adjudication, decision, task, pair=pair, value=kind)


def leave_out_edge(adjudication: Adjudication, decision: Decision, task: int, *, pair: Pair) -> Decision:
    """Decide that an edge is not there; one that only the expert drew is forgotten."""
    return _with_value(adjudication, decision, task, pair=pair, value=None)


def change_kind(adjudication: Adjudication, decision: Decision, task: int, *, pair: Pair) -> Decision:
    """Decide for the other kind of an edge: parameter where it is logical so far, else logical."""
    kinds = {edge.pair: edge.kind for edge in decided_edges(adjudication, decision, task)}
    field = _compared(adjudication, task, pair)
    so_far = kinds.get(pair)
    if so_far is None and field is not None:
        so_far = next((EdgeKind(str(kind)) for kind in field.said if kind is not None), None)
    kind = EdgeKind.LOGICAL if so_far is EdgeKind.PARAMETER else EdgeKind.PARAMETER
    return _with_value(adjudication, decision, task, pair=pair, value=kind.value)


def _with_value(
    adjudication: Adjudication, decision: Decision, task: int, *, pair: Pair, value: JsonValue
) -> Decision:
    field = _compared(adjudication, task, pair)
    own = Own(own=value) if value is not None else None
    choice = choice_for(adjudication, field, value) if field is not None else own
    return take_side(decision, edge_id(task, pair), choice=choice)


def _compared(adjudication: Adjudication, task: int, pair: Pair) -> ComparedField | None:
    return next((field for field in adjudication.fields if field.id == edge_id(task, pair)), None)
