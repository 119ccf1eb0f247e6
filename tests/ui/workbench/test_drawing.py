"""A task is drawn once a person has drawn it or said so; until then its edges are proposals."""

from collections.abc import Iterator
from functools import partial

import pytest
import shiboken6

from annotator.cases.edits import edge_edits, step_edits, task_edits, text_edits
from annotator.drafts.merged_work import merge_work
from annotator.drafts.snapshot import opening_snapshot
from scoring.model.case import Call, Case
from scoring.model.taxonomy import Policy
from tests.annotator.drafts.cases import judgment_of, parcel_case
from tests.factories import answer, call
from tests.factories import case as case_of
from tests.factories import task as task_of
from tests.ui.find import find
from tests.ui.workbench.cases import document_of
from tests.ui.workbench.driving import Bench, policy_of
from ui.desk import case_actions
from ui.desk.case_view import content_of
from ui.desk.document import CaseDocument
from ui.graph.gestures import Mode
from ui.theme import Button, TextLabel


@pytest.fixture
def document(qapp: object) -> Iterator[CaseDocument]:
    found = document_of(parcel_case(), is_drawn=False)
    yield found
    shiboken6.delete(found)


def drawn(document: CaseDocument) -> tuple[bool | None, ...]:
    return tuple(said.drawn for said in document.judgment.tasks)


def pairs(document: CaseDocument, task: int = 0) -> list[tuple[int, int]]:
    return [edge.pair for edge in document.case.tasks[task].drawn_edges]


# what draws a task


def test_one_edge_a_person_changes_draws_its_task_and_no_other(document: CaseDocument) -> None:
    case_actions.toggle_kinds(document, [(0, 1)])
    assert drawn(document) == (True, False)
    document.stack.undo()
    assert drawn(document) == (False, False)
    document.stack.redo()
    assert drawn(document) == (True, False)


def test_the_edges_of_the_file_are_confirmed_as_they_are(document: CaseDocument) -> None:
    assert case_actions.accept_proposals(document)
    assert (drawn(document)[0], pairs(document)) == (True, [(0, 1)])
    assert not case_actions.accept_proposals(document)


def test_no_dependencies_can_be_said_of_a_blank_canvas(document: CaseDocument) -> None:
    document.edit_case("blank it", partial(edge_edits.clear_edges, task=0))
    document.stack.undo()
    case_actions.draw_nothing(document)
    assert (drawn(document)[0], pairs(document)) == (True, [])
    document.stack.undo()
    assert (drawn(document)[0], pairs(document)) == (False, [(0, 1)])


def flowing(*, edges: list[tuple[int, int]] | None = None) -> CaseDocument:
    """A task of three calls that is not drawn: values of the first flow into both others."""
    steps = (
        call("findParcel", {"depot": "Hamar-7", "line": "R-90"}, number="P-881"),
        call("reroute", {"ok": True}, depot="Hamar-7"),
        call("notify", {"ok": True}, line="R-90"),
    )
    shown = case_of(task_of(*steps, answer(), user="Send my parcel P-881 on.", edges=edges or []))
    return document_of(shown, is_drawn=False)


def test_the_first_of_several_suggested_edges_does_not_draw_the_task(qapp: object) -> None:
    found = flowing()
    first, second = found.assessment.suggestions[0]
    case_actions.accept_suggestions(found, [first])
    assert (drawn(found), pairs(found)) == ((False,), [(0, 1)])
    assert content_of(found).drawing.proposed_count == 1
    case_actions.accept_suggestions(found, [second])
    assert drawn(found) == (True,)
    shiboken6.delete(found)


def test_an_edge_drawn_by_hand_claims_nothing_of_what_is_still_suggested(qapp: object) -> None:
    found = flowing()
    case_actions.draw_edge(found, 1, target=2)
    assert drawn(found) == (False,)
    for suggested in found.assessment.suggestions[0]:
        case_actions.draw_edge(found, suggested.edge.source, target=suggested.edge.target)
    assert drawn(found) == (True,)
    case_actions.remove_edges(found, [(0, 1)])  # a drawing may differ from what flows
    assert drawn(found) == (True,)
    shiboken6.delete(found)


