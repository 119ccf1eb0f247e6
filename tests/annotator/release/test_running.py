"""Runs against a scripted endpoint: what is asked, kept, resumed, stopped and counted."""

import json
import threading
from pathlib import Path

import pytest

from annotator.jobs import JobCancelled, JobContext
from annotator.llm import ModelError
from annotator.release.conversing import ToolMode
from annotator.release.evaluating import evaluate
from annotator.release.running import RunPlan, RunState, run_model
from annotator.release.spending import Budget
from scoring.errors import BlockedError
from scoring.history import MessageLayout
from scoring.model.case import Case
from scoring.model.taxonomy import ActionDetail, Protocol
from scoring.scorecard import Scorecard, cases_sha256
from tests.factories import answer, ask, call, case, task, tool
from tests.scripted_model.agents import perfect, script_of
from tests.scripted_model.asking import MODEL, lines_of, plan_of, run, scripted
from tests.scripted_model.server import Asked, Sent, refused, said

KEY = "sk-secret-0123456789"


def weather(number: int = 1) -> Case:
    """A parallel task, a task with a question, and a chat: 2 + 3 + 1 replies of a perfect agent."""
    city = f"City {number}"
    return case(
        task(
            call("getForecast", {"sky": "grey"}, city=city),
            call("getTime", "9:00", city=city),
            answer("Grey at nine."),
            user=f"Weather and time in {city}?",
        ),
        task(
            ask("Which day?", "Sunday"),
            call("getForecast", "blue", city=city),
            answer("Blue."),
            user="And later?",
            edges=[(0, 1)],
        ),
        task(answer("Bye!"), user="Thanks!"),
        id=f"c-{number}",
        tools=[tool("getForecast", city={"type": "string"}), tool("getTime", city={"type": "string"})],
        now="2026-03-11 09:20:00",
    )


def scored(cases: list[Case], out: Path) -> Scorecard:
    return evaluate(cases, [out], context=JobContext())


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


def test_the_prompt_protocol_strips_thoughts_and_keeps_them_beside(tmp_path: Path) -> None:
    cases = [weather()]
    with scripted(script_of(perfect, cases)) as (client, model):
        run(cases, client, tmp_path / "p.jsonl", plan=plan_of(tools=ToolMode.PROMPT, concurrency=1))
    reply = lines_of(tmp_path / "p.jsonl")[0]["replies"][0]
    assert reply["reasoning_content"] == "Call."
    assert "<think>" not in str(model.asked[1].messages)
    assert model.asked[1].messages[-1] == {"role": "user", "content": "<tool_response>9:00</tool_response>"}


def test_reasoning_is_kept_and_handed_back_within_the_task(tmp_path: Path) -> None:
    cases = [weather()]
    script = script_of(perfect, cases)

    def thoughtful(asked: Asked) -> Sent:
        return Sent(message={**(script(asked).message or {}), "reasoning_content": f"No {asked.number}."})

    with scripted(thoughtful) as (client, model):
        run(cases, client, tmp_path / "p.jsonl", plan=plan_of(concurrency=1))
    assert lines_of(tmp_path / "p.jsonl")[0]["replies"][0]["reasoning_content"] == "No 0."
    assert model.asked[1].messages[-3]["reasoning_content"] == "No 0."
    assert "No 0." not in str(model.asked[2].messages)


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


def test_finished_tasks_are_not_asked_again(tmp_path: Path) -> None:
    cases = [weather(i) for i in range(4)]
    with scripted(script_of(perfect, cases)) as (client, _):
        run(cases, client, tmp_path / "whole.jsonl")
        whole = (tmp_path / "whole.jsonl").read_text().splitlines(keepends=True)
        (tmp_path / "part.jsonl").write_text("".join(whole[:5]))
    with scripted(script_of(perfect, cases)) as (client, model):
        state = run(cases, client, tmp_path / "part.jsonl")
        kept = {(line["case"], line["task"]) for line in map(json.loads, whole[:5])}
        replies = sum(len(line["replies"]) for line in map(json.loads, whole[5:]))
        assert len(model.asked) == replies
    assert (state.resumed, state.answered, state.correct) == (5, 12, 12)
    assert len(kept) == 5
    assert len(lines_of(tmp_path / "part.jsonl")) == 12


def test_a_run_that_is_done_asks_nothing(tmp_path: Path) -> None:
    cases = [weather()]
    with scripted(script_of(perfect, cases)) as (client, model):
        run(cases, client, tmp_path / "p.jsonl")
        before = (tmp_path / "p.jsonl").read_bytes()
        count = len(model.asked)
        state = run(cases, client, tmp_path / "p.jsonl")
        assert len(model.asked) == count
    assert (state.is_finished, state.resumed) == (True, 3)
    assert (tmp_path / "p.jsonl").read_bytes() == before


