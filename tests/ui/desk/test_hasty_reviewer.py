"""What a reviewer who takes the first offer everywhere lets pass: the report in docs/hasty_reviewer.md."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import QApplication

from annotator.resources import resource_path
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.model.case import Case
from tests.shared import ROOT, SHARED, needs_shared
from tests.ui.desk.hasty_presser import PRESSES, Desk, Pace, Pressed, press_through, presses_report
from tests.ui.desk.planted_defects import KINDS, PER_KIND, Outcome, Result, report, run_experiment
from ui.services.operations import Operations

REPORT = ROOT / "docs" / "hasty_reviewer.md"
_LONG = pytest.mark.timeout(2400)
"""Some thousand presses take four minutes, and ten on a busy machine."""


def sample_cases() -> tuple[Case, ...]:
    """The bundled cases as they should be in the end."""
    found: dict[str, Case] = {}
    for name in ("cases.jsonl", "corrections.jsonl"):
        for read in read_cases(Path(resource_path("samples", name))):
            assert isinstance(read, ReadCase)
            found[read.case.id] = read.case
    return tuple(found.values())


def raw_cases(path: Path) -> tuple[Case, ...]:
    """The cases of a file as they come."""
    return tuple(read.case for read in read_cases(path) if isinstance(read, ReadCase))


def page() -> str:
    """The page as it is."""
    return REPORT.read_text(encoding="utf-8")


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


@pytest.fixture
def desk(light: QApplication) -> Iterator[Desk]:
    """A window to press keys in."""
    operations = Operations()
    found = Desk(operations)
    yield found
    shiboken6.delete(found.window)
    operations.close()
    shiboken6.delete(operations)


def press(desk: Desk, cases: Sequence[Case]) -> tuple[Pressed, ...]:
    """Have every case pressed through at every pace; takes some minutes."""
    return tuple(press_through(desk, case, pace) for case in cases for pace in Pace)


@pytest.mark.slow
def test_the_report_says_what_passed_and_why_only_a_person_can_see_it(results: tuple[Result, ...]) -> None:
    # When it is meant to differ: write the text on the left into the file, and read it.
    assert page().startswith(report(results))


@pytest.mark.slow
@_LONG
def test_who_only_presses_confirms_nothing_of_the_samples_that_was_not_on_the_screen(desk: Desk) -> None:
    pressed = press(desk, raw_cases(Path(resource_path("samples", "cases.jsonl"))))
    assert [words for one in pressed for words in one.unseen] == []
    assert sum(one.confirmations for one in pressed if one.pace is Pace.READING) > 50
    assert "\n".join((PRESSES, *presses_report("samples", pressed))) in page()


@pytest.mark.slow
@_LONG
@needs_shared
def test_who_only_presses_confirms_nothing_of_published_cases_that_was_not_on_the_screen(desk: Desk) -> None:
    pressed = press(desk, raw_cases(SHARED / "data" / "published_cases.jsonl"))
    assert [words for one in pressed for words in one.unseen] == []
    assert page().endswith("\n".join((*presses_report("published cases", pressed), "")))
