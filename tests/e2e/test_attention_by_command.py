"""Known-answer cases on the command line: claimed and submitted like any other, then told and measured."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.cases.history import mark_gold
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import utc_now
from scoring.model.case import load_case
from tests.annotator.team import Team, approval, team_on, two_round_case
from ui.cli.main import exit_code


@pytest.fixture
def team(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A project in which c-1 is gold and c-2 waits; every other new case is a known-answer case."""
    policy = ReviewPolicy(attention_share=0.5, cross_check=False, expert_sample=False)
    with team_on(str(sqlite_path), tmp_path, policy=policy) as found:
        found.clock.at = utc_now()
        found.bring(two_round_case("c-1"), two_round_case("c-2"))
        found.self_check("ann", "c-1")
        mark_gold(found["eve"], "c-1", gold=True)
        yield found


def run(capsys: pytest.CaptureFixture[str], team: Team, *arguments: object, person: str = "bob") -> str:
    """Run a command in somebody's name and give what it printed."""
    assert exit_code([*map(str, arguments), "-p", team.url, "--as", person]) == 0
    return capsys.readouterr().out


def submit_next(capsys: pytest.CaptureFixture[str], team: Team) -> tuple[dict[str, Any], str]:
    """Take the next case and approve it; gives what was shown of it, and what was said then."""
    shown = json.loads(run(capsys, team, "review", "next"))
    file = team.folder / "judgment.json"
    judgment = approval(load_case(shown["case"]))
    file.write_text(judgment.model_dump_json(by_alias=True), encoding="utf-8")
    return shown, run(capsys, team, "review", "submit", shown["assignment"], "--file", file)


def test_the_command_tells_what_was_planted_and_the_rate(
    capsys: pytest.CaptureFixture[str], team: Team
) -> None:
    shown, said = submit_next(capsys, team)
    assert shown["case"]["id"] not in ("c-1", "c-2")
    assert "This was a known-answer case" in said
    assert "It was not caught." in said
    tables = run(capsys, team, "stages", person="max")
    assert "Attention" in tables
    assert "bob" in tables
    found = json.loads(run(capsys, team, "stages", "--json", person="max"))["attention"]
    total = found["rates"][0]
    assert (total["person"], total["kind"]) == ("bob", None)
    assert total["caught"] == {"value": 0.0, "count": 0, "total": 1}
    # Wilson, 0 of 1: high = z² / (1 + z²) = 3.8415 / 4.8415
    assert total["interval"]["high"] == pytest.approx(0.7935, abs=1e-4)


def test_the_next_submission_says_where_its_case_went(capsys: pytest.CaptureFixture[str], team: Team) -> None:
    submit_next(capsys, team)
    shown, said = submit_next(capsys, team)
    assert shown["case"]["id"] == "c-2"
    assert "c-2 is at stage" in said


def test_a_share_without_gold_cases_is_warned_of_when_it_is_set(
    capsys: pytest.CaptureFixture[str], team: Team
) -> None:
    mark_gold(team["eve"], "c-1", gold=False)
    assert exit_code(["policy", "set", "attention_share=5%", "-p", team.url, "--as", "max"]) == 0
    printed = capsys.readouterr()
    assert "no final case is marked gold" in printed.out + printed.err


def test_more_than_half_is_refused(capsys: pytest.CaptureFixture[str], team: Team) -> None:
    assert exit_code(["policy", "set", "attention_share=60%", "-p", team.url, "--as", "max"]) != 0
    assert "a share from 0 to 0.5 or 0% to 50%" in capsys.readouterr().err
