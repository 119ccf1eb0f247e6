"""What waits for an expert's decision: since when, why, for whom, and who is at it."""

from datetime import datetime

from annotator.project.lookups import person_named
from annotator.project.workspace import Workspace, policy_of, query
from annotator.review.escalation import HASTY_NOTE
from annotator.review.queue.eligibility import claimant
from db.read import claims, expert_queue
from db.read.rows import DecisionWaitRow, PersonRow
from db.tables import Transaction
from scoring.errors import ForbiddenError
from scoring.model.record import Record
from scoring.model.taxonomy import Role, Stage


class DecisionWait(Record):
    """A case that waits for an expert.

    `since` is when it came to the experts, `why` the reason in words. `handed_to` is the expert it was handed
    to, `deciding` who has it open; None for nobody. `is_offered` says that the queue offers it to the person
    the list is about: not handed to another expert, not held by one, not skipped.
    """

    case_id: str
    batch: str
    stage: Stage
    since: datetime
    why: str
    handed_to: str | None
    deciding: str | None
    is_offered: bool


@query
def expert_list(workspace: Workspace, tx: Transaction, *, person: str = "") -> tuple[DecisionWait, ...]:
    """The cases an expert could decide, the longest wait first; those that need somebody else are left out.

    Args:
        workspace: An expert's or a manager's.
        person: Name of the expert; empty for every case that waits for any.

    Raises:
        ForbiddenError: Who asks is neither expert nor manager, or the person is not an expert.
        NotFoundError: Nobody is called that.
    """
    me = workspace.person
    if not (me.has_role(Role.EXPERT) or me.has_role(Role.MANAGER)):
        raise ForbiddenError(
            "Only experts and managers see what waits for experts.", "A manager can add the role."
        )
    now = workspace.instant(tx)
    if not person:
        return tuple(_wait(row, is_offered=True) for row in expert_queue.waiting_for_experts(tx, at=now))
    who = claimant(_expert(tx, person), policy_of(tx))
    offered = claims.numbers(tx, claims.queued_decision(who))
    rows = expert_queue.waiting_for_experts(tx, claims.could_decide(who), at=now)
    return tuple(_wait(row, is_offered=row.case_pk in offered) for row in rows)


def _expert(tx: Transaction, name: str) -> PersonRow:
    person = person_named(tx, name)
    if not person.has_role(Role.EXPERT):
        raise ForbiddenError(f"{name} is not an expert.", "Name an expert, or nobody for the whole list.")
    return person


def why_here(row: DecisionWaitRow) -> str:
    """Why a case came to the experts, in words."""
    if row.stage is Stage.EXPERT:
        return "submitted faster than it can be read" if row.note == HASTY_NOTE else "in a random sample"
    return f"escalated: {row.note}" if row.note else "escalated"


def _wait(row: DecisionWaitRow, *, is_offered: bool) -> DecisionWait:
    return DecisionWait(
        case_id=row.case_id,
        batch=row.batch,
        stage=row.stage,
        since=row.since,
        why=why_here(row),
        handed_to=row.handed_to,
        deciding=row.deciding,
        is_offered=is_offered,
    )
