"""Writes: small functions that take the open transaction and never commit by themselves.

Locks are taken in one order, so that two operations never wait for each other (PostgreSQL; on SQLite the
whole file is locked by whoever writes):

1. the project's row, shared by every operation; who changes the policy has it alone,
2. a batch (`lock_batch`), before any case, by whatever may move other cases of the batch than its own,
3. one case (`lock_case`); who holds a batch may go on to any other case of it, who holds none waits for no
   second case and passes over those that are held (`try_lock_case`); so does who holds a person
   (`known_answers.lock_person`),
4. slots, drafts, invitations and whatever else hangs on a case that is held,
5. the end of the chain of events, last.

What still meets, as two files with the same cases, is run once more (`db.engine.transact`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from itertools import islice

from sqlalchemy import ColumnElement, CursorResult, and_, func, insert, or_, select, update

from db.columns import DAYS, Table, turn_of
from db.read.rows import ReplyRow
from db.tables import (
    Batch,
    CaseHead,
    Person,
    Project,
    Release,
    ReleasedCase,
    Revision,
    Run,
    RunReply,
    Sample,
    SampledCase,
    Transaction,
)
from scoring.errors import ConflictError
from scoring.model.taxonomy import Priority, SampleOutcome, SampleStatus, Stage

_NEWEST = 100
"""Cases of a batch that are asked what its priority is: all of them would make a long import slow."""


@dataclass(frozen=True)
class CaseFacts:
    """What the queue knows of a case body: its hash and the columns filters and lists use.

    Lists are texts with a bar before, between and after their items, so that `|x|` finds an item.
    """

    sha256: str
    task_count: int
    language: str
    policies: str
    informations: str
    rules: str
    finding_count: int
    error_count: int
    request: str
    searched: str


@dataclass(frozen=True)
class ImportedCase:
    """A case about to enter the project."""

    case_id: str
    body: str
    facts: CaseFacts


def changed_rows(result: object) -> int:
    """How many rows a statement changed."""
    assert isinstance(result, CursorResult)
    return int(result.rowcount)


def add_row(tx: Transaction, table: type[Table], **values: object) -> int:
    """Insert one row; returns its number in the store."""
    return int(tx.scalars(insert(table).returning(table.__table__.c.id), values).one())


def add_rows(tx: Transaction, table: type[Table], rows: Iterable[Mapping[str, object]]) -> None:
    """Insert rows, some hundreds at once; none where there are none."""
    waiting = iter(rows)
    while part := [dict(row) for row in islice(waiting, 500)]:
        tx.execute(insert(table), part)


def set_project(tx: Transaction, name: str, *, policy: str, at: datetime) -> None:
    """Write the one project row of an empty store."""
    tx.execute(insert(Project), {"id": 1, "name": name, "created_at": at, "policy": policy})


def write_review_policy(tx: Transaction, policy: str, *, expected_version: int) -> None:
    """Replace the review policy.

    Raises:
        ConflictError: Somebody changed the policy since `expected_version` was read.
    """
    statement = (
        update(Project)
        .where(Project.id == 1, Project.policy_version == expected_version)
        .values(policy=policy, policy_version=expected_version + 1)
    )
    if changed_rows(tx.execute(statement)) != 1:
        raise ConflictError("The policy was changed by somebody else.", "Read it again and repeat.")


def add_person(
    tx: Transaction, name: str, *, roles: Sequence[str], password_hash: str | None, at: datetime
) -> int:
    """Add a person and return their number.

    Raises:
        ConflictError: The name is taken.
    """
    if tx.scalar(select(Person.id).where(Person.name == name)) is not None:
        raise ConflictError(f"There is a person named '{name}' already.", "Choose another name.")
    return add_row(tx, Person, name=name, roles=",".join(roles), password_hash=password_hash, created_at=at)


def change_person(tx: Transaction, person_id: int, values: Mapping[str, object]) -> None:
    """Change columns of a person."""
    tx.execute(update(Person).where(Person.id == person_id).values(dict(values)))


def ensure_batch(tx: Transaction, name: str, *, by: int | None, at: datetime) -> int:
    """Find a batch by name or make it; returns its number."""
    batch_id = tx.scalar(select(Batch.id).where(Batch.name == name))
    return batch_id if batch_id is not None else add_row(tx, Batch, name=name, created_at=at, created_by=by)


def flag_batch(tx: Transaction, batch_id: int) -> None:
    """Mark a batch whose escalated share is above the threshold."""
    tx.execute(update(Batch).where(Batch.id == batch_id).values(is_flagged=True))


def set_due(tx: Transaction, batch_id: int, due_on: date | None) -> None:
    """Say on which day a batch is due; None for no day."""
    due = due_on.isoformat() if due_on is not None else None
    tx.execute(update(Batch).where(Batch.id == batch_id).values(due_on=due))
    _set_days(tx, CaseHead.batch_id == batch_id, due)


def _set_days(tx: Transaction, which: ColumnElement[bool], due_on: str | None, **values: object) -> None:
    day = turn_of(Priority.HIGH, due_on)
    tx.execute(update(CaseHead).where(which).values(turn=CaseHead.turn // DAYS * DAYS + day, **values))


def set_priority(tx: Transaction, case_pk: int, priority: Priority) -> None:
    """Say how soon a case is given out; version and time stay."""
    turn = CaseHead.turn % DAYS + turn_of(priority, "0000-00-00")
    tx.execute(update(CaseHead).where(CaseHead.id == case_pk).values(turn=turn))


def _due_on(tx: Transaction, batch_id: int) -> str | None:
    """The day a batch is due, which stays until the transaction ends."""
    return tx.scalar(select(Batch.due_on).where(Batch.id == batch_id).with_for_update(read=True))


def _turn_in(tx: Transaction, batch_id: int) -> int:
    """The turn of a case that enters a batch: its due day, and the priority most of its newest cases have."""
    newest = select(CaseHead.id).where(CaseHead.batch_id == batch_id).order_by(CaseHead.id.desc())
    place = CaseHead.turn // DAYS
    counted = select(place).where(CaseHead.id.in_(newest.limit(_NEWEST))).group_by(place)
    common = tx.scalar(counted.order_by(func.count().desc(), place).limit(1))
    return turn_of(Priority.NORMAL if common is None else list(Priority)[common], _due_on(tx, batch_id))


def move_cases(tx: Transaction, cases: Sequence[int], *, to: int) -> None:
    """Put cases into another batch; their versions and times stay, since nothing anybody works on changed.

    Args:
        tx: A transaction that has the project alone: others rely on the batch they have seen a case in.
        cases: Their numbers.
        to: Number of the batch.
    """
    due_on = _due_on(tx, to)
    for start in range(0, len(cases), 500):
        _set_days(tx, CaseHead.id.in_(cases[start : start + 500]), due_on, batch_id=to)


def hand_case(tx: Transaction, case_pk: int, expert_id: int | None) -> None:
    """Hand the decision about a case to an expert or, with None, to nobody; version and time stay."""
    tx.execute(update(CaseHead).where(CaseHead.id == case_pk).values(expert_id=expert_id))


def add_cases(
    tx: Transaction, cases: Sequence[ImportedCase], *, batch_id: int, author_id: int | None, at: datetime
) -> None:
    """Insert cases with their first revisions; ids must be new to the project."""
    if not cases:
        return
    turn = _turn_in(tx, batch_id)
    heads = [
        {
            "case_id": case.case_id,
            "batch_id": batch_id,
            "turn": turn,
            "stage": Stage.IMPORTED.value,
            "version": 1,
            "round": 1,
            "imported_sha256": case.facts.sha256,
            "is_assigned": False,
            "is_gold": False,
            "created_at": at,
            "changed_at": at,
            "note": "",
            **asdict(case.facts),
        }
        for case in cases
    ]
    numbers = tx.scalars(insert(CaseHead).returning(CaseHead.id, sort_by_parameter_order=True), heads).all()
    revisions = [
        {
            "case_pk": number,
            "number": 1,
            "parent_id": None,
            "author_id": author_id,
            "stage": Stage.IMPORTED.value,
            "reason": "imported",
            "at": at,
            "sha256": case.facts.sha256,
            "body": case.body,
        }
        for number, case in zip(numbers, cases, strict=True)
    ]
    ids = tx.scalars(insert(Revision).returning(Revision.id, sort_by_parameter_order=True), revisions).all()
    tx.execute(
        update(CaseHead),
        [{"id": number, "head_id": head} for number, head in zip(numbers, ids, strict=True)],
    )


def add_revision(
    tx: Transaction,
    case_pk: int,
    *,
    body: str,
    sha256: str,
    author_id: int | None,
    stage: Stage,
    reason: str,
    at: datetime,
) -> int:
    """Append a revision after the newest one of the case; returns its number in the store."""
    newest = tx.execute(
        select(Revision.id, Revision.number)
        .where(Revision.case_pk == case_pk)
        .order_by(Revision.number.desc())
        .limit(1)
    ).one()
    return add_row(
        tx,
        Revision,
        case_pk=case_pk,
        number=newest.number + 1,
        parent_id=newest.id,
        author_id=author_id,
        stage=stage.value,
        reason=reason,
        at=at,
        sha256=sha256,
        body=body,
    )


def change_case(
    tx: Transaction, case_pk: int, *, expected_version: int, at: datetime, values: Mapping[str, object]
) -> None:
    """Change columns of a case if nobody changed it since `expected_version` (compare-and-set).

    With its stage a case also leaves the expert it was handed to.

    Raises:
        ConflictError: The case has another version by now; nothing was written.
    """
    left: dict[str, object] = {"expert_id": None} if "stage" in values else {}
    statement = (
        update(CaseHead)
        .where(CaseHead.id == case_pk, CaseHead.version == expected_version)
        .values({**left, **values, "version": expected_version + 1, "changed_at": at})
    )
    if changed_rows(tx.execute(statement)) != 1:
        raise ConflictError(
            "Somebody else changed this case in the meantime.",
            "Your work is kept as a draft; load the case again and compare.",
        )


def set_gold(tx: Transaction, case_pk: int, *, gold: bool) -> None:
    """Mark a case as a gold example; its version stays, since nothing anybody works on has changed."""
    tx.execute(update(CaseHead).where(CaseHead.id == case_pk).values(is_gold=gold))


def lock_case(tx: Transaction, case_pk: int) -> None:
    """Hold the case row until the transaction ends (PostgreSQL; SQLite holds the whole file already)."""
    tx.execute(select(CaseHead.id).where(CaseHead.id == case_pk).with_for_update()).one()


def try_lock_case(tx: Transaction, case_pk: int, *, expected_version: int) -> bool:
    """Hold the case row if nobody else does and the case is at that version still; never waits."""
    statement = (
        select(CaseHead.id)
        .where(CaseHead.id == case_pk, CaseHead.version == expected_version)
        .with_for_update(skip_locked=True)
    )
    return tx.scalar(statement) is not None


def lock_batch(tx: Transaction, batch_id: int) -> None:
    """Hold the batch row until the transaction ends, so that its sample is drawn once."""
    tx.execute(select(Batch.id).where(Batch.id == batch_id).with_for_update()).one()


def add_release(
    tx: Transaction,
    name: str,
    *,
    person_id: int,
    content_sha256: str,
    directory: str,
    manifest: str,
    cases: Sequence[tuple[int, int]],
    at: datetime,
) -> int:
    """Record a frozen release; `cases` are pairs of case and revision numbers.

    Raises:
        ConflictError: The name is taken.
    """
    if tx.scalar(select(Release.id).where(Release.name == name)) is not None:
        raise ConflictError(f"There is a release named '{name}' already.", "Choose another name.")
    number = add_row(
        tx,
        Release,
        name=name,
        at=at,
        person_id=person_id,
        content_sha256=content_sha256,
        case_count=len(cases),
        directory=directory,
        manifest=manifest,
    )
    frozen = ({"release_id": number, "case_pk": pk, "revision_id": revision} for pk, revision in cases)
    add_rows(tx, ReleasedCase, frozen)
    return number


def release_all(tx: Transaction, cases: Sequence[int], *, at: datetime) -> None:
    """Move final cases to `released` after a freeze; released ones stay released.

    Args:
        tx: A transaction that has the project alone, since it waits for many cases.
        cases: Their numbers.
        at: The present instant.
    """
    for start in range(0, len(cases), 500):
        tx.execute(
            update(CaseHead)
            .where(
                and_(
                    CaseHead.id.in_(cases[start : start + 500]),
                    or_(CaseHead.stage == Stage.FINAL.value, CaseHead.stage == Stage.RELEASED.value),
                )
            )
            .values(stage=Stage.RELEASED.value, version=CaseHead.version + 1, changed_at=at)
        )


def add_run(
    tx: Transaction,
    name: str,
    *,
    release_id: int | None,
    person_id: int | None,
    cases_sha256: str,
    predictions_sha256: str,
    protocol: str,
    semantics: str,
    arguments: str,
    summary: str,
    scorecard: str,
    replies: Iterable[ReplyRow] = (),
    at: datetime,
) -> int:
    """Record a scored run, with what the model replied where that is at hand; returns its number."""
    number = add_row(
        tx,
        Run,
        name=name,
        release_id=release_id,
        person_id=person_id,
        cases_sha256=cases_sha256,
        predictions_sha256=predictions_sha256,
        protocol=protocol,
        semantics=semantics,
        arguments=arguments,
        at=at,
        summary=summary,
        scorecard=scorecard,
    )
    add_rows(tx, RunReply, ({"run_id": number, **asdict(reply)} for reply in replies))
    return number


def change_run(tx: Transaction, run_id: int, *, summary: str, scorecard: str) -> None:
    """Replace the texts of a recorded run, where more is known of its model."""
    tx.execute(update(Run).where(Run.id == run_id).values(summary=summary, scorecard=scorecard))


def add_sample(
    tx: Transaction,
    batch_id: int,
    *,
    kind: str,
    seed: str,
    share: float,
    cases: Sequence[int],
    rest: Sequence[int],
    at: datetime,
) -> int:
    """Record a drawn sample and the rest of its population; returns its sequence in the batch, from 1."""
    last = tx.scalar(select(func.max(Sample.sequence)).where(Sample.batch_id == batch_id)) or 0
    number = add_row(
        tx,
        Sample,
        batch_id=batch_id,
        sequence=last + 1,
        kind=kind,
        seed=seed,
        share=share,
        population=len(cases) + len(rest),
        status=SampleStatus.OPEN,
        drawn_at=at,
    )
    outcomes = {**dict.fromkeys(cases, SampleOutcome.OPEN), **dict.fromkeys(rest, SampleOutcome.REST)}
    members = ({"sample_id": number, "case_pk": pk, "outcome": outcome} for pk, outcome in outcomes.items())
    add_rows(tx, SampledCase, members)
    return last + 1


def set_outcome(tx: Transaction, sample_id: int, *, case_pk: int, outcome: str) -> None:
    """Record what the expert found in one sampled case."""
    tx.execute(
        update(SampledCase)
        .where(SampledCase.sample_id == sample_id, SampledCase.case_pk == case_pk)
        .values(outcome=outcome)
    )


def close_sample(tx: Transaction, sample_id: int, *, status: str, at: datetime) -> None:
    """End a sample as `clean` or `corrected`."""
    tx.execute(update(Sample).where(Sample.id == sample_id).values(status=status, closed_at=at))