def test_a_failure_outside_the_model_is_a_line_and_is_asked_again_next_time(tmp_path: Path) -> None:
    cases = [weather()]
    script = script_of(perfect, cases)

    def down(asked: Asked) -> Sent:
        return refused(503, "busy") if asked.messages[-1]["content"] == "Thanks!" else script(asked)

    with scripted(down) as (client, _):
        state = run(cases, client, tmp_path / "p.jsonl")
    line = lines_of(tmp_path / "p.jsonl")[2]
    assert (line["error"]["kind"], line["replies"]) == ("http_503", [])
    assert (state.infra_errors, state.answered, state.is_finished) == (1, 2, True)
    before = scored(cases, tmp_path / "p.jsonl")
    assert before.summary.infra_errors == 1
    assert before.tasks[2].action_detail is ActionDetail.INFRA_ERROR
    with scripted(script) as (client, model):
        state = run(cases, client, tmp_path / "p.jsonl")
        assert len(model.asked) == 1
    assert (state.infra_errors, state.answered) == (0, 3)
    assert scored(cases, tmp_path / "p.jsonl").summary.task_accuracy == 1


def test_replies_before_a_failure_are_kept_with_it(tmp_path: Path) -> None:
    cases = [weather()]
    script = script_of(perfect, cases)

    def breaks_after_one(asked: Asked) -> Sent:
        return refused(400, "no") if asked.messages[-1]["role"] == "tool" else script(asked)

    with scripted(breaks_after_one) as (client, _):
        run(cases, client, tmp_path / "p.jsonl")
    line = lines_of(tmp_path / "p.jsonl")[0]
    assert (len(line["replies"]), line["error"]["kind"]) == (1, "http_400")


def test_an_empty_reply_ends_the_task_as_the_models_own_failure(tmp_path: Path) -> None:
    cases = [weather()]
    with scripted(lambda _: said(None)) as (client, model):
        state = run(cases, client, tmp_path / "p.jsonl")
        assert len(model.asked) == 3
    assert (state.answered, state.correct, state.infra_errors) == (3, 0, 0)


def test_a_wrong_key_stops_the_run_at_once_and_writes_nothing(tmp_path: Path) -> None:
    cases = [weather(i) for i in range(5)]
    with scripted(lambda _: refused(401, f"bad key {KEY}"), key=KEY) as (client, model):
        with pytest.raises(ModelError) as caught:
            run(cases, client, tmp_path / "p.jsonl")
        assert len(model.asked) <= 2
    assert (tmp_path / "p.jsonl").read_text() == ""
    assert KEY not in str(caught.value)


def test_an_endpoint_that_keeps_failing_stops_the_run(tmp_path: Path) -> None:
    cases = [weather(i) for i in range(10)]
    with (
        scripted(lambda _: refused(503, "busy")) as (client, _),
        pytest.raises(ModelError, match="10 tasks in a row"),
    ):
        run(cases, client, tmp_path / "p.jsonl", plan=plan_of(concurrency=1))
    assert 10 <= len(lines_of(tmp_path / "p.jsonl")) <= 11


def test_requests_refused_one_by_one_do_not_stop_the_run(tmp_path: Path) -> None:
    cases = [weather(i) for i in range(5)]
    with scripted(lambda _: refused(400, "tool names")) as (client, _):
        state = run(cases, client, tmp_path / "p.jsonl")
    assert (state.infra_errors, state.is_finished) == (15, True)


def test_so_many_tasks_are_asked_at_once(tmp_path: Path) -> None:
    cases = [weather(i) for i in range(4)]
    script = script_of(perfect, cases)
    meeting = threading.Barrier(3, timeout=20)

    def together(asked: Asked) -> Sent:
        if asked.number < 3:
            meeting.wait()  # only three requests under way at once can pass
        return script(asked)

    with scripted(together) as (client, model):
        run(cases, client, tmp_path / "p.jsonl", plan=plan_of(concurrency=3))
        assert model.most_at_once == 3


def test_a_budget_in_tokens_stops_the_run_and_more_of_it_goes_on(tmp_path: Path) -> None:
    cases = [weather(i) for i in range(4)]
    setting = plan_of().setting
    with scripted(script_of(perfect, cases)) as (client, model):
        # 110 tokens a reply; the first task of three takes 2, 3 and 1 replies: 660 tokens a case.
        state = run(cases, client, tmp_path / "p.jsonl", plan=RunPlan(setting, Budget(tokens=1000), 1))
        assert state.is_over_budget
        assert not state.is_finished
        # Ten replies are 1,100 tokens; the tenth is asked while 990 are spent.
        assert len(model.asked) == 10
        state = run(cases, client, tmp_path / "p.jsonl", plan=RunPlan(setting, Budget(tokens=10_000), 1))
    assert state.is_finished
    assert not state.is_over_budget


