"""Labels of one judgment put into a case."""

from annotator.drafts.labels import with_reviews
from scoring.model.taxonomy import ReviewLabel
from tests.annotator.drafts.cases import parcel_case


def test_a_task_whose_calls_keep_their_labels_stays_the_same_object() -> None:
    shown = parcel_case().tasks[0]
    labelled = with_reviews(shown, {0: ReviewLabel.SUCCESS})
    assert labelled is not shown
    assert with_reviews(labelled, {0: ReviewLabel.SUCCESS}) is labelled
