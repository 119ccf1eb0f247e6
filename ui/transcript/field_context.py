"""What an editor knows about the field it edits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import JsonValue

from scoring.model.case import Tool
from ui.transcript.json_checking import JsonProblem
from ui.transcript.seen_values import SeenValue
from ui.transcript.text_checker import TextChecker

ValueCheck = Callable[[JsonValue], Sequence[JsonProblem]]


def accept_any(value: JsonValue) -> tuple[JsonProblem, ...]:
    """The check that finds nothing."""
    return ()


def nothing_seen() -> tuple[SeenValue, ...]:
    """No values, for a field without a dialogue before it."""
    return ()


class EditedAs(StrEnum):
    """What a call's arguments are edited as."""

    JSON = "json"
    FORM = "form"
    BOTH = "both"
    """The form and the JSON at once, kept in step."""


@dataclass(frozen=True)
class FieldContext:
    """What is expected of a field, who checks it, and what can be written there.

    `tool` is the tool of a call whose arguments are edited; null elsewhere and for unknown tools. `seen` is
    asked once completions are wanted. `edited_as` says what arguments open as.
    """

    checker: TextChecker
    check: ValueCheck = accept_any
    tool: Tool | None = None
    seen: Callable[[], Sequence[SeenValue]] = nothing_seen
    edited_as: EditedAs = EditedAs.JSON
