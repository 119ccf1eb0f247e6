"""The commands that measure print what the functions of the pages compute, and refuse what is no question."""

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from annotator.cases.coverage import project_coverage, project_statistics
from annotator.project.workspace import open_workspace, utc_now
from annotator.review.batches import set_due
from annotator.review.measures.attention import attention
from annotator.review.measures.progress import outlooks, samples, stage_report
from annotator.review.measures.rater_agreement import OUTCOMES, AgreementSlice, agreement
from annotator.review.queue.case_rows import batches
from scoring.agreement.rated_cases import RatedField
from scoring.model.case import dump_case
from scoring.model.taxonomy import Information, Policy, Stage
from tests.annotator.team import Clock, Team, team_on, two_step_case
from tests.conftest import Template
from tests.factories import answer, call, case, task
from ui.cli.main import exit_code
from ui.cli.output import json_text


def walk(folder: Path, empty: Path) -> None:
    with team_on(str(shutil.copy(empty, folder / "team.db")), folder) as found:
        found.clock.at = utc_now()
        found.bring(two_step_case("c-1"))
        found.bring(two_step_case("c-2"), two_step_case("c-3"), batch="b2")
        for case_id in ("c-1", "c-2"):
            found.self_check("ann", case_id)
        found.cross_check("bob", "c-1", policies={0: Policy.MULTI_MIXED})
        found.cross_check("cleo", "c-1")
        for name in ("bob", "cleo"):
            found.cross_check(name, "c-2")


@pytest.fixture
def team(template: Template, _sqlite_template: Path, tmp_path: Path) -> Iterator[Team]:
    """Two closed rounds, in one of which bob names another policy, and one case that waits."""
    walked = template("measured", lambda folder: walk(folder, _sqlite_template)) / "team.db"
    found = Team(url=str(shutil.copy(walked, tmp_path)), folder=tmp_path, clock=Clock())
    found.clock.at = utc_now()
    yield found
    for workspace in found.workspaces.values():
        workspace.close()


def _as_printed(value: object) -> Any:
    """A value as whoever reads the printed JSON gets it."""
    return json.loads(json_text(value))


def printed(capsys: pytest.CaptureFixture[str], team: Team, *arguments: str, person: str = "max") -> Any:
    assert exit_code([*arguments, "-p", team.url, "--as", person, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ((), AgreementSlice()),
        (("--stage", "cross_check"), AgreementSlice()),
        (("--pair", "ann,bob"), AgreementSlice(pair=("ann", "bob"))),
        (("--person", "cleo"), AgreementSlice(person="cleo")),
        (("--batch", "b2"), AgreementSlice(batch="b2")),
        (("--policy", "multi_serial"), AgreementSlice(policy=Policy.MULTI_SERIAL)),
        (("--stage", "approved"), AgreementSlice(outcome=Stage.APPROVED)),
        (("--stage", "escalated"), AgreementSlice(outcome=Stage.ESCALATED)),
        (("--stage", "returned"), AgreementSlice(outcome=Stage.RETURNED)),
    ],
)
def test_agreement_is_printed_as_it_is_computed(
    capsys: pytest.CaptureFixture[str], team: Team, options: tuple[str, ...], where: AgreementSlice
) -> None:
    assert printed(capsys, team, "agreement", *options) == _as_printed(
        {"version": 2, "rows": agreement(team["max"], where=where)}
    )


def test_one_field_is_one_row(capsys: pytest.CaptureFixture[str], team: Team) -> None:
    (row,) = printed(capsys, team, "agreement", "--field", "policy")["rows"]
    assert row == _as_printed(next(one for one in agreement(team["max"]) if one.field is RatedField.POLICY))


