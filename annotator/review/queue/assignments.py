"""Work that is given to people: batches in turn, cases to another owner, decisions to one expert."""

from collections.abc import Iterable, Sequence

from annotator.cases.copies import named_row
from annotator.cases.row_views import get_row
from annotator.project.lookups import batch_named, person_named
from annotator.project.workspace import Work, Workspace, operation, query
from annotator.review.queue.eligibility import claimant, refuse_unless_may_own
from db.read import assignments, claims, expert_queue, people, queries
from db.read.rows import CaseRow, PersonRow
from db.tables import Transaction
from db.write import slots, store
from scoring.errors import ForbiddenError, InputError, existing
from scoring.model.taxonomy import EXPERT_STAGES, OWNER_STAGES, Priority, Role, SlotStatus


@operation("review:batch:assign", roles=(Role.MANAGER,))
def assign_batch(w: Work, batch: str, *, to: Sequence[str]) -> int:
    """Give the unowned cases of a batch to people in turn; returns how many were given.

    Somebody who has cross-checked or decided a case is passed over for it.

    Raises:
        NotFoundError: No such batch or person.
        ForbiddenError: A person cannot own cases.
    """
    if not to:
        raise InputError("Nobody to assign to was named.", "Name people with --to A,B.")
    owners = [_active(w, name, Role.ANNOTATOR) for name in dict.fromkeys(to)]
    batch_id = batch_named(w.tx, batch)
    store.lock_batch(w.tx, batch_id)
    given = 0
    for row in queries.batch_cases(w.tx, batch_id, stages=OWNER_STAGES):
        first = given % len(owners)
        in_turn = [*owners[first:], *owners[:first]]
        owner = _first_able(w, row, in_turn) if row.owner_id is None else None
        if owner is not None:
            _give(w, row, owner)
            given += 1
    w.record(f"batch:{batch}", {"to": list(to), "cases": given})
    return given


@operation("review:case:reassign", roles=(Role.MANAGER,))
def reassign(w: Work, case_id: str, *, to: str) -> None:
    """Give a case in self-check to another owner; the former one's draft stays with them.

    Raises:
        NotFoundError: No such case or person.
        ForbiddenError: The case is past its self-check, or the person cannot own it.
    """
    store.lock_case(w.tx, get_row(w.tx, case_id).pk)
    row = get_row(w.tx, case_id)
    owner = owner_for(w, row, to)
    slots.close_assignments(w.tx, row.pk, at=w.at, note=f"reassigned to {to}")
    _give(w, row, owner)
    w.record(f"case:{case_id}", {"to": to})


def owner_for(w: Work, row: CaseRow, name: str) -> PersonRow:
    """Somebody who can be made the owner of a case.

    Raises:
        NotFoundError: Nobody has this name.
        ForbiddenError: The case is past its self-check, or the person cannot own it.
    """
    if row.stage not in OWNER_STAGES:
        raise ForbiddenError(
            f"{row.case_id} is at stage {row.stage}; an owner can change only before cross-check.",
            "Return it first.",
        )
    owner = _active(w, name, Role.ANNOTATOR)
    refuse_unless_may_own(w, row, owner)
    return owner


@query
def held_by(workspace: Workspace, tx: Transaction, *, name: str) -> tuple[str, ...]:
    """Ids of the cases that somebody owns in self-check, holds a slot of, or was handed to decide.

    Raises:
        NotFoundError: Nobody is called that.
    """
    return assignments.cases_held_by(tx, person_named(tx, name).id)


@operation("review:case:share_out", roles=(Role.MANAGER,))
def share_out(w: Work, case_id: str, *, person: str) -> None:
    """Take from somebody what they hold of a case; drafts stay with them.

    What they own goes to the annotator who owns the fewest cases. A cross-check or decision goes back to the
    queue, also one that was handed to them.

    Raises:
        NotFoundError: No such case or person.
        ForbiddenError: They own it, and nobody else who is here can.
    """
    store.lock_case(w.tx, get_row(w.tx, case_id).pk)
    row, holder = get_row(w.tx, case_id), person_named(w.tx, person)
    heir = heir_of(w, row, holder)
    slots.release_claims(w.tx, holder.id, case_pk=row.pk, at=w.at, note="shared out")
    if heir is not None:
        _give(w, row, heir)
    if expert_queue.handed_to(w.tx, row.pk) == person:
        store.hand_case(w.tx, row.pk, None)
    w.record_case(case_id, {"from": person, "to": heir.name if heir is not None else None})


