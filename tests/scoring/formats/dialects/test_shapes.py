"""One small dialogue in every shape that is read: each becomes the same case (formats 11)."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from pydantic import JsonValue

from scoring.formats.case_reader import ReadCase, Rejected, read_cases
from scoring.formats.dialects.known import DIALECTS
from scoring.model.case import Answer, Call, Case
from scoring.model.record import JsonObject

ASKED, SAID = "Is it warm in Oslo?", "Yes, 21 degrees."
GIVEN: JsonObject = {"city": "Oslo", "days": 1}
FOUND: JsonObject = {"degrees": 21}
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
FUNCTION: JsonObject = {"name": "forecast", "description": "The weather.", "parameters": SCHEMA}
TOOL: JsonObject = {"type": "function", "function": FUNCTION}
CALL: JsonObject = {"name": "forecast", "arguments": GIVEN}
WRITTEN = json.dumps(CALL)
RESULT = json.dumps(FOUND)
CHAT: list[JsonValue] = [
    {"role": "user", "content": ASKED},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": CALL | {"arguments": json.dumps(GIVEN)}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": RESULT},
    {"role": "assistant", "content": SAID},
]


def turns(*pairs: tuple[str, str], who: str = "from", what: str = "value") -> list[JsonValue]:
    """Turns as ShareGPT writes them."""
    return [{who: role, what: text} for role, text in pairs]


def flat(call_id: str = "c1", function: str = "function") -> JsonObject:
    """A call with its name and arguments beside its id."""
    return {"id": call_id, function: "forecast", "arguments": GIVEN, "type": "function"}


def parts(*, call: str, answered: str) -> list[JsonValue]:
    """Turns of an interface that cuts them into parts."""
    return [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": [{"type": call, "id": "c1", "name": "forecast", "input": GIVEN}]},
        {
            "role": "user",
            "content": [
                {"type": answered, "tool_use_id": "c1", "content": [{"type": "text", "text": RESULT}]}
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": SAID}]},
    ]


def lc(kind: str, **kwargs: JsonValue) -> JsonObject:
    """A message as LangChain writes it down."""
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", kind],
        "kwargs": dict(kwargs),
    }


SPAN_INPUT: list[JsonValue] = [
    {"role": "user", "parts": [{"type": "text", "content": ASKED}]},
    {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c1", "name": "forecast", "arguments": GIVEN}],
    },
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": FOUND}]},
]
SPAN_OUTPUT: list[JsonValue] = [
    {"role": "assistant", "parts": [{"type": "text", "content": SAID}], "finish_reason": "stop"}
]


def spans(*found: Mapping[str, JsonValue]) -> JsonObject:
    """An OTLP export with spans of these attributes, one trace each."""
    listed: list[JsonValue] = [
        {
            "traceId": "t1",
            "attributes": [
                {"key": key, "value": {"stringValue": value if isinstance(value, str) else json.dumps(value)}}
                for key, value in attributes.items()
            ],
        }
        for attributes in found
    ]
    return {"resourceSpans": [{"scopeSpans": [{"spans": listed}]}]}


INSPECTED: list[JsonValue] = [
    {"id": "m1", "role": "user", "content": ASKED, "source": "input"},
    {"id": "m2", "role": "assistant", "content": "", "tool_calls": [flat()]},
    {
        "id": "m3",
        "role": "tool",
        "content": [{"type": "text", "text": RESULT}],
        "tool_call_id": "c1",
        "function": "forecast",
    },
    {"id": "m4", "role": "assistant", "content": [{"type": "text", "text": SAID}]},
]
SAMPLE: JsonObject = {
    "id": 7,
    "epoch": 1,
    "input": ASKED,
    "target": "",
    "messages": INSPECTED,
    "events": [{"event": "sample_init"}, {"event": "model", "tools": [FUNCTION]}],
}
HEAD = f"Call functions. <tools>{json.dumps([TOOL])}</tools>"

SHAPES: Mapping[str, JsonObject] = {
    "sharegpt": {
        "tools": json.dumps([FUNCTION]),
        "conversations": turns(
            ("human", ASKED), ("function_call", WRITTEN), ("observation", RESULT), ("gpt", SAID)
        ),
    },
    "hermes": {
        "conversations": turns(
            ("system", HEAD),
            ("human", ASKED),
            ("gpt", f"<think>Look.</think><tool_call>\n{WRITTEN}\n</tool_call>"),
            ("tool", f'<tool_response>\n{{"name": "forecast", "content": {RESULT}}}\n</tool_response>'),
            ("gpt", SAID),
        )
    },
    "hermes as python writes it": {
        "conversations": turns(
            ("system", f"Call functions. <tools> {[TOOL]} </tools>"),
            ("human", ASKED),
            ("gpt", f"<tool_call>\n{{'arguments': {GIVEN}, 'name': 'forecast'}}\n</tool_call>"),
            ("tool", f'<tool_response>\n{{"name": "forecast", "content": {FOUND}}}\n</tool_response>'),
            ("gpt", SAID),
        )
    },
    "toolace": {
        "system": f"You may call these: {json.dumps([FUNCTION])}. Write [name(key=value)].",
        "conversations": turns(
            ("user", ASKED),
            ("assistant", '[forecast(city="Oslo", days=1)]'),
            ("tool", RESULT),
            ("assistant", SAID),
        ),
    },
    "ms-swift": {
        "tools": json.dumps([TOOL]),
        "messages": turns(
            ("user", ASKED),
            ("tool_call", WRITTEN),
            ("tool_response", RESULT),
            ("assistant", SAID),
            who="role",
            what="content",
        ),
    },
    "tools as text": {"tools": json.dumps([TOOL]), "messages": CHAT},
    "texts in parts": {
        "tools": json.dumps([TOOL]),
        "messages": [{"role": "user", "content": [{"type": "text", "text": ASKED}]}, *CHAT[1:]],
    },
    "calls as tags": {
        "tools": [TOOL],
        "messages": turns(
            ("user", ASKED),
            ("assistant", f"<tool_call>{WRITTEN}</tool_call>"),
            ("user", f"<tool_response>{RESULT}</tool_response>"),
            ("assistant", SAID),
            who="role",
            what="content",
        ),
    },
    "anthropic": {
        "system": "Help.",
        "tools": [{"name": "forecast", "description": "The weather.", "input_schema": SCHEMA}],
        "messages": parts(call="tool_use", answered="tool_result"),
    },
    "responses": {
        "instructions": "Help.",
        "tools": [{"type": "function", **FUNCTION}],
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": ASKED}]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Look."}]},
            {"type": "function_call", "call_id": "c1", "name": "forecast", "arguments": json.dumps(GIVEN)},
            {"type": "function_call_output", "call_id": "c1", "output": RESULT},
        ],
        "output": [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": SAID}]}
        ],
    },
    "gemini": {
        "systemInstruction": {"parts": [{"text": "Help."}]},
        "tools": [{"functionDeclarations": [FUNCTION]}],
        "contents": [
            {"role": "user", "parts": [{"text": ASKED}]},
            {"role": "model", "parts": [{"functionCall": {"name": "forecast", "args": GIVEN}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "forecast", "response": FOUND}}]},
            {"role": "model", "parts": [{"text": SAID}]},
        ],
    },
    "inspect": {"eval": {"task": "t"}, "samples": [SAMPLE]},
    "inspect sample": SAMPLE,
    "spans": spans(
        {"gen_ai.input.messages": SPAN_INPUT[:1], "gen_ai.output.messages": SPAN_INPUT[1:2]},
        {
            "gen_ai.input.messages": SPAN_INPUT,
            "gen_ai.output.messages": SPAN_OUTPUT,
            "gen_ai.system_instructions": [{"type": "text", "content": "Help."}],
            "gen_ai.tool.definitions": [TOOL],
        },
    ),
    "langfuse": {
        "id": "t1",
        "observations": [
            {"type": "SPAN", "input": "x", "output": "y"},
            {"type": "GENERATION", "input": {"messages": CHAT[:1], "tools": [TOOL]}, "output": CHAT[1]},
            {"type": "GENERATION", "input": {"messages": CHAT[:3], "tools": [TOOL]}, "output": CHAT[3]},
        ],
    },
    "langsmith": {
        "id": "r1",
        "run_type": "llm",
        "extra": {"invocation_params": {"tools": [TOOL]}},
        "inputs": {
            "messages": [
                [
                    lc("HumanMessage", content=ASKED),
                    lc("AIMessage", content="", tool_calls=[{"id": "c1", "name": "forecast", "args": GIVEN}]),
                    lc("ToolMessage", content=RESULT, tool_call_id="c1"),
                ]
            ]
        },
        "outputs": {"generations": [[{"text": SAID, "message": lc("AIMessage", content=SAID)}]]},
    },
}
INFERRED: Mapping[str, JsonObject] = {
    "tau": {"task_id": 3, "trial": 1, "reward": 1.0, "traj": CHAT},
    "tau2": {
        "info": {},
        "simulations": [
            {
                "task_id": "3",
                "trial": 1,
                "messages": [
                    {"role": "user", "content": ASKED, "tool_calls": None},
                    {"role": "user", "content": None, "tool_calls": [flat("u1", "name")]},
                    {"role": "tool", "id": "u1", "content": "the user's", "requestor": "user"},
                    {"role": "assistant", "content": None, "tool_calls": [flat("c1", "name")]},
                    {"role": "tool", "id": "c1", "content": RESULT, "requestor": "assistant"},
                    {"role": "assistant", "content": SAID},
                ],
            }
        ],
    },
}


def read(folder: Path, *records: JsonObject) -> Sequence[ReadCase | Rejected]:
    """What reading a file of these lines gives."""
    path = folder / "made.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return list(read_cases(path))


def the_case(found: Sequence[ReadCase | Rejected]) -> Case:
    """The only case that was read."""
    [one] = found
    assert isinstance(one, ReadCase), one
    return one.case


def brief(case: Case) -> list[JsonValue]:
    """What was asked, called, returned and said."""
    told: list[JsonValue] = []
    for task in case.tasks:
        told.append(task.user)
        for step in task.steps:
            if isinstance(step, Call):
                told.append([step.name, step.arguments, step.observation])
            elif isinstance(step, Answer):
                told.append(step.text)
    return told


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_becomes_the_same_case(tmp_path: Path, shape: str) -> None:
    case = the_case(read(tmp_path, SHAPES[shape]))
    assert brief(case) == [ASKED, ["forecast", GIVEN, FOUND], SAID]
    [tool] = case.tools
    assert tool.definition["function"] == FUNCTION


def test_each_shape_is_known_by_its_own_name_and_all_are_tried(tmp_path: Path) -> None:
    every = {**SHAPES, **INFERRED}
    read_as = {name: read(tmp_path, record)[0] for name, record in every.items()}
    named = {name: found.dialect for name, found in read_as.items() if isinstance(found, ReadCase)}
    untried = {dialect.name for dialect in DIALECTS} - set(named.values())
    assert untried == {"BFCL", "xLAM or APIGen", "a Langfuse generation"}
    assert named["hermes"] == named["sharegpt"]
    assert named["anthropic"] == "Anthropic messages"


@pytest.mark.parametrize("shape", INFERRED)
def test_tools_that_a_file_does_not_hold_are_inferred_from_the_calls(tmp_path: Path, shape: str) -> None:
    case = the_case(read(tmp_path, INFERRED[shape]))
    assert case.id == "3-1"
    assert [told for told in brief(case) if told] == [ASKED, ["forecast", GIVEN, FOUND], SAID]
    [tool] = case.tools
    assert tool.definition["function"] == {
        "name": "forecast",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        },
    }


def test_an_argument_that_was_given_with_two_types_is_inferred_with_none(tmp_path: Path) -> None:
    traj: list[JsonValue] = [
        {"role": "user", "content": ASKED},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [flat("a", "name"), flat("b", "name") | {"arguments": {"city": 5}}],
        },
    ]
    [tool] = the_case(read(tmp_path, {"task_id": 1, "traj": traj})).tools
    function = tool.definition["function"]
    assert isinstance(function, dict)
    assert function["parameters"] == {
        "type": "object",
        "properties": {"city": {}, "days": {"type": "integer"}},
    }


def test_one_request_with_its_calls_has_parameters_by_name(tmp_path: Path) -> None:
    by_name = {
        "name": "forecast",
        "description": "The weather.",
        "parameters": {"city": {"type": "str"}, "type": {"type": "str"}},
    }
    line: JsonObject = {
        "id": 4,
        "query": ASKED,
        "answers": json.dumps([CALL, CALL]),
        "tools": json.dumps([by_name]),
    }
    case = the_case(read(tmp_path, line))
    assert case.id == "4"
    assert brief(case) == [ASKED, ["forecast", GIVEN, None], ["forecast", GIVEN, None]]
    function = case.tools[0].definition["function"]
    assert isinstance(function, dict)
    assert function["parameters"] == {"type": "object", "properties": by_name["parameters"]}


def test_names_of_tools_may_hold_what_python_does_not_know(tmp_path: Path) -> None:
    tools: list[JsonValue] = [
        {"name": "Get Price", "parameters": {"type": "dict", "properties": {}}},
        {"name": "Get Price (live)"},
    ]
    line: JsonObject = {
        "tools": tools,
        "conversations": turns(
            ("user", "Prices?"), ("assistant", "[Get Price(of='a, (b)'), Get Price (live)(n=[1, None])]")
        ),
    }
    assert brief(the_case(read(tmp_path, line)))[1:] == [
        ["Get Price", {"of": "a, (b)"}, None],
        ["Get Price (live)", {"n": [1, None]}, None],
    ]


def test_results_that_are_listed_by_name_each_find_their_call(tmp_path: Path) -> None:
    found = [{"name": "b", "results": {"n": 2}}, {"name": "a", "results": {"n": 1}}]
    line: JsonObject = {
        "tools": [{"name": "a"}, {"name": "b"}],
        "conversations": turns(("user", "Go"), ("assistant", "[a(), b()]"), ("tool", json.dumps(found))),
    }
    assert brief(the_case(read(tmp_path, line)))[1:] == [["a", {}, {"n": 1}], ["b", {}, {"n": 2}]]


def test_values_of_spans_may_be_written_with_their_types(tmp_path: Path) -> None:
    def typed(value: JsonValue) -> JsonObject:
        if isinstance(value, list):
            return {"arrayValue": {"values": [typed(one) for one in value]}}
        if isinstance(value, dict):
            return {
                "kvlistValue": {"values": [{"key": key, "value": typed(one)} for key, one in value.items()]}
            }
        return {"intValue": value} if isinstance(value, int) else {"stringValue": value}

    attributes: list[JsonValue] = [
        {"key": key, "value": typed(value)}
        for key, value in (("gen_ai.input.messages", SPAN_INPUT), ("gen_ai.output.messages", SPAN_OUTPUT))
    ]
    span: JsonObject = {"traceId": "t1", "attributes": attributes}
    case = the_case(read(tmp_path, {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    assert brief(case) == [ASKED, ["forecast", GIVEN, FOUND], SAID]


def test_calls_of_one_turn_are_one_round_and_results_find_them_by_name(tmp_path: Path) -> None:
    two = f'<tool_call>{WRITTEN}</tool_call>\n<tool_call>{{"name": "clock", "arguments": {{}}}}</tool_call>'
    line: JsonObject = {
        "conversations": turns(
            ("system", HEAD),
            ("human", ASKED),
            ("gpt", two),
            ("tool", '<tool_response>{"degrees": 1}</tool_response><tool_response>"noon"</tool_response>'),
        )
    }
    case = the_case(read(tmp_path, line))
    assert brief(case)[1:] == [["forecast", GIVEN, {"degrees": 1}], ["clock", {}, "noon"]]
    assert {step.recorded_round for step in case.tasks[0].steps} == {0}


def test_reasoning_becomes_the_thought_of_its_call(tmp_path: Path) -> None:
    for shape in ("hermes", "responses"):
        first = the_case(read(tmp_path, SHAPES[shape])).tasks[0].steps[0]
        assert isinstance(first, Call)
        assert first.thought == "Look."


def test_the_lines_of_a_session_are_one_case_each_session(tmp_path: Path) -> None:
    said = parts(call="tool_use", answered="tool_result")
    lines: list[JsonObject] = [
        {"type": "summary", "summary": "Weather", "leafUuid": "u"},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        {"type": "queue-operation", "operation": "enqueue", "sessionId": "s1"},
        *({"type": "x", "sessionId": "s1", "uuid": str(i), "message": one} for i, one in enumerate(said)),
        {
            "type": "user",
            "sessionId": "s1",
            "isSidechain": True,
            "message": {"role": "user", "content": "aside"},
        },
        {"type": "user", "sessionId": "s2", "message": {"role": "user", "content": "Else?"}},
    ]
    found = read(tmp_path, *lines)
    cases = [one.case for one in found if isinstance(one, ReadCase)]
    assert [case.id for case in cases] == ["s1", "s2"]
    assert brief(cases[0]) == [ASKED, ["forecast", GIVEN, FOUND], SAID]
    assert brief(cases[1]) == ["Else?"]


def test_parts_of_one_reply_on_several_lines_are_joined(tmp_path: Path) -> None:
    def line(text: str, **part: JsonValue) -> JsonObject:
        message: JsonObject = {"id": "m1", "role": "assistant", "content": [{"type": text, **part}]}
        return {"type": "assistant", "sessionId": "s1", "uuid": text, "message": message}

    user: JsonObject = {"type": "user", "sessionId": "s1", "message": {"role": "user", "content": ASKED}}
    lines = [
        user,
        line("thinking", thinking="Look."),
        *(line("tool_use", id=i, name="forecast", input=GIVEN) for i in "ab"),
    ]
    case = the_case(read(tmp_path, *lines))
    assert brief(case)[1:] == [["forecast", GIVEN, None], ["forecast", GIVEN, None]]
    first = case.tasks[0].steps[0]
    assert isinstance(first, Call)
    assert (first.thought, case.tasks[0].steps[1].recorded_round) == ("Look.", 0)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"conversations": turns(("narrator", "Once"))}, "conversations[0].from is 'narrator'"),
        ({"conversations": turns(("function_call", WRITTEN))}, "calls tools before any user message"),
        (
            {"conversations": turns(("human", ASKED), ("function_call", "forecast(city=Oslo)"))},
            "conversations[1].value[0] is a text",
        ),
        (
            {"conversations": turns(("human", ASKED), ("function_call", '{"arguments": {}}'))},
            "the name of a call is null",
        ),
        ({"query": ASKED, "answers": "[1]", "tools": []}, "answers[0] is a number; an object is expected"),
        ({"task_id": 1, "traj": "none"}, "traj[0] is a text"),
        (
            {"simulations": [{"messages": [{"role": "critic", "content": "no"}]}]},
            "messages[0].role is 'critic'",
        ),
        ({"contents": []}, "messages holds no user message"),
        ({"run_type": "llm", "inputs": {}}, "messages holds no user message"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(tmp_path: Path, line: JsonObject, said: str) -> None:
    [refused] = read(tmp_path, line)
    assert isinstance(refused, Rejected)
    assert said in refused.reason


def test_results_without_a_call_and_calls_without_a_result_are_kept_apart(tmp_path: Path) -> None:
    line: JsonObject = {
        "conversations": turns(("human", ASKED), ("observation", RESULT), ("function_call", WRITTEN))
    }
    [one] = read(tmp_path, line)
    assert isinstance(one, ReadCase)
    assert brief(one.case) == [ASKED, ["forecast", GIVEN, None]]
    assert one.warnings == ("messages[1] answers no call of its task; kept beside the case.",)


def test_a_bad_dialogue_of_a_log_does_not_stop_the_good_ones(tmp_path: Path) -> None:
    bad = SAMPLE | {"id": 8, "messages": []}
    found = read(tmp_path, {"eval": {}, "samples": [bad, SAMPLE]}, SAMPLE | {"id": 9})
    assert [one.case.id for one in found if isinstance(one, ReadCase)] == ["7-1", "9-1"]
    [refused] = [one for one in found if isinstance(one, Rejected)]
    assert refused.line == 1
    assert refused.reason.startswith("an Inspect log, dialogue 8-1: messages holds no user message")
