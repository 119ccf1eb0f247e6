"""What the shapes of dialogues share: turns, calls, results, tools as OpenAI messages (formats 11)."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from scoring.call_texts import read_call_text
from scoring.formats.chat.messages import call_part, text_message
from scoring.formats.fields import object_at, parsed, refuse
from scoring.model.case import Case
from scoring.model.record import JsonObject, to_text

_THOUGHT = re.compile(r"<(think|thinking|scratch_pad)>\s*(.*?)\s*</\1>\s*", re.DOTALL)
_CALL = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)
_RESULT = re.compile(r"<tool_response>\s*(.*?)\s*</tool_response>", re.DOTALL)
_RESULT_KEYS = {"name", "content", "results", "tool_call_id"}
_JSON_TYPES: Mapping[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
INFERRED = (
    "Tools are inferred from the calls: name and type of what was given, nothing about what is required."
)


@dataclass(frozen=True)
class Dialect:
    """One shape of dialogues that is read by rewriting it as OpenAI messages.

    Attributes:
        name: What people call it.
        matches: Whether a record has this shape.
        chats: The dialogues of records (one, but for sessions), each with `messages`, `tools` and, where it
            is known, `id`. The path is that of their file, beside which other files may lie.
        lost: What the shape cannot say, or what of it is not kept; empty where nothing is.
        write: A case as a line of this shape; None where it is not written, or written in `codecs`.
    """

    name: str
    matches: Callable[[JsonObject], bool]
    chats: Callable[[Sequence[JsonObject], Path], Iterable[JsonObject]]
    lost: str = ""
    write: Callable[[Case], JsonObject] | None = None


def each(read: Callable[[JsonObject], Iterable[JsonObject]]) -> Callable[..., Iterator[JsonObject]]:
    """Read records one by one, whatever lies beside their file."""
    return lambda records, path: (found for record in records for found in read(record))


def has(*keys: str) -> Callable[[JsonObject], bool]:
    """A test whether a record has all these keys."""
    return lambda record: set(keys).issubset(record)


def objects(value: JsonValue, where: str) -> list[JsonObject]:
    """A list of objects, maybe written as JSON text; None is none, one object is a list of it.

    Raises:
        InputError: It is something else.
    """
    found = parsed(value)
    if found is None or found == "":
        return []
    items = found if isinstance(found, list) else [found]
    return [object_at(parsed(item), f"{where}[{i}]") for i, item in enumerate(items)]


def tools_from(value: JsonValue, where: str = "tools") -> list[JsonValue]:
    """Tools however a file writes them: as JSON text, with `input_schema`, or with parameters by name alone.

    Raises:
        InputError: A tool is no object.
    """
    return [_tool(tool) for tool in objects(value, where)]


def _tool(tool: JsonObject) -> JsonObject:
    inner = tool.get("function")
    function = dict(inner) if isinstance(inner, dict) else {k: v for k, v in tool.items() if k != "type"}
    schema = parsed(function.pop("input_schema", None) or function.get("parameters"))
    if isinstance(schema, dict) and "properties" not in schema and not isinstance(schema.get("type"), str):
        schema = {"type": "object", "properties": schema}  # parameters by name; one may be called `type`
    return {"type": "function", "function": function | ({"parameters": schema} if schema else {})}


def inferred_tools(messages: Iterable[JsonObject]) -> list[JsonValue]:
    """Tools as the calls of a dialogue show them: names, and the type of each argument that was given.

    An argument that was given with two types has none.
    """
    seen: dict[str, dict[str, set[str]]] = {}
    for part in (part for message in messages for part in objects(message.get("tool_calls"), "tool_calls")):
        function = object_at(part["function"], "function")
        given = parsed(function.get("arguments"))
        types = seen.setdefault(str(function.get("name")), {})
        for name, value in given.items() if isinstance(given, dict) else ():
            types.setdefault(name, set()).update({_JSON_TYPES[type(value)]} if value is not None else ())
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "parameters": {
                    "type": "object",
                    "properties": {
                        key: {"type": kinds.copy().pop()} if len(kinds) == 1 else {}
                        for key, kinds in types.items()
                    },
                },
            },
        }
        for name, types in seen.items()
    ]


def chat(
    messages: Sequence[JsonObject],
    *,
    tools: Sequence[JsonValue] = (),
    system: JsonValue = None,
    **kept: JsonValue,
) -> JsonObject:
    """A dialogue as OpenAI messages; without tools they are inferred from its calls."""
    head = [text_message("system", system)] if isinstance(system, str) and system.strip() else []
    listed = [*head, *messages]
    record: JsonObject = {key: value for key, value in kept.items() if value is not None}
    return record | {"tools": list(tools) or inferred_tools(listed), "messages": list(listed)}


def calling(calls: Iterable[tuple[JsonValue, JsonValue, JsonValue]], said: str | None = None) -> JsonObject:
    """An assistant's message with calls, each its id or None, its name and its arguments.

    Raises:
        InputError: A name is no text, or arguments are neither an object nor JSON text.
    """
    parts = []
    for call_id, name, given in calls:
        arguments = parsed(given) or {}
        if not isinstance(name, str):
            refuse("the name of a call", name, "a text")
        known = call_id if isinstance(call_id, str) else None
        parts.append(call_part(known, name, object_at(arguments, f"arguments of {name[:60]}")))
    return {"role": "assistant", "content": said or None, "tool_calls": list(parts)}


def result(content: JsonValue, call_id: JsonValue = None, name: JsonValue = None) -> JsonObject:
    """A tool's message: what came back, by the id of its call, by its name, or in the order of the calls."""
    named = {key: it for key, it in (("tool_call_id", call_id), ("name", name)) if isinstance(it, str)}
    role = "function" if list(named) == ["name"] else "tool"
    return {"role": role, "content": content if isinstance(content, str) else to_text(content), **named}


