"""The script of contracts 9 runs as it stands, on what people said of three cases."""

import io
import json
import re
import sys
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from annotator import api
from scoring.model.case import Answer, Call, Case, dump_case
from tests.annotator.team import approval, two_round_case
from tests.e2e.command import FLOOR
from tests.scripted_model.agents import perfect, script_of
from tests.scripted_model.server import ScriptedModel
from tests.shared import ROOT

SCRIPT, LOOP = re.findall(
    r"^```python\n(.*?)^```", (ROOT / "docs" / "reference" / "contracts.md").read_text("utf-8"), re.M | re.S
)


def replies(case: Case, task: int) -> list[dict[str, Any]]:
    """What a model says that takes a task's steps one after the other."""
    said: list[dict[str, Any]] = []
    for step in case.tasks[task].steps:
        if isinstance(step, Call):
            function = {"name": step.name, "arguments": json.dumps(step.arguments)}
            said.append({"content": None, "tool_calls": [{"id": str(len(said)), "function": function}]})
        elif isinstance(step, Answer):
            said.append({"content": step.text})
    return said


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three cases, what people said of each (c-2 went to the expert), and the replies of a model."""
    cases = [two_round_case(f"c-{number}") for number in (1, 2, 3)]
    for name in ("judgments", "decisions"):
        (tmp_path / name).mkdir()
    for case in cases:
        body = approval(case).model_dump(mode="json", by_alias=True)
        if case.id == "c-2":
            body |= {"verdict": "escalate", "reasons": [{"category": "other", "note": "look"}]}
        (tmp_path / "judgments" / f"{case.id}.json").write_text(json.dumps(body))
    (tmp_path / "decisions" / "c-2.json").write_text('{"verdict": "reject", "note": "unusable"}')
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(dump_case(case)) + "\n" for case in cases))
    lines = [
        {"case": case.id, "task": task, "replies": replies(case, task)}
        for case in cases
        for task in range(len(case.tasks))
    ]
    (tmp_path / "predictions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def run(folder: Path, source: str = SCRIPT) -> list[str]:
    """Run the script in a folder; in the tree the package has another name."""
    if FLOOR == "ui":
        for installed, here in (
            ("annotator_workbench import", "annotator import"),
            ("annotator_workbench.", ""),
        ):
            source = source.replace(f"from {installed}", f"from {here}")
    printed = io.StringIO()
    with chdir(folder), redirect_stdout(printed):
        exec(compile(source, "contracts 9", "exec"), {"__name__": "__main__"})
    return printed.getvalue().splitlines()


def test_the_script_of_the_page_judges_freezes_and_scores(folder: Path) -> None:
    assert run(folder) == [
        "3 imported, 0 rejected",
        "c-1 is final",
        "c-2 is escalated",
        "c-3 is final",
        "2 frozen",
        "1.0",
    ]


def test_a_script_hears_in_sentences_what_is_refused(folder: Path) -> None:
    run(folder)
    with pytest.raises(api.AnnotatorError) as caught:
        run(folder)
    assert "team.db" in caught.value.message
    assert caught.value.hint


def test_the_script_is_as_short_as_the_page_promises() -> None:
    assert len(SCRIPT.splitlines()) <= 35
    assert set(re.findall(r"api\.(\w+)", SCRIPT)) <= set(api.__all__) <= set(dir(sys.modules[api.__name__]))


def test_the_loop_of_the_page_asks_a_model_and_writes_its_predictions(folder: Path) -> None:
    run(folder)
    (folder / "predictions.jsonl").unlink()
    gold = api.load_gold(folder / "release")
    with ScriptedModel(script_of(perfect, tuple(gold.cases.values()))) as model:
        run(folder, LOOP.replace("http://localhost:8000/v1", model.base_url))
    card = api.evaluate(gold, [folder / "predictions.jsonl"], context=api.JobContext())
    assert (card.summary.predictions, card.summary.task_accuracy) == (len(gold.golds), 1.0)
    assert all(task.optimal for task in card.tasks)
