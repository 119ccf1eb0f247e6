"""The adjudication page as experts use it: by keys, on a real project."""

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QMenu, QPushButton

from annotator.cases.access import show_case
from annotator.cases.edits.text_edits import set_argument_value
from annotator.project.people import set_active
from annotator.release.freeze import freeze_preview
from annotator.review.policy_changes import change_review_policy
from scoring.model.labels import Finding
from scoring.model.taxonomy import CheckAnswer, EdgeKind, FeedbackCategory, Policy, Severity, Stage, Verdict
from tests.annotator.review.expert.disputes import (
    bring_dispute,
    bring_owners_doubt,
    bring_sample,
    bring_wrong_call,
)
from tests.annotator.team import feedback_for_me, two_step_case
from tests.ui.adjudication.driving import Court
from tests.ui.find import find, said_in
from ui.adjudication.columns import failed_checks
from ui.adjudication.owner_reveal import OwnerGraph
from ui.dialogue.content import ActionRequest
from ui.theme import Chip


def chip(court: Court) -> str:
    return find(court.page, Chip, "fields-left").text()


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_a_dispute_is_settled_with_four_keys_and_then_the_owner_is_revealed(court: Court) -> None:
    court.open()
    assert chip(court) == "3 fields left"
    assert court.row_id() == "task.0.policy"
    court.press("A", "A", "Y")
    assert chip(court) == "decided"
    assert "ann" not in said_in(court.page.reveal, "reveal-title", "reveal-text")
    court.press("Ctrl+Return")
    court.wait(lambda: said_in(court.page.reveal, "reveal-title", "reveal-text").startswith("c-1 is final"))
    assert court.team.stage("c-1") is Stage.FINAL
    assert court.page.reveal.lines == (
        ("Policy · task 1", "Multi, serial", "Multi, serial"),
        ("Edge 0 → 1 · task 1", "parameter", "logical"),
    )
    graph = find(court.page, OwnerGraph, "owner-graph")
    assert graph.isVisible()
    assert graph.panel.view.board.edges[0, 1].look.tip == "both, but you parameter, the owner logical"
    final = show_case(court.team["max"], "c-1").tasks[0]
    assert [edge.kind for edge in final.drawn_edges] == [EdgeKind.PARAMETER]
    assert final.answer is not None
    assert final.answer.text == "It went on from Hamar-7."


def test_no_key_that_decides_repeats_while_it_is_held(court: Court) -> None:
    repeats = {action.objectName(): action.autoRepeat() for action in court.page.findChildren(QAction)}
    named = {name.removeprefix("adjudication.") for name, repeated in repeats.items() if repeated}
    assert named & {*"abcde", "accept", "decline", "own", "keep", "finalise", "next"} == set()
    assert {"open", "undo", "redo"} <= named


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_the_fields_get_the_keys_when_a_case_opens_and_when_the_page_is_entered(
    court: Court,
) -> None:
    court.open()
    assert court.page.columns.hasFocus()
    court.page.bar.setFocus()
    court.page.setFocus()
    assert court.page.columns.hasFocus()


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_a_letter_takes_a_side_and_goes_on_to_the_next_open_field(court: Court) -> None:
    court.open()
    court.press("B")
    assert court.document.decision.fields == {"task.0.policy": "B"}
    assert court.row_id() == "task.0.edge.0-1"


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_o_offers_own_values_by_digit(court: Court) -> None:
    court.open()
    court.press("F8", "O", "2")
    assert court.document.decision.model_dump(mode="json")["fields"] == {
        "task.0.edge.0-1": {"own": "logical"}
    }


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_deciding_can_be_undone_until_it_is_submitted(court: Court) -> None:
    court.open()
    court.press("A", "A", "X")
    assert chip(court) == "decided"
    court.press("Ctrl+Z", "Ctrl+Z")
    assert chip(court) == "2 fields left"
    court.press("Ctrl+Shift+Z")
    assert chip(court) == "1 field left"


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_the_very_first_change_can_be_undone(court: Court) -> None:
    court.open()
    court.press("A", "Ctrl+Z")
    assert court.document.decision.fields == {}


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_finalising_waits_until_everything_is_decided(court: Court) -> None:
    court.open()
    button = find(court.page, QPushButton, "adjudication-finalise")
    assert not button.isEnabled()
    assert button.toolTip() == "3 left to decide; F8 goes to the next."


