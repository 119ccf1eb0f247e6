"""Scoring files against files: which cases and tasks count, and how they are matched."""

import csv
from pathlib import Path

from annotator.release.runs.evaluation import TASKS_CSV, write_scorecard
from scoring.model.taxonomy import Policy
from tests.annotator.release.cards import card, scored


def test_tasks_judged_by_different_profiles_stand_in_one_csv(tmp_path: Path) -> None:
    as_c3 = scored().model_copy(update={"analysed_as": Policy.MULTI_PARALLEL})
    write_scorecard(card(scored(), as_c3, scored()), tmp_path)
    with (tmp_path / TASKS_CSV).open(encoding="utf-8", newline="") as file:
        assert [row["analysed_as"] for row in csv.DictReader(file)] == ["", "multi_parallel", ""]
