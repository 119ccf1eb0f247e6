"""Writes: small functions that take the open transaction and never commit by themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import CursorResult, and_, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from db.tables import (
    Assignment,
    Batch,
    CaseHead,
    Comment,
    DecisionRecord,
    Draft,
    FeedbackNote,
    JudgmentRecord,
    Person,
    Project,
    Release,
    ReleasedCase,
    Revision,
    Run,
    Sample,
    SampledCase,
    StageExit,
    Transaction,
)
from scoring.errors import ConflictError
from scoring.model.taxonomy import Stage

OCCUPYING = ("claimed", "submitted")


@dataclass(frozen=True)
class CaseFacts:
    """What the queue knows of a case body: its hash and the columns filters and lists use.

    Lists are texts with a bar before, between and after their items, so that `|x|` finds an item.
    """

    sha256: str
    task_count: int
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


def _changed(result: object) -> int:
    assert isinstance(result, CursorResult)
    return int(result.rowcount)


def set_project(tx: Transaction, name: str, *, policy: str, at: datetime) -> None:
    """Write the one project row of an empty store."""
    tx.add(Project(id=1, name=name, created_at=at, policy=policy, policy_version=1))
    tx.flush()


def set_policy(tx: Transaction, policy: str, *, expected_version: int) -> None:
    """Replace the review policy.

    Raises:
        ConflictError: Somebody changed the policy since `expected_version` was read.
    """
    statement = (
        update(Project)
        .where(Project.id == 1, Project.policy_version == expected_version)
        .values(policy=policy, policy_version=expected_version + 1)
    )
    if _changed(tx.execute(statement)) != 1:
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
    person = Person(
        name=name, roles=",".join(roles), password_hash=password_hash, is_active=True, created_at=at
    )
    tx.add(person)
    tx.flush()
    return person.id


def change_person(tx: Transaction, person_id: int, values: Mapping[str, object]) -> None:
    """Change columns of a person."""
    tx.execute(update(Person).where(Person.id == person_id).values(dict(values)))


def ensure_batch(tx: Transaction, name: str, *, by: int | None, at: datetime) -> int:
    """Find a batch by name or make it; returns its number."""
    found = tx.scalar(select(Batch.id).where(Batch.name == name))
    if found is not None:
        return found
    batch = Batch(name=name, created_at=at, created_by=by, is_flagged=False)
    tx.add(batch)
    tx.flush()
    return batch.id


def flag_batch(tx: Transaction, batch_id: int) -> None:
    """Mark a batch whose escalated share is above the threshold."""
    tx.execute(update(Batch).where(Batch.id == batch_id).values(is_flagged=True))


def add_cases(
    tx: Transaction, cases: Sequence[ImportedCase], *, batch_id: int, author_id: int | None, at: datetime
) -> None:
    """Insert cases with their first revisions; ids must be new to the project."""
    if not cases:
        return
    heads = [
        {
            "case_id": case.case_id,
            "batch_id": batch_id,
            "stage": Stage.IMPORTED.value,
            "version": 1,
            "round": 1,
            "imported_sha256": case.facts.sha256,
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
    revision = Revision(
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
    tx.add(revision)
    tx.flush()
    return revision.id


def change_case(
    tx: Transaction, case_pk: int, *, expected_version: int, at: datetime, values: Mapping[str, object]
) -> None:
    """Change columns of a case if nobody changed it since `expected_version` (compare-and-set).

    Raises:
        ConflictError: The case has another version by now; nothing was written.
    """
    statement = (
        update(CaseHead)
        .where(CaseHead.id == case_pk, CaseHead.version == expected_version)
        .values(**dict(values), version=expected_version + 1, changed_at=at)
    )
    if _changed(tx.execute(statement)) != 1:
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


def lock_batch(tx: Transaction, batch_id: int) -> None:
    """Hold the batch row until the transaction ends, so that its sample is drawn once."""
    tx.execute(select(Batch.id).where(Batch.id == batch_id).with_for_update()).one()


def add_assignment(
    tx: Transaction,
    case_pk: int,
    *,
    stage: Stage,
    round_: int,
    slot: int,
    person_id: int,
    case_version: int,
    at: datetime,
    lease_until: datetime,
) -> int | None:
    """Take a slot; null where it is occupied or the person holds one of this case already."""
    row = Assignment(
        case_pk=case_pk,
        stage=stage.value,
        round=round_,
        slot=slot,
        person_id=person_id,
        status="claimed",
        case_version=case_version,
        claimed_at=at,
        lease_until=lease_until,
        closed_at=None,
        note="",
    )
    try:
        with tx.begin_nested():
            tx.add(row)
            tx.flush()
    except IntegrityError:
        return None
    return row.id


def change_assignment(
    tx: Transaction, assignment_id: int, *, expected: str, values: Mapping[str, object]
) -> bool:
    """Change an assignment that still has the expected status; false where it has another by now."""
    statement = (
        update(Assignment)
        .where(Assignment.id == assignment_id, Assignment.status == expected)
        .values(**dict(values))
    )
    return _changed(tx.execute(statement)) == 1


def revive_assignment(tx: Transaction, assignment_id: int) -> bool:
    """Take a slot back whose lease ended; false where somebody else has it by now."""
    try:
        with tx.begin_nested():
            return change_assignment(
                tx, assignment_id, expected="expired", values={"status": "claimed", "closed_at": None}
            )
    except IntegrityError:
        return False


def expire_leases(tx: Transaction, *, at: datetime) -> int:
    """Free the slots whose lease ended; drafts stay. Returns how many."""
    statement = (
        update(Assignment)
        .where(Assignment.status == "claimed", Assignment.lease_until < at)
        .values(status="expired", closed_at=at)
    )
    return _changed(tx.execute(statement))


def renew_lease(tx: Transaction, assignment_id: int, *, at: datetime, minutes: int) -> None:
    """Hold a claimed slot for some minutes from now."""
    tx.execute(
        update(Assignment)
        .where(Assignment.id == assignment_id, Assignment.status == "claimed")
        .values(lease_until=at + timedelta(minutes=minutes))
    )


def close_assignments(tx: Transaction, case_pk: int, *, at: datetime, note: str) -> None:
    """Free every slot of a case that nobody has submitted."""
    tx.execute(
        update(Assignment)
        .where(Assignment.case_pk == case_pk, Assignment.status == "claimed")
        .values(status="released", closed_at=at, note=note)
    )


def release_claims(tx: Transaction, person_id: int, *, at: datetime, note: str) -> None:
    """Free every slot a person holds; their drafts stay."""
    tx.execute(
        update(Assignment)
        .where(Assignment.person_id == person_id, Assignment.status == "claimed")
        .values(status="released", closed_at=at, note=note)
    )


def save_draft(
    tx: Transaction,
    assignment_id: int,
    *,
    body: str,
    base_revision_id: int,
    expected_sequence: int,
    at: datetime,
) -> int:
    """Replace the draft of an assignment; returns its new sequence.

    Raises:
        ConflictError: Another window saved a draft after `expected_sequence` (0 = none yet).
    """
    if expected_sequence == 0:
        try:
            with tx.begin_nested():
                tx.add(
                    Draft(
                        assignment_id=assignment_id,
                        saved_at=at,
                        sequence=1,
                        base_revision_id=base_revision_id,
                        body=body,
                    )
                )
                tx.flush()
        except IntegrityError as exc:
            raise _draft_conflict() from exc
        return 1
    statement = (
        update(Draft)
        .where(Draft.assignment_id == assignment_id, Draft.sequence == expected_sequence)
        .values(body=body, saved_at=at, sequence=expected_sequence + 1, base_revision_id=base_revision_id)
    )
    if _changed(tx.execute(statement)) != 1:
        raise _draft_conflict()
    return expected_sequence + 1


def _draft_conflict() -> ConflictError:
    return ConflictError(
        "This case is being edited in another window too.",
        "Close the other window, then open the case again.",
    )


def delete_draft(tx: Transaction, assignment_id: int) -> None:
    """Remove the draft that a submission has sealed."""
    tx.execute(delete(Draft).where(Draft.assignment_id == assignment_id))


def add_judgment(tx: Transaction, values: Mapping[str, object]) -> int:
    """Write a submitted judgment; columns as in `JudgmentRecord`."""
    row = JudgmentRecord(**values)
    tx.add(row)
    tx.flush()
    return row.id


def withdraw_judgment(tx: Transaction, judgment_id: int) -> None:
    """Mark a judgment as taken back; it stays readable."""
    tx.execute(update(JudgmentRecord).where(JudgmentRecord.id == judgment_id).values(is_withdrawn=True))


def add_decision(tx: Transaction, values: Mapping[str, object]) -> int:
    """Write an expert's decision; columns as in `DecisionRecord`."""
    row = DecisionRecord(**values)
    tx.add(row)
    tx.flush()
    return row.id


