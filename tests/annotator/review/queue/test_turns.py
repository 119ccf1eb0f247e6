"""In which order cases are given out: by priority, then by the day their batch is due, then by age."""

from datetime import date

import pytest

from annotator.jobs import JobContext
from annotator.review.batches import move_cases, set_due
from annotator.review.bulk_changes import BulkAction, BulkChange, change_cases
from annotator.review.queue.assignments import hand_case, set_priority
from annotator.review.queue.case_rows import CaseFilter, list_cases
from annotator.review.queue.claims import claim_next, leave
from scoring.errors import ForbiddenError, InputError
from scoring.model.taxonomy import Priority, Stage, Verdict
from tests.annotator.team import Team, two_step_case

SOON, LATER = date(2026, 12, 1), date(2026, 12, 24)


@pytest.fixture
def waiting(team: Team) -> Team:
    """Two cases of nobody in each of three batches, the oldest first."""
    for number in (1, 2, 3):
        cases = (two_step_case(f"c-{number}{letter}") for letter in "ab")
        team.bring(*cases, batch=f"b{number}")
    return team


def _turns(team: Team, name: str = "ann", stage: Stage | None = None) -> list[str]:
    """What is given out, one after the other, until nothing is left."""
    found = []
    while (held := claim_next(team[name], stage=stage).value) is not None:
        found.append(held.case_id)
        leave(team[name], held.id, skip=True, reason="the next one")
    return found


def _mark(team: Team, **priorities: str) -> None:
    for case_id, priority in priorities.items():
        set_priority(team["max"], case_id.replace("_", "-"), to=priority)


def test_high_priority_comes_first_and_low_priority_last(waiting: Team) -> None:
    _mark(waiting, c_1a="low", c_2b="high", c_3a="high")
    assert _turns(waiting) == ["c-2b", "c-3a", "c-1b", "c-2a", "c-3b", "c-1a"]


def test_of_one_priority_the_batch_that_is_due_first_comes_first(waiting: Team) -> None:
    set_due(waiting["max"], "b3", due=SOON)
    set_due(waiting["max"], "b2", due=LATER)
    _mark(waiting, c_1b="high", c_3a="low")
    assert _turns(waiting) == ["c-1b", "c-3b", "c-2a", "c-2b", "c-1a", "c-3a"]


def test_a_day_that_is_taken_back_counts_no_more_and_priorities_stay(waiting: Team) -> None:
    _mark(waiting, c_3b="high", c_3a="low")
    for due in (SOON, None):
        set_due(waiting["max"], "b3", due=due)
    assert _turns(waiting) == ["c-3b", "c-1a", "c-1b", "c-2a", "c-2b", "c-3a"]


def test_a_case_has_the_day_of_the_batch_it_comes_into(waiting: Team) -> None:
    set_due(waiting["max"], "b2", due=LATER)
    set_due(waiting["max"], "b3", due=SOON)
    _mark(waiting, c_1b="high")
    move_cases(waiting["max"], ["c-1b", "c-2b"], to="b3")
    waiting.bring(two_step_case("c-3c"), batch="b3")
    assert _turns(waiting) == ["c-1b", "c-2b", "c-3a", "c-3b", "c-3c", "c-2a", "c-1a"]


def test_a_case_that_is_imported_later_has_the_priority_of_most_cases_of_its_batch(waiting: Team) -> None:
    waiting.bring(two_step_case("c-3c"), batch="b3")
    _mark(waiting, c_1a="high", c_1b="high", c_2a="high", c_3a="low", c_3b="low")
    for number in (1, 2, 3):
        waiting.bring(two_step_case(f"c-{number}d"), batch=f"b{number}")
    found = {row.case_id: row.priority for row in list_cases(waiting["max"], CaseFilter())}
    # b2 has one of high and one of normal priority: the higher counts. In b3 two of three are low.
    assert [found[f"c-{number}d"] for number in (1, 2, 3)] == ["high", "high", "low"]


def test_cases_are_listed_by_priority_and_in_its_order(waiting: Team) -> None:
    _mark(waiting, c_1b="low", c_2b="high", c_3a="high")

    def listed(**where: object) -> list[str]:
        return [row.case_id for row in list_cases(waiting["max"], CaseFilter(**where))]  # type: ignore[arg-type]

    assert listed(order="priority") == ["c-2b", "c-3a", "c-1a", "c-2a", "c-3b", "c-1b"]
    assert listed(order="-priority") == listed(order="priority")[::-1]
    assert listed(priorities=(Priority.HIGH, Priority.LOW), order="case") == ["c-1b", "c-2b", "c-3a"]
    assert listed(priorities=(Priority.NORMAL,), batch="b2") == ["c-2a"]


def test_self_checks_and_cross_checks_stand_in_one_line(waiting: Team) -> None:
    waiting.self_check("bob", "c-1a")
    assert _turns(waiting, "cleo")[0] == "c-1a"
    _mark(waiting, c_2a="high")
    assert _turns(waiting, "dan")[:2] == ["c-2a", "c-1a"]


def test_experts_get_what_they_were_handed_then_what_is_urgent(team: Team) -> None:
    for number in (1, 2, 3):
        _escalate(team, f"c-{number}")
    _mark(team, c_2="high")
    hand_case(team["max"], "c-3", to="eve")
    assert _turns(team, "eve") == ["c-3", "c-2", "c-1"]


def _escalate(team: Team, case_id: str) -> None:
    team.bring(two_step_case(case_id))
    team.self_check("ann", case_id)
    for name in ("bob", "cleo"):
        team.cross_check(name, case_id, verdict=Verdict.ESCALATE)


def test_what_is_begun_and_returned_comes_before_any_priority(waiting: Team) -> None:
    held = claim_next(waiting["ann"]).value
    assert held is not None
    _mark(waiting, c_3a="high")
    again = claim_next(waiting["ann"]).value
    assert again is not None
    assert again.case_id == held.case_id


def test_all_cases_of_a_batch_get_a_priority_that_the_queue_shows(waiting: Team) -> None:
    change = BulkChange(action=BulkAction.PRIORITY, value="high")
    where = CaseFilter(batch="b2", order="case")
    _mark(waiting, c_2a="high")
    done = change_cases(waiting["max"], where, change=change, context=JobContext())
    assert (done.changed, done.already, done.refused) == (1, 1, {})
    assert [row.priority for row in list_cases(waiting["max"], where)] == [Priority.HIGH] * 2
    [other, _] = list_cases(waiting["max"], CaseFilter(batch="b1"))
    assert other.priority is Priority.NORMAL


def test_only_managers_set_one_of_three_priorities(waiting: Team) -> None:
    with pytest.raises(InputError, match="'soon' is not a priority") as refused:
        set_priority(waiting["max"], "c-1a", to="soon")
    assert refused.value.hint == "Priorities: high, normal, low."
    with pytest.raises(ForbiddenError):
        set_priority(waiting["ann"], "c-1a", to="high")