def test_a_budget_in_dollars_counts_what_earlier_sittings_took(tmp_path: Path) -> None:
    cases = [weather(i) for i in range(2)]
    setting = plan_of().setting
    # 100 tokens read at $10 and 10 written at $100 a million: $0.002 a reply, $0.012 a case.
    budget = Budget(dollars=0.012, prompt_price=10, completion_price=100)
    with scripted(script_of(perfect, cases)) as (client, model):
        state = run(cases, client, tmp_path / "p.jsonl", plan=RunPlan(setting, budget, 1))
        assert state.dollars == pytest.approx(0.012)
        assert len(model.asked) == 6
        state = run(cases, client, tmp_path / "p.jsonl", plan=RunPlan(setting, budget, 1))
        assert len(model.asked) == 6
    assert state.is_over_budget


def test_a_budget_needs_an_endpoint_that_reports_tokens(tmp_path: Path) -> None:
    cases = [weather(i) for i in range(3)]
    plan = RunPlan(plan_of().setting, Budget(tokens=1000), 1)
    with (
        scripted(script_of(perfect, cases, tokens=None)) as (client, model),
        pytest.raises(BlockedError, match="tokens"),
    ):
        run(cases, client, tmp_path / "p.jsonl", plan=plan)
    assert len(model.asked) == 1


def test_without_a_budget_unknown_tokens_do_not_matter(tmp_path: Path) -> None:
    cases = [weather()]
    with scripted(script_of(perfect, cases, tokens=None)) as (client, _):
        state = run(cases, client, tmp_path / "p.jsonl")
    assert state.correct == 3
    assert "usage" not in lines_of(tmp_path / "p.jsonl")[0]["replies"][0]


def test_cancelling_keeps_what_is_finished_and_the_next_sitting_goes_on(tmp_path: Path) -> None:
    cases = [weather(i) for i in range(6)]
    cancel = threading.Event()

    def listen(state: RunState) -> None:
        if state.answered >= 4:
            cancel.set()

    with scripted(script_of(perfect, cases)) as (client, model):
        with pytest.raises(JobCancelled):
            run_model(
                cases,
                client,
                plan=plan_of(),
                out=tmp_path / "p.jsonl",
                context=JobContext(cancel=cancel),
                listen=listen,
            )
        kept = len(lines_of(tmp_path / "p.jsonl"))
        assert 4 <= kept < 18
        before = len(model.asked)
        state = run(cases, client, tmp_path / "p.jsonl")
        assert len(model.asked) - before <= 36 - 2 * 4
    assert (state.resumed, state.correct) == (kept, 18)


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
    assert [state.answered for state in states][:4] == [0, 1, 2, 3]
    assert states[-1].prompt_tokens == 600
    assert notes[0] == "0/3 asking"
    # Wilson interval of 3 in 3: from 1 / (1 + 1.96² / 3) = 0.4385 to 1; half of it is 28.1 points.
    assert notes[-1] == "3/3 accuracy 100.0 ± 28.1"


def test_tasks_without_a_gold_solution_are_not_asked(tmp_path: Path) -> None:
    cases = [case(task(user="Unanswered"), task(answer(), user="Hello"))]
    with scripted(lambda _: said("Hi!")) as (client, model):
        state = run(cases, client, tmp_path / "p.jsonl")
        assert len(model.asked) == 1
    assert (state.total, state.correct) == (1, 1)


def test_a_cut_off_reply_says_so(tmp_path: Path) -> None:
    cut = Sent(body=json.dumps({"choices": [{"finish_reason": "length", "message": {"content": "On and"}}]}))
    with scripted(lambda _: cut) as (client, _):
        run([weather()], client, tmp_path / "p.jsonl")
    assert lines_of(tmp_path / "p.jsonl")[2]["replies"][0]["finish_reason"] == "length"


def test_a_prompted_call_that_cannot_be_read_is_text_and_says_why(tmp_path: Path) -> None:
    with scripted(lambda _: said("<tool_calls>[{]</tool_calls>")) as (client, _):
        run([weather()], client, tmp_path / "p.jsonl", plan=plan_of(tools=ToolMode.PROMPT))
    reply = lines_of(tmp_path / "p.jsonl")[2]["replies"][0]
    assert reply["content"] == "<tool_calls>[{]</tool_calls>"
    assert reply["parse_error"]


def test_calls_written_as_text_count_only_where_asked_for(tmp_path: Path) -> None:
    cases = [weather()]
    native = script_of(perfect, cases)

    def as_text(asked: Asked) -> Sent:
        message = native(asked).message or {}
        calls = [call["function"] for call in message.get("tool_calls") or ()]
        listed = [{"name": one["name"], "arguments": json.loads(one["arguments"])} for one in calls]
        return said(f"<think>Hm.</think>\n{json.dumps(listed)}") if calls else Sent(message=message)

    for reads, correct in ((False, 1), (True, 3)):
        with scripted(as_text) as (client, _):
            plan = plan_of(read_text_calls=reads)
            assert run(cases, client, tmp_path / f"{reads}.jsonl", plan=plan).correct == correct


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
