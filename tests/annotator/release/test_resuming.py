"""Runs that fail, are stopped or run out of budget, and go on later."""

import json
import threading
from pathlib import Path

import pytest

from annotator.jobs import JobCancelled, JobContext
from annotator.llm import ModelError
from annotator.llm.budget import Budget
from annotator.release.runs.conversation import RunSetting
from annotator.release.runs.model_run import RunPlan, RunState, run_model
from scoring.errors import BlockedError
from scoring.model.taxonomy import ActionDetail
from tests.annotator.release.weather import KEY, scored, weather
from tests.scripted_model.agents import perfect, script_of
from tests.scripted_model.asking import lines_of, plan_of, run, scripted
from tests.scripted_model.server import Asked, Sent, refused


def limited(setting: RunSetting, budget: Budget) -> RunPlan:
    """One request at a time, within a budget."""
    return RunPlan(setting=setting, budget=budget, concurrency=1)


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


def test_a_budget_in_tokens_stops_the_run_and_more_of_it_goes_on(tmp_path: Path) -> None:
    cases = [weather(i) for i in range(4)]
    setting = plan_of().setting
    with scripted(script_of(perfect, cases)) as (client, model):
        # 110 tokens a reply; the first task of three takes 2, 3 and 1 replies: 660 tokens a case.
        state = run(
            cases,
            client,
            tmp_path / "p.jsonl",
            plan=limited(setting, Budget(tokens=1000)),
        )
        assert state.is_over_budget
        assert not state.is_finished
        # Ten replies are 1,100 tokens; the tenth is asked while 990 are spent.
        assert len(model.asked) == 10
        state = run(
            cases,
            client,
            tmp_path / "p.jsonl",
            plan=limited(setting, Budget(tokens=10_000)),
        )
    assert state.is_finished
    assert not state.is_over_budget


def test_a_budget_in_dollars_counts_what_earlier_sittings_took(tmp_path: Path) -> None:
    cases = [weather(i) for i in range(2)]
    setting = plan_of().setting
    # 100 tokens read at $10 and 10 written at $100 a million: $0.002 a reply, $0.012 a case.
    budget = Budget(dollars=0.012, prompt_price=10, completion_price=100)
    with scripted(script_of(perfect, cases)) as (client, model):
        state = run(cases, client, tmp_path / "p.jsonl", plan=limited(setting, budget))
        assert state.dollars == pytest.approx(0.012)
        assert len(model.asked) == 6
        state = run(cases, client, tmp_path / "p.jsonl", plan=limited(setting, budget))
        assert len(model.asked) == 6
    assert state.is_over_budget


def test_a_budget_needs_an_endpoint_that_reports_tokens(tmp_path: Path) -> None:
    cases = [weather(i) for i in range(3)]
    plan = limited(plan_of().setting, Budget(tokens=1000))
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
    script = script_of(perfect, cases)

    def listen(state: RunState) -> None:
        if state.answered >= 4:
            cancel.set()

    def patient(asked: Asked) -> Sent:
        if "City 5" in str(asked.messages):
            assert cancel.wait(120)  # however slow the machine is, the last case is not finished before
        return script(asked)

    with scripted(patient) as (client, model):
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
