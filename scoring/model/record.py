"""The frozen record all models share, and the one way to turn values into bytes and hashes."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue

JsonObject = dict[str, JsonValue]


class Record(BaseModel):
    """An immutable model that refuses unknown keys and can be written and read by name or alias.

    Its validator is made when it is first used: a program that starts needs few of some hundred.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, ser_json_inf_nan="strings", defer_build=True
    )


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
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def texts_in(value: JsonValue) -> Iterator[str]:
    """Every text of a JSON value in order, names of keys included."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            stack.extend(part for key in reversed(item) for part in (item[key], key))
        elif isinstance(item, list):
            stack.extend(reversed(item))


def canonical_bytes(value: Any) -> bytes:
    """Write a value in the one form that is hashed: UTF-8, keys sorted, no blanks (formats 10.2)."""
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    ).encode("utf-8", "surrogatepass")


def sha256_of(value: Any) -> str:
    """Hash the canonical form of a value; 64 hexadecimal digits."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()
