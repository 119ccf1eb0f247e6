"""Names as T-Eval can take them, and back: tools with exactly one dot, ids without any (teval 2.3, 3.2)."""

import re

TOOLSET = "Tools"
"""The first half of a tool name that has none of its own."""

_ESCAPED = re.compile(r"_x([0-9a-f]+)_")
_TOOL = re.compile(r"(\w+)\.\w+")


def escape_name(name: str, *, also: str = "") -> str:
    """Write a name with word characters alone, every other one as `_x` its code `_`; `-` is written `_x2d_`.

    Args:
        name: Any text.
        also: Further characters that may stay.
    """
    stays = re.escape(also)
    # An underscore that would look like the beginning of a written code is written as one itself.
    return re.sub(
        rf"[^\w{stays}]|_(?=x[0-9a-f]+(?:_|[^\w{stays}]))", lambda match: f"_x{ord(match[0]):x}_", name
    )


def unescape_name(name: str) -> str:
    """Undo `escape_name`."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), name)


def tool_name(name: str) -> str:
    """A tool's name for T-Eval: as it is where it has one dot, else below `Tools`."""
    match = _TOOL.fullmatch(name)
    return name if match and match[1] != TOOLSET else f"{TOOLSET}.{escape_name(name)}"


def plain_tool_name(name: str) -> str:
    """Undo `tool_name`."""
    toolset, _, rest = name.partition(".")
    return unescape_name(rest) if toolset == TOOLSET else name