@pytest.mark.parametrize("team", [bring_wrong_call], indirect=True)
def test_a_call_upheld_as_wrong_is_finalised_only_with_a_reason_to_keep_it(court: Court) -> None:
    court.open()
    court.press("A")
    assert chip(court) == "1 field left"
    assert court.row_id() == "task.0.call.1.correct"
    assert find(court.page, QLabel, "known-defect").text().startswith("Task 1: call 1 is wrong.")
    court.press("Ctrl+Return", "W")
    court.type("the tool is broken on purpose")
    assert chip(court) == "decided"
    court.press("Escape", "Ctrl+Return")
    court.wait(lambda: said_in(court.page.reveal, "reveal-title", "reveal-text").startswith("c-1 is final"))
    assert said_in(court.page.reveal, "reveal-title", "reveal-text").endswith(
        "Task 1: call 1 is wrong, kept on purpose: the tool is broken on purpose"
    )
    assert [item.reason for item in freeze_preview(court.team["max"]).kept] == [
        "the tool is broken on purpose"
    ]


@pytest.mark.parametrize("team", [bring_wrong_call], indirect=True)
def test_a_corrected_call_needs_no_reason_and_what_was_said_of_keeping_it_is_dropped(court: Court) -> None:
    court.open()
    court.press("A", "W")
    court.type("later")
    change = partial(set_argument_value, task=0, step=1, path="/depot", value="Hamar-9")
    assert court.document.edit_case("correct the call", change)
    assert not find(court.page, QLabel, "known-defect").isVisible()
    court.press("Escape", "Ctrl+Return")
    court.wait(lambda: said_in(court.page.reveal, "reveal-title", "reveal-text").startswith("c-1 is final"))
    assert freeze_preview(court.team["max"]).kept == ()


def test_what_an_escalating_owner_calls_wrong_is_listed(court: Court) -> None:
    bring_owners_doubt(court.team, calls=(True, False))
    court.open()
    court.press("F8")
    assert court.row_id() == "task.0.call.1.correct"
    court.press("O", "1")
    assert chip(court) == "decided"


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
@pytest.mark.parametrize("name", ["feedback-note-A", "decision-note"])
def test_escape_leaves_a_line_of_text_and_the_letters_decide_again(court: Court, name: str) -> None:
    court.open()
    court.press("T", "Down")
    line = find(court.page, QLineEdit, name)
    line.setFocus()
    court.type("see there")
    court.press("Escape", "A")
    assert line.text() == "see there"
    assert court.document.decision.fields == {"task.0.policy": "A"}


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_escape_leaves_the_choice_of_feedback(court: Court) -> None:
    court.open()
    court.press("T", "Escape", "A")
    assert court.document.decision.fields == {"task.0.policy": "A"}
    assert court.document.decision.feedback == ()


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_the_figures_name_both_drawings_and_their_agreement(court: Court) -> None:
    court.open()
    assert court.page.columns.drawings.lines[1:] == (
        ("A", "1", "3", "serial"),
        ("B", "3", "2", "parallel"),
        ("Edge F1", "0.00", "", "0 of 1 shared"),
    )
    court.press("A", "A")
    assert ("Decision", "1", "3", "serial") in court.page.columns.drawings.lines


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_the_owners_labels_are_nowhere_to_be_seen_before_the_decision(court: Court) -> None:
    court.open()
    assert court.document.adjudication.case.tasks[0].policy is None
    assert court.page.columns.reasons.words.endswith("is shown once everything is decided.")


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_the_owner_is_shown_once_all_is_decided_while_feedback_can_still_be_given(court: Court) -> None:
    court.open()
    court.press("A", "A")
    assert "shown once everything is decided" in court.page.columns.reasons.words
    court.press("X")
    court.wait(lambda: "as you" in court.page.columns.reasons.words)
    assert court.page.columns.reasons.words.startswith(
        "Policy · task 1: Multi, serial (as you)\nEdge 0 → 1 · task 1: logical (you: parameter)"
    )
    assert court.team.stage("c-1") is Stage.ESCALATED
    box = find(court.page, QComboBox, "feedback-owner")
    box.setCurrentIndex(box.findData(FeedbackCategory.WRONG_DEPENDENCY.value))
    box.activated.emit(box.currentIndex())
    court.press("Ctrl+Return")
    court.wait(lambda: court.team.stage("c-1") is Stage.FINAL)
    assert [row.category for row in feedback_for_me(court.team["ann"])] == ["wrong_dependency"]


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_a_mistake_of_the_teams_own_can_be_told(court: Court) -> None:
    change_review_policy(court.team["max"], ("feedback_categories=wrong currency",))
    court.open()
    court.press("A", "A", "X")
    box = find(court.page, QComboBox, "feedback-owner")
    box.setCurrentIndex(box.findText("wrong currency"))
    box.activated.emit(box.currentIndex())
    assert box.currentText() == "wrong currency"
    court.press("Ctrl+Return")
    court.wait(lambda: court.team.stage("c-1") is Stage.FINAL)
    assert [row.category for row in feedback_for_me(court.team["ann"])] == ["wrong currency"]


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_what_the_owner_said_is_held_against_what_is_decided_afterwards(court: Court) -> None:
    court.open()
    court.press("A", "A", "X")
    court.wait(lambda: "as you" in court.page.columns.reasons.words)
    court.page.columns.table.go_to("task.0.policy")
    court.press("B")
    assert "Policy · task 1: Multi, serial (you: Multi, parallel)" in court.page.columns.reasons.words


