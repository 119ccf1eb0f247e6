"""What a person has not read yet: cases returned or handed to them, answers, and feedback."""

from collections.abc import Collection
from datetime import datetime
from typing import Literal

from annotator.cases.row_views import viewer_of
from annotator.project.changes import Changes
from annotator.project.workspace import Work, Workspace, operation, query
from annotator.review.queue.expert_list import why_here
from db.read import comments, expert_queue, queries, visibility
from db.read.rows import CaseFilter, PersonRow
from db.tables import Transaction
from db.write import messages
from scoring.model.record import Record
from scoring.model.taxonomy import Role, Stage


class Notification(Record):
    """One thing to read: a case that was returned or handed to the person, an answer, or a correction.

    `number` identifies an answer or a correction, None for a case, which stays until the person takes it up.
    `sender` is None where the reviewers of a round returned the case together, and for one that was handed
    to the person. `category` is the kind of mistake a correction is about, None for the others; `text` is
    empty without a note.
    """

    kind: Literal["returned", "handed", "answer", "feedback"]
    case_id: str
    text: str
    at: datetime
    sender: str | None = None
    number: int | None = None
    category: str | None = None


@query
def notifications(workspace: Workspace, tx: Transaction) -> tuple[Notification, ...]:
    """What the person has not read yet, newest first; nothing a blind reviewer must not see."""
    return _unread(tx, workspace.person, at=workspace.instant(tx))


def _unread(tx: Transaction, person: PersonRow, *, at: datetime) -> tuple[Notification, ...]:
    returned = queries.list_cases(
        tx, CaseFilter(stages=(Stage.RETURNED,), owner=person.name, order="-changed"), limit=100
    )
    blind = visibility.blind_cases(tx, viewer_of(tx, person))
    notifications = [
        Notification(kind="returned", case_id=row.case_id, text=row.note, at=row.changed_at)
        for row in returned
    ]
    if person.has_role(Role.EXPERT):
        notifications += [
            Notification(kind="handed", case_id=row.case_id, text=why_here(row), at=row.since)
            for row in expert_queue.waiting_for_experts(tx, expert_queue.is_handed_to(person.id), at=at)
            if row.deciding is None
        ]
    notifications += [
        Notification(
            kind="answer",
            case_id=answer.case_id,
            text=answer.text,
            at=answer.at,
            sender=answer.person,
            number=answer.id,
        )
        for answer in comments.unread_answers(tx, person.id)
        if answer.case_pk not in blind
    ]
    notifications += [
        Notification(
            kind="feedback",
            case_id=told.case_id,
            text=told.note,
            at=told.at,
            sender=told.sender,
            number=told.id,
            category=told.category,
        )
        for told in comments.feedback_to(tx, person.id)
        if not told.is_seen
    ]
    return tuple(sorted(notifications, key=lambda notification: notification.at, reverse=True))


def unread_feedback(workspace: Workspace) -> tuple[Notification, ...]:
    """What the person was told about their work and has not read yet, newest first."""
    return tuple(one for one in notifications(workspace) if one.kind == "feedback")


@operation("review:notification:read")
def mark_read(w: Work, *, kinds: Collection[str] = ("answer", "feedback")) -> int:
    """Note that the person has read their answers and feedback, or one of them; returns how many there were.

    Answers they must not see yet stay unread.
    """
    unread = [one for one in _unread(w.tx, w.person, at=w.at) if one.kind in kinds]
    answers = [one.number for one in unread if one.kind == "answer" and one.number is not None]
    if answers:
        messages.see_answers(w.tx, answers, at=w.at)
    if any(one.kind == "feedback" for one in unread):
        messages.see_feedback(w.tx, w.person.id, at=w.at)
    w.change(Changes(case_ids=frozenset(one.case_id for one in unread)))
    return len(unread)
