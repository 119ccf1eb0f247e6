"""A change of many cases: what is looked ahead is what comes of it, each case stands for itself."""

import json
import threading
from collections.abc import Callable

import pytest
from sqlalchemy import select

from annotator.jobs import JobContext, ProgressReport
from annotator.project.people import set_active
from annotator.review.batches import MOVABLE
from annotator.review.bulk_changes import (
    BulkAction,
    BulkChange,
    BulkOutcome,
    change_cases,
    owners_of,
)
from annotator.review.queue.assignments import reassign
from annotator.review.queue.case_rows import CaseFilter, list_cases
from annotator.review.queue.claims import claim_case
from db.engine import disposed, open_engine, writing
from db.tables import CaseHead, Event
from scoring.errors import ForbiddenError
from scoring.model.taxonomy import Stage, Verdict
from tests.annotator.team import Team, two_step_case

TO_BOB = BulkChange(action=BulkAction.ASSIGN, value="bob")
TO_B2 = BulkChange(action=BulkAction.MOVE, value="b2")
BACK = BulkChange(action=BulkAction.RETURN, value="The dates are wrong.")


def _begin(team: Team) -> None:
    """c-1 is nobody's, c-2 bob's, c-3 ann's, c-4 at cross-check, c-5 returned by bob, c-6 escalated."""
    team.bring(*(two_step_case(f"c-{number}") for number in range(1, 7)))
    team.bring(two_step_case("c-7"), batch="b2")
    reassign(team["max"], "c-2", to="bob")
    claim_case(team["ann"], "c-3")
    for case_id, verdict in (("c-4", None), ("c-5", Verdict.RETURN), ("c-6", Verdict.ESCALATE)):
        team.self_check("ann", case_id)
        for name in ("bob", "cleo") if verdict else ():
            team.cross_check(name, case_id, verdict=verdict or Verdict.APPROVE)


@pytest.fixture
def mixed(team: Team) -> Team:
    team.walk(_begin)
    return team


def _plan(team: Team, change: BulkChange) -> BulkOutcome:
    every = CaseFilter(order="case")
    return change_cases(team["max"], every, change=change, context=JobContext(), is_done=False)


def _events(team: Team) -> list[Event]:
    return list(team["max"].read(lambda tx: tx.scalars(select(Event).order_by(Event.seq)).all()))


def _rows(team: Team) -> dict[str, tuple[str | None, str, Stage]]:
    rows = list_cases(team["max"], CaseFilter(order="case"))
    return {row.case_id: (row.owner, row.batch, row.stage) for row in rows}


@pytest.mark.parametrize(
    ("change", "changed", "already", "refused"),
    [
        (
            TO_BOB,
            ["c-1", "c-3", "c-7"],
            1,
            {
                "c-4 is at stage cross_check; an owner can change only before cross-check.": 1,
                "bob has cross-checked c-5 and cannot own it.": 1,
                "c-6 is at stage escalated; an owner can change only before cross-check.": 1,
            },
        ),
        (
            TO_B2,
            ["c-1", "c-2", "c-3"],
            1,
            {
                "c-4 is at stage cross_check: it stays with the cases it was judged with.": 1,
                "c-5 is at stage returned: it stays with the cases it was judged with.": 1,
                "c-6 is at stage escalated: it stays with the cases it was judged with.": 1,
            },
        ),
        (
            BACK,
            ["c-4"],
            1,
            {
                "c-1 is at stage imported; only from cross-check, or approved, it goes back.": 3,
                "c-3 is at stage self_check_task; only from cross-check, or approved, it goes back.": 1,
                "c-6 is at stage escalated; only from cross-check, or approved, it goes back.": 1,
            },
        ),
    ],
    ids=["assign", "move", "return"],
)
def test_what_is_looked_ahead_comes_true_with_an_event_for_each(
    mixed: Team, change: BulkChange, changed: list[str], already: int, refused: dict[str, int]
) -> None:
    before, told = _rows(mixed), len(_events(mixed))
    ahead = _plan(mixed, change)
    cases = ahead.cases
    assert cases == tuple(f"c-{number}" for number in range(1, 8))
    assert (ahead.changed, ahead.already) == (len(changed), already)
    assert (ahead.refused, ahead.left, ahead.is_done) == (refused, 0, False)
    assert (_rows(mixed), len(_events(mixed))) == (before, told)
    done = change_cases(mixed["max"], cases, change=change, context=JobContext())
    assert done == ahead.model_copy(update={"is_done": True})
    after = _rows(mixed)
    assert [case_id for case_id in cases if after[case_id] != before[case_id]] == changed
    events = [event for event in _events(mixed)[told:] if event.actor == "max"]
    assert len(events) == len(changed)
    again = change_cases(mixed["max"], cases, change=change, context=JobContext())
    assert (again.changed, again.already) == (0, already + len(changed))