def test_where_only_the_owner_differs_the_row_says_so_and_not_how(court: Court) -> None:
    court.team.bring(two_step_case())
    court.team.self_check("ann", "c-1")
    for name, verdict in (("bob", Verdict.ESCALATE), ("cleo", Verdict.APPROVE)):
        court.team.cross_check(name, "c-1", policies={0: Policy.SINGLE}, verdict=verdict)
    court.open()
    judgments = court.page.columns.judgments
    number = judgments.table.currentIndex().row()
    said = [judgments.model.index(number, column).data() for column in range(4)]
    assert said == ["Policy · task 1", "Single", "Single", "owner differs"]
    hint = find(court.page, QLabel, "owner-differs")
    assert hint.isVisible()
    assert "serial" not in hint.text().lower() + court.page.columns.reasons.words.lower()
    court.press("A")
    assert hint.isHidden()


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_what_a_side_found_wrong_is_said_in_the_words_of_the_checklist(court: Court) -> None:
    court.open()
    side = court.document.adjudication.sides[0]
    assert failed_checks(side) == ()
    labels = side.labels[0].model_copy(update={"checklist": {"facts": CheckAnswer.FAIL, "relevant": None}})
    failed = failed_checks(side.model_copy(update={"labels": (labels,)}))
    assert failed == ("Task 1: fails “Facts match the observations”",)


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_an_approval_without_its_checklist_does_not_say_that_no_check_failed(court: Court) -> None:
    court.open()
    shown = court.document.adjudication
    sides = tuple(side.model_copy(update={"reasons": (), "unanswered_count": 3}) for side in shown.sides)
    reasons = court.page.columns.reasons
    reasons.show_case(shown.model_copy(update={"sides": sides}))
    assert "Not answered: 3 items of the checklist." in court.page.columns.reasons.words
    assert "no check failed" not in court.page.columns.reasons.words


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_an_error_that_stays_needs_a_note(court: Court) -> None:
    court.open()
    court.page.columns.dialogue.view.action_requested.emit(
        ActionRequest(
            name="waive",
            task=0,
            step=0,
            finding=Finding(rule="args.enum", severity=Severity.ERROR, message="no", task=0, step=0),
        )
    )
    assert court.target.objectName() == "decision-note"


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_returning_needs_a_note(court: Court) -> None:
    court.open()
    find(court.page, QPushButton, "adjudication-more").click()
    menu = find(court.page, QMenu, "more-menu")
    assert [action.text() for action in menu.actions()] == ["Return to the owner", "Reject the case"]
    menu.close()
    menu.actions()[0].trigger()
    assert court.team.stage("c-1") is Stage.ESCALATED
    court.press("M")
    court.type("Say which depot.")
    court.press("Ctrl+R")
    court.wait(lambda: court.team.stage("c-1") is Stage.RETURNED)


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_feedback_reaches_whoever_it_is_addressed_to(court: Court) -> None:
    court.open()
    court.press("A", "A", "X")
    box = find(court.page, QComboBox, "feedback-B")
    box.setCurrentIndex(box.findData(FeedbackCategory.WRONG_DEPENDENCY.value))
    box.activated.emit(box.currentIndex())
    note = find(court.page, QLineEdit, "feedback-note-B")
    note.setFocus()
    court.pause()
    court.type("the depot flows")
    court.press("Ctrl+Return")
    court.wait(lambda: court.team.stage("c-1") is Stage.FINAL)
    assert [(row.category, row.note) for row in feedback_for_me(court.team["cleo"])] == [
        ("wrong_dependency", "the depot flows")
    ]


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_an_unfinished_decision_is_there_again(court: Court) -> None:
    court.open()
    with court.qtbot.waitSignal(
        court.page.saved_changed, check_params_cb=lambda words, _: words.startswith("Saved")
    ):
        court.press("A")
    court.page.close_case()
    court.open()
    assert court.document.decision.fields == {"task.0.policy": "A"}


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_a_decision_the_store_refuses_is_kept_on_this_computer_and_comes_back(court: Court) -> None:
    court.open()
    set_active(court.team["max"], "eve", active=False)
    with court.qtbot.waitSignal(
        court.page.saved_changed, check_params_cb=lambda words, _: words.startswith("Kept")
    ):
        court.press("A")
    court.page.close_case()
    set_active(court.team["max"], "eve", active=True)
    court.open()
    assert court.document.decision.fields == {"task.0.policy": "A"}
    assert "kept on this computer" in court.page.bar.words


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_a_kept_decision_that_cannot_be_read_any_more_is_named(court: Court, tmp_path: Path) -> None:
    court.open()
    set_active(court.team["max"], "eve", active=False)
    with court.qtbot.waitSignal(
        court.page.saved_changed, check_params_cb=lambda words, _: words.startswith("Kept")
    ):
        court.press("A")
    court.page.close_case()
    [kept] = [path for path in (tmp_path / "state" / "drafts").rglob("*") if path.is_file()]
    kept.write_text("{", encoding="utf-8")
    set_active(court.team["max"], "eve", active=True)
    court.open()
    assert court.document.decision.fields == {}
    assert "cannot be read any more" in court.page.bar.words


