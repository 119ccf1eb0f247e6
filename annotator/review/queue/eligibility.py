"""Who may take which part in a case, and why not: owner, cross-checkers and verifier are different people."""

from collections.abc import Iterator
from datetime import UTC, datetime, time
from functools import partial
from typing import NamedTuple

from annotator.extensions import refuse_unprepared
from annotator.project.policy import Pairing, ReviewPolicy
from annotator.project.stages import ROLE_OF_STAGE
from annotator.project.workspace import Work
from db.read import assignments, claims
from db.read.claims import Claimant
from db.read.rows import CaseRow, PersonRow
from scoring.errors import ForbiddenError
from scoring.model.taxonomy import EXPERT_STAGES, OWNER_STAGES, SlotStatus, Stage
from scoring.wording import counted


class Refusal(NamedTuple):
    """Why somebody cannot take a case.

    Attributes:
        message: What they are told.
        hint: What they can do instead.
        about: What others are told about them.
    """

    message: str
    hint: str
    about: str


def claimant(person: PersonRow, policy: ReviewPolicy) -> Claimant:
    """How the queue asks for a person's work."""
    return Claimant(person_id=person.id, is_solo=policy.solo)


def refuse_unless_may_claim(w: Work, row: CaseRow) -> None:
    """Say in one sentence why a person cannot take a case, and what to do instead.

    Raises:
        ForbiddenError: They cannot.
    """
    for found in refusals(w, row):
        raise ForbiddenError(found.message, found.hint)


def refusals(w: Work, row: CaseRow) -> Iterator[Refusal]:
    """What keeps the person of an operation from a case they do not hold, gravest first, or nothing."""
    role = ROLE_OF_STAGE.get(row.stage)
    if role is None:
        unworked = f"{row.case_id} is {row.stage}: nobody works on it now."
        yield Refusal(unworked, _next_of(row.stage), "Nobody works on it now.")
    elif not w.person.has_role(role):
        needed = f"{row.case_id} waits for somebody with the role {role}."
        yield Refusal(needed, "Take the next case instead.", f"Lacks the role {role}.")
    elif w.person.away_until:
        yield away_refusal(w.person)
    elif row.stage in EXPERT_STAGES:
        yield from _from_decision(w, row)
    else:
        yield from (_from_self_check if row.stage in OWNER_STAGES else _from_cross_check)(w, row)
        yield from _from_work(w, row)


def away_refusal(person: PersonRow) -> Refusal:
    """What keeps somebody who is away from any case."""
    return Refusal(
        f"You are away until {person.away_until}.",
        "Say that you are back first.",
        f"Is away until {person.away_until}.",
    )


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


def _from_self_check(w: Work, row: CaseRow) -> Iterator[Refusal]:
    holds = partial(claims.holds, w.tx, row.pk)
    try:
        refuse_unless_may_own(w, row, w.person)
    except ForbiddenError as error:
        yield Refusal(error.message, error.hint, "Has cross-checked or decided it.")
    if row.owner_id != w.person.id and not holds(claims.has_no_owner()):
        belongs = f"{row.case_id} belongs to {row.owner}."
        yield Refusal(belongs, "A manager can reassign it.", belongs)
    elif not holds(claims.self_check_for(claimant(w.person, w.policy))):
        held = f"Somebody else is working on {row.case_id}."
        yield Refusal(held, "Take the next case instead (N).", held)


def _from_cross_check(w: Work, row: CaseRow) -> Iterator[Refusal]:
    me = w.person.id
    reasons = (
        (
            claims.has_owned(me),
            _own_part(w, row, "Others cross-check what you made; take the next case (N)."),
        ),
        (
            claims.has_decided(me),
            Refusal(
                "You have decided this case as an expert.",
                "Somebody who has not seen the dispute must cross-check it; take the next case (N).",
                "Has decided it.",
            ),
        ),
        (
            claims.knows_content(me),
            Refusal(
                "You have judged this case already.",
                "Others judge it now; while nobody has built on your judgment you can take it back.",
                "Has cross-checked it.",
            ),
        ),
        (
            ~claims.is_invited(me),
            Refusal(
                "Others were asked to judge this case.",
                "Take the next case (N), or have a manager ask you too.",
                "Others were asked, by their skills."
                if w.policy.pairing is Pairing.SKILL
                else "Others were asked.",
            ),
        ),
        (
            ~claims.free_slot(w.policy.needed_judgments),
            Refusal(
                "All the slots of this case are taken.",
                "Take the next case (N); a slot is free again when somebody hands theirs back.",
                "All slots are taken.",
            ),
        ),
    )
    yield from (said for applies, said in reasons if claims.holds(w.tx, row.pk, applies))


def _from_decision(w: Work, row: CaseRow) -> Iterator[Refusal]:
    for held in assignments.assignments_of(w.tx, row.pk, stage=row.stage):
        if held.status == SlotStatus.CLAIMED and held.person_id != w.person.id:
            yield Refusal(
                f"{held.person} is deciding {row.case_id} now.",
                "Take the next case (N); it is free again when they hand it back.",
                f"{held.person} has it open.",
            )
    if claims.holds(w.tx, row.pk, claims.decision_for(claimant(w.person, w.policy))):
        return
    if claims.holds(w.tx, row.pk, claims.has_owned(w.person.id)):
        yield _own_part(w, row, "An expert who had no part in it must decide it; take the next case (N).")
    said, about = (
        ("You have judged this case already.", "Has cross-checked it.")
        if claims.holds(w.tx, row.pk, claims.has_reviewed(w.person.id))
        else ("You have decided this case as an expert.", "Has decided it.")
    )
    yield Refusal(said, "An expert who has not judged it must decide it; take the next case (N).", about)


def _own_part(w: Work, row: CaseRow, hint: str) -> Refusal:
    if row.owner_id == w.person.id:
        return Refusal("You own this case.", hint, "Owns it.")
    return Refusal("Part of this case is your own work.", hint, "Part of it is their own work.")


def quota_refusal(w: Work) -> Refusal | None:
    """What keeps somebody from any case they have not begun; None where they may take more today."""
    limit = w.policy.daily_cases
    taken = claims.taken_since(w.tx, w.person.id, datetime.combine(w.at, time.min, UTC)) if limit else 0
    if not limit or taken < limit:
        return None
    return Refusal(
        f"You have taken {counted(taken, 'case')} today; the policy gives each person {limit}.",
        "New ones come from 00:00 UTC on; what you have begun you can finish.",
        f"Has taken {counted(taken, 'case')} today; the policy gives each person {limit}.",
    )


def _from_work(w: Work, row: CaseRow) -> Iterator[Refusal]:
    try:
        refuse_unprepared(w.tx, w.person, w.policy)
    except ForbiddenError as error:
        yield Refusal(error.message, error.hint, "Has not finished the training.")
    full = quota_refusal(w)
    if full is not None and not claims.holds(w.tx, row.pk, claims.has_taken(w.person.id)):
        yield full


def _next_of(stage: Stage) -> str:
    if stage is Stage.APPROVED:
        return "It waits for the sample of its batch."
    return "An expert can reopen it with a reason."
