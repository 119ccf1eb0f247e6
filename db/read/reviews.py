"""What was said about cases and what came of it: judgments, rounds, decisions, exits, releases, runs."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime

from sqlalchemy import Select, String, and_, case, exists, func, literal, or_, select, union_all

from db.columns import given
from db.read.queries import at_stages, count, split_list
from db.read.rows import (
    CaseRow,
    DecisionRow,
    EventRow,
    JudgmentRow,
    ReleaseRow,
    ReplyRow,
    RoundRow,
    RunRow,
    TimeRow,
    WorkTimes,
)
from db.tables import (
    Batch,
    CaseHead,
    ClosedRound,
    DecisionRecord,
    Event,
    JudgmentRecord,
    Person,
    Release,
    Revision,
    Run,
    RunReply,
    StageExit,
    Transaction,
)
from scoring.groups import grouped
from scoring.model.taxonomy import EXPERT_STAGES, FINAL_STAGES, SELF_CHECKS, Stage, Verdict


def _judgment(row: JudgmentRecord, person: str) -> JudgmentRow:
    return JudgmentRow(
        id=row.id,
        assignment_id=row.assignment_id,
        case_pk=row.case_pk,
        stage=Stage(row.stage),
        round=row.round,
        person_id=row.person_id,
        person=person,
        result_id=row.result_id,
        verdict=Verdict(row.verdict),
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
        .where(
            JudgmentRecord.case_pk == case_pk,
            JudgmentRecord.is_withdrawn.is_(False),
            given(JudgmentRecord.stage, stage),
            given(JudgmentRecord.round, round_),
        )
        .order_by(JudgmentRecord.id)
    )
    return tuple(_judgment(row, name) for row, name in tx.execute(statement))


def standing_approvals(tx: Transaction) -> Iterator[JudgmentRow]:
    """Of each case and person the newest approval that was not withdrawn, oldest first."""
    newest = (
        select(func.max(JudgmentRecord.id))
        .where(
            JudgmentRecord.is_withdrawn.is_(False),
            JudgmentRecord.verdict == Verdict.APPROVE.value,
        )
        .group_by(JudgmentRecord.case_pk, JudgmentRecord.person_id)
    )
    for number in tx.scalars(newest.order_by(func.max(JudgmentRecord.id))).all():
        row, name = tx.execute(_judgments().where(JudgmentRecord.id == number)).one()
        yield _judgment(row, name)
        tx.expunge(row)


def approved_drawings(tx: Transaction) -> frozenset[int]:
    """Final cases whose newest revision their owner approved after being asked to draw it.

    No owner can approve a task they were asked to draw and did not, so one `drawn` that is true vouches for
    the whole case. Read from the judgments alone: the bodies of many cases take seconds.
    """
    statement = (
        select(CaseHead.id)
        .join(JudgmentRecord, JudgmentRecord.case_pk == CaseHead.id)
        .where(
            at_stages(FINAL_STAGES),
            JudgmentRecord.id.in_(
                select(func.max(JudgmentRecord.id))
                .where(JudgmentRecord.stage.in_([stage.value for stage in SELF_CHECKS]))
                .where(JudgmentRecord.is_withdrawn.is_(False))
                .group_by(JudgmentRecord.case_pk)
            ),
            JudgmentRecord.result_id == CaseHead.head_id,
            JudgmentRecord.verdict == Verdict.APPROVE.value,
            JudgmentRecord.body.contains('"drawn":true', autoescape=True),
        )
    )
    return frozenset(tx.scalars(statement))


def hasty_cases(tx: Transaction, batch_id: int) -> frozenset[int]:
    """Cases of a batch whose present content somebody submitted faster than anyone reads it, by number."""
    statement = (
        select(JudgmentRecord.case_pk)
        .join(CaseHead, CaseHead.id == JudgmentRecord.case_pk)
        .where(
            CaseHead.batch_id == batch_id,
            JudgmentRecord.is_hasty.is_(True),
            JudgmentRecord.is_withdrawn.is_(False),
            JudgmentRecord.round >= CaseHead.entered_round,
        )
    )
    return frozenset(tx.scalars(statement))


def work_times(tx: Transaction) -> WorkTimes:
    """How long the judgments that stand took, each person at each stage: they are read once."""
    judged = JudgmentRecord.__table__.c  # rows of the table itself: there are hundreds of thousands
    spent = select(judged.person_id, judged.stage, judged.is_hasty, judged.seconds)
    standing = spent.where(judged.is_withdrawn.is_(False)).execution_options(yield_per=4096)
    work = grouped(
        ((person, stage, hasty), seconds) for person, stage, hasty, seconds in tx.execute(standing)
    )
    return WorkTimes({(person, Stage(stage), hasty): spent for (person, stage, hasty), spent in work.items()})


def times_since(tx: Transaction, person_id: int, *, since: datetime) -> tuple[TimeRow, ...]:
    """One person's judgments that stand and decisions from an instant on; a decision takes 0 seconds."""
    judged = select(JudgmentRecord.case_pk, JudgmentRecord.stage, JudgmentRecord.seconds).where(
        JudgmentRecord.person_id == person_id,
        JudgmentRecord.at >= since,
        JudgmentRecord.is_withdrawn.is_(False),
    )
    decided = select(DecisionRecord.case_pk, DecisionRecord.stage, literal(0.0)).where(
        DecisionRecord.person_id == person_id, DecisionRecord.at >= since
    )
    return tuple(
        TimeRow(case_pk=case_pk, stage=Stage(stage), seconds=seconds)
        for case_pk, stage, seconds in [*tx.execute(judged), *tx.execute(decided)]
    )


