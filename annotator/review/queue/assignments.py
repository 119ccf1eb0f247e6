"""Work that a manager gives to people: batches in turn, and single cases to another owner."""

from collections.abc import Sequence

from annotator.cases.row_views import get_row
from annotator.project.stages import OWNER_STAGES
from annotator.project.workspace import Done, Work, Workspace
from annotator.review.queue.eligibility import claimant, refuse_unless_may_own
from db.read import claims, people, queries
from db.read.rows import CaseRow, PersonRow
from db.write import slots, store
from scoring.errors import ForbiddenError, InputError, NotFoundError
from scoring.model.taxonomy import Role


def assign_batch(workspace: Workspace, batch: str, *, to: Sequence[str]) -> Done[int]:
    """Give the unowned cases of a batch to people in turn; returns how many were given.

    Somebody who has cross-checked or decided a case is passed over for it.

    Raises:
        NotFoundError: No such batch or person.
        ForbiddenError: A person cannot own cases.
    """
    if not to:
        raise InputError("Nobody to assign to was named.", "Name people with --to A,B.")

    def work(w: Work) -> int:
        owners = [_annotator(w, name) for name in dict.fromkeys(to)]
        batch_id = batch_named(w, batch)
        store.lock_batch(w.tx, batch_id)
        rows = queries.batch_cases(w.tx, batch_id, stages=OWNER_STAGES)
        given = 0
        for row in rows:
            owner = _next_owner(w, row, owners, turn=given) if row.owner_id is None else None
            if owner is not None:
                _give(w, row, owner)
                given += 1
        w.record(f"batch:{batch}", {"to": list(to), "cases": given})
        return given

    return workspace.run("review:batch:assign", work, roles=(Role.MANAGER,))


def reassign(workspace: Workspace, case_id: str, *, to: str) -> Done[None]:
    """Give a case in self-check to another owner; the former one's draft stays with them.

    Raises:
        NotFoundError: No such case or person.
        ForbiddenError: The case is past its self-check, or the person cannot own it.
    """

    def work(w: Work) -> None:
        store.lock_case(w.tx, get_row(w.tx, case_id).pk)
        row = get_row(w.tx, case_id)
        if row.stage not in OWNER_STAGES:
            raise ForbiddenError(
                f"{case_id} is at stage {row.stage}; an owner can change only before cross-check.",
                "Return it first.",
            )
        owner = _annotator(w, to)
        refuse_unless_may_own(w, row, owner)
        slots.close_assignments(w.tx, row.pk, at=w.at, note=f"reassigned to {to}")
        _give(w, row, owner)
        w.record(f"case:{case_id}", {"to": to})

    return workspace.run("review:case:reassign", work, roles=(Role.MANAGER,))


def batch_named(w: Work, name: str) -> int:
    """Number of a batch.

    Raises:
        NotFoundError: There is no such batch.
    """
    number = queries.find_batch(w.tx, name)
    if number is None:
        raise NotFoundError(f"There is no batch '{name}'.", "See `annotator batch list`.")
    return number


def _next_owner(w: Work, row: CaseRow, owners: Sequence[PersonRow], *, turn: int) -> PersonRow | None:
    first = turn % len(owners)
    for person in (*owners[first:], *owners[:first]):
        if claims.holds(w.tx, row.pk, claims.may_own(claimant(person, w.policy))):
            return person
    return None


def _give(w: Work, row: CaseRow, owner: PersonRow) -> None:
    values = {"owner_id": owner.id, "is_assigned": True}
    store.change_case(w.tx, row.pk, expected_version=row.version, at=w.at, values=values)
    w.touch(row.case_id)


def _annotator(w: Work, name: str) -> PersonRow:
    person = people.find_person(w.tx, name)
    if person is None:
        raise NotFoundError(f"Nobody is called '{name}' in this project.", "See `annotator user list`.")
    if not person.is_active or not person.has_role(Role.ANNOTATOR):
        raise ForbiddenError(f"{name} is no active annotator.", "Choose an annotator, or add the role.")
    return person
