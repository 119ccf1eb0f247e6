"""Known-answer cases: copies of gold cases with a planted defect, and which gold cases may be copied."""

from sqlalchemy import ColumnElement, Select, and_, exists, func, not_, or_, select

from db.read import claims
from db.read.rows import CatchRow, KnownAnswerRow
from db.tables import Assignment, CaseHead, KnownAnswer, Person, Transaction
from scoring.model.taxonomy import Stage

_NEAR = 250
"""Cases before and after one whose ids are looked at."""
_FINAL = (Stage.FINAL.value, Stage.RELEASED.value)
_IS_VALID = and_(
    CaseHead.is_gold.is_(True),
    CaseHead.stage.in_(_FINAL),
    CaseHead.head_id == KnownAnswer.source_revision_id,
)


def _copies() -> Select[KnownAnswer, str, bool]:
    return (
        select(KnownAnswer, Person.name, _IS_VALID)
        .join(CaseHead, CaseHead.id == KnownAnswer.source_pk)
        .join(Person, Person.id == KnownAnswer.person_id)
        .order_by(KnownAnswer.id)
    )


def _row(copy: KnownAnswer, person: str, is_valid: bool) -> KnownAnswerRow:
    return KnownAnswerRow(
        id=copy.id,
        case_id=copy.case_id,
        batch=copy.batch,
        source_pk=copy.source_pk,
        source_revision_id=copy.source_revision_id,
        person_id=copy.person_id,
        person=person,
        stage=Stage(copy.stage),
        kind=copy.kind,
        status=copy.status,
        claimed_at=copy.claimed_at,
        lease_until=copy.lease_until,
        defect=copy.defect,
        body=copy.body,
        draft_sequence=copy.draft_sequence,
        draft=copy.draft,
        remarks=copy.remarks,
        idempotency_key=copy.idempotency_key,
        is_caught=copy.is_caught,
        is_valid=bool(is_valid),
    )


def find_copy(tx: Transaction, number: int, *, is_locked: bool = False) -> KnownAnswerRow | None:
    """A copy by the number of its slot; a locked one is held until the transaction ends."""
    if is_locked:
        tx.execute(select(KnownAnswer.id).where(KnownAnswer.id == number).with_for_update())
    found = tx.execute(_copies().where(KnownAnswer.id == number)).one_or_none()
    return _row(*found) if found else None


def copy_named(tx: Transaction, case_id: str, *, person_id: int) -> KnownAnswerRow | None:
    """A person's copy by the id it is shown under; null for anybody else.

    Where a case of that id was imported later, the id is the copy's while they hold it, then the case's.
    """
    real = exists().where(CaseHead.case_id == case_id)
    is_theirs = or_(KnownAnswer.status == "claimed", not_(real.correlate(None)))
    where = KnownAnswer.case_id == case_id, KnownAnswer.person_id == person_id, is_theirs
    found = tx.execute(_copies().where(*where)).one_or_none()
    return _row(*found) if found else None


def copies_of(tx: Transaction, person_id: int, *, status: str) -> tuple[KnownAnswerRow, ...]:
    """A person's copies in one status, oldest first."""
    found = tx.execute(_copies().where(KnownAnswer.person_id == person_id, KnownAnswer.status == status))
    return tuple(_row(*one) for one in found)


def held_count(tx: Transaction, person_id: int) -> int:
    """How many copies a person holds."""
    where = KnownAnswer.person_id == person_id, KnownAnswer.status == "claimed"
    return tx.scalar(select(func.count()).select_from(KnownAnswer).where(*where)) or 0


def kinds_given(tx: Transaction, person_id: int) -> dict[str, int]:
    """How many copies a person has been given of each category."""
    where = KnownAnswer.person_id == person_id
    counted = select(KnownAnswer.kind, func.count()).where(where).group_by(KnownAnswer.kind)
    return {str(kind): count for kind, count in tx.execute(counted)}


def was_last(tx: Transaction, person_id: int) -> bool:
    """Whether the newest slot a person got is on a copy."""
    copy = tx.scalar(select(func.max(KnownAnswer.id)).where(KnownAnswer.person_id == person_id))
    real = tx.scalar(select(func.max(Assignment.id)).where(Assignment.person_id == person_id))
    return copy is not None and copy > (real or 0)


def _can_be_copied() -> ColumnElement[bool]:
    return and_(CaseHead.is_gold.is_(True), CaseHead.stage.in_(_FINAL), CaseHead.head_id.is_not(None))


def sources_for(tx: Transaction, person_id: int) -> tuple[tuple[int, int], ...]:
    """Gold cases, as (case, revision), that a person had no part in and has had no copy of; by age."""
    had = exists().where(KnownAnswer.source_pk == CaseHead.id, KnownAnswer.person_id == person_id)
    part = or_(claims.has_owned(person_id), claims.has_reviewed(person_id), claims.has_decided(person_id))
    rows = select(CaseHead.id, CaseHead.head_id).where(_can_be_copied(), not_(had), not_(part))
    return tuple((int(pk), int(head or 0)) for pk, head in tx.execute(rows.order_by(CaseHead.id)))


def source_count(tx: Transaction) -> int:
    """How many gold cases can be copied at all."""
    return tx.scalar(select(func.count()).select_from(CaseHead).where(_can_be_copied())) or 0


def is_taken(tx: Transaction, case_id: str) -> bool:
    """Whether a case or a copy has an id."""
    heads = select(CaseHead.id).where(CaseHead.case_id == case_id)
    copies = select(KnownAnswer.id).where(KnownAnswer.case_id == case_id)
    return tx.scalar(heads) is not None or tx.scalar(copies) is not None


def cases_near(tx: Transaction, case_pk: int, *, batch_id: int) -> tuple[tuple[str, str], ...]:
    """The ids and requests of cases of a batch that were imported around one of them."""
    is_near = CaseHead.id.between(case_pk - _NEAR, case_pk + _NEAR)
    rows = select(CaseHead.case_id, CaseHead.request).where(CaseHead.batch_id == batch_id, is_near)
    return tuple((case_id, request) for case_id, request in tx.execute(rows.order_by(CaseHead.id)))


def catches(tx: Transaction) -> tuple[CatchRow, ...]:
    """Every submitted copy, in the order they were given."""
    rows = tx.execute(_copies().where(KnownAnswer.is_caught.is_not(None)))
    return tuple(
        CatchRow(
            person=person,
            kind=copy.kind,
            is_caught=bool(copy.is_caught),
            is_valid=bool(valid),
            case_id=copy.case_id,
            defect=copy.defect,
            at=copy.closed_at or copy.claimed_at,
        )
        for copy, person, valid in rows
    )
