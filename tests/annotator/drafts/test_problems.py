"""The walk through what is to settle, from wherever somebody went meanwhile."""

from dataclasses import replace
from typing import Any

import pytest

from annotator.drafts.problems import Problem, findings_words, next_problem
from scoring.model.labels import Finding
from scoring.model.taxonomy import Severity


def stop(kind: Any, task: int | None, step: int | None = None) -> Problem:
    """Something that stops the submission."""
    return Problem(kind=kind, message="", is_blocking=True, task=task, step=step)


WALK = (stop("evidence", 0, 1), stop("checklist", 0), stop("evidence", 1, 0), stop("judgment", 1, 2))


@pytest.mark.parametrize(
    ("at", "back", "found"),
    [
        ((0, -1), False, 0),
        ((0, 1), False, 0),  # a problem at that very place counts
        ((0, 2), False, 1),  # what a task as a whole misses is not behind its steps
        ((1, 0), False, 2),
        ((1, 1), False, 3),
        ((1, 3), False, 0),  # round
        ((1, 2), True, 2),
        ((1, 0), True, 1),
        ((0, 1), True, 3),  # round the other way
    ],
)
def test_the_walk_goes_on_from_where_somebody_went(at: tuple[int, int], back: bool, found: int) -> None:
    assert next_problem(WALK, WALK[0], at=at, back=back) == WALK[found]


def test_a_clash_comes_first_wherever_somebody_is() -> None:
    clash = stop("clash", 0, 0)
    for back in (False, True):
        assert next_problem((clash, *WALK), WALK[0], at=(1, 1), back=back) == clash


def test_the_walk_begins_at_the_end_when_it_goes_back() -> None:
    assert next_problem(WALK, None, back=True) == WALK[-1]


def test_a_problem_that_is_settled_gives_way_to_the_other_at_its_place() -> None:
    settled, other = (replace(WALK[0], path=path) for path in ("/depot", "/days"))
    assert next_problem((other, *WALK[1:]), settled) == other


def test_open_findings_are_counted_by_how_much_they_matter() -> None:
    def found(*severities: Severity) -> list[Finding]:
        return [Finding(rule="r", severity=severity, message="") for severity in severities]

    error, warning, note = Severity.ERROR, Severity.WARNING, Severity.INFO
    assert findings_words(found(warning, error, warning, note)) == "1 error, 2 warnings"
    assert findings_words(found(note)) == ""
