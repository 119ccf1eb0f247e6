"""What a model replied, read as leniently and as literally as T-Eval reads it (teval 4)."""

import ast
import json
import warnings
from contextlib import suppress
from typing import Any

_MARKERS = (
    "<eoa>",
    "<TOKENS_UNUSED_1>",
    "<|im_end|>",
    "\nuser",
    "\nassistant",
    "\nUSER",
    "[INST]",
    "<|user|>",
)
_FENCE = "```json"


class LoadFailure(Exception):  # noqa: N818 (a reply that cannot be read is a result, not an error)
    """A reply holds no value that can be read."""


def clean_reply(text: str) -> str:
    """Cut a reply at the first mark of a further turn and take the fence off (teval 4.1).

    A line that begins with `user` counts as such a mark; what follows it is lost.
    """
    for marker in _MARKERS:
        text = text.split(marker, 1)[0]
    return text.strip().removeprefix(_FENCE).strip("`").strip()


def load_reply(raw: Any, opening: str = "", closing: str = "") -> Any:
    """Read the value in a reply: a Python literal, else JSON, else JSON with doubled quotes (teval 4.2).

    Args:
        raw: The reply; anything but a text is taken as read already.
        opening: Keep from its first occurrence on; without one only the last character remains.
        closing: Keep up to its last occurrence; without one nothing remains.

    Raises:
        LoadFailure: None of the three can be read.
    """
    if not isinstance(raw, str):
        return raw
    text = raw[raw.find(_FENCE) + len(_FENCE) :].strip("`") if _FENCE in raw else raw
    if opening:
        text = text[text.find(opening) :]
    if closing:
        text = text[: text.rfind(closing) + len(closing)]
    for read in (literal, json.loads, lambda text: json.loads(text.replace("'", '"'))):
        with suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return read(text)
    raise LoadFailure(f"no value can be read from {raw[:80]!r}")


def loaded_reply(raw: Any, opening: str = "", closing: str = "") -> Any:
    """Read the value in a reply as `load_reply` does; None where none can be read."""
    with suppress(LoadFailure):
        return load_reply(raw, opening, closing)
    return None


def literal(text: str) -> Any:
    """Read a Python literal.

    Raises:
        ValueError, SyntaxError, TypeError, MemoryError, RecursionError: It is none.
    """
    with warnings.catch_warnings():
        # A doubtful escape such as '\d' is only warned about, whatever becomes of other warnings.
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)


def display(value: Any) -> str:
    """A text as it is, anything else as Python shows it, e.g. `{'city': 'Oslo', 'n': 3}` (teval 5).

    Empty for what Python refuses to show: a number of thousands of digits, or too deep a nesting.
    """
    try:
        return value if isinstance(value, str) else str(value)
    except (ValueError, RecursionError):
        return ""
