"""An expert who begins to type a sentence where letters decide has decided nothing."""

import pytest

from tests.annotator.review.expert.disputes import bring_dispute
from tests.ui.adjudication.driving import Court
from tests.ui.sentences import type_sentence


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
@pytest.mark.parametrize("text", ["Please move the files", "a box of parcels", "by the way"])
def test_a_sentence_decides_nothing(court: Court, text: str) -> None:
    court.open()
    before = court.document.decision
    type_sentence(court.window, text)
    assert court.document.decision == before
    assert court.document.stack.index() == 0


@pytest.mark.parametrize("team", [bring_dispute], indirect=True)
def test_a_note_is_typed_behind_its_letter(court: Court) -> None:
    court.open()
    court.press("M")
    court.type("the depot is known")
    court.page.flush()
    assert court.document.decision.note == "the depot is known"
