"""Who works on what: assignments and their drafts, and who is asked to cross-check."""

from itertools import starmap

from sqlalchemy import Select, and_, func, or_, select

from db.columns import given
from db.read.rows import AssignmentRow, DraftRow
from db.tables import Assignment, CaseHead, Draft, Invitation, Person, Transaction
from scoring.model.taxonomy import EXPERT_STAGES, OWNER_STAGES, SlotStatus, Stage

OCCUPYING = (SlotStatus.CLAIMED, SlotStatus.SUBMITTED)
"""Statuses of an assignment that take up its slot."""


def _assignments() -> Select[Assignment, str, str]:
    return (
        select(Assignment, CaseHead.case_id, Person.name)
        .join(CaseHead, CaseHead.id == Assignment.case_pk)
        .join(Person, Person.id == Assignment.person_id)
    )


def _row(assignment: Assignment, case_id: str, person: str) -> AssignmentRow:
    return AssignmentRow(
        id=assignment.id,
        case_pk=assignment.case_pk,
        case_id=case_id,
        stage=Stage(assignment.stage),
        round=assignment.round,
        slot=assignment.slot,
        person_id=assignment.person_id,
        person=person,
        status=assignment.status,
        case_version=assignment.case_version,
        claimed_at=assignment.claimed_at,
        lease_until=assignment.lease_until,
    )


def find_assignment(tx: Transaction, assignment_id: int) -> AssignmentRow | None:
    """An assignment by number."""
    found = tx.execute(_assignments().where(Assignment.id == assignment_id)).one_or_none()
    return _row(*found) if found else None


def claimed_by(tx: Transaction, person_id: int) -> tuple[AssignmentRow, ...]:
    """Slots a person holds now, oldest first."""
    rows = tx.execute(
        _assignments()
        .where(Assignment.person_id == person_id, Assignment.status == SlotStatus.CLAIMED)
        .order_by(Assignment.claimed_at, Assignment.id)
    )
    return tuple(starmap(_row, rows))


def assignments_of(
    tx: Transaction, case_pk: int, *, stage: Stage | None = None, round_: int | None = None
) -> tuple[AssignmentRow, ...]:
    """All assignments of a case, oldest first, or those of one stage and round."""
    rows = tx.execute(
        _assignments()
        .where(Assignment.case_pk == case_pk, given(Assignment.stage, stage), given(Assignment.round, round_))
        .order_by(Assignment.id)
    )
    return tuple(starmap(_row, rows))


def lost_drafts(tx: Transaction, person_id: int, *, case_pk: int) -> tuple[AssignmentRow, ...]:
    """Assignments of a case that a person lost or left while a draft exists: the work is still there."""
    rows = tx.execute(
        _assignments()
        .join(Draft, Draft.assignment_id == Assignment.id)
        .where(
            Assignment.case_pk == case_pk,
            Assignment.person_id == person_id,
            Assignment.status.in_((SlotStatus.EXPIRED, SlotStatus.RELEASED, SlotStatus.SKIPPED)),
        )
        .order_by(Assignment.id.desc())
    )
    return tuple(starmap(_row, rows))


def find_draft(tx: Transaction, assignment_id: int) -> DraftRow | None:
    """The draft of an assignment."""
    draft = tx.get(Draft, assignment_id)
    if draft is None:
        return None
    return DraftRow(
        assignment_id=draft.assignment_id,
        sequence=draft.sequence,
        base_revision_id=draft.base_revision_id,
        body=draft.body,
    )


def held_counts(tx: Transaction) -> dict[int, int]:
    """How many slots each person holds."""
    rows = tx.execute(
        select(Assignment.person_id, func.count())
        .where(Assignment.status == SlotStatus.CLAIMED)
        .group_by(Assignment.person_id)
    )
    return {int(person): count for person, count in rows}


def cases_held_by(tx: Transaction, person_id: int) -> tuple[str, ...]:
    """Ids of the cases somebody owns in self-check, has a slot of, or was handed to decide; oldest first."""
    claimed = select(Assignment.case_pk).where(
        Assignment.person_id == person_id, Assignment.status == SlotStatus.CLAIMED
    )
    owned = and_(CaseHead.owner_id == person_id, CaseHead.stage.in_(OWNER_STAGES))
    handed = and_(CaseHead.expert_id == person_id, CaseHead.stage.in_(EXPERT_STAGES))
    held = or_(owned, handed, CaseHead.id.in_(claimed))
    return tuple(tx.scalars(select(CaseHead.case_id).where(held).order_by(CaseHead.id)))


def invited(tx: Transaction, case_pk: int, *, round_: int) -> tuple[int, ...]:
    """Who was asked to cross-check a case in a round; empty where anybody may."""
    statement = select(Invitation.person_id).where(Invitation.case_pk == case_pk, Invitation.round == round_)
    return tuple(tx.scalars(statement.order_by(Invitation.person_id)))
