"""Dates a text writes out, in full or in part, without looking at any calendar."""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = _MONTH_NAMES.split()
_MONTH = r"(?P<month>" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS) + r"|sept)\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d{2})"
_WRITTEN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\d){_YEAR}[-/.](?P<month_number>\d{{1,2}})[-/.]{_DAY}(?!\d)",
        r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<month_number>0[1-9]|1[0-2])(?P<day>[0-2]\d|3[01])(?!\d)",
        rf"(?<!\d){_YEAR}\s?年\s?(?P<month_number>\d{{1,2}})\s?月(?:\s?{_DAY}\s?[日号])?",
        rf"(?<!\d)(?P<month_number>\d{{1,2}})\s?月\s?{_DAY}\s?[日号]?",
        rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}(?!\d)(?:,?\s+(?:of\s+)?{_YEAR})?",
        rf"(?<!\d){_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+(?:of\s+)?{_YEAR})?\b",
        rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}\b",
        rf"(?<!\d){_YEAR}[-/](?P<month_number>0[1-9]|1[0-2])(?![-/\d])",
        r"(?<!\d)(?P<month_number>0?[1-9]|1[0-2])/(?P<year>20\d{2})(?!\d)",
        r"\bthe\s+(?P<day>\d{1,2})(?:st|nd|rd|th)\b|(?<!\d)(?P<day_of_month>\d{1,2})(?:st|nd|rd|th)\b",
        rf"\b{_MONTH}(?![a-z])",
        rf"(?<![\d/-]){_YEAR}(?![\d/-])",
    )
)
_ANY_MONTH = re.compile(rf"\b{_MONTH}(?![a-z])", re.IGNORECASE)
_VERBS_TOO = ("may", "march", "mar")
_BEFORE_DAY = re.compile(r"(?:[A-Za-z]{3,9},?\s+)?")
_AFTER_DAY = re.compile(
    r"[T\s,]*(?:\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?\s*(?:[AP]M)?\s*(?:Z|[+-]\d{2}:?\d{2})?(?:\s*\(?[A-Za-z]{3,9}\)?)?",
    re.IGNORECASE,
)
_EITHER_WAY = re.compile(r"(?<!\d)(\d{1,2})[/.-](\d{1,2})(?:[/.-]((?:19|20)?\d{2}))?(?!\d)")
_FIXED = {
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "new year's eve": (12, 31),
    "new year": (1, 1),
    "valentine": (2, 14),
    "halloween": (10, 31),
    "元旦": (1, 1),
    "国庆": (10, 1),
    "圣诞": (12, 25),
}
_FIXED_WORDS = re.compile("|".join(_FIXED), re.IGNORECASE)

DateParts = tuple[int | None, int | None, int | None]
"""Year, month and day; None for a part that is left open."""


@dataclass(frozen=True, slots=True)
class DateMention:
    """Characters [start, end) of a text that speak of a day: known days, or a date with parts left open.

    Where all three `parts` are None, only `days` counts.
    """

    start: int
    end: int
    days: frozenset[date] = frozenset()
    parts: DateParts = (None, None, None)

    def covers(self, day: date, *, around: date | None = None) -> bool:
        """Whether the words can mean this day.

        Args:
            day: The day in question.
            around: Today; a year that is not named is at most one away from it.

        Returns:
            True for a named day, and for the first and last day of a named month or year.
        """
        if day in self.days:
            return True
        year, month, number = self.parts
        says_too_little = month is None and (year is None or number is not None)
        is_far = year is None and around is not None and abs(day.year - around.year) > 1
        if says_too_little or is_far or year not in (None, day.year) or month not in (None, day.month):
            return False
        return number == day.day if number is not None else day in ends_of(day.year, month)


