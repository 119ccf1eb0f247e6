"""How values and counts appear inside a sentence."""

import json
from collections.abc import Sequence

from pydantic import JsonValue

_LONGEST = 60


def quoted(value: JsonValue) -> str:
    """Show a value as JSON; beyond 60 characters it is cut and ends in an ellipsis."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def listed(words: Sequence[object], *, last: str = "and") -> str:
    """Join words as a sentence does: a, b and c."""
    texts = [str(word) for word in words]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"
