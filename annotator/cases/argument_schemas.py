"""What a tool's schema says about one argument: its part of the schema, its default, its closed set."""

import re
from collections.abc import Iterator
from itertools import chain

from pydantic import JsonValue

from annotator.cases.pointers import keys_of
from scoring.model.case import Tool
from scoring.model.flow import number_text
from scoring.model.record import JsonObject, items_in, members_in

_EXAMPLE_AHEAD = re.compile(r"\b(?:e\.\s?g|example|for instance|like)\b", re.IGNORECASE)
_EXAMPLE_REACH = 40


def same_value(one: JsonValue, other: JsonValue) -> bool:
    """Whether two JSON values are equal as JSON sees it: true is not 1, but 1.0 is 1."""
    match one, other:
        case (bool(), _) | (_, bool()):
            return one is other
        case list(), list():
            return len(one) == len(other) and all(map(same_value, one, other))
        case dict(), dict():
            return one.keys() == other.keys() and all(same_value(one[key], other[key]) for key in one)
        case _:
            return one == other


def alternatives(schema: JsonObject) -> Iterator[JsonObject]:
    """The schema itself and every alternative it offers under anyOf, oneOf or allOf."""
    yield schema
    options = (option for key in ("anyOf", "oneOf", "allOf") for option in items_in(schema.get(key)))
    for option in options:
        if isinstance(option, dict):
            yield from alternatives(option)


def schemas_at(tool: Tool, pointer: str) -> tuple[JsonObject, ...]:
    """The parts of a tool's schema that govern the argument at a pointer, outermost first.

    Returns:
        One schema per step of the pointer and alternative; empty where the schema says nothing.
    """
    level: list[JsonObject] = [tool.parameters]
    passed: list[JsonObject] = []
    for key in keys_of(pointer):
        inner = (_inside(option, key) for outer in level for option in alternatives(outer))
        level = [schema for schema in inner if isinstance(schema, dict)]
        passed += level
    return tuple(option for schema in passed for option in alternatives(schema))


def _inside(schema: JsonObject, key: str) -> JsonValue:
    """What a schema says of a property, or of the items where the key is a number and no property."""
    said = members_in(schema.get("properties")).get(key)
    return schema.get("items") if said is None and key.isdecimal() else said


def schemas_of(tool: Tool | None, pointer: str) -> tuple[JsonObject, ...]:
    """The schemas of the value at a pointer itself, without those of what it stands in."""
    if tool is None:
        return ()
    if not pointer:
        return tuple(alternatives(tool.parameters))
    return schemas_at(tool, pointer)[len(schemas_at(tool, pointer.rpartition("/")[0])) :]


def has_default(schemas: tuple[JsonObject, ...], value: JsonValue) -> bool:
    """Whether any of the schemas gives the value as its default."""
    return any("default" in schema and same_value(schema["default"], value) for schema in schemas)


def allows_by_name(schemas: tuple[JsonObject, ...], value: JsonValue) -> bool:
    """Whether the value is one of a closed set the schemas name (`enum` or `const`)."""
    consts = (schema["const"] for schema in schemas if "const" in schema)
    options = chain(consts, *(items_in(schema.get("enum")) for schema in schemas))
    return any(same_value(option, value) for option in options)


def is_described(tool: Tool, schemas: tuple[JsonObject, ...], *, value: JsonValue) -> bool:
    """Whether the descriptions offer the value in words, as many published tools do instead of an enum.

    A value given only as an example does not count.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    words = number_text(value)
    described = (*(schema.get("description") for schema in schemas), tool.description)
    texts = [text for text in described if isinstance(text, str) and words in text]
    if not texts:
        return False
    pattern = re.compile(rf"(?<![\w.]){re.escape(words)}(?!\w|\.\d)")
    return any(_offers(text, pattern) for text in texts)


def _offers(text: str, pattern: re.Pattern[str]) -> bool:
    return any(
        not _EXAMPLE_AHEAD.search(text[max(0, match.start() - _EXAMPLE_REACH) : match.start()])
        for match in pattern.finditer(text)
    )