def test_an_edge_beside_those_of_the_file_does_not_make_them_ones_own(qapp: object) -> None:
    found = flowing(edges=[(0, 1), (0, 2)])
    case_actions.draw_edge(found, 1, target=2)
    assert (drawn(found), content_of(found).drawing.proposed_count) == ((False,), 2)
    case_actions.accept_proposals(found)
    assert (drawn(found), len(pairs(found))) == ((True,), 3)
    shiboken6.delete(found)


def recorded(*rounds: int | None) -> Case:
    steps = [call().model_copy(update={"recorded_round": number}) for number in rounds]
    return case_of(task_of(*steps, answer()))


@pytest.mark.parametrize(
    ("rounds", "expected"),
    [
        # every step of a round waits for all steps of the round before
        ((1, 1, 2, 3), [(0, 2), (1, 2), (2, 3)]),
        ((0, 1, 1), [(0, 1), (0, 2)]),
        # blind: the rounds are hidden, the steps follow one another
        ((None, None, None), [(0, 1), (1, 2)]),
        # a step somebody inserted comes behind the step before it
        ((1, None, 2, 2), [(0, 1), (1, 2), (1, 3)]),
    ],
)
def test_the_order_recorded_is_a_chain_of_rounds(
    rounds: tuple[int | None, ...], expected: list[tuple[int, int]]
) -> None:
    after = edge_edits.chain_rounds(recorded(*rounds), 0)
    assert [edge.pair for edge in after.tasks[0].drawn_edges] == expected


def test_a_task_with_one_call_is_neither_drawn_nor_undrawn(qapp: object) -> None:
    found = document_of(case_of(task_of(call(), answer())), is_drawn=False)
    case_actions.draw_nothing(found)
    assert drawn(found) == (None,)
    shiboken6.delete(found)


# what keeps it, and what opens it again


def test_a_new_step_opens_the_drawing_again_and_one_that_goes_does_not() -> None:
    found = document_of(parcel_case())
    more = Call(name="reroute", arguments={})
    found.edit_case("add", partial(step_edits.insert_step, task=0, index=2, step=more))
    assert drawn(found) == (False, True)
    case_actions.draw_edge(found, 1, target=2)
    assert drawn(found) == (True, True)
    found.edit_case("remove", partial(step_edits.delete_step, task=0, step=1))
    assert drawn(found) == (True, True)
    shiboken6.delete(found)


def test_texts_labels_and_places_leave_the_drawing_alone() -> None:
    found = document_of(parcel_case())
    found.edit_case("say", partial(text_edits.set_user_text, task=0, text="Send it on."))
    found.edit_case("label", partial(text_edits.set_policy, task=0, policy=Policy.SINGLE))
    found.edit_case("swap", partial(step_edits.move_step, task=0, step=0, to=1))
    found.edit_case("swap tasks", partial(task_edits.move_task, task=0, to=1))
    assert drawn(found) == (True, True)
    shiboken6.delete(found)


def test_two_drawn_tasks_in_one_are_to_be_drawn_together() -> None:
    found = document_of(parcel_case())
    found.edit_case("merge", partial(task_edits.merge_tasks, task=0))
    assert drawn(found) == (False,)
    shiboken6.delete(found)


def test_another_drawing_that_came_with_a_revision_is_nobodys_word() -> None:
    found = document_of(parcel_case())
    other = text_edits.set_user_text(edge_edits.clear_edges(parcel_case(), 0), 0, text="Send it on.")
    found.edit_case("restore revision 1", lambda _: other)
    assert drawn(found) == (False, True)
    found.stack.undo()
    changed = text_edits.set_observation(other, 0, step=0, observation={"depot": "Lom-1"})
    found.edit_case("restore revision 2", lambda _: changed)
    assert drawn(found) == (False, True)
    shiboken6.delete(found)


