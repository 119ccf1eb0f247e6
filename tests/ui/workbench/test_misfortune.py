"""What goes wrong while somebody works: nothing is lost, and a sentence on screen says what to do next."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton

from annotator.cases.edits.text_edits import set_user_text
from annotator.cases.history import replace_content, revision_case
from annotator.drafts.draft_body import DraftBody
from annotator.project.changes import Changes
from annotator.project.people import set_active
from annotator.review.drafts import open_assignment, save_draft
from annotator.review.queue.assignments import reassign
from annotator.review.queue.claims import claim_case, leave
from scoring.model.taxonomy import Stage
from tests.annotator.drafts.cases import parcel_case
from tests.ui.find import find
from tests.ui.workbench.driving import Bench, click
from ui.services.errors import ManualLink
from ui.workbench.empty_page import EmptyPage


def change_request(bench: Bench, text: str) -> None:
    """Change the first request in the manager's name."""
    shown = revision_case(bench.team["max"], "c-1", number=1)
    first = shown.tasks[0].model_copy(update={"user": text})
    changed = shown.model_copy(update={"tasks": (first, *shown.tasks[1:])})
    replace_content(bench.team["max"], "c-1", case=changed, reason="said otherwise")


def settle(bench: Bench) -> None:
    """Everything a self-check of the parcel case asks for, by keys."""
    for task in (0, 1):
        bench.press(f"Alt+{task + 1}", "Shift+E", "G")
        bench.check_all(task)
    assert not bench.document.assessment.blockers


def let_bob_take_it(bench: Bench) -> None:
    """Ann's lease ends, and bob takes the case; the window goes by the clock of this computer."""
    bench.team.clock.at = datetime.now(UTC) + timedelta(days=2)
    assert claim_case(bench.team["bob"], "c-1").value.person == "bob"


def act(bench: Bench) -> None:
    """Choose what the banner offers."""
    button = find(bench.page, QPushButton, "error-action")
    assert button.text() == "Open it as it is now"
    click(button)


def test_a_case_that_changed_meanwhile_is_not_overwritten_and_the_work_is_brought_along(
    bench: Bench,
) -> None:
    bench.open("c-1")
    settle(bench)
    bench.wait(bench.is_saved)
    change_request(bench, "Send parcel P-881 home.")
    bench.press("Ctrl+Return")
    bench.wait(lambda: "changed since you opened it" in bench.page.banner.words)
    mine = bench.document.snapshot
    act(bench)
    bench.wait(lambda: "Confirm task 1 again" in bench.page.banner.words)
    assert bench.document.case.tasks[0].user == "Send parcel P-881 home."
    assert bench.document.judgment.tasks[1] == mine.judgment.tasks[1]
    assert not bench.document.judgment.tasks[0].checklist
    # The number is written otherwise now, so it is accepted by itself.
    bench.press("Alt+1", "Shift+E", "G")
    bench.check_all(0)
    bench.press("F8", "A", "Ctrl+Return")
    bench.wait(lambda: bench.team.stage("c-1") is Stage.SELF_CHECK_DIALOGUE)
    assert revision_case(bench.team["max"], "c-1", number=2).tasks[0].user == "Send parcel P-881 home."


def test_ctrl_enter_twice_submits_once(bench: Bench) -> None:
    bench.open("c-1")
    settle(bench)
    bench.press("Ctrl+Return", "Ctrl+Return")
    bench.wait(lambda: bench.is_open("c-1") and bench.document.stage is Stage.SELF_CHECK_DIALOGUE)
    assert not bench.page.banner.words
    bench.check_all(None)
    bench.press("Ctrl+Return", "Ctrl+Return")
    bench.wait(lambda: bench.team.stage("c-1") is Stage.CROSS_CHECK)
    assert not bench.page.banner.words


def test_when_the_slot_is_lost_while_editing_the_work_is_kept_here_and_the_banner_says_so(
    bench: Bench,
) -> None:
    bench.open("c-1")
    let_bob_take_it(bench)
    bench.press("P", "1")
    bench.wait(lambda: bench.page.banner.words.startswith("Kept on this computer"))
    assert "taken by somebody else" in bench.page.banner.words
    assert bench.page.unsaved_words() == ""


def test_a_case_that_was_given_to_somebody_else_is_told_at_once(bench: Bench) -> None:
    bench.open("c-1")
    reassign(bench.team["max"], "c-1", to="bob")
    bench.operations.changed.emit(Changes(case_ids=frozenset({"c-1"})), None)
    bench.wait(lambda: "You do not hold c-1 any more" in bench.page.banner.words)
    assert "assigned to somebody else" in bench.page.banner.words  # whose it is, ann may not know


def test_after_losing_a_case_the_next_one_is_a_key_away(bench: Bench) -> None:
    bench.team.bring(parcel_case().model_copy(update={"id": "c-2"}))
    bench.open("c-1")
    reassign(bench.team["max"], "c-1", to="bob")
    bench.operations.changed.emit(Changes(case_ids=frozenset({"c-1"})), None)
    bench.wait(lambda: "You do not hold c-1 any more" in bench.page.banner.words)
    bench.press("N")
    bench.wait(lambda: bench.is_open("c-2"))


