"""What people decided about tasks with the same tools and calls, counted and found by indexes."""

from collections.abc import Collection

from sqlalchemy import case, distinct, func, or_, select

from db.read.rows import OrderCount, PrecedentRow
from db.tables import CaseHead, StoredPrecedent, ToolOrder, Transaction
from scoring.model.taxonomy import FINAL_STAGES

_FINAL = [stage.value for stage in FINAL_STAGES]


def has_precedents(tx: Transaction) -> bool:
    """Whether anything was kept yet."""
    return (
        tx.scalar(select(StoredPrecedent.id).limit(1)) is not None
        or tx.scalar(select(ToolOrder.id).limit(1)) is not None
    )


def order_counts(
    tx: Transaction, person_id: int, *, toolset: str, names: Collection[str], besides: int
) -> tuple[OrderCount, ...]:
    """In how many cases an order was drawn between two tools that were called one after the other.

    Args:
        tx: The transaction.
        person_id: Whose own cases count, besides those that are final.
        toolset: Hash of the toolset.
        names: The tools that are called.
        besides: The case it is asked for, which never counts.
    """
    ordered = func.count(distinct(case((ToolOrder.is_ordered.is_(True), ToolOrder.case_pk))))
    statement = (
        select(ToolOrder.first, ToolOrder.second, ordered, func.count(distinct(ToolOrder.case_pk)))
        .join(CaseHead, CaseHead.id == ToolOrder.case_pk)
        .where(
            ToolOrder.toolset == toolset,
            ToolOrder.first.in_(names),
            ToolOrder.second.in_(names),
            ToolOrder.case_pk != besides,
            or_(ToolOrder.person_id == person_id, CaseHead.stage.in_(_FINAL)),
        )
        .group_by(ToolOrder.first, ToolOrder.second)
        .order_by(ToolOrder.first, ToolOrder.second)
    )
    return tuple(OrderCount(*row) for row in tx.execute(statement))


def own_precedents(
    tx: Transaction, person_id: int, *, toolset: str, patterns: Collection[str], besides: int
) -> tuple[PrecedentRow, ...]:
    """What a person said last of another case's task with the same calls, by pattern."""
    newest = (
        select(func.max(StoredPrecedent.id))
        .where(
            StoredPrecedent.toolset == toolset,
            StoredPrecedent.pattern.in_(patterns),
            StoredPrecedent.person_id == person_id,
            StoredPrecedent.case_pk != besides,
        )
        .group_by(StoredPrecedent.pattern)
    )
    statement = (
        select(StoredPrecedent.pattern, CaseHead.case_id, StoredPrecedent.body)
        .join(CaseHead, CaseHead.id == StoredPrecedent.case_pk)
        .where(StoredPrecedent.id.in_(newest))
        .order_by(StoredPrecedent.pattern)
    )
    return tuple(PrecedentRow(*row) for row in tx.execute(statement))
