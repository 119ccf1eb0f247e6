"""Differences as values: between two texts, two JSON values, two drawings."""

import difflib
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Literal

from pydantic import JsonValue

from scoring.formats.alignment import common_ends
from scoring.generics import T
from scoring.model.flow import escape
from scoring.model.record import Record, canonical_bytes

_WORD = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u9fff\uf900-\ufaff]+|\s+|.", re.DOTALL)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_MOST_WORDS = 1_500

Pair = tuple[int | None, int | None]
"""Positions of two items that belong together; None on the side that has none."""


class PieceKind(StrEnum):
    """Whether a piece of text stands in both texts or in one."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


class DiffSegment(Record):
    """A run of text that both texts have, or only the first, or only the second."""

    kind: PieceKind
    text: str


class Change(Record):
    """One place where two JSON values differ.

    `path` is a JSON Pointer into the second value, or into the first where the second has nothing
    there; `before` or `after` is None where the kind says that there is none.
    """

    kind: Literal["changed", "added", "removed"]
    path: str
    before: JsonValue = None
    after: JsonValue = None


def word_diff(a: str, b: str) -> tuple[DiffSegment, ...]:
    """Compare two texts word by word; texts of thousands of words line by line.

    Args:
        a: The text before.
        b: The text after.

    Returns:
        Pieces in reading order, neighbours of different kinds. The same and removed pieces together
        are `a`, the same and added ones `b`; empty for two empty texts.
    """
    one, other = _WORD.findall(a), _WORD.findall(b)
    if max(len(one), len(other)) > _MOST_WORDS:
        one, other = _LINE.findall(a), _LINE.findall(b)
    start, end = common_ends(one, other)
    runs = [
        (PieceKind.SAME, "".join(one[:start])),
        *_runs(one[start : len(one) - end], other[start : len(other) - end]),
        (PieceKind.SAME, "".join(one[len(one) - end :])),
    ]
    pieces = groupby((run for run in runs if run[1]), key=operator.itemgetter(0))
    return tuple(DiffSegment(kind=kind, text="".join(text for _, text in same)) for kind, same in pieces)


def _runs(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[PieceKind, str]]:
    for tag, i, j, k, n in difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if tag == "equal":
            yield PieceKind.SAME, "".join(one[i:j])
        else:
            yield PieceKind.REMOVED, "".join(one[i:j])
            yield PieceKind.ADDED, "".join(other[k:n])


def json_diff(a: JsonValue, b: JsonValue) -> tuple[Change, ...]:
    """Compare two JSON values place by place.

    Args:
        a: The value before.
        b: The value after.

    Returns:
        The innermost places that differ; empty exactly where the two are equal. The order of keys is
        no difference; items of lists are matched as wholes first, so that an inserted one is one change.
    """
    return tuple(_changes(a, b, ""))


def _changes(a: JsonValue, b: JsonValue, path: str) -> Iterator[Change]:
    match a, b:
        case dict(), dict():
            for key in a:
                inner = f"{path}/{escape(key)}"
                if key in b:
                    yield from _changes(a[key], b[key], inner)
                else:
                    yield Change(kind="removed", path=inner, before=a[key])
            added = (key for key in b if key not in a)
            yield from (Change(kind="added", path=f"{path}/{escape(key)}", after=b[key]) for key in added)
        case list(), list():
            yield from _list_changes(a, b, path)
        case _ if canonical_bytes(a) != canonical_bytes(b):
            yield Change(kind="changed", path=path, before=a, after=b)


def _list_changes(a: list[JsonValue], b: list[JsonValue], path: str) -> Iterator[Change]:
    for old, new in paired(a, b, key=canonical_bytes):
        if old is not None and new is not None:
            yield from _changes(a[old], b[new], f"{path}/{new}")
        elif old is not None:
            yield Change(kind="removed", path=f"{path}/{old}", before=a[old])
        elif new is not None:
            yield Change(kind="added", path=f"{path}/{new}", after=b[new])


def paired(one: Sequence[T], other: Sequence[T], *, key: Callable[[T], object]) -> Iterator[Pair]:
    """Match the items of two lists by position: equal ones first, then those between them in order.

    Args:
        one: The former list.
        other: The later list.
        key: What makes two items equal.
    """
    matcher = difflib.SequenceMatcher(None, list(map(key, one)), list(map(key, other)), autojunk=False)
    for _, i, j, k, n in matcher.get_opcodes():
        both = min(j - i, n - k)
        yield from [(i + offset, k + offset) for offset in range(both)]
        yield from [(position, None) for position in range(i + both, j)]
        yield from [(None, position) for position in range(k + both, n)]
