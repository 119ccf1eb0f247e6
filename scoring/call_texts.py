"""Calls that models write as text in their own ways, where an endpoint does not read them (scoring 6)."""

import ast
import json
import re
from collections.abc import Callable

from pydantic import JsonValue

from scoring.errors import reworded
from scoring.model.record import Record
from scoring.model.strict_json import embedded
from scoring.predictions import ToolCall
from scoring.prompt_protocol import read_item

_LONGEST = 100_000
"""Characters beyond which a text is taken as prose."""
_TAGGED = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)
_FUNCTION = re.compile(r"<function=([^>\s]+)>\s*(.*?)\s*(?:</function>|\Z)", re.DOTALL)
_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)\n?\s*```", re.DOTALL)
_NAME_LINE = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*\n\s*(\{.*\})", re.DOTALL)
_JSON_NAMES = {"true": True, "false": False, "null": None}


class TextCalls(Record):
    """Calls found in a text, and what stands around them; None where nothing does."""

    calls: tuple[ToolCall, ...]
    content: str | None = None


def read_call_text(text: str) -> TextCalls | None:
    """Read calls from a text that consists of them.

    Known forms: a Python-style list `[f(a=1), g(b="x")]`; a JSON list of `{"name", "arguments"}`, or one
    such object, bare or in a code fence; `{"tool_calls": [...]}`; `<tool_call>` and `<function=name>`
    tags, which may have text around them; a name on the first line and JSON below.

    Args:
        text: What the model wrote, without its reasoning.

    Returns:
        The calls in order, without ids; None where the text is prose.

    Example:
        >>> found = read_call_text('[getWeather(city="Oslo"), getTime()]')
        >>> [(call.name, call.arguments) for call in found.calls]
        [('getWeather', '{"city": "Oslo"}'), ('getTime', '{}')]
    """
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    tagged = _between_tags(text)
    if tagged:
        return tagged
    fenced = _FENCE.fullmatch(text)
    text = fenced[1].strip() if fenced else text
    forms: tuple[Callable[[str], tuple[ToolCall, ...]], ...] = (_as_json, _as_python, _as_name_and_json)
    calls = next(filter(None, (read(text) for read in forms)), None)
    return TextCalls(calls=calls) if calls else None


def _between_tags(text: str) -> TextCalls | None:
    calls: list[ToolCall] = []
    for pattern in (_TAGGED, _FUNCTION):
        for found in pattern.finditer(text):
            if pattern is _FUNCTION:
                calls.append(ToolCall(name=found[1], arguments=found[2] or "{}"))
                continue
            read = _as_json(found[1])
            if not read:
                return None
            calls.extend(read)
        if calls:
            return TextCalls(calls=tuple(calls), content=pattern.sub("", text).strip() or None)
    return None


def _as_json(text: str) -> tuple[ToolCall, ...]:
    value = embedded(text)
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        value = value["tool_calls"]
    calls = [read_item(_unwrapped(item)) for item in (value if isinstance(value, list) else [value])]
    return tuple(call for call in calls if call) if all(calls) else ()


def _unwrapped(item: JsonValue) -> JsonValue:
    inner = item.get("function") if isinstance(item, dict) else None
    return inner if isinstance(inner, dict) else item


def _as_python(text: str) -> tuple[ToolCall, ...]:
    if not text.startswith("["):
        return ()
    try:
        tree = ast.parse(text, mode="eval").body
        return tuple(_python_call(node) for node in tree.elts) if isinstance(tree, ast.List) else ()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _python_call(node: ast.expr) -> ToolCall:
    """Read `name(key=literal, ...)`.

    Raises:
        ValueError: It is something else.
    """
    if not isinstance(node, ast.Call) or node.args or any(word.arg is None for word in node.keywords):
        raise ValueError("no call with named arguments only")
    name = ast.unparse(node.func)
    if not re.fullmatch(r"[^\W\d][\w.]*", name):
        raise ValueError("no name of a function")
    arguments = {word.arg: ast.literal_eval(_JsonNames().visit(word.value)) for word in node.keywords}
    with reworded(TypeError, into=lambda _: ValueError("a value JSON does not know")):
        return ToolCall(name=name, arguments=json.dumps(arguments, ensure_ascii=False, allow_nan=False))


class _JsonNames(ast.NodeTransformer):
    """Takes `true`, `false` and `null` for what they mean in JSON."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace one name."""
        return ast.Constant(_JSON_NAMES[node.id]) if node.id in _JSON_NAMES else node


def _as_name_and_json(text: str) -> tuple[ToolCall, ...]:
    found = _NAME_LINE.fullmatch(text)
    if found is None or not isinstance(embedded(found[2]), dict):
        return ()
    return (ToolCall(name=found[1], arguments=found[2]),)
