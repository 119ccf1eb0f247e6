"""What a chat means: tasks, rounds, results, questions, answers (formats 10.1)."""

import json

import pytest
from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats.chat import openai
from scoring.formats.chat.openai import read, system_text
from scoring.model.case import Answer, Ask, Call, Case, Now, Task
from scoring.model.record import JsonObject
from scoring.model.taxonomy import EdgeKind, Information

USER: JsonObject = {"role": "user", "content": "Weather in Oslo?"}


def says(text: JsonValue, role: str = "assistant") -> JsonObject:
    """A message that is text."""
    return {"role": role, "content": text}


def calls(*names: str, content: JsonValue = None, ids: bool = True) -> JsonObject:
    """An assistant message that calls tools, each id the name of its tool."""
    parts: list[JsonValue] = []
    for name in names:
        part: JsonObject = {"type": "function", "function": {"name": name, "arguments": '{"city": "Oslo"}'}}
        parts.append(part | ({"id": name} if ids else {}))
    return says(content) | {"tool_calls": parts}


def result(content: JsonValue, call_id: str | None = None) -> JsonObject:
    """A tool message."""
    message: JsonObject = {"role": "tool", "content": content}
    return message if call_id is None else message | {"tool_call_id": call_id}


def chat(*messages: JsonObject, **fields: JsonValue) -> Case:
    """The case of a chat."""
    line: JsonObject = {"id": "o-1", "messages": list(messages)}
    return openai.decode(line | fields, file="o.jsonl", line=1)


def observed(task: Task) -> dict[str, JsonValue]:
    """What each call of a task brought back."""
    return {call.name: call.observation for _, call in task.calls}


def test_every_user_message_opens_a_task() -> None:
    tasks = chat(USER, says("Sunny."), says("And Bergen?", "user"), says(None, "user")).tasks
    assert [task.user for task in tasks] == ["Weather in Oslo?", "And Bergen?", ""]
    assert [task.information for task in tasks] == [Information.FIRST, None, None]
    assert [len(task.steps) for task in tasks] == [1, 0, 0]


def test_calls_of_one_message_are_one_round() -> None:
    (task,) = chat(USER, calls("a", "b"), result("1", "a"), calls("c"), says("Sunny.")).tasks
    assert [step.recorded_round for step in task.steps] == [0, 0, 1, 2]


def test_no_dependency_is_invented_and_the_answer_follows_everything() -> None:
    (task,) = chat(USER, calls("a"), calls("b"), says("Sunny.")).tasks
    assert [(edge.pair, edge.kind) for edge in task.edges] == [
        ((0, 2), EdgeKind.DERIVED),
        ((1, 2), EdgeKind.DERIVED),
    ]


def test_results_find_their_calls_by_id_in_any_order() -> None:
    (task,) = chat(USER, calls("a", "b"), result("for b", "b"), result("for a", "a")).tasks
    assert observed(task) == {"a": "for a", "b": "for b"}


def test_results_without_ids_are_joined_by_order() -> None:
    (task,) = chat(USER, calls("a", "b", ids=False), result("first"), result("second", "x")).tasks
    assert observed(task) == {"a": "first", "b": "second"}


def test_ids_used_again_belong_to_the_latest_round() -> None:
    (task,) = chat(USER, calls("a"), result("old", "a"), calls("a"), result("late", "a")).tasks
    assert [call.observation for _, call in task.calls] == ["old", "late"]


def test_an_id_twice_in_one_round_is_answered_in_order() -> None:
    twice = calls("a", "a")
    (task,) = chat(USER, twice, result("first", "a"), result("second", "a"), result("third", "a")).tasks
    assert [call.observation for _, call in task.calls] == ["first", "second"]


def test_a_result_of_no_call_is_noted_and_kept_beside() -> None:
    line: JsonObject = {"id": "x", "messages": [USER, calls("a"), result("?", "ghost")]}
    found = read(line, file="o.jsonl", line=1)
    assert observed(found.case.tasks[0]) == {"a": None}
    assert found.warnings == ("messages[2] answers no call of its task; kept beside the case.",)
    assert openai.encode(found.case) | {"tools": []} == line | {"tools": []}


@pytest.mark.parametrize(
    ("content", "meant"),
    [
        ('{"w": "sunny"}', {"w": "sunny"}),
        ("[1, 2]", [1, 2]),
        ('"text"', "text"),
        ("12", 12),
        ("null", "null"),
        ("plain text", "plain text"),
        ('{"a": NaN}', '{"a": NaN}'),
        ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),
        ("", ""),
        ([{"type": "text", "text": '{"a": 1}'}], {"a": 1}),
        ({"w": "sunny"}, {"w": "sunny"}),
        (None, None),
    ],
)
def test_results_are_parsed_where_they_are_json(content: JsonValue, meant: JsonValue) -> None:
    (task,) = chat(USER, calls("a"), result(content, "a")).tasks
    assert observed(task) == {"a": meant}


