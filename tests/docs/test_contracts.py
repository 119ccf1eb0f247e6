"""The examples of contracts.md are what the program reads and writes."""

import json
import re
from pathlib import Path

import pytest

from annotator.cases.file_import import ImportReport
from annotator.release.runs.model_cards import read_models
from annotator.review.expert.decisions import Decision
from scoring.matching.task_scores import TaskScore
from scoring.model.labels import Judgment
from scoring.model_card import CARD_FIELDS
from scoring.predictions import InfraError, read_prediction
from scoring.scorecard import Scorecard
from tests.shared import ROOT

PAGE = (ROOT / "docs" / "reference" / "contracts.md").read_text(encoding="utf-8")
PARTS = dict(re.findall(r"^## \d+\. (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def blocks(part: str, kind: str = "") -> list[str]:
    """The fenced blocks of one part of the page."""
    return re.findall(rf"^```{kind}\n(.*?)^```", PARTS[part], re.MULTILINE | re.DOTALL)


def test_the_prediction_is_read_with_everything_it_says() -> None:
    (text,) = blocks("Predictions", "json")
    line = json.loads(text)
    found = read_prediction(line)
    assert (found.case, found.task, found.error) == ("c-001", 0, None)
    first, last = found.replies
    said = first.model_dump(mode="json", exclude={"content", "tool_calls"})
    assert said == {key: line["replies"][0][key] for key in said}
    assert [call.name for call in first.tool_calls] == ["getForecast"]
    assert last.content == "Sunny."
    failed = read_prediction({**line, "error": {"kind": "timeout", "message": "60 s"}})
    assert failed.error == InfraError(kind="timeout", message="60 s")


@pytest.mark.parametrize(("part", "record"), [("Judgment", Judgment), ("Decision", Decision)])
def test_judgment_and_decision_are_read(part: str, record: type[Judgment | Decision]) -> None:
    (text,) = blocks(part, "json")
    assert set(json.loads(text)) == set(record.model_fields)
    record.model_validate_json(text)


def test_the_models_are_read_with_everything_that_is_said_of_them(tmp_path: Path) -> None:
    (text,) = blocks("Models", "toml")
    path = tmp_path / "models.toml"
    path.write_text(text, encoding="utf-8")
    whole, closed = (one.card for one in read_models(path))
    assert {name for name in CARD_FIELDS if whole.words(name)} == set(CARD_FIELDS)
    assert closed.note == "closed"


def test_the_names_of_the_scorecard_and_of_the_import_report_are_those_of_the_program() -> None:
    card, task = (block.split() for block in blocks("Scorecard"))
    assert card == list(Scorecard.model_fields)
    assert task == list(TaskScore.model_fields)
    (report,) = (block.split() for block in blocks("Import"))
    assert set(report) == set(ImportReport().model_dump())
