"""Samples of approved cases: what was drawn from what, and what came out of it."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, or_, select
from sqlalchemy.orm import aliased

from db.columns import given
from db.read.rows import SampleRow
from db.tables import (
    Batch,
    CaseHead,
    DecisionRecord,
    Event,
    JudgmentRecord,
    Release,
    ReleasedCase,
    Revision,
    Sample,
    SampledCase,
    Transaction,
)
from scoring.groups import grouped, keyed
from scoring.model.taxonomy import SampleOutcome, SampleStatus, Stage, Verdict

_STAGES = {stage.value: stage for stage in Stage}  # a quarter of the time of Stage(...)

DRAWN = "review:sample:draw"
"""Event of a draw."""


def list_samples(tx: Transaction, *, batch_id: int | None = None) -> tuple[SampleRow, ...]:
    """Samples of a batch or of all, oldest first, with the outcome of every case."""
    statement = select(Sample, Batch.name).join(Batch, Batch.id == Sample.batch_id).order_by(Sample.id)
    rows = tx.execute(statement.where(given(Sample.batch_id, batch_id))).all()
    outcome_rows = tx.execute(
        select(SampledCase.sample_id, CaseHead.case_id, SampledCase.outcome)
        .join(CaseHead, CaseHead.id == SampledCase.case_pk)
        .where(
            SampledCase.sample_id.in_([sample.id for sample, _ in rows]),
            SampledCase.outcome != SampleOutcome.REST,
        )
        .order_by(CaseHead.case_id)
    )
    outcomes = grouped((sample_id, (case_id, outcome)) for sample_id, case_id, outcome in outcome_rows)
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
            outcomes=dict(outcomes.get(sample.id, ())),
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
                SampledCase.outcome != SampleOutcome.REST,
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
        .where(
            SampledCase.case_pk == case_pk,
            SampledCase.outcome == SampleOutcome.OPEN,
            Sample.status == SampleStatus.OPEN,
        )
    )


def not_drawn(tx: Transaction, sample_id: int) -> frozenset[int]:
    """The cases of a sample's population that were not drawn."""
    return frozenset(
        tx.scalars(
            select(SampledCase.case_pk).where(
                SampledCase.sample_id == sample_id, SampledCase.outcome == SampleOutcome.REST
            )
        )
    )


def looked_at(tx: Transaction, batch_id: int) -> frozenset[int]:
    """The cases of a batch whose content somebody has verified in a sample."""
    return frozenset(
        tx.scalars(
            select(SampledCase.case_pk)
            .join(Sample, Sample.id == SampledCase.sample_id)
            .where(
                Sample.batch_id == batch_id,
                SampledCase.outcome.in_((SampleOutcome.UNCHANGED, SampleOutcome.CORRECTED)),
            )
        )
    )


class HeldCase(NamedTuple):
    """A case in the content that counts for somebody, and whether an expert has settled this very content.

    `at` is when the revision was made, or when an expert decided on it last. `is_decided_alone` says that
    experts settled it after escalations alone, and nobody looked at it in a sample.
    """

    case_pk: int
    case_id: str
    batch: str
    batch_id: int
    stage: Stage
    task_count: int
    at: datetime
    is_settled: bool
    is_decided_alone: bool = False


class SampleMember(NamedTuple):
    """A case of a sample's population with its outcome, and whether an expert decided it in the sample."""

    sample_id: int
    case_pk: int
    case_id: str
    policies: str
    outcome: str
    is_decided: bool


