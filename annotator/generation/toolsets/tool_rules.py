"""Rules about one tool, and about two tools of a toolset."""

import re
from collections.abc import Iterator
from functools import lru_cache

from pydantic import JsonValue

from annotator.generation.checks.diversity import likeness
from annotator.generation.toolsets.toolset_files import FoundToolset
from annotator.generation.toolsets.toolset_findings import Rule, RuleHit
from scoring.model.case import Tool
from scoring.model.flow import escape, squeeze
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Severity

SIMILAR = 0.8
"""Share of common words from which on two tools are near duplicates."""
_SHORTEST_DESCRIPTION = 12
_MOST_PARAMETERS = 100
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FOREIGN = re.compile(
    r"\b(?:in|of|for|from|within|across) (?:the )?((?:[A-Z][a-z]{3,}|U[KS]A?)(?: [A-Z][a-z]+)?)\b"
)
_IDENTIFIER = re.compile(r"^(.*?)[ _]?(?:id|ids|identifier|key|code|number|token)$", re.IGNORECASE)
_COMMON = frozenset({"a", "an", "the", "of", "for", "by", "to", "and", "in", "on", "with", "get", "given"})


def _no_description(tool: Tool) -> RuleHit | None:
    return RuleHit() if len(tool.description.strip()) < _SHORTEST_DESCRIPTION else None


def _bad_name(tool: Tool) -> RuleHit | None:
    return None if _NAME.fullmatch(tool.name) else RuleHit(tool.name)


def _undeclared_required(tool: Tool) -> RuleHit | None:
    missing = [name for name in tool.required if name not in tool.properties]
    return RuleHit(", ".join(missing)) if missing else None


def _many_parameters(tool: Tool) -> RuleHit | None:
    count = len(tool.properties)
    return RuleHit(str(count)) if count > _MOST_PARAMETERS else None


def _implied_constraint(tool: Tool) -> RuleHit | None:
    """The description binds the tool to one thing that no parameter can be given (generation 8, step 1)."""
    for found in _FOREIGN.finditer(tool.description):
        words = found[1].casefold()
        if words not in tool.text.casefold().replace(tool.description.casefold(), ""):
            return RuleHit(found[1])
    return None


def _similar(found: FoundToolset) -> Iterator[tuple[str, RuleHit]]:
    words = {tool.name: _words(f"{tool.name} {tool.description}") for tool in found.tools}
    shapes = {tool.name: frozenset(tool.properties) for tool in found.tools}
    names = list(words)
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            share = likeness(words[one], words[other]) if words[one] or words[other] else 0.0
            if share >= SIMILAR and likeness(shapes[one], shapes[other]) >= SIMILAR:
                yield one, RuleHit(other, other=other)


@lru_cache(4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold().rstrip("s") for word in _WORD.findall(text)) - _COMMON


def _can_chain(found: FoundToolset) -> Iterator[tuple[str, RuleHit]]:
    """What one tool brings back and another requires: the same name, or an id of what the first is about."""
    return (
        (tool.name, RuleHit(f"{name} ← {source.name}", f"/properties/{escape(name)}", source.name))
        for tool in found.tools
        for name in tool.required
        for source in found.tools
        if source.name != tool.name and _brings(source, name, found)
    )


def _brings(source: Tool, name: str, found: FoundToolset) -> bool:
    declared = frozenset(source.properties)
    known = found.returns.get(source.name)
    if known is not None:
        return squeeze(name) in map(squeeze, _fields(known))
    identifier = _IDENTIFIER.match(" ".join(_WORD.findall(name)))
    if identifier is None or name in declared:
        return False
    about = _words(identifier[1])
    return bool(about) and about <= _words(f"{source.name} {source.description}")


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


TOOL_RULES = (
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
)
"""The rules about one tool."""

PAIR_RULES = (
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
"""The rules about two tools."""
