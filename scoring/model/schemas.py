"""Argument schemas with the type names of the published toolsets mapped to standard ones (formats 5.3)."""

import json
from collections.abc import Iterator

from pydantic import JsonValue

from scoring.groups import keyed
from scoring.model.record import JsonObject

SCHEMA_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
"""The type names of JSON Schema."""
_STANDARD = {
    "float": "number",
    "double": "number",
    "number(float)": "number",
    "int": "integer",
    "interger": "integer",
    "long": "integer",
    "String": "string",
    "str": "string",
    "text": "string",
    "complex_string": "string",
    "UUID": "string",
    "bool": "boolean",
    "Boolean": "boolean",
    "list": "array",
    "tuple": "array",
    "dict": "object",
    "map": "object",
    "list of dictionaries": "object",
}


def normalise_type(declared: JsonValue) -> tuple[JsonValue, list[JsonValue] | None]:
    """Map one schema type to its standard name.

    Args:
        declared: The value of a `type` key; the published files hold texts, unions with a bar, objects.

    Returns:
        The standard name (unknown names are kept) and the enum a type text carried, or None.
    """
    match declared:
        case dict():
            return "object", None
        case list():
            return [normalise_type(item)[0] for item in declared], None
        case None | bool() | int() | float():
            return declared, None
    name = declared.split("|")[0].strip() if "|" in declared else declared
    if name not in _STANDARD and "enum" in name:
        return "string", _enum_in(name)
    return _STANDARD.get(name, name), None


def _enum_in(text: str) -> list[JsonValue] | None:
    try:
        values = json.loads(text[text.index("enum") + len("enum") :])
    except ValueError:
        return None
    if isinstance(values, list) and all(isinstance(value, str) for value in values):
        return values
    return None


@keyed
def normalise_schema(schema: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    """Map the types of a schema and everything below it; all other keys stay.

    A parameter that is itself called `properties` or `type` is no schema level (formats 9, no. 3).
    """
    for key, value in schema.items():
        match key:
            case "type":
                standard, enum = normalise_type(value)
                yield "type", standard
                if enum is not None and "enum" not in schema:
                    yield "enum", enum
            case "properties" if isinstance(value, dict):
                yield (
                    key,
                    {
                        name: normalise_schema(inner) if isinstance(inner, dict) else inner
                        for name, inner in value.items()
                    },
                )
            case "items" | "additionalProperties" if isinstance(value, dict):
                yield key, normalise_schema(value)
            case "anyOf" | "oneOf" | "allOf" if isinstance(value, list):
                yield key, [normalise_schema(item) if isinstance(item, dict) else item for item in value]
            case _:
                yield key, value
