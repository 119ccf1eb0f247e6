"""Figures: shares of counted things and plain numbers, and how they are printed (scoring 5)."""

from collections.abc import Callable, Iterable

from scoring.generics import T
from scoring.model.record import Record


class Rate(Record):
    """`count` of `total`; `value` is their quotient 0..1, None for an empty group (never 0 by accident)."""

    value: float | None
    count: int
    total: int

    @property
    def percent(self) -> str | None:
        """In percent with two decimals, ties rounded up (28.125 -> 28.13); None for an empty group.

        Rounded on whole numbers, so that 9/32 prints as the papers print it.
        """
        if not self.total:
            return None
        hundredths = (2 * 10_000 * self.count + self.total) // (2 * self.total)
        return f"{hundredths // 100}.{hundredths % 100:02d}"


class Number(Record):
    """A figure that is no share, over `of` things; None where there are none."""

    value: float | None
    of: int


Figure = Rate | Number
"""What one slice of a measure says."""


def rate(count: int, total: int) -> Rate:
    """Micro-average: a sum over a sum.

    Example:
        >>> rate(145, 256).percent
        '56.64'
        >>> rate(0, 0).value is None
        True
    """
    return Rate(value=count / total if total else None, count=count, total=total)


def share_of(items: Iterable[T], test: Callable[[T], bool]) -> Rate:
    """Share of the items that pass a test."""
    counted = [test(item) for item in items]
    return rate(sum(counted), len(counted))


def mean_of(values: Iterable[float | None]) -> Number:
    """Mean of the values that are known."""
    known = [value for value in values if value is not None]
    return Number(value=sum(known) / len(known) if known else None, of=len(known))
