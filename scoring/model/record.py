"""The frozen record all models share, and the one way to turn values into bytes and hashes."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

JsonObject = dict[str, JsonValue]
_set = object.__setattr__
R = TypeVar("R", bound="Record")


class Record(BaseModel):
    """An immutable model that refuses unknown keys and can be written and read by name or alias.

    Its validator is made when it is first used: a program that starts needs few of some hundred.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, ser_json_inf_nan="strings", defer_build=True
    )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with other values, which are not checked; as pydantic makes it, in a fifth of the time."""
        changed = dict(update or ())
        if deep:
            return super().model_copy(update=changed, deep=True)
        return _made(type(self), self.__dict__ | changed, self.__pydantic_fields_set__ | changed.keys())

    @classmethod
    def trusted(cls, **values: Any) -> Self:
        """One of values that were checked before: of the right types, every field without a default named."""
        return _made(cls, _defaults(cls) | values, set(values))

    @classmethod
    def readable(cls, value: object) -> Self | None:
        """One as a file holds it; None where the file holds something else."""
        try:
            return cls.model_validate(value)
        except ValidationError:
            return None


def _made(kind: type[R], values: dict[str, Any], given: set[str]) -> R:
    made = kind.__new__(kind)
    _set(made, "__dict__", values)
    _set(made, "__pydantic_fields_set__", given)
    _set(made, "__pydantic_extra__", None)
    _set(made, "__pydantic_private__", None)
    return made


@cache
def _defaults(kind: type[Record]) -> dict[str, Any]:
    """The fields in their order, with their defaults."""
    return {name: field.default for name, field in kind.model_fields.items()}


def is_none(value: object) -> bool:
    """Whether a field that earlier versions did not know is left out, so that hashes stay (formats 10.2)."""
    return value is None


def to_json(value: Any) -> str:
    """Write a value as compact ASCII JSON, keys in their order.

    Args:
        value: Anything `json` can write; NaN and infinities are refused.

    Returns:
        One line without blanks, every character beyond ASCII escaped, safe for any database.

    Raises:
        ValueError: The value holds NaN or an infinity.
    """
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def to_text(value: JsonValue) -> str:
    """Show a JSON value as a person or a model reads it: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def items_in(value: JsonValue) -> list[JsonValue]:
    """The items of a list; none where something else stands in its place."""
    return value if isinstance(value, list) else []


def members_in(value: JsonValue) -> JsonObject:
    """The members of an object; none where something else stands in its place."""
    return value if isinstance(value, dict) else {}


def objects_in(value: JsonValue) -> list[JsonObject]:
    """The objects of a list, other items left out; none where something else stands in its place."""
    return [item for item in items_in(value) if isinstance(item, dict)]


def texts_in(value: JsonValue) -> Iterator[str]:
    """Every text of a JSON value in order, names of keys included."""
    stack = [value]
    while stack:
        item = stack.pop()
        match item:
            case str():
                yield item
            case dict():
                stack.extend(part for key in reversed(item) for part in (item[key], key))
            case list():
                stack.extend(reversed(item))


def with_texts(value: JsonValue, change: Callable[[str], str], *, has_keys: bool = False) -> JsonValue:
    """A JSON value in which every text is changed; names of keys only where `has_keys` says so."""
    match value:
        case str():
            return change(value)
        case list():
            return [with_texts(item, change, has_keys=has_keys) for item in value]
        case dict():
            return {
                change(key) if has_keys else key: with_texts(item, change, has_keys=has_keys)
                for key, item in value.items()
            }
        case _:
            return value


def canonical_bytes(value: Any, *, default: Callable[[Any], Any] | None = None) -> bytes:
    """Write a value in the one form that is hashed: UTF-8, keys sorted, no blanks (formats 10.2).

    `default` gives what is written for a value that JSON does not know.
    """
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, default=default
    ).encode("utf-8", "surrogatepass")


def sha256_of(value: Any, *, default: Callable[[Any], Any] | None = None) -> str:
    """Hash the canonical form of a value; 64 hexadecimal digits; `default` as in `canonical_bytes`."""
    return hashlib.sha256(canonical_bytes(value, default=default)).hexdigest()