def spoken(text: str, names: Sequence[str] = ()) -> JsonObject:
    """An assistant's text as a message: its reasoning and the calls written in it taken out.

    Args:
        text: With `<think>`, `<tool_call>` or `<function=...>` tags, as a Python-style list of calls, as
            JSON, or plain.
        names: Names of the tools, where they hold characters that Python's names do not.
    """
    thoughts = "\n".join(found[2] for found in _THOUGHT.finditer(text))
    rest = _THOUGHT.sub("", text).strip()
    placed = _CALL.sub(_as_json, rest)
    odd = [name for name in sorted(names, key=len, reverse=True) if not name.isidentifier()]
    for i, name in enumerate(odd if rest.startswith("[") else ()):
        placed = placed.replace(f"{name}(", f"_tool_{i}_(")
    found = read_call_text(placed)
    if found is None:
        message = text_message("assistant", rest)
    else:
        real = {f"_tool_{i}_": name for i, name in enumerate(odd)}
        calls = [(None, real.get(call.name or "", call.name), call.arguments) for call in found.calls]
        message = calling(calls, found.content)
    return message | ({"reasoning_content": thoughts} if thoughts else {})


def _as_json(tagged: re.Match[str]) -> str:
    """A tag with a call in JSON, where it holds one that Python can read."""
    value = parsed(tagged[1])
    return tagged[0] if isinstance(value, str) else f"<tool_call>{json.dumps(value)}</tool_call>"


def results(text: JsonValue) -> Iterator[JsonObject]:
    """The messages of what tools returned: one for each `<tool_response>` tag or named result, else one."""
    tagged = _RESULT.findall(text) if isinstance(text, str) else []
    for content in tagged or [text]:
        value = parsed(content)
        listed = value if isinstance(value, list) and value and all(map(_is_named, value)) else [value]
        for one in listed:
            if isinstance(one, dict) and _is_named(one):
                found = one["content"] if "content" in one else one.get("results")
                yield result(found, one.get("tool_call_id"), one.get("name"))
            else:
                yield result(one if isinstance(one, dict | list) else content)


def _is_named(value: JsonValue) -> bool:
    """Whether it is what one tool returned, beside the name of the tool."""
    keys = set(value) if isinstance(value, dict) else set()
    return keys <= _RESULT_KEYS and not {"content", "results"}.isdisjoint(keys)
