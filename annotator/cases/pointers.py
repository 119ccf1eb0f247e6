"""JSON Pointers (RFC 6901): reading and replacing one value inside arguments or an observation."""

from pydantic import JsonValue

from scoring.errors import InputError
from scoring.model.flow import escape


def keys_of(pointer: str) -> tuple[str, ...]:
    """Split a pointer into its keys; the empty pointer names the whole value."""
    keys = pointer.split("/")[1:]
    return tuple(key.replace("~1", "/").replace("~0", "~") for key in keys) if "~" in pointer else tuple(keys)


def has_value(value: JsonValue, pointer: str) -> bool:
    """Whether a pointer leads anywhere in a value."""
    try:
        value_at(value, pointer)
    except InputError:
        return False
    return True


def value_at(value: JsonValue, pointer: str) -> JsonValue:
    """Read the value a pointer leads to.

    Raises:
        InputError: The pointer leads nowhere.
    """
    found = value
    for key in keys_of(pointer):
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and _is_position(key) and int(key) < len(found):
            found = found[int(key)]
        else:
            raise InputError(f"There is no value at {pointer}.", "Choose a path that exists.")
    return found


def with_value_at(value: JsonValue, pointer: str, *, replacement: JsonValue) -> JsonValue:
    """Copy a value with one place replaced; a key that is missing from an object is added at its end.

    Raises:
        InputError: The way to the place does not exist, or the place is beyond the end of a list.
    """
    keys = keys_of(pointer)
    if not keys:
        return replacement
    first = keys[0]
    rest = "".join(f"/{escape(key)}" for key in keys[1:])
    if isinstance(value, dict) and (first in value or not rest):
        return {**value, first: with_value_at(value.get(first), rest, replacement=replacement)}
    if isinstance(value, list) and _is_position(first) and int(first) < len(value):
        position = int(first)
        inner = with_value_at(value[position], rest, replacement=replacement)
        return [*value[:position], inner, *value[position + 1 :]]
    raise InputError(f"There is no value at {pointer}.", "Choose a path that exists.")


def _is_position(key: str) -> bool:
    return key.isascii() and key.isdecimal() and len(key) < 10
