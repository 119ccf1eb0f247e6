"""What is typed and given up with Escape is not lost: redo brings it again."""

import pytest

from annotator.drafts.draft_body import OpenEditor
from scoring.model.case import Case
from tests.ui.workbench.cases import document_of
from tests.ui.workbench.driving import Bench
from ui.desk.case_actions import apply_edit
from ui.desk.document import CaseDocument
from ui.dialogue.content import Edit


def type_request(document: CaseDocument, text: str, *, is_final: bool = False) -> None:
    apply_edit(document, Edit(task=0, step=None, field="user", value=text, is_final=is_final))


def request(document: CaseDocument) -> str:
    return document.case.tasks[0].user


@pytest.mark.parametrize("pause", [0, 400])
def test_a_sentence_given_up_with_escape_is_brought_again_by_one_redo(bench: Bench, pause: int) -> None:
    bench.open("c-1")
    before = bench.document.snapshot
    bench.press("F2", "Ctrl+A")
    bench.type("Never mind.")
    bench.qtbot.wait(pause)
    bench.press("Escape")
    assert bench.document.snapshot == before
    assert not bench.document.stack.canUndo()
    bench.press("Ctrl+Shift+Z")
    assert request(bench.document) == "Never mind."
    assert not bench.document.stack.canRedo()
    bench.press("Ctrl+Z")
    assert bench.document.snapshot == before


def test_arguments_given_up_in_the_form_are_brought_again_by_redo(bench: Bench) -> None:
    bench.open("c-1")
    before = bench.document.case
    bench.press("J", "F2", "F4")
    bench.press("Ctrl+A")
    bench.type("P-9")
    bench.press("Escape")
    assert bench.document.case == before
    bench.press("Ctrl+Shift+Z")
    assert bench.document.case.tasks[0].calls[0][1].arguments == {"number": "P-9"}


def test_broken_json_given_up_is_brought_again_by_redo(bench: Bench) -> None:
    bench.open("c-1")
    before = bench.document.snapshot
    bench.press("J", "F2", "Ctrl+A")
    for _ in range(2):
        bench.type('{"number": ')
        bench.press("Escape")
        assert bench.document.snapshot == before
        assert not bench.document.stack.canUndo()
        bench.press("Ctrl+Shift+Z")
        bench.wait(lambda: bench.panels.dialogue.view.unread is not None)
        assert bench.panels.dialogue.view.unread == OpenEditor(
            task=0, step=0, field="arguments", text='{"number": '
        )
        bench.press("Ctrl+A")
    assert not bench.document.stack.canRedo()


def test_what_a_field_of_the_form_could_not_hold_is_brought_again_by_redo(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "F2", "Ctrl+A")
    bench.type('{"number": "P-2", "count": 1}')
    bench.press("F4", "Down")
    bench.type("x")
    bench.press("Escape", "Ctrl+Shift+Z", "Ctrl+Shift+Z")
    bench.wait(lambda: bench.panels.dialogue.view.unread is not None)
    unread = bench.panels.dialogue.view.unread
    assert unread is not None
    assert dict(unread.rows).keys() == {"/count"}
    assert bench.document.case.tasks[0].calls[0][1].arguments == {"number": "P-2", "count": 1}


def test_giving_up_goes_back_no_further_than_the_editor_was_opened(parcel: Case) -> None:
    document = document_of(parcel)
    type_request(document, "First.", is_final=True)
    type_request(document, "Second.")
    type_request(document, "First.", is_final=True)
    assert request(document) == "First."
    assert document.stack.index() == 1
    document.stack.redo()
    assert request(document) == "Second."


def test_what_was_done_elsewhere_since_is_not_undone_by_giving_up(parcel: Case) -> None:
    document = document_of(parcel)
    type_request(document, "Typed.")
    document.edit_case("label", _unlabelled)
    type_request(document, parcel.tasks[0].user, is_final=True)
    assert document.case.tasks[0].policy is None
    assert request(document) == parcel.tasks[0].user


def test_keeping_what_is_there_already_undoes_nothing(parcel: Case) -> None:
    document = document_of(parcel)
    type_request(document, "Typed.", is_final=True)
    type_request(document, parcel.tasks[0].user, is_final=False)
    type_request(document, parcel.tasks[0].user, is_final=True)
    assert request(document) == parcel.tasks[0].user
    assert document.stack.index() == 2


def _unlabelled(case: Case) -> Case:
    first = case.tasks[0].model_copy(update={"policy": None})
    return case.model_copy(update={"tasks": (first, *case.tasks[1:])})
