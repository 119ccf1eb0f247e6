"""Two versions of one record brought together field by field, and of a JSON value place by place."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from annotator.cases.versions.conflicts import Clash, FieldPlace, Side, SideValue, is_as
from scoring.groups import keyed
from scoring.model.case import Answer, Ask, Call
from scoring.model.record import JsonObject, Record, canonical_bytes

STEP_FIELDS: Mapping[type, tuple[str, ...]] = {
    Call: ("name", "arguments", "observation", "thought", "review", "accepted"),
    Ask: ("text", "reply", "asks_for"),
    Answer: ("text", "answer_type", "thought"),
}
"""What a step says, by its kind."""

TASK_FIELDS = ("user", "now", "policy", "information", "plan")
CASE_FIELDS = ("id", "language", "now", "tools", "source", "extras")
_JSON_FIELDS = ("arguments", "accepted", "observation", "extras")
_QUIET_FIELDS = ("id", "source", "recorded_round")
"""Where a thing came from is nothing to decide about."""


@keyed
def merge_fields(
    names: Sequence[str],
    sides: tuple[Record | None, Record, Record],
    clashes: list[Clash],
    *,
    task: int | None = None,
    step: int | None = None,
) -> Iterator[tuple[str, object]]:
    """Merge the fields of two records that were made from one.

    Args:
        names: The fields.
        sides: The common record, None where there was none, mine and theirs.
        clashes: Takes the clashes that are found.
        task: The number of the task they are, or are in; None for the case.
        step: The number of the step they are.

    Returns:
        What to change in mine.
    """
    base, mine, theirs = sides
    for name in names:
        before, own, other = _said(base, name), _said(mine, name), _said(theirs, name)
        if is_as(other, before) or is_as(own, other):
            continue
        place = FieldPlace(field=name, task=task, step=step)
        if is_as(own, before):
            yield name, getattr(theirs, name)
        elif name in _QUIET_FIELDS:
            continue
        elif name in _JSON_FIELDS:
            merged = _json(before, own, other, place, clashes)
            yield name, merged.value if merged is not None else None
        else:
            clashes.append(Clash(place=place, mine=own, theirs=other))


def _json(
    base: SideValue | None,
    mine: SideValue | None,
    theirs: SideValue | None,
    place: FieldPlace,
    clashes: list[Clash],
) -> SideValue | None:
    """Merge a JSON value place by place: objects by their keys, lists of one length by their places."""
    if is_as(theirs, base) or is_as(mine, theirs):
        return mine
    if is_as(mine, base):
        return theirs
    if mine is not None and theirs is not None:
        inner = _inner(base.value if base is not None else None, mine.value, theirs.value, place, clashes)
        if inner is not None:
            return SideValue(value=inner)
    stands: Side = "mine" if mine is not None else "theirs"
    clashes.append(Clash(place=place, mine=mine, theirs=theirs, stands=stands))
    return mine if mine is not None else theirs


def _inner(
    base: JsonValue,
    mine: JsonValue,
    theirs: JsonValue,
    place: FieldPlace,
    clashes: list[Clash],
) -> JsonObject | list[JsonValue] | None:
    """Merge what three objects, or three lists of one length, hold; None for any other values."""
    if isinstance(base, dict) and isinstance(mine, dict) and isinstance(theirs, dict):
        return _object(base, mine, theirs, place, clashes)
    lists = [side for side in (base, mine, theirs) if isinstance(side, list)]
    if len(lists) < 3 or len(set(map(len, lists))) > 1:
        return None
    one, other, third = ({str(number): item for number, item in enumerate(side)} for side in lists)
    return list(_object(one, other, third, place, clashes).values())


@keyed
def _object(
    base: JsonObject,
    mine: JsonObject,
    theirs: JsonObject,
    place: FieldPlace,
    clashes: list[Clash],
) -> Iterator[tuple[str, JsonValue]]:
    for key in dict.fromkeys((*mine, *theirs)):
        old, own, other = (
            SideValue(value=side[key]) if key in side else None for side in (base, mine, theirs)
        )
        found = _json(old, own, other, place.inside(key), clashes)
        if found is not None:
            yield key, found.value


def _said(record: Record | None, name: str) -> SideValue | None:
    if record is None:
        return None
    body: JsonObject = record.model_dump(mode="json", by_alias=True, include={name})
    return SideValue(value=body.get(name))  # absent: a later field that is unset


def is_same(one: Record, other: Record | None) -> bool:
    """Whether two are equal to the letter: 1, 1.0 and true are three things."""
    return one is other or (one == other and other is not None and _body(one) == _body(other))


def _body(record: Record) -> bytes:
    return canonical_bytes(record.model_dump(mode="json", by_alias=True))
