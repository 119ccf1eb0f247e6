"""One change made to many cases, each by itself: looked ahead, then carried out as a job."""

from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from annotator.cases.row_views import get_row
from annotator.jobs import JobCancelled, JobContext
from annotator.project.lookups import person_named
from annotator.project.workspace import Work, Workspace, policy_of
from annotator.review import batches
from annotator.review.queue import assignments
from annotator.review.queue.case_rows import CaseFilter, list_cases
from db.failures import is_busy
from db.read.rows import CaseRow
from db.tables import Transaction
from scoring.errors import AnnotatorError, ForbiddenError, StoreError
from scoring.model.record import Record
from scoring.model.taxonomy import OWNER_STAGES, Role, Stage
from scoring.wording import counted


class BulkAction(StrEnum):
    """What can be done to many cases: owner, batch, priority, back to their owners, or shared out."""

    ASSIGN = "assign"
    MOVE = "move"
    RETURN = "return"
    PRIORITY = "priority"
    SHARE_OUT = "share_out"


class BulkChange(Record):
    """What is done to each case.

    `value` is the owner, batch, priority, the reason of the return, or whose work is shared out.
    """

    action: BulkAction
    value: str


class BulkOutcome(Record):
    """What a change did to cases, or would do where `is_done` is false.

    `cases` are the ids of all of them. `already` are as they would be. `refused` counts those that cannot
    be changed, by the first one's reason, and `refused_cases` names them. `left` were not begun: it was
    stopped before.
    """

    cases: tuple[str, ...]
    changed: int
    already: int
    refused: dict[str, int]
    refused_cases: dict[str, tuple[str, ...]]
    left: int
    is_done: bool

    @property
    def words(self) -> tuple[str, ...]:
        """What came of it, and why some stay, in sentences."""
        cases, stay = counted(len(self.cases), "case"), sum(self.refused.values())
        did = f"{cases}: {self.changed:,} changed, {self.already:,} had it already, {stay:,} stay."
        would = f"{cases}: {self.changed:,} change, {self.already:,} have it already, {stay:,} cannot."
        reasons = (f"{count:,} because: {reason}" for reason, count in self.refused.items())
        return (did if self.is_done else would, *reasons, *self.stopped)

    @property
    def stopped(self) -> tuple[str, ...]:
        """The sentence that says it was stopped, where it was."""
        return (f"It was stopped with {counted(self.left, 'case')} left.",) if self.left else ()


class _Way(NamedTuple):
    """How a change is made: whether a row has it already, who refuses it, and what makes it."""

    is_made: Callable[[CaseRow, str], bool]
    check: Callable[[Work, CaseRow, str], object]
    make: Callable[[Workspace, str, str], object]


_WAYS = {
    BulkAction.ASSIGN: _Way(
        lambda row, owner: row.owner == owner,
        assignments.owner_for,
        lambda workspace, case_id, owner: assignments.reassign(workspace, case_id, to=owner),
    ),
    BulkAction.MOVE: _Way(
        lambda row, batch: row.batch == batch,
        lambda w, row, batch: batches.movable_to(w, [row.case_id], batch),
        lambda workspace, case_id, batch: batches.move_cases(workspace, [case_id], to=batch),
    ),
    BulkAction.RETURN: _Way(
        lambda row, _: row.stage is Stage.RETURNED,
        lambda _, row, reason: batches.returnable(row, reason),
        lambda workspace, case_id, reason: batches.return_case(workspace, case_id, reason=reason),
    ),
    BulkAction.PRIORITY: _Way(
        lambda row, priority: row.priority == priority,
        lambda _, row, priority: assignments.parse_priority(priority),
        lambda workspace, case_id, priority: assignments.set_priority(workspace, case_id, to=priority),
    ),
    BulkAction.SHARE_OUT: _Way(
        lambda row, holder: False,
        lambda w, row, holder: assignments.heir_of(w, row, person_named(w.tx, holder)),
        lambda workspace, case_id, holder: assignments.share_out(workspace, case_id, person=holder),
    ),
}


def cases_of(workspace: Workspace, where: CaseFilter) -> tuple[CaseRow, ...]:
    """All cases a filter keeps, in its order."""
    found: list[CaseRow] = []
    while page := list_cases(workspace, where, offset=len(found), limit=1000):
        found += page
    return tuple(found)


def owners_of(workspace: Workspace, *, batch: str) -> dict[str, int]:
    """How many cases in self-check each owner has in a batch, by name."""
    rows = cases_of(workspace, CaseFilter(batch=batch, stages=OWNER_STAGES))
    return dict(sorted(Counter(row.owner for row in rows if row.owner).items()))


def require_manager(workspace: Workspace) -> None:
    """Refuse who may not change many cases at once.

    Raises:
        ForbiddenError: Who asks is no manager.
    """
    if not workspace.person.has_role(Role.MANAGER):
        raise ForbiddenError("Only managers change many cases at once.", "Ask a manager.")


def change_cases(
    workspace: Workspace,
    which: CaseFilter | tuple[str, ...],
    *,
    change: BulkChange,
    context: JobContext,
    is_done: bool = True,
) -> BulkOutcome:
    """Make a change to cases, one operation and one event each, or only say what it would do; a job.

    What cannot be done to one case does not stop the others. Where it is stopped, what is done stays.

    Args:
        workspace: A manager's.
        which: The ids of the cases, or a filter that keeps them.
        change: What is done.
        context: Tells how far it is.
        is_done: Whether it is done, not only looked ahead.

    Raises:
        ForbiddenError: Who asks is no manager.
    """
    require_manager(workspace)
    cases = which if isinstance(which, tuple) else tuple(row.case_id for row in cases_of(workspace, which))
    outcomes: Counter[bool] = Counter()
    reasons: dict[str, list[tuple[str, str]]] = {}
    try:
        for case_id in context.each(cases, "changing cases"):
            try:
                has_it = workspace.read(partial(_has_it, workspace, change, case_id))
                if is_done and not has_it:
                    _WAYS[change.action].make(workspace, case_id, change.value)
                outcomes[has_it] += 1
            except AnnotatorError as error:
                if isinstance(error, StoreError) and not is_busy(error):
                    raise
                reason = error.message
                reasons.setdefault(reason.replace(case_id, ""), []).append((reason, case_id))
    except (JobCancelled, KeyboardInterrupt):
        pass  # what is done stays, and `left` says how far it came
    refused = {found[0][0]: tuple(case_id for _, case_id in found) for found in reasons.values()}
    return BulkOutcome(
        cases=cases,
        changed=outcomes[False],
        already=outcomes[True],
        refused={reason: len(ids) for reason, ids in refused.items()},
        refused_cases=refused,
        left=len(cases) - outcomes.total() - sum(map(len, refused.values())),
        is_done=is_done,
    )


def _has_it(workspace: Workspace, change: BulkChange, case_id: str, tx: Transaction) -> bool:
    """Whether a case is already as it would be; refuses what the change itself refuses."""
    row, way = get_row(tx, case_id), _WAYS[change.action]
    if way.is_made(row, change.value):
        return True
    w = Work(tx=tx, person=workspace.person, policy=policy_of(tx), at=workspace.instant(tx))
    way.check(w, row, change.value)
    return False
