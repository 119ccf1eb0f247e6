"""Messages in the OpenAI chat shape, parsed one by one (formats 10.1)."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats.fields import arguments_at, list_at, object_at, refuse, text_at
from scoring.model.case import checked_accepted
from scoring.model.record import JsonObject, members_in, to_text
from scoring.model.strict_json import embedded

ROLES = ("system", "developer", "user", "assistant", "tool", "function")


@dataclass(frozen=True, slots=True)
class MessageCall:
    """One tool call of an assistant message; the id is None where the file gives none.

    `accepted` is what the call accepts besides, as a dialogue of BFCL says it.
    """

    id: str | None
    name: str
    arguments: JsonObject
    accepted: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message: its place, role, text (None without one), calls, and for a result what came back.

    `reasoning` is what a model thought before it spoke, None where the file has none.
    """

    at: int
    role: str
    text: str | None = None
    reasoning: str | None = None
    calls: tuple[MessageCall, ...] = ()
    answers_id: str | None = None
    answers_name: str | None = None
    observation: JsonValue = None


def read_messages(value: JsonValue, where: str, notes: list[str]) -> list[Message]:
    """Parse a list of messages.

    Args:
        value: What the line has under `messages`.
        where: Its key.
        notes: Gets a sentence for arguments that cannot be read.

    Raises:
        InputError: A message, role, content or call is of the wrong type.
    """
    return [
        _message(object_at(item, f"{where}[{i}]"), i, f"{where}[{i}]", notes)
        for i, item in enumerate(list_at(value, where))
    ]


def _message(message: JsonObject, at: int, where: str, notes: list[str]) -> Message:
    role = text_at(message.get("role"), f"{where}.role")
    if role not in ROLES:
        raise InputError(f"{where}.role is {role[:40]!r}; one of {', '.join(ROLES)} is expected.")
    content = message.get("content")
    if role in ("tool", "function"):
        answers_id = message.get("tool_call_id")
        name = message.get("name")
        return Message(
            at=at,
            role=role,
            answers_id=None if answers_id is None else text_at(answers_id, f"{where}.tool_call_id"),
            answers_name=name if isinstance(name, str) else None,
            observation=read_result(content),
        )
    calls = _calls(message, where, notes) if role == "assistant" else ()
    reasoning = message.get("reasoning_content") if role == "assistant" else None
    return Message(
        at=at,
        role=role,
        text=_text(content, f"{where}.content"),
        reasoning=reasoning if isinstance(reasoning, str) and reasoning.strip() else None,
        calls=calls,
    )


def _text(content: JsonValue, where: str) -> str | None:
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        refuse(where, content, "a text")
    parts = []
    for i, part in enumerate(content):
        kind = part.get("type", "text") if isinstance(part, dict) else None
        if not isinstance(part, dict) or kind not in ("text", "input_text", "output_text"):
            named = f"of type {kind[:40]}" if isinstance(kind, str) else "no content part"
            raise InputError(f"{where}[{i}] is {named}; only text can be annotated.")
        parts.append(text_at(part.get("text"), f"{where}[{i}].text"))
    return "".join(parts)


def _calls(message: JsonObject, where: str, notes: list[str]) -> tuple[MessageCall, ...]:
    listed = message.get("tool_calls")
    if listed is None or listed == []:
        legacy = message.get("function_call")
        return () if legacy is None else (_call(None, legacy, f"{where}.function_call", notes),)
    calls = []
    for i, item in enumerate(list_at(listed, f"{where}.tool_calls")):
        at = f"{where}.tool_calls[{i}]"
        call = object_at(item, at)
        found = call.get("id")
        call_id = None if found is None else text_at(found, f"{at}.id")
        read = _call(call_id, call.get("function"), f"{at}.function", notes)
        with suppress(ValueError):  # a key of that name that means something else stays with the file
            read = replace(read, accepted=checked_accepted(members_in(call.get("accepted"))))
        calls.append(read)
    return tuple(calls)


def _call(call_id: str | None, value: JsonValue, where: str, notes: list[str]) -> MessageCall:
    function = object_at(value, where)
    name = text_at(function.get("name"), f"{where}.name")
    return MessageCall(
        id=call_id, name=name, arguments=arguments_at(function.get("arguments"), f"{where}.arguments", notes)
    )


def read_result(content: JsonValue) -> JsonValue:
    """Read what a tool returned: JSON text is parsed, other text kept, text parts joined.

    A content whose JSON is null stays the text `null`: in a case a null observation was never
    recorded, and this one was.
    """
    if isinstance(content, list) and content and all(_is_text_part(part) for part in content):
        content = "".join(str(part["text"]) for part in content if isinstance(part, dict))
    if not isinstance(content, str):
        return content
    found = embedded(content)
    return content if found is None else found


def _is_text_part(part: JsonValue) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def write_result(observation: JsonValue) -> str:
    """Write an observation as the content of a tool message that `read_result` reads as the same value."""
    if isinstance(observation, str) and read_result(observation) != observation:
        return json.dumps(observation, ensure_ascii=False)
    return to_text(observation)


def text_message(role: str, text: str, *, reasoning: str | None = None) -> JsonObject:
    """Write a message that is text alone, with what was thought before it where that is known."""
    message: JsonObject = {"role": role, "content": text}
    return message | {"reasoning_content": reasoning} if reasoning else message


def call_message(thought: str | None, parts: Sequence[JsonObject], *, legacy: bool) -> JsonObject:
    """Write an assistant message with calls; a legacy one holds its only call as `function_call`."""
    message: JsonObject = {"role": "assistant", "content": thought}
    if legacy:
        message["function_call"] = parts[0]["function"]
    else:
        message["tool_calls"] = list(parts)
    return message


def call_part(call_id: str | None, name: str, arguments: JsonObject) -> JsonObject:
    """Write one item of `tool_calls`; without an id where none is known."""
    part: JsonObject = {} if call_id is None else {"id": call_id}
    return part | {"type": "function", "function": {"name": name, "arguments": to_text(arguments)}}


def result_message(call_id: str | None, observation: JsonValue, *, function: str | None) -> JsonObject:
    """Write a tool message, or a legacy one that names its function; without an id where none is known."""
    content = write_result(observation)
    if function is not None:
        return {"role": "function", "name": function, "content": content}
    message: JsonObject = {"role": "tool"}
    if call_id is not None:
        message["tool_call_id"] = call_id
    return message | {"content": content}