def test_a_result_nested_too_deep_stays_text() -> None:
    deep = "[" * 95 + "]" * 95
    (task,) = chat(USER, calls("a"), result(deep, "a")).tasks
    assert observed(task) == {"a": deep}


def test_a_call_without_a_result_was_never_observed() -> None:
    (task,) = chat(USER, calls("a")).tasks
    assert observed(task) == {"a": None}
    assert task.answer is None


def test_the_last_text_is_the_answer() -> None:
    (task,) = chat(USER, calls("a"), says("Hm."), says("Sunny.")).tasks
    assert task.answer == Answer(text="Sunny.", answer_type="tool", recorded_round=1)


def test_a_text_before_calls_is_their_thought() -> None:
    (task,) = chat(USER, says("Let me see."), calls("a", "b", content="Two at once.")).tasks
    assert [call.thought for _, call in task.calls] == ["Let me see.\nTwo at once.", None]
    assert task.answer is None


def test_an_empty_text_is_an_empty_answer_and_no_text_is_none() -> None:
    assert chat(USER, says("")).tasks[0].answer == Answer(text="", answer_type="chat", recorded_round=0)
    assert chat(USER, says(None)).tasks[0].answer is None


def test_a_question_with_its_reply_belongs_to_the_task_that_goes_on() -> None:
    (task,) = chat(USER, says("For which day?"), says("Friday", "user"), calls("a"), says("Sunny.")).tasks
    assert task.steps[0] == Ask(text="For which day?", reply="Friday", recorded_round=0)
    assert isinstance(task.steps[1], Call)
    assert task.drawn_edges == ()


def test_several_questions_may_follow_each_other() -> None:
    (task,) = chat(
        USER,
        says("Please tell me the day."),
        says("Friday", "user"),
        says("And the city?"),
        says("Oslo", "user"),
        calls("a"),
    ).tasks
    assert [ask.reply for _, ask in task.asks] == ["Friday", "Oslo"]


def test_a_question_after_calls_counts_where_it_ends_in_a_question_mark() -> None:
    asked = chat(
        USER, calls("a"), says("Two hotels. Which one?"), says("The first", "user"), calls("b")
    ).tasks
    assert [len(task.steps) for task in asked] == [3]


def test_an_offer_of_more_help_is_an_answer() -> None:
    tasks = chat(USER, calls("a"), says("Sunny. Anything else?"), says("Rain?", "user"), calls("b")).tasks
    assert [len(task.steps) for task in tasks] == [2, 1]


def test_an_answer_before_the_next_request_is_no_question() -> None:
    tasks = chat(USER, says("Oslo is in Norway."), says("Then the weather", "user"), calls("a")).tasks
    assert [len(task.steps) for task in tasks] == [1, 1]


def test_a_question_nobody_acts_upon_is_an_answer() -> None:
    tasks = chat(USER, says("For which day?"), says("Never mind.", "user"), says("Fine.")).tasks
    assert [task.answer and task.answer.text for task in tasks] == ["For which day?", "Fine."]


def test_legacy_function_calls_are_calls() -> None:
    legacy = says(None) | {"function_call": {"name": "a", "arguments": "{}"}}
    (task,) = chat(USER, legacy, {"role": "function", "name": "a", "content": "1"}).tasks
    assert observed(task) == {"a": 1}


def test_arguments_may_be_objects() -> None:
    direct = says(None) | {"tool_calls": [{"function": {"name": "a", "arguments": {"n": 1}}}]}
    assert chat(USER, direct).tasks[0].calls[0][1].arguments == {"n": 1}


def test_the_system_message_is_kept_and_its_time_is_the_cases() -> None:
    found = chat(says("It is 2024-07-11 22:11:58 now.", "system"), USER)
    assert found.now == Now(raw="2024-07-11 22:11:58", at="2024-07-11T22:11:58")
    assert system_text(found) == "It is 2024-07-11 22:11:58 now."
    assert system_text(chat(USER)) == ""


def test_a_time_beside_the_messages_goes_before_the_system_messages() -> None:
    assert chat(says("2023-01-01", "system"), USER, env_info="2024-07-11").now == Now.read("2024-07-11")


def test_an_edited_time_is_written_beside_the_messages() -> None:
    found = chat(says("It is 2024-07-11.", "system"), USER)
    line = openai.encode(found.model_copy(update={"now": Now.read("2025-01-01")}))
    assert line["env_info"] == "2025-01-01"
    assert openai.decode(line, file="o.jsonl", line=1).now == Now.read("2025-01-01")


