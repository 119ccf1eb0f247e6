"""A case as it is edited, and when an edit of its dependencies counts as the drawing of a task."""

from collections.abc import Sequence

import pytest

from annotator.cases.edits import edge_edits, text_edits
from annotator.cases.edits.step_edits import delete_step
from annotator.drafts.snapshot import (
    Snapshot,
    opening_snapshot,
    require_same_steps,
    sealed,
    with_case,
    with_drawing,
)
from annotator.drafts.statements import cite, set_drawn, waive
from scoring.errors import InputError
from scoring.model.case import Case
from scoring.model.labels import Finding, Judgment, without_labels
from scoring.model.taxonomy import Policy, Severity, Verdict
from tests.annotator.drafts.cases import judgment_of, mark, parcel_case
from tests.factories import answer, case, task


def undrawn() -> Snapshot:
    """The parcel case as somebody opens it who has drawn nothing."""
    return opening_snapshot(parcel_case(), judgment_of(parcel_case(), is_drawn=False))


def without_edges_at_the_answer(case: Case) -> Case:
    first = case.tasks[0].model_copy(update={"edges": tuple(case.tasks[0].drawn_edges)})
    return case.model_copy(update={"tasks": (first, *case.tasks[1:])})


@pytest.mark.parametrize("is_proposed", [False, True])
def test_a_task_is_drawn_once_none_of_its_dependencies_waits(is_proposed: bool) -> None:
    edited = with_case(
        undrawn(),
        lambda case: edge_edits.remove_edge(case, 0, source=0, target=1),
        is_proposed=lambda case, task: is_proposed,
    )
    assert [labels.drawn for labels in edited.judgment.tasks] == [not is_proposed, False]


def test_a_task_drawn_as_a_whole_is_drawn_although_nothing_changes() -> None:
    drawn = with_drawing(undrawn(), lambda case: case, task=1)
    assert [labels.drawn for labels in drawn.judgment.tasks] == [False, True]
    undrawable = judgment_of(case(task(answer())))
    assert set_drawn(undrawable, 0) == undrawable


def test_a_change_at_the_answer_alone_draws_nothing() -> None:
    edited = with_case(undrawn(), without_edges_at_the_answer, is_proposed=lambda case, task: False)
    assert edited.case.tasks[0].edges != parcel_case().tasks[0].edges
    assert edited.judgment.tasks[0].drawn is False


def test_an_edit_of_more_than_dependencies_draws_nothing() -> None:
    edited = with_case(
        undrawn(),
        lambda case: edge_edits.remove_edge(
            text_edits.set_user_text(case, 0, text="Where is it?"), 0, source=0, target=1
        ),
        is_proposed=lambda case, task: False,
    )
    assert edited.judgment.tasks[0].drawn is False


def test_an_edit_that_changes_nothing_leaves_the_very_same_document() -> None:
    document = undrawn()
    assert with_case(document, lambda case: case) is document


def test_steps_are_the_same_while_only_texts_differ() -> None:
    before = parcel_case()
    require_same_steps(before, text_edits.set_user_text(before, 0, text="Where is it?"))
    with pytest.raises(InputError, match="cannot add, remove or move"):
        require_same_steps(before, delete_step(before, 0, step=0))


def submitted(document: Snapshot, *, is_blind: bool, findings: Sequence[Finding] = ()) -> Judgment:
    return sealed(
        document,
        base=parcel_case(),
        findings=findings,
        is_blind=is_blind,
        verdict=Verdict.APPROVE,
        seconds=7.5,
    )


def test_what_is_submitted_leaves_out_what_nobody_accepted_and_waivers_of_nothing() -> None:
    case = parcel_case()
    there, gone = (Finding(rule=rule, severity=Severity.WARNING, message="", task=0) for rule in "ab")
    judgment = waive(waive(judgment_of(case), there, reason="seen"), gone, reason="seen")
    judgment = cite(judgment, [mark(0, 0, "/number")])
    proposed = mark(0, 1, "/depot").model_copy(update={"accepted": False})
    judgment = judgment.model_copy(update={"evidence": (*judgment.evidence, proposed)})
    found = submitted(Snapshot(case, judgment), is_blind=False, findings=[there])
    assert [waiver.rule for waiver in found.waivers] == ["a"]
    assert [citation.step for citation in found.evidence] == [0]
    assert (found.verdict, found.seconds, found.edit) == (Verdict.APPROVE, 7.5, None)


def test_a_label_is_an_edit_only_where_labels_are_not_compared() -> None:
    relabelled = with_case(undrawn(), lambda case: text_edits.set_policy(case, 0, policy=Policy.SINGLE))
    assert submitted(relabelled, is_blind=True).edit is None
    assert submitted(relabelled, is_blind=False).edit == relabelled.case
    reworded = with_case(relabelled, lambda case: text_edits.set_user_text(case, 0, text="Where is it?"))
    edit = submitted(reworded, is_blind=True).edit
    assert edit == without_labels(reworded.case)
