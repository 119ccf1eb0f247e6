"""A case written in another format reads as the same case, as far as that format can say it."""

from collections.abc import Sequence

import pytest
from hypothesis import given

from scoring.errors import InputError
from scoring.formats import native
from scoring.formats.benchmark import c3, wildtool
from scoring.formats.chat import openai
from scoring.formats.preserved_fields import KEPT_KEY
from scoring.model.case import Answer, Call, Case, Now, Step, Task, content_of
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Information, Policy
from tests.factories import answer, ask, call, case, task
from tests.scoring.formats.cases import answered_cases, recorded_cases
from tests.scoring.formats.json_values import FEW


def told(tasks: Sequence[Task]) -> list[object]:
    """What every format can say of tasks: requests, steps without their rounds, and which edges there are."""
    return [
        (task.user, [_bare(step) for step in task.steps], sorted(e.pair for e in task.edges))
        for task in tasks
    ]


def in_rounds(steps: Sequence[Step], rounds: Sequence[int | None]) -> list[Step]:
    """The steps with the rounds they were recorded in."""
    return [
        step.model_copy(update={"recorded_round": number}) for step, number in zip(steps, rounds, strict=True)
    ]


def _messages(line: JsonObject) -> list[JsonObject]:
    messages = line["messages"]
    assert isinstance(messages, list)
    return [message for message in messages if isinstance(message, dict)]


def _parts(message: JsonObject) -> list[JsonObject]:
    parts = message.get("tool_calls", [])
    assert isinstance(parts, list)
    return [part for part in parts if isinstance(part, dict)]


def _bare(step: Step) -> Step:
    return step.model_copy(update={"recorded_round": None})


@FEW
@given(answered_cases())
def test_a_wildtool_line_says_all_of_an_answered_case(case: Case) -> None:
    again = wildtool.decode(wildtool.encode(case), file="w.jsonl", line=1)
    assert content_of(again) == content_of(case)
    assert again.extras == case.extras


@FEW
@given(answered_cases())
def test_a_c3_line_says_all_but_the_kind_of_multi(case: Case) -> None:
    again = c3.decode(c3.encode(case), file="c.jsonl", line=1)
    assert told(again.tasks) == told(case.tasks)
    assert [t.policy and t.policy.main_type for t in again.tasks] == [
        t.policy and t.policy.main_type for t in case.tasks
    ]
    assert [t.information for t in again.tasks] == [t.information for t in case.tasks]
    assert (again.id, again.now, again.tools) == (case.id, case.now, case.tools)


@FEW
@given(answered_cases())
def test_a_native_line_says_all(case: Case) -> None:
    assert native.decode(native.encode(case), file="n.jsonl", line=1) == case


@FEW
@given(recorded_cases())
def test_a_chat_says_all_of_what_was_recorded(case: Case) -> None:
    again = openai.decode(openai.encode(case), file="o.jsonl", line=1)
    assert [[_bare(s) for s in t.steps] for t in again.tasks] == [
        [_bare(s) for s in t.steps] for t in case.tasks
    ]
    assert [t.user for t in again.tasks] == [t.user for t in case.tasks]
    assert again.now == case.now


@FEW
@given(answered_cases())
def test_a_wildtool_case_survives_a_trip_through_c3(case: Case) -> None:
    there = c3.decode(c3.encode(case), file="c.jsonl", line=1)
    back = wildtool.decode(wildtool.encode(there), file="w.jsonl", line=1)
    assert told(back.tasks) == told(case.tasks)


def test_a_task_without_an_answer_names_case_and_task() -> None:
    unanswered = case(task(answer()), task(call()), id="c-7")
    for codec in (wildtool, c3):
        with pytest.raises(InputError, match="Case c-7, task 1 has no answer"):
            codec.encode(unanswered)


def test_an_unanswered_task_goes_into_a_chat() -> None:
    line = openai.encode(case(task(call(city="Oslo"))))
    assert [message["role"] for message in _messages(line)] == ["user", "assistant", "tool"]


