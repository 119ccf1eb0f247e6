"""What people tell each other: feedback about corrections, and comments with their answers, read."""

from sqlalchemy import select
from sqlalchemy.orm import aliased

from db.columns import given
from db.read.rows import AnswerRow, CommentRow, FeedbackRow
from db.tables import CaseHead, Comment, FeedbackNote, Person, Transaction


def feedback_to(
    tx: Transaction, person_id: int | None = None, *, limit: int | None = None
) -> tuple[FeedbackRow, ...]:
    """Corrections told to one person or to everybody, newest first."""
    sender = aliased(Person)
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
        for row, case_id, to, by in tx.execute(
            select(FeedbackNote, CaseHead.case_id, Person.name, sender.name.label("sender"))
            .join(CaseHead, CaseHead.id == FeedbackNote.case_pk)
            .join(Person, Person.id == FeedbackNote.to_id)
            .join(sender, sender.id == FeedbackNote.from_id)
            .where(given(FeedbackNote.to_id, person_id))
            .order_by(FeedbackNote.id.desc())
            .limit(limit)
        )
    )


def comments_of(tx: Transaction, case_pk: int) -> tuple[CommentRow, ...]:
    """The comments on a case, oldest first."""
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
        for row, name in tx.execute(
            select(Comment, Person.name)
            .join(Person, Person.id == Comment.person_id)
            .where(Comment.case_pk == case_pk)
            .order_by(Comment.id)
        )
    )


def unread_answers(tx: Transaction, person_id: int) -> tuple[AnswerRow, ...]:
    """Answers of others to a person's comments that they have not seen yet, oldest first."""
    asked = aliased(Comment)
    return tuple(
        AnswerRow(
            id=row.id,
            case_pk=case_pk,
            case_id=case_id,
            person=name,
            text=row.text,
            at=row.at,
        )
        for row, case_id, case_pk, name in tx.execute(
            select(Comment, CaseHead.case_id, CaseHead.id.label("case_pk"), Person.name)
            .join(asked, asked.id == Comment.parent_id)
            .join(CaseHead, CaseHead.id == Comment.case_pk)
            .join(Person, Person.id == Comment.person_id)
            .where(asked.person_id == person_id, Comment.person_id != person_id, Comment.seen_at.is_(None))
            .order_by(Comment.id)
        )
    )
