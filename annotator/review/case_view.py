"""A case as somebody may read it without working on it: nothing is claimed, begun or written down."""

from dataclasses import dataclass

from annotator.cases.access import copy_as_seen, visible_case
from annotator.cases.copies import row_of
from annotator.cases.row_views import visible_row
from annotator.project.policy import ReviewPolicy
from annotator.project.stages import MOVES, ROLE_OF_STAGE, Actor, StageMove
from annotator.project.workspace import Workspace, policy_of, query
from annotator.review.owner import Settled, drawings, settled
from db.read.known_answers import copy_named
from db.read.rows import CaseRow, PersonRow
from db.tables import Transaction
from scoring.model.case import Case
from scoring.model.taxonomy import Role, Stage


@dataclass(frozen=True)
class VisibleCase:
    """A case with what was said about it, as far as the reader may see it.

    `settled` holds the evidence and the waivers of its owner; nothing for who sees the case blind. `drawn`
    says per task whether somebody has drawn it, None where that is not known.
    `can_reopen` says whether the reader may begin a new round of judging.
    """

    row: CaseRow
    case: Case
    settled: Settled
    policy: ReviewPolicy
    can_reopen: bool
    drawn: tuple[bool | None, ...]


@query
def read_case(workspace: Workspace, tx: Transaction, case_id: str) -> VisibleCase:
    """Look at a case, whoever works on it.

    Raises:
        NotFoundError: The project has no such case.
    """
    person = workspace.person
    copy = copy_named(tx, case_id, person_id=person.id)
    if copy is not None:
        row, case = row_of(tx, copy), copy_as_seen(tx, copy)
        drawn = tuple(None if row.is_blind else not task.needs_drawing for task in case.tasks)
        return VisibleCase(row, case, Settled(), policy_of(tx), can_reopen=False, drawn=drawn)
    row = visible_row(tx, case_id, person)
    case = visible_case(tx, row, person)
    return VisibleCase(
        row=row,
        case=case,
        settled=Settled() if row.is_blind else settled(tx, row.pk, head_id=row.head_id, case=case),
        policy=policy_of(tx),
        drawn=(None,) * len(case.tasks) if row.is_blind else drawings(tx, row, case),
        can_reopen=person.has_role(Role.EXPERT) and is_reopenable(row.stage),
    )


def is_reopenable(stage: Stage) -> bool:
    """Whether an expert can begin a new round of judging at a stage."""
    return StageMove(stage, Actor.EXPERT, "reopen", Stage.SELF_CHECK_TASK) in MOVES


def lacks_role(stage: Stage, person: PersonRow) -> Role | None:
    """The role that works on cases at a stage, where a person does not have it; else None."""
    role = ROLE_OF_STAGE.get(stage)
    return role if role is not None and not person.has_role(role) else None
