"""Walking JSON text that may be broken: where its values stand, and what a cursor stands in."""

import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from scoring.model.flow import escape

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*(?:"|(?=\n)|$)|[{}\[\],:]|[^\s{}\[\],:"]+')
_STRUCTURE = re.compile(r"[{}\[\],:]")
_BETWEEN = re.compile(r"[ \t\n\r,:]*")
_READ = json.JSONDecoder().raw_decode
_CHECKPOINT = 8_000
"""Characters between two places the walk can start from again."""
_MOST_AROUND = 20_000
"""Characters behind the cursor that are read for the names of its object."""


@dataclass(slots=True)
class _Level:
    """An object or a list the walk is in: its pointer, and how far it has come."""

    path: str = ""
    is_object: bool = False
    start: int = 0
    name: re.Match[str] | None = None
    index: int = 0
    wants_name: bool = True


_Levels = list[_Level]


class _Member(NamedTuple):
    """A value in JSON text: its pointer, where its name stands, and where it begins itself."""

    path: str
    name: tuple[int, int] | None
    start: int


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


class JsonScanner:
    """Finds the spot of a cursor; what stands before the last change is not walked again."""

    def __init__(self) -> None:
        self._offsets: list[int] = [0]
        self._levels: list[_Levels] = [[_Level()]]

    def forget_from(self, position: int) -> None:
        """Take note that the text may have changed from a position on."""
        kept = max(bisect_right(self._offsets, max(position - 1, 0)), 1)
        del self._offsets[kept:], self._levels[kept:]

    def spot(self, text: str, position: int) -> Spot | None:
        """What a cursor at a position stands in; null behind a value that is complete."""
        levels, token = self._walk(text, position)
        level = levels[-1]
        start = end = position
        if token is not None:
            start, end = token.span()
        word = text[start:end]
        is_quoted = word.startswith('"')
        if is_quoted and end == position and len(word) > 1 and word.endswith('"'):
            return None
        if token is not None and _STRUCTURE.search(word[position - start :].rstrip('"')):
            end = position
        is_name = level.is_object and level.wants_name
        path = level.path if is_name else _inside(levels)
        names = _names_around(text, level.start + 1, start, end) if is_name else frozenset()
        typed = text[start + is_quoted : position]
        return Spot(path, is_name, start, end, typed, is_quoted, names)

    def path_at(self, text: str, position: int) -> str:
        """The pointer of the value a cursor stands in or behind, or of the one whose name it stands in."""
        levels, token = self._walk(text, position)
        level = levels[-1]
        if level.is_object and level.wants_name:
            is_name = token is not None and token[0][0] == '"'
            return f"{level.path}/{escape(_bare(token[0]))}" if is_name and token is not None else level.path
        return _inside(levels)

    def _walk(self, text: str, position: int) -> tuple[_Levels, re.Match[str] | None]:
        at = bisect_right(self._offsets, position) - 1
        levels, offset = _copy(self._levels[at]), self._offsets[at]
        for token in _TOKEN.finditer(text, offset):
            start, end = token.span()
            if start >= position:
                break
            if end >= position and (end > position or token[0][0] not in "{}[],:"):
                return levels, token
            _step(levels, token)
            if end - self._offsets[-1] >= _CHECKPOINT:
                self._offsets.append(end)
                self._levels.append(_copy(levels))
        return levels, None


def _names_around(text: str, first: int, start: int, end: int) -> frozenset[str]:
    """The names of an object before and behind the one at [start, end)."""
    levels = [_Level(is_object=True)]
    names = set()
    before = _TOKEN.finditer(text, first, start)
    for token in chain(before, _TOKEN.finditer(text, end, min(end + _MOST_AROUND, len(text)))):
        is_here = len(levels) == 1
        if is_here and token[0] == "}":
            break
        if is_here and levels[0].wants_name and token[0][0] == '"':
            names.add(_bare(token[0]))
        _step(levels, token)
    return frozenset(names)


def places_in(text: str, wanted: Collection[str]) -> dict[str, tuple[int, int]]:
    """Where values stand in JSON text.

    Args:
        text: JSON text without mistakes.
        wanted: JSON Pointers.

    Returns:
        For each pointer that leads somewhere [start, end): of a scalar the scalar, of an object or a list its
        name, or its bracket where it has none.
    """
    found: dict[str, tuple[int, int]] = {}
    inside: defaultdict[str, set[str]] = defaultdict(set)
    for path in wanted:
        for at, char in enumerate(path):
            if char == "/":
                inside[path[:at]].add(path[at + 1 :].partition("/")[0])
    waiting = [_Member("", None, _behind_blanks(text, 0))]
    while waiting:
        member = waiting.pop()
        is_open = text[member.start] in "{["
        if member.path in wanted:
            end = member.start + 1 if is_open else _READ(text, member.start)[1]
            found[member.path] = member.name if is_open and member.name else (member.start, end)
        if is_open and member.path in inside:
            waiting += _members(text, member, inside[member.path])
    return found


def _members(text: str, outer: _Member, keys: set[str]) -> Iterator[_Member]:
    """What stands in an object or a list under some of its keys, as pointers write them."""
    # The decoder steps over a value many times as fast as the walk over its tokens.
    is_object, at = text[outer.start] == "{", _behind_blanks(text, outer.start + 1)
    index = seen = 0
    while text[at] not in "}]" and seen < len(keys):
        key, name = str(index), None
        if is_object:
            word, end = _READ(text, at)
            key, name, at = escape(word), (at, end), _behind_blanks(text, end)
        if key in keys:
            yield _Member(f"{outer.path}/{key}", name, at)
            seen += 1
        at = _behind_blanks(text, _READ(text, at)[1])
        index += 1


def _behind_blanks(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found is not None else at


def _step(levels: _Levels, token: re.Match[str]) -> None:
    """Take the levels behind a token."""
    text, top = token[0], levels[-1]
    if text == ",":
        top.wants_name, top.name = True, None
        top.index += 1
    elif text == ":":
        top.wants_name = False
    elif text in ("{", "["):
        levels.append(_Level(_inside(levels), text == "{", token.start()))
    elif text in ("}", "]"):
        if len(levels) > 1:
            levels.pop()
    elif top.is_object and top.wants_name:
        top.name = token


def _copy(levels: _Levels) -> _Levels:
    return [replace(level) for level in levels]


def _inside(levels: _Levels) -> str:
    """The pointer of the value that stands next."""
    top = levels[-1]
    if len(levels) == 1:
        return top.path
    if not top.is_object:
        return f"{top.path}/{top.index}"
    return f"{top.path}/{escape(_bare(top.name[0])) if top.name else ''}"


def _bare(name: str) -> str:
    """A name as it is meant, whatever of it is typed so far."""
    inner = name[1:-1] if len(name) > 1 and name.endswith('"') else name[1:]
    if "\\" not in inner:
        return inner
    try:
        return str(json.loads(f'"{inner}"'))
    except ValueError:
        return inner