def test_the_owner_of_what_goes_back_gets_the_reason(mixed: Team) -> None:
    change_cases(mixed["max"], ("c-4",), change=BACK, context=JobContext())
    [row] = list_cases(mixed["max"], CaseFilter(text="c-4"))
    assert (row.stage, row.owner, row.note, row.round) == (Stage.RETURNED, "ann", "The dates are wrong.", 2)
    [event] = _events(mixed)[-1:]
    assert (event.action, event.subject) == ("review:case:return", "case:c-4")
    assert json.loads(event.payload) == {"reason": "The dates are wrong."}


def test_what_changed_meanwhile_does_not_stop_the_others(mixed: Team) -> None:
    ahead = _plan(mixed, TO_BOB)
    mixed.self_check("ann", "c-3")
    done = change_cases(mixed["max"], (*ahead.cases, "c-9"), change=TO_BOB, context=JobContext())
    assert (done.changed, done.already) == (ahead.changed - 1, ahead.already)
    assert done.refused["The project has no case 'c-9'."] == 1
    assert done.refused_cases["The project has no case 'c-9'."] == ("c-9",)
    # c-3 joins c-4: both are named by the first.
    assert done.refused["c-3 is at stage cross_check; an owner can change only before cross-check."] == 2
    assert sorted(done.refused_cases.values()) == [("c-3", "c-4"), ("c-5",), ("c-6",), ("c-9",)]
    assert {reason: len(cases) for reason, cases in done.refused_cases.items()} == done.refused
    assert done.words == (
        "8 cases: 2 changed, 1 had it already, 5 stay.",
        "2 because: c-3 is at stage cross_check; an owner can change only before cross-check.",
        "1 because: bob has cross-checked c-5 and cannot own it.",
        "1 because: c-6 is at stage escalated; an owner can change only before cross-check.",
        "1 because: The project has no case 'c-9'.",
    )


def _interrupt() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("is_interrupted", [False, True], ids=["cancelled", "Ctrl+C"])
def test_stopped_in_the_middle_it_leaves_what_is_done_and_says_how_far(
    mixed: Team, *, is_interrupted: bool
) -> None:
    cancel = threading.Event()
    stop: Callable[[], None] = _interrupt if is_interrupted else cancel.set

    def watch(report: ProgressReport) -> None:
        if report.done == 2:
            stop()

    class Every(JobContext):
        """Tells every report, however fast they come."""

        def progress(self, done: int, total: int | None = None, note: str = "") -> None:
            watch(ProgressReport(done=done, total=total, note=note))

    done = change_cases(mixed["max"], CaseFilter(order="case"), change=TO_B2, context=Every(cancel=cancel))
    reached = 2 if is_interrupted else 3
    assert (done.changed, done.left) == (reached, 7 - reached)
    assert done.words[-1] == f"It was stopped with {7 - reached} cases left."
    moved = [case_id for case_id, (_, batch, _) in _rows(mixed).items() if batch == "b2"]
    assert moved == [*("c-1", "c-2", "c-3")[:reached], "c-7"]  # which was there


def test_only_managers_change_many_cases(mixed: Team) -> None:
    for name in ("ann", "eve"):
        with pytest.raises(ForbiddenError, match="Only managers"):
            change_cases(mixed[name], CaseFilter(), change=TO_BOB, context=JobContext())


def test_a_value_that_does_not_fit_is_refused_for_all(mixed: Team) -> None:
    set_active(mixed["max"], "dan", active=False)

    def outcome(action: BulkAction, value: str, case_id: str) -> BulkOutcome:
        change = BulkChange(action=action, value=value)
        return change_cases(mixed["max"], (case_id,), change=change, context=JobContext())

    assert outcome(BulkAction.ASSIGN, "dan", "c-1").refused == {"dan is not an active annotator.": 1}
    assert list(outcome(BulkAction.ASSIGN, "zoe", "c-1").refused) == [
        "Nobody is called 'zoe' in this project."
    ]
    assert outcome(BulkAction.RETURN, " ", "c-4").refused == {"Returning cases needs a reason.": 1}
    assert outcome(BulkAction.MOVE, "a\nb", "c-1").refused == {"'a\nb' cannot be a batch's name.": 1}


def test_a_move_into_a_new_batch_makes_it_with_the_first(mixed: Team) -> None:
    rest = CaseFilter(stages=MOVABLE, batch="b1")
    done = change_cases(
        mixed["max"], rest, change=BulkChange(action=BulkAction.MOVE, value="b9"), context=JobContext()
    )
    assert (done.changed, done.refused) == (3, {})
    assert owners_of(mixed["max"], batch="b9") == {"ann": 1, "bob": 1}


def test_a_case_that_somebody_else_holds_does_not_stop_the_others(mixed: Team) -> None:
    if not mixed["max"].is_shared:
        pytest.skip("2026-11-29: a file is locked as a whole")
    with disposed(open_engine(mixed.url)) as engine, writing(engine) as tx:
        tx.execute(select(CaseHead.id).where(CaseHead.case_id == "c-1").with_for_update()).one()
        done = change_cases(mixed["max"], ("c-1", "c-3"), change=TO_BOB, context=JobContext())
    assert (done.changed, sum(done.refused.values())) == (1, 1)
    assert _rows(mixed)["c-3"][0] == "bob"
