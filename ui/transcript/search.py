"""Finding words in a dialogue, field by field."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from scoring.model.case import Answer, Ask, Call, Case, Task
from ui.transcript.content import USER_STEP


@dataclass(frozen=True)
class Hit:
    """One place where the words stand: the `nth` time (from 0) in a field of a card."""

    task: int
    step: int
    field: str
    nth: int


def find_words(case: Case, words: str) -> tuple[Hit, ...]:
    """Find every place, from the first task to the last; capital letters do not matter.

    Args:
        case: The case.
        words: What to look for; nothing is found for nothing.
    """
    needle = words.casefold()
    if not needle:
        return ()
    return tuple(
        Hit(number, step, field, nth)
        for number, task in enumerate(case.tasks)
        for step, field, value in _fields(task)
        for nth in range(_plain(value).casefold().count(needle))
    )


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
    at = -1
    for _ in range(nth + 1):
        at = folded.find(needle, at + 1)
        if at < 0:
            return None
    return at, at + len(needle)


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
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