def test_a_chat_follows_the_recorded_rounds_while_no_dependency_is_drawn() -> None:
    steps: list[Step] = [call("a"), call("b"), call("c"), answer()]
    assert _calls_by_message(case(task(*in_rounds(steps, [0, 0, 1, 2])))) == [["a", "b"], ["c"]]


def test_a_chat_follows_the_first_optimal_order_once_a_dependency_is_drawn() -> None:
    # c waits for b; a runs as late as it can: {b}, then {a, c}.
    steps: list[Step] = [call("a"), call("b"), call("c"), answer()]
    drawn = task(*in_rounds(steps, [0, 1, 2, 3]), edges=[(1, 2)])
    assert _calls_by_message(case(drawn)) == [["b"], ["a", "c"]]


def test_calls_nobody_recorded_run_together() -> None:
    assert _calls_by_message(case(task(call("a"), call("b"), answer()))) == [["a", "b"]]


def test_a_question_stands_alone_with_its_reply() -> None:
    line = openai.encode(case(task(ask("Where?", "Oslo"), call("a"), answer("Sunny."), edges=[(0, 1)])))
    texts = [message["content"] for message in _messages(line)]
    assert texts == ["Weather in Oslo?", "Where?", "Oslo", None, "fine", "Sunny."]


def test_a_step_added_by_hand_takes_a_round_after_its_neighbour() -> None:
    steps = in_rounds([call("a"), call("x"), call("b"), answer()], [0, None, 1, 2])
    assert _calls_by_message(case(task(*steps))) == [["a"], ["x"], ["b"]]


def test_ids_of_calls_count_through_the_whole_dialogue() -> None:
    line = openai.encode(case(task(call("a"), call("b")), task(call("c"))))
    ids = [part["id"] for message in _messages(line) for part in _parts(message)]
    assert ids == ["call_1", "call_2", "call_3"]


def test_unknown_keys_are_carried_into_other_formats_and_twins_are_not() -> None:
    line = wildtool.encode(case(task(answer())))
    line |= {"license": "CC BY 4.0", "tasks": ["中文"], "answer_list": [[]]}
    read = wildtool.decode(line, file="w.jsonl", line=1)
    assert "license" in openai.encode(read)
    assert not {"tasks", "answer_list", KEPT_KEY} & openai.encode(read).keys()


def test_a_multi_task_of_a_c3_line_gets_its_kind_from_its_dependencies() -> None:
    for edges, policy in (
        ((), Policy.MULTI_PARALLEL),
        (((0, 1), (1, 2)), Policy.MULTI_SERIAL),
        (((0, 1),), Policy.MULTI_MIXED),
    ):
        bare = task(call("a"), call("b"), call("c"), answer(), edges=edges, policy=Policy.MULTI_MIXED)
        assert c3.decode(c3.encode(case(bare)), file="c.jsonl", line=1).tasks[0].policy is policy


def test_a_time_of_its_own_makes_every_task_name_its_time() -> None:
    first = task(answer(), information=Information.FIRST)
    later = task(answer()).model_copy(update={"now": Now.read("2024-07-12")})
    both = case(first, later, now="2024-07-11")
    line = wildtool.encode(both)
    assert line["english_env_info"] == ["2024-07-11", "2024-07-12"]
    assert content_of(wildtool.decode(line, file="w.jsonl", line=1)) == content_of(both)


def _calls_by_message(case: Case) -> list[list[str]]:
    again = openai.decode(openai.encode(case), file="o.jsonl", line=1)
    rounds: dict[int | None, list[str]] = {}
    for _, _, step in again.steps():
        if isinstance(step, Call):
            rounds.setdefault(step.recorded_round, []).append(step.name)
    assert not any(isinstance(step, Answer) for step in again.tasks[0].steps[:-1])
    return list(rounds.values())
