"""JSON as models write it: in fences and prose, with other quotes, stray commas, or its end missing."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import JsonValue

from scoring.model.strict_json import MAX_DEPTH, depth

LONGEST_REPLY = 400_000
"""Characters of a reply that are looked at; what is longer is rejected unread."""
_MOST_STARTS = 8
_FENCE = re.compile(r"```[ \t]*[A-Za-z]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
_COMMENT = re.compile(r"//[^\n\"]*$", re.MULTILINE)


def is_cut_off(text: str) -> bool:
    """Whether a text ends inside the JSON it holds."""
    return bool(_ending(text))


def json_values(text: str) -> Iterator[JsonValue]:
    """The JSON objects and lists a reply may mean: fenced ones, the whole, then those inside prose."""
    for fenced in _FENCE.findall(text):
        value = parsed_json(fenced)
        if isinstance(value, dict | list):
            yield value
    starts = [found.start() for found in re.finditer(r"[{\[]", text)][:_MOST_STARTS]
    for start in starts:
        end = max(text.rfind("}"), text.rfind("]")) + 1
        is_all = start == starts[0] and not text[end:].strip()
        value = parsed_json(text[start:end], can_close=is_all) if end > start else None
        is_whole = value is not None
        if value is None:
            value = _parsed_prefix(text[start:])
        if isinstance(value, dict | list):
            yield value
            if is_whole and start == starts[0]:
                return


def _parsed_prefix(text: str) -> JsonValue:
    try:
        value: JsonValue = json.JSONDecoder(strict=False).raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None
    return _sound(value)


def parsed_json(text: str, *, can_close: bool = True) -> JsonValue:
    """An object or a list, from a text as it is or repaired; None where nothing helps.

    Args:
        text: The text.
        can_close: Whether the last bracket may be missing, after another one: what ends elsewhere has lost
            more than a bracket.
    """
    text = text.strip()
    if not text or len(text) > LONGEST_REPLY:
        return None
    for repaired in _repairs(text, can_close=can_close and text[-1] in "]}"):
        try:
            value = json.loads(repaired, strict=False, parse_constant=_refuse)
        except (ValueError, RecursionError):
            continue
        found = _sound(value)
        if found is not None:
            return found
    return None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _sound(value: Any) -> JsonValue:
    return value if isinstance(value, dict | list) and depth(value) <= MAX_DEPTH else None


def _repairs(text: str, *, can_close: bool) -> Iterator[str]:
    yield text
    tidy = _tidied(_COMMENT.sub("", text))
    yield tidy
    ending = _ending(tidy) if can_close else ""
    if len(ending) == 1:
        yield tidy + ending


def _tidied(text: str) -> str:
    """The text with double quotes, standard names of constants, and no comma before a closing bracket."""
    made: list[str] = []
    i = 0
    while i < len(text):
        char = text[i]
        if char in "\"'":
            literal, i = _literal(text, i)
            made.append(literal)
            continue
        word = re.compile(r"[A-Za-z_]\w*").match(text, i)
        if word:
            name = word[0]
            is_key = re.match(r"\s*:", text[word.end() :][:20]) is not None
            constants = {"True": "true", "False": "false", "None": "null"}
            is_json = name in ("true", "false", "null")
            made.append(constants.get(name) or (json.dumps(name) if is_key and not is_json else name))
            i = word.end()
            continue
        if char in "}]":
            while made and not made[-1].strip():
                made.pop()
            if made and made[-1] == ",":
                made.pop()
        made.append(char)
        i += 1
    return "".join(made)


def _literal(text: str, start: int) -> tuple[str, int]:
    """A quoted text as JSON writes it, and where it ends; an apostrophe inside words ends no text."""
    quote, i, inner = text[start], start + 1, []
    while i < len(text):
        char = text[i]
        if char == "\\" and i + 1 < len(text):
            inner.append("'" if text[i + 1] == "'" else text[i : i + 2])
            i += 2
            continue
        is_inside = quote == "'" and i + 1 < len(text) and text[i + 1].isalnum() and text[i - 1].isalnum()
        if char == quote and not is_inside:
            break
        inner.append({'"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char, char))
        i += 1
    return f'"{"".join(inner)}"', i + 1


def _ending(text: str) -> str:
    """What closes the text and the brackets that are open at the end of a text."""
    stack: list[str] = []
    is_inside = is_escaped = False
    for char in text:
        if is_inside:
            is_inside, is_escaped = is_escaped or char != '"', char == "\\" and not is_escaped
        elif char == '"':
            is_inside = True
        elif char in "{[":
            stack.append("}" if char == "{" else "]")
        elif char in "}]" and stack:
            stack.pop()
    return ('"' if is_inside else "") + "".join(reversed(stack))
