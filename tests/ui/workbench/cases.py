"""Documents the tests of the workbench share."""

from annotator.project.policy import ReviewPolicy
from scoring.model.case import Case
from scoring.model.labels import without_labels
from scoring.model.taxonomy import Stage
from tests.annotator.drafts.cases import judgment_of
from ui.desk.document import CaseDocument


def document_of(
    shown: Case, *, stage: Stage = Stage.SELF_CHECK_TASK, is_blind: bool = False, is_drawn: bool = True
) -> CaseDocument:
    """A fresh document on a case, whose tasks its owner has drawn before; a blind reviewer has not."""
    base = without_labels(shown) if is_blind else shown
    start = judgment_of(base, is_drawn=is_drawn and not is_blind)
    return CaseDocument(base, start, stage=stage, policy=ReviewPolicy(), is_blind=is_blind)