def test_a_case_that_was_handed_back_in_another_window_is_told_at_once(bench: Bench) -> None:
    bench.open("c-1")
    held = bench.page.open_work.loaded
    assert held is not None
    leave(bench.team["ann"], held.opened.assignment.id, skip=True, reason="not mine")
    bench.operations.changed.emit(Changes(case_ids=frozenset({"c-1"})), None)
    bench.wait(lambda: "You skipped c-1 in another window." in bench.page.banner.words)


def test_a_case_somebody_else_has_by_now_is_let_go_of_with_a_sentence(bench: Bench) -> None:
    bench.open("c-1")
    let_bob_take_it(bench)
    bench.press("P", "1")
    bench.wait(lambda: bool(bench.page.banner.words))
    act(bench)
    bench.wait(lambda: find(bench.page, EmptyPage, "workbench-between").isVisible())
    assert "belongs to bob" in bench.page.banner.words
    assert "is kept and comes back with the case" in bench.page.banner.words
    assert find(bench.page.banner, ManualLink, "error-manual").isVisible(), "the manual has the message"


def test_submitting_a_case_whose_slot_is_lost_keeps_it_open_and_says_who_has_it(bench: Bench) -> None:
    bench.open("c-1")
    settle(bench)
    bench.wait(bench.is_saved)
    let_bob_take_it(bench)
    bench.press("Ctrl+Return")
    bench.wait(lambda: "somebody else took the case" in bench.page.banner.words)
    assert bench.is_open("c-1")
    bench.wait(bench.panels.isEnabled)


def test_somebody_disabled_mid_case_keeps_their_work_and_is_told_whom_to_ask(bench: Bench) -> None:
    bench.open("c-1")
    set_active(bench.team["max"], "ann", active=False)
    bench.press("P", "1")
    bench.wait(lambda: "Ask a manager to enable the person" in bench.page.banner.words)
    assert bench.save_words().startswith("Kept on this computer")
    set_active(bench.team["max"], "ann", active=True)
    act(bench)
    bench.wait(lambda: bench.is_open("c-1"))
    assert bench.document.case.tasks[0].policy == "single"


@pytest.mark.parametrize("is_back", [True, False])
def test_submitting_while_the_project_is_away_keeps_the_case_open(bench: Bench, *, is_back: bool) -> None:
    bench.open("c-1")
    settle(bench)
    bench.wait(bench.is_saved)
    away = Path(bench.team.url).rename(f"{bench.team.url}.away")
    bench.press("Ctrl+Return")
    bench.wait(lambda: bool(bench.page.banner.words))
    assert bench.is_open("c-1")
    bench.wait(bench.panels.isEnabled)
    away.rename(bench.team.url)
    bench.wait(lambda: bench.operations.lost is None)
    if is_back:
        bench.press("Ctrl+Return")
        bench.wait(lambda: bench.team.stage("c-1") is Stage.SELF_CHECK_DIALOGUE)
    else:
        assert bench.is_open("c-1")
        assert bench.team.stage("c-1") is Stage.SELF_CHECK_TASK


def save_in_another_window(bench: Bench, request: str) -> None:
    """Save a draft of the first case as a second window of ann's would, after whatever is saved."""
    opened = open_assignment(bench.team["ann"], 1)
    case = set_user_text(opened.draft.case if opened.draft else opened.base, 0, text=request)
    body = DraftBody(case=case, judgment=opened.template, cursor={"window": "other"})
    save_draft(bench.team["ann"], 1, body=body, sequence=opened.draft_sequence)


def test_what_another_window_saved_is_not_thrown_away_by_a_submission(bench: Bench, tmp_path: Path) -> None:
    bench.open("c-1")
    settle(bench)
    bench.wait(bench.is_saved)
    mine = bench.document.snapshot
    save_in_another_window(bench, "From the other window.")
    bench.press("Ctrl+Return")
    bench.wait(lambda: "Another window has saved work on c-1" in bench.page.banner.words)
    assert bench.team.stage("c-1") is Stage.SELF_CHECK_TASK
    act(bench)
    bench.wait(lambda: "on top of what another window saved" in bench.page.banner.words)
    assert bench.document.snapshot == mine
    bench.press("Ctrl+Z")
    assert bench.document.case.tasks[0].user == "From the other window."
    (place,) = (tmp_path / "state" / "drafts").glob("*.set-aside-*")
    assert "From the other window." in place.read_text()
    assert str(place) in bench.page.banner.words
    bench.press("Ctrl+Shift+Z", "Ctrl+Return")
    bench.wait(lambda: bench.team.stage("c-1") is Stage.SELF_CHECK_DIALOGUE)


def test_a_window_whose_own_draft_was_refused_cannot_submit_over_the_other(bench: Bench) -> None:
    bench.open("c-1")
    settle(bench)
    bench.wait(bench.is_saved)
    save_in_another_window(bench, "From the other window.")
    bench.press("Alt+1", "P", "1")
    bench.wait(lambda: "edited in another window" in bench.page.banner.words)
    bench.press("Ctrl+Z", "Ctrl+Return")
    bench.wait(lambda: "Another window has saved work on c-1" in bench.page.banner.words)
    bench.wait(bench.panels.isEnabled)
    kept = open_assignment(bench.team["ann"], 1).draft
    assert kept is not None
    assert kept.case.tasks[0].user == "From the other window."
