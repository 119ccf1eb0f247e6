"""Drafts: the work in progress of an assignment, what an editor opens with, and what it saves."""

from dataclasses import dataclass

from pydantic import Field

from annotator.cases.access import get_row, is_blind
from annotator.cases.bodies import load_revision
from annotator.project.workspace import Done, Work, Workspace
from annotator.review.claiming import own_slot
from db import queries, reviews, store
from db import work as slots
from db.rows import AssignmentRow, CaseRow, DraftRow, FeedbackRow
from db.tables import Transaction
from scoring.errors import ForbiddenError, NotFoundError
from scoring.model.case import Case
from scoring.model.labels import Citation, Judgment, TaskLabels, Waiver, labels_of, without_labels
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import Stage

_SELF_CHECKS = (Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE)


class DraftBody(Record):
    """What a draft holds: the case as edited, what is said about it, and where the cursor was."""

    case: Case
    judgment: Judgment
    cursor: JsonObject = Field(default_factory=dict)


@dataclass(frozen=True)
class OpenCase:
    """A case as its reviewer may see it, with everything an editor needs to go on.

    `draft` is the saved work, null where there is none; `base` is what it started from.
    `returned_note` says why the case came back. `feedback` are corrections told to the person.
    """

    assignment: AssignmentRow
    row: CaseRow
    base: Case
    draft: DraftBody | None
    draft_sequence: int
    template: Judgment
    returned_note: str
    feedback: tuple[FeedbackRow, ...]
    is_blind: bool


def open_assignment(workspace: Workspace, assignment_id: int) -> OpenCase:
    """Everything an editor needs for an assignment; it may be opened again after its lease ended.

    Raises:
        NotFoundError: There is no such assignment.
        ForbiddenError: It is somebody else's.
    """
    person = workspace.person

    def query(tx: Transaction) -> OpenCase:
        held = slots.find_assignment(tx, assignment_id)
        if held is None:
            raise NotFoundError(f"There is no assignment {assignment_id}.", "Open a case from the queue.")
        if held.person_id != person.id:
            raise ForbiddenError(f"Assignment {assignment_id} is {held.person}'s.", "Work on your own.")
        row = queries.get_case(tx, held.case_pk)
        blind = held.stage is Stage.CROSS_CHECK and is_blind(tx, row, person)
        base = load_revision(tx, row.head_id)
        shown = without_labels(base) if blind else base
        saved = slots.find_draft(tx, assignment_id)
        if saved is None and held.stage in _SELF_CHECKS:
            saved = _left_behind(tx, held, row)
        return OpenCase(
            assignment=held,
            row=row,
            base=shown,
            draft=DraftBody.model_validate_json(saved.body) if saved else None,
            draft_sequence=saved.sequence if saved and saved.assignment_id == assignment_id else 0,
            template=_template(tx, held, row, shown),
            returned_note=row.note,
            feedback=reviews.feedback_to(tx, person.id)[:20],
            is_blind=blind,
        )

    return workspace.read(query)


def _left_behind(tx: Transaction, held: AssignmentRow, row: CaseRow) -> DraftRow | None:
    """The person's own earlier draft of the same stage, if the case has not moved on since."""
    for earlier in slots.lost_drafts(tx, held.person_id):
        if earlier.case_pk == held.case_pk and earlier.stage is held.stage and earlier.round == held.round:
            saved = slots.find_draft(tx, earlier.id)
            if saved is not None and saved.base_revision_id == row.head_id:
                return saved
    return None


def _template(tx: Transaction, held: AssignmentRow, row: CaseRow, shown: Case) -> Judgment:
    """A judgment to start from: the case's own labels and what its owner settled before."""
    tasks = labels_of(shown)
    if held.stage is Stage.CROSS_CHECK:
        return Judgment(tasks=tasks)
    evidence, waivers, before = _settled(tx, row)
    if before is not None and len(before.tasks) == len(tasks):
        tasks = tuple(
            label.model_copy(update={"checklist": said.checklist, "completed": said.completed})
            for label, said in zip(tasks, before.tasks, strict=True)
        )
    return Judgment(tasks=tasks, evidence=evidence, waivers=waivers)


def _settled(
    tx: Transaction, row: CaseRow
) -> tuple[tuple[Citation, ...], tuple[Waiver, ...], Judgment | None]:
    for judged in reversed(reviews.judgments_of(tx, row.pk)):
        if judged.stage in _SELF_CHECKS:
            judgment = Judgment.model_validate_json(judged.body)
            same_round = judged.round == row.round
            return judgment.evidence, judgment.waivers, judgment if same_round else None
    return (), (), None


def save_draft(workspace: Workspace, assignment_id: int, *, body: DraftBody, sequence: int) -> Done[int]:
    """Save the work in progress and renew the lease.

    Args:
        workspace: In whose name.
        assignment_id: The person's own slot.
        body: What to keep.
        sequence: The sequence the last save returned, 0 for the first.

    Returns:
        The new sequence.

    Raises:
        ConflictError: The case is edited in another window too.
        ForbiddenError: The slot is not held any more; the work can still be submitted if it is free.
    """

    def work(w: Work) -> int:
        held = own_slot(w, assignment_id)
        row = queries.get_case(w.tx, held.case_pk)
        number = store.save_draft(
            w.tx,
            assignment_id,
            body=body.model_dump_json(by_alias=True, ensure_ascii=True),
            base_revision_id=row.head_id,
            expected_sequence=sequence,
            at=w.at,
        )
        store.renew_lease(w.tx, assignment_id, at=w.at, minutes=w.policy.lease_minutes)
        return number

    return workspace.run("review:draft:save", work)


def labels_for_owner(tx: Transaction, case: Case, case_pk: int) -> tuple[TaskLabels, ...]:
    """The owner as a rater: the case's own labels; unless they said no, calls are right and tasks done.

    The owner approves what they hand on, so a field they left open counts as a yes.
    """
    said: Judgment | None = None
    for judged in reviews.judgments_of(tx, case_pk):
        if judged.stage in _SELF_CHECKS:
            said = Judgment.model_validate_json(judged.body)
    owner = []
    for t, labels in enumerate(labels_of(case)):
        own = said.tasks[t] if said is not None and len(said.tasks) == len(case.tasks) else None
        calls = own.calls_correct if own is not None else ()
        count = len(labels.calls_correct)
        owner.append(
            labels.model_copy(
                update={
                    "calls_correct": tuple(
                        calls[i] is not False if i < len(calls) else True for i in range(count)
                    ),
                    "completed": own.completed is not False if own is not None else True,
                }
            )
        )
    return tuple(owner)


def case_of(workspace: Workspace, case_id: str) -> CaseRow:
    """The queue's line of one case."""
    return workspace.read(lambda tx: get_row(tx, case_id))
