"""What can be written at a spot of a call's arguments: names, allowed values, values seen before."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from annotator.cases.argument_schemas import schemas_of
from scoring.model.case import Answer, Ask, Call, Case, Tool
from scoring.model.flow import Scalar, is_telling, leaves, squeeze
from scoring.model.record import JsonObject
from scoring.texts import tr
from ui.dialogue.arguments.json_source import Spot
from ui.dialogue.json_text import editable_json

MOST_OFFERS = 60
_LONGEST_SEEN = 120
_MOST_SEEN_OF_ONE = 2_000
_MOST_SEEN = 6_000
_QUOTED = re.compile(r"\"([^\"\n]{2,120})\"|“([^”\n]{2,120})”|'([^'\n]{2,120})'(?!\w)|`([^`\n]{2,120})`")
_IDENTIFIER = re.compile(
    r"(?<![\w.-])(?=[\w@.:/-]*\d)[A-Za-z_@][\w@.:/-]*\w(?!\w)|(?<!\d)\d{4}-\d{2}-\d{2}(?:[T ][\d:]*\d)?"
)
_NUMBER = re.compile(r"(?<![\w.,-])-?\d+(?:\.\d+)?(?![\w,]|\.\d|-\d)")


@dataclass(frozen=True)
class SeenValue:
    """A value and where it was last seen, e.g. `task 1, call 0, rows/0/id`; `name` is its key there."""

    value: str | int | float
    where: str
    name: str = ""


@dataclass(frozen=True)
class ArgumentCompletion:
    """One thing that can be written: the JSON text, the value it means, and a word about it."""

    text: str
    value: JsonValue
    note: str

    @property
    def words(self) -> str:
        """What it is looked up by: texts without their quotes."""
        return self.value if isinstance(self.value, str) else self.text


def offers_for(spot: Spot, tool: Tool | None, seen: Sequence[SeenValue]) -> tuple[ArgumentCompletion, ...]:
    """List what can be written at a spot, the most fitting first.

    Args:
        spot: What the cursor stands in.
        tool: Schema of the arguments; None where it is unknown.
        seen: Values from earlier in the dialogue.

    Returns:
        Names: not used yet before used ones, required before optional ones. Values: those the schema
        names, then those seen under the same name, then the others. Only what fits what is typed.
    """
    found = _names(spot, tool) if spot.is_name else _values(spot, tool, seen)
    return fitting(found, spot.typed, is_text=spot.is_quoted)


def value_offers(
    path: str, tool: Tool | None, seen: Sequence[SeenValue], *, typed: str
) -> tuple[ArgumentCompletion, ...]:
    """List the texts that can be written into a field of its own, as `offers_for`.

    Args:
        path: Pointer of the argument.
        tool: Schema of the arguments.
        seen: Values from earlier in the dialogue.
        typed: What stands in the field.
    """
    return fitting(
        _values(Spot(path, is_name=False, start=0, end=0, typed=typed, is_quoted=False), tool, seen),
        typed,
        is_text=False,
    )


def fitting(
    offers: Iterable[ArgumentCompletion], typed: str, *, is_text: bool
) -> tuple[ArgumentCompletion, ...]:
    """Keep what fits what is typed: what begins so before texts that hold it somewhere; each text once.

    Args:
        offers: What there is.
        typed: What stands before the cursor.
        is_text: Whether only texts will do, because a quote is open.
    """
    wanted = typed.casefold()
    found: dict[str, ArgumentCompletion] = {}
    for offer in offers:
        words, is_words = offer.words.casefold(), isinstance(offer.value, str)
        # A 5 in 25 is another number.
        if (is_words or not is_text) and (words.startswith(wanted) or (is_words and wanted in words)):
            found.setdefault(offer.text, offer)
    return tuple(
        sorted(found.values(), key=lambda offer: not offer.words.casefold().startswith(wanted))[:MOST_OFFERS]
    )


def _names(spot: Spot, tool: Tool | None) -> Iterator[ArgumentCompletion]:
    declared = (
        (name, inner, name in required)
        for properties, required in map(declared_in, schemas_of(tool, spot.path))
        for name, inner in properties.items()
    )
    for name, inner, is_required in sorted(declared, key=lambda one: (one[0] in spot.names, not one[2])):
        lead = tr("required") if is_required else tr("optional")
        note = " · ".join(filter(None, (lead, _type_words(inner), description_in(inner))))
        yield ArgumentCompletion(editable_json(name), name, note)


def _values(spot: Spot, tool: Tool | None, seen: Sequence[SeenValue]) -> Iterator[ArgumentCompletion]:
    schemas = schemas_of(tool, spot.path) if spot.path else ()
    types = {name for schema in schemas for name in types_of(schema)}
    for schema in schemas:
        options = schema.get("enum")
        for value in options if isinstance(options, list) else ():
            yield ArgumentCompletion(editable_json(value, indent=None), value, tr("allowed"))
        for key in ("const", "default"):
            if key in schema:
                yield ArgumentCompletion(
                    editable_json(schema[key], indent=None),
                    schema[key],
                    tr("allowed") if key == "const" else tr("default"),
                )
    if "boolean" in types:
        yield from (ArgumentCompletion(text, text == "true", "boolean") for text in ("true", "false"))
    yield from _seen(spot.path, types, seen)
    for text, value in (("true", True), ("false", False), ("null", None)):
        if not types or (text == "null" and "null" in types):
            yield ArgumentCompletion(text, value, "")


def _seen(path: str, types: set[str], seen: Sequence[SeenValue]) -> Iterator[ArgumentCompletion]:
    name = squeeze(path.rpartition("/")[2])
    namesakes = [value for value in seen if name and _is_namesake(name, squeeze(value.name))]
    for found in (*namesakes, *seen):
        if _suits(found.value, types):
            yield ArgumentCompletion(editable_json(found.value, indent=None), found.value, found.where)


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


def declared_in(schema: JsonObject) -> tuple[JsonObject, list[JsonValue]]:
    """The properties a schema declares, and the names of those that are required."""
    properties, required = schema.get("properties"), schema.get("required")
    return properties if isinstance(properties, dict) else {}, required if isinstance(required, list) else []


def types_of(schema: JsonObject) -> tuple[str, ...]:
    """The types a schema names."""
    found = schema.get("type")
    return tuple(name for name in (found if isinstance(found, list) else [found]) if isinstance(name, str))


def _type_words(schema: JsonValue) -> str:
    return tr(" or ").join(types_of(schema)) if isinstance(schema, dict) else ""


def description_in(schema: JsonValue) -> str:
    """What a schema says about its value, in one line."""
    text = schema.get("description") if isinstance(schema, dict) else None
    return " ".join(text.split()) if isinstance(text, str) else ""


# values seen before


def seen_values(case: Case, task: int, *, step: int) -> tuple[SeenValue, ...]:
    """List the telling values of everything before a call, the latest place first, each value once.

    Observations and earlier arguments give their scalars; texts give identifiers, dates, numbers and what
    stands in quotes.

    Args:
        case: The case.
        task: Task of the call.
        step: Its step number.
    """
    found: dict[tuple[type, Scalar], SeenValue] = {}
    for at in range(task, -1, -1):
        for seen in _seen_in_task(case, at, end=step if at == task else None):
            found.setdefault((type(seen.value), seen.value), seen)
            if len(found) >= _MOST_SEEN:
                return tuple(found.values())
    return tuple(found.values())


def _seen_in_task(case: Case, task: int, *, end: int | None) -> Iterator[SeenValue]:
    found = case.tasks[task]
    last = len(found.steps) if end is None else min(end, len(found.steps))
    for number in range(last - 1, -1, -1):
        step = found.steps[number]
        where = tr("task {task}, step {number}", task=task + 1, number=number)
        match step:
            case Call():
                yield from _seen_in_value(step.observation, where)
                yield from _seen_in_value(step.arguments, tr("{where}, argument", where=where))
            case Ask():
                yield from _seen_in_text(step.reply, tr("{where}, reply", where=where))
                yield from _seen_in_text(step.text, where)
            case Answer():
                yield from _seen_in_text(step.text, where)
    yield from _seen_in_text(found.user, tr("task {task}, user", task=task + 1))


def _seen_in_value(value: object, where: str) -> Iterator[SeenValue]:
    for number, (path, leaf) in enumerate(leaves(value)):  # type: ignore[arg-type]
        if number >= _MOST_SEEN_OF_ONE:
            return
        if isinstance(leaf, str) and (len(leaf) > _LONGEST_SEEN or "\n" in leaf):
            yield from _seen_in_text(leaf, where)
        elif isinstance(leaf, str | int | float) and is_telling(leaf):
            yield SeenValue(leaf, f"{where} {path.lstrip('/')}" if path else where, path.rpartition("/")[2])


def _seen_in_text(text: str, where: str) -> Iterator[SeenValue]:
    start = text[:20_000]
    for quoted in _QUOTED.finditer(start):
        yield SeenValue(next(group for group in quoted.groups() if group), where)
    yield from (SeenValue(word[0], where) for word in _IDENTIFIER.finditer(start))
    for number in _NUMBER.finditer(start):
        value = float(number[0]) if "." in number[0] else int(number[0])
        if is_telling(value):
            yield SeenValue(value, where)
