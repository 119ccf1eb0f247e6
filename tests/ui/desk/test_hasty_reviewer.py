"""What a reviewer who takes the first offer everywhere lets pass: the report in docs/hasty_reviewer.md."""

from pathlib import Path

import pytest

from annotator.resources import resource_path
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.model.case import Case
from tests.shared import ROOT
from tests.ui.desk.planted_defects import KINDS, PER_KIND, Outcome, Result, report, run_experiment

REPORT = ROOT / "docs" / "hasty_reviewer.md"


def sample_cases() -> tuple[Case, ...]:
    """The bundled cases as they should be in the end."""
    found: dict[str, Case] = {}
    for name in ("cases.jsonl", "corrections.jsonl"):
        for read in read_cases(Path(resource_path("samples", name))):
            assert isinstance(read, ReadCase)
            found[read.case.id] = read.case
    return tuple(found.values())


@pytest.fixture(scope="module")
def results(qapp: object) -> tuple[Result, ...]:
    """What became of every defect; takes about half a minute."""
    return run_experiment(sample_cases())


@pytest.mark.slow
def test_eighty_defects_are_planted_into_cases_that_pass_without_them(results: tuple[Result, ...]) -> None:
    assert len(results) == len(KINDS) * PER_KIND == 80


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.why], ids=lambda kind: kind.name)
def test_every_defect_the_program_can_prove_is_stopped_or_repaired(
    results: tuple[Result, ...], kind: object
) -> None:
    found = [one for one in results if one.kind is kind]
    assert [one.case_id for one in found if one.outcome is Outcome.PASSED] == []


@pytest.mark.slow
def test_the_report_says_what_passed_and_why_only_a_person_can_see_it(results: tuple[Result, ...]) -> None:
    # When it is meant to differ: write the text on the left into the file, and read it.
    assert report(results) == REPORT.read_text(encoding="utf-8")
