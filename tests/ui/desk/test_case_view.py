"""What the two panels of a case are told."""

import pytest

from annotator.cases.edits import text_edits
from annotator.drafts.assessment import assess
from annotator.drafts.snapshot import opening_snapshot
from annotator.project.policy import ReviewPolicy
from scoring.model.taxonomy import Stage
from tests.annotator.drafts.cases import judgment_of, parcel_case
from ui.desk.case_view import coverage_of
from ui.dialogue.card_head import coverage_words
from ui.dialogue.content import EvidenceCoverage


def test_values_that_are_taken_as_found_are_not_counted_among_the_cited() -> None:
    case = text_edits.set_observation(parcel_case(), 0, step=0, observation={"depot": "hamar-7"})
    snapshot = opening_snapshot(case, judgment_of(case))
    policy = ReviewPolicy(exact_as_found=True)
    found = coverage_of(assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=policy))
    counts = {place: (one.cited, one.found, one.total, one.paths) for place, one in found.items()}
    assert counts == {(0, 0): (0, 1, 1, ("/number",)), (0, 1): (0, 0, 1, ()), (1, 1): (0, 1, 1, ("/depot",))}


@pytest.mark.parametrize(
    ("cited", "found", "words"),
    [
        (2, 0, "2 of 4 cited"),
        (2, 2, "2 of 4 cited, 2 taken as found"),
        (0, 1, "0 of 4 cited, 1 taken as found"),
    ],
)
def test_a_card_says_how_much_is_cited_and_how_much_needs_no_citation(
    cited: int, found: int, words: str
) -> None:
    assert coverage_words(EvidenceCoverage(cited=cited, total=4, found=found)) == words
