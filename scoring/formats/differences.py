"""What a file said differently from our own way of writing it, and putting that back where nobody edited.

A three-way merge of JSON values: `base` is how we would write a case as it was read, `file` is what the
file held, `ours` is how we write the case now. Only the places where `base` and `file` differ are kept,
with a digest of `base` there; on export a place gets the file's value back while `ours` still has that
digest, and is left alone otherwise.
"""

import marshal
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from pydantic import Field, JsonValue

from scoring.formats.alignment import align, digest, mark, pair_up, pair_up_known
from scoring.model.flow import escape, unescape
from scoring.model.record import JsonObject, Record, to_json


class Difference(Record):
    """One place where a file differs from our way of writing; which fields are set says how.

    `at` is a JSON Pointer. Replacement: `was` is the digest of our value, null where we write none;
    `file` is the file's value, unset where it has none. Order: `keys` are an object's keys in the
    file's order. List: `marks` are the digests of our items, by which edited lists are lined up
    again (`size` alone for scalars); `hunks` are runs of items the file has in place of ours.
    """

    at: str
    was: str | None = None
    file: JsonValue = None
    keys: tuple[str, ...] | None = None
    marks: tuple[str, ...] | None = None
    size: int | None = Field(default=None, ge=0)
    hunks: "tuple[Hunk, ...]" = ()

    @property
    def tokens(self) -> tuple[str, ...]:
        """The pointer taken apart."""
        return tuple(unescape(token) for token in self.at.split("/")[1:])


class Hunk(Record):
    """A run of list items: the file has `items` where we write the items `start` to `stop` (exclusive)."""

    start: int = Field(ge=0)
    stop: int = Field(ge=0)
    items: tuple[JsonValue, ...] = ()


def same(left: JsonValue, right: JsonValue) -> bool:
    """Whether two values are equal in everything a file shows: types of numbers and key order included."""
    # Marshal takes half as long as JSON; it tells apart a few values that JSON writes alike.
    return (
        left is right or marshal.dumps(left, 2) == marshal.dumps(right, 2) or to_json(left) == to_json(right)
    )


Origins = Mapping[str, Sequence[int]]
"""Pointer of a list -> for each of our items the position of the file's item it was read from."""


def differences(base: JsonValue, file: JsonValue, *, origins: Origins | None = None) -> list[Difference]:
    """Note where a file differs from our way of writing the same thing.

    Args:
        base: The value as we write it.
        file: The value as the file has it.
        origins: For lists whose reader noted it, which item was read from which.

    Returns:
        Differences by which `restore(base, ...)` gives exactly `file`; empty where they are the same.
    """
    return list(_differences(base, file, "", origins or {}))


def _differences(base: JsonValue, file: JsonValue, at: str, origins: Origins) -> Iterator[Difference]:
    match base, file:
        case dict(), dict():
            yield from _in_objects(base, file, at, origins)
        case _ if same(base, file):
            return
        case list(), list():
            yield from _in_lists(base, file, at, origins)
        case _:
            yield Difference(at=at, was=digest(base), file=file)


def _in_objects(base: JsonObject, file: JsonObject, at: str, origins: Origins) -> Iterator[Difference]:
    for key, value in base.items():
        if key in file:
            yield from _differences(value, file[key], f"{at}/{escape(key)}", origins)
        else:
            yield Difference(at=f"{at}/{escape(key)}", was=digest(value))
    for key, value in file.items():
        if key not in base:
            yield Difference(at=f"{at}/{escape(key)}", was=None, file=value)
    order = [key for key in base if key in file] + [key for key in file if key not in base]
    if order != list(file):
        yield Difference(at=at, keys=tuple(file))


def _in_lists(
    base: list[JsonValue], file: list[JsonValue], at: str, origins: Origins
) -> Iterator[Difference]:
    if not any(isinstance(item, dict | list) for item in (*base, *file)):
        if len(base) != len(file):
            yield Difference(at=at, was=digest(base), file=file)
            return
        for i, (ours, theirs) in enumerate(zip(base, file, strict=True)):
            yield from _differences(ours, theirs, f"{at}/{i}", origins)
        yield Difference(at=at, size=len(base))
        return
    hunks = []
    known = origins.get(at, ())
    for run in pair_up_known(known, count=len(file)) if len(known) == len(base) else pair_up(base, file):
        if run.is_paired:
            for i, j in run.pairs:
                yield from _differences(base[i], file[j], f"{at}/{i}", origins)
        else:
            hunks.append(Hunk(start=run.a, stop=run.a_end, items=tuple(file[run.b : run.b_end])))
    yield Difference(at=at, marks=tuple(map(mark, base)), **({"hunks": tuple(hunks)} if hunks else {}))


