"""`annotator run --models`: each model of a file is asked at its address, under one budget."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from scoring.model.case import dump_case
from scoring.model.record import to_json
from tests.annotator.team import two_round_case
from tests.e2e.command import Ran, annotator
from tests.scripted_model.agents import perfect, script_of, stops_early
from tests.scripted_model.server import ScriptedModel

CASES = [two_round_case(f"c-{number}") for number in range(1, 4)]
TASKS = sum(len(case.tasks) for case in CASES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cases.jsonl").write_text("".join(to_json(dump_case(case)) + "\n" for case in CASES))
    return tmp_path


@pytest.fixture
def right() -> Iterator[ScriptedModel]:
    """An endpoint that answers every task rightly."""
    with ScriptedModel(script_of(perfect, CASES)) as model:
        yield model


@pytest.fixture
def early() -> Iterator[ScriptedModel]:
    """An endpoint that stops before a task is done."""
    with ScriptedModel(script_of(stops_early, CASES)) as model:
        yield model


def ask(folder: Path, *words: object, **environment: str) -> Ran:
    return annotator(
        "run", "cases.jsonl", "--models", "models.toml", "-o", "runs", *words, cwd=folder, **environment
    )


def write_models(folder: Path, *models: Mapping[str, object]) -> None:
    lines = []
    for model in models:
        lines += ["[[models]]", *(f"{key} = {json.dumps(value)}" for key, value in model.items())]
    (folder / "models.toml").write_text("\n".join(lines) + "\n")


def predictions(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "runs" / f"{name}.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("together", [1, 2])
def test_each_model_is_asked_at_its_address_and_keeps_its_card(
    folder: Path, right: ScriptedModel, early: ScriptedModel, together: int
) -> None:
    write_models(
        folder,
        {"model": "lab/right-7b", "size": 7, "base_url": right.base_url},
        {"model": "early", "kind": "closed", "base_url": early.base_url},
    )
    project = folder / "p.db"
    annotator("init", project, "--as", "max")
    ran = ask(folder, "--together", together, "--json", "-p", project, person="max")
    assert ran.code == 0, ran.err
    first, second = ran.document["runs"]
    assert (first["state"]["correct"], second["state"]["correct"]) == (TASKS, 3)
    assert {first["state"]["run"], second["state"]["run"]} == {1, 2}
    (line, *_) = predictions(folder, "lab-right-7b")
    assert line["model_card"]["size"] == 7
    scored = annotator(
        "score", "cases.jsonl", "runs/early.jsonl", "runs/lab-right-7b.jsonl", "--each", "-o", "s", cwd=folder
    )
    assert scored.code == 0, scored.err
    card = json.loads((folder / "s" / "early" / "scorecard.json").read_text())
    assert card["model_card"]["kind"] == "closed"
    again = ask(folder, "--json")
    assert [run["state"]["resumed"] for run in again.document["runs"]] == [TASKS] * 2


def test_one_that_fails_does_not_stop_the_others(folder: Path, right: ScriptedModel) -> None:
    write_models(
        folder,
        {"model": "gone", "base_url": "http://127.0.0.1:9/v1"},
        {"model": "right", "base_url": right.base_url},
    )
    ran = ask(folder, "--retries", 0)
    assert ran.code == 1
    assert "gone: " in ran.err
    assert len(predictions(folder, "right")) == TASKS
    assert "Traceback" not in ran.err


def test_one_budget_holds_for_all(folder: Path, right: ScriptedModel) -> None:
    write_models(folder, *({"model": name, "base_url": right.base_url} for name in ("a", "b")))
    alone = annotator(
        "run",
        "cases.jsonl",
        "--model",
        "a",
        "--base-url",
        right.base_url,
        "-o",
        "a.jsonl",
        "--json",
        cwd=folder,
    ).document
    limit = alone["prompt_tokens"] + alone["completion_tokens"] + 1
    ran = ask(folder, "--budget-tokens", limit, "--concurrency", 1, "--json")
    first, second = (run["state"] for run in ran.document["runs"])
    spent = first["prompt_tokens"] + first["completion_tokens"]
    assert (first["answered"], first["is_over_budget"]) == (TASKS, False)
    assert second["is_over_budget"] is True
    assert spent + second["prompt_tokens"] + second["completion_tokens"] < limit + 110
    assert second["answered"] < TASKS


def test_thinking_on_and_off_are_two_models(folder: Path, right: ScriptedModel) -> None:
    base = {"model": "m", "base_url": right.base_url}
    (folder / "models.toml").write_text(
        "".join(
            f'[[models]]\nmodel = "m"\nthinking = "{thinking}"\nbase_url = "{base["base_url"]}"\n'
            f"body = {{ enable_thinking = {flag} }}\n"
            for thinking, flag in (("on", "true"), ("off", "false"))
        )
    )
    ran = ask(folder, "--json")
    assert ran.code == 0, ran.err
    names = ("m-thinking-on", "m-thinking-off")
    for name, is_on in zip(names, (True, False), strict=True):
        (line, *_) = predictions(folder, name)
        assert line["model_card"]["thinking"] == ("on" if is_on else "off")
        assert line["setting"]["sampling"]["extra"] == {"enable_thinking": is_on}
    assert {asked.body["enable_thinking"] for asked in right.asked} == {True, False}
    scored = annotator(
        "score", "cases.jsonl", *(f"runs/{name}.jsonl" for name in names), "--each", "-o", "s",
        "--models", "models.toml", cwd=folder,
    )  # fmt: skip
    assert scored.code == 0, scored.err
    report = annotator("report", *(f"s/{name}" for name in names), "--format", "md", "-o", "r.md", cwd=folder)
    assert report.code == 0, report.err
    text = (folder / "r.md").read_text()
    assert "enable_thinking=true" in text or "thinking on" in text
    assert len({line.split("|")[1] for line in text.splitlines() if line.startswith("| m")}) >= 2


@pytest.mark.parametrize(
    ("words", "streamed"), [((), {"b"}), (("--stream",), {"a", "b"}), (("--no-stream",), set())]
)
def test_the_first_token_is_timed_where_the_file_or_the_command_says_so(
    folder: Path, right: ScriptedModel, words: tuple[str, ...], streamed: set[str]
) -> None:
    base = {"base_url": right.base_url}
    write_models(folder, {"model": "a", **base}, {"model": "b", "stream": True, **base})
    ran = ask(folder, *words)
    assert ran.code == 0, ran.err
    assert {one.body["model"] for one in right.asked if "stream" in one.body} == streamed
    replies = {
        name: {(line["case"], line["task"]): line["replies"] for line in predictions(folder, name)}
        for name in "ab"
    }
    for name, by_task in replies.items():
        timed = {"first_token_seconds" in reply for said in by_task.values() for reply in said}
        assert timed == {name in streamed}
    calls = [
        {task: [reply["tool_calls"] for reply in said] for task, said in by_task.items()}
        for by_task in replies.values()
    ]
    assert calls[0] == calls[1]


def test_a_run_asked_in_parts_may_time_the_first_token_in_one_of_them(
    folder: Path, right: ScriptedModel
) -> None:
    write_models(folder, {"model": "a", "base_url": right.base_url, "stream": True})
    assert ask(folder, "--no-stream", "--budget-tokens", 500, "--concurrency", 1).code == 0
    left = TASKS - len(predictions(folder, "a"))
    assert 0 < left < TASKS
    assert ask(folder).code == 0
    scored = annotator("score", "cases.jsonl", "runs/a.jsonl", "-o", "s", cwd=folder)
    assert scored.code == 0, scored.err
    measures = json.loads((folder / "s" / "scorecard.json").read_text())["summary"]["measures"]
    assert measures["first_token_seconds"]["mean"]["of"] == left
    report = annotator("report", "s", "--format", "md", "-o", "-", cwd=folder).out
    assert f"(mean of {left})" in report


@pytest.mark.parametrize(
    ("models", "words", "said"),
    [
        ([{"model": "a"}], (), "a has no `base_url`."),
        ([{"model": "a", "base_url": "U"}, {"model": "a", "base_url": "U"}], (), "two cards for a"),
        ([{"model": "x/a", "base_url": "U"}, {"model": "x a", "base_url": "U"}], (), "both be written into"),
        ([{"model": "a", "base_url": "U", "api_key_variable": "NO_SUCH"}], (), "NO_SUCH"),
        ([{"model": "a", "base_url": "U"}], ("--budget-dollars", 1), "a cannot be asked: "),
        ([{"model": "a", "base_url": "U", "stream": "sometimes"}], (), "model 1 (a): stream: "),
    ],
)
def test_a_file_nobody_can_be_asked_by_is_refused_before_anything(
    folder: Path, models: list[dict[str, object]], words: tuple[object, ...], said: str
) -> None:
    write_models(folder, *models)
    ran = ask(folder, *words)
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert not list(folder.glob("runs/*.jsonl"))


def test_a_run_needs_a_model_or_a_file_of_models(folder: Path) -> None:
    ran = annotator("run", "cases.jsonl", "-o", "x.jsonl", cwd=folder)
    assert ran.code == 2
    assert "--models" in ran.err


def test_a_card_for_each_thinking_needs_a_run_that_says_which(folder: Path) -> None:
    card = {"model": "m"}
    line = {"case": "c-1", "task": 0, "replies": [], "setting": {"model": "m"}}
    (folder / "p.jsonl").write_text(json.dumps(line) + "\n")
    write_models(folder, card | {"thinking": "on"}, card | {"thinking": "off"})
    ran = annotator("score", "cases.jsonl", "p.jsonl", "-o", "s", "--models", "models.toml", cwd=folder)
    assert ran.code == 1
    assert "cards of m with different `thinking`" in ran.err
