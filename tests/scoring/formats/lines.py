"""Lines of the foreign formats as people have them, with every oddity that must be survived (formats 9)."""

import json

from hypothesis import strategies as st
from pydantic import JsonValue

from scoring.model.graph import ANSWER_NAME, ASK_NAME
from scoring.model.record import JsonObject
from tests.scoring.formats.json_values import json_objects, json_values

_TEXTS = st.sampled_from(
    [
        "Weather in Oslo?",
        "Sell 10 more.",
        "",
        " blank ",
        "null",
        "订一张票",
        "**bold**\nline",
        "a\0b",
        "What?",
    ]
)
_TOOLS: list[JsonObject] = [
    {"type": "function", "function": {"name": "getForecast", "parameters": {"type": "object"}}},
    {"name": "bare", "inputSchema": {"type": "float|int", "required": ["ghost"]}},
    {
        "function": {"name": "overlay", "parameters": {"properties": {"properties": {"type": "dict"}}}},
        "strict": 1,
    },
    {"type": "function", "function": {"name": "getForecast", "description": "again"}},
]
_CALLED = st.sampled_from(["getForecast", "bare", "unknownTool"])


def _shuffled(draw: st.DrawFn, record: JsonObject) -> JsonObject:
    if draw(st.booleans()):
        return record
    return {key: record[key] for key in draw(st.permutations(list(record)))}


def _with_unknown_keys(draw: st.DrawFn, record: JsonObject) -> JsonObject:
    keys = draw(st.lists(st.sampled_from(["note", "license", "source", "annotator", "x/y"]), max_size=2))
    return record | {key: draw(json_values()) for key in keys}


@st.composite
def tool_lists(draw: st.DrawFn) -> list[JsonValue]:
    """Tool lists with bare functions, odd schemas and repeated names."""
    return list(draw(st.lists(st.sampled_from(_TOOLS), max_size=4)))


@st.composite
def _arguments(draw: st.DrawFn) -> JsonValue:
    arguments = draw(json_objects())
    odd: list[JsonValue] = [
        json.dumps(arguments),
        json.dumps(arguments, indent=1),
        None,
        "",
        "{broken",
        "[1]",
    ]
    return draw(st.sampled_from([arguments, arguments, *odd]))


@st.composite
def _ask_arguments(draw: st.DrawFn) -> JsonValue:
    one: JsonObject = {"tool_name": "bare", "missing_required_parameters": ["city"]}
    odd: list[JsonValue] = [
        {"tool_list": [one, one]},
        one,
        {"tool_list": []},
        {"tool_list": [{"missing_required_parameters": ["city"], "tool_name": "bare"}]},
        {"tool_list": [{"tool_name": "bare", "missing_required_parameters": ["city", 1]}]},
        {"tool_list": "bare"},
        {"tool_list": [{"tool_name": "bare", "missing_required_parameters": "city"}]},
        json.dumps(one),
        None,
    ]
    return draw(st.sampled_from(odd) | json_objects())


def _action(draw: st.DrawFn, kind: str) -> JsonObject:
    if kind == "call":
        return {"name": draw(_CALLED), "arguments": draw(_arguments())}
    if kind == "ask":
        return {"name": ASK_NAME, "arguments": draw(_ask_arguments())}
    odd: list[JsonValue] = [{"answer_type": "tool"}, {"answer_type": "chat"}, {}, None, {"answer_type": "x"}]
    return {"name": ANSWER_NAME, "arguments": draw(st.sampled_from(odd))}


@st.composite
def node_lists(draw: st.DrawFn) -> list[JsonValue]:
    """The nodes of one task: calls and asks in any order, one answer, dependencies in every spelling."""
    kinds = draw(st.lists(st.sampled_from(["call", "call", "ask"]), max_size=4))
    kinds.insert(draw(st.integers(0, len(kinds))) if draw(st.integers(0, 5)) == 0 else len(kinds), "answer")
    count = len(kinds)
    order = draw(st.permutations(range(count)))
    numbering = draw(st.sampled_from(["positions", "positions", "shifted", "none", "some"]))
    numbers = [i + 10 if numbering == "shifted" else i for i in range(count)]
    nodes: list[JsonValue] = []
    for i, kind in enumerate(kinds):
        earlier = [numbers[j] for j in order[: order.index(i)]]
        sources: list[JsonValue] = list(
            draw(st.lists(st.sampled_from(earlier), max_size=3)) if earlier else []
        )
        if draw(st.integers(0, 9)) == 0:
            sources.append(numbers[i])
        if draw(st.integers(0, 9)) == 0:
            sources = [str(source) for source in sources]
        node: JsonObject = {"idx": numbers[i]} if numbering in ("positions", "shifted") else {}
        if numbering == "some" and i:
            node["idx"] = i
        node["action"] = _shuffled(draw, _action(draw, kind))
        node["observation"] = draw(json_values() if kind == "call" else _TEXTS | st.none())
        if kind == "ask":
            node["user_input"] = draw(_TEXTS)
        node["dependency_list"] = sources
        if draw(st.integers(0, 9)) == 0:
            for key in draw(st.sampled_from([["dependency_list"], ["observation"]])):
                del node[key]
        nodes.append(_shuffled(draw, _with_unknown_keys(draw, node)))
    return nodes


