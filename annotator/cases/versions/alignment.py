"""Which items of one list are which of another, and two lists laid together over the one both came from."""

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from scoring.formats.alignment import common_ends
from scoring.generics import T

Likeness = Callable[[T, T], float]

_MOST_COMPARISONS = 40_000
_ALIKE, _SURELY_ALIKE = 0.3, 0.6


@dataclass(frozen=True)
class AlignedSlot:
    """One place of a list that was laid together: where its item was in each of the three; None for nowhere.

    `is_disputed` says that one side removed the item and the other changed it.
    """

    base: int | None
    mine: int | None
    theirs: int | None
    is_disputed: bool = False


@dataclass(frozen=True)
class Laid:
    """Two lists laid together; `other_order` is theirs, as places of `slots`, where both moved items."""

    slots: tuple[AlignedSlot, ...]
    other_order: tuple[int, ...] = ()


def aligned(base: Sequence[T], side: Sequence[T], *, likeness: Likeness[T]) -> tuple[int | None, ...]:
    """Find out which item of a list is which of the list it was made from.

    Args:
        base: The list before.
        side: The list after.
        likeness: How much one item looks like another: 1 for equal ones, 0 for what cannot be the same.

    Returns:
        For each item of `side` its place in `base`, each at most once; None for what is new there.
    """
    pairs = _in_order(base, side, likeness)
    taken = set(pairs.values())
    free = [j for j in range(len(side)) if j not in pairs]
    left = [i for i in range(len(base)) if i not in taken]
    if len(free) * len(left) <= _MOST_COMPARISONS:
        for unlike, i, j in sorted((-likeness(base[i], side[j]), i, j) for i in left for j in free):
            if -unlike >= _SURELY_ALIKE and j not in pairs and i not in taken:
                pairs[j] = i
                taken.add(i)
    _pair_gaps(base, side, pairs, likeness)
    return tuple(pairs.get(j) for j in range(len(side)))


def _in_order(base: Sequence[T], side: Sequence[T], likeness: Likeness[T]) -> dict[int, int]:
    """The items that kept their order: equal ones at both ends, then the best pairing of those between."""
    start, end = common_ends(base, side, is_same=lambda one, other: likeness(one, other) == 1)
    between = _best_pairs(base[start : len(base) - end], side[start : len(side) - end], likeness)
    return (
        {i: i for i in range(start)}
        | {len(side) - 1 - i: len(base) - 1 - i for i in range(end)}
        | {j + start: i + start for i, j in between}
    )


def _best_pairs(base: Sequence[T], side: Sequence[T], likeness: Likeness[T]) -> list[tuple[int, int]]:
    if len(base) * len(side) > _MOST_COMPARISONS:
        blocks = difflib.SequenceMatcher(None, base, side, autojunk=False).get_matching_blocks()
        return [(i + k, j + k) for i, j, size in blocks for k in range(size)]
    alike = [[likeness(one, other) for other in side] for one in base]
    best = [[0.0] * (len(side) + 1) for _ in range(len(base) + 1)]
    for i in reversed(range(len(base))):
        for j in reversed(range(len(side))):
            paired = alike[i][j] + best[i + 1][j + 1] if alike[i][j] >= _ALIKE else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(base) and j < len(side):
        if alike[i][j] >= _ALIKE and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _pair_gaps(base: Sequence[T], side: Sequence[T], pairs: dict[int, int], likeness: Likeness[T]) -> None:
    """Take what stands alone between the same neighbours for the same item, written anew."""
    taken = set(pairs.values())
    gaps: dict[int, list[int]] = {}
    last = -1
    for j in range(len(side)):
        if j in pairs:
            last = pairs[j]
        else:
            gaps.setdefault(last, []).append(j)
    for before, fresh in gaps.items():
        gone = list(takewhile(lambda i: i not in taken, range(before + 1, len(base))))
        if len(gone) == len(fresh) and all(
            likeness(base[i], side[j]) > 0 for i, j in zip(gone, fresh, strict=True)
        ):
            pairs.update(zip(fresh, gone, strict=True))


