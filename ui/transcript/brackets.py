"""Which bracket belongs to which, in JSON text."""

import re

_PAIRS = {"{": "}", "[": "]"}
_OPENERS = {close: opener for opener, close in _PAIRS.items()}
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)|[{}\[\]]', re.DOTALL)


def matching_bracket(text: str, position: int) -> int | None:
    """Find the partner of a bracket; brackets inside strings do not count.

    Args:
        text: JSON text, possibly broken.
        position: Where a bracket stands.

    Returns:
        The place of its partner; null where there is no bracket, or none that matches.
    """
    if not 0 <= position < len(text) or text[position] not in "{}[]":
        return None
    stack: list[int] = []
    for found in _TOKENS.finditer(text):
        at, token = found.start(), found[0]
        if token in _PAIRS:
            stack.append(at)
        elif token in _OPENERS:
            if not stack or text[stack[-1]] != _OPENERS[token]:
                return None
            opener = stack.pop()
            if position in (opener, at):
                return at if position == opener else opener
        elif at <= position < found.end():
            return None
    return None