def add_exit(
    tx: Transaction,
    case_pk: int,
    *,
    stage: Stage,
    round_: int,
    sha256: str,
    at: datetime,
    differing: Sequence[str] = (),
) -> None:
    """Record that a case left a stage with this content."""
    tx.add(
        StageExit(
            case_pk=case_pk,
            stage=stage.value,
            round=round_,
            sha256=sha256,
            at=at,
            differing="|".join(differing) or None,
        )
    )
    tx.flush()


def add_sample(
    tx: Transaction,
    batch_id: int,
    *,
    seed: str,
    share: float,
    population: int,
    cases: Sequence[int],
    at: datetime,
) -> int:
    """Record a drawn sample; returns its sequence number within the batch, from 1."""
    last = tx.scalar(select(func.max(Sample.sequence)).where(Sample.batch_id == batch_id)) or 0
    sample = Sample(
        batch_id=batch_id,
        sequence=last + 1,
        seed=seed,
        share=share,
        population=population,
        status="open",
        drawn_at=at,
        closed_at=None,
    )
    tx.add(sample)
    tx.flush()
    tx.add_all(SampledCase(sample_id=sample.id, case_pk=pk, outcome="open") for pk in cases)
    tx.flush()
    return sample.sequence


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


def add_feedback(
    tx: Transaction, case_pk: int, *, to_id: int, from_id: int, category: str, note: str, at: datetime
) -> None:
    """Tell a person about a correction."""
    tx.add(
        FeedbackNote(
            case_pk=case_pk, to_id=to_id, from_id=from_id, category=category, note=note, at=at, seen_at=None
        )
    )
    tx.flush()