def day_counts(tx: Transaction, *, since: datetime) -> tuple[tuple[date, Stage, int], ...]:
    """Day (UTC), stage and number of the judgments that stand and decisions from an instant on, in order."""
    judged = select(JudgmentRecord.at, JudgmentRecord.stage).where(
        JudgmentRecord.is_withdrawn.is_(False), JudgmentRecord.at >= since
    )
    decided = select(DecisionRecord.at, DecisionRecord.stage).where(DecisionRecord.at >= since)
    done = union_all(judged, decided).subquery().c
    day = func.substr(done.at, 1, len("2026-11-26"), type_=String)
    rows = tx.execute(select(day, done.stage, func.count()).group_by(day, done.stage))
    found = ((date.fromisoformat(at), Stage(stage), count) for at, stage, count in rows)
    order = list(Stage)
    return tuple(sorted(found, key=lambda row: (row[0], order.index(row[1]))))


def judged_under(
    tx: Transaction, seen: Sequence[tuple[int, datetime, int]]
) -> tuple[tuple[str, int, int], ...]:
    """How many standing judgments of each batch were made under which version of the guidelines.

    Args:
        tx: The transaction.
        seen: Person, since when they know a version, and the version; oldest first.

    Returns:
        Batch, version (0 before anybody was shown one) and judgments, in order.
    """
    if not seen:
        return ()
    known = (
        (and_(JudgmentRecord.person_id == person, JudgmentRecord.at >= at), version)
        for person, at, version in reversed(seen)
    )
    made = (
        select(Batch.name, case(*known, else_=0).label("version"))
        .join(CaseHead, CaseHead.batch_id == Batch.id)
        .join(JudgmentRecord, JudgmentRecord.case_pk == CaseHead.id)
        .where(JudgmentRecord.is_withdrawn.is_(False))
        .subquery()
        .c
    )
    place = (made.name, made.version)
    rows = tx.execute(select(*place, func.count()).group_by(*place).order_by(*place))
    return tuple((name, version, total) for name, version, total in rows)


