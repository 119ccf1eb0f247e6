"""Replies in every style: fenced, bare, in prose, with small faults, as native calls."""

import json

import pytest

from annotator.generation.checks.replies import (
    LONGEST_REPLY,
    ReplyError,
    plain_text,
    read_candidates,
    read_choice,
    read_decision,
    read_observations,
    read_opinion,
)
from scoring.model.record import JsonObject

DECISION = json.dumps(
    {
        "Mission_Finish": "no",
        "Thought": "t",
        "Plan": "p",
        "Action_List": [{"name": "f", "arguments": {"a": "it's 1"}, "tool_call_purpose": "x"}],
    }
)


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
        DECISION[:-1],
        DECISION.replace("Action_List", "action_list").replace("Thought", "thought"),
        DECISION.replace('{"a": "it\'s 1"}', json.dumps('{"a": "it\'s 1"}')),
    ],
    ids=["bare", "fence", "fence_zh", "prose", "thinking", "commas", "single", "open", "small", "text"],
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
        ("User: How about Shanghai?", ("How about Shanghai?",)),
        ("用户：上海呢？", ("上海呢？",)),
    ],
)
def test_candidates_are_read_in_every_style(text: str, expected: tuple[str, ...]) -> None:
    assert read_candidates(said(text)) == expected


@pytest.mark.parametrize("text", ["", "   ", "User:", "{broken}", "{}"])
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
