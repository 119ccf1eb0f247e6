"""Requests of the scripted user: written so that the scripted planner can read what they ask for."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from pydantic import JsonValue

from scoring.model.case import Tool
from scoring.model.record import JsonObject
from tests.scripted_model.values import (
    make_value,
    properties_of,
    purpose_of,
    required_of,
    type_of,
    words_of,
)
from tests.scripted_model.wordings import Binding, Wording


@dataclass(frozen=True)
class Wish:
    """One call a request asks for: the tool, and where the value of each parameter is.

    `values` holds what the text itself gives; a parameter that stands in neither is missing.
    """

    tool: Tool
    phase: int = 0
    values: Mapping[str, JsonValue] = field(default_factory=dict)
    bindings: Mapping[str, Binding] = field(default_factory=dict)

    @property
    def missing(self) -> tuple[str, ...]:
        """Required parameters nobody gave a value for."""
        return tuple(
            name for name in required_of(self.tool) if name not in self.values and name not in self.bindings
        )


def purposes_in(tools: Sequence[Tool]) -> dict[str, Tool]:
    """What each tool is for, told apart where two have the same description."""
    found: dict[str, Tool] = {}
    for tool in tools:
        purpose = purpose_of(tool)
        found[f"{purpose} ({words_of(tool.name)})" if purpose in found else purpose] = tool
    return found


def invented(tool: Tool, random: Random, *, besides: Sequence[str] = ()) -> dict[str, JsonValue]:
    """Values for the required parameters of a tool, but for some."""
    declared = properties_of(tool)
    return {
        name: make_value(declared[name], name, random) for name in required_of(tool) if name not in besides
    }


def write_request(wishes: Sequence[Wish], frame: str, *, tools: Sequence[Tool], wording: Wording) -> str:
    """Say in words what is wished for.

    Args:
        wishes: Calls, those of the first phase first.
        frame: A sentence with `{purposes}`.
        tools: All tools, which tells how a purpose is named.
        wording: The language.
    """
    named = {id(tool): purpose for purpose, tool in purposes_in(tools).items()}
    phases: dict[int, list[str]] = {}
    for wish in wishes:
        details = details_of(wish, wording)
        purpose = named[id(wish.tool)]
        phases.setdefault(wish.phase, []).append(f"{purpose}: {details}" if details else purpose)
    said = [wording.both.join(parts) for _, parts in sorted(phases.items())]
    end = "。" if wording.both.startswith("，") else "."
    return frame.format(purposes=(end + wording.phase).join(said)) + end


def details_of(wish: Wish, wording: Wording) -> str:
    """The values of one call in words."""
    said = {
        name: wording.bindings[Binding.GIVEN].format(words=words_of(name), value=_shown(value))
        for name, value in wish.values.items()
    } | {name: wording.bindings[kind].format(words=words_of(name)) for name, kind in wish.bindings.items()}
    return ("，" if wording.both.startswith("，") else ", ").join(said.values())


def read_request(
    text: str, replies: Sequence[str], *, tools: Sequence[Tool], wording: Wording
) -> tuple[Wish, ...]:
    """Find the calls a request asks for; the opposite of `write_request`.

    Args:
        text: The request.
        replies: What the user said since, asked for more.
        tools: Tools there are.
        wording: The language.
    """
    found: list[tuple[int, int, Tool]] = []
    longest_first = sorted(purposes_in(tools).items(), key=lambda item: -len(item[0]))
    for purpose, tool in longest_first:
        for match in re.finditer(re.escape(purpose), text):
            if all(match.end() <= start or match.start() >= end for start, end, _ in found):
                found.append((match.start(), match.end(), tool))
    found.sort(key=lambda item: item[:2])
    wishes = []
    for i, (_, end, tool) in enumerate(found):
        section = text[end : found[i + 1][0] if i + 1 < len(found) else len(text)]
        phase = text[:end].count(wording.phase.strip())
        wishes.append(_wish(tool, phase, "\n".join((section, *replies)), wording))
    return tuple(wishes)


def _wish(tool: Tool, phase: int, said: str, wording: Wording) -> Wish:
    values: dict[str, JsonValue] = {}
    bindings: dict[str, Binding] = {}
    for name, schema in properties_of(tool).items():
        words = words_of(name)
        for kind, sentence in wording.bindings.items():
            pattern = re.escape(sentence.format(words=words, value="\0")).replace("\0", "(.*?)")
            pattern = rf"(?<!\w){pattern}" if words.isascii() and sentence[0].isascii() else pattern
            match = re.search(pattern, said, re.DOTALL)
            if match and kind is Binding.GIVEN:
                values[name] = _read(match[1], schema)
            elif match:
                bindings[name] = kind
    return Wish(tool, phase, values, {name: kind for name, kind in bindings.items() if name not in values})


def _shown(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _read(text: str, schema: JsonObject) -> JsonValue:
    options = schema.get("enum")
    for option in options if isinstance(options, list) else []:
        if _shown(option) == text:
            return option
    if type_of(schema) == "string":
        return text
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text
    return value
