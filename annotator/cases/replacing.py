"""Find and replace in all texts and values of a case."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from pydantic import JsonValue

from annotator.cases.editing import require_json
from annotator.cases.places import AnyStep
from scoring.errors import InputError
from scoring.model.case import Ask, Call, Case, Task
from scoring.model.flow import escape
from scoring.model.record import Record

Field = Literal["user", "text", "reply", "arguments", "observation"]


class Replaced(NamedTuple):
    """A case after a replacement, and how many places changed."""

    case: Case
    place_count: int


class Hit(Record):
    """One place that holds the words looked for.

    `step` is null for the request. `path` is a JSON Pointer into the arguments or the observation,
    empty for plain texts; `span` is [start, end) in characters of the text there.
    """

    task: int
    step: int | None
    field: Field
    path: str
    span: tuple[int, int]


def find_and_replace(case: Case, needle: str, *, replacement: str, match_case: bool) -> Replaced:
    """Replace words wherever they stand in requests, questions, replies, answers, arguments, observations.

    Names of arguments, tools and labels are left alone, and numbers are no words.

    Args:
        case: The case.
        needle: The words, taken literally.
        replacement: What stands there afterwards, taken literally.
        match_case: Whether `Oslo` and `oslo` are different words.

    Returns:
        The case and the number of places; steps without a place stay the same objects.

    Raises:
        InputError: The needle is empty, or the replacement is no text a file could hold.
    """
    pattern = _pattern(needle, match_case=match_case)
    require_json(replacement)
    count = 0

    def put(text: str) -> str:
        nonlocal count
        changed, places = pattern.subn(lambda _: replacement, text)
        count += places
        return changed

    def through(value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return put(value)
        if isinstance(value, list):
            return [through(item) for item in value]
        return {key: through(item) for key, item in value.items()} if isinstance(value, dict) else value

    def step_with(step: AnyStep) -> AnyStep:
        here = count
        update: dict[str, JsonValue]
        if isinstance(step, Call):
            update = {"arguments": through(step.arguments), "observation": through(step.observation)}
        elif isinstance(step, Ask):
            update = {"text": put(step.text), "reply": put(step.reply)}
        else:
            update = {"text": put(step.text)}
        return step.model_copy(update=update) if count > here else step

    def task_with(task: Task) -> Task:
        here = count
        update = {"user": put(task.user), "steps": tuple(map(step_with, task.steps))}
        return task.model_copy(update=update) if count > here else task

    tasks = tuple(map(task_with, case.tasks))
    return Replaced(case.model_copy(update={"tasks": tasks}) if count else case, count)


def find_all(case: Case, needle: str, *, match_case: bool) -> tuple[Hit, ...]:
    """Find words in the places `find_and_replace` would change, in dialogue order.

    Raises:
        InputError: The needle is empty.
    """
    pattern = _pattern(needle, match_case=match_case)
    return tuple(
        Hit(task=task, step=step, field=field, path=path, span=match.span())
        for task, step, field, path, text in _texts(case)
        for match in pattern.finditer(text)
    )


def _pattern(needle: str, *, match_case: bool) -> re.Pattern[str]:
    if not needle:
        raise InputError("There is nothing to look for.", "Type the words to find.")
    return re.compile(re.escape(needle), 0 if match_case else re.IGNORECASE)


def _texts(case: Case) -> Iterator[tuple[int, int | None, Field, str, str]]:
    for t, task in enumerate(case.tasks):
        yield t, None, "user", "", task.user
        for s, step in enumerate(task.steps):
            if isinstance(step, Call):
                yield from ((t, s, "arguments", path, text) for path, text in _strings(step.arguments, ""))
                yield from (
                    (t, s, "observation", path, text) for path, text in _strings(step.observation, "")
                )
            else:
                yield t, s, "text", "", step.text
                if isinstance(step, Ask):
                    yield t, s, "reply", "", step.reply


def _strings(value: JsonValue, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(inner, f"{path}/{escape(key)}")
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _strings(inner, f"{path}/{position}")