def test_a_drawing_somebody_else_changed_meanwhile_is_to_be_confirmed() -> None:
    parcel = parcel_case()
    mine = opening_snapshot(parcel, judgment_of(parcel))
    changed = edge_edits.clear_edges(parcel, 0)
    merged = merge_work(parcel, mine, opening_snapshot(changed, judgment_of(changed)))
    assert [said.drawn for said in merged.work.judgment.tasks] == [False, True]


# in the window


def shown_figures(bench: Bench) -> tuple[bool, bool, bool]:
    card = bench.panels.graph.summary
    return card.orders.isVisible(), card.rounds.isVisible(), card.policy.isVisible()


def test_an_imported_task_claims_nothing_until_it_is_confirmed(bench: Bench) -> None:
    bench.open("c-1")
    label, adopt = (
        find(bench.window, TextLabel, "label-drawn"),
        find(bench.window, Button, "label-adopt"),
    )
    bench.press("P", "1")
    assert shown_figures(bench) == (False, False, False)
    assert (label.text(), adopt.isVisible()) == ("", False)
    assert "1 dotted edge proposed" in bench.panels.graph.summary.words.text()
    bench.press("Shift+P", "S")
    assert policy_of(bench, 0) is Policy.SINGLE
    assert bench.panels.graph.view.mode is Mode.SELECT
    assert bench.panels.graph.view.note == "Draw the dependencies first, then play the orders."
    bench.press("G")
    assert shown_figures(bench) == (True, True, True)
    assert (label.text(), adopt.isVisible()) == ("Drawn as serial", True)
    bench.press("Ctrl+Z")
    assert shown_figures(bench) == (False, False, False)


@pytest.mark.parametrize(
    ("key", "expected"), [("U", []), ("O", [(0, 1)]), ("G", [(0, 1)])], ids=["nothing", "recorded", "file"]
)
def test_one_key_draws_the_whole_task(bench: Bench, key: str, expected: list[tuple[int, int]]) -> None:
    bench.open("c-1")
    bench.press(key)
    assert (drawn(bench.document)[0], pairs(bench.document)) == (True, expected)


def test_the_buttons_of_the_panel_do_the_same(bench: Bench) -> None:
    bench.open("c-1")
    find(bench.window, Button, "graph-unconnected").click()
    assert (drawn(bench.document)[0], pairs(bench.document)) == (True, [])


def test_f8_leads_to_the_canvas_of_a_task_that_is_not_drawn(bench: Bench) -> None:
    bench.open("c-1")
    assert "2 tasks not drawn" in bench.chip_words()
    bench.press("F8")
    assert bench.page.keyboard.navigation.problem is not None
    assert bench.page.keyboard.navigation.problem.kind == "drawing"
    assert bench.panels.graph.view.hasFocus()
    bench.press("G")
    assert "1 task not drawn" in bench.chip_words()


def test_a_blind_reviewer_who_draws_nothing_cannot_submit(bench: Bench) -> None:
    bench.team.self_check("bob", "c-1")
    bench.open("c-1")
    for task in ("Alt+1", "Alt+2"):
        bench.press(task, "P", "2", "I", "2", "T", "R", "R", "R")  # the first goes to the call
        bench.check_all(bench.document.selection.task)
    assert {blocker.kind for blocker in bench.document.assessment.blockers} == {"drawing"}
    assert not bench.page.submit_bar.submit.isEnabled()
    bench.press("U", "Alt+1", "O", "Ctrl+Return")
    bench.wait(lambda: not bench.is_open("c-1"))


def test_the_next_self_check_and_a_reopened_draft_know_what_was_drawn(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("U")
    bench.wait(bench.is_saved)
    bench.reopen()
    assert drawn(bench.document) == (True, False)
