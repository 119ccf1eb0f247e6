"""What is wrong with JSON text while it is typed: its grammar first, then what a schema says."""

import json
from collections.abc import Callable, Sequence

from pydantic import JsonValue

from scoring.errors import AnnotatorError
from scoring.formats.strict_json import parse_embedded
from scoring.model.record import Record
from scoring.model.taxonomy import Severity
from ui.transcript.json_text import write_json


class JsonProblem(Record):
    """One thing wrong with a JSON value: where (a JSON Pointer, empty for the whole), and what."""

    message: str
    path: str = ""
    severity: Severity = Severity.ERROR


JsonCheck = Callable[[int, int, str, JsonValue], Sequence[JsonProblem]]
"""Checks a value against what is expected at (task, step, field)."""


class TextProblem(Record):
    """A problem with its place in the typed text, as [start, end)."""

    message: str
    span: tuple[int, int]
    severity: Severity = Severity.ERROR


class Typed(Record):
    """What typed text amounts to: its value, or why it has none, and what is wrong with it."""

    value: JsonValue = None
    is_json: bool = False
    problems: tuple[TextProblem, ...] = ()


def read_typed(
    text: str, check: Callable[[JsonValue], Sequence[JsonProblem]], *, must_be_object: bool
) -> Typed:
    """Read typed text and check it.

    Args:
        text: What stands in the editor.
        check: What is expected of the value.
        must_be_object: Whether only an object will do, as for arguments.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        at = min(error.pos, max(len(text) - 1, 0))
        message = f"Line {error.lineno}, column {error.colno}: {_plain(error.msg)}."
        return Typed(problems=(TextProblem(message=message, span=(at, at + 1)),))
    except RecursionError:
        return Typed(problems=(TextProblem(message="Nested too deep.", span=(0, 1)),))
    if must_be_object and not isinstance(value, dict):
        return Typed(problems=(TextProblem(message="Arguments are an object: { … }.", span=(0, len(text))),))
    try:
        parse_embedded(text)
    except AnnotatorError as error:
        return Typed(problems=(TextProblem(message=error.message, span=(0, len(text))),))
    problems = tuple(
        TextProblem(message=p.message, span=locate(text, value, p.path), severity=p.severity)
        for p in check(value)
    )
    return Typed(value=value, is_json=True, problems=problems)


def _plain(message: str) -> str:
    known = {
        "Expecting value": "a value is missing",
        "Expecting property name enclosed in double quotes": "a name in double quotes is missing",
        "Expecting ',' delimiter": "a comma or a closing bracket is missing",
        "Expecting ':' delimiter": "a colon is missing",
        "Extra data": "nothing may follow the value",
        "Illegal trailing comma before end of object": "the last comma has to go",
        "Illegal trailing comma before end of array": "the last comma has to go",
        "Unterminated string starting at": "the closing quote is missing",
        "Invalid control character at": "a line break inside a text is written \\n",
    }
    return known.get(message, message[:1].lower() + message[1:])


def locate(text: str, value: JsonValue, path: str) -> tuple[int, int]:
    """Where the value at a pointer stands in typed text.

    The text is walked along the tokens of the value, so spaces and line breaks may be anywhere.

    Args:
        text: JSON text of the value.
        value: What the text says.
        path: JSON Pointer; of one that leads nowhere, the nearest place above is given.

    Returns:
        [start, end) of the scalar or the name; the whole text for the whole value.
    """
    place: tuple[int, int] | None = None
    wanted = path
    while wanted and place is None:
        place = _place(text, value, wanted)
        wanted = wanted.rpartition("/")[0]
    return place or (0, len(text))


def _place(text: str, value: JsonValue, path: str) -> tuple[int, int] | None:
    position = 0
    name: tuple[int, int] | None = None
    for token in write_json(value, line_length=0).tokens:
        if token.kind == "punctuation":
            continue
        start, end = _next_token(text, position)
        if token.path == path:
            if token.kind != "key":
                return start, end
            name = (start, end)
        position = end
    return name


def _next_token(text: str, position: int) -> tuple[int, int]:
    while position < len(text) and text[position] in " \t\r\n{}[],:":
        position += 1
    start = position
    if position < len(text) and text[position] == '"':
        position += 1
        while position < len(text) and text[position] != '"':
            position += 2 if text[position] == "\\" else 1
        return start, min(position + 1, len(text))
    while position < len(text) and text[position] not in " \t\r\n{}[],:":
        position += 1
    return start, position
