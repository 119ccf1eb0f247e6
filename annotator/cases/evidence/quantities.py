"""Numbers a text states: figures, number words, percentages and sums of money, in English and Chinese."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scoring.groups import grouped

_FIGURE = re.compile(
    r"(?<![A-Za-z0-9_.])[-+\u2212]?(?:\d{1,3}(?:,\d{3})+|\d{1,30})(?:\.\d{1,30})?"
    r"(?:\s?(?P<scale>k|thousand|million|billion|m|bn|%|percent|百分|千|万|亿)(?![A-Za-z]))?",
    re.IGNORECASE,
)
_SCALES = {
    "k": 1e3,
    "thousand": 1e3,
    "million": 1e6,
    "m": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "千": 1e3,
    "万": 1e4,
    "亿": 1e8,
}
_TEENS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_RANKS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_UNITS = {word: number for number, word in enumerate(_TEENS.split())} | {
    word: number * 10 for number, word in enumerate(_TENS.split(), start=2)
}
_ORDINALS = {word: number for number, word in enumerate(_RANKS.split(), start=1)}
_MULTIPLES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_OTHERS: dict[str, float] = {
    "single": 1,
    "couple": 2,
    "pair": 2,
    "both": 2,
    "double": 2,
    "twice": 2,
    "triple": 3,
    "thrice": 3,
    "half": 0.5,
    "quarter": 0.25,
    "dozen": 12,
    "none": 0,
}


def _any_of(words: Iterable[str]) -> str:
    """A pattern that looks at the first letter before it tries the words that begin with it."""
    by_initial = grouped((word[0], word[1:]) for word in words)
    tried = "|".join(f"{initial}(?:{'|'.join(rests)})" for initial, rests in by_initial.items())
    return rf"(?=[{''.join(by_initial)}])(?:{tried})\b"


_NUMBER_WORDS = re.compile(
    rf"\b{_any_of(_UNITS | _ORDINALS | _MULTIPLES | _OTHERS)}"
    rf"(?:(?:[\s-]|\sand\s)+{_any_of(_UNITS | _MULTIPLES)})*",
    re.IGNORECASE,
)
_HAN_DIGITS = {han: number for number, han in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000}
_HAN_NUMBER = re.compile("[零〇一二两三四五六七八九十百千万]{1,12}|半")


LARGEST = 10**18
"""Longer integers are names, not amounts, and do not fit a float."""


class Quantity(NamedTuple):
    """A number a text states, with the characters [start, end) that state it."""

    number: float | int
    start: int
    end: int


def quantities_in(text: str) -> Iterator[Quantity]:
    """Find the numbers of a text; a percentage is also given as the share it means.

    Args:
        text: Any text; figures of more than 30 digits are no quantities.

    Yields:
        Figures first, then number words, each in order of appearance.
    """
    for match in _FIGURE.finditer(text):
        yield from _read_figure(match)
    for match in _NUMBER_WORDS.finditer(text):
        yield Quantity(_read_words(match.group().lower()), match.start(), match.end())
    for match in _HAN_NUMBER.finditer("" if text.isascii() else text):
        yield Quantity(_read_han(match.group()), match.start(), match.end())


def _read_figure(match: re.Match[str]) -> Iterator[Quantity]:
    scale = (match.group("scale") or "").lower()
    digits = match.group()[: match.start("scale") - match.start()] if scale else match.group()
    digits = digits.strip().replace(",", "").replace("\u2212", "-")
    number: float | int = float(digits) if "." in digits else int(digits)
    plain_end = match.start() + len(match.group()[: match.start("scale") - match.start()].rstrip())
    yield Quantity(number, match.start(), plain_end if scale else match.end())
    if scale in ("%", "percent"):
        yield Quantity(number / 100, match.start(), match.end())
    elif scale in _SCALES:
        yield Quantity(round(number * _SCALES[scale], 6), match.start(), match.end())


def _read_words(words: str) -> float | int:
    total: float = 0
    group: float = 0
    for word in re.split(r"[\s-]+", words):
        if word in _MULTIPLES:
            group = (group or 1) * _MULTIPLES[word]
            if _MULTIPLES[word] > 100:
                total, group = total + group, 0
        elif word != "and":
            group += _UNITS.get(word, _ORDINALS.get(word, _OTHERS.get(word, 0)))
    return total + group


def _read_han(text: str) -> float | int:
    if text == "半":
        return 0.5
    total = section = digit = 0
    for character in text:
        if character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
        elif character == "万":
            total, section, digit = (total + section + digit) * 10_000, 0, 0
        else:
            section += (digit or 1) * _HAN_UNITS[character]
            digit = 0
    return total + section + digit


def as_number(value: object) -> float | int | None:
    """Read a value as a number: a number itself, or a text that is nothing but a figure.

    Returns:
        The number; None for booleans, other texts, integers too long to count with, everything else.
    """
    match value:
        case bool():
            return None
        case int() | float():
            return value if abs(value) < LARGEST else None
        case str() if len(value) <= 40:
            match = _FIGURE.fullmatch(value.strip().lstrip("$€£¥").replace(" ", ""))
            if match and not match.group("scale"):
                return as_number(next(_read_figure(match)).number)
    return None


def combines(number: float, operands: list[float | int]) -> bool:
    """Whether a number is the sum, difference, product or quotient of two operands, to nine digits.

    Args:
        number: The number in question.
        operands: Numbers known before; an operand may stand for both sides.
    """
    known = {operand for operand in operands if abs(operand) < LARGEST}

    def is_known(wanted: float) -> bool:
        return any(abs(wanted - other) <= abs(wanted) * 1e-9 for other in known)

    return any(
        is_known(number - a) or is_known(a - number) or (a and (is_known(number / a) or is_known(number * a)))
        for a in known
    )
