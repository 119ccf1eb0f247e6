"""What people tell each other, written: feedback, comments with their answers, and who is there."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, insert, select, update

from db import events
from db.tables import CaseHead, Comment, FeedbackNote, Presence, Transaction
from db.write.store import add_row, changed_rows


def add_feedback(
    tx: Transaction, case_pk: int, *, to_id: int, from_id: int, category: str, note: str, at: datetime
) -> None:
    """Tell a person about a correction."""
    add_row(
        tx, FeedbackNote, case_pk=case_pk, to_id=to_id, from_id=from_id, category=category, note=note, at=at
    )


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
    """Add a comment to a place of a case."""
    return add_row(
        tx,
        Comment,
        case_pk=case_pk,
        person_id=person_id,
        where=where,
        text=text,
        at=at,
        parent_id=parent_id,
    )


def resolve_comment(tx: Transaction, comment_id: int, *, at: datetime) -> bool:
    """Close a thread; false where there is no such comment."""
    statement = update(Comment).where(Comment.id == comment_id).values(resolved_at=at)
    return changed_rows(tx.execute(statement)) == 1


def see_answers(tx: Transaction, comments: Sequence[int], *, at: datetime) -> None:
    """Note that answers were seen by the person they are meant for."""
    tx.execute(update(Comment).where(Comment.id.in_(comments), Comment.seen_at.is_(None)).values(seen_at=at))


def note_presence(
    tx: Transaction, window: str, *, person_id: int, case_id: str | None, at: datetime, gone: datetime
) -> None:
    """Write that a window is open, and at which case; others are told where that is news.

    Windows that were not heard of since `gone` are forgotten.
    """
    named = select(CaseHead.id).where(CaseHead.case_id == case_id)
    case_pk = tx.scalar(named) if case_id is not None else None
    mine = Presence.window == window
    same = update(Presence).where(mine, Presence.case_pk.is_not_distinct_from(case_pk)).values(seen_at=at)
    if not changed_rows(tx.execute(same)):  # new, at another case, or forgotten while its computer slept
        tx.execute(delete(Presence).where(mine))
        row = {"window": window, "person_id": person_id, "case_pk": case_pk, "since": at, "seen_at": at}
        tx.execute(insert(Presence).values(row))
        events.wake(tx, events.News.PRESENCE)
    # A row that is locked is being told anew by its own window: waiting for it would be a deadlock.
    stale = select(Presence.window).where(Presence.seen_at < gone).with_for_update(skip_locked=True)
    tx.execute(delete(Presence).where(Presence.window.in_(stale)))


def end_presence(tx: Transaction, window: str) -> None:
    """Forget a window that was closed."""
    if changed_rows(tx.execute(delete(Presence).where(Presence.window == window))):
        events.wake(tx, events.News.PRESENCE)
