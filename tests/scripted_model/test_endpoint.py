"""The shipped endpoint: five roles over real HTTP that make a sound dialogue, and every mistake on demand."""

import json
import urllib.error
import urllib.request
from collections import Counter
from random import Random
from typing import Any

import pytest

from scoring.model.case import Tool
from tests.scripted_model.endpoint import misspelled, scripted_endpoint
from tests.scripted_model.mistakes import OF_ENDPOINT, OF_ROLE, OF_TEXT, Mistake
from tests.scripted_model.requests import Wish, read_request, write_request
from tests.scripted_model.roles import play
from tests.scripted_model.scene import Scene, read_scene
from tests.scripted_model.server import ScriptedModel
from tests.scripted_model.wordings import CHINESE, ENGLISH, Binding, Wording

FIND = {
    "name": "findParcel",
    "description": "Find a parcel by its number.",
    "parameters": {
        "type": "object",
        "properties": {"parcelNumber": {"type": "string"}, "note": {"type": "string"}},
        "required": ["parcelNumber"],
    },
}
SEND = {
    "name": "sendOn",
    "description": "Send a parcel on. Costs a fee.",
    "parameters": {
        "type": "object",
        "properties": {"depotId": {"type": "string"}, "pieces": {"type": "integer"}},
        "required": ["depotId", "pieces"],
    },
}
TOOLS = tuple(Tool(definition=definition) for definition in (FIND, SEND))
RULES = f"The tools:\n{json.dumps([FIND, SEND])}\nReply with JSON."


def messages(*turns: str, rules: str = RULES) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text} for text in (rules, *turns)]


def scene(role: str, *turns: str, rules: str = RULES) -> Scene:
    body: dict[str, Any] = {"messages": messages(*turns, rules=rules)}
    return read_scene(body, {"x-annotator-role": role})


def value_in(text: str) -> dict[str, Any]:
    found = json.loads(text[text.index("{") : text.rindex("}") + 1])
    assert isinstance(found, dict)
    return found


def planned(*actions: dict[str, Any]) -> str:
    return "Planner: " + json.dumps({"Thought": "", "Plan": "", "Action_List": list(actions)})


def post(model: ScriptedModel, body: Any, **headers: str) -> tuple[int, str]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}
    request = urllib.request.Request(f"{model.base_url}/chat/completions", content, sent)
    try:
        with urllib.request.urlopen(request, timeout=5) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as exc:
        with exc:
            return exc.code, exc.read().decode()


def content_of(body: str) -> str:
    return str(json.loads(body)["choices"][0]["message"]["content"])


@pytest.mark.parametrize("wording", [ENGLISH, CHINESE])
def test_a_request_says_what_the_planner_reads_out_of_it(wording: Wording) -> None:
    wishes = (
        Wish(TOOLS[0], 0, {"parcelNumber": "P-881"}),
        Wish(TOOLS[1], 1, {"pieces": 3}, {"depotId": Binding.RESULT}),
    )
    text = write_request(wishes, wording.openings[2], tools=TOOLS, wording=wording)

    assert read_request(text, [], tools=TOOLS, wording=wording) == wishes


def test_the_planner_asks_for_what_nobody_said_and_calls_once_it_is_there() -> None:
    request = "User: Please find a parcel by its number."
    asked = play(scene("planner", request), Random(1))
    ask = value_in(asked)["Action_List"][0]

    assert ask["arguments"]["tool_list"] == [
        {"tool_name": "findParcel", "missing_required_parameters": ["parcelNumber"]}
    ]
    question = play(scene("agent", request, asked), Random(1))
    assert "parcel number" in question

    reply = play(scene("user", request, asked, question), Random(1))
    call = value_in(play(scene("planner", request, asked, question, reply), Random(1)))["Action_List"][0]
    assert call["name"] == "findParcel"
    assert call["arguments"]["parcelNumber"] in reply


