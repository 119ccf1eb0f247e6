"""A long case is checked before it is shown; a line says that it is on its way."""

from dataclasses import replace
from functools import partial
from threading import Event

import pytest

from annotator.cases.edits import text_edits
from annotator.drafts.assessment import Assessment, EvidenceState, assess
from annotator.drafts.snapshot import opening_snapshot
from annotator.project.policy import ReviewPolicy
from scoring.model.case import Case
from scoring.model.taxonomy import Stage
from tests.annotator.drafts.cases import judgment_of, parcel_case
from tests.bench.flowing import many_tasks_case
from tests.ui.find import said_in
from tests.ui.workbench.driving import Bench
from ui.desk.case_view import evidence_words

LONG = many_tasks_case(20).model_copy(update={"id": "long"})
"""Twenty tasks of nine calls and an answer."""


def looked_at(case: Case) -> Assessment:
    return assess(
        opening_snapshot(case, judgment_of(case)), stage=Stage.SELF_CHECK_TASK, policy=ReviewPolicy()
    )


def test_a_case_is_checked_on_the_way_to_the_window(bench: Bench) -> None:
    bench.team.bring(LONG)
    bench.open(LONG.id)
    loaded = bench.page.open_work.loaded
    assert loaded is not None
    assert bench.document.assessment is loaded.assessment
    assert bench.document.assessment.evidence == looked_at(LONG).evidence


def test_an_edit_is_checked_again_as_if_the_case_were_new(bench: Bench) -> None:
    bench.team.bring(LONG)
    bench.open(LONG.id)
    change = partial(text_edits.set_argument_value, task=3, step=4, path="/note", value="thing 1 0")
    bench.document.edit_case("change a value", change)
    assert bench.document.assessment.evidence == looked_at(bench.document.case).evidence


def test_a_line_moves_while_a_case_is_on_its_way(bench: Bench) -> None:
    held = Event()
    line = bench.page.opening
    bench.operations.run(lambda _: held.wait(120))
    assert said_in(bench.page.empty, "between-title") == "No case is open"
    bench.press("N")
    bench.wait(line.isVisible)
    assert said_in(bench.page.empty, "between-title") == "Loading …"
    held.set()
    bench.wait(lambda: bench.is_open("c-1"))
    assert not line.isVisible()


def test_the_line_goes_where_no_case_is_left(bench: Bench) -> None:
    held = Event()
    line = bench.page.opening
    bench.operations.run(lambda _: held.wait(120))
    bench.page.open_assignment(4711)
    bench.wait(line.isVisible)
    held.set()
    bench.wait(lambda: not line.isVisible())
    assert said_in(bench.page.empty, "between-title") == "No case is open"


@pytest.mark.parametrize(
    ("settled", "open_", "words"),
    [(0, 0, "Evidence"), (3, 4, "Evidence 3/7"), (400, 599, "Evidence 400/999"), (999, 1, "Evidence 99 %")],
)
def test_the_tab_counts_values_and_says_a_share_where_they_are_many(
    settled: int, open_: int, words: str
) -> None:
    before = looked_at(parcel_case())
    line = before.evidence[0]
    lines = (replace(line, state=EvidenceState.CITED),) * settled + (line,) * open_
    assert evidence_words(replace(before, evidence=lines)) == words
