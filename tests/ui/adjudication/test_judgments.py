"""Merges and feedback by keys, and three sides side by side."""

import pytest

from annotator.review.expert.decisions import Decision
from scoring.model.taxonomy import FeedbackCategory
from tests.annotator.review.expert.disputes import bring_dispute, bring_three_ways
from tests.ui.adjudication.driving import Court
from tests.ui.find import find
from ui.theme import Button

ANSWER = "task.0.step.3.text"


@pytest.mark.parametrize("team", [bring_three_ways], indirect=True)
def test_the_merges_are_a_menu_with_digits_and_counts(court: Court) -> None:
    court.open()
    court.press("U")
    texts = [action.text() for action in court.target.actions()]
    assert texts[:3] == [
        "&1  what all reviewers say (0)",
        "&2  what most reviewers say (4)",
        "&3  everything open as A says (4)",
    ]
    court.press("2")
    assert court.document.left == ("task.0.edge.0-2",)
    assert court.row_id() == "task.0.edge.0-2"
    court.press("Ctrl+Z")
    assert court.document.decision == Decision()


@pytest.mark.parametrize("team", [bring_three_ways], indirect=True)
def test_three_sides_have_columns_and_any_two_drawings_are_compared(court: Court) -> None:
    court.open()
    table = court.page.columns.table
    assert [table.model().headerData(i, table.horizontalHeader().orientation()) for i in range(5)] == [
        "Field",
        "A",
        "B",
        "C",
        "Decision",
    ]
    drawings = court.page.columns.drawings
    assert drawings.lines[-1] == ("Edge F1", "0.00", "", "0 of 2 shared")
    court.press("P")
    assert find(drawings, Button, "graph-compare").isVisible()
    # both drew 0 -> 2, for different reasons
    assert drawings.lines[-1] == ("Edge F1", "1.00", "", "1 of 1 shared")
    court.press("C")
    assert court.document.decision.fields == {"task.0.policy": "C"}


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_a_letter_nobody_has_says_so(court: Court) -> None:
    court.open()
    assert not find(court.page, Button, "graph-compare").isVisible()
    court.press("C")
    assert court.document.decision == Decision()


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_feedback_is_given_by_keys(court: Court) -> None:
    court.open()
    court.press("T", "T", "Down")
    (item,) = court.document.decision.feedback
    assert (item.to, item.category) == ("B", FeedbackCategory.INSUFFICIENT_EVIDENCE)
