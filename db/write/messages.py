"""What people tell each other, written: feedback about corrections, and comments with their answers."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import update

from db.tables import Comment, FeedbackNote, Transaction
from db.write.store import changed_rows


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


def see_answers(tx: Transaction, comments: Sequence[int], *, at: datetime) -> None:
    """Note that answers were seen by the person they are meant for."""
    tx.execute(update(Comment).where(Comment.id.in_(comments), Comment.seen_at.is_(None)).values(seen_at=at))
