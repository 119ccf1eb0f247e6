"""The prompt protocol for models without function calling: what they are told, and how they are read.

Scoring 6. The reader is forgiving where the meaning is clear, and takes everything else as plain text.
"""

import json
import re
from collections.abc import Sequence

from pydantic import JsonValue

from scoring.errors import InputError, filled
from scoring.model.record import JsonObject, Record, members_in
from scoring.model.strict_json import embedded, parse_embedded
from scoring.predictions import Reply, ToolCall

_INSTRUCTIONS = """\
You help a user by composing functions. You are given a conversation and a list of functions. \
In each reply do exactly one of two things:

- Call one function, or several at once where none of them needs what another one returns.
- Write to the user in plain language, starting with `Assistant:`. Do so where no function fits the request, \
where a required parameter is missing (then ask the user for it), and where the results you have are enough \
to answer.

Calls are the only content of their reply, in this form:

<tool_calls>[{{"name": "function_name", "arguments": {{"parameter_name": "value"}}}}]</tool_calls>

The functions:

{functions}

Remember: a reply is either <tool_calls>[...]</tool_calls> and nothing else, \
or text starting with `Assistant:`.\
"""

_BLOCK = re.compile(
    r"<\s*tool_c?alls\s*>(?P<inside>.*?)(?:<\s*/\s*tool_c?alls\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_ANSWER = re.compile(r"<\s*answer\s*>(.*?)<\s*/\s*answer\s*>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"<\s*/\s*think\s*>", re.IGNORECASE)
_THOUGHT_START = re.compile(r"\s*<\s*think\s*>", re.IGNORECASE)
_FENCE = re.compile(r"\s*```[\w-]*\s*\n(.*?)\n?\s*```\s*", re.DOTALL)
_SPEAKER = re.compile(r"\s*assistant\s*[:：]\s*", re.IGNORECASE)


class ReadReply(Record):
    """A reply read from text.

    `parse_error` says why calls the model seems to have meant could not be read; the text then counts as
    plain text.
    """

    reply: Reply
    parse_error: str | None = None


def instructions(tools: Sequence[JsonObject], *, shown_time: str | None = None) -> str:
    """The system message of the protocol.

    Args:
        tools: The offered tools, in OpenAI shape.
        shown_time: The simulated time; its line is left out where None.
    """
    functions = json.dumps([tool.get("function", tool) for tool in tools], ensure_ascii=False, indent=2)
    text = _INSTRUCTIONS.format(functions=functions)
    return f"{text}\nCurrent time: {shown_time}" if shown_time else text


def prompt_messages(
    messages: Sequence[JsonObject], tools: Sequence[JsonObject], *, shown_time: str | None = None
) -> list[JsonObject]:
    """Write a conversation for a model that knows neither tools nor tool messages.

    Args:
        messages: The conversation in OpenAI shape; its system messages are replaced by the protocol's.
        tools: The offered tools.
        shown_time: The simulated time.
    """
    system: JsonObject = {"role": "system", "content": instructions(tools, shown_time=shown_time)}
    return [system, *(_as_text(message) for message in messages if message["role"] != "system")]


def _as_text(message: JsonObject) -> JsonObject:
    content = message.get("content")
    if message["role"] == "tool":
        return {"role": "user", "content": f"<tool_response>{content}</tool_response>"}
    if message["role"] != "assistant":
        return {"role": message["role"], "content": content}
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return {"role": "assistant", "content": f"Assistant:{content}"}
    listed = json.dumps([_as_item(call) for call in calls], ensure_ascii=False)
    return {"role": "assistant", "content": f"<tool_calls>{listed}</tool_calls>"}


def _as_item(call: JsonValue) -> JsonObject:
    function = members_in(members_in(call).get("function"))
    return {"name": function.get("name"), "arguments": embedded(str(function.get("arguments")), {})}


def without_thoughts(text: str) -> tuple[str, str | None]:
    """Cut the reasoning a model wrote before its reply.

    Args:
        text: The whole text.

    Returns:
        What follows the last end of a thought, and the thought, None where there is none. A thought that
        never ends leaves nothing.
    """
    ends = list(_THOUGHT_END.finditer(text))
    start = _THOUGHT_START.match(text)
    if ends:
        return text[ends[-1].end() :], text[start.end() if start else 0 : ends[-1].start()].strip()
    return ("", text[start.end() :].strip()) if start else (text, None)


def read_prompted(text: str) -> ReadReply:
    """Read the text of a reply under the protocol.

    Args:
        text: What the model wrote, reasoning included.

    Returns:
        A reply with calls where a block of them can be read, else the text without its speaker; an empty
        reply where nothing is left. Calls have no ids.

    Example:
        >>> said = '<tool_calls>[{"name": "f", "arguments": {"a": 1}}]</tool_calls>'
        >>> read_prompted(said).reply.tool_calls[0].name
        'f'
        >>> read_prompted("Assistant: Hello.").reply.content
        'Hello.'
    """
    said, thought = without_thoughts(text)
    inside = _ANSWER.search(said)
    said = inside[1] if inside else said
    block = _BLOCK.search(said)
    if block is None:
        spoken = _SPEAKER.match(said)
        content = said[spoken.end() if spoken else 0 :].strip()
        return ReadReply(reply=Reply(content=content or None, reasoning_content=thought))
    try:
        calls = calls_in(block["inside"])
    except InputError as exc:
        plain = Reply(content=said.strip() or None, reasoning_content=thought)
        return ReadReply(reply=plain, parse_error=exc.message)
    around = f"{said[: block.start()].strip()}\n{said[block.end() :].strip()}".strip()
    return ReadReply(reply=Reply(content=around or None, tool_calls=calls, reasoning_content=thought))


def calls_in(text: str) -> tuple[ToolCall, ...]:
    """Read a JSON list of calls, or a single one; a code fence around it is removed.

    Raises:
        InputError: It is no JSON, or no item of it names a function and its arguments.
    """
    try:
        value = parse_embedded(text)
    except InputError:
        fenced = _FENCE.fullmatch(text)
        if fenced is None:
            raise
        value = parse_embedded(fenced[1])
    items = value if isinstance(value, list) else [value]
    return filled(
        tuple(call for item in items if (call := read_item(item))),
        InputError("No call in it has both a name and arguments."),
    )


def read_item(item: JsonValue) -> ToolCall | None:
    """Read one call written as `{"name", "arguments"}`; `parameters` will do, other shapes are no calls."""
    if not isinstance(item, dict):
        return None
    name = item.get("name")
    arguments = item["arguments"] if "arguments" in item else item.get("parameters")
    if not isinstance(name, str) or not name or not isinstance(arguments, dict | str):
        return None
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(name=name, arguments=written)
