"""What a card of the graph says: a title and one line about the step."""

from collections.abc import Iterator

from pydantic import JsonValue

from scoring.model.case import Answer, Ask, Call
from scoring.model.record import to_text

_PIECE_LENGTH = 40


def step_title(number: int, step: Call | Ask | Answer) -> str:
    """Number and name of a step, e.g. `1 getCityShow`."""
    if isinstance(step, Call):
        return f"{number} {step.name}"
    return f"{number} {step.kind}"


def step_detail(step: Call | Ask | Answer) -> str:
    """One line about a step: argument values, what a question asks for, where an answer comes from."""
    if isinstance(step, Call):
        return " · ".join(_pieces(step.arguments)) or "no arguments"
    if isinstance(step, Ask):
        wanted = [name for asked in step.asks_for for name in asked.missing_required_parameters]
        return ", ".join(wanted) or _short(step.text)
    return "direct reply" if step.answer_type == "chat" else "from tool results"


def _pieces(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _pieces(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _pieces(inner)
    else:
        yield _short(to_text(value)) or '""'


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _PIECE_LENGTH else line[: _PIECE_LENGTH - 1] + "…"
