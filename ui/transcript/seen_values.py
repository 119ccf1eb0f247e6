"""Values that were said or returned before a call, to be used again in its arguments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scoring.model.case import Answer, Ask, Call, Case
from scoring.model.flow import Scalar, is_telling, leaves

_LONGEST = 120
_MOST_OF_ONE = 2_000
_MOST = 6_000
_QUOTED = re.compile(r"\"([^\"\n]{2,120})\"|“([^”\n]{2,120})”|'([^'\n]{2,120})'(?!\w)|`([^`\n]{2,120})`")
_IDENTIFIER = re.compile(
    r"(?<![\w.-])(?=[\w@.:/-]*\d)[A-Za-z_@][\w@.:/-]*\w(?!\w)|(?<!\d)\d{4}-\d{2}-\d{2}(?:[T ][\d:]*\d)?"
)
_NUMBER = re.compile(r"(?<![\w.,-])-?\d+(?:\.\d+)?(?![\w,]|\.\d|-\d)")


@dataclass(frozen=True)
class SeenValue:
    """A value and where it was last seen, e.g. `task 1, call 0, rows/0/id`; `name` is its key there."""

    value: str | int | float
    where: str
    name: str = ""


def seen_values(case: Case, task: int, *, step: int) -> tuple[SeenValue, ...]:
    """List the telling values of everything before a call, the latest place first, each value once.

    Observations and earlier arguments give their scalars; texts give identifiers, dates, numbers and what
    stands in quotes.

    Args:
        case: The case.
        task: Task of the call.
        step: Its step number.
    """
    found: dict[tuple[type, Scalar], SeenValue] = {}
    for at in range(task, -1, -1):
        for seen in _of_task(case, at, end=step if at == task else None):
            found.setdefault((type(seen.value), seen.value), seen)
            if len(found) >= _MOST:
                return tuple(found.values())
    return tuple(found.values())


def _of_task(case: Case, task: int, *, end: int | None) -> Iterator[SeenValue]:
    found = case.tasks[task]
    last = len(found.steps) if end is None else min(end, len(found.steps))
    for number in range(last - 1, -1, -1):
        step = found.steps[number]
        where = f"task {task + 1}, step {number}"
        if isinstance(step, Call):
            yield from _of_value(step.observation, where)
            yield from _of_value(step.arguments, f"{where}, argument")
        elif isinstance(step, Ask):
            yield from _of_text(step.reply, f"{where}, reply")
            yield from _of_text(step.text, where)
        elif isinstance(step, Answer):
            yield from _of_text(step.text, where)
    yield from _of_text(found.user, f"task {task + 1}, user")


def _of_value(value: object, where: str) -> Iterator[SeenValue]:
    for number, (path, leaf) in enumerate(leaves(value)):  # type: ignore[arg-type]
        if number >= _MOST_OF_ONE:
            return
        if isinstance(leaf, str) and (len(leaf) > _LONGEST or "\n" in leaf):
            yield from _of_text(leaf, where)
        elif isinstance(leaf, str | int | float) and is_telling(leaf):
            place = f"{where} {path.lstrip('/')}" if path else where
            yield SeenValue(leaf, place, path.rpartition("/")[2])


def _of_text(text: str, where: str) -> Iterator[SeenValue]:
    start = text[:20_000]
    for quoted in _QUOTED.finditer(start):
        yield SeenValue(next(group for group in quoted.groups() if group), where)
    for word in _IDENTIFIER.finditer(start):
        yield SeenValue(word[0], where)
    for number in _NUMBER.finditer(start):
        value = float(number[0]) if "." in number[0] else int(number[0])
        if is_telling(value):
            yield SeenValue(value, where)
