"""Values that fit a schema, and the words a person says for a parameter."""

import re
from math import ceil, floor
from random import Random

from pydantic import JsonValue

from scoring.model.case import Tool
from scoring.model.record import JsonObject

_DEEPEST = 4
_MOST_OPTIONAL = 3
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_PLACES = ("Lisbon", "Kyoto", "Tromsø", "Quito", "Gdansk", "Perth", "Lyon", "Oaxaca")
_COUNTRIES = ("Portugal", "Japan", "Norway", "Ecuador", "Poland", "Australia")
_PEOPLE = ("Marta Duarte", "Haruto Mori", "Solveig Dahl", "Mateo Vela", "Ola Nowak")
_THINGS = ("harbour lights", "winter market", "night train", "paper cranes", "copper kettle", "river walk")
_HINTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("email", ("marta@example.org", "haruto@example.org")),
    ("url", ("https://example.org/a7", "https://example.org/q3")),
    ("country", _COUNTRIES),
    ("city", _PLACES),
    ("location", _PLACES),
    ("place", _PLACES),
    ("address", ("12 Quay Street", "48 Linden Road", "7 Mill Lane")),
    ("phone", ("+351 21 555 0142", "+81 3 5550 0177")),
    ("language", ("Portuguese", "Japanese", "Norwegian")),
    ("currency", ("EUR", "JPY", "NOK")),
    ("author", _PEOPLE),
    ("user", _PEOPLE),
)


def words_of(name: str) -> str:
    """A parameter's name as words: `startDate` and `start_date` are both "start date"."""
    return " ".join(word.casefold() for word in _WORD.findall(name)) or name


def purpose_of(tool: Tool) -> str:
    """The first sentence of a tool's description, as part of a longer one; its name in words without any."""
    first = re.split(r"(?<=[a-z)])[.。;](?:\s|$)", tool.description.strip().replace("\n", " "), maxsplit=1)[0]
    first = " ".join(first.split()).strip(" .:。").replace("“", '"').replace("”", '"')
    if not first:
        return words_of(tool.name)
    return first if first[:2].isupper() else first[0].lower() + first[1:]


def properties_of(tool: Tool) -> dict[str, JsonObject]:
    """Name and schema of every declared parameter."""
    return {name: schema if isinstance(schema, dict) else {} for name, schema in tool.properties.items()}


def required_of(tool: Tool) -> tuple[str, ...]:
    """The declared parameters a call cannot do without, in their order."""
    return tuple(dict.fromkeys(name for name in tool.required if name in tool.properties))


def type_of(schema: JsonObject) -> str:
    """The one type of a schema that is served; a text where it says nothing."""
    found = schema.get("type")
    if isinstance(found, list):
        found = next((item for item in found if item != "null"), "string")
    if isinstance(found, str):
        return found
    return "object" if "properties" in schema else "string"


def make_value(schema: JsonObject, name: str, random: Random, *, depth: int = 0) -> JsonValue:
    """Make a value a schema accepts.

    Args:
        schema: What the value has to be.
        name: What the parameter is called; a city gets a city.
        random: Chooses.
        depth: Levels around it; below four levels only empty lists and objects are made.
    """
    options = schema.get("enum")
    if isinstance(options, list) and options:
        return random.choice(options)
    if "const" in schema:
        return schema["const"]
    for key in ("anyOf", "oneOf", "allOf"):
        choices = schema.get(key)
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            return make_value(choices[0], name, random, depth=depth)
    kind = type_of(schema)
    if kind == "boolean":
        return random.random() < 0.5
    if kind in ("integer", "number"):
        return _number(schema, kind, random)
    if kind == "array":
        return _list(schema, name, random, depth)
    if kind == "object":
        return _object(schema, random, depth)
    return None if kind == "null" else _text(schema, name, random)


def _number(schema: JsonObject, kind: str, random: Random) -> JsonValue:
    least, most = schema.get("minimum"), schema.get("maximum")
    high = float(most) if isinstance(most, int | float) else None
    low = float(least) if isinstance(least, int | float) else min(12.0, 12.0 if high is None else high)
    high = low + 80 if high is None else max(low, high)
    if kind == "integer":
        return random.randint(ceil(low), max(ceil(low), floor(high)))
    return round(random.uniform(low, high), 1) if high - low >= 1 else low


def _list(schema: JsonObject, name: str, random: Random, depth: int) -> JsonValue:
    if depth >= _DEEPEST:
        return []
    items = schema.get("items")
    least = schema.get("minItems")
    most = schema.get("maxItems")
    count = max(least if isinstance(least, int) else 0, 2)
    count = min(count, most) if isinstance(most, int) else count
    inner = items if isinstance(items, dict) else {}
    made = [make_value(inner, name, random, depth=depth + 1) for _ in range(count)]
    return [item for i, item in enumerate(made) if item not in made[:i]]


def _object(schema: JsonObject, random: Random, depth: int) -> JsonValue:
    declared, required = schema.get("properties"), schema.get("required")
    if not isinstance(declared, dict) or depth >= _DEEPEST:
        return {}
    wanted = required if isinstance(required, list) and required else list(declared)[:_MOST_OPTIONAL]
    made: JsonObject = {}
    for name in map(str, wanted):
        inner = declared.get(name)
        made[name] = make_value(inner if isinstance(inner, dict) else {}, name, random, depth=depth + 1)
    return made


def _text(schema: JsonObject, name: str, random: Random) -> str:
    said = f"{words_of(name)} {schema.get('description', '')}".casefold()
    day = f"2024-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    clock = f"{random.randint(8, 19):02}:{random.choice((0, 15, 30, 45)):02}"
    words = words_of(name)
    if "timestamp" in said:
        return str(random.randint(1_704_067_200, 1_735_603_200))
    if "date" in words or "yyyy-mm-dd" in said:
        return f"{day} {clock}:00" if "hh:mm" in said else day
    if "time" in words.split():
        return clock
    if "id" in words.split() or words.endswith(("code", "number")):
        return f"{random.choice('ABCDEFGHK')}{random.choice('MNPRSTUVX')}-{random.randint(1200, 9800)}"
    for hint, examples in _HINTS:
        if hint in words:
            return random.choice(examples)
    if "name" in words.split():
        return random.choice(_PEOPLE)
    return f"{random.choice(_THINGS)} {random.randint(12, 98)}"