def test_ratings_are_written_into_a_file_or_printed(
    capsys: pytest.CaptureFixture[str], team: Team, tmp_path: Path
) -> None:
    file = tmp_path / "ratings.csv"
    done = printed(capsys, team, "agreement", "--raw", str(file), "--field", "policy")
    lines = file.read_text(encoding="utf-8").splitlines()
    assert done == {"version": 2, "ratings": len(lines) - 1, "file": str(file)}
    assert lines[0] == "case,batch,round,closed_at,task,field,unit,rater,value"
    assert exit_code(["agreement", "--raw", "-", "--field", "policy", "-p", team.url, "--as", "max"]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == lines
    assert "ratings written" in said.err
    assert exit_code(["agreement", "--raw", "-", "--json", "-p", team.url, "--as", "max"]) == 2
    assert exit_code(["agreement", "--raw", str(tmp_path), "-p", team.url, "--as", "max"]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_an_annotator_gets_no_pair_of_others(capsys: pytest.CaptureFixture[str], team: Team) -> None:
    rows = printed(capsys, team, "agreement", person="ann")["rows"]
    assert {(pair["first"], pair["second"]) for row in rows for pair in row["pairs"]} == {
        ("ann", "bob"),
        ("ann", "cleo"),
    }


@pytest.mark.parametrize(
    ("person", "options", "words"),
    [
        ("max", ("--field", "weather"), "'weather' is not a field of agreement"),
        ("max", ("--stage", "expert"), "no agreement at expert: one expert alone"),
        ("max", ("--pair", "bob,nobody"), "Nobody is called 'nobody'"),
        ("max", ("--person", "nobody"), "Nobody is called 'nobody'"),
        ("max", ("--batch", "nope"), "There is no batch 'nope'"),
        ("max", ("--pair", "ann"), "is not a pair"),
        ("dan", ("--pair", "ann,bob"), "for them, experts and managers"),
    ],
)
def test_what_is_no_question_is_refused(
    capsys: pytest.CaptureFixture[str], team: Team, person: str, options: tuple[str, ...], words: str
) -> None:
    assert exit_code(["agreement", *options, "-p", team.url, "--as", person]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err


def test_where_the_cases_went_parts_the_units_of_the_cross_check(
    capsys: pytest.CaptureFixture[str], team: Team
) -> None:
    used = {}
    for stage in ("cross_check", "approved", "escalated", "returned"):
        # ann owns all of them and sees what was said, whoever is still to decide the escalated one.
        (row,) = printed(capsys, team, "agreement", "--stage", stage, "--field", "policy", person="ann")[
            "rows"
        ]
        used[stage] = row["coefficients"]["percent"]["used"]
    # bob named another policy in c-1, which went to the expert; c-2 was approved.
    assert used == {"cross_check": 2, "approved": 1, "escalated": 1, "returned": 0}


@pytest.mark.parametrize("stage", [one for one in Stage if one not in (Stage.CROSS_CHECK, *OUTCOMES)])
def test_a_stage_without_table_says_why_in_one_sentence(
    capsys: pytest.CaptureFixture[str], team: Team, stage: Stage
) -> None:
    assert exit_code(["agreement", "--stage", stage, "-p", team.url, "--as", "max", "--json"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert f"There is no agreement at {stage}: " in said.err
    assert "Stages with a table: cross_check, approved, escalated, returned" in said.err


def test_a_slice_without_rounds_says_so_instead_of_a_table(
    capsys: pytest.CaptureFixture[str], team: Team
) -> None:
    assert exit_code(["agreement", "--stage", "returned", "-p", team.url, "--as", "ann"]) == 0
    said = capsys.readouterr().out
    assert said == "No closed round of cross-check in this slice has anything to compare.\n"


def test_coverage_of_a_batch_that_is_not_there_is_refused(
    capsys: pytest.CaptureFixture[str], team: Team
) -> None:
    assert exit_code(["coverage", "--batch", "nope", "-p", team.url, "--as", "max"]) == 1
    said = capsys.readouterr()
    assert (said.out, "There is no batch 'nope'" in said.err) == ("", True)


def test_whatever_is_missing_of_a_figure_has_its_reason_in_the_document(
    capsys: pytest.CaptureFixture[str], team: Team
) -> None:
    rows = printed(capsys, team, "agreement")["rows"]
    found = [figure for row in rows for figure in row["coefficients"].values()]
    assert any(figure["low"] is None and figure["value"] is not None for figure in found)
    for figure in found:
        assert (figure["value"] is None) == bool(figure["undefined"])
        assert (figure["low"] is None) == bool(figure["no_interval"])
    pairs = [figure for row in rows for pair in row["pairs"] for figure in pair["coefficients"].values()]
    assert all(figure["no_interval"] for figure in pairs)


def test_a_missing_interval_has_its_reason_in_the_table(
    capsys: pytest.CaptureFixture[str], team: Team
) -> None:
    options = ("--pair", "ann,bob", "--field", "policy", "--all")
    assert exit_code(["agreement", *options, "-p", team.url, "--as", "ann"]) == 0
    shown = capsys.readouterr().out
    assert "kappa" in shown
    # Two tasks, of which bob differs on one: a quarter of the samples hold the agreeing one alone.
    assert re.search(r"no interval: 2\d\d of 1,000 samples undefined", shown)


def test_stages_are_printed_as_they_are_computed(capsys: pytest.CaptureFixture[str], team: Team) -> None:
    found = printed(capsys, team, "stages")
    owner = team["max"]
    with closing(open_workspace(team.url, "max")) as today:  # by the clock the command goes by
        ahead = outlooks(today)
    assert found == _as_printed(
        {
            "version": 2,
            "stages": stage_report(owner),
            "batches": batches(owner),
            "outlooks": ahead,
            "samples": samples(owner),
            "attention": attention(owner),
        }
    )


def test_coverage_is_printed_as_it_is_computed(capsys: pytest.CaptureFixture[str], team: Team) -> None:
    found = printed(capsys, team, "coverage", "--batch", "b2")
    computed = project_coverage(team["max"], batch="b2")
    assert found == {
        "version": 2,
        **_as_printed(computed),
        "missing": [list(route) for route in computed.coverage.missing],
        "uncalled": [],
    }
    assert (found["case_count"], found["coverage"]["total"]["count"]) == (2, 1)
    assert ["single"] in found["missing"]


def test_a_project_and_a_file_are_described_side_by_side(
    capsys: pytest.CaptureFixture[str], team: Team, tmp_path: Path
) -> None:
    path = tmp_path / "other.jsonl"
    other = case(task(call(), answer(), policy=Policy.SINGLE, information=Information.FIRST))
    path.write_text(json.dumps(dump_case(other)) + "\n[]\n", encoding="utf-8")
    name = team["max"].name()
    described = project_statistics(team["max"])
    found = printed(capsys, team, "stats", str(path))["sets"]
    assert list(found) == [name, "other"]
    assert found[name] == described.model_dump(mode="json")
    assert (found["other"]["cases"], found["other"]["policies"]) == (1, {"single": 1})
    out, pictures = tmp_path / "stats.tex", tmp_path / "pictures"
    written = ["--format", "latex", "-o", str(out), "--pictures", str(pictures)]
    assert exit_code(["stats", str(path), "-p", team.url, "--as", "max", *written]) == 0
    said = capsys.readouterr()
    assert f"{path}: 1 line could not be read." in said.err
    assert f"written to {out}." in said.out
    assert r"related later tasks \%" in out.read_text(encoding="utf-8")
    assert {file.suffix for file in pictures.iterdir()} == {".png", ".svg", ".pdf"}


def test_a_digest_is_printed_as_text_and_as_a_page(capsys: pytest.CaptureFixture[str], team: Team) -> None:
    team.bring(two_step_case("c-4"), batch="<b>late & lost</b>")
    set_due(team["max"], "<b>late & lost</b>", due=date(2026, 11, 1))
    lines = printed(capsys, team, "digest", "--since", "2w")["lines"]
    late = next(line["text"] for line in lines if "<b>late & lost</b> may miss 2026-11-01" in line["text"])
    for options, head, line in (
        ((), "\nTo do now\n- ", f"- {late}\n"),
        (("--html",), "<h2>To do now</h2><ul><li>", "Batch &lt;b&gt;late &amp; lost&lt;/b&gt; may miss"),
    ):
        assert exit_code(["digest", "-p", team.url, "--as", "max", *options]) == 0
        shown = capsys.readouterr().out
        assert head in shown
        assert line in shown
    assert exit_code(["digest", "-p", team.url, "--as", "dan", "--since", "soon"]) == 1
    assert "'soon' is no time to look back." in capsys.readouterr().err


def test_a_digest_without_news_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    at = ["-p", str(tmp_path / "team.db"), "--as", "ana"]
    assert exit_code(["init", at[1], "--as", "ana"]) == 0
    assert exit_code(["policy", "set", "solo=true", *at]) == 0
    capsys.readouterr()
    assert exit_code(["digest", *at]) == 0
    assert capsys.readouterr().out.endswith("Nothing to say\n- No news, and nothing waits for you.\n")


def test_one_case_is_one_case(capsys: pytest.CaptureFixture[str], team: Team) -> None:
    assert exit_code(["coverage", "--batch", "b1", "-p", team.url, "--as", "max"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("1 case, 1 task, ")
    assert "\n1 task " in said


@pytest.mark.parametrize("command", ["stages", "agreement", "coverage"])
def test_tables_for_people_are_printed_without_a_document(
    capsys: pytest.CaptureFixture[str], team: Team, command: str
) -> None:
    assert exit_code([command, "-p", team.url, "--as", "max"]) == 0
    shown = capsys.readouterr().out
    words = {
        "stages": ("cross_check", "Stage accuracy", "b2", "no case is final"),
        "agreement": ("policy", "alpha", "undefined", "Too few to tell: 1 of 2 differ."),
        "coverage": ("3 cases, 3 tasks", "findParcel", "single", "more; --json lists them all"),
    }[command]
    assert all(word in shown for word in words), shown
