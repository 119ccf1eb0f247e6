"""Which bracket belongs to which, in JSON text."""

import re

_PAIRS = {"{": "}", "[": "]"}
_OPENERS = {close: opener for opener, close in _PAIRS.items()}
_TOKENS = re.compile(r'"(?:[^"\\\n]|\\.)*(?:"|(?=\n)|$)|[{}\[\]]')
REACH = 40_000
"""Characters in which a partner is looked for; further away it is out of sight."""


def matching_bracket(text: str, position: int) -> int | None:
    """Find the partner of a bracket; brackets inside strings do not count.

    Args:
        text: JSON text, possibly broken.
        position: Where a bracket stands.

    Returns:
        The place of its partner; null where there is no bracket, or none that matches within reach.
    """
    if not 0 <= position < len(text) or text[position] not in "{}[]" or _is_in_string(text, position):
        return None
    return _behind(text, position) if text[position] in _PAIRS else _before(text, position)


def _is_in_string(text: str, position: int) -> bool:
    # A string of JSON ends with its line at the latest, so every line begins outside of one.
    start = max(text.rfind("\n", 0, position) + 1, position - REACH)
    return any(found.start() < position < found.end() for found in _TOKENS.finditer(text, start))


def _behind(text: str, position: int) -> int | None:
    stack: list[str] = []
    for found in _TOKENS.finditer(text, position, position + REACH):
        token = found[0]
        if token in _PAIRS:
            stack.append(token)
        elif token in _OPENERS:
            if stack.pop() != _OPENERS[token]:
                return None
            if not stack:
                return found.start()
    return None


def _before(text: str, position: int) -> int | None:
    start = 0 if position < REACH else text.find("\n", position - REACH, position) + 1
    stack: list[int] = []
    for found in _TOKENS.finditer(text, start, position):
        if found[0] in _PAIRS:
            stack.append(found.start())
        elif found[0] in _OPENERS and stack:
            stack.pop()
    return stack[-1] if stack and text[stack[-1]] == _OPENERS[text[position]] else None
