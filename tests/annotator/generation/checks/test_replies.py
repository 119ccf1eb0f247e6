"""Replies in every style: fenced, bare, in prose, with small faults, as native calls."""

import json
import re

import pytest

from annotator.generation.checks.replies import (
    ReplyError,
    plain_text,
    read_candidates,
    read_choice,
    read_decision,
    read_observations,
    read_opinion,
)
from annotator.llm.repaired_json import LONGEST_REPLY
from scoring.model.record import JsonObject

DECISION = json.dumps(
    {
        "Mission_Finish": "no",
        "Thought": "t",
        "Plan": "p",
        "Action_List": [{"name": "f", "arguments": {"a": "it's 1"}, "tool_call_purpose": "x"}],
    }
)


SORRY = "I'm sorry, the train was late. Is there another?"


def said(content: str) -> JsonObject:
    """A message of text."""
    return {"role": "assistant", "content": content}


@pytest.mark.parametrize(
    "text",
    [
        DECISION,
        f"Planner:\n```json\n{DECISION}\n```",
        f"Planner：```\n{DECISION}```",
        f"Sure, here is my decision:\n{DECISION}\nI hope this helps.",
        f'<think>{{"Plan": 1}}</think>{DECISION}',
        DECISION.replace('"x"}]}', '"x",},],}'),
        "{'Task_Finish': 'no', 'Thought': 't', 'Plan': 'p', "
        "'Action_List': [{'name': 'f', 'arguments': {'a': 'it\\'s 1'}, 'tool_call_purpose': 'x'}]}",
        re.sub(r'"(\w+)":', r"\1:", DECISION),
        DECISION[:-1],
        DECISION.replace("Action_List", "action_list").replace("Thought", "thought"),
        DECISION.replace('{"a": "it\'s 1"}', json.dumps('{"a": "it\'s 1"}')),
    ],
    ids=[
        "bare",
        "fence",
        "fence_zh",
        "prose",
        "thinking",
        "commas",
        "single",
        "unquoted",
        "open",
        "small",
        "text",
    ],
)
def test_a_decision_is_read_in_every_style(text: str) -> None:
    found = read_decision(said(text))
    assert [(action.name, action.arguments) for action in found.actions] == [("f", {"a": "it's 1"})]
    assert found.thought == "t"
    assert found.is_finished is False


def test_native_calls_count_where_content_is_null_and_ids_are_missing() -> None:
    message: JsonObject = {
        "content": None,
        "tool_calls": [{"function": {"arguments": '{"a": 1}', "name": "f"}}],
    }
    found = read_decision(message)
    assert (found.names, found.actions[0].arguments) == (("f",), {"a": 1})


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>',
        '<tool_call>\n{"name": "f", "arguments": {"a": 1}}',
        'Thought: so.\nAction: f\nAction Input: {"a": 1}\nObservation: done',
        '**Action:** `f`\n**Action Input:**\n```json\n{"a": 1}\n```',
        '{"action": "f", "action_input": {"a": 1}}',
        'I do this: {"name": "f", "parameters": {"a": 1}}',
        '[{"type": "function", "function": {"name": "f", "arguments": {"a": 1}}}]',
        'I think {so}.</think>\n{"tool": "f", "args": "{\\"a\\": 1}"}',
        'See [1]. {"Action_List": [{"name": "f", "arguments": {"a": 1}}]}',
    ],
)
def test_a_call_written_as_text_is_read(text: str) -> None:
    assert [(one.name, one.arguments) for one in read_decision(said(text)).actions] == [("f", {"a": 1})]


def test_two_tagged_calls_are_two_actions_and_arguments_named_like_keys_stay_arguments() -> None:
    tags = [f'<tool_call>{{"name": "{name}", "arguments": {{"plan": "p"}}}}</tool_call>' for name in "fg"]
    found = read_decision(said("\n".join(tags)))
    assert (found.names, found.plan, found.actions[0].arguments) == (("f", "g"), "", {"plan": "p"})


def test_the_older_shape_of_one_call_is_read() -> None:
    message: JsonObject = {"content": None, "function_call": {"name": "f", "arguments": '{"a": 1}'}}
    assert read_decision(message).names == ("f",)


def test_what_another_role_hands_to_a_call_counts_where_there_is_no_content() -> None:
    message: JsonObject = {
        "content": None,
        "reasoning_content": "Let me see.",
        "tool_calls": [{"function": {"name": "reply", "arguments": '{"Task 1": "One?"}'}}],
    }
    assert read_candidates(message) == ("One?",)
    assert read_candidates({**message, "content": '["Two?"]'}) == ("Two?",)


@pytest.mark.parametrize("length", range(2, len(DECISION) - 1))
def test_a_decision_that_is_cut_off_is_none(length: int) -> None:
    cut = DECISION[:-length]
    with pytest.raises(ReplyError):
        read_decision(said(cut))


