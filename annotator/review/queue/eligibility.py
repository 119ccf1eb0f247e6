"""Who may take which part in a case, and why not: owner, cross-checkers and verifier are different people."""

from annotator.project.policy import ReviewPolicy
from annotator.project.stages import ROLE_OF_STAGE
from annotator.project.workspace import Work
from db.read import assignments, claims
from db.read.claims import Claimant
from db.read.rows import CaseRow, PersonRow
from scoring.errors import ForbiddenError
from scoring.model.taxonomy import OWNER_STAGES, SlotStatus, Stage


def claimant(person: PersonRow, policy: ReviewPolicy) -> Claimant:
    """How the queue asks for a person's work."""
    return Claimant(person_id=person.id, is_solo=policy.solo)


def refuse_unless_may_claim(w: Work, row: CaseRow) -> None:
    """Say in one sentence why a person cannot take a case, and what to do instead.

    Raises:
        ForbiddenError: They cannot.
    """
    role = ROLE_OF_STAGE.get(row.stage)
    if role is None:
        raise ForbiddenError(f"{row.case_id} is {row.stage}: nobody works on it now.", _next_of(row.stage))
    if not w.person.has_role(role):
        raise ForbiddenError(
            f"{row.case_id} waits for somebody with the role {role}.", "Take the next case instead."
        )
    if row.stage in OWNER_STAGES:
        _refuse_self_check(w, row)
    elif row.stage is Stage.CROSS_CHECK:
        _refuse_cross_check(w, row)
    else:
        _refuse_decision(w, row)


def refuse_unless_may_own(w: Work, row: CaseRow, person: PersonRow) -> None:
    """Refuse an owner who has cross-checked or decided the case.

    Raises:
        ForbiddenError: They have.
    """
    if claims.holds(w.tx, row.pk, claims.may_own(claimant(person, w.policy))):
        return
    is_me, name, case_id = person.id == w.person.id, person.name, row.case_id
    mine, theirs = (
        (
            f"You have cross-checked {case_id} and cannot own it.",
            f"{name} has cross-checked {case_id} and cannot own it.",
        )
        if claims.holds(w.tx, row.pk, claims.has_reviewed(person.id))
        else (
            f"You have decided {case_id} and cannot own it.",
            f"{name} has decided {case_id} and cannot own it.",
        )
    )
    raise ForbiddenError(
        mine if is_me else theirs,
        "Take the next case instead (N)." if is_me else "Give it to somebody who has not judged it.",
    )


def _refuse_self_check(w: Work, row: CaseRow) -> None:
    refuse_unless_may_own(w, row, w.person)
    if row.owner_id != w.person.id and not claims.holds(w.tx, row.pk, claims.has_no_owner()):
        raise ForbiddenError(f"{row.case_id} belongs to {row.owner}.", "A manager can reassign it.")
    if not claims.holds(w.tx, row.pk, claims.self_check_for(claimant(w.person, w.policy))):
        raise ForbiddenError(f"Somebody else is working on {row.case_id}.", "Take the next case instead (N).")


def _refuse_cross_check(w: Work, row: CaseRow) -> None:
    me = w.person.id
    _refuse_own_part(w, row, "Others cross-check what you made; take the next case (N).")
    reasons = (
        (
            claims.holds(w.tx, row.pk, claims.has_decided(me)),
            "You have decided this case as an expert.",
            "Somebody who has not seen the dispute must cross-check it; take the next case (N).",
        ),
        (
            claims.holds(w.tx, row.pk, claims.knows_content(me)),
            "You have judged this case already.",
            "Others judge it now; while nobody has built on your judgment you can take it back.",
        ),
        (
            not claims.holds(w.tx, row.pk, claims.is_invited(me)),
            "Others were asked to judge this case.",
            "Take the next case (N), or have a manager ask you too.",
        ),
        (
            not claims.holds(w.tx, row.pk, claims.free_slot(w.policy.needed_judgments)),
            "All the slots of this case are taken.",
            "Take the next case (N); a slot is free again when somebody hands theirs back.",
        ),
    )
    for applies, why, hint in reasons:
        if applies:
            raise ForbiddenError(why, hint)


def _refuse_decision(w: Work, row: CaseRow) -> None:
    deciding = [
        held.person
        for held in assignments.assignments_of(w.tx, row.pk, stage=row.stage)
        if held.status == SlotStatus.CLAIMED and held.person_id != w.person.id
    ]
    if deciding:
        raise ForbiddenError(
            f"{deciding[0]} is deciding {row.case_id} now.",
            "Take the next case (N); it is free again when they hand it back.",
        )
    if claims.holds(w.tx, row.pk, claims.decision_for(claimant(w.person, w.policy))):
        return
    _refuse_own_part(w, row, "An expert who had no part in it must decide it; take the next case (N).")
    raise ForbiddenError(
        "You have judged this case already.",
        "An expert who has not judged it must decide it; take the next case (N).",
    )


def _refuse_own_part(w: Work, row: CaseRow, hint: str) -> None:
    if row.owner_id == w.person.id:
        raise ForbiddenError("You own this case.", hint)
    if claims.holds(w.tx, row.pk, claims.has_owned(w.person.id)):
        raise ForbiddenError("Part of this case is your own work.", hint)


def _next_of(stage: Stage) -> str:
    if stage is Stage.APPROVED:
        return "It waits until its whole batch is approved and the sample is drawn."
    return "An expert can reopen it with a reason."
