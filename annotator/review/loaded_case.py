"""A case read with all that belongs to it: claimed to be worked on, or only looked at."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from annotator.cases.access import copy_as_seen, visible_case
from annotator.cases.copies import row_of
from annotator.cases.row_views import visible_row
from annotator.drafts.assessment import Assessment, assess
from annotator.drafts.snapshot import opening_snapshot, with_answers_last
from annotator.project.changes import Changes
from annotator.project.policy import ReviewPolicy
from annotator.project.stages import MOVES, ROLE_OF_STAGE, Actor, StageMove
from annotator.project.workspace import Done, Workspace, policy_of, query
from annotator.review.case_changes import is_behind
from annotator.review.drafts import OpenCase, open_assignment
from annotator.review.feedback import RecurringMistake, recurring_mistakes
from annotator.review.owner import Settled, drawings, settled
from annotator.review.queue.claims import AssignmentRow, claim_case, claim_next, leave
from db.read.known_answers import copy_named
from db.read.rows import CaseRow, PersonRow
from db.tables import Transaction
from scoring.errors import ForbiddenError
from scoring.model.case import Case
from scoring.model.taxonomy import SELF_CHECKS, Role, SlotStatus, Stage

ANNOTATION_STAGES = (*SELF_CHECKS, Stage.CROSS_CHECK)
"""Stages at which a case is annotated, the most urgent first."""


@dataclass(frozen=True)
class LoadedCase:
    """A case as its reviewer may see it, with the policy, their recurring mistakes, and the first assessment.

    `assessment` is of the state the store has: its draft, or the case where there is none.
    """

    opened: OpenCase
    policy: ReviewPolicy
    mistakes: tuple[RecurringMistake, ...]
    assessment: Assessment


def load(workspace: Workspace, assignment_id: int) -> LoadedCase:
    """Read everything about an assignment, and assess it."""
    opened = open_assignment(workspace, assignment_id)
    draft = opened.draft if opened.draft_base is None else None
    if draft is not None:
        snapshot = opening_snapshot(draft.case, draft.judgment, draft.clashes)
    else:
        base = with_answers_last(opened.base) if opened.is_blind else opened.base
        snapshot = opening_snapshot(base, opened.template)
    stage, precedents = opened.assignment.stage, opened.precedents
    assessment = assess(snapshot, stage=stage, policy=opened.policy, precedents=precedents)
    return LoadedCase(opened, opened.policy, recurring_mistakes(workspace), assessment)


def take_up(workspace: Workspace, assignment_id: int) -> Done[LoadedCase]:
    """Open a slot; one on an earlier state of its case is claimed anew, so that it can be submitted."""
    loaded = load(workspace, assignment_id)
    held, row = loaded.opened.assignment, loaded.opened.row
    is_same_part = (row.stage, row.round) == (held.stage, held.round)
    if held.status == SlotStatus.CLAIMED and is_same_part and is_behind(held, row):
        return take_again(workspace, held)
    return Done(loaded, Changes())


def kind_of(stage: Stage) -> tuple[Stage, ...]:
    """The stages at which a case is the same kind of work as at a stage."""
    return SELF_CHECKS if stage in SELF_CHECKS else (stage,)


def take_next(workspace: Workspace, stages: Sequence[Stage] = ANNOTATION_STAGES) -> Done[LoadedCase | None]:
    """Claim the next case to check and read it; None where nothing waits at these stages."""
    done = claim_next_annotation(workspace, stages)
    return Done(load(workspace, done.value.id) if done.value is not None else None, done.changes)


def take_case(workspace: Workspace, case_id: str) -> Done[LoadedCase]:
    """Claim one particular case and read it.

    Raises:
        ForbiddenError: It waits for nobody, for somebody else, or every slot is taken; says which.
    """
    claimed = claim_case(workspace, case_id)
    return Done(load(workspace, claimed.value.id), claimed.changes)


def take_again(workspace: Workspace, held: AssignmentRow) -> Done[LoadedCase]:
    """Claim a case anew whose slot or content is not what it was, and read it as it is now.

    Raises:
        ForbiddenError: Somebody else has it by now, or nobody works on it any more; says which.
    """
    changes = Changes()
    with suppress(ForbiddenError):  # a slot that is gone already need not be left
        changes = leave(workspace, held.id, skip=False).changes
    taken = take_case(workspace, held.case_id)
    return Done(taken.value, changes | taken.changes)


def claim_next_annotation(
    workspace: Workspace, stages: Sequence[Stage] = ANNOTATION_STAGES
) -> Done[AssignmentRow | None]:
    """Take the next case to check, own work before that of others; None where nothing waits."""
    done: Done[AssignmentRow | None] | None = None
    for stage in stages:
        done = claim_next(workspace, stage=stage, spares_newcomers=True)
        if done.value is not None:
            return done
    assert done is not None
    return done


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
    # Whoever reads a case has not the one self-check of its owner.
    policy = policy_of(tx).model_copy(update={"one_self_check": False})
    copy = copy_named(tx, case_id, person_id=person.id)
    if copy is not None:
        row, case = row_of(tx, copy), copy_as_seen(tx, copy)
        drawn = tuple(None if row.is_blind else not task.needs_drawing for task in case.tasks)
        return VisibleCase(row, case, Settled(), policy, can_reopen=False, drawn=drawn)
    row = visible_row(tx, case_id, person)
    case = visible_case(tx, row, person)
    return VisibleCase(
        row=row,
        case=case,
        settled=Settled() if row.is_blind else settled(tx, row.pk, head_id=row.head_id, case=case),
        policy=policy,
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
