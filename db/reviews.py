"""What was said about cases: judgments, decisions, exits, samples, feedback, comments, releases, runs."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Select, exists, func, or_, select
from sqlalchemy.orm import aliased

from db.rows import (
    CommentRow,
    DecisionRow,
    EventRow,
    ExitRow,
    FeedbackRow,
    JudgmentRow,
    ReleaseRow,
    RunRow,
    SampleRow,
)
from db.tables import (
    Batch,
    CaseHead,
    Comment,
    DecisionRecord,
    Event,
    FeedbackNote,
    JudgmentRecord,
    Person,
    Release,
    ReleasedCase,
    Run,
    Sample,
    SampledCase,
    StageExit,
    Transaction,
)
from scoring.model.taxonomy import Stage, Verdict


def _judgment(row: JudgmentRecord, person: str) -> JudgmentRow:
    return JudgmentRow(
        id=row.id,
        assignment_id=row.assignment_id,
        case_pk=row.case_pk,
        stage=Stage(row.stage),
        round=row.round,
        person_id=row.person_id,
        person=person,
        revision_id=row.revision_id,
        result_id=row.result_id,
        verdict=Verdict(row.verdict),
        seconds=row.seconds,
        at=row.at,
        is_withdrawn=row.is_withdrawn,
        body=row.body,
    )


def _judgments() -> Select[JudgmentRecord, str]:
    return select(JudgmentRecord, Person.name).join(Person, Person.id == JudgmentRecord.person_id)


def judgments_of(
    tx: Transaction, case_pk: int, *, stage: Stage | None = None, round_: int | None = None
) -> tuple[JudgmentRow, ...]:
    """Judgments of a case that stand (not withdrawn), oldest first."""
    statement = (
        _judgments()
        .where(JudgmentRecord.case_pk == case_pk, JudgmentRecord.is_withdrawn.is_(False))
        .order_by(JudgmentRecord.id)
    )
    if stage is not None:
        statement = statement.where(JudgmentRecord.stage == stage.value)
    if round_ is not None:
        statement = statement.where(JudgmentRecord.round == round_)
    return tuple(_judgment(row, name) for row, name in tx.execute(statement))


def all_judgments(tx: Transaction, *, stage: Stage | None = None) -> Iterator[JudgmentRow]:
    """Every judgment that stands, by case, then age."""
    statement = (
        _judgments()
        .where(JudgmentRecord.is_withdrawn.is_(False))
        .order_by(JudgmentRecord.case_pk, JudgmentRecord.id)
    )
    if stage is not None:
        statement = statement.where(JudgmentRecord.stage == stage.value)
    for row, name in tx.execute(statement.execution_options(yield_per=500)):
        yield _judgment(row, name)


def judgment_by_key(tx: Transaction, key: str) -> JudgmentRow | None:
    """The judgment a submission key has made already."""
    found = tx.execute(_judgments().where(JudgmentRecord.idempotency_key == key)).one_or_none()
    return _judgment(*found) if found else None


def newest_judgment(tx: Transaction, assignment_id: int) -> JudgmentRow | None:
    """The newest standing judgment of an assignment."""
    found = tx.execute(
        _judgments()
        .where(JudgmentRecord.assignment_id == assignment_id, JudgmentRecord.is_withdrawn.is_(False))
        .order_by(JudgmentRecord.id.desc())
        .limit(1)
    ).one_or_none()
    return _judgment(*found) if found else None


def decision_exists(tx: Transaction, key: str) -> bool:
    """Whether a decision with this submission key was made already."""
    return tx.scalar(select(DecisionRecord.id).where(DecisionRecord.idempotency_key == key)) is not None


def decisions_of(tx: Transaction, case_pk: int) -> tuple[DecisionRow, ...]:
    """The decisions about a case, oldest first."""
    rows = tx.execute(
        select(DecisionRecord, Person.name)
        .join(Person, Person.id == DecisionRecord.person_id)
        .where(DecisionRecord.case_pk == case_pk)
        .order_by(DecisionRecord.id)
    )
    return tuple(
        DecisionRow(
            id=row.id,
            case_pk=row.case_pk,
            stage=Stage(row.stage),
            round=row.round,
            person=name,
            verdict=Verdict(row.verdict),
            is_correction=row.is_correction,
            at=row.at,
            body=row.body,
        )
        for row, name in rows
    )


def all_exits(tx: Transaction) -> Iterator[tuple[str, ExitRow]]:
    """Every exit from a stage as (case id, exit), by case, then age."""
    statement = (
        select(CaseHead.case_id, StageExit)
        .join(CaseHead, CaseHead.id == StageExit.case_pk)
        .order_by(StageExit.case_pk, StageExit.id)
        .execution_options(yield_per=1000)
    )
    for case_id, row in tx.execute(statement):
        yield (
            case_id,
            ExitRow(
                case_pk=row.case_pk,
                stage=Stage(row.stage),
                round=row.round,
                sha256=row.sha256,
                at=row.at,
                differing=tuple(row.differing.split("|")) if row.differing else (),
            ),
        )


def escalated_count(tx: Transaction, batch_id: int) -> int:
    """How many cases of a batch are escalated now or were decided after an escalation."""
    decided = exists().where(
        DecisionRecord.case_pk == CaseHead.id, DecisionRecord.stage == Stage.ESCALATED.value
    )
    return (
        tx.scalar(
            select(func.count())
            .select_from(CaseHead)
            .where(CaseHead.batch_id == batch_id, or_(CaseHead.stage == Stage.ESCALATED.value, decided))
        )
        or 0
    )


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
        .where(SampledCase.sample_id.in_([sample.id for sample, _ in rows]))
        .order_by(CaseHead.case_id)
    ):
        outcomes.setdefault(sample_id, {})[case_id] = outcome
    return tuple(
        SampleRow(
            id=sample.id,
            batch=name,
            batch_id=sample.batch_id,
            sequence=sample.sequence,
            seed=sample.seed,
            share=sample.share,
            population=sample.population,
            status=sample.status,
            drawn_at=sample.drawn_at,
            outcomes=outcomes.get(sample.id, {}),
        )
        for sample, name in rows
    )


def feedback_to(tx: Transaction, person_id: int | None = None) -> tuple[FeedbackRow, ...]:
    """Corrections told to one person or to everybody, newest first."""
    sender = aliased(Person)
    statement = (
        select(FeedbackNote, CaseHead.case_id, Person.name, sender.name.label("sender"))
        .join(CaseHead, CaseHead.id == FeedbackNote.case_pk)
        .join(Person, Person.id == FeedbackNote.to_id)
        .join(sender, sender.id == FeedbackNote.from_id)
        .order_by(FeedbackNote.id.desc())
    )
    if person_id is not None:
        statement = statement.where(FeedbackNote.to_id == person_id)
    return tuple(
        FeedbackRow(
            id=row.id,
            case_id=case_id,
            to=to,
            sender=by,
            category=row.category,
            note=row.note,
            at=row.at,
            is_seen=row.seen_at is not None,
        )
        for row, case_id, to, by in tx.execute(statement)
    )


def comments_of(tx: Transaction, case_pk: int) -> tuple[CommentRow, ...]:
    """The remarks on a case, oldest first."""
    rows = tx.execute(
        select(Comment, Person.name)
        .join(Person, Person.id == Comment.person_id)
        .where(Comment.case_pk == case_pk)
        .order_by(Comment.id)
    )
    return tuple(
        CommentRow(
            id=row.id,
            parent_id=row.parent_id,
            person=name,
            where=row.where,
            text=row.text,
            at=row.at,
            is_resolved=row.resolved_at is not None,
        )
        for row, name in rows
    )


def list_releases(tx: Transaction) -> tuple[ReleaseRow, ...]:
    """All releases, newest first."""
    rows = tx.execute(
        select(Release, Person.name).join(Person, Person.id == Release.person_id).order_by(Release.id.desc())
    )
    return tuple(
        ReleaseRow(
            id=row.id,
            name=row.name,
            at=row.at,
            person=name,
            content_sha256=row.content_sha256,
            case_count=row.case_count,
            directory=row.directory,
            manifest=row.manifest,
        )
        for row, name in rows
    )


def released_in(tx: Transaction, case_pk: int) -> tuple[str, ...]:
    """Names of the releases a case went into."""
    return tuple(
        tx.scalars(
            select(Release.name)
            .join(ReleasedCase, ReleasedCase.release_id == Release.id)
            .where(ReleasedCase.case_pk == case_pk)
            .order_by(Release.id)
        )
    )


def list_runs(tx: Transaction) -> tuple[RunRow, ...]:
    """All scored runs, newest first."""
    rows = tx.execute(
        select(Run, Release.name).outerjoin(Release, Release.id == Run.release_id).order_by(Run.id.desc())
    )
    return tuple(
        RunRow(
            id=row.id,
            name=row.name,
            release=release,
            at=row.at,
            cases_sha256=row.cases_sha256,
            summary=row.summary,
        )
        for row, release in rows
    )


def run_scorecard(tx: Transaction, run_id: int) -> str | None:
    """The whole scorecard of a run as JSON text."""
    return tx.scalar(select(Run.scorecard).where(Run.id == run_id))


def events_of(tx: Transaction, subjects: Sequence[str], *, limit: int = 200) -> tuple[EventRow, ...]:
    """Events about some subjects, newest first."""
    rows = tx.scalars(
        select(Event).where(Event.subject.in_(subjects)).order_by(Event.seq.desc()).limit(limit)
    )
    return tuple(
        EventRow(
            seq=row.seq,
            at=row.at,
            actor=row.actor,
            action=row.action,
            subject=row.subject,
            payload=row.payload,
        )
        for row in rows
    )
