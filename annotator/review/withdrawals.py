"""Going back: one's own submission, while nobody has built on it, and a decided case, with a reason."""

from annotator.cases.copies import named_row
from annotator.cases.row_views import get_row
from annotator.project.stages import Actor, check_move
from annotator.project.workspace import Work, Workspace, operation, query
from annotator.review import stage_moves
from annotator.review.attention import known_answers
from db.read import assignments, queries, reviews
from db.read.rows import AssignmentRow, CaseRow, JudgmentRow
from db.tables import Transaction
from db.write import outcomes, precedents, slots, store
from scoring.errors import AnnotatorError, ForbiddenError, InputError, filled
from scoring.model.taxonomy import Role, SlotStatus, Stage

_NOW = {
    Stage.APPROVED: "A manager can return its batch.",
    Stage.EXPERT: "Write a comment to the expert who verifies it.",
    Stage.FINAL: "An expert can reopen it.",
    Stage.RELEASED: "An expert can reopen it.",
    Stage.REJECTED: "An expert can reopen it.",
}


@operation("review:judgment:withdraw")
def withdraw(w: Work, case_id: str) -> AssignmentRow:
    """Take back one's newest judgment of a case while nobody has built on it; the slot is held again.

    What was said is offered as a draft, to go on from.

    Raises:
        ForbiddenError: There is nothing to take back, or others have gone on with it.
    """
    known_answers.refuse_taking_back(w.tx, case_id, person_id=w.person.id)
    store.lock_case(w.tx, get_row(w.tx, case_id).pk)
    row = get_row(w.tx, case_id)
    newest = _require_open(w.tx, row, w.person.id)
    if newest.stage is not Stage.CROSS_CHECK:
        _take_back_self_check(w, row, newest)
    outcomes.withdraw_judgment(w.tx, newest.id)
    precedents.forget(w.tx, newest.id)
    held = {
        "status": SlotStatus.CLAIMED,
        "closed_at": None,
        "case_version": queries.get_case(w.tx, row.pk).version,
        "lease_until": w.policy.lease_end(w.at),
    }
    slots.change_assignment(w.tx, newest.assignment_id, expected=SlotStatus.SUBMITTED, values=held)
    w.record_case(case_id, {"judgment": newest.id, "stage": newest.stage.value})
    slot = assignments.find_assignment(w.tx, newest.assignment_id)
    assert slot is not None
    return slot


@query
def may_withdraw(workspace: Workspace, tx: Transaction, case_id: str) -> bool:
    """Whether one's newest judgment of a case could be taken back now."""
    try:
        known_answers.refuse_taking_back(tx, case_id, person_id=workspace.person.id)
        _require_open(tx, get_row(tx, case_id), workspace.person.id)
    except AnnotatorError:
        return False
    return True


def _require_open(tx: Transaction, row: CaseRow, person_id: int) -> JudgmentRow:
    """The newest judgment of a person that nobody has built on.

    Raises:
        ForbiddenError: There is none, or others have gone on with the case.
    """
    mine = filled(
        [judgment for judgment in reviews.judgments_of(tx, row.pk) if judgment.person_id == person_id],
        known_answers.nothing_submitted(row.case_id),
    )
    newest = mine[-1]
    if newest.stage is Stage.CROSS_CHECK:
        if row.stage is not Stage.CROSS_CHECK or row.round != newest.round:
            raise _gone_on(row, "its round is closed")
        return newest
    if row.owner_id != person_id:
        raise _gone_on(row, f"{row.owner} owns it" if row.owner else "nobody owns it")
    later = [
        held
        for held in assignments.assignments_of(tx, row.pk)
        if held.id > newest.assignment_id and held.status in assignments.OCCUPYING
    ]
    begun_by_me = {
        held.id for held in later if held.person_id == person_id and held.status == SlotStatus.CLAIMED
    }
    if row.round != newest.round or len(later) > len(begun_by_me):
        raise _gone_on(row, "others have gone on with it")
    if row.stage in _NOW:
        raise _gone_on(row, "it has gone on")
    check_move(row.stage, "withdraw", actor=Actor.OWNER, to=newest.stage)
    return newest


def _take_back_self_check(w: Work, row: CaseRow, newest: JudgmentRow) -> None:
    slots.close_assignments(w.tx, row.pk, at=w.at, note="its owner took it back")
    store.change_case(
        w.tx, row.pk, expected_version=row.version, at=w.at, values={"stage": newest.stage.value}
    )


def _gone_on(row: CaseRow, what: str) -> ForbiddenError:
    hint = _NOW.get(row.stage, "Write a comment, or ask a manager to return its batch.")
    return ForbiddenError(f"{row.case_id} is at stage {row.stage} now: {what}.", hint)


@operation("review:case:reopen", roles=(Role.EXPERT,))
def reopen(w: Work, case_id: str, *, reason: str) -> None:
    """Open a final or rejected case again, with a reason; a new round of judging begins.

    Raises:
        InputError: No reason.
        ForbiddenError: The case is neither final nor rejected.
    """
    if not reason.strip():
        raise InputError("Reopening needs a reason.", "Say why with --reason.")
    row = named_row(w.tx, case_id, w.person)
    again = {"round": row.round + 1, "note": reason, "is_assigned": True}
    stage_moves.move(w, row, "reopen", to=Stage.SELF_CHECK_TASK, who=Actor.EXPERT, **again)
    w.record_case(case_id, {"reason": reason, "from": row.stage.value})
