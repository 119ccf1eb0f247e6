"""Which case a person would be offered next, read ahead while they work; nothing is claimed by looking."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

from annotator.cases.access import blinded
from annotator.cases.bodies import load_revision
from annotator.cases.viewing import viewer_of
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Workspace, policy_of
from annotator.review.claiming import best_candidate
from annotator.review.drafts import Beginning, beginning
from db import queries
from db import work as slots
from db.rows import AssignmentRow, CaseRow, PersonRow
from db.tables import Transaction
from scoring.model.case import Case
from scoring.model.taxonomy import Stage


@dataclass(frozen=True)
class Foreseen:
    """A case as a person would get it.

    Whoever prepares something from it must compare with what the claim brings: until then somebody else
    may take the case or change it.
    """

    case_id: str
    head_id: int
    stage: Stage
    base: Case
    beginning: Beginning
    policy: ReviewPolicy


def foresee_next(
    workspace: Workspace, *, stages: Sequence[Stage], besides: str | None = None
) -> Foreseen | None:
    """Read the case the person would get if they took the next one now.

    Args:
        workspace: In whose name.
        stages: Stages of the work looked for, the most urgent first.
        besides: Id of the case they are working on; it counts as done.

    Returns:
        Null where nothing waits for them.
    """
    person = workspace.person
    return workspace.read(lambda tx: _foresee(tx, person, stages=stages, besides=besides))


def _foresee(
    tx: Transaction, person: PersonRow, *, stages: Sequence[Stage], besides: str | None
) -> Foreseen | None:
    policy = policy_of(tx)
    for stage in stages:
        for held in slots.claimed_by(tx, person.id):
            if held.stage is stage and held.case_id != besides:
                return _as_opened(tx, person, queries.get_case(tx, held.case_pk), held, policy)
        best = best_candidate(tx, person, policy, stage, locks=False)
        if best is not None:
            row = queries.get_case(tx, best.case_pk)
            at = row.stage if row.stage is Stage.CROSS_CHECK else stage
            return _as_opened(tx, person, row, _slot_of(person, row, at), policy)
    return None


def _slot_of(person: PersonRow, row: CaseRow, stage: Stage) -> AssignmentRow:
    """The slot a claim would make."""
    at = row.changed_at
    return AssignmentRow(
        id=0,
        case_pk=row.pk,
        case_id=row.case_id,
        stage=stage,
        round=row.round,
        slot=0,
        person_id=person.id,
        person=person.name,
        status="claimed",
        case_version=row.version,
        claimed_at=at,
        lease_until=at,
    )


def _as_opened(
    tx: Transaction, person: PersonRow, row: CaseRow, held: AssignmentRow, policy: ReviewPolicy
) -> Foreseen:
    # Claiming a cross-check is what makes its reviewer blind.
    hidden = viewer_of(tx, person).hidden if held.stage is Stage.CROSS_CHECK else None
    seen = partial(_seen, hidden=hidden)
    case = seen(load_revision(tx, row.head_id))
    return Foreseen(
        case_id=row.case_id,
        head_id=row.head_id,
        stage=held.stage,
        base=case,
        beginning=beginning(tx, held, row, shown=case, seen=seen),
        policy=policy,
    )


def _seen(case: Case, hidden: Collection[str] | None) -> Case:
    return case if hidden is None else blinded(case, hidden)
