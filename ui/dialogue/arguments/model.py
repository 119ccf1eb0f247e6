"""JSON as somebody types it: the text, its value, and what is wrong with it and where; nothing of Qt."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from pydantic import JsonValue

from scoring.errors import AnnotatorError
from scoring.formats.strict_json import parse_embedded
from scoring.model.case import Tool
from scoring.model.record import Record
from scoring.model.taxonomy import Severity
from ui.dialogue.arguments.completions import SeenValue
from ui.dialogue.arguments.json_source import places_in

_MOST_PROBLEMS = 100
"""Problems of one text that are marked; nobody looks at more."""
_PLAIN = {
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


class JsonProblem(Record):
    """One thing wrong with a JSON value: where (a JSON Pointer, empty for the whole), and what."""

    message: str
    path: str = ""
    severity: Severity = Severity.ERROR


class TextProblem(JsonProblem):
    """A problem with its place in the typed text, as [start, end)."""

    span: tuple[int, int]


ValueCheck = Callable[[JsonValue], Sequence[JsonProblem]]
JsonCheck = Callable[[int, int, str, JsonValue], Sequence[JsonProblem]]
"""Checks a value against what is expected at (task, step, field)."""


def accept_any(value: JsonValue) -> tuple[JsonProblem, ...]:
    """The check that finds nothing."""
    return ()


class EditedAs(StrEnum):
    """What a call's arguments are edited as."""

    JSON = "json"
    FORM = "form"
    BOTH = "both"
    """The form and the JSON at once, kept in step."""


@dataclass(frozen=True)
class FieldContext:
    """What is expected of a field, and what can be written there.

    `tool` is the tool of a call whose arguments are edited; null elsewhere and for unknown tools. `seen` is
    asked once completions are wanted. `edited_as` says what arguments open as.
    """

    check: ValueCheck = accept_any
    tool: Tool | None = None
    seen: Callable[[], Sequence[SeenValue]] = tuple
    edited_as: EditedAs = EditedAs.JSON


@dataclass(frozen=True)
class TypedJson:
    """Typed text; its value and its problems are found when they are asked for.

    Args:
        text: What stands in the editor.
        check: What is expected of the value.
        must_be_object: Whether only an object will do, as for arguments.
    """

    text: str
    check: ValueCheck = accept_any
    must_be_object: bool = False

    @property
    def value(self) -> JsonValue:
        """The value; null where the text has none."""
        return self._read[0]

    @property
    def is_json(self) -> bool:
        """Whether the text has a value."""
        return self._read[1] is None

    @property
    def refusal(self) -> str:
        """Why the text has no value; empty where it has one."""
        return self._read[1].message if self._read[1] is not None else ""

    @cached_property
    def problems(self) -> tuple[TextProblem, ...]:
        """What is wrong: why it has no value, else what the check finds in it."""
        value, broken = self._read
        return (broken,) if broken is not None else self._located(self.check(value))

    @property
    def worst(self) -> TextProblem | None:
        """The problem to name first: an error where there is one."""
        errors = (problem for problem in self.problems if problem.severity is Severity.ERROR)
        return next(errors, next(iter(self.problems), None))

    def place_of(self, path: str) -> tuple[int, int] | None:
        """Where the value at a pointer stands, as [start, end); null where there is none."""
        return places_in(self.text, {path}).get(path) if self.is_json else None

    @cached_property
    def _read(self) -> tuple[JsonValue, TextProblem | None]:
        whole = (0, len(self.text))
        try:
            value = parse_embedded(self.text)
        except AnnotatorError as error:
            return None, self._grammar_problem() or TextProblem(message=error.message, span=whole)
        if self.must_be_object and not isinstance(value, dict):
            return None, TextProblem(message="Arguments are an object: { … }.", span=whole)
        return value, None

    def _grammar_problem(self) -> TextProblem | None:
        """Where the grammar is broken; null where it holds and something else is refused."""
        try:
            json.loads(self.text)
        except json.JSONDecodeError as error:
            at = min(error.pos, max(len(self.text) - 1, 0))
            words = _PLAIN.get(error.msg, error.msg[:1].lower() + error.msg[1:])
            message = f"Line {error.lineno}, column {error.colno}: {words}."
            return TextProblem(message=message, span=(at, at + 1))
        except RecursionError:
            return TextProblem(message="Nested too deep.", span=(0, 1))
        except ValueError:
            return None  # digits beyond what Python reads: the refusal says so
        return None

    def _located(self, problems: Sequence[JsonProblem]) -> tuple[TextProblem, ...]:
        """Problems with their places; what leads nowhere is marked at the nearest place above."""
        shown = problems[:_MOST_PROBLEMS]
        found = places_in(self.text, {path for problem in shown for path in _upwards(problem.path)})
        whole = (0, len(self.text))
        return tuple(
            TextProblem(
                message=problem.message,
                path=problem.path,
                severity=problem.severity,
                span=next((found[path] for path in _upwards(problem.path) if path in found), whole),
            )
            for problem in shown
        )


def _upwards(path: str) -> tuple[str, ...]:
    """A pointer and those above it, without that of the whole value."""
    parts = path.split("/")
    return tuple("/".join(parts[:end]) for end in range(len(parts), 1, -1))
