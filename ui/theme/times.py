"""Moments as people say them: how long ago, with the exact time for the tooltip."""

from datetime import datetime

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


def ago(then: datetime, now: datetime) -> str:
    """Say how long ago a moment was, e.g. `12 min ago`, `yesterday`, `2026-11-03`.

    Args:
        then: The moment, with a zone; one after `now` counts as now.
        now: The present, in the zone whose calendar decides what yesterday is.
    """
    seconds = max(0.0, (now - then).total_seconds())
    if seconds < _MINUTE:
        return "just now"
    if seconds < _HOUR:
        return f"{int(seconds // _MINUTE)} min ago"
    days = (now.date() - then.astimezone(now.tzinfo).date()).days
    if days == 0 or seconds < _HOUR * 6:
        return f"{int(seconds // _HOUR)} h ago"
    if days == 1:
        return "yesterday"
    if days < 7:
        return f"{days} days ago"
    return f"{then.astimezone(now.tzinfo):%Y-%m-%d}"


def waited(since: datetime, now: datetime) -> str:
    """Say how long something has waited, e.g. `12 min ago`, `14 days ago`; arguments as for `ago`."""
    days = (now.date() - since.astimezone(now.tzinfo).date()).days
    return f"{days:,} days ago" if days >= 7 else ago(since, now)


def exactly(then: datetime, now: datetime) -> str:
    """Say a moment to the second, in the zone of `now`."""
    return f"{then.astimezone(now.tzinfo):%Y-%m-%d %H:%M:%S}"


def duration(seconds: float) -> str:
    """A time as people say it, e.g. `2 min 41 s`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
