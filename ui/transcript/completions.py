"""What can be written at a spot of a call's arguments: names, allowed values, values seen before."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from annotator.cases.argument_schemas import alternatives, schemas_at
from scoring.model.case import Tool
from scoring.model.flow import squeeze
from scoring.model.record import JsonObject
from ui.transcript.json_scan import Spot
from ui.transcript.json_text import editable_json
from ui.transcript.seen_values import SeenValue

MOST_OFFERS = 60


@dataclass(frozen=True)
class Offer:
    """One thing that can be written: the JSON text, the value it means, and a word about it."""

    text: str
    value: JsonValue
    note: str

    @property
    def words(self) -> str:
        """What it is looked up by: texts without their quotes."""
        return self.value if isinstance(self.value, str) else self.text


def offers_for(spot: Spot, tool: Tool | None, seen: Sequence[SeenValue]) -> tuple[Offer, ...]:
    """List what can be written at a spot, the most fitting first.

    Args:
        spot: What the cursor stands in.
        tool: Schema of the arguments; null where it is unknown.
        seen: Values from earlier in the dialogue.

    Returns:
        Names: not used yet before used ones, required before optional ones. Values: those the schema
        names, then those seen under the same name, then the others. Only what fits what is typed.
    """
    found = _names(spot, tool) if spot.is_name else _values(spot, tool, seen)
    return fitting(found, spot.typed, is_text=spot.is_quoted)


def value_offers(path: str, tool: Tool | None, seen: Sequence[SeenValue], *, typed: str) -> tuple[Offer, ...]:
    """List the texts that can be written into a field of its own, as `offers_for`.

    Args:
        path: Pointer of the argument.
        tool: Schema of the arguments.
        seen: Values from earlier in the dialogue.
        typed: What stands in the field.
    """
    spot = Spot(path, is_name=False, start=0, end=0, typed=typed, is_quoted=False)
    return fitting(_values(spot, tool, seen), typed, is_text=False)


def fitting(offers: Iterable[Offer], typed: str, *, is_text: bool) -> tuple[Offer, ...]:
    """Keep what fits what is typed: what begins so before texts that hold it somewhere; each text once.

    Args:
        offers: What there is.
        typed: What stands before the cursor.
        is_text: Whether only texts will do, because a quote is open.
    """
    wanted = typed.casefold()
    first: dict[str, Offer] = {}
    second: dict[str, Offer] = {}
    for offer in offers:
        if is_text and not isinstance(offer.value, str):
            continue
        words = offer.words.casefold()
        if words.startswith(wanted):
            first.setdefault(offer.text, offer)
        elif isinstance(offer.value, str) and wanted in words:  # a 5 in 25 is another number
            second.setdefault(offer.text, offer)
    return tuple((first | second).values())[:MOST_OFFERS]


def _names(spot: Spot, tool: Tool | None) -> Iterator[Offer]:
    found: list[tuple[bool, bool, Offer]] = []
    for schema in schemas_of(tool, spot.path):
        properties = schema.get("properties")
        required = schema.get("required")
        for name, inner in properties.items() if isinstance(properties, dict) else ():
            is_required = isinstance(required, list) and name in required
            note = " · ".join(part for part in (_type_words(inner), _first_line(inner)) if part)
            lead = "required" if is_required else "optional"
            is_used = name in spot.names
            offer = Offer(editable_json(name), name, " · ".join(part for part in (lead, note) if part))
            found.append((is_used, not is_required, offer))
    yield from (offer for _, _, offer in sorted(found, key=lambda item: item[:2]))


def schemas_of(tool: Tool | None, path: str) -> tuple[JsonObject, ...]:
    """The schemas of the value at a pointer itself, without those of what it stands in."""
    if tool is None:
        return ()
    if not path:
        return tuple(alternatives(tool.parameters))
    return schemas_at(tool, path)[len(schemas_at(tool, path.rpartition("/")[0])) :]


def _values(spot: Spot, tool: Tool | None, seen: Sequence[SeenValue]) -> Iterator[Offer]:
    schemas = schemas_of(tool, spot.path) if spot.path else ()
    types = {name for schema in schemas for name in _types(schema)}
    for schema in schemas:
        options = schema.get("enum")
        for value in options if isinstance(options, list) else ():
            yield Offer(editable_json(value, indent=None), value, "allowed")
        for key in ("const", "default"):
            if key in schema:
                note = "allowed" if key == "const" else "default"
                yield Offer(editable_json(schema[key], indent=None), schema[key], note)
    if "boolean" in types:
        yield from (Offer(text, text == "true", "boolean") for text in ("true", "false"))
    yield from _seen(spot.path, types, seen)
    for text, value in (("true", True), ("false", False), ("null", None)):
        if not types or (text == "null" and "null" in types):
            yield Offer(text, value, "")


def _seen(path: str, types: set[str], seen: Sequence[SeenValue]) -> Iterator[Offer]:
    name = squeeze(path.rpartition("/")[2])
    namesakes = [value for value in seen if name and _is_namesake(name, squeeze(value.name))]
    for found in (*namesakes, *seen):
        if _suits(found.value, types):
            yield Offer(editable_json(found.value, indent=None), found.value, found.where)


def _is_namesake(name: str, other: str) -> bool:
    is_tail = len(other) > 1 and (name.endswith(other) or other.endswith(name))
    return bool(other) and (name == other or is_tail)


def _suits(value: str | int | float, types: set[str]) -> bool:
    known = types & {"string", "integer", "number", "boolean", "array", "object"}
    if not known:
        return True
    if isinstance(value, str):
        return "string" in known
    return "number" in known or ("integer" in known and isinstance(value, int))


def _types(schema: JsonObject) -> tuple[str, ...]:
    found = schema.get("type")
    if isinstance(found, str):
        return (found,)
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()


def _type_words(schema: JsonValue) -> str:
    return " or ".join(_types(schema)) if isinstance(schema, dict) else ""


def _first_line(schema: JsonValue) -> str:
    text = schema.get("description") if isinstance(schema, dict) else None
    return " ".join(text.split()) if isinstance(text, str) else ""
