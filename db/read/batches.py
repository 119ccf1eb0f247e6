"""Batches: what they hold, what holds them up, what was split off, and when their cases were finished."""

import json
from collections.abc import Collection, Sequence
from datetime import date, datetime

from sqlalchemy import case, func, not_, select, union_all
from sqlalchemy.orm import aliased

from db.read.queries import at_stages, count
from db.read.rows import BatchRow, HeldUpRow
from db.tables import Batch, CaseHead, DecisionRecord, Event, Person, StageExit, Transaction
from scoring.groups import grouped
from scoring.model.taxonomy import Stage


def list_batches(tx: Transaction, *, without: Collection[int] = ()) -> tuple[BatchRow, ...]:
    """All batches with their counts per stage, newest first; some cases are left out of the counts."""
    counted = tx.execute(
        select(CaseHead.batch_id, CaseHead.stage, func.count())
        .where(CaseHead.id.not_in(without))
        .group_by(CaseHead.batch_id, CaseHead.stage)
    )
    stages = grouped((batch_id, (Stage(stage), count)) for batch_id, stage, count in counted)
    return tuple(
        BatchRow(
            id=batch.id,
            name=batch.name,
            created_at=batch.created_at,
            is_flagged=batch.is_flagged,
            case_count=sum(count for _, count in stages.get(batch.id, ())),
            stages=dict(stages.get(batch.id, ())),
            due_on=date.fromisoformat(batch.due_on) if batch.due_on else None,
        )
        for batch in tx.scalars(select(Batch).order_by(Batch.id.desc()))
    )


def find_batch(tx: Transaction, name: str) -> int | None:
    """Number of the batch with this name."""
    return tx.scalar(select(Batch.id).where(Batch.name == name))


def is_flagged(tx: Transaction, batch_id: int) -> bool:
    """Whether a batch is flagged."""
    return tx.scalars(select(Batch.is_flagged).where(Batch.id == batch_id)).one()


def has_case(tx: Transaction, batch_id: int, *, stages: Sequence[Stage]) -> bool:
    """Whether any case of a batch stands at one of some stages."""
    statement = select(CaseHead.id).where(CaseHead.batch_id == batch_id, at_stages(stages))
    return tx.scalar(statement.limit(1)) is not None


def count_batch(tx: Transaction, batch_id: int, *, stages: Sequence[Stage] = tuple(Stage)) -> int:
    """How many cases of a batch stand at one of some stages."""
    return count(tx, CaseHead.batch_id == batch_id, at_stages(stages))


def batches_with_approved(tx: Transaction) -> tuple[int, ...]:
    """Numbers of the batches in which approved cases wait."""
    statement = select(CaseHead.batch_id).where(CaseHead.stage == Stage.APPROVED.value).distinct()
    return tuple(sorted(tx.scalars(statement)))


def held_up(
    tx: Transaction,
    batch_id: int,
    *,
    owned: Sequence[Stage],
    others: Sequence[Stage],
    without: Collection[int] = (),
) -> tuple[HeldUpRow, ...]:
    """The cases of a batch at some stages, counted by stage and by who is to work on them; oldest first.

    Args:
        tx: The transaction.
        batch_id: The batch.
        owned: Stages at which a case waits for its owner.
        others: Stages at which it waits for the expert it was handed to, or for nobody in particular.
        without: Cases that are left out.
    """
    expert = aliased(Person)
    who = case((at_stages(owned), Person.name), else_=expert.name)
    since = func.min(CaseHead.changed_at)
    rows = tx.execute(
        select(CaseHead.stage, who.label("who"), func.count().label("count"), since.label("since"))
        .outerjoin(Person, Person.id == CaseHead.owner_id)
        .outerjoin(expert, expert.id == CaseHead.expert_id)
        .where(CaseHead.batch_id == batch_id, at_stages((*owned, *others)), CaseHead.id.not_in(without))
        .group_by(CaseHead.stage, who)
        .order_by(since)
    )
    return tuple(
        HeldUpRow(stage=Stage(stage), person=name, count=count, since=at) for stage, name, count, at in rows
    )


def finish_times(tx: Transaction, *, without: Sequence[Stage]) -> tuple[tuple[int, datetime], ...]:
    """Batch and instant of each case that reviewers are done with: when it last went on.

    Args:
        tx: The transaction.
        without: Stages of the cases that still have work to do.
    """
    left = (
        select(CaseHead.id, CaseHead.batch_id, StageExit.at)
        .join(StageExit, StageExit.case_pk == CaseHead.id)
        .where(not_(at_stages(without)), StageExit.stage != Stage.EXPERT.value)
    )
    both = union_all(
        left,
        select(CaseHead.id, CaseHead.batch_id, DecisionRecord.at)
        .join(DecisionRecord, DecisionRecord.case_pk == CaseHead.id)
        .where(CaseHead.stage == Stage.REJECTED.value, DecisionRecord.stage == Stage.ESCALATED.value),
    ).subquery()
    rows = tx.execute(select(both.c.batch_id, func.max(both.c.at)).group_by(both.c.id, both.c.batch_id))
    return tuple((batch_id, at) for batch_id, at in rows)


SPLIT = "review:batch:split"
"""Event of a split."""


def splits(tx: Transaction) -> tuple[tuple[str, str, datetime], ...]:
    """Every split of a batch as the batch, the part that left it, and when; the newest first."""
    statement = select(Event.subject, Event.payload, Event.at).where(Event.action == SPLIT)
    return tuple(
        (subject.removeprefix("batch:"), str(json.loads(payload)["to"]), at)
        for subject, payload, at in tx.execute(statement.order_by(Event.seq.desc()))
    )
