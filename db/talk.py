"""What people tell each other: feedback about corrections, and comments with their answers."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import aliased

from db.rows import AnswerRow, CommentRow, FeedbackRow
from db.store import changed_rows
from db.tables import CaseHead, Comment, FeedbackNote, Person, Transaction


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
        seen_at=None,
    )
    tx.add(row)
    tx.flush()
    return row.id


def resolve_comment(tx: Transaction, comment_id: int, *, at: datetime) -> bool:
    """Close a thread; false where there is no such comment."""
    statement = update(Comment).where(Comment.id == comment_id).values(resolved_at=at)
    return changed_rows(tx.execute(statement)) == 1


def feedback_to(
    tx: Transaction, person_id: int | None = None, *, limit: int | None = None
) -> tuple[FeedbackRow, ...]:
    """Corrections told to one person or to everybody, newest first."""
    sender = aliased(Person)
    statement = (
        select(FeedbackNote, CaseHead.case_id, Person.name, sender.name.label("sender"))
        .join(CaseHead, CaseHead.id == FeedbackNote.case_pk)
        .join(Person, Person.id == FeedbackNote.to_id)
        .join(sender, sender.id == FeedbackNote.from_id)
        .order_by(FeedbackNote.id.desc())
        .limit(limit)
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


def unread_answers(tx: Transaction, person_id: int) -> tuple[AnswerRow, ...]:
    """Answers of others to a person's comments that they have not seen yet, oldest first."""
    asked = aliased(Comment)
    rows = tx.execute(
        select(Comment, CaseHead.case_id, CaseHead.id.label("case_pk"), Person.name)
        .join(asked, asked.id == Comment.parent_id)
        .join(CaseHead, CaseHead.id == Comment.case_pk)
        .join(Person, Person.id == Comment.person_id)
        .where(asked.person_id == person_id, Comment.person_id != person_id, Comment.seen_at.is_(None))
        .order_by(Comment.id)
    )
    return tuple(
        AnswerRow(
            id=row.id,
            case_pk=case_pk,
            case_id=case_id,
            person=name,
            where=row.where,
            text=row.text,
            at=row.at,
        )
        for row, case_id, case_pk, name in rows
    )


def see_answers(tx: Transaction, comments: Sequence[int], *, at: datetime) -> None:
    """Note that answers were seen by the person they are meant for."""
    tx.execute(update(Comment).where(Comment.id.in_(comments), Comment.seen_at.is_(None)).values(seen_at=at))
