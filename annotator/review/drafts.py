"""Drafts: the work in progress of an assignment, what an editor opens with, and what it saves."""

from dataclasses import dataclass
from functools import partial

from annotator.cases.access import copy_as_seen, is_copy_blind, seen_by
from annotator.cases.bodies import load_revision, read_record, write_record
from annotator.cases.copies import row_of
from annotator.cases.row_views import is_blind, visible_row
from annotator.drafts.draft_body import DraftBody
from annotator.drafts.labels import with_first, with_labels
from annotator.drafts.precedents import NO_PRECEDENTS, Precedents
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Work, Workspace, operation, policy_of, query
from annotator.review.attention import known_answers
from annotator.review.case_changes import authors_since
from annotator.review.owner import settled
from annotator.review.precedents import precedents_for
from annotator.review.queue.checked import policy_for
from annotator.review.queue.claims import own_slot
from db.read import assignments, comments, queries, reviews
from db.read.known_answers import get_copy
from db.read.rows import AssignmentRow, CaseFilter, CaseRow, DraftRow, FeedbackRow, KnownAnswerRow, PersonRow
from db.tables import Transaction
from db.write import slots
from scoring.errors import ConflictError, ForbiddenError, NotFoundError
from scoring.model.case import Case
from scoring.model.labels import Judgment, labels_of
from scoring.model.record import JsonObject
from scoring.model.taxonomy import SELF_CHECKS, CheckAnswer, Stage


