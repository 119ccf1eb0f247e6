"""JSON text, possibly broken: what stands where in it, and changing one value of it."""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from pydantic import JsonValue

from annotator.cases.pointers import keys_of
from scoring.model.flow import escape
from scoring.model.strict_json import MAX_DEPTH
from ui.dialogue.json_text import editable_json

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*(?:"|(?=\n)|$)|[{}\[\],:]|[^\s{}\[\],:"]+')
_STRUCTURE = re.compile(r"[{}\[\],:]")
_BLANKS, _BETWEEN = re.compile(r"[ \t\n\r]*"), re.compile(r"[ \t\n\r,:]*")
_PAIRS = {"{": "}", "[": "]"}
_READ = json.JSONDecoder().raw_decode
_INDENT = "  "
_BRACKET_REACH = 10_000
"""Characters in which the partner of a bracket is looked for; further away it is out of sight."""
_NAMES_REACH = 20_000
"""Characters behind the cursor that are read for the names of its object."""


# where a cursor stands, in text that may be broken


@dataclass(frozen=True)
class Spot:
    """What a cursor stands in: the name of an argument, or a value.

    `path` is the pointer of the object for a name, of the value itself for a value. [start, end) is what is
    typed there so far and would be replaced; `typed` the part before the cursor, without its quote. `names`
    are the other names of the object.
    """

    path: str
    is_name: bool
    start: int
    end: int
    typed: str
    is_quoted: bool
    names: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Level:
    """An object or a list a cursor stands in: its pointer, and how far it was read, with the names so far."""

    path: str = ""
    is_object: bool = False
    names: set[str] = field(default_factory=set)
    name: str = ""
    index: int = 0
    wants_name: bool = True


def spot_at(text: str, position: int) -> Spot | None:
    """What a cursor at a position stands in; None behind a text that is complete."""
    levels, token = _levels_at(text, position)
    level = levels[-1]
    start, end = token.span() if token is not None else (position, position)
    word = text[start:end]
    is_quoted = word.startswith('"')
    if is_quoted and end == position and len(word) > 1 and word.endswith('"'):
        return None
    if _STRUCTURE.search(word[position - start :].rstrip('"')):
        end = position
    typed = text[start + is_quoted : position]
    if level.is_object and level.wants_name:
        names = level.names | _names_behind(text, end)
        return Spot(level.path, True, start, end, typed, is_quoted, frozenset(names))
    return Spot(_next_path(levels), False, start, end, typed, is_quoted)


def path_at(text: str, position: int) -> str:
    """The pointer of the value a cursor stands in or behind, or of the one whose name it stands in."""
    levels, token = _levels_at(text, position)
    level = levels[-1]
    if not (level.is_object and level.wants_name):
        return _next_path(levels)
    is_name = token is not None and token[0][0] == '"'
    return f"{level.path}/{escape(_bare(token[0]))}" if is_name and token is not None else level.path


def matching_bracket(text: str, position: int) -> int | None:
    """Find the partner of a bracket; brackets inside strings do not count.

    Args:
        text: JSON text, possibly broken.
        position: Where a bracket stands.

    Returns:
        The place of its partner; None where there is no bracket, or none that matches within reach.
    """
    if not 0 <= position < len(text) or text[position] not in "{}[]":
        return None
    # A string of JSON ends with its line at the latest, so every line begins outside of one.
    start = text.rfind("\n", 0, max(position - _BRACKET_REACH, 0)) + 1
    openers: list[int] = []
    for token in _TOKEN.finditer(text, max(start, position - 2 * _BRACKET_REACH), position + _BRACKET_REACH):
        if token[0] in _PAIRS:
            openers.append(token.start())
        elif token[0] in ("}", "]"):
            opener = openers.pop() if openers else None
            if position in (opener, token.start()):
                is_pair = opener is not None and _PAIRS[text[opener]] == token[0]
                other = token.start() if position == opener else opener
                return other if is_pair else None
    return None


def _levels_at(text: str, position: int) -> tuple[list[_Level], re.Match[str] | None]:
    """What a position stands in, outermost first, and the token it stands in or behind."""
    levels, at = [_Level()], 0
    while (token := _TOKEN.search(text, at)) is not None and token.start() < position:
        start, at = token.span()
        if at >= position and (at > position or token[0][0] not in "{}[],:"):
            return levels, token
        # The decoder steps over a value many times as fast as the walk over its tokens.
        end = _end_of(text, start) if token[0] in _PAIRS else None
        if end is not None and end <= position:
            at = end
        else:
            _step(levels, token)
        if len(levels) > MAX_DEPTH:  # no such text is read
            return [_Level()], None
    return levels, None


def _end_of(text: str, start: int) -> int | None:
    """Where the value ends that begins at a place; None where it is broken."""
    try:
        return _READ(text, start)[1]
    except (ValueError, RecursionError):
        return None


def _step(levels: list[_Level], token: re.Match[str]) -> None:
    """Go into, on in or out of the objects and lists around a token."""
    text, top = token[0], levels[-1]
    if text == ",":
        top.wants_name, top.name = True, ""
        top.index += 1
    elif text == ":":
        top.wants_name = False
    elif text in _PAIRS:
        levels.append(_Level(_next_path(levels), text == "{"))
    elif text in ("}", "]"):
        del levels[max(len(levels) - 1, 1) :]
    elif top.is_object and top.wants_name:
        top.name = text
        if text[0] == '"':
            top.names.add(_bare(text))


def _next_path(levels: list[_Level]) -> str:
    """The pointer of the value that stands next."""
    top = levels[-1]
    key = escape(_bare(top.name)) if top.is_object else top.index
    return f"{top.path}/{key}" if len(levels) > 1 else top.path


