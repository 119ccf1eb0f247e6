"""The case of an adjudication is shown and edited by the desk, on one undo stack with the decision."""

from functools import partial

import pytest

from annotator.cases.edits.text_edits import set_answer_text
from annotator.review.expert.decision_edits import take_side
from scoring.model.taxonomy import Stage
from tests.annotator.review.expert.disputes import bring_dispute, bring_sample, bring_three_ways
from tests.ui.adjudication.driving import Court

CORRECTED = partial(set_answer_text, task=0, text="It went on from Hamar-7.")


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_decisions_and_edits_are_undone_in_the_order_they_were_made(court: Court) -> None:
    court.open()
    document = court.document
    shown = document.case
    assert document.change("take A", partial(take_side, field_id="task.0.policy", choice="A"))
    assert document.edit_case("correct the answer", CORRECTED)
    assert document.decision.edit == document.case != shown
    court.press("Ctrl+Z")
    assert document.case == shown
    assert document.decision.edit is None
    assert document.decision.fields == {"task.0.policy": "A"}
    court.press("Ctrl+Z")
    assert document.decision.fields == {}
    court.press("Ctrl+Y", "Ctrl+Y")
    assert document.decision.edit == CORRECTED(shown)


@pytest.mark.parametrize("team", [bring_sample], indirect=True)
def test_an_edit_of_the_case_is_saved_with_the_decision_and_comes_back(court: Court) -> None:
    court.open()
    with court.qtbot.waitSignal(
        court.page.saved_changed, check_params_cb=lambda words, _: words.startswith("Saved")
    ):
        assert court.document.edit_case("correct the answer", CORRECTED)
    edited = court.document.case
    court.page.close_case()
    court.open()
    assert court.document.case == court.document.decision.edit == edited
    assert not court.document.stack.canUndo()
    court.press("Ctrl+Return")
    court.wait(lambda: court.team.stage("c-1") is Stage.FINAL)


@pytest.mark.parametrize("team", [bring_sample], indirect=True)
def test_findings_follow_the_edit_and_its_undo(court: Court) -> None:
    court.open()
    before = court.document.findings
    court.page.columns.graph.view.edges_removed.emit(((0, 1),))
    assert court.document.findings != before
    court.press("Ctrl+Z")
    assert court.document.findings == before


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_a_blind_expert_gets_no_finding_about_labels_after_an_edit(court: Court) -> None:
    court.open()
    assert court.document.edit_case("correct the answer", CORRECTED)
    rules = {finding.rule.partition(".")[0] for finding in court.document.findings}
    assert not rules & {"labels", "policy", "information", "graph"}


@pytest.mark.parametrize("team", [bring_three_ways], indirect=True)
def test_a_step_selected_in_the_drawing_is_shown_in_the_dialogue(court: Court) -> None:
    court.open()
    court.page.columns.drawings.panel.view.select_step(1)
    assert court.page.columns.dialogue.view.current == (0, 1)
    assert court.document.selection.step == 1
