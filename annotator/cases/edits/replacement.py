"""Find and replace in all texts and values of a case."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from pydantic import JsonValue

from annotator.cases.edits.text_edits import require_json, with_arguments
from annotator.cases.pointers import value_at, with_value_at
from scoring.errors import InputError
from scoring.model.case import Call, Case, Task, spoken_texts
from scoring.model.flow import leaves
from scoring.model.record import Record, members_in

Field = Literal["user", "text", "reply", "arguments", "observation"]
_Place = tuple[int | None, Field, str]


class Occurrence(Record):
    """One place that holds the words looked for.

    `step` is null for the request. `path` is a JSON Pointer into the arguments or the observation,
    empty for plain texts; `span` is [start, end) in characters of the text there.
    """

    task: int
    step: int | None
    field: Field
    path: str
    span: tuple[int, int]


def find_and_replace(
    case: Case,
    needle: str,
    *,
    replacement: str,
    match_case: bool,
    chosen: Collection[Occurrence] | None = None,
) -> Case:
    """Replace words wherever they stand in requests, questions, replies, answers, arguments, observations.

    Names of arguments, tools and labels are left alone, and numbers are no words.

    Args:
        case: The case.
        needle: The words, taken literally.
        replacement: What stands there afterwards, taken literally.
        match_case: Whether `Oslo` and `oslo` are different words.
        chosen: Only these places of `find_all`; None for all. One that is not there any more is passed over.

    Returns:
        The case; steps without a place stay the same objects.

    Raises:
        InputError: The needle is empty, or the replacement is no text a file could hold.
    """
    require_json(replacement)
    found = find_all(case, needle, match_case=match_case)
    hits = found if chosen is None else [hit for hit in found if hit in chosen]
    spans: dict[int, dict[_Place, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    for hit in hits:
        spans[hit.task][hit.step, hit.field, hit.path].append(hit.span)
    tasks = tuple(
        _with_words(task, spans[number], replacement) if number in spans else task
        for number, task in enumerate(case.tasks)
    )
    return case.model_copy(update={"tasks": tasks}) if hits else case


def _with_words(task: Task, places: Mapping[_Place, Sequence[tuple[int, int]]], words: str) -> Task:
    """A task with words put into the spans of its places."""
    steps = list(task.steps)
    user = task.user
    for (step, field, path), spans in places.items():
        if step is None:
            user = _put(user, spans, words)
            continue
        made = steps[step]
        if path:
            whole: JsonValue = getattr(made, field)
            value = with_value_at(whole, path, replacement=_put(str(value_at(whole, path)), spans, words))
        else:
            value = _put(getattr(made, field), spans, words)
        steps[step] = (
            with_arguments(made, members_in(value))
            if isinstance(made, Call) and field == "arguments"
            else made.model_copy(update={field: value})
        )
    return task.model_copy(update={"user": user, "steps": tuple(steps)})


def _put(text: str, spans: Sequence[tuple[int, int]], words: str) -> str:
    for start, end in reversed(spans):  # from the end, so that the spans before stay true
        text = text[:start] + words + text[end:]
    return text


def text_around(case: Case, hit: Occurrence) -> str:
    """The whole text in which a place stands."""
    task = case.tasks[hit.task]
    if hit.step is None:
        return task.user
    found: JsonValue = getattr(task.steps[hit.step], hit.field)
    return str(value_at(found, hit.path) if hit.path else found)


def find_all(case: Case, needle: str, *, match_case: bool) -> tuple[Occurrence, ...]:
    """Find words in the places `find_and_replace` would change, in dialogue order.

    Raises:
        InputError: The needle is empty.
    """
    pattern = _pattern(needle, match_case=match_case)
    return tuple(
        Occurrence(task=task, step=step, field=field, path=path, span=match.span())
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
                yield from ((t, s, "arguments", path, text) for path, text in _strings(step.arguments))
                yield from ((t, s, "observation", path, text) for path, text in _strings(step.observation))
            yield from ((t, s, field, "", text) for field, text in spoken_texts(step))


def _strings(value: JsonValue) -> Iterator[tuple[str, str]]:
    return ((path, leaf) for path, leaf in leaves(value) if isinstance(leaf, str))