def decision_counts(tx: Transaction) -> dict[int, int]:
    """How many cases each person has decided."""
    rows = tx.execute(select(DecisionRecord.person_id, func.count()).group_by(DecisionRecord.person_id))
    return {int(person): count for person, count in rows}


def open_round_count(tx: Transaction) -> int:
    """How many cases are in a cross-check round in which somebody has spoken and not everybody."""
    said = exists().where(
        JudgmentRecord.case_pk == CaseHead.id,
        JudgmentRecord.stage == Stage.CROSS_CHECK.value,
        JudgmentRecord.round == CaseHead.round,
        JudgmentRecord.is_withdrawn.is_(False),
    )
    return count(tx, CaseHead.stage == Stage.CROSS_CHECK.value, said)


def judgment_by_key(tx: Transaction, key: str) -> JudgmentRow | None:
    """The judgment a submission key has made already."""
    found = tx.execute(_judgments().where(JudgmentRecord.idempotency_key == key)).one_or_none()
    return _judgment(*found) if found else None


def newest_judgment(tx: Transaction, assignment_id: int) -> JudgmentRow | None:
    """The newest judgment of an assignment, whether it stands or was withdrawn."""
    found = tx.execute(
        _judgments()
        .where(JudgmentRecord.assignment_id == assignment_id)
        .order_by(JudgmentRecord.id.desc())
        .limit(1)
    ).one_or_none()
    return _judgment(*found) if found else None


def _decision(row: DecisionRecord, person: str) -> DecisionRow:
    return DecisionRow(
        case_pk=row.case_pk,
        person=person,
        verdict=Verdict(row.verdict),
        is_correction=row.is_correction,
        body=row.body,
    )


def _decisions() -> Select[DecisionRecord, str]:
    return select(DecisionRecord, Person.name).join(Person, Person.id == DecisionRecord.person_id)


def decision_by_key(tx: Transaction, key: str) -> DecisionRow | None:
    """The decision a submission key has made already."""
    found = tx.execute(_decisions().where(DecisionRecord.idempotency_key == key)).one_or_none()
    return _decision(*found) if found else None


def decisions_of(tx: Transaction, case_pk: int) -> tuple[DecisionRow, ...]:
    """The decisions about a case, oldest first."""
    statement = _decisions().where(DecisionRecord.case_pk == case_pk).order_by(DecisionRecord.id)
    return tuple(_decision(row, name) for row, name in tx.execute(statement))


def decider_of(tx: Transaction, row: CaseRow) -> int | None:
    """Who decided a case last in its present round, by number; None where no expert has."""
    statement = select(DecisionRecord.person_id).where(
        DecisionRecord.case_pk == row.pk, DecisionRecord.round == row.round
    )
    return tx.scalar(statement.order_by(DecisionRecord.id.desc()).limit(1))


def final_decisions(tx: Transaction) -> tuple[tuple[str, str], ...]:
    """Case id and body of the decisions that made cases final and keep known defects in them, by case."""
    statement = (
        select(CaseHead.case_id, DecisionRecord.body)
        .join(CaseHead, CaseHead.id == DecisionRecord.case_pk)
        .where(
            at_stages(FINAL_STAGES),
            DecisionRecord.round == CaseHead.round,
            DecisionRecord.verdict == Verdict.APPROVE.value,
            DecisionRecord.body.contains('"kept":[{', autoescape=True),
        )
        .order_by(CaseHead.case_id, DecisionRecord.id)
    )
    return tuple((case_id, body) for case_id, body in tx.execute(statement))


def expert_results(tx: Transaction) -> Iterator[tuple[str, int, str]]:
    """Every approval by an expert, oldest first: case, round, and the body it resulted in."""
    statement = (
        select(CaseHead.case_id, DecisionRecord.round, Revision.body)
        .join(CaseHead, CaseHead.id == DecisionRecord.case_pk)
        .join(Revision, Revision.id == DecisionRecord.result_id)
        .where(DecisionRecord.verdict == Verdict.APPROVE.value)
        .order_by(DecisionRecord.at, DecisionRecord.id)
        .execution_options(yield_per=200)
    )
    return ((case_id, round_, body) for case_id, round_, body in tx.execute(statement))