def test_a_vague_user_holds_the_value_back() -> None:
    ask = {"tool_list": [{"tool_name": "findParcel", "missing_required_parameters": ["parcelNumber"]}]}
    turns = (planned({"name": "ask_user_for_required_parameters", "arguments": ask}), "Agent: Which one?")
    reply = play(scene("user", *turns, rules=f"Answer vaguely.\n{RULES}"), Random(1))

    assert reply.removeprefix("User: ") in ENGLISH.vague_answers


def test_a_later_call_takes_its_value_out_of_the_result_before() -> None:
    request = (
        "User: Please find a parcel by its number: the parcel number is “P-881”. After that, use the outcome "
        "to send a parcel on: the pieces is “3”, the depot id comes out of that result."
    )
    first = play(scene("planner", request), Random(1))
    result = play(scene("tool", request, first), Random(2))
    second = value_in(play(scene("planner", request, first, result), Random(3)))["Action_List"]

    found = value_in(result)["Observation_List"][0]["response"]["depotId"]
    assert second == [{"name": "sendOn", "arguments": {"pieces": 3, "depotId": found}}]


def test_a_later_request_leaves_out_what_a_tool_brought_back() -> None:
    call = planned({"name": "findParcel", "arguments": {"parcelNumber": "P-881"}})
    result = 'Tool: {"Observation_List": [{"status_code": 200, "response": {"depotId": "D-7"}}]}'
    text = play(scene("user", CALL, call, result, rules=f"single sendOn\n{RULES}"), Random(1))

    (wish,) = read_request(text.removeprefix("User: "), [], tools=TOOLS, wording=ENGLISH)
    assert (wish.tool.name, set(wish.values), wish.bindings) == (
        "sendOn",
        {"pieces"},
        {"depotId": Binding.FOUND},
    )


def test_a_rejected_reply_is_no_part_of_the_dialogue() -> None:
    seen = scene("user", "User: Find my parcel.", "User: bad", "This reply was rejected: too short.")

    assert [turn.text for turn in seen.turns] == ["Find my parcel."]


def test_five_different_requests_of_the_wanted_kind_are_offered() -> None:
    rules = f'Wanted kind of request: multi_parallel.\n{RULES}\n{{"Task 1": "..."}}'
    offered = value_in(play(scene("user", rules=rules), Random(1)))

    assert len(set(offered.values())) == 5
    for text in offered.values():
        wishes = read_request(text, [], tools=TOOLS, wording=ENGLISH)
        assert [wish.phase for wish in wishes] == [0, 0]


CALL = "User: Please find a parcel by its number: the parcel number is “P-881”."
RESULT = 'Tool: {"Observation_List": [{"status_code": 200, "response": {}}]}'
AFTER_RESULT = (CALL, planned({"name": "findParcel", "arguments": {"parcelNumber": "P-881"}}), RESULT)


@pytest.mark.parametrize("mistake", OF_ROLE["planner"])
def test_every_mistake_of_the_planner_shows(mistake: Mistake) -> None:
    turns = AFTER_RESULT if mistake is Mistake.CHAT_AFTER_RESULT else (CALL,)
    right = value_in(play(scene("planner", *turns), Random(1)))
    wrong = value_in(play(scene("planner", *turns), Random(1), mistake))

    changed = {key for key in right if right[key] != wrong[key]}
    assert changed == ({"Thought"} if mistake.value.startswith("says_") else {"Action_List"})


@pytest.mark.parametrize(
    ("role", "mistake"),
    [("tool", Mistake.TOO_FEW_RESULTS), ("tool", Mistake.NO_RESULTS), ("checker", Mistake.OBJECTS)],
)
def test_every_mistake_of_tool_and_checker_shows(role: str, mistake: Mistake) -> None:
    turns = AFTER_RESULT[:2]

    assert play(scene(role, *turns), Random(1)) != play(scene(role, *turns), Random(1), mistake)


