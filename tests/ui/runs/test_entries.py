"""What the leaderboard knows of a run and its cases."""

from datetime import UTC, datetime

from annotator.release.runs.recorded_runs import run_summary
from annotator.release.runs.replies import GoldCases
from db.read.rows import RunRow
from scoring.measures.summary import UndrawnTasks, summarise
from scoring.model.taxonomy import Protocol, Semantics, Undrawn
from scoring.scorecard import Scorecard
from tests.annotator.release.cards import card, rights
from tests.factories import answer, call, case, task
from ui.runs.entries import RunEntry, about, are_comparable, entries_of
from ui.runs.leaderboard import leaderboard


def _with_undrawn(matched: Undrawn | None) -> Scorecard:
    tasks = rights("+")
    undrawn = UndrawnTasks(count=1, matched=matched) if matched else UndrawnTasks()
    return card(*tasks).model_copy(update={"summary": summarise(tasks, undrawn=undrawn)})


def _entry(matched: Undrawn | None) -> RunEntry:
    found = _with_undrawn(matched)
    row = RunRow(
        id=1,
        name="m",
        release=None,
        at=datetime(2026, 3, 2, tzinfo=UTC),
        cases_sha256=found.cases_sha256,
        summary=run_summary(found),
        protocol=Protocol.WILDTOOL,
        semantics=Semantics.PAPER,
        arguments="auto",
        has_replies=False,
    )
    return entries_of([row])[0]


def test_runs_whose_undrawn_tasks_were_matched_in_different_ways_are_not_compared() -> None:
    recorded, parallel, none = map(_entry, (Undrawn.RECORDED, Undrawn.PARALLEL, None))
    assert recorded.basis == _with_undrawn(Undrawn.RECORDED).basis
    assert are_comparable(recorded, recorded)
    assert not are_comparable(recorded, parallel)
    assert not are_comparable(recorded, none)
    assert "undrawn: 1 – matched in the order recorded" in about(recorded)
    assert "undrawn" not in about(none)
    rows = leaderboard([recorded, parallel])
    assert [row.topic for row in rows if row.is_heading] == ["semantics", "semantics"]


def test_a_failed_task_is_shown_with_the_order_its_run_was_matched_in() -> None:
    cases = GoldCases({"c-1": case(task(call("A"), call("B"), answer()))}, "ab")
    [score] = rights("-")
    rounds = {}
    for matched in (Undrawn.RECORDED, Undrawn.PARALLEL, None):
        gold = cases.gold(score, _with_undrawn(matched))
        assert gold is not None
        rounds[matched] = gold.rounds
    assert rounds == {Undrawn.RECORDED: 3, Undrawn.PARALLEL: 2, None: 2}