def all_exits(tx: Transaction) -> Iterator[tuple[str, Stage, str, datetime]]:
    """Case id, stage, content hash and instant of every exit that was not taken back, by case, then age."""
    statement = (
        select(CaseHead.case_id, StageExit.stage, StageExit.sha256, StageExit.at)
        .join(CaseHead, CaseHead.id == StageExit.case_pk)
        .outerjoin(JudgmentRecord, JudgmentRecord.id == StageExit.judgment_id)
        .where(or_(JudgmentRecord.id.is_(None), JudgmentRecord.is_withdrawn.is_(False)))
        .order_by(StageExit.case_pk, StageExit.id)
        .execution_options(yield_per=1000)
    )
    return ((case_id, Stage(stage), sha256, at) for case_id, stage, sha256, at in tx.execute(statement))


def stage_yield(
    tx: Transaction, *, batch_id: int | None = None, without: Collection[int] = ()
) -> dict[Stage, int]:
    """How many cases came in, left each stage in any way, and are final or rejected, in this order.

    Stages that no case has left are absent. Both stages of experts count as `expert`, a released case as
    final.

    Args:
        tx: The open transaction.
        batch_id: Only cases of this batch; None for all.
        without: Numbers of cases that are left out.
    """
    heads = select(CaseHead.id, CaseHead.stage).where(given(CaseHead.batch_id, batch_id))
    now = {pk: Stage(stage) for pk, stage in tx.execute(heads) if pk not in without}
    left = {
        (pk, Stage.EXPERT if stage in EXPERT_STAGES else Stage(stage))
        for pk, stage in tx.execute(
            select(StageExit.case_pk, StageExit.stage)
            .outerjoin(JudgmentRecord, JudgmentRecord.id == StageExit.judgment_id)
            .where(or_(JudgmentRecord.id.is_(None), JudgmentRecord.is_withdrawn.is_(False)))
        )
        if pk in now
    }
    counts = Counter(stage for _, stage in left)
    return {
        Stage.IMPORTED: len(now),
        **{stage: counts[stage] for stage in Stage if counts[stage]},
        Stage.FINAL: sum(stage in FINAL_STAGES for stage in now.values()),
        Stage.REJECTED: sum(stage is Stage.REJECTED for stage in now.values()),
    }


def escalated_count(tx: Transaction, batch_id: int) -> int:
    """How many cases of a batch are escalated now or were decided after an escalation."""
    decided = exists().where(
        DecisionRecord.case_pk == CaseHead.id, DecisionRecord.stage == Stage.ESCALATED.value
    )
    return count(tx, CaseHead.batch_id == batch_id, or_(CaseHead.stage == Stage.ESCALATED.value, decided))


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


def list_runs(tx: Transaction) -> tuple[RunRow, ...]:
    """All scored runs, newest first."""
    has_replies = exists().where(RunReply.run_id == Run.id)
    columns = [column for column in Run.__table__.columns if column is not Run.__table__.c.scorecard]
    return tuple(
        RunRow(
            id=row.id,
            name=row.name,
            release=row.release,
            at=row.at,
            cases_sha256=row.cases_sha256,
            summary=row.summary,
            protocol=row.protocol,
            semantics=row.semantics,
            arguments=row.arguments,
            has_replies=row.has_replies,
        )
        for row in tx.execute(
            select(*columns, Release.name.label("release"), has_replies.label("has_replies"))
            .outerjoin(Release, Release.id == Run.release_id)
            .order_by(Run.id.desc())
        )
    )


