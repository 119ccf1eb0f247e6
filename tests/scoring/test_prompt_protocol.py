"""The prompt protocol: what a model without function calling is told, and how its text is read."""

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoring.history import offered_tools, opening_messages
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Protocol
from scoring.predictions import Reply, ToolCall
from scoring.prompt_protocol import instructions, prompt_messages, read_prompted
from tests.factories import answer, ask, call, case, task, tool

CALL = ToolCall(name="f", arguments='{"a": 1}')
BLOCK = '[{"name": "f", "arguments": {"a": 1}}]'


def calls(text: str) -> tuple[ToolCall, ...]:
    return read_prompted(text).reply.tool_calls


def rendered(messages: list[JsonObject]) -> list[tuple[Any, Any]]:
    return [(message["role"], message["content"]) for message in messages]


def test_the_system_message_lists_every_function_as_indented_json() -> None:
    tools = offered_tools(case(tools=[tool("getForecast", city={"type": "string"})]))
    functions = json.dumps([tools[0]["function"]], indent=2)
    assert functions in instructions(tools)


def test_texts_of_other_scripts_stand_in_the_system_message_as_they_are() -> None:
    tools = offered_tools(case(tools=[tool("getForecast", city={"type": "string", "description": "城市"})]))
    assert '"description": "城市"' in instructions(tools)


def test_the_last_line_of_the_system_message_is_the_time() -> None:
    assert instructions([], shown_time="2026-03-11 09:20:00").splitlines()[-1] == (
        "Current time: 2026-03-11 09:20:00"
    )


def test_without_a_time_nothing_is_said_about_it() -> None:
    assert "Current time" not in instructions([])


def test_the_example_in_the_system_message_reads_as_a_call() -> None:
    line = next(line for line in instructions([]).splitlines() if line.startswith("<tool_calls>[{"))
    assert calls(line) == (ToolCall(name="function_name", arguments='{"parameter_name": "value"}'),)


def test_a_conversation_is_written_as_plain_text() -> None:
    shown = case(
        task(
            ask("Which day?", "Sunday"),
            call("getForecast", {"sky": "grey"}, city="Gand à mer"),
            answer("Grey."),
            user="Weather?",
            edges=[(0, 1)],
        ),
        task(answer(), user="And Monday?"),
        tools=[tool("getForecast")],
        now="2026-03-11 09:20:00",
    )
    messages = opening_messages(shown, 1, protocol=Protocol.WILDTOOL)
    assert rendered(prompt_messages(messages, []))[1:] == [
        ("user", "Weather?"),
        ("assistant", "Assistant:Which day?"),
        ("user", "Sunday"),
        (
            "assistant",
            '<tool_calls>[{"name": "getForecast", "arguments": {"city": "Gand à mer"}}]</tool_calls>',
        ),
        ("user", '<tool_response>{"sky": "grey"}</tool_response>'),
        ("assistant", "Assistant:Grey."),
        ("user", "And Monday?"),
    ]


def test_the_systems_own_date_line_gives_way_to_the_protocol() -> None:
    shown = case(task(user="Hi"), now="2026-03-11")
    messages = prompt_messages(opening_messages(shown, 0, protocol=Protocol.WILDTOOL), [], shown_time="x")
    assert rendered(messages) == [("system", instructions([], shown_time="x")), ("user", "Hi")]


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_calls>{BLOCK}</tool_calls>",
        f"<tool_alls>{BLOCK}</tool_alls>",
        f"< tool_calls >\n{BLOCK}\n</ tool_calls >",
        f"<TOOL_CALLS>{BLOCK}</TOOL_CALLS>",
        f"<tool_calls>{BLOCK}",
        f"<tool_calls>```json\n{BLOCK}\n```</tool_calls>",
        '<tool_calls>{"name": "f", "arguments": {"a": 1}}</tool_calls>',
        '<tool_calls>[{"name": "f", "parameters": {"a": 1}}]</tool_calls>',
        '<tool_calls>[{"name": "f", "arguments": "{\\"a\\": 1}"}]</tool_calls>',
        f"<think>Or <tool_calls>[]</tool_calls>?</think><tool_calls>{BLOCK}</tool_calls>",
        f"so far</think>\n<tool_calls>{BLOCK}</tool_calls>",
        f"<answer><tool_calls>{BLOCK}</tool_calls></answer>",
        f'<tool_calls>[{{"arguments": {{}}}}, 3, {BLOCK[1:]}</tool_calls>',
    ],
)
def test_calls_are_read_however_they_are_wrapped(text: str) -> None:
    assert calls(text) == (CALL,)


def test_several_calls_keep_their_order() -> None:
    both = '[{"name": "g", "arguments": {}}, {"name": "f", "arguments": {"a": 1}}]'
    assert [one.name for one in calls(f"<tool_calls>{both}</tool_calls>")] == ["g", "f"]


def test_text_around_a_block_becomes_content() -> None:
    reply = read_prompted(f"Let me look.\n<tool_calls>{BLOCK}</tool_calls>\nDone.").reply
    assert (reply.content, reply.tool_calls) == ("Let me look.\nDone.", (CALL,))


@pytest.mark.parametrize(
    "inside", ["[{name: f}]", "", "[]", '[{"name": "f"}]', '[{"name": "", "arguments": {}}]', "3"]
)
def test_a_block_that_cannot_be_read_is_plain_text_and_says_why(inside: str) -> None:
    text = f"<tool_calls>{inside}</tool_calls>"
    found = read_prompted(text)
    assert found.reply == Reply(content=text)
    assert found.parse_error


@pytest.mark.parametrize(
    "text", ["Assistant: Sunny.", "assistant：Sunny.", "  ASSISTANT :\nSunny.  ", "Sunny.", "</think>Sunny."]
)
def test_a_text_is_what_follows_the_speaker(text: str) -> None:
    assert read_prompted(text).reply.content == "Sunny."


@pytest.mark.parametrize("text", ["", "   ", "Assistant:", "<think>all</think>", "<think>and on and on"])
def test_where_nothing_is_said_the_reply_is_empty(text: str) -> None:
    assert read_prompted(text).reply.is_empty


def test_reasoning_is_kept_beside_the_reply() -> None:
    reply = read_prompted("<think>Hm.</think>Assistant: Yes.").reply
    assert (reply.content, reply.reasoning_content) == ("Yes.", "Hm.")


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    for wrapped in (text, f"<tool_calls>{text}</tool_calls>", f"<think>{text}"):
        read_prompted(wrapped)


@given(
    st.lists(
        st.tuples(st.text(min_size=1), st.dictionaries(st.text(), st.integers() | st.text())), min_size=1
    )
)
def test_what_is_written_is_read_again(said: list[tuple[str, dict[str, int | str]]]) -> None:
    parts = [{"function": {"name": name, "arguments": json.dumps(arguments)}} for name, arguments in said]
    message: JsonObject = {"role": "assistant", "content": "", "tool_calls": json.loads(json.dumps(parts))}
    text = str(prompt_messages([message], [])[1]["content"])
    # An argument may hold the closing tag itself, which no reader of text can tell apart.
    assume("</" not in text.removesuffix("</tool_calls>"))
    read = [(one.name, json.loads(one.arguments or "")) for one in calls(text)]
    assert read == [(name, arguments) for name, arguments in said]
