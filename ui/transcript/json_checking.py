"""What is wrong with JSON text while it is typed: its grammar first, then what a schema says."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from scoring.errors import AnnotatorError
from scoring.formats.strict_json import parse_embedded
from scoring.model.record import Record
from scoring.model.taxonomy import Severity
from ui.transcript.json_scan import places_in

_MOST_PROBLEMS = 100
"""Problems of one text that are marked; nobody looks at more."""


class JsonProblem(Record):
    """One thing wrong with a JSON value: where (a JSON Pointer, empty for the whole), and what."""

    message: str
    path: str = ""
    severity: Severity = Severity.ERROR


JsonCheck = Callable[[int, int, str, JsonValue], Sequence[JsonProblem]]
"""Checks a value against what is expected at (task, step, field). Long values are checked on a thread of
their own, so it may only read frozen values."""


class TextProblem(Record):
    """A problem with its place in the typed text, as [start, end), and the pointer it was found at."""

    message: str
    span: tuple[int, int]
    path: str = ""
    severity: Severity = Severity.ERROR


@dataclass(frozen=True)
class Typed:
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
        value = parse_embedded(text)
    except AnnotatorError as error:
        return Typed(problems=(_grammar_problem(text, error),))
    if must_be_object and not isinstance(value, dict):
        return Typed(problems=(TextProblem(message="Arguments are an object: { … }.", span=(0, len(text))),))
    return Typed(value=value, is_json=True, problems=_located(text, check(value)))


def _grammar_problem(text: str, refusal: AnnotatorError) -> TextProblem:
    """Why a text has no value: where its grammar is broken, else what its readers refuse."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        at = min(error.pos, max(len(text) - 1, 0))
        message = f"Line {error.lineno}, column {error.colno}: {_plain(error.msg)}."
        return TextProblem(message=message, span=(at, at + 1))
    except RecursionError:
        return TextProblem(message="Nested too deep.", span=(0, 1))
    except ValueError:
        pass  # digits beyond what Python reads: the refusal says so
    return TextProblem(message=refusal.message, span=(0, len(text)))


def _located(text: str, problems: Sequence[JsonProblem]) -> tuple[TextProblem, ...]:
    """Problems with their places; what leads nowhere is marked at the nearest place above."""
    shown = problems[:_MOST_PROBLEMS]
    found = places_in(text, {path for problem in shown for path in _upwards(problem.path)})
    return tuple(
        TextProblem(
            message=problem.message,
            span=next((found[path] for path in _upwards(problem.path) if path in found), (0, len(text))),
            path=problem.path,
            severity=problem.severity,
        )
        for problem in shown
    )


def _upwards(path: str) -> tuple[str, ...]:
    """A pointer and those above it, without that of the whole value."""
    parts = path.split("/")
    return tuple("/".join(parts[:end]) for end in range(len(parts), 1, -1))


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