@dataclass(frozen=True)
class OpenCase:
    """A case as its reviewer may see it, with everything an editor needs to go on.

    `base` is the case as it is now. `draft` is the saved work, None where there is none; `draft_base` is
    the earlier state of the case that it started from, None where that is `base`. `changed_by` names who
    changed the case since then.
    `precedents` are what earlier cases of the toolset say about it. `returned_note` says why the case came
    back. `feedback` are corrections told to the person. `policy` is the review policy as it holds for them.
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
    policy: ReviewPolicy
    draft_base: Case | None = None
    changed_by: tuple[str, ...] = ()
    precedents: Precedents = NO_PRECEDENTS


@dataclass(frozen=True)
class SeenDraft:
    """The saved draft an editor goes on from: its number, 0 for none, and the window that writes it."""

    sequence: int
    window: str = ""


@query
def open_assignment(workspace: Workspace, tx: Transaction, assignment_id: int) -> OpenCase:
    """Everything an editor needs for an assignment; it may be opened again after its lease ended.

    Raises:
        NotFoundError: There is no such assignment.
        ForbiddenError: It is somebody else's.
    """
    person = workspace.person
    held = assignments.find_assignment(tx, assignment_id)
    copy = known_answers.copy_of_slot(tx, assignment_id, person_id=person.id) if held is None else None
    if copy is not None:
        held = known_answers.slot_of(copy)
    if held is None:
        raise NotFoundError(f"There is no assignment {assignment_id}.", "Open a case from the queue.")
    if held.person_id != person.id:
        raise ForbiddenError(f"Assignment {assignment_id} is {held.person}'s.", "Work on your own.")
    if copy is not None:
        return _open_copy(tx, person, copy)
    row = queries.get_case(tx, held.case_pk)
    seen = partial(seen_by, tx, row, person=person)
    shown = seen(load_revision(tx, row.head_id))
    visible = visible_row(tx, row.case_id, person)
    saved = assignments.find_draft(tx, held.id) or _left_behind(tx, held, row)
    draft_base: Case | None = None
    changed_by: tuple[str, ...] = ()
    if saved is not None and saved.base_revision_id != row.head_id:
        draft_base = seen(load_revision(tx, saved.base_revision_id))
        changed_by = authors_since(tx, row, person, base_id=saved.base_revision_id)
    return OpenCase(
        assignment=held,
        row=visible,
        base=shown,
        draft=read_record(DraftBody, saved.body) if saved else _taken_back(tx, held, row, shown),
        draft_sequence=saved.sequence if saved and saved.assignment_id == held.id else 0,
        template=_template(tx, held, row, shown),
        returned_note=visible.note,
        feedback=comments.feedback_to(tx, person.id, limit=20),
        is_blind=is_blind(tx, row, person),
        policy=policy_for(tx, policy_of(tx), held),
        draft_base=draft_base,
        changed_by=changed_by,
        precedents=precedents_for(tx, person.id, case=shown, case_pk=row.pk),
    )


def _open_copy(tx: Transaction, person: PersonRow, copy: KnownAnswerRow) -> OpenCase:
    """A known-answer case, opened like any other that nobody has worked on."""
    held, is_hidden = known_answers.slot_of(copy), is_copy_blind(copy)
    shown = copy_as_seen(tx, copy)
    checklist = _gold_checklist(tx, besides=copy.source_pk) if not is_hidden else {}
    return OpenCase(
        assignment=held,
        row=row_of(tx, copy),
        base=shown,
        draft=read_record(DraftBody, copy.draft) if copy.draft else None,
        draft_sequence=copy.draft_sequence,
        template=Judgment(tasks=labels_of(with_first(shown)), checklist=checklist),
        returned_note="",
        feedback=comments.feedback_to(tx, person.id, limit=20),
        is_blind=is_hidden,
        policy=policy_for(tx, policy_of(tx), held),
        precedents=precedents_for(tx, person.id, case=shown, case_pk=copy.source_pk),
    )


def _left_behind(tx: Transaction, held: AssignmentRow, row: CaseRow) -> DraftRow | None:
    """The person's own earlier draft of the same stage and round.

    Where the case has moved on since, only an owner's comes back: it can be brought together with that.
    """
    for earlier in assignments.lost_drafts(tx, held.person_id, case_pk=held.case_pk):
        if earlier.stage is held.stage and earlier.round == held.round:
            saved = assignments.find_draft(tx, earlier.id)
            if saved is not None and (held.stage in SELF_CHECKS or saved.base_revision_id == row.head_id):
                return saved
    return None


def _taken_back(tx: Transaction, held: AssignmentRow, row: CaseRow, shown: Case) -> DraftBody | None:
    """What the person said before they withdrew it, to go on from."""
    said = reviews.newest_judgment(tx, held.id)
    if said is None or not said.is_withdrawn:
        return None
    judgment = read_record(Judgment, said.body)
    is_content = said.result_id == row.head_id and held.stage is not Stage.CROSS_CHECK
    case = shown if judgment.edit is None or is_content else judgment.edit
    if [len(task.steps) for task in case.tasks] != [len(task.steps) for task in shown.tasks]:
        case = shown
    if len(judgment.tasks) != len(case.tasks):
        return None
    kept = judgment.model_copy(update={"verdict": None, "reasons": (), "edit": None})
    cursor: JsonObject = {"at": said.at.isoformat()}
    return DraftBody(case=with_labels(case, judgment.tasks), judgment=kept, cursor=cursor)


def _template(tx: Transaction, held: AssignmentRow, row: CaseRow, shown: Case) -> Judgment:
    """A judgment to start from: the case's own labels and what its owner settled before."""
    tasks = labels_of(with_first(shown))
    if held.stage is Stage.CROSS_CHECK:
        return Judgment(tasks=tasks)
    before = settled(tx, row.pk, head_id=row.head_id, case=shown)
    tasks = tuple(
        label if label.drawn is None else label.model_copy(update={"drawn": drawn is True})
        for label, drawn in zip(tasks, before.drawn, strict=True)
    )
    if before.judgment is not None and before.round == row.round and len(before.judgment.tasks) == len(tasks):
        tasks = tuple(
            label.model_copy(update={"checklist": said.checklist, "completed": said.completed})
            for label, said in zip(tasks, before.judgment.tasks, strict=True)
        )
    checklist = _gold_checklist(tx, besides=row.pk)
    return Judgment(tasks=tasks, checklist=checklist, evidence=before.evidence, waivers=before.waivers)


