"""Typed access to the fields of a foreign record, with a sentence for whatever does not fit."""

from typing import NoReturn

from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats.strict_json import kind_of
from scoring.model.record import JsonObject


def refuse(where: str, found: JsonValue, expected: str) -> NoReturn:
    """Refuse a value of the wrong type.

    Args:
        where: Path of the field, e.g. `english_tasks[1]`.
        found: What stands there.
        expected: What should, with its article.

    Raises:
        InputError: Always.
    """
    raise InputError(f"{where} is {kind_of(found)}; {expected} is expected.")


def text_at(value: JsonValue, where: str) -> str:
    """Take a value as a text or refuse it."""
    if not isinstance(value, str):
        refuse(where, value, "a text")
    return value


def required(record: JsonObject, key: str) -> JsonValue:
    """Take a field that a line cannot do without; null counts as being there.

    Raises:
        InputError: The key is missing.
    """
    if key not in record:
        raise InputError(f"{key} is missing.")
    return record[key]


def list_at(value: JsonValue, where: str) -> list[JsonValue]:
    """Take a value as a list or refuse it."""
    if not isinstance(value, list):
        refuse(where, value, "a list")
    return value


def object_at(value: JsonValue, where: str) -> JsonObject:
    """Take a value as an object or refuse it."""
    if not isinstance(value, dict):
        refuse(where, value, "an object")
    return value


def same_count(count: int, where: str, *, expected: int) -> None:
    """Refuse a list that should have one item for each task and has not."""
    if count != expected:
        items, tasks = _plural(count, "item"), _plural(expected, "task")
        raise InputError(f"{where} has {items}, but the line has {tasks}.")


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
