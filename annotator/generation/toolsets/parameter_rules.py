"""Rules about one parameter, or one part of it: type, values, defaults and words."""

import re

from pydantic import JsonValue

from annotator.generation.toolsets.toolset_findings import ParameterPlace, Rule, RuleHit
from scoring.model.record import JsonObject
from scoring.model.schemas import SCHEMA_TYPES
from scoring.model.taxonomy import Severity

_QUOTED = r"(?:'[^',]{1,40}'|\"[^\",]{1,40}\")"
_OFFERS = (
    "support(?:s|ing|ed)?|one of|either|can be|options(?: are)?|"
    "(?:valid|allowed|possible) values(?: are)?|支持|可选值"
)
_VALUES = re.compile(
    rf"(?:{_OFFERS})[^'\".]{{0,20}}({_QUOTED}(?:\s*(?:,|、|or|and|或|和)+\s*{_QUOTED})+)", re.IGNORECASE
)
_DEFAULT = re.compile(
    rf"defaults?(?: value)?(?: is| to| being|:)?\s*({_QUOTED}|-?\d+(?:\.\d+)?|true\b|false\b)", re.IGNORECASE
)
_RANGE = re.compile(
    r"\b(?:between|from)\s+(-?\d+(?:\.\d+)?)\s+(?:and|to)\s+(-?\d+(?:\.\d+)?)\b", re.IGNORECASE
)
_DATE = re.compile(r"\bYYYY-MM-DD(?:[ T]HH:MM(?::SS)?)?\b", re.IGNORECASE)


def _undescribed(place: ParameterPlace) -> RuleHit | None:
    return None if place.text or place.path.endswith("/items") else RuleHit()


def _untyped(place: ParameterPlace) -> RuleHit | None:
    says = {"type", "enum", "const", "anyOf", "oneOf", "allOf", "properties", "$ref"}
    return None if says & place.schema.keys() else RuleHit(proposal={**place.schema, "type": "string"})


def _unknown_type(place: ParameterPlace) -> RuleHit | None:
    kinds = place.kind if isinstance(place.kind, list) else [place.kind]
    unknown = [str(kind) for kind in kinds if kind is not None and kind not in SCHEMA_TYPES]
    return RuleHit(", ".join(unknown)) if unknown else None


def _values_in_words(place: ParameterPlace) -> RuleHit | None:
    found = _VALUES.search(place.text)
    if found is None or "enum" in place.schema or place.kind not in ("string", None):
        return None
    values: list[JsonValue] = [text.strip("'\"") for text in re.findall(_QUOTED, found[1])]
    proposal: JsonObject = {**place.schema, "enum": values, "type": "string"}
    return RuleHit(", ".join(map(str, values)), proposal=proposal)


def _default_in_words(place: ParameterPlace) -> RuleHit | None:
    found = _DEFAULT.search(place.text)
    if found is None or "default" in place.schema:
        return None
    text = found[1].strip("'\"")
    value: JsonValue = text
    if place.kind == "boolean" and text.casefold() in ("true", "false"):
        value = text.casefold() == "true"
    elif place.kind in ("integer", "number"):
        if not re.fullmatch(r"-?\d+(\.\d+)?", text):
            return None
        value = int(text) if place.kind == "integer" and "." not in text else float(text)
    elif place.kind != "string":
        return None
    return RuleHit(text, proposal={**place.schema, "default": value})


def _range_in_words(place: ParameterPlace) -> RuleHit | None:
    found = _RANGE.search(place.text)
    bounds = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    if found is None or place.kind not in ("integer", "number") or bounds & place.schema.keys():
        return None
    low, high = (int(text) if "." not in text else float(text) for text in found.groups())
    return RuleHit(f"{low} to {high}", proposal={**place.schema, "minimum": low, "maximum": high})


def _format_in_words(place: ParameterPlace) -> RuleHit | None:
    found = _DATE.search(place.text)
    if found is None or place.kind != "string" or {"format", "pattern", "enum"} & place.schema.keys():
        return None
    digits = re.sub(r"[YMDHS]", "#", found[0].upper().replace("HH:MM:SS", "HH:SS:SS"))
    pattern = "^" + re.sub("#+", lambda run: rf"\d{{{len(run[0])}}}", digits) + "$"
    return RuleHit(found[0], proposal={**place.schema, "pattern": pattern})


def _empty_enum(place: ParameterPlace) -> RuleHit | None:
    options = place.schema.get("enum")
    is_bad = "enum" in place.schema and (not isinstance(options, list) or not options)
    return RuleHit(proposal={k: v for k, v in place.schema.items() if k != "enum"}) if is_bad else None


def _enum_type(place: ParameterPlace) -> RuleHit | None:
    options = place.schema.get("enum")
    fits = {"string": str, "integer": int, "number": int | float, "boolean": bool}.get(str(place.kind))
    wrong = (
        [str(o) for o in options if o is not None and fits and not isinstance(o, fits)]
        if isinstance(options, list)
        else []
    )
    return RuleHit(", ".join(wrong)) if wrong else None


def _no_items(place: ParameterPlace) -> RuleHit | None:
    if place.kind != "array" or isinstance(place.schema.get("items"), dict):
        return None
    return RuleHit(proposal={**place.schema, "items": {"type": "string"}})


def _no_properties(place: ParameterPlace) -> RuleHit | None:
    says = {"properties", "additionalProperties", "patternProperties", "anyOf", "oneOf", "allOf"}
    return RuleHit() if place.kind == "object" and not says & place.schema.keys() else None


PARAMETER_RULES = (
    Rule(
        "parameter.description",
        Severity.WARNING,
        "The parameter has no description.",
        "Say what it is and in which form it is given.",
        of_part=_undescribed,
    ),
    Rule(
        "type.missing",
        Severity.WARNING,
        "The parameter has no type.",
        "Give its type.",
        of_part=_untyped,
    ),
    Rule(
        "type.unknown",
        Severity.ERROR,
        "JSON Schema has no type {detail}.",
        "Use string, integer, number, boolean, array or object.",
        of_part=_unknown_type,
    ),
    Rule(
        "enum.in_words",
        Severity.WARNING,
        "Only the description says that the values are {detail}.",
        "Put them into enum.",
        of_part=_values_in_words,
    ),
    Rule(
        "enum.empty",
        Severity.ERROR,
        "The enum has no value, so that no call can be right.",
        "List the values, or leave the enum out.",
        of_part=_empty_enum,
    ),
    Rule(
        "enum.type",
        Severity.ERROR,
        "Values of the enum are not of the parameter's type: {detail}",
        "Make type and values agree.",
        of_part=_enum_type,
    ),
    Rule(
        "default.in_words",
        Severity.INFO,
        "Only the description says that the default is {detail}.",
        "Put it into default.",
        of_part=_default_in_words,
    ),
    Rule(
        "range.in_words",
        Severity.WARNING,
        "Only the description says that the value is within {detail}.",
        "Put it into minimum and maximum.",
        of_part=_range_in_words,
    ),
    Rule(
        "format.in_words",
        Severity.INFO,
        "Only the description says that the form is {detail}.",
        "Put it into pattern.",
        of_part=_format_in_words,
    ),
    Rule(
        "array.items",
        Severity.WARNING,
        "The list does not say what its items are.",
        "Describe them under items.",
        of_part=_no_items,
    ),
    Rule(
        "object.properties",
        Severity.WARNING,
        "The object does not say what its fields are.",
        "Describe them under properties.",
        of_part=_no_properties,
    ),
)
"""The rules about one parameter."""