class _Absent:
    """Stands for a key that is not there; None is a value."""


_ABSENT = _Absent()
_Slot = JsonValue | _Absent


class _Node:
    """The differences at one place and below it."""

    def __init__(self) -> None:
        self.here: list[Difference] = []
        self.below: dict[str, _Node] = {}


def restore(ours: JsonValue, noted: Sequence[Difference]) -> JsonValue:
    """Put back what the file said wherever our value is still the one it was noted against.

    Args:
        ours: The value as we write it now.
        noted: What `differences` noted when the file was read.

    Returns:
        The file's own value where nothing changed; edited places as we write them.
    """
    root = _Node()
    for difference in noted:
        node = root
        for token in difference.tokens:
            node = node.below.setdefault(token, _Node())
        node.here.append(difference)
    result = _restore(ours, root)
    return ours if isinstance(result, _Absent) else result


def _restore(ours: _Slot, node: _Node) -> _Slot:
    for difference in node.here:
        if "was" in difference.model_fields_set:  # a whole value is replaced, added or left out
            was = None if isinstance(ours, _Absent) else digest(ours)
            if was != difference.was:
                return ours
            return difference.file if "file" in difference.model_fields_set else _ABSENT
    if isinstance(ours, dict):
        return _restore_object(ours, node)
    return _restore_list(ours, node) if isinstance(ours, list) else ours


def _restore_object(ours: JsonObject, node: _Node) -> JsonObject:
    result = dict(ours)
    for key, inner in node.below.items():
        value = _restore(result.get(key, _ABSENT), inner)
        if not isinstance(value, _Absent):
            result[key] = value
        else:
            result.pop(key, None)
    for difference in node.here:
        if difference.keys is not None:
            order = [key for key in difference.keys if key in result]
            result = {key: result[key] for key in (*order, *(k for k in result if k not in set(order)))}
    return result


def _restore_list(ours: list[JsonValue], node: _Node) -> list[JsonValue]:
    result = list(ours)
    for difference in node.here:
        if difference.size is not None and difference.size == len(ours):
            _restore_items(result, node, {i: i for i in range(len(ours))})
        elif difference.marks is not None:
            marks = [mark(item) for item in ours]
            pairs = align(difference.marks, marks)
            _restore_items(result, node, pairs)
            _put_hunks(result, difference, pairs, marks)
    return result


def _restore_items(result: list[JsonValue], node: _Node, pairs: dict[int, int]) -> None:
    for token, inner in node.below.items():
        at = pairs.get(int(token)) if token.isdecimal() else None
        if at is not None:
            value = _restore(result[at], inner)
            if not isinstance(value, _Absent):
                result[at] = value


def _put_hunks(
    result: list[JsonValue], difference: Difference, pairs: dict[int, int], marks: Sequence[str]
) -> None:
    before = difference.marks or ()
    unedited = {i: j for i, j in pairs.items() if before[i] == marks[j]}
    places = []
    for hunk in difference.hunks:
        place = _taken(hunk, unedited) if hunk.start < hunk.stop else _between(hunk.start, pairs)
        if place is not None:
            places.append((place, hunk))
    for (start, stop), hunk in sorted(places, key=lambda entry: entry[0], reverse=True):
        result[start:stop] = list(hunk.items)


def _taken(hunk: Hunk, unedited: dict[int, int]) -> tuple[int, int] | None:
    """Where the items a hunk replaces stand now: only if they are all there, unedited and side by side."""
    places = [unedited[i] for i in range(hunk.start, hunk.stop) if i in unedited]
    together = len(places) == hunk.stop - hunk.start and all(b == a + 1 for a, b in pairwise(places))
    return (places[0], places[-1] + 1) if together else None


def _between(start: int, pairs: dict[int, int]) -> tuple[int, int] | None:
    """Where items are added: after the item they followed, else before the one they preceded."""
    if start - 1 in pairs:
        return (pairs[start - 1] + 1,) * 2
    if start in pairs:
        return (pairs[start],) * 2
    return (0, 0) if start == 0 else None