def see_feedback(tx: Transaction, person_id: int, *, at: datetime) -> None:
    """Mark all feedback to a person as seen."""
    tx.execute(
        update(FeedbackNote)
        .where(FeedbackNote.to_id == person_id, FeedbackNote.seen_at.is_(None))
        .values(seen_at=at)
    )


def add_comment(
    tx: Transaction,
    case_pk: int,
    *,
    person_id: int,
    where: str,
    text: str,
    at: datetime,
    parent_id: int | None = None,
) -> int:
    """Add a remark to a place of a case."""
    row = Comment(
        case_pk=case_pk,
        parent_id=parent_id,
        person_id=person_id,
        where=where,
        text=text,
        at=at,
        resolved_at=None,
    )
    tx.add(row)
    tx.flush()
    return row.id


def resolve_comment(tx: Transaction, comment_id: int, *, at: datetime) -> bool:
    """Close a thread; false where there is no such comment."""
    statement = update(Comment).where(Comment.id == comment_id).values(resolved_at=at)
    return _changed(tx.execute(statement)) == 1


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
    row = Release(
        name=name,
        at=at,
        person_id=person_id,
        content_sha256=content_sha256,
        case_count=len(cases),
        directory=directory,
        manifest=manifest,
    )
    tx.add(row)
    tx.flush()
    tx.add_all(ReleasedCase(release_id=row.id, case_pk=pk, revision_id=rev) for pk, rev in cases)
    tx.flush()
    return row.id


def release_all(tx: Transaction, cases: Sequence[int], *, at: datetime) -> None:
    """Move final cases to `released` after a freeze; released ones stay released."""
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
    summary: str,
    scorecard: str,
    at: datetime,
) -> int:
    """Record a scored run."""
    row = Run(
        name=name,
        release_id=release_id,
        person_id=person_id,
        cases_sha256=cases_sha256,
        predictions_sha256=predictions_sha256,
        at=at,
        summary=summary,
        scorecard=scorecard,
    )
    tx.add(row)
    tx.flush()
    return row.id
