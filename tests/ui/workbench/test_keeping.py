"""Work on the page is kept, restored with a sentence, and never lost by leaving."""

from pathlib import Path

from annotator.review.drafts import open_assignment
from scoring.model.taxonomy import Policy
from tests.ui.find import find
from tests.ui.workbench.driving import Bench, policy_of
from ui.theme import Hint


def test_work_is_saved_and_restored_with_a_sentence(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "E", "T", "P", "1")
    bench.wait(bench.is_saved)
    bench.reopen()
    note = find(bench.page, Hint, "restored-note")
    assert note.words.startswith("Restored your draft of ")
    assert note.words.endswith("1 label, 1 citation and 1 judgment.")
    assert bench.document.selection.step == 0


def test_starting_over_can_be_undone(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("P", "1")
    bench.page.start_over()
    assert policy_of(bench, 0) is Policy.MULTI_SERIAL
    bench.press("Ctrl+Z")
    assert policy_of(bench, 0) is Policy.SINGLE


def test_work_kept_while_the_store_was_away_comes_back_and_reaches_the_store(bench: Bench) -> None:
    bench.open("c-1")
    held = bench.page.open_work.loaded
    assert held is not None
    away = Path(bench.team.url).rename(f"{bench.team.url}.away")
    bench.press("P", "1")
    bench.wait(lambda: bench.save_words().startswith("Kept on this computer"))
    bench.page.open_work.close()
    away.rename(bench.team.url)
    bench.wait(lambda: bench.operations.lost is None)
    bench.page.open_assignment(held.opened.assignment.id)
    bench.wait(lambda: bench.is_open("c-1"))
    assert "kept on this computer" in find(bench.page, Hint, "restored-note").words
    bench.wait(bench.is_saved)
    draft = open_assignment(bench.team["ann"], held.opened.assignment.id).draft
    assert draft is not None
    assert draft.case.tasks[0].policy is Policy.SINGLE


def test_leaving_loses_nothing_where_saving_works(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("P", "1")
    assert bench.page.unsaved_words()
    bench.page.flush()
    bench.wait(lambda: not bench.page.unsaved_words())


def test_leaving_says_what_is_at_risk_where_nothing_can_be_written(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    bench.open("c-1")
    folder.write_text("a file where the journal should be")
    away = Path(bench.team.url).rename(f"{bench.team.url}.away")
    bench.press("P", "1")
    bench.page.flush()
    bench.wait(lambda: bench.save_words() == "Not saved")
    assert "Your last changes of c-1 are not saved." in bench.page.unsaved_words()
    away.rename(bench.team.url)
    bench.wait(bench.is_saved)
    assert bench.page.unsaved_words() == ""


def test_active_time_goes_with_the_draft(bench: Bench) -> None:
    bench.open("c-1")
    bench.page.clock.start(75.0)
    bench.press("P", "1")
    bench.wait(bench.is_saved)
    assert bench.page.open_work.loaded is not None
    draft = open_assignment(bench.team["ann"], bench.page.open_work.loaded.opened.assignment.id).draft
    assert draft is not None
    assert 75 <= draft.judgment.seconds < 85
