"""Who works on what: assignments under their leases, drafts, and invitations to cross-check."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Select, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from db.rows import AssignmentRow, DraftRow
from db.store import changed_rows
from db.tables import Assignment, CaseHead, Draft, Invitation, Person, Transaction
from scoring.errors import ConflictError
from scoring.model.taxonomy import Stage

OCCUPYING = ("claimed", "submitted")
"""Statuses of an assignment that take up its slot."""

_COLUMNS = (Assignment, CaseHead.case_id, Person.name)


def _assignments() -> Select[Assignment, str, str]:
    return (
        select(*_COLUMNS)
        .join(CaseHead, CaseHead.id == Assignment.case_pk)
        .join(Person, Person.id == Assignment.person_id)
    )


def _row(found: Sequence[object]) -> AssignmentRow:
    assignment, case_id, person = found
    assert isinstance(assignment, Assignment)
    return AssignmentRow(
        id=assignment.id,
        case_pk=assignment.case_pk,
        case_id=str(case_id),
        stage=Stage(assignment.stage),
        round=assignment.round,
        slot=assignment.slot,
        person_id=assignment.person_id,
        person=str(person),
        status=assignment.status,
        case_version=assignment.case_version,
        claimed_at=assignment.claimed_at,
        lease_until=assignment.lease_until,
    )


def find_assignment(tx: Transaction, assignment_id: int) -> AssignmentRow | None:
    """An assignment by number."""
    found = tx.execute(_assignments().where(Assignment.id == assignment_id)).one_or_none()
    return _row(found) if found else None


def claimed_by(tx: Transaction, person_id: int) -> tuple[AssignmentRow, ...]:
    """Slots a person holds now, oldest first."""
    rows = tx.execute(
        _assignments()
        .where(Assignment.person_id == person_id, Assignment.status == "claimed")
        .order_by(Assignment.claimed_at, Assignment.id)
    )
    return tuple(map(_row, rows))


def assignments_of(
    tx: Transaction, case_pk: int, *, stage: Stage | None = None, round_: int | None = None
) -> tuple[AssignmentRow, ...]:
    """All assignments of a case, oldest first, or those of one stage and round."""
    statement = _assignments().where(Assignment.case_pk == case_pk).order_by(Assignment.id)
    if stage is not None:
        statement = statement.where(Assignment.stage == stage.value)
    if round_ is not None:
        statement = statement.where(Assignment.round == round_)
    return tuple(map(_row, tx.execute(statement)))


def lost_drafts(tx: Transaction, person_id: int, *, case_pk: int) -> tuple[AssignmentRow, ...]:
    """Assignments of a case that a person lost or left while a draft exists: the work is still there."""
    rows = tx.execute(
        _assignments()
        .join(Draft, Draft.assignment_id == Assignment.id)
        .where(
            Assignment.case_pk == case_pk,
            Assignment.person_id == person_id,
            Assignment.status.in_(("expired", "released", "skipped")),
        )
        .order_by(Assignment.id.desc())
    )
    return tuple(map(_row, rows))


def find_draft(tx: Transaction, assignment_id: int) -> DraftRow | None:
    """The draft of an assignment."""
    draft = tx.get(Draft, assignment_id)
    if draft is None:
        return None
    return DraftRow(
        assignment_id=draft.assignment_id,
        saved_at=draft.saved_at,
        sequence=draft.sequence,
        base_revision_id=draft.base_revision_id,
        body=draft.body,
    )


def held_counts(tx: Transaction) -> dict[int, int]:
    """How many slots each person holds."""
    rows = tx.execute(
        select(Assignment.person_id, func.count())
        .where(Assignment.status == "claimed")
        .group_by(Assignment.person_id)
    )
    return {int(person): count for person, count in rows}


def add_assignment(
    tx: Transaction,
    case_pk: int,
    *,
    stage: Stage,
    round_: int,
    slot: int,
    person_id: int,
    case_version: int,
    at: datetime,
    lease_until: datetime,
) -> int | None:
    """Take a slot; null where it is occupied or the person holds one of this case already."""
    row = Assignment(
        case_pk=case_pk,
        stage=stage.value,
        round=round_,
        slot=slot,
        person_id=person_id,
        status="claimed",
        case_version=case_version,
        claimed_at=at,
        lease_until=lease_until,
        closed_at=None,
        note="",
    )
    try:
        with tx.begin_nested():
            tx.add(row)
            tx.flush()
    except IntegrityError:
        return None
    return row.id


def change_assignment(
    tx: Transaction, assignment_id: int, *, expected: str, values: Mapping[str, object]
) -> bool:
    """Change an assignment that still has the expected status; false where it has another by now."""
    statement = (
        update(Assignment)
        .where(Assignment.id == assignment_id, Assignment.status == expected)
        .values(**dict(values))
    )
    return changed_rows(tx.execute(statement)) == 1


def revive_assignment(tx: Transaction, assignment_id: int, *, lease_until: datetime) -> bool:
    """Take a slot back whose lease ended; false where somebody else has it by now."""
    values = {"status": "claimed", "closed_at": None, "lease_until": lease_until}
    try:
        with tx.begin_nested():
            return change_assignment(tx, assignment_id, expected="expired", values=values)
    except IntegrityError:
        return False


def expire_leases(tx: Transaction, *, at: datetime, longest: timedelta) -> int:
    """Free the slots whose lease ended; drafts stay. Returns how many.

    A lease that reaches further than one made now was made by a clock that ran ahead, or under another
    policy: it is cut to the longest there is.

    Cases are held before their slots, as everywhere, and those that somebody else holds are left for the
    next time: a claim must not wait for a submission that waits for the claim.
    """
    ended = _claimed_until(tx, Assignment.lease_until < at)
    if ended:
        values = {"status": "expired", "closed_at": at}
        tx.execute(update(Assignment).where(Assignment.id.in_(ended)).values(**values))
    ahead = _claimed_until(tx, Assignment.lease_until > at + longest)
    if ahead:
        tx.execute(update(Assignment).where(Assignment.id.in_(ahead)).values(lease_until=at + longest))
    return len(ended)


def _claimed_until(tx: Transaction, when: ColumnElement[bool]) -> tuple[int, ...]:
    statement = (
        select(Assignment.id)
        .join(CaseHead, CaseHead.id == Assignment.case_pk)
        .where(Assignment.status == "claimed", when)
        .order_by(CaseHead.id)
        .with_for_update(skip_locked=True)
    )
    return tuple(tx.scalars(statement))


def renew_lease(tx: Transaction, assignment_id: int, *, until: datetime) -> None:
    """Hold a claimed slot until an instant."""
    tx.execute(
        update(Assignment)
        .where(Assignment.id == assignment_id, Assignment.status == "claimed")
        .values(lease_until=until)
    )


def close_assignments(tx: Transaction, case_pk: int, *, at: datetime, note: str) -> None:
    """Free every slot of a case that nobody has submitted."""
    tx.execute(
        update(Assignment)
        .where(Assignment.case_pk == case_pk, Assignment.status == "claimed")
        .values(status="released", closed_at=at, note=note)
    )


def release_claims(tx: Transaction, person_id: int, *, at: datetime, note: str) -> None:
    """Free every slot a person holds; their drafts stay."""
    tx.execute(
        update(Assignment)
        .where(Assignment.person_id == person_id, Assignment.status == "claimed")
        .values(status="released", closed_at=at, note=note)
    )


def save_draft(
    tx: Transaction,
    assignment_id: int,
    *,
    body: str,
    base_revision_id: int,
    expected_sequence: int,
    at: datetime,
) -> int:
    """Replace the draft of an assignment; returns its new sequence.

    Raises:
        ConflictError: Another window saved a draft after `expected_sequence` (0 = none yet).
    """
    if expected_sequence == 0:
        try:
            with tx.begin_nested():
                tx.add(
                    Draft(
                        assignment_id=assignment_id,
                        saved_at=at,
                        sequence=1,
                        base_revision_id=base_revision_id,
                        body=body,
                    )
                )
                tx.flush()
        except IntegrityError as exc:
            raise _draft_conflict() from exc
        return 1
    statement = (
        update(Draft)
        .where(Draft.assignment_id == assignment_id, Draft.sequence == expected_sequence)
        .values(body=body, saved_at=at, sequence=expected_sequence + 1, base_revision_id=base_revision_id)
    )
    if changed_rows(tx.execute(statement)) != 1:
        raise _draft_conflict()
    return expected_sequence + 1


def _draft_conflict() -> ConflictError:
    return ConflictError(
        "This case is being edited in another window too.",
        "Close the other window, then open the case again.",
    )


def delete_draft(tx: Transaction, assignment_id: int, *, sequence: int | None = None) -> bool:
    """Remove the draft that a submission has sealed.

    Args:
        tx: The transaction.
        assignment_id: Whose draft.
        sequence: The number it must have; null for any.

    Returns:
        Whether there was one.
    """
    statement = delete(Draft).where(Draft.assignment_id == assignment_id)
    if sequence is not None:
        statement = statement.where(Draft.sequence == sequence)
    return changed_rows(tx.execute(statement)) == 1


def invite(tx: Transaction, case_pk: int, *, round_: int, people: Sequence[int]) -> None:
    """Let only these people cross-check a case in a round, in the place of whoever was asked before."""
    tx.execute(delete(Invitation).where(Invitation.case_pk == case_pk, Invitation.round == round_))
    if people:
        rows = [{"case_pk": case_pk, "round": round_, "person_id": person} for person in people]
        tx.execute(insert(Invitation), rows)


def invited(tx: Transaction, case_pk: int, *, round_: int) -> tuple[int, ...]:
    """Who was asked to cross-check a case in a round; empty where anybody may."""
    statement = select(Invitation.person_id).where(Invitation.case_pk == case_pk, Invitation.round == round_)
    return tuple(tx.scalars(statement.order_by(Invitation.person_id)))
