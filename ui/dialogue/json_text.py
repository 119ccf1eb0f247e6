"""JSON written for people, with the place of every value in the text."""

import json
import marshal
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from pydantic import JsonValue

from scoring.model.flow import escape
from scoring.model.record import to_text

LONGEST_WORD = 3_000
"""Characters without a blank that are shown for reading: laying out more takes Qt seconds."""
_UNSEEN = re.compile(
    "[\x7f-\xa0\xad\u061c\u115f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff]"
)


class TokenKind(StrEnum):
    """What a piece of JSON text is."""

    KEY = "key"
    STRING = "string"
    NUMBER = "number"
    LITERAL = "literal"
    PUNCTUATION = "punctuation"


@dataclass(frozen=True)
class Token:
    """A piece of JSON text; `path` is the JSON Pointer of the value it belongs to."""

    text: str
    kind: TokenKind
    path: str


@dataclass(frozen=True)
class JsonText:
    """A value as text: its pieces in order."""

    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(token.text for token in self.tokens)

    @property
    def spans(self) -> Iterator[tuple[int, int, Token]]:
        """Each piece with its place, as start, end, and piece."""
        start = 0
        for token in self.tokens:
            end = start + len(token.text)
            yield start, end, token
            start = end

    def path_at(self, position: int) -> str | None:
        """The pointer of the scalar or key at a position of the text; None between values."""
        found = next((token for _, end, token in self.spans if position < end), None)
        return None if found is None or found.kind is TokenKind.PUNCTUATION else found.path

    def span_of(self, path: str) -> tuple[int, int] | None:
        """Where the scalar at a pointer stands, as [start, end); None where there is none."""
        around = (TokenKind.KEY, TokenKind.PUNCTUATION)
        places = ((a, b) for a, b, token in self.spans if token.path == path and token.kind not in around)
        return next(places, None)


def write_json(value: JsonValue, *, line_length: int = 88, limit: int = 0) -> JsonText:
    """Write a value on one line where it fits, else indented.

    Args:
        value: Any JSON value.
        line_length: Longest single line, in characters.
        limit: Most characters to write, roughly; the rest is left out behind an ellipsis. 0 for all.
    """
    flat = [*_taken(_tokens(value, "", indent=None), line_length + 1)]
    if sum(len(token.text) for token in flat) <= line_length:
        return JsonText(tuple(flat))
    indented = _tokens(value, "", indent="")
    return JsonText(tuple(_taken(indented, limit) if limit else indented))


def editable_json(value: JsonValue, *, indent: int | None = 2) -> str:
    """Write a value for an editor: characters one cannot see, or that break lines, as escapes.

    Args:
        value: Any JSON value.
        indent: Blanks a level; None for one line.
    """
    return _UNSEEN.sub(
        lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False, indent=indent)
    )


def same_json(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are written alike; 1, 1.0 and true are not, nor are two orders of keys."""
    # Values that are not even equal, which is quick to see, need not be written out; marshal (2 is the last
    # version that writes nothing but the value) does that three times as fast as JSON.
    return one is other or (one == other and marshal.dumps(one, 2) == marshal.dumps(other, 2))


def _taken(tokens: Iterator[Token], most: int) -> Iterator[Token]:
    length = 0
    for token in tokens:
        is_whole = len(token.text) <= max(most, LONGEST_WORD)
        yield token if is_whole else replace(token, text=token.text[:LONGEST_WORD] + "…")
        length += len(token.text)
        if length > most:
            yield Token("\n…", TokenKind.PUNCTUATION, "")
            break


def _mark(text: str) -> Token:
    return Token(text, TokenKind.PUNCTUATION, "")


def _scalar(value: JsonValue, path: str) -> Token:
    kind = TokenKind.LITERAL
    match value:
        case str():
            kind = TokenKind.STRING
        case int() | float() if not isinstance(value, bool):
            kind = TokenKind.NUMBER
    return Token(json.dumps(value, ensure_ascii=False), kind, path)


def _tokens(value: JsonValue, path: str, *, indent: str | None) -> Iterator[Token]:
    """The pieces of a value: on one line without an indent, else a line for each value in it."""
    if not isinstance(value, dict | list):
        yield _scalar(value, path)
        return
    is_object, deeper = isinstance(value, dict), None if indent is None else indent + "  "
    opening, closing = "{}" if is_object else "[]"
    begin = end = " " if is_object else ""
    between = " "
    if indent is not None:
        begin, between, end = f"\n{deeper}", f"\n{deeper}", f"\n{indent}"
    yield _mark(opening + begin if value else opening)
    for number, (key, inner) in enumerate(value.items() if isinstance(value, dict) else enumerate(value)):
        at = f"{path}/{escape(str(key))}"
        if number:
            yield _mark(f",{between}")
        if is_object:
            yield Token(json.dumps(key, ensure_ascii=False), TokenKind.KEY, at)
            yield _mark(": ")
        yield from _tokens(inner, at, indent=deeper)
    yield _mark(end + closing if value else closing)


def summary_line(value: JsonValue, *, length: int = 160) -> str:
    """One line about an observation: names, counts and the first values."""
    if isinstance(value, str):
        line = " ".join(value[: 2 * length].split())
    else:
        pieces = (piece[:length] for piece in islice(_digest(value, length), 2 * length))
        line = " ".join("".join(pieces).split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _digest(value: JsonValue, room: int) -> Iterator[str]:
    match value:
        case dict():
            for number, (key, inner) in enumerate(value.items()):
                if number:
                    yield ", "
                match inner:
                    case list():
                        yield f"{key}[{len(inner)}]: "
                        yield from _digest(inner, room)
                    case dict():
                        yield f"{key} › "
                        yield from _digest(inner, room)
                    case _:
                        yield f"{key} {to_text(inner)}"
        case list():
            for number, inner in enumerate(value[:room]):
                yield "; " if number else ""
                yield from _digest(inner, room)
        case _:
            yield to_text(value)
