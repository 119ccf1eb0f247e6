"""The decision an expert is making, on one undo stack until it is submitted, and how it is saved."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QObject

from annotator.cases.findings.checks import visible_findings
from annotator.drafts.draft_body import DraftBody
from annotator.drafts.journal import Journal
from annotator.drafts.snapshot import Snapshot
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Done, Workspace
from annotator.review.drafts import OpenCase, open_assignment
from annotator.review.expert.decision_edits import Result, left_to_decide, result_of, told, with_edit
from annotator.review.expert.decisions import Adjudication, Decision
from annotator.review.expert_review import open_adjudication
from annotator.review.queue.claims import AssignmentRow, claim_next
from scoring.errors import AnnotatorError
from scoring.model.graph import redundant_edges
from scoring.model.labels import Finding, Judgment, labels_of
from scoring.model.taxonomy import Stage
from ui.adjudication.decision_rows import DecisionLine, has_open_edge, rows_of
from ui.desk.autosave import Autosaver, work_key
from ui.desk.case_view import CaseContent
from ui.desk.document import CaseDocument, UndoStep
from ui.dialogue.content import CardNotes
from ui.graph.canvas_content import CanvasContent
from ui.services.operations import Operations


class DecisionDocument(CaseDocument):
    """Holds an adjudication and the decision about it, beside the case as the expert would have it.

    That case is without the fields and the accepted edits; it is edited as everywhere, on the same undo
    stack. `changed` says that the case or the decision is another one.

    Args:
        adjudication: The case with what its reviewers said.
        decision: Where to go on from.
        policy: The project's review policy.
    """

    def __init__(
        self,
        adjudication: Adjudication,
        decision: Decision,
        *,
        policy: ReviewPolicy,
        parent: QObject | None = None,
    ) -> None:
        edited = decision.edit or adjudication.case
        super().__init__(
            adjudication.case,
            Judgment(tasks=labels_of(adjudication.case)),
            stage=adjudication.stage,
            policy=policy,
            draft=Snapshot(edited, Judgment(tasks=labels_of(edited))),
            parent=parent,
        )
        self.adjudication = adjudication
        self.decision = decision
        """The decision so far."""
        self._findings = (adjudication.case, adjudication.findings)
        self._take_edit()
        self.changed.connect(self._take_edit)

    @property
    def left(self) -> tuple[str, ...]:
        """Ids of what an approval still needs decided."""
        return left_to_decide(self.adjudication, self.decision)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the checks say about the case, as far as the expert may see it."""
        if self._findings[0] is not self.case:
            self._findings = (
                self.case,
                visible_findings(self.case, is_blind=self.adjudication.is_owner_hidden),
            )
        return self._findings[1]

    def content(self, _: CaseDocument) -> CaseContent:
        """What the panels of the case show: its text as edited, its drawing as decided."""
        task = self.selection.task
        drawn = (self.result.case or self.case).tasks[task]
        redundant = tuple(edge.pair for edge in redundant_edges(drawn))
        return CaseContent(
            self.case,
            CanvasContent(drawn, redundant=redundant, is_drawn=not has_open_edge(self.rows, task)),
            notes=CardNotes(findings=self.findings),
        )

    def change(self, title: str, change: Callable[[Decision], Decision], *, key: str = "") -> bool:
        """Change the decision as one step of undo; edits in a row with the same key become one."""
        after = change(self.decision)
        if after == self.decision:
            return False
        self.stack.push(
            UndoStep(
                title,
                before=self.decision,
                after=after,
                show=self._show_decision,
                key=self._merge.key(key),
            )
        )
        return True

    def decide(self, title: str, change: Callable[[Decision], Decision]) -> bool:
        """Decide something; what would make a case that breaks a rule is not done and goes to `refused`."""
        try:
            after = change(self.decision)
        except AnnotatorError as error:
            self.refused.emit(told(error))
            return False
        broken = result_of(self.adjudication, after).error
        if broken is not None and self.result.error is None:
            self.refused.emit(told(broken))
            return False
        return self.change(title, lambda _: after)

    def _take_edit(self) -> None:
        self.decision = with_edit(self.decision, self.case, shown=self.adjudication.case)
        self.rows: tuple[DecisionLine, ...] = rows_of(self.adjudication, self.decision)
        """Everything there is to decide."""
        self.result: Result = result_of(self.adjudication, self.decision)
        """The case the decision makes."""

    def _show_decision(self, decision: Decision, is_typing: bool) -> None:
        if not is_typing:
            self.stop_merging()
        self.decision = decision
        self.changed.emit()


_DECISION = "decision"


def saved_decision(body: DraftBody | None) -> Decision | None:
    """The unfinished decision in saved work; None where there is none, or none that can be read any more."""
    return Decision.readable(body.cursor.get(_DECISION)) if body is not None else None


def save_decision(saver: Autosaver, document: DecisionDocument) -> None:
    """Have a decision saved as it is now, in the shape drafts are saved in."""
    decision, case = document.decision, document.adjudication.case
    cursor = {_DECISION: decision.model_dump(mode="json", by_alias=True), "at": datetime.now(UTC).isoformat()}
    saver.take(DraftBody(case=case, judgment=Judgment(tasks=labels_of(case)), cursor=cursor))


def saver_of(
    document: DecisionDocument, opened: OpenCase, *, operations: Operations, journal: Journal
) -> Autosaver:
    """What saves a decision after each change of it."""
    saver = Autosaver(
        operations,
        journal,
        key=work_key(operations, opened.assignment),
        assignment_id=opened.assignment.id,
        sequence=opened.draft_sequence,
        parent=document,
    )
    document.changed.connect(partial(save_decision, saver, document))
    return saver


@dataclass(frozen=True)
class Loaded:
    """A case to decide, its slot with what was saved there, and the project's review policy."""

    adjudication: Adjudication
    opened: OpenCase
    policy: ReviewPolicy


def load(workspace: Workspace, case_id: str) -> Done[Loaded]:
    """Take a case and read everything about it in one go."""
    done = open_adjudication(workspace, case_id)
    opened = open_assignment(workspace, done.value.assignment_id)
    return Done(Loaded(done.value, opened, workspace.policy()), done.changes)


def claim_next_decision(workspace: Workspace) -> Done[AssignmentRow | None]:
    """Take the next case that waits for an expert, disputes before samples; None where none does."""
    done = claim_next(workspace, stage=Stage.ESCALATED)
    return done if done.value is not None else claim_next(workspace, stage=Stage.EXPERT)