def _dialogue(draw: st.DrawFn, texts: list[str], answers: list[JsonValue]) -> list[JsonValue]:
    user, agent = draw(
        st.sampled_from([("", ""), ("User: ", "AI Agent Assistant: "), ("用户：", "AI Agent助手：")])
    )
    messages: list[JsonValue] = []
    for text, nodes in zip(texts, answers, strict=True):
        messages.append({"role": "user", "content": user + text})
        for node in nodes if isinstance(nodes, list) else []:
            if isinstance(node, dict) and "user_input" in node:
                messages.append({"role": "assistant", "content": agent + str(node.get("observation"))})
                messages.append({"role": "user", "content": user + str(node["user_input"])})
        messages.append({"role": "assistant", "content": agent + draw(_TEXTS)})
        messages.append("=" * draw(st.integers(5, 14)))
    if draw(st.booleans()):
        messages.pop()
    return messages


def _env(draw: st.DrawFn, count: int) -> JsonValue:
    texts = [
        "2024-07-11 22:11:58",
        "当前时间：2024-07-10 09:30:00 星期三",
        "Current Time：2024-07-10",
        "noon",
        "",
    ]
    each: list[JsonValue] = [draw(st.sampled_from(texts)) for _ in range(count)]
    return draw(st.sampled_from([each[0], each, None]))


@st.composite
def wildtool_lines(draw: st.DrawFn) -> JsonObject:
    """A WildToolBench line."""
    count = draw(st.integers(1, 4))
    texts = [draw(_TEXTS) for _ in range(count)]
    answers: list[JsonValue] = [draw(node_lists()) for _ in range(count)]
    types = [
        "Single-Tool",
        "parallel multi-tool",
        "Serial Multi-Tool",
        "Mixed Multi-Tool",
        "Clarify",
        "Chat",
        "?",
    ]
    relations = [
        "Coreferential Reference",
        "Partial Information",
        "Long-Range Dependency",
        "implicit",
        "?",
        None,
    ]
    prefix = draw(st.sampled_from(["english_", "english_", ""]))
    record: JsonObject = {
        "id": draw(st.sampled_from(["wild_tool_bench_0", "x", 7, 1.5])),
        f"{prefix}env_info": _env(draw, count),
        f"{prefix}tools": draw(tool_lists()),
        f"{prefix}tasks": list(texts),
        f"{prefix}answer_list": answers,
        f"{prefix}task_types": [draw(st.sampled_from([*types, None])) for _ in range(count)],
        f"{prefix}turn_subtypes": list(draw(st.lists(st.sampled_from(relations), max_size=count))),
    }
    if count == 1 and draw(st.booleans()):
        record[f"{prefix}tasks"] = texts[0]
        record[f"{prefix}answer_list"] = answers[0]
    if draw(st.booleans()):
        record[f"{prefix}messages"] = _dialogue(draw, texts, answers)
    if prefix and draw(st.booleans()):
        record |= {"tasks": draw(json_values()), "answer_list": [[]], "messages": "对话"}
    return _shuffled(draw, _with_unknown_keys(draw, _with_gaps(draw, record)))


@st.composite
def c3_lines(draw: st.DrawFn) -> JsonObject:
    """A C3-Bench or MMTB line."""
    count = draw(st.integers(1, 4))
    texts = [draw(_TEXTS) for _ in range(count)]
    answers: list[JsonValue] = [draw(node_lists()) for _ in range(count)]
    dependent = [draw(st.booleans()) for _ in range(count)]
    relations = ["指代理解", "省略成分", "长期记忆", "ellipsis", "?"]
    aligned = draw(st.sampled_from([sum(dependent), count, 0, max(count - 1, 0)]))
    truths: dict[bool, JsonValue] = draw(
        st.sampled_from([{True: True, False: False}, {True: "真", False: "假"}, {True: True, False: None}])
    )
    prefix = draw(st.sampled_from(["english_", "english_", ""]))
    ids: list[JsonValue] = ["1f0c-aa", ["1f0c", "-aa"], 12]
    record: JsonObject = {
        "id": draw(st.sampled_from(ids)),
        "env_info": _env(draw, count),
        "type": [draw(st.sampled_from(["单", "多", "反", "拒", "?", None])) for _ in range(count)],
        "turn_type": [truths[value] for value in dependent],
        "turn_subtypes": [draw(st.sampled_from(relations)) for _ in range(aligned)],
        "task_ids": [draw(st.sampled_from([0, 0, 1])) for _ in range(count)],
        f"{prefix}task": list(texts),
        f"{prefix}tools": draw(tool_lists()),
        f"{prefix}messages": _dialogue(draw, texts, answers),
        f"{prefix}answer_list": answers,
    }
    if prefix and draw(st.booleans()):
        record |= {"task": list(texts), "messages": ["====="], "answer_list": [], "tools": None}
    return _shuffled(draw, _with_unknown_keys(draw, _with_gaps(draw, record)))


