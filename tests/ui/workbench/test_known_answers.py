"""A known-answer case in the workbench: opened like any other, and told about after submitting."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton

from annotator.cases.history import mark_gold
from annotator.project.policy import ReviewPolicy
from scoring.model.taxonomy import Verdict
from tests.annotator.drafts.cases import parcel_case
from tests.annotator.team import Team, team_on, two_round_case
from tests.ui.find import find, said_in
from tests.ui.workbench.driving import Bench


@pytest.fixture
def team(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A project in which c-1 is gold, c-2 and c-3 wait, and every other new case is a known-answer case."""
    policy = ReviewPolicy(attention_share=0.5, cross_check=False, expert_sample=False)
    with team_on(str(sqlite_path), tmp_path, policy=policy) as found:
        found.bring(parcel_case(), two_round_case("c-2"), two_round_case("c-3"))
        found.self_check("bob", "c-1")
        mark_gold(found["eve"], "c-1", gold=True)
        yield found


def open_copy(bench: Bench) -> str:
    """Take the next case, which is a copy; gives the id it is shown under."""
    bench.press("N")
    bench.wait(lambda: bench.page.open_work.document is not None)
    return bench.document.case.id


def test_a_copy_opens_from_the_queue_and_its_reveal_comes_after_submitting(bench: Bench) -> None:
    shown = open_copy(bench)
    assert shown not in ("c-1", "c-2", "c-3")
    assert bench.page.case_bar.isVisible()
    bench.page.ask_verdict(Verdict.ESCALATE)
    bench.give_reason("Something is odd.")
    bench.wait(lambda: "known-answer case" in said_in(bench.page.empty, "between-title", "between-text"))
    assert "Planted defect" in said_in(bench.page.empty, "between-title", "between-text")
    assert not find(bench.page, QPushButton, "between-take-back").isVisible()
    assert bench.page.submission.open_id == ""
    bench.press("N")
    bench.wait(lambda: bench.is_open("c-2"))


def test_work_on_a_copy_is_there_again_after_a_pause(bench: Bench) -> None:
    shown = open_copy(bench)
    bench.press("P", "1")
    bench.wait(bench.is_saved)
    before = bench.document.case
    bench.reopen()
    assert bench.document.case == before
    assert bench.document.case.id == shown


def test_a_copy_handed_back_leaves_nothing_open(bench: Bench) -> None:
    shown = open_copy(bench)
    bench.press("Ctrl+Shift+B")
    bench.wait(lambda: "Handed back" in said_in(bench.page.empty, "between-title", "between-text"))
    assert open_copy(bench) == shown
