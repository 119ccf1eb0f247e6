"""Everything said and returned in a dialogue, as passages that can be searched for a value."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import cached_property, lru_cache, partial
from typing import Literal

from pydantic import JsonValue

from annotator.cases.evidence.dates import DateReading, clocks_in
from annotator.cases.evidence.quantities import quantities_in
from annotator.cases.evidence.written_dates import DateMention
from annotator.cases.pointers import keys_of
from scoring.model.flow import Scalar, SearchableText, is_telling, leaves
from scoring.model.labels import DialogueSource

_WORD = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u9fff\uf900-\ufaff]+")
_ASCII_WORD = re.compile("[a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


SHORTEST_EMBEDDED = 4
"""Characters a text must have to count as part of a longer one."""
_FEWEST_DIGITS = 3
_MOST_SQUEEZED = 256
"""Texts remembered without their spacing: one case asks for the same few again and again."""
_SMALLEST_ROUNDED = 10
_LONGEST_READ = 50_000
"""Characters of one text that are read for numbers and dates in words; all of it is searched as it is."""


class Speaker(StrEnum):
    """Who or what a passage comes from."""

    SYSTEM = "system"
    NOW = "now"
    USER = "user"
    ASK = "ask"
    REPLY = "reply"
    OBSERVATION = "observation"
    ANSWER = "answer"


class Likeness(StrEnum):
    """How a passage holds a value: best first."""

    EXACT = "exact"
    NUMBER = "number"
    DATE = "date"
    ROUNDED = "rounded"
    SPELLING = "spelling"


@dataclass(frozen=True, slots=True)
class Found:
    """A value found in a passage: in which likeness, and where.

    `path` points into an observation and is empty for texts; `span` is [start, end) in characters of
    the text there, None where the whole value was matched.
    """

    passage: "Passage"
    likeness: Likeness
    path: str
    span: tuple[int, int] | None

    @property
    def text(self) -> str:
        """What stands there, as a text."""
        content = next(leaf for path, leaf in self.passage.scalars if path == self.path)
        text = content if isinstance(content, str) else str(content)
        return text[self.span[0] : self.span[1]] if self.span else text

    @property
    def source(self) -> DialogueSource:
        """The place as citations name it."""
        passage, span = self.passage, self.span
        if passage.speaker is Speaker.OBSERVATION:
            return DialogueSource(task=passage.task, step=passage.step, path=self.path, span=span)
        return DialogueSource(
            task=passage.task,
            step=passage.step,
            text=_TEXTS.get(passage.speaker),
            span=span or (0, len(str(passage.content))),
        )


_TEXTS: dict[Speaker, Literal["user", "now", "reply", "system"]] = {
    Speaker.REPLY: "reply",
    Speaker.USER: "user",
    Speaker.NOW: "now",
    Speaker.SYSTEM: "system",
}


def words_of(text: str) -> list[str]:
    """Words of a text, case and width folded; every Chinese character is a word."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


@lru_cache(_MOST_SQUEEZED)
def squeezed(text: str) -> str:
    """Letters and digits of a text in a row: what is left without case, spacing and punctuation."""
    return "".join(words_of(text))


