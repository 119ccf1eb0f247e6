"""Reading one JSON text under the limits every input obeys: depth, digits, no NaN (formats 8)."""

import json
import re
from contextlib import suppress
from functools import partial
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
_SPACED_COLON = re.compile(r'"[ \t\r\n]+:')
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
        value, levels = _decoded(text, max_depth)
    except json.JSONDecodeError as exc:
        raise InputError(_explain(exc)) from exc
    except RecursionError as exc:
        raise InputError(_too_deep(max_depth)) from exc
    if levels > max_depth:
        raise InputError(_too_deep(max_depth))
    if _SURROGATE_ESCAPE.search(text):
        _refuse_lone_surrogates(value)
    return value, levels


def _decoded(text: str, max_depth: int) -> tuple[JsonValue, int]:
    """A text and its levels, or a number beyond them that is still allowed.

    A text that has to be walked to count them is read by the quick decoder where that is as good.
    """
    levels = text.count("[") + text.count("{")
    if levels > max_depth:
        with suppress(ValueError, RecursionError, InputError):
            quick: JsonValue = _QUICK_DECODER.decode(text)
            levels, keys = _measured(quick)
            if keys == _key_count(text):
                return quick, levels
    value: JsonValue = _DECODER.decode(text)
    return value, depth(value) if levels > max_depth else levels


def parse_embedded(text: str) -> JsonValue:
    """Read a JSON text that stands inside a line, which must leave room for the levels around it.

    Raises:
        InputError: As `parse`.
    """
    return parse(text, max_depth=MAX_DEPTH - _LEVELS_AROUND)


def embedded(text: str, otherwise: JsonValue = None) -> JsonValue:
    """Read a text as `parse_embedded` does; what stands in for it where it is no JSON."""
    with suppress(InputError):
        return parse_embedded(text)
    return otherwise


def _too_deep(max_depth: int) -> str:
    return f"The JSON nests deeper than {max_depth} levels."


def depth(value: JsonValue) -> int:
    """Count the levels of lists and objects around the deepest value; 0 for a scalar."""
    return _measured(value)[0]


def _measured(value: JsonValue) -> tuple[int, int]:
    """The levels of a value and the keys of all its objects."""
    level: list[Any] = [value] if isinstance(value, _NESTING) else []
    levels = keys = 0
    while level:
        objects = [outer for outer in level if isinstance(outer, dict)]
        keys += sum(map(len, objects))
        lists = (outer for outer in level if isinstance(outer, list))
        level = [
            item
            for items in chain(map(dict.values, objects), lists)
            for item in items
            if isinstance(item, _NESTING)
        ]
        levels += 1
    return levels, keys


def _key_count(text: str) -> int:
    """How many keys a valid JSON text writes; -1 where nobody can tell without reading it.

    A quote ends a key if a colon follows; one that is escaped, and so belongs to a text, does not count.
    """
    if '\\\\"' in text or _SPACED_COLON.search(text):
        return -1
    return text.count('":') - text.count('\\":')


def kind_of(value: JsonValue) -> str:
    """Name the type of a JSON value for a message, with its article."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return _KINDS.get(type(value), "an object")


_KINDS = {
    type(None): "null",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
}


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


_limited = partial(json.JSONDecoder, parse_int=_integer, parse_float=_float, parse_constant=_constant)
_DECODER = _limited(object_pairs_hook=_object)
"""Refuses a key that occurs twice in an object, and takes almost twice as long for it."""
_QUICK_DECODER = _limited()
