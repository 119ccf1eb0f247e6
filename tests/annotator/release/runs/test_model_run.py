"""Runs against a scripted endpoint: what is asked, shown to the model and written."""

import json
import threading
from pathlib import Path

import pytest

from annotator.jobs import JobContext
from annotator.release.runs.model_run import RunState, run_model
from scoring.history import MessageLayout
from scoring.model.taxonomy import Protocol, ToolMode
from scoring.scorecard import cases_sha256
from tests.annotator.release.weather import KEY, scored, weather
from tests.factories import answer, case, task
from tests.scripted_model.agents import perfect, script_of
from tests.scripted_model.asking import MODEL, lines_of, plan_of, run, scripted
from tests.scripted_model.server import Asked, Sent, refused, said


def test_every_task_is_asked_and_written_as_documented(tmp_path: Path) -> None:
    cases = [weather()]
    with scripted(script_of(perfect, cases)) as (client, _):
        state = run(cases, client, tmp_path / "p.jsonl")
    first, second, third = lines_of(tmp_path / "p.jsonl")
    assert [(line["case"], line["task"]) for line in (first, second, third)] == [("c-1", i) for i in range(3)]
    assert {line["cases_sha256"] for line in (first, second, third)} == {cases_sha256(cases)}
    calls, text = first["replies"]
    assert [
        (c["type"], c["function"]["name"], json.loads(c["function"]["arguments"]))
        for c in calls["tool_calls"]
    ] == [
        ("function", "getForecast", {"city": "City 1"}),
        ("function", "getTime", {"city": "City 1"}),
    ]
    assert (text["content"], text["tool_calls"]) == ("Grey at nine.", None)
    assert calls["usage"] == {"prompt_tokens": 100, "completion_tokens": 10}
    assert calls["latency_seconds"] >= 0
    assert len(second["replies"]) == 3
    assert (state.answered, state.correct, state.is_finished) == (3, 3, True)


def test_the_live_accuracy_is_that_of_the_scorecard(tmp_path: Path) -> None:
    cases = [weather(1), weather(2)]
    script = script_of(perfect, cases)

    def forgetful(asked: Asked) -> Sent:
        return said("Hm.") if "City 2" in str(asked.messages) else script(asked)

    with scripted(forgetful) as (client, _):
        state = run(cases, client, tmp_path / "p.jsonl")
    # City 2: a text where two calls are due; a text where a question is due, then one too early; a chat.
    assert state.accuracy.count == 4
    assert scored(cases, tmp_path / "p.jsonl").summary.accuracy.tasks == state.accuracy


def test_wrong_arguments_do_not_stop_a_run_but_a_wrong_name_does(tmp_path: Path) -> None:
    cases = [weather()]
    script = script_of(perfect, cases)

    def careless(asked: Asked) -> Sent:
        sent = script(asked)
        return Sent(message=json.loads(json.dumps(sent.message).replace("City 1", "Oslo")))

    with scripted(careless) as (client, model):
        state = run(cases, client, tmp_path / "p.jsonl")
        assert len(model.asked) == 6
    assert state.correct == 1

    def wrong(asked: Asked) -> Sent:
        sent = script(asked)
        return Sent(message=json.loads(json.dumps(sent.message).replace("getForecast", "getTime")))

    with scripted(wrong) as (client, model):
        run(cases, client, tmp_path / "q.jsonl")
        # First task: one failing reply. Second: the question, then the failing call. Third: the chat.
        assert len(model.asked) == 4


def test_a_call_gets_the_observation_of_its_own_step(tmp_path: Path) -> None:
    cases = [weather()]
    script = script_of(perfect, cases)

    def reversed_calls(asked: Asked) -> Sent:
        message = dict(script(asked).message or {})
        if message.get("tool_calls"):
            message["tool_calls"] = message["tool_calls"][::-1]
        return Sent(message=message)

    with scripted(reversed_calls) as (client, model):
        run(cases, client, tmp_path / "p.jsonl", plan=plan_of(concurrency=1))
    back = model.asked[1].messages[-2:]
    assert [(m["role"], m["tool_call_id"], m["content"]) for m in back] == [
        ("tool", "call-0-1", "9:00"),
        ("tool", "call-0-0", '{"sky": "grey"}'),
    ]


