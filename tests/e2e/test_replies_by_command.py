"""`annotator replies`: what is said where a rule picks nothing or a run is of other cases."""

from pathlib import Path

import pytest

from scoring.model.case import dump_case
from scoring.model.record import to_json
from tests.annotator.release.weather import weather
from tests.e2e.command import annotator


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two cases, a run that says nothing useful of their first tasks, and one of another case."""
    cases = (to_json(dump_case(weather(number))) + "\n" for number in (1, 2))
    (tmp_path / "cases.jsonl").write_text("".join(cases))
    for file, ids in (("wrong", ("c-1", "c-2")), ("other", ("x-7", "x-8"))):
        lines = ({"case": one, "task": 0, "replies": [{"content": "Hm."}]} for one in ids)
        (tmp_path / f"{file}.jsonl").write_text("".join(to_json(line) + "\n" for line in lines))
    return tmp_path


@pytest.mark.parametrize("what", ["all-fail", "c-1"])
@pytest.mark.parametrize("runs", [("other.jsonl",), ("wrong.jsonl", "other.jsonl")])
def test_a_run_of_other_cases_is_named_with_the_next_step(
    folder: Path, what: str, runs: tuple[str, ...]
) -> None:
    ran = annotator("replies", what, "cases.jsonl", *runs, cwd=folder)
    assert ran.code == 1
    assert "other.jsonl answers none of the cases: its first is x-7." in ran.err
    assert "Name the release or file of cases that this run was asked." in ran.err


def test_a_rule_that_picks_nothing_says_which_tasks_it_looked_at(folder: Path) -> None:
    ran = annotator("replies", "one-fails", "cases.jsonl", "wrong.jsonl", cwd=folder)
    assert ran.code == 1
    assert "one-fails picks no task among those that every run answered." in ran.err
    assert "--task" not in ran.err  # nobody typed it
    assert "Name another rule, or a case." in ran.err


def test_a_number_beyond_the_picked_tasks_says_how_many_there_are(folder: Path) -> None:
    ran = annotator("replies", "all-fail", "cases.jsonl", "wrong.jsonl", "--task", 2, cwd=folder)
    assert ran.code == 1
    assert "all-fail picks 2 tasks; --task counts them from 0." in ran.err
