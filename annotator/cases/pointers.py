"""JSON Pointers (RFC 6901): reading and replacing one value inside arguments or an observation."""

from pydantic import JsonValue

from scoring.errors import InputError
from scoring.model.flow import escape, unescape
from scoring.model.record import JsonObject, members_in


def keys_of(pointer: str) -> tuple[str, ...]:
    """Split a pointer into its keys; the empty pointer names the whole value."""
    keys = pointer.split("/")[1:]
    return tuple(map(unescape, keys) if "~" in pointer else keys)


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
        match found:
            case dict() if key in found:
                found = found[key]
            case list() if _is_position(key) and int(key) < len(found):
                found = found[int(key)]
            case _:
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
    match value:
        case dict() if first in value or not rest:
            return {**value, first: with_value_at(value.get(first), rest, replacement=replacement)}
        case list() if _is_position(first) and int(first) < len(value):
            position = int(first)
            inner = with_value_at(value[position], rest, replacement=replacement)
            return [*value[:position], inner, *value[position + 1 :]]
        case _:
            raise InputError(f"There is no value at {pointer}.", "Choose a path that exists.")


def without_value_at(value: JsonValue, pointer: str) -> JsonValue:
    """Copy a value without one key of an object or one item of a list.

    Raises:
        InputError: There is no value at the place, or it is the whole value.
    """
    value_at(value, pointer)
    way, _, key = pointer.rpartition("/")
    holder = value_at(value, way)
    if isinstance(holder, list):
        return with_value_at(value, way, replacement=[*holder[: int(key)], *holder[int(key) + 1 :]])
    gone = keys_of(pointer)[-1:]
    rest: JsonObject = {name: item for name, item in members_in(holder).items() if name not in gone}
    return with_value_at(value, way, replacement=rest)


def _is_position(key: str) -> bool:
    return key.isascii() and key.isdecimal() and len(key) < 10
