"""How values and counts appear inside a sentence."""

import json
from collections.abc import Sequence

from pydantic import JsonValue

_LONGEST = 60
_LONGEST_CODE = 5
_CONTEXT = 25


def quoted(value: JsonValue) -> str:
    """Show a value as JSON; beyond 60 characters it is cut and ends in an ellipsis."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def is_code(text: str) -> bool:
    """Whether a text looks like a ticker or a country code, which stands for a name."""
    return text.isupper() and text.isalpha() and len(text) <= _LONGEST_CODE


def contrasted(one: str, other: str) -> tuple[str, str]:
    """Quote two texts that differ somewhere, so that the difference shows.

    Returns:
        Both texts whole where they are short, else the same stretch of both around the first
        difference, with an ellipsis for what is left out.
    """
    if max(len(one), len(other)) <= _LONGEST:
        return quoted(one), quoted(other)
    pairs = enumerate(zip(one, other, strict=False))
    first = next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))
    start = max(0, first - _CONTEXT)
    return _stretch(one, start), _stretch(other, start)


def _stretch(text: str, start: int) -> str:
    end = start + 2 * _CONTEXT
    shown = json.dumps(text[start:end], ensure_ascii=False)
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"


def listed(words: Sequence[object], *, last: str = "and") -> str:
    """Join words as a sentence does: a, b and c."""
    texts = [str(word) for word in words]
    return "".join(texts) if len(texts) < 2 else f"{', '.join(texts[:-1])} {last} {texts[-1]}"
