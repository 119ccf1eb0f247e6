"""Values, counts and sets of numbers put together, by what they have in common or as they come."""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import ParamSpec, TypeVar

from scoring.generics import K, T

N = TypeVar("N", int, float)
P = ParamSpec("P")


def grouped(pairs: Iterable[tuple[K, T]]) -> dict[K, list[T]]:
    """Collect the values of each key; keys in the order they come, and so the values of each."""
    groups: dict[K, list[T]] = {}
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


def collected(make: Callable[P, Iterator[T]]) -> Callable[P, tuple[T, ...]]:
    """Make a function that yields values one of all of them, in the order they come."""

    @wraps(make)
    def whole(*args: P.args, **options: P.kwargs) -> tuple[T, ...]:
        return tuple(make(*args, **options))

    return whole


def keyed(make: Callable[P, Iterator[tuple[K, T]]]) -> Callable[P, dict[K, T]]:
    """Make a function that yields keys with values one of them all; the last value of a key stays."""

    @wraps(make)
    def whole(*args: P.args, **options: P.kwargs) -> dict[K, T]:
        return dict(make(*args, **options))

    return whole
