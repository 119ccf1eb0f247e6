"""Slots and drafts, written: claims under their leases, drafts, and invitations to cross-check."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.exc import IntegrityError

from db.columns import given
from db.tables import Assignment, CaseHead, Draft, Invitation, KnownAnswer, Transaction
from db.write.store import add_rows, changed_rows
from scoring.errors import ConflictError, reworded
from scoring.model.taxonomy import SlotStatus, Stage


def _is_server(tx: Transaction) -> bool:
    return tx.get_bind().dialect.name == "postgresql"


def next_number(tx: Transaction) -> int:
    """A number for a slot that no slot has or had, on a case or on a known-answer case.

    Both are counted together, so that nobody can tell by its number what a slot is on.
    """
    if _is_server(tx):
        counter = func.pg_get_serial_sequence(Assignment.__tablename__, "id")
        return int(tx.execute(select(func.nextval(counter))).scalar_one())
    return max([tx.scalar(select(func.max(table.id))) or 0 for table in (Assignment, KnownAnswer)]) + 1


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
    """Take a slot; None where it is occupied or the person holds one of this case already."""
    numbered = {} if _is_server(tx) else {"id": next_number(tx)}
    row = Assignment(
        **numbered,
        case_pk=case_pk,
        stage=stage.value,
        round=round_,
        slot=slot,
        person_id=person_id,
        status=SlotStatus.CLAIMED,
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
    values = {"status": SlotStatus.CLAIMED, "closed_at": None, "lease_until": lease_until}
    try:
        with tx.begin_nested():
            return change_assignment(tx, assignment_id, expected=SlotStatus.EXPIRED, values=values)
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
        values = {"status": SlotStatus.EXPIRED, "closed_at": at}
        tx.execute(update(Assignment).where(Assignment.id.in_(ended)).values(**values))
    ahead = _claimed_until(tx, Assignment.lease_until > at + longest)
    if ahead:
        tx.execute(update(Assignment).where(Assignment.id.in_(ahead)).values(lease_until=at + longest))
    return len(ended)


def _claimed_until(tx: Transaction, when: ColumnElement[bool]) -> tuple[int, ...]:
    statement = (
        select(Assignment.id)
        .join(CaseHead, CaseHead.id == Assignment.case_pk)
        .where(Assignment.status == SlotStatus.CLAIMED, when)
        .order_by(CaseHead.id)
        .with_for_update(skip_locked=True)
    )
    return tuple(tx.scalars(statement))


def renew_lease(tx: Transaction, assignment_id: int, *, until: datetime) -> None:
    """Hold a claimed slot until an instant."""
    tx.execute(
        update(Assignment)
        .where(Assignment.id == assignment_id, Assignment.status == SlotStatus.CLAIMED)
        .values(lease_until=until)
    )


def close_assignments(tx: Transaction, case_pk: int, *, at: datetime, note: str) -> None:
    """Free every slot of a case that nobody has submitted."""
    tx.execute(
        update(Assignment)
        .where(Assignment.case_pk == case_pk, Assignment.status == SlotStatus.CLAIMED)
        .values(status=SlotStatus.RELEASED, closed_at=at, note=note)
    )


def release_claims(
    tx: Transaction, person_id: int, *, at: datetime, note: str, case_pk: int | None = None
) -> None:
    """Free every slot a person holds, or that of one case; their drafts stay."""
    tx.execute(
        update(Assignment)
        .where(
            Assignment.person_id == person_id,
            Assignment.status == SlotStatus.CLAIMED,
            given(Assignment.case_pk, case_pk),
        )
        .values(status=SlotStatus.RELEASED, closed_at=at, note=note)
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
        with reworded(IntegrityError, into=lambda _: _draft_conflict()), tx.begin_nested():
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
        sequence: The number it must have; None for any.

    Returns:
        Whether there was one.
    """
    is_meant = (Draft.assignment_id == assignment_id, given(Draft.sequence, sequence))
    return changed_rows(tx.execute(delete(Draft).where(*is_meant))) == 1


def invite(tx: Transaction, case_pk: int, *, round_: int, people: Sequence[int]) -> None:
    """Let only these people cross-check a case in a round, in the place of whoever was asked before."""
    tx.execute(delete(Invitation).where(Invitation.case_pk == case_pk, Invitation.round == round_))
    add_rows(
        tx, Invitation, ({"case_pk": case_pk, "round": round_, "person_id": person} for person in people)
    )
