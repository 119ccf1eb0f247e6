"""Values, counts and sets of numbers put together by what they have in common."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
N = TypeVar("N", int, float)


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Collect the values of each key; keys in the order they come, and so the values of each."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def summed(pairs: Iterable[tuple[K, N]]) -> dict[K, N]:
    """Add up the numbers of each key; keys in the order they come."""
    sums: dict[K, N] = {}
    for key, number in pairs:
        sums[key] = sums[key] + number if key in sums else number
    return sums


def united(pairs: Iterable[tuple[K, int]]) -> dict[K, int]:
    """Join the sets of each key, of numbers as bits; keys in the order they come."""
    sets: dict[K, int] = {}
    for key, numbers in pairs:
        sets[key] = sets.get(key, 0) | numbers
    return sets
