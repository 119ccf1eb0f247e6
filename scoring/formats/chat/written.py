"""Cases as training sets and another provider's requests hold them (formats 12): for others to read."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from pydantic import JsonValue

from scoring.formats.chat import openai
from scoring.formats.chat.messages import text_message
from scoring.formats.fields import list_at, object_at
from scoring.model.case import Case
from scoring.model.record import JsonObject, to_text
from scoring.model.strict_json import parse_embedded

_SPEAKERS = {"user": "human", "assistant": "gpt"}
_HERMES = (
    "Call functions where they help. These are the functions:\n<tools>\n{tools}\n</tools>\n"
    'Write each call as <tool_call>\n{{"name": NAME, "arguments": OBJECT}}\n</tool_call>.'
)


def _dialogue(case: Case) -> tuple[str, list[JsonObject], list[JsonObject]]:
    """The system prompt of a case, its tools and its messages, in OpenAI's shape."""
    line = openai.write(case, {})
    tools, messages = list_at(line["tools"], "tools"), list_at(line["messages"], "messages")
    wrapped: list[JsonObject] = [
        tool if "function" in tool else {"type": "function", "function": tool}
        for tool in [object_at(tool, "tools") for tool in tools]
    ]
    return openai.full_system_text(case), wrapped, [object_at(message, "messages") for message in messages]


def _calls(message: JsonObject) -> list[tuple[JsonValue, JsonValue, JsonValue]]:
    """The calls of a message, each its id, its name and its arguments."""
    calls = [object_at(call, "tool_calls") for call in list_at(message.get("tool_calls", []), "tool_calls")]
    functions = [object_at(call["function"], "function") for call in calls]
    return [
        (call["id"], function["name"], parse_embedded(str(function["arguments"])))
        for call, function in zip(calls, functions, strict=True)
    ]


def chat(case: Case) -> JsonObject:
    """OpenAI messages with `tools`, the system prompt first."""
    system, tools, messages = _dialogue(case)
    head = [text_message("system", system)] if system else []
    return {"id": case.id, "messages": [*head, *messages], "tools": list(tools)}


def huggingface(case: Case) -> JsonObject:
    """Messages as they are, tools as text, so that every row of a table has the same columns."""
    line = chat(case)
    return line | {"tools": to_text(line["tools"])}


def anthropic(case: Case) -> JsonObject:
    """A request: calls are parts of the assistant's turns, results of the user's."""
    system, tools, messages = _dialogue(case)
    turns: list[JsonValue] = []
    for is_result, together in groupby(messages, key=_is_result):
        if is_result:
            results = [
                {"type": "tool_result", "tool_use_id": one["tool_call_id"], "content": one["content"]}
                for one in together
            ]
            turns.append({"role": "user", "content": list(results)})
            continue
        for message in together:
            said = message["content"]
            calls = [
                {"type": "tool_use", "id": i, "name": name, "input": given}
                for i, name, given in _calls(message)
            ]
            text: list[JsonValue] = [{"type": "text", "text": said}] if said else []
            turns.append({"role": message["role"], "content": [*text, *calls] if calls else said})
    schemas = [
        {
            ("input_schema" if key == "parameters" else key): value
            for key, value in object_at(tool["function"], "function").items()
        }
        for tool in tools
    ]
    line: JsonObject = {"id": case.id, "tools": list(schemas), "messages": turns}
    return line | ({"system": system} if system else {})


def sharegpt(case: Case) -> JsonObject:
    """Turns of human, gpt, function_call and observation, tools as text, as LLaMA-Factory reads them."""
    system, tools, messages = _dialogue(case)
    turns = [*_turns(messages, result_role="observation", is_tagged=False)]
    return {"id": case.id, "conversations": turns, "system": system, "tools": to_text(list(tools))}


def hermes(case: Case) -> JsonObject:
    """Turns in which tags hold tools, calls and results."""
    system, tools, messages = _dialogue(case)
    if "<tools>" not in system:
        system = "\n\n".join(filter(None, (system, _HERMES.format(tools=to_text(list(tools))))))
    turns = [*_turns(messages, result_role="tool", is_tagged=True)]
    return {
        "id": case.id,
        "conversations": [{"from": "system", "value": system}, *turns],
        "tools": to_text(list(tools)),
    }


def _is_result(message: JsonObject) -> bool:
    return message["role"] == "tool"


def _turns(messages: Sequence[JsonObject], *, result_role: str, is_tagged: bool) -> Iterator[JsonValue]:
    """ShareGPT turns; the results of one round stand in one turn."""
    names = {i: name for message in messages for i, name, _ in _calls(message)}
    for is_result, together in groupby(messages, key=_is_result):
        group = list(together)
        if is_result and (is_tagged or len(group) > 1):
            found = [{"name": names[one["tool_call_id"]], "content": one["content"]} for one in group]
            tagged = [f"<tool_response>\n{to_text(one)}\n</tool_response>" for one in found]
            yield {"from": result_role, "value": "\n".join(tagged)}
            continue
        for message in group:
            calls = [to_text({"name": name, "arguments": given}) for _, name, given in _calls(message)]
            said = str(message["content"] or "")
            if calls and is_tagged:
                tagged = [f"<tool_call>\n{call}\n</tool_call>" for call in calls]
                yield {"from": "gpt", "value": "\n".join(filter(None, [said, *tagged]))}
            elif calls:
                yield {
                    "from": "function_call",
                    "value": calls[0] if len(calls) == 1 else f"[{', '.join(calls)}]",
                }
            else:
                role = result_role if is_result else _SPEAKERS[str(message["role"])]
                yield {"from": role, "value": said}
