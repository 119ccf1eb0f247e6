"""The expert draws edges by keys and with the mouse."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from annotator.cases.access import show_case
from annotator.cases.history import case_history
from annotator.review.expert.decided_edges import (
    own_edges,
)
from annotator.review.expert.decision_edits import take_side
from annotator.review.expert.decisions import Decision, Own
from scoring.errors import InputError
from scoring.model.taxonomy import EdgeKind, Stage
from tests.annotator.review.expert.disputes import bring_three_ways
from tests.ui.adjudication.driving import Court
from tests.ui.find import said_in
from ui.graph.gestures import Mode

FIRST_TO_THIRD, SECOND_TO_THIRD = "task.0.edge.0-2", "task.0.edge.1-2"


@pytest.mark.parametrize("team", [bring_three_ways], indirect=True)
def test_an_edge_is_drawn_by_keys_and_becomes_part_of_the_result(court: Court) -> None:
    court.open()
    court.press("G", "1", "2")
    assert court.row_id() == SECOND_TO_THIRD
    assert court.document.decision.fields == {SECOND_TO_THIRD: Own(own="logical")}
    look = court.page.columns.drawings.panel.view.board.edges[1, 2].look
    assert (look.label, look.tip) == ("yours", "drawn by you, logical")
    court.press("Escape", "Escape", "Escape")
    assert court.target.objectName() == "fields-table"
    court.press("F8", "A", "A", "A", "A", "Y", "Y")
    assert court.document.left == ()
    court.press("Ctrl+Return")
    court.wait(lambda: said_in(court.page.reveal, "reveal-title", "reveal-text").startswith("c-1 is final"))
    final = show_case(court.team["max"], "c-1").tasks[0]
    assert [(edge.pair, edge.kind) for edge in final.drawn_edges] == [
        ((0, 2), EdgeKind.PARAMETER),
        ((1, 2), EdgeKind.LOGICAL),
    ]
    assert court.page.reveal.lines[-1] == ("Edge 1 → 2 · task 1", "logical", "not drawn")
    newest = max(case_history(court.team["max"], "c-1"), key=lambda row: row.number)
    assert (newest.author, newest.stage) == ("eve", Stage.ESCALATED)


@pytest.mark.parametrize("team", [bring_three_ways], indirect=True)
def test_an_edge_that_closes_a_circle_is_refused_in_words(court: Court) -> None:
    court.open()
    court.document.decide("take A", lambda d: take_side(d, FIRST_TO_THIRD, choice="A"))
    court.press("G", "2", "0")
    view = court.page.columns.drawings.panel.view
    assert view.note == "This would close a circle: 2 → 0 → 2."
    assert own_edges(court.document.adjudication, court.document.decision, 0) == ()


@pytest.mark.parametrize("team", [bring_three_ways], indirect=True)
def test_what_cannot_be_decided_is_said_with_its_next_step(court: Court) -> None:
    court.open()

    def impossible(_: Decision) -> Decision:
        raise InputError("There is no such side.", "Take another.")

    assert not court.document.decide("take Z", impossible)
    assert court.page.bar.words == "There is no such side. Take another."


@pytest.mark.parametrize("team", [bring_three_ways], indirect=True)
def test_taking_a_side_that_closes_a_circle_with_an_own_edge_is_refused_in_words(court: Court) -> None:
    court.open()
    court.press("G", "2", "0", "Escape", "Escape", "Escape")
    court.page.columns.table.go_to(FIRST_TO_THIRD)
    court.press("A")
    assert court.page.bar.words.startswith("This would close a circle: ")
    assert court.page.bar.words.endswith("Leave one of its other edges out first.")
    assert FIRST_TO_THIRD not in court.document.decision.fields
    assert court.row_id() == FIRST_TO_THIRD


@pytest.mark.parametrize("team", [bring_three_ways], indirect=True)
def test_the_numbers_after_g_are_both_steps_of_the_edge_whatever_was_selected(court: Court) -> None:
    court.open()
    court.press("G", "1", "2", "G", "0", "1")
    assert [edge.pair for edge in own_edges(court.document.adjudication, court.document.decision, 0)] == [
        (1, 2)
    ]
    assert court.document.decision.fields["task.0.edge.0-1"] == "B"


@pytest.mark.parametrize("team", [bring_three_ways], indirect=True)
def test_drawing_an_edge_can_be_undone(court: Court) -> None:
    court.open()
    court.press("G", "1", "2", "Ctrl+Z")
    assert court.document.decision == Decision()
    assert (1, 2) not in court.page.columns.drawings.panel.view.board.edges


@pytest.mark.parametrize("team", [bring_three_ways], indirect=True)
def test_a_line_pulled_with_the_mouse_draws_an_edge(court: Court) -> None:
    court.open()
    view = court.page.columns.drawings.panel.view
    view.set_mode(Mode.CONNECT)

    def middle(step: int) -> QPoint:
        box = view.board.layout.boxes[step]
        return view.mapFromScene(QPointF(box.left + box.width / 2, box.top + box.height / 2))

    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=middle(1))
    QTest.mouseMove(view.viewport(), middle(2))
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=middle(2))
    assert court.document.decision.fields == {SECOND_TO_THIRD: Own(own="logical")}


@pytest.mark.parametrize("team", [bring_three_ways], indirect=True)
def test_a_clicked_edge_brings_its_line_and_delete_leaves_it_out(court: Court) -> None:
    court.open()
    view = court.page.columns.drawings.panel.view
    where = view.mapFromScene(view.board.edges[0, 2].path().pointAtPercent(0.5))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert court.row_id() == FIRST_TO_THIRD
    assert view.note == "0 → 2: only A, parameter. Delete leaves it out, K changes its kind."
    court.press("Delete")
    assert court.document.decision.fields == {FIRST_TO_THIRD: "B"}
    assert view.board.edges[0, 2].look.label == "left out"


@pytest.mark.parametrize("team", [bring_three_ways], indirect=True)
def test_saying_as_the_sides_did_forgets_an_own_edge(court: Court) -> None:
    court.open()
    court.press("G", "1", "2", "Escape", "Escape", "Escape")
    court.page.columns.table.go_to(SECOND_TO_THIRD)
    court.press("A")
    assert court.document.decision == Decision()
