"""Work brought together with somebody else's changes: what is left to choose, and how it is said."""

import pytest

from annotator.cases.edits.step_edits import move_step
from annotator.drafts.merged_work import merge_work, merged_words, settled
from annotator.drafts.snapshot import Snapshot
from tests.annotator.cases.merging_cases import BASE
from tests.annotator.drafts.cases import judgment_of


def test_an_order_is_settled_by_either_side_at_once() -> None:
    """A text keeps its clash, so that the other side can be looked at again; an order has nothing to show."""
    mine = Snapshot(move_step(BASE, 0, step=2, to=0), judgment_of(BASE))
    theirs = Snapshot(move_step(BASE, 0, step=0, to=1), judgment_of(BASE))
    merged = merge_work(BASE, mine, theirs)
    (clash,) = merged.work.clashes
    chosen = settled(merged.work, clash, "theirs")
    assert chosen.clashes == ()
    assert [step.name for _, step in chosen.case.tasks[0].calls] == ["route", "find", "tell"]
    assert settled(merged.work, clash, "mine") == Snapshot(mine.case, merged.work.judgment)


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "1 place that both changed waits for your choice (F8)."),
        (2, "2 places that both changed wait for your choice (F8)."),
    ],
)
def test_places_that_wait_are_counted(count: int, said: str) -> None:
    mine = Snapshot(move_step(BASE, 0, step=2, to=0), judgment_of(BASE))
    theirs = Snapshot(move_step(BASE, 0, step=0, to=1), judgment_of(BASE))
    merged = merge_work(BASE, mine, theirs)
    merged.work.__dict__["clashes"] = merged.work.clashes * count
    words = merged_words(merged, by=("max",), person="ann")
    assert said in words
    assert words.count("your choice") == 1