def ends_of(year: int, month: int | None) -> tuple[date, date]:
    """First and last day of a month, or of the year where the month is None."""
    if month is None:
        return date(year, 1, 1), date(year, 12, 31)
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def read_day(value: object) -> date | None:
    """Read an argument value as a day, whatever the order of its parts; a clock time after it is ignored.

    Returns:
        The day; None where the value is no text, no date, or a date with a part missing.
    """
    if not isinstance(value, str) or not 8 <= len(value) <= 40 or not any(map(str.isdecimal, value)):
        return None
    for mention in written_dates(value):
        year, month, number = mention.parts
        if (
            year is not None
            and month is not None
            and number is not None
            and _BEFORE_DAY.fullmatch(value[: mention.start])
            and _AFTER_DAY.fullmatch(value[mention.end :])
        ):
            return date(year, month, number)
    return None


def read_month(value: object) -> date | None:
    """Read an argument value such as 2026-05 or 05/2026 as the first day of that month; else None."""
    if not isinstance(value, str) or len(value) not in (6, 7):
        return None
    found = re.fullmatch(r"((?:19|20)\d{2})[-/.]?(0[1-9]|1[0-2])", value)
    if found:
        return date(int(found.group(1)), int(found.group(2)), 1)
    found = re.fullmatch(r"(0?[1-9]|1[0-2])[-/.]((?:19|20)\d{2})", value)
    return date(int(found.group(2)), int(found.group(1)), 1) if found else None


def written_dates(text: str) -> tuple[DateMention, ...]:
    """Find the dates a text writes out; the parts it leaves open are None, an ambiguous order gives two.

    A part of a full date (the 03-02 of 2026-03-02) is no date of its own.
    """
    found = [*_by_pattern(text), *_in_either_order(text), *_holidays(text)]
    full = [(mention.start, mention.end) for mention in found if None not in mention.parts]
    return tuple(
        mention
        for mention in found
        if None not in mention.parts
        or not any(start <= mention.start and mention.end <= end for start, end in full)
    )


def _by_pattern(text: str) -> Iterator[DateMention]:
    has_digit, has_month = re.search(r"\d", text), _ANY_MONTH.search(text)
    for pattern in _WRITTEN:
        if not (has_month if "month" in pattern.groupindex else has_digit):
            continue
        for match in pattern.finditer(text):
            found = match.groupdict()
            if found.get("month") not in _VERBS_TOO and _is_possible(parts := _parts_of(found)):
                yield DateMention(match.start(), match.end(), parts=parts)


def _parts_of(found: Mapping[str, str | None]) -> DateParts:
    """The parts of a date by the groups of a pattern; a group that is absent or matched nothing is open."""
    month = found.get("month_number")
    number = found.get("day") or found.get("day_of_month")
    year = found.get("year")
    return (
        int(year) if year else None,
        int(month) if month else _month_number(found.get("month")),
        int(number) if number else None,
    )


def _in_either_order(text: str) -> Iterator[DateMention]:
    """Figures that may be month and day or day and month: each reading that is possible."""
    for match in _EITHER_WAY.finditer(text):
        first, second, year = match.groups()
        full = int(year) + (2000 if year and len(year) == 2 else 0) if year else None
        either = ((full, int(first), int(second)), (full, int(second), int(first)))
        possible = filter(_is_possible, either)
        yield from (DateMention(match.start(), match.end(), parts=parts) for parts in possible)


def _holidays(text: str) -> Iterator[DateMention]:
    matches = _FIXED_WORDS.finditer(text)
    return (DateMention(m.start(), m.end(), parts=(None, *_FIXED[m.group().lower()])) for m in matches)


def _month_number(name: str | None) -> int | None:
    if name is None:
        return None
    return next(i for i, month in enumerate(_MONTHS, start=1) if month.startswith(name[:3].lower()))


def _is_possible(parts: DateParts) -> bool:
    year, month, number = parts
    if month is not None and not 1 <= month <= 12:
        return False
    return number is None or 1 <= number <= (monthrange(year or 2024, month)[1] if month else 31)
