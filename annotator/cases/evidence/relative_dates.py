"""Days a text counts from the dialogue's own now: tomorrow, this weekend, next Friday, in three days."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta

from annotator.cases.evidence.quantities import quantities_in
from annotator.cases.evidence.written_dates import DateMention, ends_of
from scoring.groups import collected

_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_HAN_DAYS = "一二三四五六日"
_SPANS = {"day": "day", "night": "day", "week": "week", "month": "month", "year": "year", "fortnight": "week"}
_TODAY = re.compile(
    r"\b(?:today|tonight|now|current(?:ly)?|this (?:morning|afternoon|evening)|as of|so far|to date|latest)\b"
    r"|今天|今日|今晚|现在|目前|当前",
    re.IGNORECASE,
)
_NEAR = (
    (_TODAY, 0),
    (re.compile(r"\bday after tomorrow\b|后天", re.IGNORECASE), 2),
    (re.compile(r"\bday before yesterday\b|前天", re.IGNORECASE), -2),
    (re.compile(r"大后天"), 3),
    (re.compile(r"\btomorrow\b|明天|明日|明晚", re.IGNORECASE), 1),
    (re.compile(r"\byesterday\b|昨天|昨日|昨晚", re.IGNORECASE), -1),
)
_COUNTED = re.compile(
    r"\b(?:(?:in|within|past|last|previous|recent|next|coming|following|upcoming|over|for)\s+(?:the\s+)?"
    r"(?:past\s+|last\s+|next\s+)?)?"
    r"(?P<count>\d{1,4}|[a-z]+(?:[\s-](?:one|two|three|four|five|six|seven|eight|nine))?)[\s-]+"
    r"(?:more\s+|full\s+)?(?P<unit>day|night|week|month|year|fortnight)s?\b"
    r"(?:\s+(?:ago|before|earlier|back|from now|later|ahead))?",
    re.IGNORECASE,
)
_HAN_COUNTED = re.compile(
    r"(?P<count>\d{1,4}|[一二两三四五六七八九十半]{1,3})\s?个?(?P<unit>天|日|周|星期|月|年)"
)
_HAN_SPANS = {"天": "day", "日": "day", "周": "week", "星期": "week", "月": "month", "年": "year"}
_UNITS = _SPANS | _HAN_SPANS
_PERIOD = re.compile(
    r"\b(?P<which>this|next|last|past|coming|previous|current|upcoming|following)\s+(?P<unit>week(?!end)|month|year|quarter)\b"
    r"|(?P<han_which>这个?|本|下个?|上个?|今|明|去)(?P<han_unit>周(?![一二三四五六日末])|星期(?![一二三四五六日])|月|年)",
    re.IGNORECASE,
)
_WEEKEND = re.compile(
    r"\b(?:(?P<which>this|next|last|past|coming|following)\s+)?weekend\b|(?P<han>[这本下上]?)周末", re.I
)
_WEEKDAY = re.compile(
    r"\b(?:(?P<which>this|next|last|past|coming|following)\s+)?(?P<name>"
    + "|".join(f"{day[:3]}(?:{day[3:]})?" for day in _DAYS)
    + r"|tues|thurs?)s?\b|(?P<han_which>[这本下上]?)(?:个)?(?:周|星期|礼拜)(?P<han>[一二三四五六日天])",
    re.IGNORECASE,
)
_STAY = re.compile(r"\b(?P<count>\d{1,3}|[a-z]+)[\s-]+(?:nights?|days?|weeks?)\b", re.IGNORECASE)
_BACKWARD = ("last", "past", "previous", "上", "上个", "去")
_FORWARD = ("next", "following", "下", "下个", "明")


def relative_dates(text: str, today: date) -> Iterator[DateMention]:
    """Find the days a text counts from today: tomorrow, this weekend, next Friday, in three days.

    Args:
        text: What a person said, English or Chinese.
        today: The day of the dialogue's now.

    Yields:
        Mentions with every day the words can mean; both ends of a period, and both readings of
        "next Friday".
    """
    near = ((match, distance) for pattern, distance in _NEAR for match in pattern.finditer(text))
    yield from (_mention(match, [today + timedelta(days=distance)]) for match, distance in near)
    for match in _WEEKEND.finditer(text):
        saturday = today + timedelta(days=5 - today.weekday())
        weeks = _weeks(match.group("which") or match.group("han") or "")
        yield _mention(match, [saturday + timedelta(days=7 * week + day) for week in weeks for day in (0, 1)])
    yield from (_mention(match, _weekdays(match, today)) for match in _WEEKDAY.finditer(text))
    yield from _periods(text, today)
    yield from _counted(text, today)


def _mention(match: re.Match[str], days: list[date]) -> DateMention:
    return DateMention(match.start(), match.end(), days=frozenset(days))


def _weeks(which: str) -> tuple[int, ...]:
    word = which.lower()
    if word in (*_FORWARD, "coming"):
        return (0, 1)
    return (-1, 0) if word in _BACKWARD else (0,)


def _weekdays(match: re.Match[str], today: date) -> list[date]:
    han = match.group("han")
    name = (match.group("name") or "").lower()[:3]
    weekday = _HAN_DAYS.index(han.replace("天", "日")) if han else [d[:3] for d in _DAYS].index(name)
    ahead = (weekday - today.weekday()) % 7
    coming, previous = today + timedelta(days=ahead), today + timedelta(days=ahead - 7)
    in_week = today + timedelta(days=weekday - today.weekday())
    word = (match.group("which") or match.group("han_which") or "").lower()
    if word in _BACKWARD:
        return [previous, in_week - timedelta(days=7)]
    if word in _FORWARD:
        return [coming + timedelta(days=7 * week) for week in ((0, 1) if ahead else (1,))]
    return [coming, previous, in_week]


def _periods(text: str, today: date) -> Iterator[DateMention]:
    for match in _PERIOD.finditer(text):
        unit = (match.group("unit") or "").lower() or _HAN_SPANS[match.group("han_unit")]
        word = (match.group("which") or match.group("han_which")).lower()
        step = 1 if word in (*_FORWARD, "coming", "upcoming") else -1 if word in _BACKWARD else 0
        days = [today] if word in ("this", "current", "past", "last", "本", "今", "这", "这个") else []
        match unit:
            case "week":
                monday = today - timedelta(days=today.weekday()) + timedelta(days=7 * step)
                days += [monday + timedelta(days=offset) for offset in range(-1, 7)]
                days.append(today + timedelta(days=7 * step))
            case "quarter":
                first = _shift_months(today.replace(day=1), 3 * step - (today.month - 1) % 3)
                days += [first, _shift_months(first, 3) - timedelta(days=1)]
            case _:
                shifted = _shift_months(today, step * (12 if unit == "year" else 1))
                days += [shifted, *ends_of(shifted.year, None if unit == "year" else shifted.month)]
        yield _mention(match, days)


def _counted(text: str, today: date) -> Iterator[DateMention]:
    for match in (*_COUNTED.finditer(text), *_HAN_COUNTED.finditer(text)):
        count = _count_of(match.group("count"))
        if 0 < count <= 4000:
            unit = _UNITS[match.group("unit").lower()]
            yield _mention(match, [today, *_moved(today, count, unit), *_moved(today, -count, unit)])


def _count_of(word: str) -> float:
    if word.lower() in ("a", "an"):
        return 1
    return next((quantity.number for quantity in quantities_in(word)), 0)


def _moved(today: date, count: float, unit: str) -> list[date]:
    try:
        exact = (
            _shift_months(today, int(count) * (12 if unit == "year" else 1))
            if count == int(count) and unit in ("month", "year")
            else today + timedelta(days=round(count * {"day": 1, "week": 7, "month": 30, "year": 365}[unit]))
        )
        return [exact, exact - timedelta(days=1), exact + timedelta(days=1)]
    except (OverflowError, ValueError):
        return []


def _shift_months(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


@collected
def stays(text: str) -> Iterator[int]:
    """Lengths in days a text speaks of (three nights, a week), 1 to 400."""
    for match in _STAY.finditer(text):
        days = 7 if "week" in match.group().lower() else 1
        length = round(_count_of(match.group("count")) * days)
        yield from [length] if 1 <= length <= 400 else []
