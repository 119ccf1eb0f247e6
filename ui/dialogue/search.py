"""Finding words in a dialogue, field by field."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from scoring.model.case import Answer, Ask, Call, Case, Task
from ui.dialogue.content import USER_STEP

_Field = tuple[int, int, str]
"""Task, step and name of a field of a card."""


@dataclass(frozen=True)
class Hit:
    """One place where the words stand: the `nth` time (from 0) in a field of a card."""

    task: int
    step: int
    field: str
    nth: int


class Hits:
    """The places where words stand, in order; each is made once it is asked for.

    Args:
        counted: Task, step and field with how often the words stand there.
    """

    def __init__(self, counted: Iterable[tuple[_Field, int]] = ()) -> None:
        self._fields: list[_Field] = []
        self._ends: list[int] = []
        end = 0
        for field, count in counted:
            end += count
            self._fields.append(field)
            self._ends.append(end)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, at: int) -> Hit:
        if not 0 <= at < len(self):
            raise IndexError(at)
        place = bisect_right(self._ends, at)
        return Hit(*self._fields[place], at - (self._ends[place - 1] if place else 0))


class DialogueWords:
    """What is said in a case, ready to be searched while somebody types."""

    def __init__(self, case: Case) -> None:
        self._said = [
            ((number, step, field), _plain(value).casefold())
            for number, task in enumerate(case.tasks)
            for step, field, value in _fields(task)
            if value is not None
        ]

    def find(self, words: str) -> Hits:
        """Find every place, from the first task to the last; capital letters do not matter.

        Args:
            words: What to look for; nothing is found for nothing.
        """
        needle = words.casefold()
        if not needle:
            return Hits()
        return Hits((field, text.count(needle)) for field, text in self._said if needle in text)


def place_of(text: str, words: str, nth: int) -> tuple[int, int] | None:
    """Where words stand the nth time in a text that is shown, as [start, end).

    Args:
        text: The text as shown.
        words: What was looked for.
        nth: Which time, from 0.

    Returns:
        The place; null where the text shows them less often, e.g. because Markdown was read.
    """
    folded, needle = text.casefold(), words.casefold()
    if len(folded) != len(text) or not needle:
        return None
    end = 0
    for _ in range(nth + 1):
        at = folded.find(needle, end)
        if at < 0:
            return None
        end = at + len(needle)
    return end - len(needle), end


def _fields(task: Task) -> Iterator[tuple[int, str, JsonValue]]:
    yield USER_STEP, "user", task.user
    for number, step in enumerate(task.steps):
        if isinstance(step, Call):
            yield number, "name", step.name
            yield number, "thought", step.thought
            yield number, "arguments", step.arguments
            yield number, "observation", step.observation
        elif isinstance(step, Ask):
            yield number, "text", step.text
            yield number, "reply", step.reply
        elif isinstance(step, Answer):
            yield number, "text", step.text


def _plain(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
