"""What an editor knows about the field it edits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class FieldContext:
    """What is expected of a field, who checks it, and what can be written there.

    `tool` is the tool of a call whose arguments are edited; null elsewhere and for unknown tools. `seen` is
    asked once completions are wanted. `is_form` says that arguments open as a form.
    """

    checker: TextChecker
    check: ValueCheck = accept_any
    tool: Tool | None = None
    seen: Callable[[], Sequence[SeenValue]] = nothing_seen
    is_form: bool = False
