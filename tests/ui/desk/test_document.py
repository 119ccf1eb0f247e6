"""The document: one action is one step of undo, and the checks follow every edit."""

from collections.abc import Iterator
from functools import partial

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

from annotator.cases.edits import edge_edits, step_edits, text_edits
from annotator.drafts.assessment import assess
from annotator.drafts.snapshot import Snapshot
from annotator.drafts.statements import cite, set_completed, set_task_check
from annotator.project.policy import ReviewPolicy
from scoring.errors import AnnotatorError, CycleError, InputError
from scoring.model.case import Case
from scoring.model.labels import Judgment, Reason
from scoring.model.taxonomy import CheckAnswer, FeedbackCategory, Policy, Stage, Verdict
from tests.annotator.drafts.cases import judgment_of, mark, parcel_case
from tests.factories import answer, task
from tests.factories import case as case_of
from tests.ui.workbench.cases import document_of
from ui.desk.document import CaseDocument, Selection


@pytest.fixture
def document(qapp: object) -> Iterator[CaseDocument]:
    found = document_of(parcel_case())
    yield found
    shiboken6.delete(found)


@pytest.fixture
def blind(qapp: object) -> Iterator[CaseDocument]:
    found = document_of(parcel_case(), stage=Stage.CROSS_CHECK, is_blind=True)
    yield found
    shiboken6.delete(found)


def say(document: CaseDocument, text: str, *, key: str = "user 0") -> None:
    document.edit_case("change the request", partial(text_edits.set_user_text, task=0, text=text), key=key)


def test_typing_in_one_field_is_one_step_of_undo(document: CaseDocument) -> None:
    before = document.case
    for text in ("S", "Se", "Send"):
        say(document, text)
    assert document.case.tasks[0].user == "Send"
    assert document.stack.count() == 1
    document.stack.undo()
    assert document.case == before


def test_going_elsewhere_ends_the_step(document: CaseDocument) -> None:
    say(document, "S")
    document.select(1)
    say(document, "Se")
    assert document.stack.count() == 2


def test_typing_after_an_undo_is_a_step_of_its_own(document: CaseDocument) -> None:
    say(document, "S")
    document.select(1)
    say(document, "Se")
    document.stack.undo()
    say(document, "Sx")
    assert document.stack.count() == 2
    document.stack.undo()
    assert document.case.tasks[0].user == "S"


def test_typing_back_to_where_one_began_leaves_nothing_to_undo(document: CaseDocument) -> None:
    start = document.case.tasks[0].user
    say(document, start + "x")
    say(document, start)
    assert not document.stack.canUndo()


def test_edits_without_a_key_are_steps_of_their_own(document: CaseDocument) -> None:
    document.edit_case("label", partial(text_edits.set_policy, task=0, policy=Policy.SINGLE))
    document.edit_case("label", partial(text_edits.set_policy, task=0, policy=Policy.CHAT))
    assert document.stack.count() == 2


def test_undo_goes_back_to_where_it_happened(document: CaseDocument) -> None:
    document.select(0, 1)
    say(document, "x")
    document.select(1)
    document.stack.undo()
    assert document.selection == Selection(0, 1)


def test_an_edit_that_changes_nothing_is_no_step(document: CaseDocument) -> None:
    assert not document.edit_case("label", lambda case: case.model_copy())
    assert document.stack.count() == 0


def test_a_refused_edit_changes_nothing_and_says_why(qtbot: QtBot, document: CaseDocument) -> None:
    before = document.snapshot
    with qtbot.waitSignal(document.refused) as said:
        document.edit_case("draw", partial(edge_edits.add_edge, task=0, source=1, target=0))
    assert isinstance(said.args[0], CycleError)
    assert document.snapshot is before


def test_what_was_said_follows_the_steps_through_undo(document: CaseDocument) -> None:
    document.edit_judgment("mark", partial(cite, citations=[mark(0, 1, "/depot")]))
    document.edit_case("delete step 0", partial(step_edits.delete_step, task=0, step=0))
    assert [c.step for c in document.judgment.evidence] == [0]
    document.stack.undo()
    assert [c.step for c in document.judgment.evidence] == [1]


def test_the_judgment_carries_the_labels_of_the_case(document: CaseDocument) -> None:
    document.edit_case("label", partial(text_edits.set_policy, task=0, policy=Policy.SINGLE))
    assert document.judgment.tasks[0].policy is Policy.SINGLE
    document.edit_case("remove", partial(edge_edits.remove_edge, task=0, source=0, target=1))
    assert document.judgment.tasks[0].edges == ()


def test_the_checks_follow_an_edit(qtbot: QtBot, document: CaseDocument) -> None:
    assert not [f for f in document.assessment.findings if f.rule == "policy.differs"]
    with qtbot.waitSignal(document.assessed):
        document.edit_case("label", partial(text_edits.set_policy, task=0, policy=Policy.SINGLE))
    assert [f.task for f in document.assessment.findings if f.rule == "policy.differs"] == [0]


def test_while_one_types_the_checks_wait_for_a_pause(qtbot: QtBot, document: CaseDocument) -> None:
    told: list[str] = []
    document.changed.connect(lambda: told.append("changed"))
    document.assessed.connect(lambda: told.append("assessed"))
    say(document, "S")
    say(document, "Se")
    assert told == ["changed", "changed"]
    qtbot.waitUntil(lambda: told == ["changed", "changed", "assessed"])


