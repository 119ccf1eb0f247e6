"""A case leaves the page: submitted, escalated, handed back, or opened by who may only judge it."""

from functools import partial

from PySide6.QtWidgets import QComboBox, QLineEdit, QMenu, QPushButton

from annotator.cases.row_views import get_row
from annotator.review.drafts import open_assignment
from annotator.review.policy_changes import change_review_policy
from db.read import reviews
from scoring.model.taxonomy import CheckAnswer, Policy, Stage, Verdict
from tests.annotator.drafts.cases import parcel_case
from tests.ui.find import find, said_in
from tests.ui.workbench.driving import Bench, click, policy_of, stage_of
from ui.services.preferences import Preferences
from ui.theme import Hint


def test_escalating_asks_for_a_reason_and_hands_the_proposal_on(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("P", "1", "Ctrl+Shift+E")
    find(bench.window, QComboBox, "reason-category").setCurrentIndex(0)
    bench.give_reason("The depot is unclear.")
    bench.wait(lambda: stage_of(bench, "c-1") is Stage.ESCALATED)
    bench.wait(lambda: "escalated" in said_in(bench.page.empty, "between-title", "between-text"))


def test_a_mistake_of_the_teams_own_is_a_reason(bench: Bench) -> None:
    change_review_policy(bench.team["max"], ("feedback_categories=wrong IBAN",))
    bench.open("c-1")
    bench.press("P", "1", "Ctrl+Shift+E")
    category = find(bench.window, QComboBox, "reason-category")
    category.setCurrentIndex(category.findText("Wrong IBAN"))
    bench.give_reason("Two digits are swapped.")
    bench.wait(lambda: stage_of(bench, "c-1") is Stage.ESCALATED)
    (said,) = bench.team["max"].read(lambda tx: reviews.judgments_of(tx, get_row(tx, "c-1").pk))
    assert '"category":"wrong IBAN"' in said.body


def test_a_submission_can_be_taken_back_and_the_work_is_there_again(bench: Bench) -> None:
    bench.open("c-1")
    bench.page.ask_verdict(Verdict.ESCALATE)
    bench.give_reason("unclear")
    bench.wait(lambda: "Submitted" in said_in(bench.page.empty, "between-title", "between-text"))
    click(find(bench.page, QPushButton, "between-take-back"))
    bench.wait(lambda: bench.is_open("c-1"))
    assert stage_of(bench, "c-1") is Stage.SELF_CHECK_TASK


def test_handing_back_frees_the_case_and_keeps_the_draft_for_whoever_left_it(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("P", "1")
    bench.wait(bench.is_saved)
    click(find(bench.page, QPushButton, "workbench-more"))
    menu = find(bench.page, QMenu, "more-menu")
    ways = {action.text(): action for action in menu.actions()}
    assert list(ways) == [
        "Escalate to an expert",
        "Return to the owner",
        "Reject the case",
        "Hand the case back",
        "Skip the case",
    ]
    assert menu.isVisible()
    menu.close()
    ways["Hand the case back"].trigger()
    bench.wait(lambda: "Handed back" in said_in(bench.page.empty, "between-title", "between-text"))
    bench.press("N")
    bench.wait(lambda: bench.is_open("c-1"))
    assert policy_of(bench, 0) is Policy.SINGLE


def test_a_skipped_case_is_told_as_skipped(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Ctrl+Shift+K")
    bench.give_reason("not mine")
    bench.wait(
        lambda: said_in(bench.page.empty, "between-title", "between-text").startswith(
            "Skipped c-1 is not offered to you again"
        )
    )


def test_when_nothing_waits_the_page_says_why_and_sends_back(bench: Bench) -> None:
    bench.open("c-1")
    bench.page.ask_verdict(Verdict.ESCALATE)
    bench.give_reason("unclear")
    bench.wait(lambda: "Submitted" in said_in(bench.page.empty, "between-title", "between-text"))
    with bench.qtbot.waitSignal(bench.page.finished) as told:
        bench.press("N")
    assert "expert" in told.args[0]


def test_a_blind_reviewer_sees_no_labels_and_judges_every_call(bench: Bench) -> None:
    bench.team.self_check("bob", "c-1")
    bench.open("c-1")
    assert bench.document.is_blind
    assert bench.page.case_bar.blind.isVisible()
    assert [task.policy for task in bench.document.case.tasks] == [None, None]
    assert bench.panels.history.timeline.count() == 0
    assert bench.chip_words() == (
        "2 tasks not drawn",
        "2 warnings, not blocking",
        "3 labels open",
        "5 judgments open",
        "8 to confirm",
    )
    bench.press("G", "Shift+P", "T", "J", "R", "R")
    bench.check_all(0)
    bench.press("Alt+2", "O", "Shift+P", "I", "2", "T", "J", "J", "R")
    bench.check_all(1)
    bench.press("Ctrl+Return")
    bench.wait(lambda: "Submitted" in said_in(bench.page.empty, "between-title", "between-text"))


def test_a_blind_reviewer_is_refused_to_change_the_steps(bench: Bench) -> None:
    bench.team.self_check("bob", "c-1")
    bench.open("c-1")
    bench.press("J", "Ctrl+Del")
    assert "cannot add, remove or move" in bench.page.submit_bar.note
    assert len(bench.document.case.tasks[0].steps) == 3


def test_a_returned_case_shows_why_it_came_back(bench: Bench) -> None:
    bench.team.self_check("ann", "c-1")
    bench.team.cross_check("bob", "c-1", verdict=Verdict.RETURN)
    bench.team.cross_check("cleo", "c-1", verdict=Verdict.RETURN)
    bench.open("c-1")
    assert "see there" in find(bench.page, Hint, "returned-note").words


def test_the_columns_keep_their_widths(bench: Bench, preferences: Preferences) -> None:
    bench.open("c-1")
    splitter = bench.panels.columns.splitter
    splitter.moveSplitter(520, 1)
    splitter.splitterMoved.emit(520, 1)
    assert preferences.settings.splitters["workbench ann usual"] == tuple(splitter.sizes())


def test_where_three_columns_do_not_fit_the_graph_becomes_a_tab(bench: Bench) -> None:
    bench.open("c-1")
    bench.window.resize(960, 700)
    bench.wait(lambda: bench.panels.columns.is_middle_a_tab)
    bench.press("D")
    assert bench.panels.graph.view.isVisible()
    assert bench.panels.graph.view.hasFocus()
    bench.window.resize(1380, 840)
    bench.wait(lambda: not bench.panels.columns.is_middle_a_tab)
    assert bench.panels.graph.view.isVisible()


def test_a_reason_field_is_left_with_escape(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("G", "P", "1", "W")
    assert isinstance(bench.target, QLineEdit)
    bench.press("Esc")
    assert bench.document.judgment.waivers == ()
    assert not isinstance(bench.target, QLineEdit)


def test_opening_another_case_saves_the_first_as_a_draft(bench: Bench) -> None:
    bench.team.bring(parcel_case().model_copy(update={"id": "c-2"}), batch="b2")
    bench.open("c-1")
    bench.press("P", "1")
    first = bench.page.open_work.loaded
    assert first is not None
    bench.open("c-2")
    bench.wait(lambda: open_assignment(bench.team["ann"], first.opened.assignment.id).draft is not None)


def test_a_double_submission_counts_once(bench: Bench) -> None:
    bench.open("c-1")
    ask = partial(bench.page.submission.ask, Verdict.ESCALATE)
    ask()
    bench.give_reason("unclear")
    bench.page.submission.submit()
    bench.wait(lambda: stage_of(bench, "c-1") is Stage.ESCALATED)


def test_f8_takes_the_keys_out_of_the_graph_so_that_f_settles_the_finding(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("G", "P", "1")
    assert bench.document.case.tasks[0].policy == "single"
    bench.panels.graph.view.setFocus()
    bench.press("F8")
    assert not bench.panels.middle.isAncestorOf(bench.target)
    bench.press("F")
    assert bench.document.case.tasks[0].policy == Policy.MULTI_SERIAL


def test_f_fails_the_item_that_has_the_keys_and_f8_takes_them_along_to_a_finding(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("G", "P", "1")
    bench.panels.review.task_checklist.focus_open_item()
    bench.press("F")
    assert CheckAnswer.FAIL in bench.document.judgment.tasks[0].checklist.values()
    bench.press("Ctrl+Z", "F8")
    assert not bench.panels.review.isAncestorOf(bench.target)
    bench.press("F")
    assert bench.document.case.tasks[0].policy == Policy.MULTI_SERIAL
