"""Changing one value inside JSON text: what to replace where, so that the rest stays as it was written."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from annotator.cases.pointers import keys_of
from ui.transcript.json_text import editable_json

_BLANKS = re.compile(r"[ \t\n\r]*")
_BETWEEN = re.compile(r"[ \t\n\r,:]*")
_INDENT = "  "
_READ = json.JSONDecoder().raw_decode


@dataclass(frozen=True)
class TextEdit:
    """[start, end) of a text and what stands there afterwards, in characters."""

    start: int
    end: int
    text: str

    def made_in(self, text: str) -> str:
        """The text with the edit made."""
        return text[: self.start] + self.text + text[self.end :]


@dataclass(frozen=True)
class _Member:
    """A value in an object or a list: where its name begins (itself in a list), it begins, and it ends."""

    key: str
    first: int
    start: int
    end: int


def edit_to_set(text: str, path: str, value: JsonValue) -> TextEdit:
    """Replace the value at a pointer; an object gets a missing name at its end, and so does a list.

    Args:
        text: JSON text without mistakes, each name once.
        path: Pointer of the place; every object and list above it exists.
        value: What stands there afterwards.
    """
    at, keys = _past(_BLANKS, text, 0), keys_of(path)
    if not keys:
        return TextEdit(at, _READ(text, at)[1], editable_json(value))
    for key in keys[:-1]:
        at = next(member.start for member in _members(text, at) if member.key == key)
    members = list(_members(text, at))
    found = next((member for member in members if member.key == keys[-1]), None)
    if found is not None:
        is_spread = "\n" in text
        return TextEdit(found.start, found.end, _written(value, _indent_at(text, found.first), is_spread))
    name = f"{json.dumps(keys[-1], ensure_ascii=False)}: " if text[at] == "{" else ""
    if not members:
        return _first_member(text, at, name, value)
    first, last = members[0], members[-1]
    is_spread = "\n" in text[at : first.first]
    indent = _indent_at(text, first.first) if is_spread else ""
    written = name + _written(value, indent, is_spread)
    return TextEdit(last.end, last.end, f",\n{indent}{written}" if is_spread else f", {written}")


def edit_to_remove(text: str, path: str) -> TextEdit:
    """Take the value at a pointer out, with its name and one comma; nothing where there is none.

    Args:
        text: JSON text without mistakes, each name once.
        path: Pointer of the place, not of the whole.
    """
    at, keys = _past(_BLANKS, text, 0), keys_of(path)
    for key in keys[:-1]:
        at = next(member.start for member in _members(text, at) if member.key == key)
    members = list(_members(text, at))
    place = next((number for number, member in enumerate(members) if member.key == keys[-1]), None)
    if place is None:
        return TextEdit(at, at, "")
    found = members[place]
    if place + 1 < len(members):
        return TextEdit(found.first, members[place + 1].first, "")
    if place:
        return TextEdit(members[place - 1].end, found.end, "")
    return TextEdit(at + 1, _past(_BLANKS, text, found.end), "")


def _members(text: str, at: int) -> Iterator[_Member]:
    """What stands in the object or list that begins at a place."""
    is_object, number = text[at] == "{", 0
    at = _past(_BETWEEN, text, at + 1)
    while text[at] not in "}]":
        first, key = at, str(number)
        if is_object:
            key, end = _READ(text, at)
            at = _past(_BETWEEN, text, end)
        start, at = at, _READ(text, at)[1]
        yield _Member(key, first, start, at)
        at = _past(_BETWEEN, text, at)
        number += 1


def _first_member(text: str, at: int, name: str, value: JsonValue) -> TextEdit:
    end = _past(_BLANKS, text, at + 1)
    outer = _indent_at(text, at)
    indent = outer + _INDENT
    is_spread = "\n" in text or text[at] == "{"
    written = name + _written(value, indent, is_spread)
    return TextEdit(at + 1, end, f"\n{indent}{written}\n{outer}" if is_spread else written)


def _written(value: JsonValue, indent: str, is_spread: bool) -> str:
    if not is_spread or not isinstance(value, dict | list):
        return editable_json(value, indent=None)
    return editable_json(value).replace("\n", f"\n{indent}")


def _indent_at(text: str, at: int) -> str:
    """The blanks the line of a place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _past(blanks: re.Pattern[str], text: str, at: int) -> int:
    found = blanks.match(text, at)
    return found.end() if found is not None else at
