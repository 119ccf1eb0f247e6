"""What becomes of a model's reply: thoughts, calls written as text, empty and cut-off ones."""

import json
from pathlib import Path

from scoring.model.taxonomy import ToolMode
from tests.annotator.release.weather import weather
from tests.scripted_model.agents import perfect, script_of
from tests.scripted_model.asking import lines_of, plan_of, run, scripted
from tests.scripted_model.server import Asked, Sent, said


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


def test_an_empty_reply_ends_the_task_as_the_models_own_failure(tmp_path: Path) -> None:
    cases = [weather()]
    with scripted(lambda _: said(None)) as (client, model):
        state = run(cases, client, tmp_path / "p.jsonl")
        assert len(model.asked) == 3
    assert (state.answered, state.correct, state.infra_errors) == (3, 0, 0)


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
