"""Known-answer cases: copies of gold cases with a planted defect, and which gold cases may be copied."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, and_, exists, func, literal, not_, or_, select

from db.read import claims
from db.read.people import person_row
from db.read.queries import count, find_case
from db.read.rows import CaseRow, CatchRow, KnownAnswerRow, PersonRow
from db.tables import Assignment, Batch, CaseHead, KnownAnswer, Person, Project, Transaction
from scoring.model.taxonomy import SlotStatus, Stage

_NEAR = 250
"""Cases before and after one whose ids are looked at."""
LEFT = (SlotStatus.RELEASED, SlotStatus.SKIPPED)
OPEN = (SlotStatus.CLAIMED, *LEFT)
"""Statuses of the copies a person sees among their cases: held, or left and not submitted."""
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
        person_id=copy.person_id,
        person=person,
        stage=Stage(copy.stage),
        status=copy.status,
        claimed_at=copy.claimed_at,
        closed_at=copy.closed_at,
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


def find_copy(tx: Transaction, number: int) -> KnownAnswerRow | None:
    """A copy by the number of its slot."""
    found = tx.execute(_copies().where(KnownAnswer.id == number)).one_or_none()
    return _row(*found) if found else None


def get_copy(tx: Transaction, number: int, *, is_locked: bool = False) -> KnownAnswerRow:
    """A copy that must exist, by the number of its slot; a locked one is held until the transaction ends."""
    if is_locked:
        tx.execute(select(KnownAnswer.id).where(KnownAnswer.id == number).with_for_update())
    return _row(*tx.execute(_copies().where(KnownAnswer.id == number)).one())


def copy_named(tx: Transaction, case_id: str, *, person_id: int) -> KnownAnswerRow | None:
    """A person's copy by the id it is shown under; None for anybody else.

    Where a case of that id was imported later, the id is the copy's while they hold it, then the case's.
    """
    real = exists().where(CaseHead.case_id == case_id)
    is_theirs = or_(KnownAnswer.status == SlotStatus.CLAIMED, not_(real.correlate(None)))
    where = KnownAnswer.case_id == case_id, KnownAnswer.person_id == person_id, is_theirs
    found = tx.execute(_copies().where(*where)).one_or_none()
    return _row(*found) if found else None


def copies_of(tx: Transaction, person_id: int, statuses: Sequence[str]) -> tuple[KnownAnswerRow, ...]:
    """A person's copies in some statuses, oldest first."""
    is_so = KnownAnswer.status.in_(statuses)
    return tuple(_row(*row) for row in tx.execute(_copies().where(KnownAnswer.person_id == person_id, is_so)))


def copies_taken_again(tx: Transaction) -> tuple[KnownAnswerRow, ...]:
    """Everybody's copies that had another slot before."""
    return tuple(_row(*one) for one in tx.execute(_copies().where(KnownAnswer.remarks.contains('"left":[['))))


def held_count(tx: Transaction, person_id: int) -> int:
    """How many copies a person holds."""
    where = KnownAnswer.person_id == person_id, KnownAnswer.status == SlotStatus.CLAIMED
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


def sources_for(tx: Transaction, person_id: int, *, language: str = "") -> tuple[tuple[int, int], ...]:
    """Gold cases, as (case, revision), that a person had no part in and has had no copy of; by age.

    Only those in a language; empty for any.
    """
    had = exists().where(KnownAnswer.source_pk == CaseHead.id, KnownAnswer.person_id == person_id)
    part = or_(claims.has_owned(person_id), claims.has_reviewed(person_id), claims.has_decided(person_id))
    spoken = or_(literal(language) == "", CaseHead.language == language)
    rows = select(CaseHead.id, CaseHead.head_id).where(_can_be_copied(), not_(had), not_(part), spoken)
    return tuple((int(pk), int(head or 0)) for pk, head in tx.execute(rows.order_by(CaseHead.id)))


def at_hand(tx: Transaction, person_id: int) -> dict[int, str]:
    """The cases a person holds a slot of in their present round, or left there, with the slot's status."""
    rows = (
        select(CaseHead.id, Assignment.status)
        .join(CaseHead, CaseHead.id == Assignment.case_pk)
        .where(
            Assignment.person_id == person_id,
            Assignment.stage == CaseHead.stage,
            Assignment.round == CaseHead.round,
        )
        .order_by(Assignment.id)
    )
    newest = {int(pk): str(status) for pk, status in tx.execute(rows)}
    return {pk: status for pk, status in newest.items() if status in (SlotStatus.EXPIRED, *OPEN)}


def withheld(tx: Transaction, person_id: int) -> frozenset[int]:
    """Gold cases that are kept from a person while they hold any case, or may come back to one.

    Beside its gold case a copy shows its defect. So whatever may be the gold case of one is kept from them,
    whether they hold a copy or not: what is missing must not tell.
    """
    open_ = [copy for copy in copies_of(tx, person_id, OPEN) if copy.status != SlotStatus.SKIPPED]
    if not open_ and set(at_hand(tx, person_id).values()) <= {SlotStatus.SKIPPED}:
        return frozenset()
    final = CaseHead.id.in_([copy.source_pk for copy in open_]), CaseHead.stage.in_(_FINAL)
    return frozenset((*tx.scalars(select(CaseHead.id).where(*final)), *dict(sources_for(tx, person_id))))


@dataclass(frozen=True)
class PersonStanding:
    """How a person stands in the project, whose policy is JSON text.

    Copies are given where anybody holds one or may come back to one; `has_copies` is whether they do.
    """

    policy: str
    person: PersonRow | None
    are_given: bool
    has_copies: bool


def standing_of(tx: Transaction, name: str | None) -> PersonStanding:
    """Ask for all of it in one statement: every page of the queue begins with it."""
    is_open = KnownAnswer.status.in_(OPEN)
    policy, person, are_given, has_copies = tx.execute(
        select(
            Project.policy,
            Person,
            exists().where(is_open),
            exists().where(is_open, KnownAnswer.person_id == Person.id),
        )
        .select_from(Project)
        .outerjoin(Person, Person.name == name)
    ).one()
    return PersonStanding(
        policy=policy,
        person=person_row(person) if person is not None else None,
        are_given=bool(are_given),
        has_copies=bool(has_copies),
    )


def like_case(tx: Transaction, copy: KnownAnswerRow) -> CaseRow | None:
    """A case of the batch a copy is shown in, to look like: a colleague's where it can be."""
    batch = select(Batch.id).where(Batch.name == copy.batch).scalar_subquery()
    is_others = and_(CaseHead.owner_id.is_not(None), CaseHead.owner_id != copy.person_id)
    found = select(CaseHead.case_id).where(CaseHead.batch_id == batch)
    case_id = tx.scalar(found.order_by(is_others.desc(), CaseHead.id).limit(1))
    return find_case(tx, case_id) if case_id is not None else None


def source_count(tx: Transaction) -> int:
    """How many gold cases can be copied at all."""
    return count(tx, _can_be_copied())


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
        for copy, person, valid in tx.execute(_copies().where(KnownAnswer.is_caught.is_not(None)))
    )
