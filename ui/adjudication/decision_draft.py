"""The draft of a decision: read with its case, and saved half a second after a change."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from pydantic import ValidationError
from PySide6.QtCore import QObject, QTimer, Signal

from annotator.drafts.draft_body import DraftBody
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Done, Workspace
from annotator.review.drafts import OpenCase, open_assignment, save_draft
from annotator.review.expert.decisions import Adjudication, Decision
from annotator.review.expert_review import open_adjudication
from annotator.review.queue.claims import AssignmentRow, claim_next
from scoring.errors import AnnotatorError
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import Stage
from ui.adjudication.decision_document import DecisionDocument
from ui.services.operations import Operations
from ui.theme import Tone

_DELAY_MILLISECONDS = 500
_DECISION = "decision"


def saved_decision(opened: OpenCase) -> Decision | None:
    """The unfinished decision of a slot; null where there is none, or where it cannot be read any more."""
    found = opened.draft.cursor.get(_DECISION) if opened.draft is not None else None
    if not isinstance(found, dict):
        return None
    try:
        return Decision.model_validate(found)
    except ValidationError:
        return None


def decision_body(adjudication: Adjudication, decision: Decision) -> DraftBody:
    """A decision in the shape drafts are saved in."""
    return DraftBody(
        case=adjudication.case,
        judgment=Judgment(tasks=labels_of(adjudication.case)),
        cursor={_DECISION: decision.model_dump(mode="json", by_alias=True)},
    )


class DecisionDraft(QObject):
    """Saves the decision of a document after each change.

    `saved_changed` carries words and tone for the footer.
    """

    saved_changed = Signal(str, object)

    def __init__(self, operations: Operations, document: DecisionDocument, *, sequence: int) -> None:
        super().__init__(document)
        self._operations = operations
        self._document = document
        self._sequence = sequence
        self._saved = document.decision
        self._problem = ""
        self._is_under_way = False
        self._is_stopped = False
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(_DELAY_MILLISECONDS)
        self._delay.timeout.connect(self.flush)
        document.changed.connect(self._note)
        operations.restored.connect(self.flush)

    @property
    def unsaved_words(self) -> str:
        """What leaving now would lose; empty where nothing is."""
        if self._is_stopped or self._saved == self._document.decision:
            return ""
        return f"Your decision so far is not saved. {self._problem}".strip()

    def flush(self) -> None:
        """Save now what is not saved yet."""
        self._delay.stop()
        decision = self._document.decision
        if self._is_stopped or self._is_under_way or decision == self._saved:
            return
        if self._operations.lost is not None:
            return
        self._is_under_way = True
        adjudication = self._document.adjudication
        self._operations.run(
            partial(
                save_draft,
                assignment_id=adjudication.assignment_id,
                body=decision_body(adjudication, decision),
                sequence=self._sequence,
            ),
            then=partial(self._done, decision),
            failed=self._fail,
            origin=self,
        )

    def stop(self) -> None:
        """Save no more: the decision was submitted or put away."""
        self._is_stopped = True
        self._delay.stop()

    def _note(self) -> None:
        if not self._is_stopped:
            self.saved_changed.emit("Saving", Tone.NEUTRAL)
            self._delay.start()

    def _done(self, decision: Decision, sequence: int) -> None:
        self._is_under_way = False
        self._sequence, self._saved, self._problem = sequence, decision, ""
        if self._is_stopped:
            return
        self.saved_changed.emit(f"Saved {datetime.now().astimezone():%H:%M:%S}", Tone.OK)
        if self._document.decision != decision:
            self._delay.start()

    def _fail(self, error: AnnotatorError) -> None:
        self._is_under_way = False
        self._problem = str(error)
        if not self._is_stopped:
            self.saved_changed.emit(f"Not saved · {error.message}", Tone.ERROR)


@dataclass(frozen=True)
class Loaded:
    """A case to decide, with what was decided about it before, and the project's review policy."""

    adjudication: Adjudication
    decision: Decision | None
    sequence: int
    policy: ReviewPolicy


def load(workspace: Workspace, case_id: str) -> Done[Loaded]:
    """Take a case and read everything about it in one go."""
    done = open_adjudication(workspace, case_id)
    opened = open_assignment(workspace, done.value.assignment_id)
    saved, policy = saved_decision(opened), workspace.policy()
    return Done(Loaded(done.value, saved, opened.draft_sequence, policy), done.changes)


def claim_next_decision(workspace: Workspace) -> Done[AssignmentRow | None]:
    """Take the next case that waits for an expert, disputes before samples; null where none does."""
    done: Done[AssignmentRow | None] | None = None
    for stage in (Stage.ESCALATED, Stage.EXPERT):
        done = claim_next(workspace, stage=stage)
        if done.value is not None:
            return done
    assert done is not None
    return done
