"""What reading gives: a case with its notes, or a line that was refused with the reason."""

from scoring.model.case import Case
from scoring.model.record import Record

_LONGEST_REASON = 300


class Reading(Record):
    """A case read from one line, and a sentence for each thing that was understood but is not in order."""

    case: Case
    warnings: tuple[str, ...] = ()


class ReadCase(Reading):
    """A case with the number of its line, from 1."""

    line: int


class Rejected(Record):
    """A line that gave no case: the file as it was named, the line number from 1, and the reason."""

    file: str
    line: int
    reason: str


def shorten(reason: str) -> str:
    """Keep a reason within 300 characters."""
    return reason if len(reason) <= _LONGEST_REASON else reason[: _LONGEST_REASON - 3] + "..."