def _gold_checklist(tx: Transaction, *, besides: int) -> dict[str, CheckAnswer | None]:
    """What is there and open is asked for: a comparison with gold examples only where there is one."""
    examples = queries.list_cases(tx, CaseFilter(only_gold=True), limit=2)
    return dict.fromkeys(["gold_reference"] if any(one.pk != besides for one in examples) else ())


@operation("review:draft:save")
def save_draft(
    w: Work,
    assignment_id: int,
    *,
    body: DraftBody,
    sequence: int,
    base_id: int | None = None,
) -> int:
    """Save the work in progress and renew the lease; one that ended is taken back while the slot is free.

    Args:
        w: In whose name.
        assignment_id: The person's own slot.
        body: What to keep.
        sequence: The sequence the last save returned, 0 for the first.
        base_id: The revision of the case the work goes on from; None for the newest.

    Returns:
        The new sequence.

    Raises:
        ConflictError: The case is edited in another window too.
        ForbiddenError: The slot went to somebody else, or was handed back or submitted.
    """
    held = own_slot(w, assignment_id)
    if held.case_pk == known_answers.NO_CASE:
        return _save_copy(w, held.id, body=body, sequence=sequence)
    row = queries.get_case(w.tx, held.case_pk)
    keep = partial(
        slots.save_draft,
        w.tx,
        assignment_id,
        body=write_record(body),
        base_revision_id=row.head_id if base_id is None else _own_revision(w.tx, row, base_id),
        at=w.at,
    )
    try:
        number = keep(expected_sequence=sequence)
    except ConflictError:
        saved = assignments.find_draft(w.tx, assignment_id)
        if saved is None or not is_of_window(saved.body, str(body.cursor.get("window") or "")):
            raise
        number = keep(expected_sequence=saved.sequence)  # this window wrote it, and the answer did not arrive
    slots.renew_lease(w.tx, assignment_id, until=w.policy.lease_end(w.at))
    return number


def _save_copy(w: Work, number: int, *, body: DraftBody, sequence: int) -> int:
    copy = get_copy(w.tx, number, is_locked=True)
    is_own = copy.draft is not None and is_of_window(copy.draft, str(body.cursor.get("window") or ""))
    sequences = (sequence, copy.draft_sequence) if is_own else (sequence,)
    return known_answers.save_copy_draft(w, copy, body=write_record(body), sequences=sequences)


def _own_revision(tx: Transaction, row: CaseRow, revision_id: int) -> int:
    if revision_id != row.head_id and all(r.id != revision_id for r in queries.list_revisions(tx, row.pk)):
        raise NotFoundError(f"{row.case_id} has no such revision.", "Open the case again.")
    return revision_id


def seal_draft(tx: Transaction, held: AssignmentRow, seen: SeenDraft | None) -> None:
    """Remove the draft that a submission seals.

    Args:
        tx: The transaction of the submission.
        held: The slot.
        seen: The draft the submission was made from; None removes whichever there is.

    Raises:
        ConflictError: Another window has saved a later one, which would be lost.
    """
    saved = assignments.find_draft(tx, held.id) if seen is not None else None
    if saved is None or seen is None:
        slots.delete_draft(tx, held.id)
        return
    is_own = saved.sequence == seen.sequence or is_of_window(saved.body, seen.window)
    if not is_own or not slots.delete_draft(tx, held.id, sequence=saved.sequence):
        raise draft_conflict(held.case_id)


def draft_conflict(case_id: str) -> ConflictError:
    """What is said where another window has saved work that a submission would throw away."""
    return ConflictError(
        f"Another window has saved work on {case_id} that this one has not seen.",
        "Nothing was submitted and nothing is lost; open the case again, compare, then submit.",
    )


def is_of_window(draft: str, window: str) -> bool:
    """Whether a window wrote a draft, given as it is stored."""
    return bool(window and draft) and read_record(DraftBody, draft).cursor.get("window") == window
