"""Requests and replies as other providers' interfaces write them (formats 11.2)."""

from collections.abc import Iterator

from pydantic import JsonValue

from scoring.formats.chat.messages import text_message
from scoring.formats.dialects.dialogue import Dialect, calling, chat, each, objects, result, tools_from
from scoring.model.record import JsonObject, objects_in

_SAID = ("thinking", "reasoning", "text", "content")
"""Where the parts of a turn keep their text."""


def texts(value: JsonValue) -> str:
    """The text of a content: a text, or a list of parts of which those with `text` are taken."""
    if isinstance(value, str):
        return value
    parts = [part.get("text") for part in objects_in(value)]
    return "\n".join(part for part in parts if isinstance(part, str))


def from_parts(role: str, parts: list[JsonObject]) -> Iterator[JsonObject]:
    """The messages of one turn that is cut into parts of kinds: text, thinking, calls, results."""
    said, thought, calls = [], [], []
    for part in parts:
        kind = part.get("type")
        text = str(next((part[key] for key in _SAID if key in part), ""))
        match kind:
            case "tool_use" | "tool_call" | "server_tool_use":
                calls.append((part.get("id"), part.get("name"), part.get("input", part.get("arguments"))))
            case "tool_result" | "tool_call_response":
                found = part.get("content", part.get("response", part.get("result")))
                plain = isinstance(found, list) and all(
                    isinstance(one, dict) and "text" in one for one in found
                )
                yield result(texts(found) if plain else found, part.get("tool_use_id", part.get("id")))
            case "thinking" | "reasoning":
                thought.append(text)
            case _:
                said.append(text)
    text = "\n".join(one for one in said if one)
    if role == "assistant" and (calls or text):
        message = calling(calls, text) if calls else text_message("assistant", text)
        yield message | ({"reasoning_content": "\n".join(thought)} if any(thought) else {})
    elif text:
        yield text_message(role, text)


def _has_parts(record: JsonObject) -> bool:
    """Whether messages have the parts of Anthropic's interface, or tools its schemas."""
    parts = [part for turn in objects_in(record.get("messages")) for part in objects_in(turn.get("content"))]
    of_tools = any("input_schema" in tool for tool in objects_in(record.get("tools")))
    return of_tools or any(part.get("type") in ("tool_use", "tool_result", "thinking") for part in parts)


def anthropic_messages(turns: list[JsonObject]) -> Iterator[JsonObject]:
    """Anthropic's messages as OpenAI's: results leave the user's turn, calls the list of parts."""
    for turn in turns:
        content = turn.get("content")
        written: JsonValue = [{"text": content}] if isinstance(content, str) else content
        yield from from_parts(str(turn.get("role")), objects(written, "content"))


def _anthropic(record: JsonObject) -> Iterator[JsonObject]:
    messages = [*anthropic_messages(objects(record["messages"], "messages"))]
    if record.get("role") == "assistant":  # a reply beside its request
        messages += anthropic_messages([{"role": "assistant", "content": record.get("content")}])
    yield chat(
        messages,
        tools=tools_from(record.get("tools")),
        system=texts(record.get("system")),
        id=record.get("id"),
    )


def _responses(record: JsonObject) -> Iterator[JsonObject]:
    given = record.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else objects(given, "input")
    messages: list[JsonObject] = []
    thought = ""
    for item in [*items, *objects(record.get("output"), "output")]:
        kind = item.get("type", "message")
        match kind:
            case "function_call":
                message = calling([(item.get("call_id"), item.get("name"), item.get("arguments"))])
                before = messages[-1].get("tool_calls") if messages else None
                if isinstance(before, list):
                    messages[-1]["tool_calls"] = [*before, *objects(message["tool_calls"], "output")]
                    continue
                messages.append(message | ({"reasoning_content": thought} if thought else {}))
                thought = ""
            case "function_call_output":
                messages.append(result(item.get("output"), item.get("call_id")))
            case "reasoning":
                thought = texts(item.get("summary"))
            case "message":
                messages.append(text_message(str(item.get("role")), texts(item.get("content"))))
    yield chat(
        messages,
        tools=tools_from(record.get("tools")),
        system=record.get("instructions"),
        id=record.get("id"),
    )


def _either(value: JsonObject, snake: str) -> JsonValue:
    """What stands under a name in snake case or in camel case."""
    first, *rest = snake.split("_")
    return value.get(snake, value.get(first + "".join(word.capitalize() for word in rest)))


def _gemini(record: JsonObject) -> Iterator[JsonObject]:
    messages: list[JsonObject] = []
    for turn in objects(record["contents"], "contents"):
        parts: list[JsonObject] = []
        for part in objects(turn.get("parts"), "parts"):
            call, answer = _either(part, "function_call"), _either(part, "function_response")
            if isinstance(call, dict):
                parts.append({"type": "tool_call", "arguments": call.get("args"), **call})
            elif isinstance(answer, dict):
                messages.append(result(answer.get("response"), answer.get("id"), answer.get("name")))
            else:
                parts.append({"type": "reasoning" if part.get("thought") is True else "text", **part})
        messages += from_parts("assistant" if turn.get("role") == "model" else "user", parts)
    listed: list[JsonValue] = [
        tool
        for one in objects(record.get("tools"), "tools")
        for tool in objects(_either(one, "function_declarations"), "tools")
    ]
    system = _either(record, "system_instruction")
    text = texts(system.get("parts")) if isinstance(system, dict) else system
    yield chat(messages, tools=tools_from(listed), system=text, id=record.get("id"))


SHAPES = (
    Dialect("Anthropic messages", _has_parts, each(_anthropic)),
    Dialect(
        "OpenAI Responses",
        lambda one: "input" in one and ("output" in one or "instructions" in one),
        each(_responses),
    ),
    Dialect("Gemini contents", lambda one: "contents" in one, each(_gemini)),
)
