"""The feedback loop: what keeps going wrong, per person and for everybody (design 3.5)."""

from collections import Counter

from annotator.cases.row_views import viewer_of
from annotator.project.workspace import Workspace, query
from db.read import comments
from db.read.rows import FeedbackRow as FeedbackRow
from db.tables import Transaction
from scoring.errors import ForbiddenError
from scoring.model.record import Record

RECURRING = 2
"""A category told this often to a person is raised before their next case."""


class RecurringMistake(Record):
    """A category of mistake told to somebody several times, with the newest note."""

    person: str
    category: str
    count: int
    latest_note: str


class FeedbackCount(Record):
    """How often a category was told to a person in one ISO week, written as `2026-W47` (UTC)."""

    week: str
    person: str
    category: str
    count: int


def feedback_over_time(workspace: Workspace, *, everybody: bool = False) -> tuple[FeedbackCount, ...]:
    """How often what was told to whom, week by week, oldest first: the person's own, or everybody's.

    Weeks without a correction are left out.

    Raises:
        ForbiddenError: An annotator asks for everybody's.
    """
    rows = _told(workspace, everybody=everybody)
    counts = Counter((f"{row.at:%G-W%V}", row.to, row.category) for row in rows)
    return tuple(
        FeedbackCount(week=week, person=to, category=category, count=count)
        for (week, to, category), count in sorted(counts.items())
    )


def recurring_mistakes(workspace: Workspace, *, everybody: bool = False) -> tuple[RecurringMistake, ...]:
    """What keeps going wrong, most frequent first: the person's own, or everybody's for the expert.

    Raises:
        ForbiddenError: An annotator asks for everybody's.
    """
    rows = _told(workspace, everybody=everybody)
    return tuple(
        RecurringMistake(
            person=to,
            category=category,
            count=count,
            latest_note=next(row.note for row in rows if (row.to, row.category) == (to, category)),
        )
        for (to, category), count in Counter((row.to, row.category) for row in rows).most_common()
        if count >= RECURRING
    )


@query
def _told(workspace: Workspace, tx: Transaction, *, everybody: bool) -> tuple[FeedbackRow, ...]:
    person = workspace.person
    if everybody and not viewer_of(tx, person).is_trusted:
        raise ForbiddenError(
            "What was told to others is for them, experts and managers.", "Look at your own feedback."
        )
    return comments.feedback_to(tx, None if everybody else person.id)
