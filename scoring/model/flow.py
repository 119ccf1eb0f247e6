"""Whether a value flows: does an argument of one step stand in what an earlier step brought back."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pydantic import JsonValue

Scalar = str | int | float | bool | None

_SHORTEST_WORD = 3
"""Characters a text must have to be looked for inside longer texts."""
_SHORTEST_SCALAR = 2
"""Characters a text must have to count when it equals a whole value."""
_SMALLEST_IN_TEXT = 10
"""Integers below this stand in texts by accident."""


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """Where a value was found.

    `path` is a JSON Pointer into the source (empty for the source itself). `span` is [start, end) in
    characters of the text there, or None where the whole value was matched. `exact` is false where
    the two differ in spacing, case or punctuation, or as text against number.
    """

    path: str
    span: tuple[int, int] | None = None
    exact: bool = True


def leaves(value: JsonValue, path: str = "") -> Iterator[tuple[str, Scalar]]:
    """Walk the scalars of a JSON value as (JSON Pointer, scalar), in order; empty containers have none."""
    stack: list[tuple[str, JsonValue]] = [(path, value)]
    while stack:
        at, item = stack.pop()
        match item:
            case dict():
                stack.extend((f"{at}/{escape(key)}", item[key]) for key in reversed(item))
            case list():
                stack.extend((f"{at}/{i}", item[i]) for i in reversed(range(len(item))))
            case _:
                yield at, item


def escape(key: str) -> str:
    """Write a key as one token of a JSON Pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key


def unescape(token: str) -> str:
    """Read a token of a JSON Pointer as the key it stands for; the way back of `escape`."""
    return token.replace("~1", "/").replace("~0", "~")


_BARE = {code: None for code in range(128) if not chr(code).isalnum()}


def squeeze(text: str) -> str:
    """Reduce a text to its letters and digits, case and width folded: what spacing and punctuation leave."""
    if text.isascii():  # the same in a fraction of the time
        return text.translate(_BARE).lower()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def is_telling(value: Scalar) -> bool:
    """Whether finding the value again says anything.

    Booleans, None, empty and one-character texts and the integers -1, 0 and 1 are everywhere.
    """
    if value is None or isinstance(value, bool):
        return False
    if isinstance(value, str):
        return len(value.strip()) >= _SHORTEST_SCALAR
    return value not in (-1, 0, 1)


class SearchableText:
    """One observation or text, prepared so that many values can be looked up in it quickly.

    Args:
        source: An observation, a reply, a request: any JSON value.
        scalars: Its `leaves`, where they are known already.
    """

    def __init__(self, source: JsonValue, *, scalars: tuple[tuple[str, Scalar], ...] | None = None) -> None:
        self._leaves = tuple(leaves(source)) if scalars is None else scalars

    @cached_property
    def _exact(self) -> dict[tuple[str, str], str]:
        return {_key(leaf): path for path, leaf in reversed(self._leaves)}  # the first place counts

    @cached_property
    def _squeezed(self) -> dict[str, str]:
        return {_loose(leaf): path for path, leaf in reversed(self._leaves)}

    @cached_property
    def _texts(self) -> tuple[tuple[str, str, str], ...]:
        return tuple((path, leaf, leaf.casefold()) for path, leaf in self._leaves if isinstance(leaf, str))

    def find(self, value: Scalar) -> ValuePlace | None:
        """Find one scalar: as a whole value, loosely as a whole value, or as words inside a text.

        Returns:
            The first place in this order of preference; None where it stands nowhere or says nothing
            (see `is_telling`).
        """
        needle = _needle(value) if self._leaves else None
        if needle is None:
            return None
        if (path := self._exact.get(needle.key)) is not None:
            return ValuePlace(path=path)
        if len(needle.loose) >= _SHORTEST_SCALAR and (path := self._squeezed.get(needle.loose)) is not None:
            return ValuePlace(path=path, exact=False)
        return self._find_inside(needle) if needle.words else None

    def _find_inside(self, sought: "_Needle") -> ValuePlace | None:
        for path, text, lower in self._texts:
            if sought.folded not in lower:
                continue
            for subject, needle, exact in ((text, sought.words, True), (lower, sought.folded, False)):
                start = _find_words(needle, subject)
                # Folding can lengthen a text (sz for a sharp s); then the span would point elsewhere.
                if start >= 0 and len(subject) == len(text):
                    return ValuePlace(path=path, span=(start, start + len(needle)), exact=exact)
        return None


@dataclass(frozen=True, slots=True)
class _Needle:
    """A value made ready to be looked for; `words` is empty where it is not looked for inside texts."""

    key: tuple[str, str]
    loose: str
    words: str
    folded: str


@lru_cache(2_000, typed=True)
def _needle(value: Scalar) -> _Needle | None:
    """A value that says anything, made ready; one value is looked for in many places."""
    if not is_telling(value):
        return None
    words = ""
    match value:
        case str():
            words = value.strip() if len(value.strip()) >= _SHORTEST_WORD else ""
        case int() | float() if abs(value) >= _SMALLEST_IN_TEXT:
            words = number_text(value)
    return _Needle(_key(value), _loose(value), words, words.casefold())


def flows(value: JsonValue, observation: "JsonValue | SearchableText") -> bool:
    """Whether any telling scalar of a value stands in an observation.

    Args:
        value: Arguments of a call, or one of them.
        observation: What an earlier step brought back, or the same prepared as `SearchableText`.
    """
    said = observation if isinstance(observation, SearchableText) else SearchableText(observation)
    return any(said.find(leaf) is not None for _, leaf in leaves(value))


def _find_words(needle: str, text: str) -> int:
    """Where a text first holds words that no ASCII letter or digit continues; -1 where it does not."""
    # Chinese and Japanese write no blanks between words, so only ASCII letters and digits bound a word.
    # A pattern for each value would have to be compiled for each value.
    start = text.find(needle)
    while start >= 0:
        end = start + len(needle)
        is_continued = _is_letter(needle[-1:]) and _is_of_word(text[end : end + 1])
        if not is_continued and not (start and _is_letter(needle[0]) and _is_of_word(text[start - 1])):
            return start
        start = text.find(needle, start + 1)
    return -1


def _is_letter(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _is_of_word(char: str) -> bool:
    return char == "_" or _is_letter(char)


def _key(value: Scalar) -> tuple[str, str]:
    if isinstance(value, bool) or value is None:
        return "other", str(value)
    return ("text", value) if isinstance(value, str) else ("number", number_text(value))


def number_text(value: Scalar) -> str:
    """A value as a text; a number without decimals is written like an integer."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")


def _loose(value: Scalar) -> str:
    if isinstance(value, bool) or value is None:
        return ""
    # A sign and a decimal point are no punctuation in a number.
    text = value if isinstance(value, str) else number_text(value)
    bare = text.strip()
    return bare if _NUMBER.fullmatch(bare) else squeeze(text)
