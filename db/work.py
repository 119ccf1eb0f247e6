"""Who works on what: assignments, drafts, and the cases a person may claim next."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Select, and_, case, exists, func, not_, or_, select

from db.rows import AssignmentRow, DraftRow
from db.store import OCCUPYING
from db.tables import Assignment, CaseHead, DecisionRecord, Draft, JudgmentRecord, Person, Transaction
from scoring.model.taxonomy import Stage

_COLUMNS = (Assignment, CaseHead.case_id, Person.name)
SELF_CHECKS = (
    Stage.RETURNED.value,
    Stage.SELF_CHECK_TASK.value,
    Stage.SELF_CHECK_DIALOGUE.value,
    Stage.IMPORTED.value,
)


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


def lost_drafts(tx: Transaction, person_id: int) -> tuple[AssignmentRow, ...]:
    """Assignments that a person lost or left while a draft exists: the work is still there."""
    rows = tx.execute(
        _assignments()
        .join(Draft, Draft.assignment_id == Assignment.id)
        .where(Assignment.person_id == person_id, Assignment.status.in_(("expired", "released")))
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


def _skipped_by(person_id: int) -> ColumnElement[bool]:
    return exists().where(
        Assignment.case_pk == CaseHead.id,
        Assignment.person_id == person_id,
        Assignment.round == CaseHead.round,
        Assignment.status == "skipped",
    )


def _self_checks(person_id: int, stages: Sequence[Stage]) -> Select[int]:
    taken = exists().where(
        Assignment.case_pk == CaseHead.id,
        Assignment.status == "claimed",
        Assignment.stage.in_(SELF_CHECKS),
    )
    return select(CaseHead.id).where(
        CaseHead.stage.in_([stage.value for stage in stages]),
        or_(CaseHead.owner_id == person_id, CaseHead.owner_id.is_(None)),
        not_(taken),
        not_(_skipped_by(person_id)),
    )


def _first(tx: Transaction, statement: Select[int], limit: int) -> tuple[int, ...]:
    ordered = statement.order_by(CaseHead.changed_at, CaseHead.id).limit(limit)
    return tuple(tx.scalars(ordered.with_for_update(skip_locked=True, of=CaseHead)))


def _count(tx: Transaction, statement: Select[int]) -> int:
    return tx.scalar(select(func.count()).select_from(statement.subquery())) or 0


def next_self_check(
    tx: Transaction, person_id: int, *, stages: Sequence[Stage], limit: int = 1
) -> tuple[int, ...]:
    """Cases a person could self-check next, best first; the rows are locked on PostgreSQL.

    Returned ones first, then what the person owns already, then unowned ones, oldest first.
    """
    urgency = case(
        (CaseHead.stage == Stage.RETURNED.value, 0),
        (CaseHead.owner_id == person_id, 1),
        else_=2,
    )
    return _first(tx, _self_checks(person_id, stages).order_by(urgency), limit)


def count_self_checks(tx: Transaction, person_id: int, *, stages: Sequence[Stage]) -> int:
    """How many cases a person could self-check now."""
    return _count(tx, _self_checks(person_id, stages))


def _cross_checks(person_id: int, reviewers: int) -> Select[int]:
    held = (
        select(func.count())
        .select_from(Assignment)
        .where(
            Assignment.case_pk == CaseHead.id,
            Assignment.stage == Stage.CROSS_CHECK.value,
            Assignment.round == CaseHead.round,
            Assignment.status.in_(OCCUPYING),
        )
        .correlate(CaseHead)
        .scalar_subquery()
    )
    known = exists().where(
        Assignment.case_pk == CaseHead.id,
        Assignment.person_id == person_id,
        Assignment.stage == Stage.CROSS_CHECK.value,
        Assignment.round >= CaseHead.entered_round,
        Assignment.status.in_(OCCUPYING),
    )
    decided = exists().where(DecisionRecord.case_pk == CaseHead.id, DecisionRecord.person_id == person_id)
    return select(CaseHead.id).where(
        CaseHead.stage == Stage.CROSS_CHECK.value,
        or_(CaseHead.owner_id.is_(None), CaseHead.owner_id != person_id),
        held < reviewers,
        not_(known),
        not_(decided),
        not_(_skipped_by(person_id)),
    )


def next_cross_check(
    tx: Transaction, person_id: int, *, reviewers: int, limit: int = 1, only: int | None = None
) -> tuple[int, ...]:
    """Cases with a free slot for a person who neither owns them nor judged their present content.

    `only` asks about one case.
    """
    statement = _cross_checks(person_id, reviewers)
    if only is not None:
        statement = statement.where(CaseHead.id == only)
    return _first(tx, statement, limit)


def count_cross_checks(tx: Transaction, person_id: int, *, reviewers: int) -> int:
    """How many cases a person could cross-check now."""
    return _count(tx, _cross_checks(person_id, reviewers))


def _decisions(person_id: int, stages: Sequence[Stage], *, is_solo: bool) -> Select[int]:
    taken = exists().where(
        Assignment.case_pk == CaseHead.id,
        Assignment.status == "claimed",
        Assignment.stage.in_((Stage.ESCALATED.value, Stage.EXPERT.value)),
    )
    involved = or_(
        and_(CaseHead.owner_id.is_not(None), CaseHead.owner_id == person_id),
        exists().where(
            JudgmentRecord.case_pk == CaseHead.id,
            JudgmentRecord.person_id == person_id,
            JudgmentRecord.is_withdrawn.is_(False),
        ),
    )
    statement = select(CaseHead.id).where(
        CaseHead.stage.in_([stage.value for stage in stages]),
        not_(taken),
        not_(_skipped_by(person_id)),
    )
    return statement if is_solo else statement.where(not_(involved))


def next_expert(
    tx: Transaction,
    person_id: int,
    *,
    stages: Sequence[Stage],
    is_solo: bool,
    limit: int = 1,
    only: int | None = None,
) -> tuple[int, ...]:
    """Escalated and sampled cases an expert may decide: not the owner, not a cross-checker (unless solo).

    `only` asks about one case.
    """
    statement = _decisions(person_id, stages, is_solo=is_solo)
    if only is not None:
        statement = statement.where(CaseHead.id == only)
    return _first(tx, statement, limit)


def count_expert(tx: Transaction, person_id: int, *, stages: Sequence[Stage], is_solo: bool) -> int:
    """How many cases a person could decide now."""
    return _count(tx, _decisions(person_id, stages, is_solo=is_solo))


def blind_now(tx: Transaction, case_pk: int, person_id: int) -> bool:
    """Whether a person is an active cross-checker of the case: holds or has filled a slot of this round."""
    return bool(
        tx.scalar(
            select(
                exists().where(
                    CaseHead.id == case_pk,
                    CaseHead.stage == Stage.CROSS_CHECK.value,
                    Assignment.case_pk == CaseHead.id,
                    Assignment.stage == Stage.CROSS_CHECK.value,
                    Assignment.round == CaseHead.round,
                    Assignment.person_id == person_id,
                    Assignment.status.in_(OCCUPYING),
                )
            )
        )
    )


def waiting(tx: Transaction, person_id: int, *, at: datetime) -> dict[Stage, int]:
    """What a person holds right now, per stage, leases that ended not counted."""
    rows = tx.execute(
        select(Assignment.stage, func.count())
        .where(
            Assignment.person_id == person_id,
            Assignment.status == "claimed",
            Assignment.lease_until >= at,
        )
        .group_by(Assignment.stage)
    )
    return {Stage(stage): count for stage, count in rows}