@pytest.mark.parametrize("team", [bring_sample], indirect=True)
def test_a_sample_is_verified_unchanged_with_one_key(court: Court) -> None:
    court.open()
    assert find(court.page, QPushButton, "adjudication-finalise").text() == "Verify unchanged"
    court.press("Ctrl+Return")
    court.wait(lambda: court.team.stage("c-1") is Stage.FINAL)


@pytest.mark.parametrize("team", [bring_sample], indirect=True)
def test_an_error_is_not_said_any_longer_once_the_case_is_final(court: Court) -> None:
    court.open()
    court.page.banner.show_message("The result has 1 error.")
    court.press("Ctrl+Return")
    court.wait(lambda: said_in(court.page.reveal, "reveal-title", "reveal-text").startswith("c-1 is final"))
    assert court.page.banner.words == ""


@pytest.mark.parametrize("team", [bring_sample], indirect=True)
def test_enter_on_the_focused_next_case_takes_it(court: Court) -> None:
    court.wait(lambda: court.target is court.page.reveal.next)
    court.press("Return")
    court.wait(lambda: court.page.document is not None)


@pytest.mark.parametrize("team", [bring_sample], indirect=True)
def test_a_sample_shows_all_fields(court: Court) -> None:
    court.open()
    table = court.page.columns.table
    ids = [row.id for row in court.document.rows]
    assert "task.0.policy" in ids
    assert not any(table.isRowHidden(number) for number in range(len(ids)))


@pytest.mark.parametrize("team", [bring_sample], indirect=True)
def test_a_sample_is_corrected_in_its_drawing_and_its_text(court: Court) -> None:
    court.open()
    court.page.columns.graph.view.edges_removed.emit(((0, 1),))
    assert find(court.page, QPushButton, "adjudication-finalise").text() == "Save correction"
    court.page.columns.table.go_to("task.0.policy")
    court.press("O", "3")
    assert court.document.result.problem == ""
    court.press("Ctrl+Return")
    court.wait(lambda: said_in(court.page.reveal, "reveal-title", "reveal-text").startswith("c-1 is final"))
    final = show_case(court.team["max"], "c-1").tasks[0]
    assert (final.policy, final.drawn_edges) == (Policy.MULTI_PARALLEL, ())


@pytest.mark.parametrize("team", [bring_owners_doubt], indirect=True)
def test_an_owners_doubt_shows_the_case_as_it_is_to_work_on(court: Court) -> None:
    court.open()
    assert court.page.columns.graph.isVisible()
    assert not court.page.columns.drawings.isVisible()
    court.press("Ctrl+Return")
    court.wait(lambda: court.team.stage("c-1") is Stage.FINAL)


def test_when_nothing_waits_the_page_says_why(court: Court) -> None:
    with court.qtbot.waitSignal(court.page.finished) as told:
        court.press("N")
    assert told.args[0]


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_n_takes_the_next_case(court: Court) -> None:
    court.press("N")
    court.wait(lambda: court.page.document is not None)


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
@pytest.mark.parametrize("key", ["A", "B"])
def test_clicking_what_a_side_says_takes_it(court: Court, key: str) -> None:
    court.open()
    table = court.page.columns.table
    column = 1 if key == "A" else 2
    table.doubleClicked.emit(table.model().index(table.currentIndex().row(), column))
    assert court.document.decision.fields == {"task.0.policy": key}
