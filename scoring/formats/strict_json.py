"""Reading one JSON text under the limits every input obeys: depth, digits, no NaN (formats 8)."""

import json
import re
from itertools import chain
from typing import Any, NoReturn

from pydantic import JsonValue

from scoring.errors import InputError
from scoring.model.record import texts_in

MAX_DEPTH = 100
"""Levels of lists and objects a foreign line may nest."""
_LEVELS_AROUND = 10
MAX_DIGITS = 400
"""Digits an integer may have."""

_NESTING = (dict, list)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def parse(text: str, *, max_depth: int = MAX_DEPTH) -> JsonValue:
    """Read one JSON text, as `parse_measured` does."""
    return parse_measured(text, max_depth=max_depth)[0]


def parse_measured(text: str, *, max_depth: int) -> tuple[JsonValue, int]:
    """Read one JSON text and count the levels it nests.

    Args:
        text: The whole text; blanks around the value are allowed.
        max_depth: Levels of lists and objects it may nest.

    Returns:
        The value, keys in the order of the text, integers and floats told apart; its levels, or a number
        beyond them that is still allowed.

    Raises:
        InputError: With a sentence that says what is wrong and where in the text.
    """
    try:
        value: JsonValue = _DECODER.decode(text)
    except json.JSONDecodeError as exc:
        raise InputError(_explain(exc)) from exc
    except RecursionError as exc:
        raise InputError(_too_deep(max_depth)) from exc
    levels = text.count("[") + text.count("{")
    if levels > max_depth and (levels := depth(value)) > max_depth:
        raise InputError(_too_deep(max_depth))
    if _SURROGATE_ESCAPE.search(text):
        _refuse_lone_surrogates(value)
    return value, levels


def parse_embedded(text: str) -> JsonValue:
    """Read a JSON text that stands inside a line, which must leave room for the levels around it.

    Raises:
        InputError: As `parse`.
    """
    return parse(text, max_depth=MAX_DEPTH - _LEVELS_AROUND)


def _too_deep(max_depth: int) -> str:
    return f"The JSON nests deeper than {max_depth} levels."


def depth(value: JsonValue) -> int:
    """Count the levels of lists and objects around the deepest value; 0 for a scalar."""
    level = [value] if isinstance(value, _NESTING) else []
    levels = 0
    while level:
        items = (outer.values() if isinstance(outer, dict) else outer for outer in level)
        level = [item for item in chain.from_iterable(items) if isinstance(item, _NESTING)]
        levels += 1
    return levels


def kind_of(value: JsonValue) -> str:
    """Name the type of a JSON value for a message, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def _explain(exc: json.JSONDecodeError) -> str:
    if exc.msg == "Extra data":
        return f"There is something after the end of the JSON value, at character {exc.pos + 1}."
    text = exc.doc.strip()
    if exc.pos >= len(exc.doc.rstrip()) or (text.startswith("{") and not text.endswith("}")):
        return f"The JSON ends in the middle of a value, after {len(exc.doc)} characters: it was cut off."
    what = exc.msg.removesuffix(" at").rstrip(": ")
    return f"This is not JSON: {what[0].lower()}{what[1:]} at character {exc.pos + 1}."


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        doubled = next(key for key in keys if keys.count(key) > 1)
        raise InputError(
            f"The key {doubled[:80]!r} occurs twice in one object.", "Keep one of the two values."
        )
    return result


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise InputError(f"An integer has {len(digits.lstrip('-'))} digits; at most {MAX_DIGITS} are read.")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise InputError(f"The number {digits[:40]} is too large to be kept.")
    return value


def _constant(name: str) -> NoReturn:
    raise InputError(f"{name} is not a JSON value.", "Write null, or a text.")


def _refuse_lone_surrogates(value: JsonValue) -> None:
    for text in texts_in(value):
        try:
            text.encode()
        except UnicodeEncodeError as exc:
            half = f"\\u{ord(text[exc.start]):04x}"
            raise InputError(f"A text holds {half}, half of a surrogate pair and no character.") from exc


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
)
