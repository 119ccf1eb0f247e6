"""The commands that measure print what the functions of the pages compute, and refuse what is no question."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.cases.covering import project_coverage
from annotator.project.workspace import utc_now
from annotator.review.agreeing import AgreementSlice, agreement
from annotator.review.listing import batches
from annotator.review.measuring import samples, stage_report
from scoring.model.taxonomy import Policy
from scoring.rated_cases import RatedField
from tests.annotator.team import Team, team_on, two_step_case
from ui.cli.main import exit_code
from ui.cli.output import plain


@pytest.fixture
def team(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """Two closed rounds, in one of which bob names another policy, and one case that waits."""
    with team_on(str(sqlite_path), tmp_path) as found:
        found.clock.at = utc_now()
        found.bring(two_step_case("c-1"))
        found.bring(two_step_case("c-2"), two_step_case("c-3"), batch="b2")
        for case_id in ("c-1", "c-2"):
            found.self_check("ann", case_id)
        found.cross_check("bob", "c-1", policies={0: Policy.MULTI_MIXED})
        found.cross_check("cleo", "c-1")
        for name in ("bob", "cleo"):
            found.cross_check(name, "c-2")
        yield found


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
    ],
)
def test_agreement_is_printed_as_it_is_computed(
    capsys: pytest.CaptureFixture[str], team: Team, options: tuple[str, ...], where: AgreementSlice
) -> None:
    assert printed(capsys, team, "agreement", *options) == plain(agreement(team["max"], where=where))


def test_one_field_is_one_row(capsys: pytest.CaptureFixture[str], team: Team) -> None:
    (row,) = printed(capsys, team, "agreement", "--field", "policy")
    assert row == plain(next(one for one in agreement(team["max"]) if one.field is RatedField.POLICY))


def test_an_annotator_gets_no_pair_of_others(capsys: pytest.CaptureFixture[str], team: Team) -> None:
    rows = printed(capsys, team, "agreement", person="ann")
    assert {(pair["first"], pair["second"]) for row in rows for pair in row["pairs"]} == {
        ("ann", "bob"),
        ("ann", "cleo"),
    }


@pytest.mark.parametrize(
    ("person", "options", "words"),
    [
        ("max", ("--field", "weather"), "'weather' is no field of agreement"),
        ("max", ("--stage", "expert"), "at cross-check only"),
        ("max", ("--pair", "ann"), "is no pair"),
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


def test_stages_are_printed_as_they_are_computed(capsys: pytest.CaptureFixture[str], team: Team) -> None:
    found = printed(capsys, team, "stages")
    owner = team["max"]
    assert found == plain(
        {"stages": stage_report(owner), "batches": batches(owner), "samples": samples(owner)}
    )


def test_coverage_is_printed_as_it_is_computed(capsys: pytest.CaptureFixture[str], team: Team) -> None:
    found = printed(capsys, team, "coverage", "--batch", "b2")
    computed = project_coverage(team["max"], batch="b2")
    assert found == {
        **plain(computed),
        "missing": [list(route) for route in computed.coverage.missing],
        "uncalled": [],
    }
    assert (found["case_count"], found["coverage"]["total"]["count"]) == (2, 1)
    assert ["single"] in found["missing"]


@pytest.mark.parametrize("command", ["stages", "agreement", "coverage"])
def test_tables_for_people_are_printed_without_a_document(
    capsys: pytest.CaptureFixture[str], team: Team, command: str
) -> None:
    assert exit_code([command, "-p", team.url, "--as", "max"]) == 0
    shown = capsys.readouterr().out
    words = {
        "stages": ("cross_check", "Stage accuracy", "b2", "no case is final"),
        "agreement": ("policy", "kappa", "undefined"),
        "coverage": ("3 cases, 3 tasks", "findParcel", "single", "more; --json lists them all"),
    }[command]
    assert all(word in shown for word in words), shown