def test_a_selection_that_does_not_exist_is_brought_back(document: CaseDocument) -> None:
    document.select(9, 1)
    assert document.selection == Selection(1, 1)
    document.select(0, 7)
    assert document.selection == Selection(0, None)


def test_the_submitted_judgment_holds_the_edit_and_what_was_accepted(document: CaseDocument) -> None:
    document.seconds = 61.5
    say(document, "Send it on.")
    document.edit_judgment("mark", partial(cite, citations=[mark(0, 1, "/depot")]))
    document.edit_case(
        "value", partial(text_edits.set_argument_value, task=0, step=1, path="/depot", value="X")
    )
    judgment = document.judgment_for(Verdict.APPROVE)
    assert judgment.edit is not None
    assert judgment.edit.tasks[0].user == "Send it on."
    assert judgment.evidence == ()  # the marked value is another one now
    assert (judgment.verdict, judgment.seconds) == (Verdict.APPROVE, 61.5)


def test_an_untouched_case_is_submitted_without_an_edit(document: CaseDocument) -> None:
    assert document.judgment_for(Verdict.APPROVE).edit is None


def test_reasons_go_with_another_verdict(document: CaseDocument) -> None:
    reason = Reason(category=FeedbackCategory.OTHER, note="empty")
    judgment = document.judgment_for(Verdict.REJECT, [reason])
    assert (judgment.verdict, judgment.reasons) == (Verdict.REJECT, (reason,))


def test_a_blind_reviewer_starts_without_labels_and_edges_and_draws_alone(
    blind: CaseDocument,
) -> None:
    assert [task.drawn_edges for task in blind.case.tasks] == [(), ()]
    blind.edit_case("draw", partial(edge_edits.add_edge, task=0, source=0, target=1))
    judgment = blind.judgment_for(Verdict.APPROVE)
    assert [(a, b) for a, b, _ in judgment.tasks[0].edges] == [(0, 1)]
    assert judgment.edit is None


def test_in_a_blind_case_the_answer_still_comes_last(blind: CaseDocument) -> None:
    assert [edge.pair for edge in blind.case.tasks[0].edges] == [(0, 2), (1, 2)]
    assert not [f for f in blind.assessment.findings if f.rule == "graph.answer_early"]


def test_a_blind_reviewers_text_edit_is_a_proposal_without_labels(blind: CaseDocument) -> None:
    blind.edit_case("label", partial(text_edits.set_policy, task=0, policy=Policy.SINGLE))
    say(blind, "Send it on.")
    edit = blind.judgment_for(Verdict.APPROVE).edit
    assert edit is not None
    assert edit.tasks[0].user == "Send it on."
    assert edit.tasks[0].policy is None


def test_a_blind_reviewer_cannot_change_the_steps(qtbot: QtBot, blind: CaseDocument) -> None:
    with qtbot.waitSignal(blind.refused) as said:
        blind.edit_case("delete", partial(step_edits.delete_step, task=0, step=0))
    assert isinstance(said.args[0], InputError)
    assert len(blind.case.tasks[0].steps) == 3


def test_300_edits_share_what_they_do_not_change(qapp: object) -> None:
    import tracemalloc

    many = case_of(*(task(answer("x" * 20_000)) for _ in range(10)))
    document = document_of(many)
    tracemalloc.start()
    for number in range(300):
        document.edit_case("label", partial(_renamed, number=number))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert document.stack.count() == 300
    assert size < 5_000_000
    shiboken6.delete(document)


def _renamed(case: Case, number: int) -> Case:
    return text_edits.set_user_text(case, number % 10, text=f"request {number}")


def test_what_undo_would_take_back_is_told(qtbot: QtBot, document: CaseDocument) -> None:
    with qtbot.waitSignal(document.undo_changed) as said:
        document.edit_judgment("confirm facts", partial(_confirmed, item="facts"))
    assert said.args == ["confirm facts"]
    with qtbot.waitSignal(document.undo_changed) as said:
        document.stack.undo()
    assert said.args == [""]


def _confirmed(judgment: Judgment, item: str) -> Judgment:
    return set_task_check(set_completed(judgment, 0, completed=True), 0, item=item, answer=CheckAnswer.PASS)


def test_errors_that_are_no_refusal_are_not_swallowed(document: CaseDocument) -> None:
    def broken(case: Case) -> Case:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        document.edit_case("break", broken)
    assert issubclass(InputError, AnnotatorError)


def test_a_document_that_is_only_read_takes_no_edit(qapp: object) -> None:
    start = Snapshot(parcel_case(), judgment_of(parcel_case()))
    said = assess(start, stage=Stage.FINAL, policy=ReviewPolicy())
    read = CaseDocument(
        start.case,
        start.judgment,
        stage=Stage.FINAL,
        policy=ReviewPolicy(),
        draft=start,
        assessment=said,
        is_read_only=True,
    )
    assert not read.edit_case("delete the step", partial(step_edits.delete_step, task=0, step=0))
    assert not read.start_over()
    assert (read.snapshot, read.assessment, read.stack.count()) == (start, said, 0)
    shiboken6.delete(read)
