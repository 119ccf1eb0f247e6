"""A case as it is edited, and when an edit of its dependencies counts as the drawing of a task."""

import pytest

from annotator.cases.edits import edge_edits, text_edits
from annotator.drafts.snapshot import Snapshot, opening_snapshot, with_case
from scoring.model.case import Case
from tests.annotator.drafts.cases import judgment_of, parcel_case


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