def run_replies(tx: Transaction, run_id: int, *, case_id: str = "") -> Iterator[ReplyRow]:
    """What the model replied in a run, by task in the order of the predictions; memory stays flat.

    Args:
        tx: The open transaction.
        run_id: Number of the run.
        case_id: Only this case; empty for all.
    """
    statement = (
        select(RunReply.case_id, RunReply.task, RunReply.body)
        .where(RunReply.run_id == run_id, given(RunReply.case_id, case_id or None))
        .order_by(RunReply.id)
        .execution_options(yield_per=500)
    )
    yield from (ReplyRow(**row) for row in tx.execute(statement).mappings())


def run_scorecard(tx: Transaction, run_id: int) -> str | None:
    """The whole scorecard of a run as JSON text."""
    return tx.scalar(select(Run.scorecard).where(Run.id == run_id))


def payloads_of(tx: Transaction, kind: str) -> dict[str, list[str]]:
    """The payloads of each subject of a kind as JSON texts, oldest first, by the subject without the kind."""
    statement = (
        select(Event.subject, Event.payload)
        .where(Event.subject.startswith(f"{kind}:", autoescape=True))
        .order_by(Event.seq)
    )
    return grouped((subject.partition(":")[2], payload) for subject, payload in tx.execute(statement))


def payloads_named(tx: Transaction, action: str) -> Iterator[tuple[str, str]]:
    """Subject and payload, as JSON text, of every event of an action, oldest first."""
    named = select(Event.subject, Event.payload).where(Event.action == action)
    yield from map(tuple, tx.execute(named.order_by(Event.seq)))


def events_of(
    tx: Transaction, subjects: Sequence[str], *, action: str | None = None, limit: int = 200
) -> tuple[EventRow, ...]:
    """Events about some subjects, newest first; with an action those of it alone."""
    about = select(Event).where(Event.subject.in_(subjects), given(Event.action, action))
    return tuple(
        EventRow(
            seq=row.seq,
            at=row.at,
            actor=row.actor,
            action=row.action,
            subject=row.subject,
            payload=row.payload,
        )
        for row in tx.scalars(about.order_by(Event.seq.desc()).limit(limit))
    )


def rounds_by_owner(tx: Transaction) -> dict[int | None, tuple[int, int]]:
    """Closed rounds of the cases each person owns: after which the case was not approved, and all."""
    failed = func.sum(case((ClosedRound.outcome == Stage.APPROVED.value, 0), else_=1))
    counts = select(CaseHead.owner_id, failed, func.count()).join(
        ClosedRound, ClosedRound.case_pk == CaseHead.id
    )
    return {owner: (failed, total) for owner, failed, total in tx.execute(counts.group_by(CaseHead.owner_id))}


def closed_rounds(tx: Transaction) -> Iterator[RoundRow]:
    """Every closed cross-check round, by case, then age."""
    told = (ClosedRound.round, ClosedRound.at, ClosedRound.outcome, CaseHead.policies, ClosedRound.body)
    for case_pk, batch, round_, at, outcome, policies, body in tx.execute(
        select(ClosedRound.case_pk, Batch.name, *told)
        .join(CaseHead, CaseHead.id == ClosedRound.case_pk)
        .join(Batch, Batch.id == CaseHead.batch_id)
        .order_by(ClosedRound.case_pk, ClosedRound.round)
        .execution_options(yield_per=1000)
    ):
        yield RoundRow(
            case_pk=case_pk,
            batch=batch,
            round=round_,
            at=at,
            outcome=Stage(outcome),
            policies=split_list(policies),
            body=body,
        )


def round_bodies(tx: Transaction, *, since: datetime | None = None) -> Iterator[str]:
    """The body of every closed cross-check round, or of those closed from an instant on, in no order."""
    statement = select(ClosedRound.body).execution_options(yield_per=1000)
    return iter(tx.scalars(statement if since is None else statement.where(ClosedRound.at >= since)))


def round_cases(tx: Transaction) -> tuple[int, ...]:
    """The case of each closed cross-check round, by number."""
    return tuple(tx.scalars(select(ClosedRound.case_pk)))
