"""What waits for experts: which cases, since when, and who was handed or has begun them."""

from datetime import datetime

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import aliased

from db.read.rows import DecisionWaitRow
from db.read.visibility import DECIDING
from db.tables import Assignment, Batch, CaseHead, Person, Transaction
from scoring.model.taxonomy import SlotStatus, Stage


def waiting_for_experts(
    tx: Transaction, *conditions: ColumnElement[bool], at: datetime
) -> tuple[DecisionWaitRow, ...]:
    """Cases that wait for a decision and fulfil some conditions, the longest wait first; `at` is now."""
    expert, holder = aliased(Person), aliased(Person)
    return tuple(
        DecisionWaitRow(
            case_pk=row.id,
            case_id=row.case_id,
            batch=row.batch,
            stage=Stage(row.stage),
            since=row.changed_at,
            note=row.note,
            handed_to=row.expert,
            deciding=row.holder,
        )
        for row in tx.execute(
            select(
                CaseHead.id,
                CaseHead.case_id,
                Batch.name.label("batch"),
                CaseHead.stage,
                CaseHead.changed_at,
                CaseHead.note,
                expert.name.label("expert"),
                holder.name.label("holder"),
            )
            .join(Batch, Batch.id == CaseHead.batch_id)
            .outerjoin(expert, expert.id == CaseHead.expert_id)
            .outerjoin(
                Assignment,
                and_(
                    Assignment.case_pk == CaseHead.id,
                    Assignment.status == SlotStatus.CLAIMED,
                    Assignment.stage.in_(DECIDING),
                    Assignment.lease_until >= at,
                ),
            )
            .outerjoin(holder, holder.id == Assignment.person_id)
            .where(CaseHead.stage.in_(DECIDING), *conditions)
            .order_by(CaseHead.changed_at, CaseHead.id)
        )
    )


def is_handed_to(person_id: int) -> ColumnElement[bool]:
    """Cases whose decision was handed to a person."""
    return CaseHead.expert_id == person_id


def handed_to(tx: Transaction, case_pk: int) -> str | None:
    """The expert to whom the decision about a case was handed, by name; None for nobody."""
    return tx.scalar(
        select(Person.name).join(CaseHead, CaseHead.expert_id == Person.id).where(CaseHead.id == case_pk)
    )
