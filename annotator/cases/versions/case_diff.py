"""What changed between two versions of a case, field by field."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pydantic import JsonValue

from annotator.cases.versions.differences import Pair, paired
from scoring.model.case import Case, Task, content_of
from scoring.model.graph import step_name
from scoring.model.record import JsonObject, Record, canonical_bytes

ChangeKind = Literal["text", "json", "label", "edge", "added", "removed"]

Kinds = Mapping[str, ChangeKind]

_CASE_FIELDS: Kinds = {"id": "label", "language": "label", "now": "label"}
_TASK_FIELDS: Kinds = {
    "user": "text",
    "plan": "text",
    "policy": "label",
    "information": "label",
    "now": "label",
}
_STEP_FIELDS: Kinds = {
    "kind": "label",
    "name": "label",
    "answer_type": "label",
    "text": "text",
    "reply": "text",
    "thought": "text",
    "review": "text",
    "arguments": "json",
    "accepted": "json",
    "observation": "json",
    "asks_for": "json",
}


class FieldChange(Record):
    """One field that two versions of a case hold differently.

    `where` names the place for people; numbers are those of the later version, or of the earlier one
    for what was removed. `kind` says how to show it: `text` (word by word), `json` (place by place),
    `label` and `edge` (before and after), `added` and `removed` (a whole task, step or tool).
    """

    where: str
    kind: ChangeKind
    field: str
    task: int | None = None
    step: int | None = None
    before: JsonValue = None
    after: JsonValue = None


def case_diff(before: Case, after: Case) -> tuple[FieldChange, ...]:
    """Name every field of the content that changed.

    Args:
        before: The earlier version.
        after: The later version.

    Returns:
        Changes in dialogue order; empty where the content is equal, or differs only in edges into an
        answer: they follow from what was drawn, and nobody draws them. A moved task or step is removed at
        its former place and added at its present one.
    """
    if content_of(before) == content_of(after):
        return ()
    changes = list(_case_fields(before, after))
    # Labels, values and edges change more often than what a task is about.
    for old, new in paired(
        before.tasks, after.tasks, key=lambda task: (task.user, *map(step_name, task.steps))
    ):
        if old is None or new is None:
            changes.append(_whole("task", (old, new), before.tasks, after.tasks))
        else:
            changes += _task_changes(before.tasks[old], after.tasks[new], new)
    return tuple(changes)


def _case_fields(before: Case, after: Case) -> Iterator[FieldChange]:
    yield from _differing(_only(before, _CASE_FIELDS), _only(after, _CASE_FIELDS), _CASE_FIELDS)
    for old, new in paired(before.tools, after.tools, key=lambda tool: canonical_bytes(tool.definition)):
        definition = before.tools[old].definition if old is not None else None
        other = after.tools[new].definition if new is not None else None
        if definition is None or other is None:
            name = before.tools[old].name if old is not None else after.tools[new or 0].name
            kind: ChangeKind = "added" if definition is None else "removed"
            yield FieldChange(
                where=f"the tool {name}", kind=kind, field="tools", before=definition, after=other
            )
        elif canonical_bytes(definition) != canonical_bytes(other):
            where = f"the tool {after.tools[new or 0].name}"
            yield FieldChange(where=where, kind="json", field="tools", before=definition, after=other)


def _task_changes(before: Task, after: Task, task: int) -> Iterator[FieldChange]:
    where = f"task {task}"
    one, other = _only(before, _TASK_FIELDS), _only(after, _TASK_FIELDS)
    yield from _differing(one, other, _TASK_FIELDS, where=where, task=task)
    pairs = list(paired(before.steps, after.steps, key=lambda step: canonical_bytes(_body(step))))
    for old, new in pairs:
        if old is None or new is None:
            yield _whole(f"{where} step", (old, new), before.steps, after.steps, task=task)
        else:
            one, other = _body(before.steps[old]), _body(after.steps[new])
            yield from _differing(
                one, other, _STEP_FIELDS, where=f"task {task} step {new}", task=task, step=new
            )
    yield from _edge_changes(before, after, task, pairs=pairs)


def _differing(
    before: JsonObject,
    after: JsonObject,
    kinds: Kinds,
    *,
    where: str = "",
    task: int | None = None,
    step: int | None = None,
) -> Iterator[FieldChange]:
    for field, kind in kinds.items():
        one, other = before.get(field), after.get(field)
        if canonical_bytes(one) != canonical_bytes(other):
            yield FieldChange(
                where=f"{where} {field}".strip(),
                kind=kind,
                field=field,
                task=task,
                step=step,
                before=one,
                after=other,
            )


def _edge_changes(before: Task, after: Task, task: int, *, pairs: Sequence[Pair]) -> Iterator[FieldChange]:
    """Drawn edges by their present numbers; one at a step that is gone went with it."""
    places = {old: new for old, new in pairs if old is not None and new is not None}
    one = {
        (places[edge.source], places[edge.target]): edge
        for edge in before.drawn_edges
        if edge.source in places and edge.target in places
    }
    other = {edge.pair: edge for edge in after.drawn_edges}
    for pair in sorted(one.keys() | other.keys()):
        old, new = one.get(pair), other.get(pair)
        if (old and old.kind) != (new and new.kind):
            yield FieldChange(
                where=f"task {task} edge {pair[0]}-{pair[1]}",
                kind="edge",
                field="edges",
                task=task,
                before=old.kind.value if old else None,
                after=new.kind.value if new else None,
            )


def _whole(
    where: str, pair: Pair, before: Sequence[Record], after: Sequence[Record], *, task: int | None = None
) -> FieldChange:
    """A task, or a step of one, that only one version has."""
    old, new = pair
    at = (new if old is None else old) or 0
    return FieldChange(
        where=f"{where} {at}",
        kind="added" if old is None else "removed",
        field="tasks" if task is None else "steps",
        task=at if task is None else task,
        step=None if task is None else at,
        before=_body(before[old]) if old is not None else None,
        after=_body(after[new]) if new is not None else None,
    )


def _body(record: Record) -> JsonObject:
    body: JsonObject = record.model_dump(mode="json", by_alias=True)
    body.pop("recorded_round", None)
    return body


def _only(record: Record, kinds: Kinds) -> JsonObject:
    return record.model_dump(mode="json", by_alias=True, include=set(kinds))
