"""Who could still take a case that waits, and why the others cannot, by name."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial

from annotator.cases.row_views import held_apart, is_blind, shown_row
from annotator.project.workspace import Work, operation
from annotator.review.queue.claims import end_leases
from annotator.review.queue.eligibility import claimant, refusals
from db.read import assignments, claims, known_answers, people
from db.read.rows import CaseRow
from scoring.errors import ForbiddenError
from scoring.groups import collected, grouped
from scoring.model.record import Record
from scoring.model.taxonomy import EXPERT_STAGES, OWNER_STAGES, Role, SlotStatus, Stage

_HELP = (
    (OWNER_STAGES, "A manager can reassign it, or add an annotator."),
    (
        (Stage.CROSS_CHECK,),
        "A manager can add an annotator, lower `reviewers`, or return the batch. "
        "If others were asked: taking the next case (N) asks more people where those cannot answer any more.",
    ),
    (EXPERT_STAGES, "A manager can add an expert who had no part in it."),
    (tuple(Stage), "It waits for nobody."),
)
"""What helps where nobody can take a case, by its stage."""


class CaseTaker(Record):
    """Whether a person could take a case now: `may` is what a claim of it says.

    `why` says why not. Where they may, it is a reservation: they have it open, or are not offered it but can
    open it by its id; empty for none.
    """

    person: str
    may: bool
    why: str


class CaseTakers(Record):
    """Everybody in the project as takers of a case, who may first; `help` for where nobody may."""

    case_id: str
    stage: Stage
    people: tuple[CaseTaker, ...]
    help: str

    @property
    def words(self) -> str:
        """Who may take it, in a sentence."""
        names = ", ".join(one.person for one in self.people if one.may)
        nobody = f"Nobody can take {self.case_id} now. {self.help}"
        return f"{self.case_id} can be taken by {names}." if names else nobody

    @property
    def reasons(self) -> dict[str, list[str]]:
        """The names of those whom something keeps from it, by what that is."""
        return grouped((one.why, one.person) for one in self.people if one.why)


@operation("review:case:who", roles=(Role.MANAGER, Role.EXPERT))
def who_could_take(w: Work, case_id: str) -> CaseTakers:
    """Everybody as takers of a case, by the rules of the claim itself. Leases that ended are freed first.

    Raises:
        NotFoundError: The project has no such case.
        ForbiddenError: Who asks judges the case, and must not know who else did.
    """
    row = _row(w, case_id)
    end_leases(w)
    return _takers(w, row)


@operation("review:case:pool", roles=(Role.MANAGER, Role.EXPERT))
@collected
def list_pool(w: Work, *, limit: int | None = None) -> Iterator[CaseTakers]:
    """The cases that wait while nobody who is here could take them, with everybody's reason, oldest first.

    Cases that whoever asks works on are left out: they must not know who else does.

    Args:
        w: Of a manager or an expert.
        limit: Of how many cases; None for all.
    """
    end_leases(w)
    stuck = claims.stuck(w.tx, reviewers=w.policy.needed_judgments, is_solo=w.policy.solo)
    for case_id in stuck[:limit]:
        with suppress(ForbiddenError):
            yield _takers(w, _row(w, case_id))


def _takers(w: Work, row: CaseRow) -> CaseTakers:
    holders = {
        held.person_id
        for held in assignments.assignments_of(w.tx, row.pk)
        if held.status == SlotStatus.CLAIMED
    }
    found = [
        _taker(replace(w, person=person), row, has_it=person.id in holders)
        for person in people.list_people(w.tx)
    ]
    in_order = sorted(found, key=lambda one: (not one.may, bool(one.why)))
    helps = "" if in_order[0].may else next(text for stages, text in _HELP if row.stage in stages)
    return CaseTakers(case_id=row.case_id, stage=row.stage, people=tuple(in_order), help=helps)


def _row(w: Work, case_id: str) -> CaseRow:
    if known_answers.copy_named(w.tx, case_id, person_id=w.person.id) is None:
        row = shown_row(w.tx, case_id, w.person)
        if not is_blind(w.tx, row, w.person) and row.pk not in held_apart(w.tx, w.person):
            return row
    raise ForbiddenError(
        f"You work on {case_id}: who else had a part in it is not shown to you.", "Ask a manager."
    )


def _taker(w: Work, row: CaseRow, *, has_it: bool) -> CaseTaker:
    """The person of `w` as a taker of a case."""
    person, holds = w.person, partial(claims.holds, w.tx, row.pk)
    refused = next(refusals(w, row), None) if person.is_active and not has_it else None
    if refused or not person.is_active:
        why = refused.about if refused else "Is disabled."
        return CaseTaker(person=person.name, may=False, why=why)
    reservations = (
        (has_it, "Has it open."),
        (holds(claims.has_skipped(person.id)), "Has skipped it; can open it by its id."),
        (
            not holds(claims.offered_to(claimant(person, w.policy))),
            "It was handed to another expert; can open it by its id.",
        ),
    )
    why = next((words for applies, words in reservations if applies), "")
    return CaseTaker(person=person.name, may=True, why=why)
