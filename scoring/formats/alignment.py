"""Lining up two lists: which item of one stands for which item of the other."""

import hashlib
import operator
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pydantic import JsonValue

from scoring.generics import T
from scoring.groups import grouped
from scoring.model.record import to_json

POSITIONAL_KEYS = frozenset({"idx", "dependency_list"})
"""Keys that change when a neighbour is inserted: an item is the same item whatever they hold."""
_MATCHING_LIMIT = 1_000_000
"""Pairs of items looked at to line two lists up; beyond it the middle part counts as replaced."""


@dataclass(frozen=True)
class MatchingBlock:
    """Items `a` to `a_end` (exclusive) of one list stand where `b` to `b_end` of the other stand."""

    a: int
    a_end: int
    b: int
    b_end: int

    @property
    def is_paired(self) -> bool:
        """Whether the items stand for each other one by one."""
        return self.a_end - self.a == self.b_end - self.b

    @property
    def pairs(self) -> Iterator[tuple[int, int]]:
        """The positions that stand for each other, of a paired run."""
        return zip(range(self.a, self.a_end), range(self.b, self.b_end), strict=True)


def digest(value: JsonValue) -> str:
    """Shorten a value, key order included, to 16 hexadecimal digits."""
    return digest_of_text(to_json(value))


def digest_of_text(text: str) -> str:
    """The digest of a value that `to_json` wrote."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def mark(item: JsonValue) -> str:
    """Digest of a list item that stays when only its neighbours change."""
    match item:
        case dict():
            return digest({key: value for key, value in item.items() if key not in POSITIONAL_KEYS})
        case list():
            return digest([mark(inner) for inner in item])
        case _:
            return digest(item)


def _kind(item: JsonValue) -> str:
    role = item.get("role") if isinstance(item, dict) else None
    return f"{type(item).__name__} {role}" if isinstance(role, str) else type(item).__name__


def pair_up(ours: Sequence[JsonValue], theirs: Sequence[JsonValue]) -> Iterator[MatchingBlock]:
    """Line up two ways of writing the same list.

    Args:
        ours: Our way.
        theirs: The file's.

    Yields:
        Runs in order that cover both lists: items of the same kinds one by one, else equal items, and
        between those items of the same kind; what stands for nothing is an unpaired run.
    """
    our_kinds, their_kinds = list(map(_kind, ours)), list(map(_kind, theirs))
    if our_kinds == their_kinds:
        yield MatchingBlock(0, len(ours), 0, len(theirs))
        return
    for run in _runs(list(map(mark, ours)), list(map(mark, theirs))):
        if run.is_paired:
            yield run
            continue
        for part in _runs(our_kinds[run.a : run.a_end], their_kinds[run.b : run.b_end]):
            yield MatchingBlock(run.a + part.a, run.a + part.a_end, run.b + part.b, run.b + part.b_end)


def pair_up_known(origins: Sequence[int], *, count: int) -> Iterator[MatchingBlock]:
    """Line up two ways of writing the same list where reading noted which item became which.

    Args:
        origins: For each of our items the position of the file's item it was read from.
        count: Number of the file's items.

    Yields:
        Runs in order that cover both lists; where items changed places, as few as possible stay unpaired.
    """
    a = b = 0
    for i in _longest_increase(origins):
        yield MatchingBlock(a, i, b, origins[i])
        yield MatchingBlock(i, i + 1, origins[i], origins[i] + 1)
        a, b = i + 1, origins[i] + 1
    yield MatchingBlock(a, len(origins), b, count)


def _longest_increase(values: Sequence[int]) -> list[int]:
    """Positions of a longest strictly increasing subsequence (patience sorting)."""
    tops: list[int] = []
    chains: list[int] = []
    before: list[int | None] = []
    for i, value in enumerate(values):
        pile = bisect_left(tops, value)
        tops[pile : pile + 1] = [value]
        before.append(chains[pile - 1] if pile else None)
        chains[pile : pile + 1] = [i]
    found: list[int] = []
    last = chains[-1] if chains else None
    while last is not None:
        found.append(last)
        last = before[last]
    return found[::-1]


def align(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    """Line up a list with itself after an edit, by the marks of its items.

    Args:
        before: Marks of the items as they were.
        after: Marks of the items now.

    Returns:
        Position before -> position now: equal items first in order, then items replaced one for one,
        then equal items that moved. Items deleted, or edited beside an insertion, are left out.
    """
    pairs = {i: j for run in _runs(before, after) if run.is_paired for i, j in run.pairs}
    taken = set(pairs.values())
    moved = grouped((item, j) for j, item in enumerate(after) if j not in taken)
    for i, item in enumerate(before):
        if i not in pairs and moved.get(item):
            pairs[i] = moved[item].pop(0)
    return pairs


def _runs(left: Sequence[str], right: Sequence[str]) -> Iterator[MatchingBlock]:
    if _is_edited_in_place(left, right):
        yield MatchingBlock(0, len(left), 0, len(right))
        return
    head, tail = common_ends(left, right)
    a_end, b_end = len(left) - tail, len(right) - tail
    yield MatchingBlock(0, head, 0, head)
    if (a_end - head) * (b_end - head) > _MATCHING_LIMIT:
        yield MatchingBlock(head, a_end, head, b_end)
    else:
        matcher = SequenceMatcher(None, left[head:a_end], right[head:b_end], autojunk=False)
        yield from (
            MatchingBlock(head + a, head + b, head + c, head + d) for _, a, b, c, d in matcher.get_opcodes()
        )
    yield MatchingBlock(a_end, len(left), b_end, len(right))


def common_ends(
    one: Sequence[T], other: Sequence[T], *, is_same: Callable[[T, T], bool] = operator.eq
) -> tuple[int, int]:
    """How many items two sequences begin with alike, and how many of the rest they end with alike."""
    start = _common_start(one, other, is_same)
    return start, _common_start(one[start:][::-1], other[start:][::-1], is_same)


def _common_start(one: Sequence[T], other: Sequence[T], is_same: Callable[[T, T], bool]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if not is_same(a, b)), min(len(one), len(other)))


def _is_edited_in_place(left: Sequence[str], right: Sequence[str]) -> bool:
    """As many items as before, and none that differs from its counterpart stands elsewhere instead."""
    if len(left) != len(right):
        return False
    differing = [i for i in range(len(left)) if left[i] != right[i]]
    return {left[i] for i in differing}.isdisjoint(right[i] for i in differing)