def test_arguments_of_a_native_call_that_are_cut_off_are_none() -> None:
    function: JsonObject = {"name": "f", "arguments": '{"town": "Par'}
    with pytest.raises(ReplyError):
        read_decision({"content": None, "tool_calls": [{"function": function}]})


@pytest.mark.parametrize(
    "message",
    [
        {"content": "Look first.", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
        {"content": 'Look first.\n<tool_call>{"name": "f", "arguments": {}}</tool_call>'},
        {"content": "Thought: Look first.\nAction: f\nAction Input: {}\nObservation: none"},
        {"content": '{"Thought": "Look first.", "Action_List": [{"name": "f", "arguments": {}}]}'},
    ],
)
def test_what_is_said_before_a_call_is_its_thought(message: JsonObject) -> None:
    found = read_decision(message)
    assert (found.thought, found.names) == ("Look first.", ("f",))


@pytest.mark.parametrize(
    "text", ["", "I will call f.", "{]", "[1, 2]", '{"other": 1}', "x" * (LONGEST_REPLY + 1)]
)
def test_what_holds_no_decision_is_refused(text: str) -> None:
    with pytest.raises(ReplyError):
        read_decision(said(text))


@pytest.mark.parametrize(
    "text",
    [
        'Tool:\n```json\n{"Observation_List": [{"status_code": 200, "response": {"a": 1}}]}\n```',
        '[{"status_code": 200, "response": {"a": 1}}]',
        '{"observation_list": {"status_code": 200, "response": {"a": 1}}}',
    ],
)
def test_observations_are_read_in_every_style(text: str) -> None:
    assert read_observations(said(text)) == ({"status_code": 200, "response": {"a": 1}},)


def test_a_reply_without_a_list_of_observations_is_refused() -> None:
    with pytest.raises(ReplyError):
        read_observations(said('{"status_code": 200, "response": 1}'))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('```json\n{"Task 1": "One?", "Task 2": "User: Two.",}\n```', ("One?", "Two.")),
        ('{"Task 1": {"Task Difficulty": "hard", "Task Description": "One?"}}', ("One?",)),
        ('["One?", "Two."]', ("One?", "Two.")),
        ('{"tasks": [{"task": "One?"}, {"task": "Two."}]}', ("One?", "Two.")),
        ('{"Task 1": "One?", "Task 2": "I would rather not."}', ("One?",)),
        ('["I\'m sorry, the train was late. Is there another?"]', (SORRY,)),
        ('["I cannot find my booking, look for it."]', ("I cannot find my booking, look for it.",)),
    ],
)
def test_candidates_are_read_in_every_style(text: str, expected: tuple[str, ...]) -> None:
    assert read_candidates(said(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "User:",
        "{broken}",
        "{}",
        "I would rather not.",
        "User: How about Shanghai?",
        "They could ask about [trains].",
        '{"Task 1": "I would rather not."}',
        '["As an AI, I have no wishes.", "I\'m sorry, but I can\'t help with that."]',
        '["抱歉，我无法提供请求。"]',
        '{"error": {"message": "The policy forbids it."}}',
        '{"Task 1": "Find a hotel in Par',
        '{"Task 1": "Find a hotel.", "Task 2": "Find a',
        '{"Task 1": "Find a hotel.",',
        '{"Task 1": "Find a hotel."',
        '{"Task 1": {"Task Description": "Find a hotel."}, "Task 2": {"Task Des',
        '```json\n["Find a hotel.", "Book',
    ],
)
def test_a_reply_without_a_request_is_refused(text: str) -> None:
    with pytest.raises(ReplyError):
        read_candidates(said(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('```json\n{"tool_call_analysis": "fine", "correct": "yes"}\n```', True),
        ('{"correct": "no", "tool_call_analysis": "They depend."}', False),
        ('{"Correct": true}', True),
        ("Yes, the plan holds.", True),
        ("No: the second call needs the first.", False),
        ("Incorrect.", False),
    ],
)
def test_an_opinion_is_read_in_every_style(text: str, expected: bool) -> None:
    assert read_opinion(said(text)).is_correct is expected


@pytest.mark.parametrize("text", ["", "Perhaps.", '{"correct": "maybe"}'])
def test_a_reply_without_a_verdict_is_refused(text: str) -> None:
    with pytest.raises(ReplyError):
        read_opinion(said(text))


def test_a_choice_counts_from_one_and_may_edit() -> None:
    assert read_choice(said('{"choice": 2, "text": "Shorter."}'), count=3) == (1, "Shorter.")
    with pytest.raises(ReplyError):
        read_choice(said('{"choice": 4}'), count=3)


def test_a_text_loses_its_label_and_fence() -> None:
    assert plain_text(said("```markdown\nAgent: It is **sunny**.\n```")) == "It is **sunny**."
    with pytest.raises(ReplyError):
        plain_text({"content": None})