def test_tools_are_offered_natively_or_in_the_prompt(tmp_path: Path) -> None:
    cases = [weather()]
    for mode, offered in ((ToolMode.NATIVE, True), (ToolMode.PROMPT, False)):
        with scripted(script_of(perfect, cases)) as (client, model):
            state = run(cases, client, tmp_path / f"{mode}.jsonl", plan=plan_of(tools=mode))
        assert all(("tools" in asked.body) is offered for asked in model.asked)
        assert state.correct == 3


@pytest.mark.parametrize(("protocol", "has_calls"), [(Protocol.C2, False), (Protocol.C3, True)])
def test_the_protocol_decides_what_of_the_history_is_shown(
    tmp_path: Path, protocol: Protocol, has_calls: bool
) -> None:
    cases = [weather()]
    with scripted(script_of(perfect, cases)) as (client, model):
        state = run(cases, client, tmp_path / "p.jsonl", plan=plan_of(protocol=protocol))
    last_task = next(asked for asked in model.asked if asked.messages[-1]["content"] == "Thanks!")
    assert any(message["role"] == "tool" for message in last_task.messages) is has_calls
    assert state.correct == 3


def test_merged_results_come_as_one_message(tmp_path: Path) -> None:
    cases = [weather()]
    with scripted(script_of(perfect, cases)) as (client, model):
        layout = MessageLayout(merge_results=True)
        run(cases, client, tmp_path / "p.jsonl", plan=plan_of(layout=layout, concurrency=1))
    back = model.asked[1].messages[-1]
    assert json.loads(back["content"]) == [{"sky": "grey"}, "9:00"]
    assert back["tool_call_id"] == "call-0-0"


def test_so_many_tasks_are_asked_at_once(tmp_path: Path) -> None:
    cases = [weather(i) for i in range(4)]
    script = script_of(perfect, cases)
    meeting = threading.Barrier(3, timeout=120)

    def together(asked: Asked) -> Sent:
        if asked.number < 3:
            meeting.wait()  # only three requests under way at once can pass
        return script(asked)

    with scripted(together) as (client, model):
        run(cases, client, tmp_path / "p.jsonl", plan=plan_of(concurrency=3))
        assert model.most_at_once == 3


def test_the_state_is_told_after_every_task(tmp_path: Path) -> None:
    cases = [weather()]
    states: list[RunState] = []
    notes: list[str] = []
    with scripted(script_of(perfect, cases)) as (client, _):
        run_model(
            cases,
            client,
            plan=plan_of(concurrency=1),
            out=tmp_path / "p.jsonl",
            context=JobContext(lambda report: notes.append(f"{report.done}/{report.total} {report.note}")),
            listen=states.append,
        )
    answered = [state.answered for state in states]
    # Also told while nothing arrives; on a busy machine two replies may arrive together.
    assert answered == sorted(answered)
    assert (answered[0], answered[-1]) == (0, 3)
    assert len(set(answered)) > 2
    assert states[-1].prompt_tokens == 600
    assert notes[0] == "0/3 asking"
    # Wilson interval of 3 in 3: from 1 / (1 + 1.96² / 3) = 0.4385 to 1; half of it is 28.1 points.
    assert notes[-1] == "3/3 accuracy so far 100.0 ± 28.1"


def test_tasks_without_a_gold_solution_are_not_asked(tmp_path: Path) -> None:
    cases = [case(task(user="Unanswered"), task(answer(), user="Hello"))]
    with scripted(lambda _: said("Hi!")) as (client, model):
        state = run(cases, client, tmp_path / "p.jsonl")
        assert len(model.asked) == 1
    assert (state.total, state.correct) == (1, 1)


def test_the_key_is_in_no_file(tmp_path: Path) -> None:
    script = script_of(perfect, [weather()])

    def leaky(asked: Asked) -> Sent:
        return refused(400, f"key {KEY} is odd") if asked.number == 1 else script(asked)

    with scripted(leaky, key=KEY) as (client, _):
        run([weather()], client, tmp_path / "p.jsonl")
    text = (tmp_path / "p.jsonl").read_text()
    assert KEY not in text
    assert "*** is odd" in text


def test_the_setting_stands_in_every_line(tmp_path: Path) -> None:
    with scripted(lambda _: said("Hi.")) as (client, _):
        run([weather()], client, tmp_path / "p.jsonl", plan=plan_of(protocol=Protocol.C2))
    assert lines_of(tmp_path / "p.jsonl")[0]["setting"] == {
        "model": MODEL,
        "protocol": "c2",
        "tools": "native",
    }