def test_tools_may_stand_under_functions() -> None:
    assert [tool.name for tool in chat(USER, functions=[{"name": "a"}]).tools] == ["a"]


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([], "no user message"),
        ([says("Hello!")], "no user message"),
        ([calls("a"), USER], r"messages\[0\] calls tools before any user message"),
        ([says("?", "robot")], r"messages\[0\].role is 'robot'; one of system"),
        ([{"content": "x"}], r"messages\[0\].role is null; a text is expected"),
        ([says(5, "user")], r"messages\[0\].content is a number; a text is expected"),
        ([says([{"type": "image_url"}], "user")], r"content\[0\] is of type image_url; only text"),
        (
            [USER, says(None) | {"tool_calls": {}}],
            r"messages\[1\].tool_calls is an object; a list is expected",
        ),
        ([USER, says(None) | {"tool_calls": [{"id": "a"}]}], r"tool_calls\[0\].function is null; an object"),
        (
            [USER, says(None) | {"tool_calls": [{"function": {"name": "a", "arguments": 5}}]}],
            "arguments is a num",
        ),
        ("messages", "messages is a text; a list is expected"),
    ],
)
def test_what_is_no_chat_is_refused(messages: JsonValue, said: str) -> None:
    with pytest.raises(InputError, match=said):
        openai.decode({"id": "x", "messages": messages}, file="o.jsonl", line=1)


def test_texts_that_look_like_json_are_written_so_that_they_stay_texts() -> None:
    for text in ("12", "null", "{}", "plain", '"quoted"', ""):
        found = chat(USER, calls("a"), result(json.dumps(text), "a"))
        bare = found.model_copy(update={"extras": {}})
        assert observed(openai.decode(openai.encode(bare), file="o.jsonl", line=1).tasks[0]) == {"a": text}


def test_lines_with_the_same_toolset_share_its_tools_and_no_others() -> None:
    tools: list[JsonValue] = [{"name": "count", "parameters": {"properties": {"n": {"default": 1}}}}]
    other: list[JsonValue] = [{"name": "count", "parameters": {"properties": {"n": {"default": True}}}}]
    first, again, third = (
        read({"messages": [USER], "tools": found}, file="f", line=1).case.tools[0]
        for found in (tools, tools, other)
    )
    assert again is first
    assert third.definition == other[0]
    assert third.definition["parameters"] is not first.definition["parameters"]


def test_editing_what_was_read_leaves_a_shared_toolset_as_it_was() -> None:
    tools: list[JsonValue] = [{"name": "lookAt", "parameters": {"required": ["x"]}}]
    line: JsonObject = {"messages": [USER], "tools": tools}
    read(line, file="f", line=1)
    as_it_was: list[JsonValue] = [{"name": "lookAt", "parameters": {"required": ["x"]}}]
    tools[0]["parameters"]["required"].append("y")  # type: ignore[index, call-overload, union-attr]
    line["tools"] = [*as_it_was]
    assert read(line, file="f", line=2).case.tools[0].definition == as_it_was[0]


def test_reasoning_is_the_thought_of_calls_without_a_text() -> None:
    thinking = calls("a", "b") | {"reasoning_content": "Both are needed."}
    speaking = calls("c", content="Now c.") | {"reasoning_content": "Hidden."}
    (task,) = chat(USER, thinking, speaking, says("Sunny.")).tasks
    assert [call.thought for _, call in task.calls] == ["Both are needed.", None, "Now c."]


def test_reasoning_before_the_answer_is_its_thought() -> None:
    (task,) = chat(USER, calls("a"), says("Sunny.") | {"reasoning_content": "All is known."}).tasks
    assert task.answer is not None
    assert task.answer.thought == "All is known."


def test_reasoning_survives_export_also_after_an_edit() -> None:
    line: JsonObject = {
        "id": "o-1",
        "tools": [],
        "messages": [
            USER,
            calls("a") | {"reasoning_content": "It is needed."},
            result("1", "a"),
            says("Sunny.") | {"reasoning_content": "All is known."},
        ],
    }
    read_back = openai.decode(line, file="o.jsonl", line=1)
    assert openai.encode(read_back) == line
    task = read_back.tasks[0]
    edited = read_back.model_copy(update={"tasks": (task.model_copy(update={"user": "And Bergen?"}),)})
    assert openai.decode(openai.encode(edited), file="o.jsonl", line=1).tasks == edited.tasks
    fresh = Case(id="o-1", tasks=read_back.tasks)
    assert openai.decode(openai.encode(fresh), file="o.jsonl", line=1).tasks == fresh.tasks