def _names_behind(text: str, end: int) -> set[str]:
    """The names of an object behind a place in it."""
    levels = [_Level(is_object=True)]
    for token in _TOKEN.finditer(text, end, min(end + _NAMES_REACH, len(text))):
        if len(levels) == 1 and token[0] == "}":
            break
        _step(levels, token)
    return levels[0].names


def _bare(name: str) -> str:
    """A name as it is meant, whatever of it is typed so far."""
    inner = name[1:-1] if len(name) > 1 and name.endswith('"') else name[1:]
    try:
        return str(json.loads(f'"{inner}"')) if "\\" in inner else inner
    except ValueError:
        return inner


# values in text without mistakes


@dataclass(frozen=True)
class TextEdit:
    """[start, end) of a text and what stands there afterwards, in characters."""

    start: int
    end: int
    text: str

    def made_in(self, text: str) -> str:
        """The text with the edit made."""
        return text[: self.start] + self.text + text[self.end :]


@dataclass(frozen=True, slots=True)
class _Member:
    """A value in an object or a list: where its name begins (itself in a list), it begins, and it ends."""

    key: str
    first: int
    start: int
    end: int


def places_in(text: str, wanted: Collection[str]) -> dict[str, tuple[int, int]]:
    """Where values stand in JSON text.

    Args:
        text: JSON text without mistakes.
        wanted: JSON Pointers.

    Returns:
        For each pointer that leads somewhere [start, end): of a scalar the scalar, of an object or a list its
        name, or its bracket where it has none.
    """
    inside: defaultdict[str, set[str]] = defaultdict(set)
    for path in wanted:
        for at, char in enumerate(path):
            if char == "/":
                inside[path[:at]].add(path[at + 1 :].partition("/")[0])
    found: dict[str, tuple[int, int]] = {}
    start = _past(_BLANKS, text, 0)
    if "" in wanted:
        found[""] = (start, start + 1 if text[start] in _PAIRS else _READ(text, start)[1])
    waiting = [("", start)] if text[start] in _PAIRS else []
    while waiting:
        path, start = waiting.pop()
        for member in _members(text, start):
            key = escape(member.key)
            if key not in inside[path]:
                continue
            inner, is_open = f"{path}/{key}", text[member.start] in _PAIRS
            if inner in wanted:
                found[inner] = _shown_place(text, member) if is_open else (member.start, member.end)
            if is_open and inner in inside:
                waiting.append((inner, member.start))
    return found


def _shown_place(text: str, member: _Member) -> tuple[int, int]:
    """The name of an object or a list, or its bracket."""
    return member.first, _READ(text, member.first)[1] if member.first < member.start else member.start + 1


def edit_to_set(text: str, path: str, value: JsonValue) -> TextEdit:
    """Replace the value at a pointer; an object gets a missing name at its end, and so does a list.

    Args:
        text: JSON text without mistakes, each name once.
        path: Pointer of the place, not of the whole; every object and list above it exists.
        value: What stands there afterwards.
    """
    at, key = _holder_of(text, path)
    members = list(_members(text, at))
    found = next((member for member in members if member.key == key), None)
    if found is not None:
        return TextEdit(found.start, found.end, _written(value, _indent_at(text, found.first), "\n" in text))
    name = f"{json.dumps(key, ensure_ascii=False)}: " if text[at] == "{" else ""
    if members:
        first, last = members[0], members[-1]
        is_spread = "\n" in text[at : first.first]
        indent = _indent_at(text, first.first) if is_spread else ""
        written = name + _written(value, indent, is_spread)
        return TextEdit(last.end, last.end, f",\n{indent}{written}" if is_spread else f", {written}")
    outer = _indent_at(text, at)
    is_spread = "\n" in text or text[at] == "{"
    written = name + _written(value, outer + _INDENT, is_spread)
    return TextEdit(
        at + 1,
        _past(_BLANKS, text, at + 1),
        f"\n{outer}{_INDENT}{written}\n{outer}" if is_spread else written,
    )


def edit_to_remove(text: str, path: str) -> TextEdit:
    """Take the value at a pointer out, with its name and one comma; nothing where there is none.

    Args:
        text: JSON text without mistakes, each name once.
        path: Pointer of the place, not of the whole.
    """
    at, key = _holder_of(text, path)
    members = list(_members(text, at))
    place = next((number for number, member in enumerate(members) if member.key == key), None)
    if place is None:
        return TextEdit(at, at, "")
    found = members[place]
    if place + 1 < len(members):
        return TextEdit(found.first, members[place + 1].first, "")
    return (
        TextEdit(members[place - 1].end, found.end, "")
        if place
        else TextEdit(at + 1, _past(_BLANKS, text, found.end), "")
    )


def _holder_of(text: str, path: str) -> tuple[int, str]:
    """Where the object or list begins that a pointer leads into, and the last key of the pointer."""
    at, keys = _past(_BLANKS, text, 0), keys_of(path)
    for key in keys[:-1]:
        at = next(member.start for member in _members(text, at) if member.key == key)
    return at, keys[-1]


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


def _written(value: JsonValue, indent: str, is_spread: bool) -> str:
    return (
        editable_json(value).replace("\n", f"\n{indent}")
        if is_spread and isinstance(value, dict | list)
        else editable_json(value, indent=None)
    )


def _indent_at(text: str, at: int) -> str:
    """The blanks the line of a place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _past(blanks: re.Pattern[str], text: str, at: int) -> int:
    found = blanks.match(text, at)
    return found.end() if found is not None else at