def heir_of(w: Work, row: CaseRow, holder: PersonRow) -> PersonRow | None:
    """Who owns a case next where it is shared out; None where the holder does not own it.

    Raises:
        ForbiddenError: Nobody who is here can.
    """
    if row.owner_id != holder.id or row.stage not in OWNER_STAGES:
        return None
    owned = queries.owned_counts(w.tx)
    here = (one for one in people.list_people(w.tx) if one.is_here and one.id != holder.id)
    others = sorted(here, key=lambda one: owned.get(one.id, 0))
    return existing(
        _first_able(w, row, (one for one in others if one.has_role(Role.ANNOTATOR))),
        ForbiddenError(f"Nobody else who is here can own {row.case_id}.", "Add an annotator."),
    )


@operation("review:case:priority", roles=(Role.MANAGER,))
def set_priority(w: Work, case_id: str, *, to: str) -> None:
    """Say how soon the queue gives a case out; its version stays.

    Raises:
        NotFoundError: No such case.
        InputError: There is no such priority.
    """
    row, priority = get_row(w.tx, case_id), parse_priority(to)
    store.lock_case(w.tx, row.pk)
    store.set_priority(w.tx, row.pk, priority)
    w.record_case(case_id, {"priority": priority})


def parse_priority(text: str) -> Priority:
    """Read a priority.

    Raises:
        InputError: It is none.
    """
    if text not in list(Priority):
        raise InputError(f"'{text}' is not a priority.", f"Priorities: {', '.join(Priority)}.")
    return Priority(text)


@operation("review:case:hand", roles=(Role.MANAGER, Role.EXPERT))
def hand_case(w: Work, case_id: str, *, to: str | None) -> None:
    """Hand the decision about a case to one expert, who is offered it first, or with None to nobody.

    Others are not offered it any more; they can still open it by its id, and the event of their claim says
    to whom it had been handed. It ends when the case leaves its stage, or the expert skips it.

    Raises:
        NotFoundError: No such case or person.
        ForbiddenError: The case waits for no expert, somebody else is deciding it now, or the person may not.
    """
    row = named_row(w.tx, case_id, w.person)
    if row.stage in EXPERT_STAGES:
        store.lock_case(w.tx, row.pk)
        row = get_row(w.tx, case_id)
    if row.stage not in EXPERT_STAGES:
        raise ForbiddenError(
            f"{case_id} is at stage {row.stage}; it waits for no expert.",
            "See `annotator review waiting`.",
        )
    expert = _expert(w, row, to) if to is not None else None
    before = expert_queue.handed_to(w.tx, row.pk)
    store.hand_case(w.tx, row.pk, expert.id if expert is not None else None)
    w.record_case(case_id, {"to": to, "from": before})


def _expert(w: Work, row: CaseRow, name: str) -> PersonRow:
    """An active expert who could decide a case that nobody else is deciding."""
    person = _active(w, name, Role.EXPERT)
    for held in assignments.assignments_of(w.tx, row.pk, stage=row.stage):
        if held.status == SlotStatus.CLAIMED and held.person_id != person.id and held.lease_until >= w.at:
            raise ForbiddenError(
                f"{held.person} is deciding {row.case_id} now.", "Hand it over when they have handed it back."
            )
    if not claims.holds(w.tx, row.pk, claims.could_decide(claimant(person, w.policy))):
        raise ForbiddenError(
            f"{name} owned or judged {row.case_id} and cannot decide it.",
            "Choose an expert who had no part in it.",
        )
    return person


def _first_able(w: Work, row: CaseRow, owners: Iterable[PersonRow]) -> PersonRow | None:
    able = (one for one in owners if claims.holds(w.tx, row.pk, claims.may_own(claimant(one, w.policy))))
    return next(able, None)


def _give(w: Work, row: CaseRow, owner: PersonRow) -> None:
    store.change_case(
        w.tx,
        row.pk,
        expected_version=row.version,
        at=w.at,
        values={"owner_id": owner.id, "is_assigned": True},
    )
    w.touch(row.case_id)


def _active(w: Work, name: str, role: Role) -> PersonRow:
    person = person_named(w.tx, name)
    if not person.is_active or not person.has_role(role):
        raise ForbiddenError(f"{name} is not an active {role}.", f"Choose an {role}, or add the role.")
    if person.away_until:
        raise ForbiddenError(f"{name} is away until {person.away_until}.", "Choose somebody else.")
    return person
