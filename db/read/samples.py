"""Samples of approved cases: what was drawn from what, and what came out of it."""

from sqlalchemy import select

from db.read.rows import SampleRow
from db.tables import Batch, CaseHead, JudgmentRecord, Sample, SampledCase, Transaction
from scoring.model.taxonomy import Stage

NOT_DRAWN = "rest"
"""Outcome of a case that was in a sample's population and was not drawn."""


def list_samples(tx: Transaction, *, batch_id: int | None = None) -> tuple[SampleRow, ...]:
    """Samples of a batch or of all, oldest first, with the outcome of every case."""
    statement = select(Sample, Batch.name).join(Batch, Batch.id == Sample.batch_id).order_by(Sample.id)
    if batch_id is not None:
        statement = statement.where(Sample.batch_id == batch_id)
    rows = tx.execute(statement).all()
    outcomes: dict[int, dict[str, str]] = {}
    for sample_id, case_id, outcome in tx.execute(
        select(SampledCase.sample_id, CaseHead.case_id, SampledCase.outcome)
        .join(CaseHead, CaseHead.id == SampledCase.case_pk)
        .where(SampledCase.sample_id.in_([sample.id for sample, _ in rows]), SampledCase.outcome != NOT_DRAWN)
        .order_by(CaseHead.case_id)
    ):
        outcomes.setdefault(sample_id, {})[case_id] = outcome
    return tuple(
        SampleRow(
            id=sample.id,
            batch=name,
            batch_id=sample.batch_id,
            sequence=sample.sequence,
            kind=sample.kind,
            seed=sample.seed,
            share=sample.share,
            population=sample.population,
            status=sample.status,
            drawn_at=sample.drawn_at,
            closed_at=sample.closed_at,
            outcomes=outcomes.get(sample.id, {}),
        )
        for sample, name in rows
    )


def served(tx: Transaction, sample_id: int) -> frozenset[int]:
    """People who judged the cases of a sample after it was drawn."""
    return frozenset(
        tx.scalars(
            select(JudgmentRecord.person_id)
            .join(SampledCase, SampledCase.case_pk == JudgmentRecord.case_pk)
            .join(Sample, Sample.id == SampledCase.sample_id)
            .where(
                SampledCase.sample_id == sample_id,
                SampledCase.outcome != NOT_DRAWN,
                JudgmentRecord.at > Sample.drawn_at,
                JudgmentRecord.stage == Stage.CROSS_CHECK.value,
                JudgmentRecord.is_withdrawn.is_(False),
            )
        )
    )


def open_sample_of(tx: Transaction, case_pk: int) -> int | None:
    """The open sample a case was drawn into and has not come out of yet."""
    return tx.scalar(
        select(SampledCase.sample_id)
        .join(Sample, Sample.id == SampledCase.sample_id)
        .where(SampledCase.case_pk == case_pk, SampledCase.outcome == "open", Sample.status == "open")
    )


def not_drawn(tx: Transaction, sample_id: int) -> frozenset[int]:
    """The cases of a sample's population that were not drawn."""
    return frozenset(
        tx.scalars(
            select(SampledCase.case_pk).where(
                SampledCase.sample_id == sample_id, SampledCase.outcome == NOT_DRAWN
            )
        )
    )


def looked_at(tx: Transaction, batch_id: int) -> frozenset[int]:
    """The cases of a batch whose content somebody has verified in a sample."""
    return frozenset(
        tx.scalars(
            select(SampledCase.case_pk)
            .join(Sample, Sample.id == SampledCase.sample_id)
            .where(Sample.batch_id == batch_id, SampledCase.outcome.in_(("unchanged", "corrected")))
        )
    )
