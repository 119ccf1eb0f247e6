"""Whether a text speaks of a day or a clock time that an argument names."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

from annotator.cases.evidence.quantities import quantities_in
from annotator.cases.evidence.relative_dates import relative_dates, stays
from annotator.cases.evidence.written_dates import DateMention, written_dates

_CLOCK = re.compile(
    r"(?<![\d:])(?P<hour>\d{1,2})(?![点时])(?::(?P<minute>\d{2}))?(?::\d{2})?\s*(?P<half>a\.?m\.?|p\.?m\.?|o'?clock)?(?![\d:])"
    r"|(?P<word>noon|midday|midnight)"
    r"|(?P<han_half>上午|下午|晚上|早上|中午)?(?P<han_hour>\d{1,2}|[一二两三四五六七八九十]{1,2})[点时](?P<han_minute>半|\d{1,2})?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DateReading:
    """Everything a text says about days, read once.

    `today` is the day of the dialogue's now, None where it is unknown; `written` are the dates
    written out, `counted` those counted from today, `lengths` the stays in days.
    """

    today: date | None
    written: tuple[DateMention, ...]
    counted: tuple[DateMention, ...]
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, text: str, today: date | None) -> "DateReading":
        """Read a text."""
        counted = tuple(relative_dates(text, today)) if today else ()
        return cls(today, written_dates(text), counted, stays(text))

    def speaks_of(self, day: date) -> DateMention | None:
        """Find the words that mean a day.

        Returns:
            The first mention that covers the day, taken as it is, put together from parts that stand
            apart, or after a stay that is named; None where nothing does.
        """
        mentions = (m for m in (*self.written, *self.counted) if m.covers(day, around=self.today))
        return next(mentions, None) or self._assembled(day) or self._after_a_stay(day)

    def speaks_of_month(self, month: date) -> DateMention | None:
        """Find the words that mean the month a day lies in."""
        for mention in (*self.written, *self.counted):
            year, number, _ = mention.parts
            is_near = self.today is None or abs(month.year - self.today.year) <= 1
            is_written = number == month.month and (year == month.year or (not year and is_near))
            if is_written or month in mention.days or (year == month.year and number is None):
                return mention
        return None

    def _assembled(self, day: date) -> DateMention | None:
        # "the 15th of next month, which is November of 2026": the parts stand apart in one text.
        numbers = [mention for mention in self.written if mention.parts[2] == day.day]
        months = [mention for mention in self.written if mention.parts[1] == day.month]
        months += [m for m in self.counted if any((d.year, d.month) == (day.year, day.month) for d in m.days)]
        years = {mention.parts[0] for mention in self.written} - {None}
        is_near = self.today is None or abs(day.year - self.today.year) <= 1
        return numbers[0] if numbers and months and (day.year in years or (not years and is_near)) else None

    def _after_a_stay(self, day: date) -> DateMention | None:
        distances = (distance for length in self.lengths for distance in (length, length - 1, -length))
        starts = (day - timedelta(days=distance) for distance in distances)
        mentions = [*self.written, *self.counted]
        return next((m for start in starts for m in mentions if m.covers(start, around=self.today)), None)


def read_clock(value: str) -> tuple[int, int] | None:
    """Read the clock time of a date-time or time text; None where it has none."""
    match = re.search(r"(?:^|[T\s])(\d{1,2}):(\d{2})(?::\d{2})?", value)
    return (int(match.group(1)), int(match.group(2))) if match else None


def clocks_in(text: str) -> frozenset[tuple[int, int]]:
    """Clock times a text names, as (hour, minute); an hour without a half of the day counts for both."""
    found: set[tuple[int, int]] = set()
    for match in _CLOCK.finditer(text):
        if match.group("word"):
            found.add((0, 0) if match.group("word").lower() == "midnight" else (12, 0))
            continue
        hour = match.group("hour")
        if match.group("han_hour"):
            spoken = match.group("han_hour")
            hours = int(spoken) if spoken.isdecimal() else int(next(iter(quantities_in(spoken))).number)
            minute = {"半": 30, None: 0}.get(match.group("han_minute"))
            minutes = int(match.group("han_minute")) if minute is None else minute
        elif match.group("minute") or match.group("half"):
            hours, minutes = int(hour), int(match.group("minute") or 0)
        else:
            continue
        if hours < 24 and minutes < 60:
            found |= {(hours, minutes), ((hours + 12) % 24, minutes)}
    return frozenset(found)