@pytest.mark.parametrize("mistake", [Mistake.SAME_REQUESTS, Mistake.ONE_REQUEST])
def test_every_mistake_of_the_user_leaves_one_request(mistake: Mistake) -> None:
    rules = f'{RULES}\n{{"Task 1": "..."}}'
    offered = value_in(play(scene("user", rules=rules), Random(1), mistake))

    assert len(set(offered.values())) == 1


@pytest.mark.parametrize("mistake", OF_TEXT)
def test_every_slip_of_writing_changes_the_text(mistake: Mistake) -> None:
    text = play(scene("planner", CALL), Random(1))

    assert misspelled(text, mistake) != text


@pytest.mark.parametrize("mistake", [kind for kind in OF_ENDPOINT if kind is not Mistake.SLOW])
def test_an_endpoint_that_fails_sends_no_message(mistake: Mistake) -> None:
    with scripted_endpoint(mistake_rate=1.0, mistakes=[mistake]) as model:
        body = {"model": "scripted", "messages": messages(CALL)}
        if mistake is Mistake.DROPPED:
            with pytest.raises(ConnectionError):
                post(model, body, X_Annotator_Role="planner")
            return
        status, text = post(model, body, X_Annotator_Role="planner")

    expected = {Mistake.RATE_LIMIT: 429, Mistake.SERVER_ERROR: 500}
    assert status == expected.get(mistake, 200)
    assert '"content": "Planner' not in text


def test_mistakes_come_at_the_chosen_rate_and_again_with_the_same_seed() -> None:
    def mistakes_of(seed: int) -> Counter[bool]:
        with scripted_endpoint(seed=seed, mistake_rate=0.15, mistakes=[Mistake.SERVER_ERROR]) as model:
            return Counter(
                post(model, {"messages": messages(f"User: {i}")}, X_Annotator_Role="planner")[0] == 500
                for i in range(200)
            )

    found = mistakes_of(7)
    assert 15 <= found[True] <= 45  # 30 expected of 200 at 15 %, with a standard deviation of 5
    assert mistakes_of(7) == found


def test_a_request_that_comes_again_gets_the_same_text() -> None:
    with scripted_endpoint(seed=4) as model:
        body = {"messages": messages(rules=f'{RULES}\n{{"Task 1": "..."}}')}
        texts = {content_of(post(model, body, X_Annotator_Role="user")[1]) for _ in range(3)}

    assert len(texts) == 1


def test_a_streamed_reply_says_the_same() -> None:
    with scripted_endpoint() as model:
        body = {"messages": messages(CALL)}
        whole = content_of(post(model, body, X_Annotator_Role="planner")[1])
        events = post(model, body | {"stream": True}, X_Annotator_Role="planner")[1].split("\n\n")

    chunks = [json.loads(event.removeprefix("data: ")) for event in events if event.startswith("data: {")]
    assert "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks) == whole
    assert "data: [DONE]" in events


def test_a_wrong_key_a_wrong_role_and_a_wrong_request_are_refused() -> None:
    body = {"messages": messages(CALL)}
    with scripted_endpoint(key="k-1") as model:
        assert post(model, body, X_Annotator_Role="planner")[0] == 401
        assert post(model, body, X_Annotator_Role="planner", Authorization="Bearer k-1")[0] == 200
        assert post(model, body, X_Annotator_Role="clown", Authorization="Bearer k-1")[0] == 400
        assert post(model, b"{", Authorization="Bearer k-1")[0] == 400


def test_without_a_role_it_is_a_model_that_calls_an_offered_tool() -> None:
    offered = [{"type": "function", "function": SEND}]
    with scripted_endpoint() as model:
        text = post(model, {"messages": [{"role": "user", "content": "Send it on."}], "tools": offered})[1]

    call = json.loads(text)["choices"][0]["message"]["tool_calls"][0]["function"]
    assert call["name"] == "sendOn"
    assert isinstance(json.loads(call["arguments"])["pieces"], int)
