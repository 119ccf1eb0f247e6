"""What a model sees of a case before and during a task."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.history import (
    MessageLayout,
    call_id,
    offered_tools,
    opening_messages,
    reply_messages,
    shown_time,
    with_call_ids,
)
from scoring.matching.gold import Gold, prepare
from scoring.matching.replay import Walk
from scoring.model.case import Case, Now
from scoring.model.taxonomy import ArgumentProfile, Protocol
from scoring.predictions import Reply, ToolCall
from tests.factories import answer, ask, call, case, task, tool

MERGED = MessageLayout(merge_results=True)


def trip() -> Case:
    """Two calls beside each other, then one that needs both; then a task with a question; then a chat."""
    return case(
        task(
            call("getTrain", {"at": "9:00", "où": "Gand"}, to="Ghent"),
            call("getHotel", "Hotel Sol", city="Ghent"),
            call("book", None, hotel="Hotel Sol"),
            answer("Booked."),
            user="Take me to Ghent.",
            edges=[(0, 2), (1, 2)],
        ),
        task(
            ask("For how many?", "Two"),
            call("getTable", "free", guests=2),
            answer("A table is free."),
            user="And dinner?",
            edges=[(0, 1)],
        ),
        task(answer("Enjoy!"), user="Thanks"),
        tools=[tool("getTrain"), tool("getHotel"), tool("book"), tool("getTable")],
        now="2026-03-11 09:20:00",
    )


def opening(shown: Case, number: int, protocol: Protocol, layout: MessageLayout | None = None) -> list[Any]:
    return list(opening_messages(shown, number, protocol=protocol, layout=layout))


def tools_of(shown: Case) -> list[Any]:
    return list(offered_tools(shown))


def roles(messages: list[Any]) -> str:
    return " ".join(message["role"] for message in messages)


def contents(messages: list[Any]) -> list[object]:
    return [message.get("content") for message in messages]


def sent_back(gold: Gold, reply: Reply) -> list[Any]:
    """What a first reply adds to the conversation."""
    outcome = Walk(gold, profile=ArgumentProfile.WTB).feed(reply)
    return list(reply_messages(gold, reply, outcome))


def test_the_first_task_is_the_date_and_the_request() -> None:
    assert opening(trip(), 0, Protocol.WILDTOOL) == [
        {"role": "system", "content": "Current Date: 2026-03-11 09:20:00"},
        {"role": "user", "content": "Take me to Ghent."},
    ]


def test_full_history_replays_calls_and_results_round_by_round() -> None:
    messages = opening(trip(), 1, Protocol.WILDTOOL)
    # Shortest order of the first task: the two lookups together, then the booking, then the answer.
    assert roles(messages) == "system user assistant tool tool assistant tool assistant user"
    first = messages[2]["tool_calls"]
    assert [part["function"]["name"] for part in first] == ["getTrain", "getHotel"]
    assert contents(messages)[2:] == [
        "",
        '{"at": "9:00", "où": "Gand"}',
        "Hotel Sol",
        "",
        "",
        "Booked.",
        "And dinner?",
    ]


def test_arguments_in_the_history_are_json_text() -> None:
    message = opening(trip(), 1, Protocol.C3)[2]
    assert json.loads(message["tool_calls"][1]["function"]["arguments"]) == {"city": "Ghent"}


def test_each_result_names_the_call_it_belongs_to() -> None:
    messages = opening(trip(), 1, Protocol.WILDTOOL)
    asked = [part["id"] for part in messages[2]["tool_calls"]]
    assert [message["tool_call_id"] for message in messages[3:5]] == asked
    assert len(set(asked)) == 2


def test_ids_in_the_history_are_the_same_every_time() -> None:
    first, again = (opening(trip(), 2, Protocol.WILDTOOL) for _ in range(2))
    assert first == again


def test_visible_history_shows_requests_questions_replies_and_answers_only() -> None:
    messages = opening(trip(), 2, Protocol.C2)
    assert [(message["role"], message["content"]) for message in messages[1:]] == [
        ("user", "Take me to Ghent."),
        ("assistant", "Booked."),
        ("user", "And dinner?"),
        ("assistant", "For how many?"),
        ("user", "Two"),
        ("assistant", "A table is free."),
        ("user", "Thanks"),
    ]


def test_merged_results_are_one_list_under_the_first_id() -> None:
    messages = opening(trip(), 1, Protocol.C3, MERGED)
    assert roles(messages) == "system user assistant tool assistant tool assistant user"
    assert json.loads(str(messages[3]["content"])) == [{"at": "9:00", "où": "Gand"}, "Hotel Sol"]
    assert messages[3]["tool_call_id"] == messages[2]["tool_calls"][0]["id"]


def test_the_date_can_stand_below_the_request() -> None:
    layout = MessageLayout(date_in_request=True)
    assert opening(trip(), 0, Protocol.WILDTOOL, layout) == [
        {"role": "user", "content": "Take me to Ghent.\n\nCurrent Date: 2026-03-11 09:20:00"}
    ]


def test_c3_shows_the_moment_with_the_day_of_the_week() -> None:
    # 11 March 2026 is a Wednesday.
    content = opening(trip(), 0, Protocol.C3)[0]["content"]
    assert content == "Current Date:2026-03-11 09:20:00 Wednesday"


def test_a_chinese_case_shows_its_date_in_chinese() -> None:
    chinese = trip().model_copy(
        update={"language": "zh", "now": Now.read("当前时间：2024-07-10 09:30:00 星期三")}
    )
    content = opening(chinese, 0, Protocol.C2)[0]["content"]
    assert content == "当前日期：2024-07-10 09:30:00 星期三"


def test_wildtool_shows_the_text_of_the_file_without_its_label() -> None:
    labelled = trip().model_copy(update={"now": Now.read("当前时间：2024-07-10 09:30:00 星期三")})
    assert shown_time(labelled, 0, protocol=Protocol.WILDTOOL) == "2024-07-10 09:30:00 星期三"


def test_an_unreadable_time_is_shown_as_it_is() -> None:
    vague = trip().model_copy(update={"now": Now.read("a rainy Monday")})
    assert shown_time(vague, 0, protocol=Protocol.C3) == "a rainy Monday"


def test_a_task_with_a_time_of_its_own_shows_it() -> None:
    later = trip().tasks[1].model_copy(update={"now": Now.read("2026-03-12 08:00:00")})
    moved = trip().model_copy(update={"tasks": (trip().tasks[0], later)})
    assert shown_time(moved, 1, protocol=Protocol.WILDTOOL) == "2026-03-12 08:00:00"


def test_a_case_without_time_has_no_system_message() -> None:
    timeless = trip().model_copy(update={"now": None})
    assert roles(opening(timeless, 0, Protocol.WILDTOOL)) == "user"


def test_role_labels_of_the_published_dialogues_are_cut() -> None:
    labelled = case(task(answer("AI Agent Assistant: Sunny."), user="User: Weather?"), task(answer()))
    messages = opening(labelled, 1, Protocol.C2)
    assert contents(messages)[:2] == ["Weather?", "Sunny."]


def test_an_earlier_task_nobody_answered_is_its_request_alone() -> None:
    messages = opening(case(task(user="One"), task(user="Two")), 1, Protocol.WILDTOOL)
    assert contents(messages) == ["One", "Two"]


def test_tools_are_offered_with_standard_types() -> None:
    offered = tools_of(case(tools=[tool("f", x={"type": "float"})]))
    assert offered[0]["function"]["parameters"]["properties"] == {"x": {"type": "number"}}


def test_pseudo_actions_are_never_offered() -> None:
    tools = [tool("prepare_to_answer"), tool("f"), tool("ask_user_for_required_parameters")]
    assert [one["function"]["name"] for one in tools_of(case(tools=tools))] == ["f"]


def test_of_two_tools_with_one_name_the_last_is_offered() -> None:
    offered = tools_of(case(tools=[tool("f", a={"type": "string"}), tool("g"), tool("f", b={})]))
    assert [one["function"]["name"] for one in offered] == ["f", "g"]
    assert list(offered[0]["function"]["parameters"]["properties"]) == ["b"]


def test_each_call_gets_the_result_of_the_step_it_was_given() -> None:
    gold = prepare(trip(), 0)
    reply = Reply(
        tool_calls=(
            ToolCall(id="x", name="getHotel", arguments='{"city": "Ghent"}'),
            ToolCall(id="y", name="getTrain", arguments='{"to": "Ghent"}'),
        )
    )
    messages = sent_back(gold, reply)
    assert [(m.get("tool_call_id"), m["content"]) for m in messages[1:]] == [
        ("x", "Hotel Sol"),
        ("y", '{"at": "9:00", "où": "Gand"}'),
    ]


def test_the_reply_itself_goes_back_with_its_reasoning() -> None:
    gold = prepare(trip(), 0)
    arguments = '{"to":   "Ghent"}'
    reply = Reply(
        content="Looking.",
        tool_calls=(ToolCall(id="x", name="getTrain", arguments=arguments),),
        reasoning_content="Trains first.",
    )
    said = sent_back(gold, reply)[0]
    assert said == {
        "role": "assistant",
        "content": "Looking.",
        "reasoning_content": "Trains first.",
        "tool_calls": [
            {"id": "x", "type": "function", "function": {"name": "getTrain", "arguments": arguments}}
        ],
    }


@pytest.mark.parametrize("broken", ["{to: Ghent", "[1]", "", '"text"'])
def test_arguments_that_are_no_object_go_back_empty(broken: str) -> None:
    gold = prepare(trip(), 0)
    reply = Reply(tool_calls=(ToolCall(id="x", name="getTrain", arguments=broken),))
    said = sent_back(gold, reply)[0]
    assert said["tool_calls"][0]["function"]["arguments"] == "{}"


def test_a_question_brings_the_users_reply() -> None:
    gold = prepare(trip(), 1)
    reply = Reply(content="How many are you?")
    assert sent_back(gold, reply) == [
        {"role": "assistant", "content": "How many are you?"},
        {"role": "user", "content": "Two"},
    ]


def test_the_end_of_a_run_brings_nothing() -> None:
    gold = prepare(trip(), 2)
    reply = Reply(content="You too!")
    assert sent_back(gold, reply) == []


def test_a_call_without_an_id_or_with_a_used_one_gets_one() -> None:
    calls = (ToolCall(name="f"), ToolCall(id="a", name="f"), ToolCall(id="a", name="f"))
    given = with_call_ids(Reply(tool_calls=calls), prepare(trip(), 0), turn=0).tool_calls
    assert given[1].id == "a"
    assert len({one.id for one in given}) == 3


@given(st.text(max_size=20), st.integers(0, 50), st.text(max_size=20))
def test_made_ids_are_nine_letters_and_digits(case_id: str, number: int, where: str) -> None:
    assert re.fullmatch("[0-9a-z]{9}", call_id(case_id, number, where))
