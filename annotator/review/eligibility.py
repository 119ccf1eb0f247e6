"""Who may take which part in a case, and why not: owner, cross-checkers and verifier are different people."""

from annotator.project.policy import ReviewPolicy
from annotator.project.stages import OWNER_STAGES, ROLE_OF_STAGE
from annotator.project.workspace import Work
from db import claims
from db.claims import Claimant
from db.rows import CaseRow, PersonRow
from scoring.errors import ForbiddenError
from scoring.model.taxonomy import Stage


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
    elif not claims.holds(w.tx, row.pk, claims.decision_for(claimant(w.person, w.policy))):
        raise ForbiddenError(
            f"You own or have judged {row.case_id}, or another expert is deciding it.",
            "Another expert must decide it: owner, reviewers and verifier are different people.",
        )


def refuse_unless_may_own(w: Work, row: CaseRow, person: PersonRow) -> None:
    """Refuse an owner who has cross-checked or decided the case.

    Raises:
        ForbiddenError: They have.
    """
    if not claims.holds(w.tx, row.pk, claims.may_own(claimant(person, w.policy))):
        raise ForbiddenError(
            f"{person.name} has cross-checked or decided {row.case_id} and cannot own it.",
            "Choose somebody else: owner, reviewers and verifier are different people.",
        )


def _refuse_self_check(w: Work, row: CaseRow) -> None:
    refuse_unless_may_own(w, row, w.person)
    if row.owner_id != w.person.id and not claims.holds(w.tx, row.pk, claims.has_no_owner()):
        raise ForbiddenError(f"{row.case_id} belongs to {row.owner}.", "A manager can reassign it.")
    if not claims.holds(w.tx, row.pk, claims.self_check_for(claimant(w.person, w.policy))):
        raise ForbiddenError(f"Somebody else is working on {row.case_id}.", "Take the next case instead (N).")


def _refuse_cross_check(w: Work, row: CaseRow) -> None:
    me = w.person.id
    reasons = (
        (row.owner_id == me, "You own this case."),
        (claims.holds(w.tx, row.pk, claims.has_owned(me)), "Part of this case is your own work."),
        (claims.holds(w.tx, row.pk, claims.has_decided(me)), "You have decided this case as an expert."),
        (claims.holds(w.tx, row.pk, claims.knows_content(me)), "You have judged this case already."),
        (not claims.holds(w.tx, row.pk, claims.is_invited(me)), "Others were asked to judge this case."),
        (
            not claims.holds(w.tx, row.pk, claims.free_slot(w.policy.needed_judgments)),
            "All the slots of this case are taken.",
        ),
    )
    for applies, why in reasons:
        if applies:
            raise ForbiddenError(why, "Cross-checks go to other people; take the next case.")


def _next_of(stage: Stage) -> str:
    if stage is Stage.APPROVED:
        return "It waits until its whole batch is approved and the sample is drawn."
    return "An expert can reopen it with a reason."
