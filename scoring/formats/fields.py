"""Typed access to the fields of a foreign record, with a sentence for whatever does not fit."""

import ast
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import NoReturn

from pydantic import JsonValue

from scoring.errors import InputError
from scoring.generics import T
from scoring.model.record import JsonObject
from scoring.model.strict_json import embedded, kind_of, parse_embedded
from scoring.wording import counted


def parsed(value: JsonValue) -> JsonValue:
    """A value that may be written as JSON text, or as Python writes it; other text stays as it is."""
    if not isinstance(value, str):
        return value
    with suppress(InputError):
        return parse_embedded(value)
    with suppress(ValueError, SyntaxError, TypeError, InputError, MemoryError, RecursionError):
        if value.lstrip().startswith(("{", "[")):
            return parse_embedded(json.dumps(ast.literal_eval(value.strip())))
    return value


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
    """Take a field that a line cannot do without; None counts as being there.

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
        items, tasks = counted(count, "item"), counted(expected, "task")
        raise InputError(f"{where} has {items}, but the line has {tasks}.")


def label_at(
    value: JsonValue, where: str, notes: list[str], *, known: Mapping[str, T], noun: str
) -> T | None:
    """Take a value as one of the labels a format has names for; None and "" are none, others are noted.

    Raises:
        InputError: It is no text.
    """
    if value is None or value == "":
        return None
    name = text_at(value, where)
    found = known.get(name.strip().casefold())
    if found is None:
        notes.append(f"{where} holds the unknown {noun} {name[:60]!r}; left open.")
    return found


def arguments_at(value: JsonValue, where: str, notes: list[str]) -> JsonObject:
    """Take a value as arguments, an object or JSON text; null, "" and (noted) other text are none (IMP-08).

    Raises:
        InputError: It is neither object nor text.
    """
    if value is None or value == "":
        return {}
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        refuse(where, value, "an object or a JSON text")
    found = embedded(value)
    if isinstance(found, dict):
        return found
    notes.append(f"{where} is a text that holds no JSON object; read as no arguments.")
    return {}