def held_cases(
    tx: Transaction, *, stages: Sequence[Stage] = (), release: str | None = None
) -> tuple[HeldCase, ...]:
    """The cases of some stages as they are, or those of a release as they were frozen, by number."""
    approvals = select(DecisionRecord.id).where(
        DecisionRecord.case_pk == CaseHead.id, DecisionRecord.verdict == Verdict.APPROVE.value
    )
    about_it = DecisionRecord.result_id == Revision.id
    settling = approvals.where(or_(about_it, DecisionRecord.at > Revision.at))
    statement = (
        select(
            CaseHead.id,
            CaseHead.case_id,
            CaseHead.batch_id,
            CaseHead.stage,
            CaseHead.task_count,
            Batch.name,
            Revision.at,
            approvals.where(about_it).with_only_columns(func.max(DecisionRecord.at)).scalar_subquery(),
            settling.exists(),
            settling.where(DecisionRecord.stage == Stage.EXPERT.value).exists(),
        )
        .join(Batch, Batch.id == CaseHead.batch_id)
        .order_by(CaseHead.id)
    )
    if release is None:
        names = [stage.value for stage in stages]
        statement = statement.join(Revision, Revision.id == CaseHead.head_id).where(CaseHead.stage.in_(names))
    else:
        statement = (
            statement.join(ReleasedCase, ReleasedCase.case_pk == CaseHead.id)
            .join(Revision, Revision.id == ReleasedCase.revision_id)
            .join(Release, Release.id == ReleasedCase.release_id)
            .where(Release.name == release)
        )
    return tuple(
        HeldCase(
            pk,
            case_id,
            batch,
            batch_id,
            _STAGES[stage],
            count,
            decided or at,
            settled,
            decided is not None and not sampled,
        )
        for pk, case_id, batch_id, stage, count, batch, at, decided, settled, sampled in tx.execute(statement)
    )


def sample_members(tx: Transaction) -> tuple[SampleMember, ...]:
    """Every case of every sample's population, by sample and case id."""
    statement = (
        select(
            SampledCase.sample_id,
            SampledCase.case_pk,
            CaseHead.case_id,
            CaseHead.policies,
            SampledCase.outcome,
            select(DecisionRecord.id)
            .where(
                DecisionRecord.case_pk == SampledCase.case_pk,
                DecisionRecord.stage == Stage.EXPERT.value,
                DecisionRecord.at >= Sample.drawn_at,
            )
            .exists(),
        )
        .join(Sample, Sample.id == SampledCase.sample_id)
        .join(CaseHead, CaseHead.id == SampledCase.case_pk)
        .order_by(SampledCase.sample_id, CaseHead.case_id)
    )
    return tuple(map(SampleMember._make, tx.execute(statement)))


class ExpertLook(NamedTuple):
    """What an expert made of a drawn case: the hash of the content they approved, empty for none."""

    drawn_at: datetime
    sha256: str


def expert_looks(tx: Transaction) -> dict[int, ExpertLook]:
    """The first decision of an expert on each case that came out of a random sample, by number.

    Left out are samples of what an expert had decided in the same round.
    """
    earlier = aliased(DecisionRecord)
    is_decided = select(earlier.id).where(
        earlier.case_pk == DecisionRecord.case_pk,
        earlier.round == DecisionRecord.round,
        earlier.id < DecisionRecord.id,
    )
    return {
        pk: ExpertLook(drawn_at, sha256 if verdict == Verdict.APPROVE.value else "")
        for pk, verdict, drawn_at, sha256 in tx.execute(
            select(SampledCase.case_pk, DecisionRecord.verdict, Sample.drawn_at, Revision.sha256)
            .join(Sample, Sample.id == SampledCase.sample_id)
            .join(DecisionRecord, DecisionRecord.case_pk == SampledCase.case_pk)
            .join(Revision, Revision.id == DecisionRecord.result_id)
            .where(
                SampledCase.outcome.not_in((SampleOutcome.OPEN, SampleOutcome.REST)),
                DecisionRecord.stage == Stage.EXPERT.value,
                DecisionRecord.at >= Sample.drawn_at,
                ~is_decided.exists(),
            )
            .order_by(DecisionRecord.id.desc(), SampledCase.sample_id)
        )
    }


@keyed
def drawn_strata(tx: Transaction) -> Iterator[tuple[tuple[str, int], tuple[tuple[str, ...], ...]]]:
    """Case ids by stratum of every draw, by batch and sequence; none for draws older than the record."""
    for subject, text in tx.execute(select(Event.subject, Event.payload).where(Event.action == DRAWN)):
        payload = json.loads(text)
        strata = tuple(tuple(map(str, ids)) for ids in payload.get("strata", ()))
        yield (str(subject).removeprefix("batch:"), int(payload["sequence"])), strata
