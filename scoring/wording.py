"""How labels and numbers are written in sentences and tables, and addresses without their passwords."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from math import copysign

from scoring.model.taxonomy import EdgeKind, Information, Policy, ReviewLabel
from scoring.texts import in_language

POLICY: Mapping[Policy, str] = {
    Policy.SINGLE: "Single",
    Policy.MULTI_SERIAL: "Multi, serial",
    Policy.MULTI_PARALLEL: "Multi, parallel",
    Policy.MULTI_MIXED: "Multi, mixed",
    Policy.CLARIFY: "Clarify",
    Policy.CHAT: "Chat",
}

INFORMATION: Mapping[Information, str] = {
    Information.FIRST: "First task",
    Information.OMISSION: "Omission",
    Information.REFERENCE: "Reference",
    Information.LONG_RANGE: "Long range",
}

EDGE_KIND: Mapping[EdgeKind, str] = {
    EdgeKind.PARAMETER: "parameter",
    EdgeKind.LOGICAL: "logical",
    EdgeKind.DERIVED: "into the answer",
}

REVIEW: Mapping[ReviewLabel, str] = {
    ReviewLabel.SUCCESS: "Success",
    ReviewLabel.INTERNAL: "Internal error",
    ReviewLabel.INPUT: "Input error",
    ReviewLabel.IRRELEVANT: "Irrelevant response",
    ReviewLabel.UNABLE: "Unable to accomplish",
}

_IN_ADDRESS = re.compile(r"(?<=://)([^\s/:@]*):\S*@")
_IN_OPTION = re.compile(r"(?i)(password=)[^&\s]+")


def without_passwords(text: str) -> str:
    """A text whose addresses name no password, e.g. `postgresql://anna@host/team` for what was typed.

    It is for what people type and for what errors quote; nothing of the text needs to be well-formed.
    """
    return _IN_OPTION.sub(r"\1***", _IN_ADDRESS.sub(r"\1@", text))


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun, e.g. `1 finding`, `2 findings`, `12,400 cases`.

    Args:
        count: How many.
        noun: For exactly one.
        plural: For all other counts, where an s behind the noun does not make it.
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def numbered(names: Sequence[str]) -> list[str]:
    """Names that differ: of those that are alike each with its number, e.g. `a`, `b #1`, `b #2`."""
    return [
        f"{name} #{names[: place + 1].count(name)}" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    ]


def sentence_case(words: str) -> str:
    """The words with a capital letter at their beginning; the others stay as they are."""
    return words[:1].upper() + words[1:]


def folded(text: str) -> str:
    """A text as searches compare it: small letters, and one width and form of each character (NFKC).

    The text keeps its length, so that what is found stands at the same place: what would become several
    characters stays.

    Example:
        >>> folded("Ｔｒａｉｎ １２，ß")
        'train 12,ß'
    """
    return "".join(map(_fold, text))


@cache
def _fold(char: str) -> str:
    plain = unicodedata.normalize("NFKC", char).casefold()
    return plain if len(plain) == 1 else char


def interval_words(low: float, high: float, *, form: str = ".2f") -> str:
    """The bounds of an interval as the window shows them; see `written_interval`."""
    return in_language(written_interval(low, high, form=form))


def written_interval(low: float, high: float, *, form: str = ".2f") -> str:
    """The bounds of an interval with a word between them: a dash would be read as a minus.

    Args:
        low: Lower bound, in the unit it is shown in.
        high: Upper bound.
        form: Format of both numbers; a negative one gets a true minus.

    Example:
        >>> written_interval(-47.6, -25.3, form="+.1f")
        '−47.6 to −25.3'
    """
    least, most = (f"{half_up(bound):{form}}".replace("-", "−") for bound in (low, high))
    return " to ".join((least, most))


def half_up(value: float) -> float:
    """A number whose ties are printed rounded away from zero, as the papers round (scoring 5).

    Example:
        >>> f"{78.125:.2f}", f"{half_up(78.125):.2f}", f"{half_up(-78.125):.2f}"
        ('78.12', '78.13', '-78.13')
    """
    return value + copysign(1e-9, value)
