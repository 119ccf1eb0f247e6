"""Dialogues as models are trained on them: ShareGPT, Hermes, ToolACE, xLAM and kin (formats 11.1)."""

import re
from collections.abc import Iterator

from pydantic import JsonValue

from scoring.errors import InputError, existing
from scoring.formats.chat.messages import ROLES, text_message
from scoring.formats.dialects.dialogue import (
    Dialect,
    calling,
    chat,
    each,
    has,
    objects,
    result,
    results,
    spoken,
    tools_from,
)
from scoring.formats.dialects.providers import texts
from scoring.formats.fields import parsed, text_at
from scoring.model.record import JsonObject, items_in, objects_in

_ROLES = {
    **dict.fromkeys(("human", "user", "user_input"), "user"),
    **dict.fromkeys(("gpt", "assistant", "model", "chatgpt", "bot"), "assistant"),
    **dict.fromkeys(("function_call", "tool_call", "function-call"), "call"),
    **dict.fromkeys(
        ("observation", "tool", "function", "tool_response", "function_response", "ipython", "environment"),
        "result",
    ),
    **dict.fromkeys(("system", "developer"), "system"),
}
_LISTED = re.compile(r"<tools>\s*(.*?)\s*</tools>", re.DOTALL)
_BRACKETED = re.compile(r"\[\s*\{.*\}\s*\]", re.DOTALL)
_WRITTEN_CALLS = ("<tool_call>", "<function=", "<tool_response>")


def _turns(record: JsonObject, where: str) -> Iterator[tuple[str, JsonValue, JsonObject]]:
    """(role, content, the turn itself) of each turn.

    Raises:
        InputError: A role is not known.
    """
    for i, turn in enumerate(objects(record[where], where)):
        said = text_at(turn.get("from", turn.get("role")), f"{where}[{i}].from")
        role = existing(
            _ROLES.get(said.casefold()),
            InputError(f"{where}[{i}].from is {said[:40]!r}; one of {', '.join(_ROLES)} is expected."),
        )
        content = turn.get("value", turn.get("content"))
        parts = content if isinstance(content, list) else [None]
        is_cut = all(isinstance(part, dict) and "text" in part for part in parts)
        yield (role, texts(content) if is_cut else content, turn)


def _listed_tools(record: JsonObject, system: str) -> list[JsonValue]:
    """The tools of a line: under `tools`, or as JSON within its system prompt."""
    if record.get("tools"):
        return tools_from(record["tools"])
    found = _LISTED.search(system) or _BRACKETED.search(system)
    written = found[found.re.groups] if found else ""
    whole = parsed(written)
    if isinstance(whole, list):
        return tools_from(whole)
    lines = [parsed(line) for line in written.splitlines()]  # Hermes may write one object a line
    return tools_from(
        [line for line in lines if isinstance(line, dict) and ("function" in line or "name" in line)]
    )


def _chats(record: JsonObject) -> Iterator[JsonObject]:
    where = "conversations" if "conversations" in record else "messages"
    turns = [*_turns(record, where)]
    heads = [record.get("system"), *(content for role, content, _ in turns if role == "system")]
    system = "\n".join(text for text in heads if isinstance(text, str) and text)
    tools = _listed_tools(record, system)
    names = [
        str(function.get("name"))
        for tool in objects(tools, "tools")
        for function in objects(tool["function"], "")
    ]
    messages: list[JsonObject] = []
    for number, (role, content, turn) in enumerate(turns):
        match role:
            case "call":
                said = objects(content, f"{where}[{number}].value")
                more = calling((None, one.get("name"), one.get("arguments")) for one in said)
                if messages and (before := items_in(messages[-1].get("tool_calls"))):
                    messages[-1]["tool_calls"] = [*before, *items_in(more["tool_calls"])]
                else:
                    messages.append(more)
            case "result" if where == "messages" and "tool_call_id" in turn:
                messages.append(result(content, turn["tool_call_id"], turn.get("name")))
            case "result":
                messages.extend(results(content))
            case "assistant" if not turn.get("tool_calls"):
                messages.append(spoken(content if isinstance(content, str) else "", names))
            case "assistant":
                messages.append(turn)
            case "user" if isinstance(content, str):
                found = "<tool_response>" in content
                messages.extend(results(content) if found else [text_message("user", content)])
    yield chat(messages, tools=tools, system=system, id=record.get("id"))


def _is_tagged(record: JsonObject) -> bool:
    """Whether messages write calls in their texts, have roles of their own, or tools as text."""
    turns = objects_in(record.get("messages"))
    odd = any(turn.get("role") not in ROLES and turn.get("role") in _ROLES for turn in turns)
    texts = [turn.get("content") for turn in turns if turn.get("role") != "system"]
    written = any(isinstance(text, str) and any(tag in text for tag in _WRITTEN_CALLS) for text in texts)
    has_text = isinstance(record.get("messages"), list) and isinstance(record.get("tools"), str)
    return odd or written or has_text


def _request_and_answers(record: JsonObject) -> Iterator[JsonObject]:
    """xLAM and APIGen: one request, the calls that answer it, tools with parameters by name alone."""
    calls = [(None, one.get("name"), one.get("arguments")) for one in objects(record["answers"], "answers")]
    messages = [text_message("user", text_at(record["query"], "query")), *([calling(calls)] if calls else [])]
    yield chat(messages, tools=tools_from(record["tools"]), id=record.get("id"))


SHAPES = (
    Dialect("ShareGPT, Hermes, ToolACE or LLaMA-Factory", has("conversations"), each(_chats)),
    Dialect(
        "xLAM or APIGen", has("query", "answers", "tools"), each(_request_and_answers), "It has no results."
    ),
    Dialect("messages with calls as text", _is_tagged, each(_chats)),
)