def _with_gaps(draw: st.DrawFn, record: JsonObject) -> JsonObject:
    """Fields a line may leave out, now and then left out or null."""
    optional = [key for key in record if not key.endswith(("task", "tasks", "answer_list"))]
    left_out = draw(st.lists(st.sampled_from(optional), max_size=3))
    nulls = draw(st.lists(st.sampled_from(optional), max_size=1))
    return {key: None if key in nulls else value for key, value in record.items() if key not in left_out}


@st.composite
def _chat_content(draw: st.DrawFn) -> JsonValue:
    text = draw(_TEXTS)
    shapes: list[JsonValue] = [text, text, [{"type": "text", "text": text}], None]
    return draw(st.sampled_from(shapes))


@st.composite
def _tool_content(draw: st.DrawFn) -> JsonValue:
    value = draw(json_values())
    texts = [
        json.dumps(value),
        json.dumps(value, ensure_ascii=False),
        json.dumps(value, separators=(",", ":")),
    ]
    return draw(st.sampled_from([*texts, "null", "NaN", "plain", "", value]))


def _chat_round(draw: st.DrawFn, number: int, *, legacy: bool) -> list[JsonValue]:
    count = 1 if legacy else draw(st.integers(1, 3))
    style = draw(st.sampled_from(["usual", "hex", "same", "none"]))
    calls: list[JsonValue] = []
    results: list[JsonValue] = []
    for k in range(count):
        call_id = {
            "usual": f"call_{number + k}",
            "hex": f"c{draw(st.integers(0, 99)):x}",
            "same": "call_1",
        }.get(style)
        arguments: JsonValue = draw(_arguments())
        function: JsonObject = {"name": draw(_CALLED), "arguments": arguments}
        head: JsonObject = {} if call_id is None else {"id": call_id}
        call: JsonObject = head | {"type": "function", "function": function}
        if draw(st.integers(0, 5)) == 0:
            call = head | {"function": function, "index": k}
        calls.append(function if legacy else call)
        result: JsonObject = {"role": "function" if legacy else "tool"}
        if legacy:
            result["name"] = function["name"]
        elif call_id is not None and draw(st.integers(0, 9)):
            result["tool_call_id"] = call_id
        result["content"] = draw(_tool_content())
        if draw(st.integers(0, 9)):
            results.append(_shuffled(draw, _with_unknown_keys(draw, result)))
    message: JsonObject = {"role": "assistant", "content": draw(_chat_content())}
    message["function_call" if legacy else "tool_calls"] = calls[0] if legacy else calls
    return [_with_unknown_keys(draw, _shuffled(draw, message)), *draw(st.permutations(results))]


@st.composite
def openai_lines(draw: st.DrawFn) -> JsonObject:
    """A dialogue in chat shape: questions, parallel calls, missing and misplaced results, loose texts."""
    messages: list[JsonValue] = []
    if draw(st.booleans()):
        messages.append(
            {"role": "system", "content": draw(st.sampled_from(["Be kind.", "Now: 2024-07-11 22:11"]))}
        )
    if draw(st.integers(0, 9)) == 0:
        messages.append({"role": "assistant", "content": "Hello!"})
    kinds = draw(st.sampled_from([[False], [False], [True], [False, True]]))
    for _ in range(draw(st.integers(1, 3))):
        messages.append({"role": "user", "content": draw(_chat_content())})
        for _ in range(draw(st.integers(0, 3))):
            kind = draw(st.sampled_from(["round", "round", "round", "text", "stray", "question"]))
            if kind == "round":
                messages.extend(_chat_round(draw, len(messages), legacy=draw(st.sampled_from(kinds))))
            elif kind == "text":
                messages.append({"role": "assistant", "content": draw(_chat_content())})
            elif kind == "question":
                messages.append({"role": "assistant", "content": "Please tell me the city."})
                messages.append({"role": "user", "content": "Oslo"})
            else:
                stray = [
                    {"role": "tool", "tool_call_id": "ghost", "content": "?"},
                    {"role": "system", "content": "!"},
                ]
                messages.append(dict(draw(st.sampled_from(stray))))
        if draw(st.booleans()):
            messages.append({"role": "assistant", "content": draw(_TEXTS)})
    record: JsonObject = {
        "id": draw(st.sampled_from(["multi_turn_1", 5])),
        draw(st.sampled_from(["tools", "tools", "functions"])): draw(tool_lists()),
        "messages": messages,
    }
    if draw(st.booleans()):
        record["env_info"] = draw(st.sampled_from(["2024-07-11", "", None]))
    if draw(st.integers(0, 5)) == 0:
        del record["id"]
    return _shuffled(draw, _with_unknown_keys(draw, record))
