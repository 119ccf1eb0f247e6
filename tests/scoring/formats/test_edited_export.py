"""After an edit only the edited part is written our way; the rest of the line stays as its file had it."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from scoring.formats.benchmark import c3, wildtool
from scoring.formats.benchmark.nodes import edges_between
from scoring.formats.chat import openai
from scoring.formats.differences import same
from scoring.model.case import Call, Case, Edge, content_sha256
from scoring.model.graph import with_drawn_edges
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Information, Policy
from tests.scoring.formats.json_values import FEW
from tests.scoring.formats.lines import c3_lines, openai_lines, wildtool_lines

LINE: JsonObject = {
    "note": "ours",
    "id": ["1f", "0c"],
    "env_info": ["当前时间：2024-07-10 09:30:00 星期三"] * 2,
    "type": ["单", "多"],
    "turn_type": ["假", "真"],
    "turn_subtypes": ["省略成分"],
    "task_ids": [0, 0],
    "task": ["中文", "也是"],
    "english_task": ["Weather in Oslo?", "And in Bergen and Hamar?"],
    "english_tools": [],
    "english_answer_list": [
        [
            {
                "idx": 0,
                "action": {"name": "getForecast", "arguments": '{"city": "Oslo"}'},
                "observation": {"w": "sunny", "t": 1.0},
                "dependency_list": [],
                "checked": True,
            },
            {
                "idx": 1,
                "action": {"name": "prepare_to_answer", "arguments": {"answer_type": "tool"}},
                "observation": "Sunny.",
                "dependency_list": ["0", "0"],
            },
        ],
        [
            {
                "idx": 5,
                "action": {"name": "getForecast", "arguments": {"city": "Bergen"}},
                "observation": None,
                "dependency_list": None,
            },
            {
                "idx": 7,
                "action": {"arguments": {"city": "Hamar"}, "name": "getForecast"},
                "observation": None,
                "dependency_list": [],
            },
            {
                "idx": 9,
                "action": {"name": "prepare_to_answer", "arguments": {"answer_type": "tool"}},
                "observation": "Rain.",
                "dependency_list": [7, 5],
            },
        ],
    ],
    "english_messages": [
        {"role": "user", "content": "User: Weather in Oslo?"},
        {"role": "assistant", "content": "AI Agent Assistant: Sunny."},
        "===========",
        {"role": "user", "content": "User: And in Bergen and Hamar?"},
        {"role": "assistant", "content": "AI Agent Assistant: Rain, the file says.", "n": 1},
    ],
}


def read() -> Case:
    """The case of `LINE`."""
    return c3.decode(LINE, file="c.jsonl", line=1)


def edited(case: Case, t: int, **fields: object) -> Case:
    """The case with fields of one task replaced."""
    tasks = list(case.tasks)
    tasks[t] = tasks[t].model_copy(update=fields)
    return case.model_copy(update={"tasks": tuple(tasks)})


def changed(before: JsonValue, after: JsonValue, path: str = "") -> Iterator[str]:
    """Paths at which two lines differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        if list(before) != list(after):
            yield path
        for key in before.keys() & after.keys():
            yield from changed(before[key], after[key], f"{path}/{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (old, young) in enumerate(zip(before, after, strict=True)):
            yield from changed(old, young, f"{path}/{i}")
    elif not same(before, after):
        yield path


def test_an_edited_request_changes_the_request_and_its_place_in_the_dialogue() -> None:
    line = c3.encode(edited(read(), 1, user="And in Hamar?"))
    assert set(changed(_as_far_as_true(LINE, line), line)) == {
        "/english_task/1",
        "/english_messages/3/content",
    }
    assert _at(line, "english_messages", 3, "content") == "User: And in Hamar?"


def test_a_translation_stays_while_what_it_translates_is_unedited() -> None:
    assert c3.encode(edited(read(), 1, policy=Policy.SINGLE))["task"] == LINE["task"]
    assert "task" not in c3.encode(edited(read(), 1, user="And in Hamar?"))


def test_an_edited_observation_changes_nothing_else() -> None:
    case = read()
    call = case.tasks[0].steps[0]
    assert isinstance(call, Call)
    steps = (call.model_copy(update={"observation": {"w": "rain", "t": 1.0}}), *case.tasks[0].steps[1:])
    line = c3.encode(edited(case, 0, steps=steps))
    assert set(changed(LINE, line)) == {"/english_answer_list/0/0/observation/w"}


def test_edited_arguments_are_written_as_an_object() -> None:
    case = read()
    call = case.tasks[0].steps[0]
    assert isinstance(call, Call)
    steps = (call.model_copy(update={"arguments": {"city": "Hamar"}}), *case.tasks[0].steps[1:])
    line = c3.encode(edited(case, 0, steps=steps))
    assert set(changed(LINE, line)) == {"/english_answer_list/0/0/action/arguments"}
    assert _at(line, "english_answer_list", 0, 0, "action", "arguments") == {"city": "Hamar"}


def test_a_drawn_dependency_renumbers_only_its_own_task() -> None:
    case = read()
    task = with_drawn_edges(case.tasks[1], [Edge(source=0, target=1)])
    line = c3.encode(edited(case, 1, edges=task.edges))
    assert {path.split("/")[2] for path in changed(LINE, line)} == {"1"}
    assert c3.decode(line, file="c.jsonl", line=1).tasks[1].edges == task.edges
    assert [_at(line, "english_answer_list", 1, i, "dependency_list") for i in range(3)] == [[], [0], [1]]
    assert [_at(line, "english_answer_list", 1, i, "idx") for i in range(3)] == [0, 1, 2]


def test_an_edited_relation_changes_the_relations() -> None:
    line = c3.encode(edited(read(), 1, information=Information.REFERENCE))
    assert set(changed(LINE, line)) == {"/turn_subtypes/0"}


def test_a_removed_relation_is_read_again_as_none() -> None:
    line = c3.encode(edited(read(), 1, information=None))
    assert c3.decode(line, file="c.jsonl", line=1).tasks[1].information is None


def test_an_edited_policy_changes_one_code() -> None:
    line = c3.encode(edited(read(), 1, policy=Policy.SINGLE))
    assert set(changed(LINE, line)) == {"/type/1"}


def test_a_deleted_step_leaves_its_neighbours_as_they_were() -> None:
    case = read()
    task = case.tasks[1]
    shorter = with_drawn_edges(task.model_copy(update={"steps": task.steps[1:], "edges": ()}), [])
    line = c3.encode(edited(case, 1, steps=shorter.steps, edges=shorter.edges))
    assert str(_at(line, "english_answer_list", 1, 0, "action")).startswith("{'arguments'")
    assert set(changed(LINE, line)) == {"/english_answer_list/1"}


def test_a_deleted_task_leaves_the_other_as_it_was() -> None:
    case = read()
    line = c3.encode(case.model_copy(update={"tasks": case.tasks[:1]}))
    answers, before = line["english_answer_list"], LINE["english_answer_list"]
    assert isinstance(answers, list)
    assert isinstance(before, list)
    assert same(answers, before[:1])


def test_types_nobody_knows_give_way_when_a_task_is_deleted() -> None:
    line = {key: value for key, value in LINE.items() if key != "type"} | {"type": ["?", None]}
    case = c3.decode(line, file="c.jsonl", line=1)
    assert c3.encode(case)["type"] == ["?", None]
    out = c3.encode(case.model_copy(update={"tasks": case.tasks[:1]}))
    assert len(c3.decode(out, file="c.jsonl", line=1).tasks) == 1


def test_undoing_an_edit_brings_the_line_back() -> None:
    case = read()
    there = edited(case, 0, user="Else?")
    assert same(c3.encode(edited(there, 0, user=case.tasks[0].user)), LINE)


def test_ids_of_calls_stay_with_their_calls_when_one_is_inserted() -> None:
    line: JsonObject = {
        "id": "x",
        "tools": [],
        "messages": [
            {"role": "user", "content": "Weather in Oslo?"},
            _calls("abc", "Oslo"),
            {"role": "tool", "tool_call_id": "abc", "content": "sunny"},
        ],
    }
    case = openai.decode(line, file="o.jsonl", line=1)
    task = case.tasks[0]
    first = Call(name="getForecast", arguments={"city": "Hamar"}, observation="rain")
    steps = (first, *(step.model_copy(update={"recorded_round": 1}) for step in task.steps))
    out = openai.encode(edited(case, 0, steps=steps))
    assert _at(out, "messages", 1, "tool_calls", 0, "id") == "call_1"
    assert _at(out, "messages", 3, "tool_calls", 0, "id") == "abc"
    assert _at(out, "messages", 4, "tool_call_id") == "abc"


@FEW
@given(st.data(), wildtool_lines())
def test_an_edited_request_changes_nothing_else_of_a_wildtool_line(
    data: st.DataObject, line: JsonObject
) -> None:
    case = wildtool.decode(line, file="f.jsonl", line=1)
    after = _with_a_new_request(data, case)
    out = wildtool.encode(after)
    read_again = wildtool.decode(out, file="f.jsonl", line=1).model_copy(update={"language": case.language})
    assert content_sha256(read_again) == content_sha256(after)
    assert all(path.split("/")[1] in _REQUEST_KEYS for path in changed(_as_far_as_true(line, out), out))


@FEW
@given(st.data(), c3_lines())
def test_an_edited_request_changes_nothing_else_of_a_c3_line(data: st.DataObject, line: JsonObject) -> None:
    case = c3.decode(line, file="f.jsonl", line=1)
    after = _with_a_new_request(data, case)
    out = c3.encode(after)
    read_again = c3.decode(out, file="f.jsonl", line=1).model_copy(update={"language": case.language})
    assert content_sha256(read_again) == content_sha256(after)
    assert all(path.split("/")[1] in _REQUEST_KEYS for path in changed(_as_far_as_true(line, out), out))


def test_an_edit_that_changes_the_guessed_language_keeps_the_rest_of_a_chat() -> None:
    # the first request made the chat a Chinese one; without it, only the greeting and the stray observation
    # still say that the question opened a task of its own
    line: JsonObject = {
        "tools": [],
        "messages": [
            {"role": "assistant", "content": "Hello!"},
            {"role": "user", "content": "订一张票"},
            {"role": "user", "content": "Weather in Oslo?"},
            {"role": "assistant", "content": "For which day?"},
            {"role": "user", "content": "Today"},
            {"role": "tool", "tool_call_id": "ghost", "content": "?"},
            {"role": "assistant", "content": "Wait.", "tool_calls": [{"function": {"name": "getForecast"}}]},
        ],
    }
    case = openai.decode(line, file="f.jsonl", line=1)
    out = openai.encode(edited(case, 0, user="Book a ticket"))
    assert list(changed(line, out)) == ["/messages/1/content"]


@FEW
@given(st.data(), openai_lines())
def test_an_edited_request_changes_one_message_of_a_chat(data: st.DataObject, line: JsonObject) -> None:
    case = openai.decode(line, file="f.jsonl", line=1)
    after = _with_a_new_request(data, case)
    out = openai.encode(after)
    read_again = openai.decode(out, file="f.jsonl", line=1).model_copy(update={"language": case.language})
    assert content_sha256(read_again) == content_sha256(after)
    (path,) = changed(line, out)
    assert path.split("/")[1::2] == ["messages", "content"]


@FEW
@given(st.data(), wildtool_lines())
def test_whatever_steps_are_left_the_export_says_so(data: st.DataObject, line: JsonObject) -> None:
    case = wildtool.decode(line, file="f.jsonl", line=1)
    t = data.draw(st.integers(0, len(case.tasks) - 1))
    answer = case.tasks[t].answer
    assert answer is not None
    others = [step for step in case.tasks[t].steps if step is not answer]
    kept = [step for step in others if data.draw(st.booleans())]
    pairs = [(a, b) for b in range(len(kept)) for a in range(b) if data.draw(st.booleans())]
    bare = case.tasks[t].model_copy(update={"steps": (*kept, answer), "edges": ()})
    task = with_drawn_edges(bare, edges_between(bare.steps, pairs))
    after = edited(case, t, steps=task.steps, edges=task.edges)
    out = wildtool.decode(wildtool.encode(after), file="f.jsonl", line=1)
    assert content_sha256(out) == content_sha256(after)


@FEW
@given(st.data(), openai_lines())
def test_whatever_calls_are_left_the_chat_says_so(data: st.DataObject, line: JsonObject) -> None:
    case = openai.decode(line, file="f.jsonl", line=1)
    t = data.draw(st.integers(0, len(case.tasks) - 1))
    steps = tuple(s for s in case.tasks[t].steps if not isinstance(s, Call) or data.draw(st.booleans()))
    after = edited(case, t, steps=steps, edges=())
    out = openai.decode(openai.encode(after), file="f.jsonl", line=1)
    # A text before calls may read as the answer of one task or as a question of the next.
    assert [call.name for _, _, call in _all_calls(out)] == [call.name for _, _, call in _all_calls(after)]


_REQUEST_KEYS = {prefix + key for prefix in ("", "english_") for key in ("task", "tasks", "messages")}


def _as_far_as_true(line: JsonObject, out: JsonObject) -> JsonObject:
    """The line without the translations of edited requests, which give way."""
    return {key: value for key, value in line.items() if key in out or key not in _REQUEST_KEYS}


def _all_calls(case: Case) -> list[tuple[int, int, Call]]:
    return [(t, s, step) for t, s, step in case.steps() if isinstance(step, Call)]


def _with_a_new_request(data: st.DataObject, case: Case) -> Case:
    t = data.draw(st.integers(0, len(case.tasks) - 1))
    return edited(case, t, user="An edited request.")


def _at(value: JsonValue, *path: str | int) -> JsonValue:
    for part in path:
        if isinstance(part, int):
            assert isinstance(value, list)
            value = value[part]
        else:
            assert isinstance(value, dict)
            value = value[part]
    return value


def _calls(call_id: str, city: str) -> JsonObject:
    function: JsonObject = {"name": "getForecast", "arguments": f'{{"city": "{city}"}}'}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


@pytest.mark.parametrize("mine", [5, "mine", ["mine"], {"mine": 1}])
def test_a_key_of_the_name_of_ours_that_is_not_ours_stays(mine: JsonValue) -> None:
    line = LINE | {"annotator_case": mine}
    assert c3.encode(c3.decode(line, file="c.jsonl", line=1)) == line
