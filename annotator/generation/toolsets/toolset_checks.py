"""What a toolset lacks: a rule is a value with an id, and looks at one parameter, one tool or a toolset."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from pydantic import JsonValue

from annotator.generation.toolsets.toolset_files import FoundToolset
from scoring.model.case import Tool
from scoring.model.flow import escape
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import Severity

SIMILAR = 0.8
"""Share of common words from which on two tools are near duplicates."""
_SHORTEST_DESCRIPTION = 12
_MOST_PARAMETERS = 100
_MOST_VALUES = 12
_DEEPEST = 12
_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
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
_FOREIGN = re.compile(
    r"\b(?:in|of|for|from|within|across) (?:the )?((?:[A-Z][a-z]{3,}|U[KS]A?)(?: [A-Z][a-z]+)?)\b"
)
_IDENTIFIER = re.compile(r"^(.*?)[ _]?(?:id|ids|identifier|key|code|number|token)$", re.IGNORECASE)
_COMMON = frozenset({"a", "an", "the", "of", "for", "by", "to", "and", "in", "on", "with", "get", "given"})


class ToolsetFinding(Record):
    """One thing a toolset lacks.

    Attributes:
        rule: Id of the rule; stable.
        severity: `error` where calls will fail, `warning` where dialogues will be poor, `info` to know.
        toolset: Name of the toolset.
        tool: Name of the tool.
        path: JSON Pointer to the part of its definition's parameters; empty for the tool as a whole.
        message: What is lacking.
        settle: What would settle it.
        other: The other tool of a pair.
        proposal: The part at `path` as it would be better, where the rule knows.
    """

    rule: str
    severity: Severity
    toolset: str
    tool: str
    path: str = ""
    message: str
    settle: str = ""
    other: str | None = None
    proposal: JsonObject | None = None


@dataclass(frozen=True)
class Place:
    """One parameter or part of one: its schema, where it is, and what it is called."""

    tool: Tool
    path: str
    name: str
    schema: JsonObject

    @property
    def text(self) -> str:
        """Its description; empty where there is none."""
        said = self.schema.get("description")
        return said.strip() if isinstance(said, str) else ""

    @property
    def kind(self) -> JsonValue:
        """Its type as it stands there."""
        return self.schema.get("type")


@dataclass(frozen=True)
class Hit:
    """What a rule found: the rest of the sentence, the place, and the better part where it knows one."""

    detail: str = ""
    path: str = ""
    other: str | None = None
    proposal: JsonObject | None = None


@dataclass(frozen=True)
class Rule:
    """One rule. `message` may hold `{detail}`; exactly one of the three functions looks."""

    id: str
    severity: Severity
    message: str
    settle: str
    of_part: Callable[[Place], Hit | None] | None = None
    of_tool: Callable[[Tool], Hit | None] | None = None
    of_toolset: Callable[[FoundToolset], Iterator[tuple[str, Hit]]] | None = None


def check_toolset(found: FoundToolset) -> tuple[ToolsetFinding, ...]:
    """Everything a toolset lacks, tool by tool, then what concerns two tools."""
    made: list[ToolsetFinding] = []
    for tool in found.tools:
        places = tuple(parts_of(tool))
        for rule in RULES:
            hits = [rule.of_tool(tool)] if rule.of_tool else []
            if rule.of_part:
                parts = ((place, rule.of_part(place)) for place in places)
                hits += [_at(hit, place) for place, hit in parts if hit]
            made += [_finding(rule, found, tool.name, hit) for hit in hits if hit]
    for rule in RULES:
        if rule.of_toolset:
            made += [_finding(rule, found, name, hit) for name, hit in rule.of_toolset(found)]
    return tuple(made)


def _at(hit: Hit, place: Place) -> Hit:
    return Hit(hit.detail, place.path, hit.other, hit.proposal)


def _finding(rule: Rule, found: FoundToolset, tool: str, hit: Hit) -> ToolsetFinding:
    return ToolsetFinding(
        rule=rule.id,
        severity=rule.severity,
        toolset=found.toolset.name,
        tool=tool,
        path=hit.path,
        message=rule.message.format(detail=hit.detail),
        settle=rule.settle,
        other=hit.other,
        proposal=hit.proposal,
    )


def parts_of(tool: Tool) -> Iterator[Place]:
    """Every parameter of a tool and every part of it, outermost first."""
    stack: list[tuple[JsonObject, str, str, int]] = [(tool.parameters, "", "", 0)]
    while stack:
        schema, path, name, depth = stack.pop()
        if path:
            yield Place(tool, path, name, schema)
        if depth > _DEEPEST:
            continue
        properties = schema.get("properties")
        inner: list[tuple[JsonObject, str, str, int]] = []
        for key, value in properties.items() if isinstance(properties, dict) else ():
            if isinstance(value, dict):
                inner.append((value, f"{path}/properties/{escape(key)}", key, depth + 1))
        items = schema.get("items")
        if isinstance(items, dict):
            inner.append((items, f"{path}/items", name, depth + 1))
        stack += reversed(inner)


# rules of one part


def _undescribed(place: Place) -> Hit | None:
    is_item = place.path.endswith("/items")
    return None if place.text or is_item else Hit()


def _untyped(place: Place) -> Hit | None:
    says = {"type", "enum", "const", "anyOf", "oneOf", "allOf", "properties", "$ref"}
    return None if says & place.schema.keys() else Hit(proposal={**place.schema, "type": "string"})


def _unknown_type(place: Place) -> Hit | None:
    kinds = place.kind if isinstance(place.kind, list) else [place.kind]
    unknown = [str(kind) for kind in kinds if kind is not None and kind not in _TYPES]
    return Hit(", ".join(unknown)) if unknown else None


def _values_in_words(place: Place) -> Hit | None:
    found = _VALUES.search(place.text)
    if found is None or "enum" in place.schema or place.kind not in ("string", None):
        return None
    values: list[JsonValue] = [text.strip("'\"") for text in re.findall(_QUOTED, found[1])]
    proposal: JsonObject = {**place.schema, "enum": values, "type": "string"}
    return Hit(", ".join(map(str, values)), proposal=proposal)


def _default_in_words(place: Place) -> Hit | None:
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
    return Hit(text, proposal={**place.schema, "default": value})


def _range_in_words(place: Place) -> Hit | None:
    found = _RANGE.search(place.text)
    bounds = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    if found is None or place.kind not in ("integer", "number") or bounds & place.schema.keys():
        return None
    low, high = (int(text) if "." not in text else float(text) for text in found.groups())
    return Hit(f"{low} to {high}", proposal={**place.schema, "minimum": low, "maximum": high})


def _format_in_words(place: Place) -> Hit | None:
    found = _DATE.search(place.text)
    if found is None or place.kind != "string" or {"format", "pattern", "enum"} & place.schema.keys():
        return None
    digits = re.sub(r"[YMDHS]", "#", found[0].upper().replace("HH:MM:SS", "HH:SS:SS"))
    pattern = "^" + re.sub("#+", lambda run: rf"\d{{{len(run[0])}}}", digits) + "$"
    return Hit(found[0], proposal={**place.schema, "pattern": pattern})


def _empty_enum(place: Place) -> Hit | None:
    options = place.schema.get("enum")
    is_bad = "enum" in place.schema and (not isinstance(options, list) or not options)
    return Hit(proposal={k: v for k, v in place.schema.items() if k != "enum"}) if is_bad else None


def _enum_type(place: Place) -> Hit | None:
    options = place.schema.get("enum")
    fits = {"string": str, "integer": int, "number": int | float, "boolean": bool}.get(str(place.kind))
    wrong = (
        [str(o) for o in options if o is not None and fits and not isinstance(o, fits)]
        if isinstance(options, list)
        else []
    )
    return Hit(", ".join(wrong)) if wrong else None


def _no_items(place: Place) -> Hit | None:
    if place.kind != "array" or isinstance(place.schema.get("items"), dict):
        return None
    return Hit(proposal={**place.schema, "items": {"type": "string"}})


def _no_properties(place: Place) -> Hit | None:
    says = {"properties", "additionalProperties", "patternProperties", "anyOf", "oneOf", "allOf"}
    return Hit() if place.kind == "object" and not says & place.schema.keys() else None


# rules of one tool


def _no_description(tool: Tool) -> Hit | None:
    return Hit() if len(tool.description.strip()) < _SHORTEST_DESCRIPTION else None


def _bad_name(tool: Tool) -> Hit | None:
    return None if _NAME.fullmatch(tool.name) else Hit(tool.name)


def _undeclared_required(tool: Tool) -> Hit | None:
    declared, required = tool.parameters["properties"], tool.parameters["required"]
    assert isinstance(declared, dict) and isinstance(required, list)  # noqa: PT018 (one shape)
    missing = [str(name) for name in required if name not in declared]
    return Hit(", ".join(missing)) if missing else None


def _many_parameters(tool: Tool) -> Hit | None:
    declared = tool.parameters["properties"]
    count = len(declared) if isinstance(declared, dict) else 0
    return Hit(str(count)) if count > _MOST_PARAMETERS else None


def _implied_constraint(tool: Tool) -> Hit | None:
    """The description binds the tool to one thing that no parameter can be given (generation 8, step 1)."""
    for found in _FOREIGN.finditer(tool.description):
        words = found[1].casefold()
        declared = tool.text.casefold().replace(tool.description.casefold(), "")
        if words not in declared:
            return Hit(found[1])
    return None


# rules of two tools


def _similar(found: FoundToolset) -> Iterator[tuple[str, Hit]]:
    words = {tool.name: _words(f"{tool.name} {tool.description}") for tool in found.tools}
    shapes = {tool.name: _shape(tool) for tool in found.tools}
    names = list(words)
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            union = words[one] | words[other]
            share = len(words[one] & words[other]) / len(union) if union else 0.0
            if share >= SIMILAR and _overlap(shapes[one], shapes[other]) >= SIMILAR:
                yield one, Hit(other, other=other)


def _shape(tool: Tool) -> frozenset[str]:
    declared = tool.parameters["properties"]
    return frozenset(declared) if isinstance(declared, dict) else frozenset()


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


@lru_cache(4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold().rstrip("s") for word in _WORD.findall(text)) - _COMMON


def _can_chain(found: FoundToolset) -> Iterator[tuple[str, Hit]]:
    """What one tool brings back and another requires: the same name, or an id of what the first is about."""
    for tool in found.tools:
        required = tool.parameters["required"]
        for name in map(str, required) if isinstance(required, list) else ():
            for source in found.tools:
                if source.name != tool.name and _brings(source, name, found):
                    yield (
                        tool.name,
                        Hit(f"{name} ← {source.name}", f"/properties/{escape(name)}", source.name),
                    )


def _brings(source: Tool, name: str, found: FoundToolset) -> bool:
    declared = _shape(source)
    known = found.returns.get(source.name)
    if known is not None:
        return _plain(name) in {_plain(field) for field in _fields(known)}
    identifier = _IDENTIFIER.match(" ".join(_WORD.findall(name)))
    if identifier is None or name in declared:
        return False
    about = _words(identifier[1])
    return bool(about) and about <= _words(f"{source.name} {source.description}")


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _fields(schema: JsonObject) -> Iterator[str]:
    """Names of the fields a reply may have, however deep."""
    stack: list[JsonValue] = [schema]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            properties = item.get("properties")
            if isinstance(properties, dict):
                yield from properties
                stack += properties.values()
            stack += [item.get(key) for key in ("items", "anyOf", "oneOf", "allOf")]
        elif isinstance(item, list):
            stack += item


RULES = (
    Rule(
        "tool.name",
        Severity.ERROR,
        "The name has characters or a length that endpoints refuse: {detail}",
        "Use 1 to 64 letters, digits, _ and -.",
        of_tool=_bad_name,
    ),
    Rule(
        "tool.description",
        Severity.ERROR,
        "The tool has no description, or hardly one.",
        "Say in a sentence what it does and what it needs.",
        of_tool=_no_description,
    ),
    Rule(
        "tool.constraint",
        Severity.WARNING,
        "The description speaks of {detail}, which no parameter says.",
        "Add the parameter that the description implies, or take the limit out of the description.",
        of_tool=_implied_constraint,
    ),
    Rule(
        "tool.parameters",
        Severity.WARNING,
        "The tool has {detail} parameters.",
        "Split it, or leave out what no dialogue needs.",
        of_tool=_many_parameters,
    ),
    Rule(
        "required.undeclared",
        Severity.ERROR,
        "Required, but not declared: {detail}",
        "Declare the parameter, or do not require it.",
        of_tool=_undeclared_required,
    ),
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
    Rule(
        "tools.similar",
        Severity.WARNING,
        "It hardly differs from {detail}.",
        "Merge the two, or say in both descriptions how they differ.",
        of_toolset=_similar,
    ),
    Rule(
        "tools.dependency",
        Severity.INFO,
        "It can depend on another tool: {detail}",
        "Nothing to do: such pairs make serial requests possible.",
        of_toolset=_can_chain,
    ),
)
"""Every rule; an id is stable, since lists of findings are compared over time."""
