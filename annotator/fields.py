"""What a field of a record is called and takes, in words, and how its value is written in one line."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import get_args

from pydantic import AfterValidator, BeforeValidator
from pydantic.fields import FieldInfo

from scoring.errors import reworded


@dataclass(frozen=True)
class FieldHints:
    """How a field is shown, beyond its title, its description and its first example.

    Attributes:
        group: The heading above it; it holds for the fields after it.
        unit: What a number counts, with the space before it.
        topic: What of the guidelines it is about.
        only_with: Another field, and the value of it with which this one matters.
        has_lines: Whether its sentences stand below each other.
    """

    group: str = ""
    unit: str = ""
    topic: str = ""
    only_with: tuple[str, object] | None = None
    has_lines: bool = False


def hints_of(field: FieldInfo) -> FieldHints:
    """How a field is shown."""
    return next((one for one in field.metadata if isinstance(one, FieldHints)), FieldHints())


def title_of(name: str, field: FieldInfo) -> str:
    """What a field is called: its title, else its name as words."""
    return field.title or name.replace("_", " ").capitalize()


def bound_of(field: FieldInfo, name: str) -> float | None:
    """A bound of a field: `ge`, `gt`, `le` or `max_length`; None where it has none."""
    return next(
        (getattr(constraint, name) for constraint in field.metadata if hasattr(constraint, name)), None
    )


def choices_of(field: FieldInfo) -> tuple[StrEnum, ...]:
    """The closed set a field takes one value of, or several; empty for neither."""
    kinds = (field.annotation, *get_args(field.annotation))
    return next((tuple(one) for one in kinds if isinstance(one, type) and issubclass(one, StrEnum)), ())


def taken_by(field: FieldInfo) -> str:
    """What a field takes, in words, e.g. `a whole number from 1 to 5`."""
    kind, low, high = field.annotation, bound_of(field, "ge"), bound_of(field, "le")
    if kind is bool:
        return "true or false"
    if kind is int or (low is not None and int in get_args(kind)):
        return f"a whole number from {low} " + (f"to {high}" if high is not None else "on")
    if kind is float and high is not None:
        above = f"a share above 0, up to {high} or {high:.0%}"
        return above if low is None else f"a share from {low} to {high} or {low:.0%} to {high:.0%}"
    if choices := choices_of(field):
        return f"one of {', '.join(choices)}" if isinstance(kind, type) else f"any of {', '.join(choices)}"
    if {int, float} & set(get_args(kind)):
        least = bound_of(field, "gt")
        return "a number, such as 10 or 2.50" if least is None else f"a number above {least}"
    if field.examples and kind is not str:
        return f"text such as “{field.examples[0]}”"
    length = bound_of(field, "max_length")
    return f"a text of at most {length} characters without control characters" if length else "a text"


def written(value: object) -> str:
    """A value in one line as people write it: `ann-1, ann-2; ann-3` or `ann-1: en, zh; ann-2: en`."""
    match value:
        case dict():
            return "; ".join(f"{name}: {_listed(part)}" for name, part in value.items())
        case tuple():
            has_sentences = any(isinstance(part, tuple) or " " in part for part in value)
            return ("; " if has_sentences else ", ").join(map(_listed, value))
        case _:
            return _listed(value)


def _listed(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _from_line(read: Callable[[str], object]) -> BeforeValidator:
    """Takes a line as `written` writes it, too, and JSON."""

    def parse(value: object) -> object:
        if not isinstance(value, str):
            return value
        if not value.startswith(("[", "{")):
            return read(value)
        with reworded(ValueError, into=lambda exc: ValueError(f"what was written is not JSON: {exc}")):
            return json.loads(value)

    return BeforeValidator(parse)


def _parts(text: str, separator: str = ",") -> list[str]:
    return [part for part in map(str.strip, text.split(separator)) if part]


def _lists(text: str) -> dict[str, list[str]]:
    named = [part.partition(":") for part in _parts(text, ";")]
    if not all(separator for _, separator, _ in named):
        raise ValueError("a name and its list are divided by a colon")
    return {name.strip(): _parts(values) for name, _, values in named}


def _shares(text: str) -> dict[str, object]:
    return {name: _share(",".join(values)) for name, values in _lists(text).items()}


def _share(text: str) -> object:
    with suppress(ValueError):  # what is no number is refused as such
        if text.strip().endswith("%"):
            return float(text.strip().removesuffix("%")) / 100
    return text


NAMES = _from_line(_parts)
"""For a field of several texts, with commas."""
SENTENCES = _from_line(lambda text: _parts(text.replace("\n", ";"), ";"))
"""For a field of several sentences, with semicolons or ends of lines between them."""
GROUPS = _from_line(lambda text: [_parts(part) for part in _parts(text, ";")])
"""For groups of texts, with semicolons between them."""
LISTS = _from_line(_lists)
"""For lists by name, with a colon after the name."""
SHARE = _from_line(_share)
"""For a share, which may be written as `5%`."""
SHARES = _from_line(_shares)
"""For shares by name, as `single: 40%; chat: 20%`."""
VARIABLE = AfterValidator(lambda name: name.removeprefix("$") if name else name)
"""For the name of an environment variable, which may be written with its dollar sign."""