def laid_together(
    count: int,
    mine: Sequence[int | None],
    theirs: Sequence[int | None],
    *,
    twins: dict[int, int],
    is_changed: Callable[[int, int, bool], bool],
) -> Laid:
    """Lay two lists together that were made from one.

    An item that one side removed is gone, unless the other side changed it. What one side inserted stands
    behind the item it was inserted behind.

    Args:
        count: How many items the common list had.
        mine: For each item of my list its place in the common one; None for a new one.
        theirs: The same for their list.
        twins: New items of theirs that are new items of mine: their place -> my place.
        is_changed: Whether (place in the common list, place in a list, whether that list is mine) holds
            another item now, or one that is worked on.
    """
    slots = [*_common_slots(count, mine, theirs, is_changed), *_added_slots(mine, theirs, twins)]
    my_slot = {slot.mine: slot for slot in slots}
    their_slot = {slot.theirs: slot for slot in slots}
    my_order = [my_slot[j] for j in range(len(mine)) if j in my_slot]
    return _ordered(my_order, [their_slot[k] for k in range(len(theirs)) if k in their_slot])


def _common_slots(
    count: int,
    mine: Sequence[int | None],
    theirs: Sequence[int | None],
    is_changed: Callable[[int, int, bool], bool],
) -> Iterator[AlignedSlot]:
    """The items of the common list that both kept, or that one side removed and the other changed."""
    of_mine = {base: j for j, base in enumerate(mine)}
    of_theirs = {base: k for k, base in enumerate(theirs)}
    for base in range(count):
        j, k = of_mine.get(base), of_theirs.get(base)
        if j is not None and k is not None:
            yield AlignedSlot(base, j, k)
        elif (j is not None and is_changed(base, j, True)) or (k is not None and is_changed(base, k, False)):
            yield AlignedSlot(base, j, k, is_disputed=True)


def _added_slots(
    mine: Sequence[int | None], theirs: Sequence[int | None], twins: dict[int, int]
) -> Iterator[AlignedSlot]:
    """The new items of both; a twin comes after the new item of mine that it replaces."""
    yield from (AlignedSlot(None, j, None) for j, known in enumerate(mine) if known is None)
    yield from (AlignedSlot(None, twins.get(k), k) for k, known in enumerate(theirs) if known is None)


def _ordered(mine: list[AlignedSlot], theirs: list[AlignedSlot]) -> Laid:
    shared = set(mine) & set(theirs)
    my_shared = [slot for slot in mine if slot in shared]
    their_shared = [slot for slot in theirs if slot in shared]
    am_i_moved, are_they_moved = not _is_in_place(my_shared), not _is_in_place(their_shared)
    takes_theirs = are_they_moved and not am_i_moved
    order = [*_with_the_rest(their_shared if takes_theirs else my_shared, (mine, theirs))]
    is_clash = am_i_moved and are_they_moved and my_shared != their_shared
    if not is_clash:
        return Laid(tuple(order))
    # The others keep their places; only what both sides have changes them.
    wanted = iter(their_shared)
    places = {slot: place for place, slot in enumerate(order)}
    return Laid(tuple(order), tuple(places[next(wanted) if slot in shared else slot] for slot in order))


def _with_the_rest(
    shared: Sequence[AlignedSlot], sides: Sequence[Sequence[AlignedSlot]]
) -> Iterator[AlignedSlot]:
    """Put what only one side has behind what it stands behind there; the first side's come first."""
    placed = set(shared)
    behind: dict[AlignedSlot | None, list[AlignedSlot]] = {}
    for side in sides:
        before: AlignedSlot | None = None
        for slot in side:
            if slot not in placed:
                behind.setdefault(before, []).append(slot)
            before = slot
    waiting = [*reversed(shared), *reversed(behind.get(None, []))]
    while waiting:
        slot = waiting.pop()
        yield slot
        waiting += reversed(behind.get(slot, []))


def _is_in_place(slots: Sequence[AlignedSlot]) -> bool:
    bases = [slot.base for slot in slots if slot.base is not None]
    return bases == sorted(bases)
