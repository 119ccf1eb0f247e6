"""Taking a case to decide: what is read of it, and which one is next."""

from dataclasses import dataclass

from annotator.project.workspace import Done, Workspace
from annotator.review.claiming import AssignmentRow, claim_next
from annotator.review.drafts import open_assignment
from annotator.review.verifying import Adjudication, Decision, open_adjudication
from scoring.model.taxonomy import Stage
from ui.adjudication.keeping import saved_decision


@dataclass(frozen=True)
class Loaded:
    """A case to decide, with what was decided about it before."""

    adjudication: Adjudication
    decision: Decision | None
    sequence: int


def load(workspace: Workspace, case_id: str) -> Done[Loaded]:
    """Take a case and read everything about it in one go."""
    done = open_adjudication(workspace, case_id)
    opened = open_assignment(workspace, done.value.assignment_id)
    return Done(Loaded(done.value, saved_decision(opened), opened.draft_sequence), done.changes)


def claim_next_decision(workspace: Workspace) -> Done[AssignmentRow | None]:
    """Take the next case that waits for an expert, disputes before samples; null where none does."""
    done: Done[AssignmentRow | None] | None = None
    for stage in (Stage.ESCALATED, Stage.EXPERT):
        done = claim_next(workspace, stage=stage)
        if done.value is not None:
            return done
    assert done is not None
    return done