@dataclass(frozen=True)
class Passage:
    """One thing that was said or returned.

    `task` and `step` say where it stands (no task for the system text, no step for a request and for
    now), `turn` how many messages the user had sent by then, `content` is the text or the observation,
    `today` the day it was said on, None where unknown.
    """

    speaker: Speaker
    content: JsonValue
    task: int | None = None
    step: int | None = None
    turn: int = 0
    today: date | None = None

    @property
    def is_asked(self) -> bool:
        """Whether the user said it."""
        return self.speaker in (Speaker.USER, Speaker.REPLY)

    @cached_property
    def scalars(self) -> tuple[tuple[str, Scalar], ...]:
        """The innermost values, each with its pointer; for a text the text itself."""
        return tuple(leaves(self.content))

    @cached_property
    def telling_parts(self) -> tuple[tuple[int, str, Scalar], ...]:
        """The scalars that may be part of a longer text, each with its position and pointer."""
        return tuple((i, path, leaf) for i, (path, leaf) in enumerate(self.scalars) if _is_telling_part(leaf))

    @cached_property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """The texts among the scalars."""
        return tuple((path, leaf) for path, leaf in self.scalars if isinstance(leaf, str))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word that occurs, keys of objects included."""
        keys = {key for path, _ in self.scalars for key in keys_of(path)}
        spoken = [words_of(text) for _, text in self.texts] + [words_of(_CAMEL.sub(" ", key)) for key in keys]
        figures = [words_of(str(leaf)) for _, leaf in self.scalars if not isinstance(leaf, str)]
        return frozenset(word for words in (*spoken, *figures) for word in words)

    @cached_property
    def squeezed(self) -> str:
        """All scalars in a row without case, spacing and punctuation: a quick first look."""
        return "\n".join(squeezed(leaf if isinstance(leaf, str) else str(leaf)) for _, leaf in self.scalars)

    @cached_property
    def numbers(self) -> dict[float | int, tuple[str, tuple[int, int] | None]]:
        """Every number that is stated, with the first place that states it."""
        found: dict[float | int, tuple[str, tuple[int, int] | None]] = {}
        for path, leaf in self.scalars:
            match leaf:
                case str():
                    for number, start, end in quantities_in(leaf[:_LONGEST_READ]):
                        found.setdefault(number, (path, (start, end)))
                case int() | float() if not isinstance(leaf, bool):
                    found.setdefault(leaf, (path, None))
        return found

    @cached_property
    def clocks(self) -> frozenset[tuple[int, int]]:
        """Every clock time that is named."""
        return frozenset().union(*(clocks_in(text[:_LONGEST_READ]) for _, text in self.texts))

    @cached_property
    def _said(self) -> SearchableText:
        return SearchableText(self.content, scalars=self.scalars)

    @cached_property
    def _readings(self) -> tuple[tuple[str, DateReading], ...]:
        # An observation speaks of dates, but "tomorrow" in it is not counted from the dialogue's now.
        today = self.today if self.speaker is not Speaker.OBSERVATION else None
        return tuple((path, DateReading.of(text[:_LONGEST_READ], today)) for path, text in self.texts)

    @property
    def has_dates(self) -> bool:
        """Whether it speaks of any day at all."""
        return any(reading.written or reading.counted for _, reading in self._readings)

    def find(self, value: Scalar, needle: str, *, parameter: str = "") -> Found | None:
        """Look for a text or number as it is, or apart from spacing, case and punctuation.

        Args:
            value: What to look for.
            needle: Its `squeezed` form, computed once for many passages.
            parameter: Name of the argument: of several equal values in an observation, the one under
                the same name is meant.
        """
        if needle not in self.squeezed:
            return None
        place = self._said.find(value)
        if place is None:
            return self._find_letters(value, needle) if isinstance(value, str) else None
        if place.exact or not isinstance(value, str):
            return self._preferred(value, Found(self, Likeness.EXACT, place.path, place.span), parameter)
        if needle.isdecimal():
            return Found(self, Likeness.NUMBER, place.path, place.span)
        return self._find_inside(value, needle) or Found(self, Likeness.SPELLING, place.path, place.span)

    def find_number(self, number: float | int, *, parameter: str = "") -> Found | None:
        """Look for a number however it is written; the sign does not matter."""
        for candidate in (number, -number):
            if candidate in self.numbers:
                path, span = self.numbers[candidate]
                return self._preferred(candidate, Found(self, Likeness.NUMBER, path, span), parameter)
        return None

    def find_rounded(self, number: float | int) -> Found | None:
        """Look for a longer number that rounds to this one; integers below ten say too little."""
        decimals = decimals_of(number)
        if decimals is None:
            return None
        longer = ((n, place) for n, place in self.numbers.items() if isinstance(n, float) and n != number)
        places = (place for n, place in longer if round(n, decimals) == number)
        return next((Found(self, Likeness.ROUNDED, *place) for place in places), None)

    def find_day(self, day: date) -> Found | None:
        """Look for words that mean a day."""
        return self._first_mention(lambda reading: reading.speaks_of(day))

    def find_month(self, month: date) -> Found | None:
        """Look for words that mean the month a day lies in."""
        return self._first_mention(lambda reading: reading.speaks_of_month(month))

    def _first_mention(self, look: Callable[[DateReading], DateMention | None]) -> Found | None:
        for path, reading in self._readings:
            mention = look(reading)
            if mention:
                return Found(self, Likeness.DATE, path, (mention.start, mention.end))
        return None

    def _find_letters(self, value: str, needle: str) -> Found | None:
        spelled = partial(_spelled_span, needle=needle)
        return self._find_inside(value, needle) or self._first_span(needle, Likeness.SPELLING, spelled)

    def _find_inside(self, value: str, needle: str) -> Found | None:
        return self._first_span(needle, Likeness.EXACT, partial(_span_of, value=value.strip()))

    def _first_span(
        self, needle: str, likeness: Likeness, span_in: Callable[[str], tuple[int, int] | None]
    ) -> Found | None:
        for path, text in self.texts:
            span = span_in(text) if needle in squeezed(text) else None
            if span:
                return Found(self, likeness, path, span)
        return None

    def _preferred(self, value: Scalar, found: Found, parameter: str) -> Found:
        if found.span is not None or not parameter or are_named_alike(parameter, found.path):
            return found
        same = (path for path, leaf in self.scalars if leaf == value and not isinstance(leaf, bool))
        return next((replace(found, path=path) for path in same if are_named_alike(parameter, path)), found)


def _is_telling_part(part: Scalar) -> bool:
    if isinstance(part, str):
        return len(part.strip()) >= SHORTEST_EMBEDDED
    if part is None or isinstance(part, bool):
        return False
    return sum(character.isdigit() for character in str(part)) >= _FEWEST_DIGITS


def decimals_of(number: float | int) -> int | None:
    """Decimals to which a longer number may have been rounded to this one; None for small integers."""
    decimals = len(str(number).partition(".")[2].rstrip("0"))
    return None if not decimals and abs(number) < _SMALLEST_ROUNDED else decimals


def _span_of(text: str, value: str) -> tuple[int, int] | None:
    start = text.find(value) if value else -1
    while start >= 0:
        end = start + len(value)
        if not (_joins(text[start - 1 : start], value[0]) or _joins(value[-1], text[end : end + 1])):
            return start, end
        start = text.find(value, start + 1)
    return None


def _joins(before: str, after: str) -> bool:
    # Letters and digits run on; Chinese writes no blanks between words.
    return before.isascii() and after.isascii() and before.isalnum() and after.isalnum()


def _spelled_span(text: str, needle: str) -> tuple[int, int] | None:
    words = [
        (unicodedata.normalize("NFKC", match.group()).casefold(), *match.span())
        for match in _WORD.finditer(text)
    ]
    for first in range(len(words)):
        rest = needle
        for word, _, end in words[first:]:
            if not rest.startswith(word):
                break
            rest = rest[len(word) :]
            if not rest:
                return words[first][1], end
    return None


def are_named_alike(parameter: str, path: str) -> bool:
    """Whether a parameter and a place in an observation carry the same name.

    `tweet_id` fits the key `id` as well as `tweet_id`; list positions are passed over.
    """
    key = next((key for key in reversed(path.split("/")) if not key.isdecimal()), "")
    wanted, found = _name_words(parameter), _name_words(key)
    return bool(found) and (wanted[-len(found) :] == found or found[-len(wanted) :] == wanted)


def are_named_the_same(parameter: str, path: str) -> bool:
    """Whether a place carries the whole name of a parameter, as `/locations/0/id` does of `locationId`."""
    keys = [key for key in path.split("/") if key and not key.isdecimal()]
    wanted = _name_words(parameter)
    if not keys or not wanted:
        return False
    last = _name_words(keys[-1])
    of_what = [_singular(word) for word in _name_words(keys[-2])] if len(keys) > 1 else []
    return wanted in (last, [*of_what, *last])


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


@lru_cache(maxsize=4096)
def _name_words(name: str) -> list[str]:
    return words_of(_CAMEL.sub(" ", name))


def telling_leaves(arguments: JsonValue) -> Iterator[tuple[str, Scalar]]:
    """Argument values whose origin says anything: no booleans, None, blanks or bare punctuation."""
    for path, leaf in leaves(arguments):
        is_number = isinstance(leaf, int | float) and not isinstance(leaf, bool)
        is_blank = isinstance(leaf, str) and not squeezed(leaf)
        if is_number or (is_telling(leaf) and not is_blank):
            yield path, leaf
