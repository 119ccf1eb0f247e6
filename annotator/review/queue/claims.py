"""The queue that decides what is next: claims under a lease, skipping and handing back."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from annotator.cases.row_views import get_row
from annotator.extensions import is_newcomer, refuse_unprepared
from annotator.project.stages import ENDED_WORDS, Actor, check_move
from annotator.project.workspace import Done, Work, Workspace, operation
from annotator.review.attention import known_answers
from annotator.review.queue import pairs
from annotator.review.queue.case_rows import CaseRow
from annotator.review.queue.eligibility import (
    away_refusal,
    claimant,
    quota_refusal,
    refuse_unless_may_claim,
)
from db.read import assignments, candidates, expert_queue, queries
from db.read.candidates import Candidate
from db.read.rows import AssignmentRow as AssignmentRow
from db.read.rows import PersonRow
from db.write import slots, store
from scoring.errors import ForbiddenError, InputError, NotFoundError, existing
from scoring.model.taxonomy import EXPERT_STAGES, OWNER_STAGES, Role, SlotStatus, Stage


def claim_next(
    workspace: Workspace, *, stage: Stage | None = None, spares_newcomers: bool = False
) -> Done[AssignmentRow | None]:
    """Take the next case: what one holds already, returned ones, the first in line, then escalations.

    What the person has begun comes before what is new to them, and what was assigned to them before
    self-checks of nobody. Self-checks and cross-checks stand in one line: by the priority of the case, the
    day its batch is due, and its age, so that old cases are finished first. Besides what one holds, only
    cases in `workspace.next_language` are taken.

    Args:
        workspace: In whose name.
        stage: Only work of this stage; None for whatever is most urgent.
        spares_newcomers: Whether nobody's first case is a blind cross-check; then a person who has neither
            submitted anything nor finished a training case gets none.

    Returns:
        The slot, held under a lease; None where nothing waits (see `why_nothing`).

    Raises:
        ForbiddenError: The person is away, has not done the training that the policy asks for, or has taken
            as many cases today as it gives.
    """

    awaited: int | None = None
    while True:
        work = partial(
            _claim_next,
            stage=stage,
            awaited=awaited,
            spares_newcomers=spares_newcomers,
            language=workspace.next_language,
        )
        try:
            return workspace.run("review:case:claim", work, roles=(Role.ANNOTATOR, Role.EXPERT))
        except _HeldByOthersError as held:
            [awaited] = held.args


class _HeldByOthersError(Exception):
    """The only cases left are held by operations under way, first the one it names; nothing was done yet."""


def _claim_next(
    w: Work, *, stage: Stage | None, awaited: int | None, spares_newcomers: bool, language: str
) -> AssignmentRow | None:
    if awaited is not None:
        store.lock_case(w.tx, awaited)  # waits, while nothing else is held
    end_leases(w)
    for held in (*assignments.claimed_by(w.tx, w.person.id), *known_answers.held_slots(w)):
        if stage is None or held.stage is stage:
            return _renewed(w, held)
    if w.person.away_until:
        refused = away_refusal(w.person)
        raise ForbiddenError(refused.message, refused.hint)
    person = _trained(w)
    is_spared = spares_newcomers and is_newcomer(w.tx, w.person)
    full = quota_refusal(w) if stage not in EXPERT_STAGES else None
    look = partial(
        _best, w, person, stage, is_spared=is_spared, language=language, only_taken=full is not None
    )
    is_mixed = w.policy.attention_share and full is None
    copy = _known_answer(w, look(), language=language) if is_mixed else None
    if copy is not None:
        return copy
    found = _take_first(w, look)
    if found is None and full is not None:
        raise ForbiddenError(full.message, full.hint)
    if found is None and pairs.ask_others(w):
        found = _take_first(w, look)
    return found


def _known_answer(w: Work, best: Candidate | None, *, language: str) -> AssignmentRow | None:
    """A known-answer case in place of the next one, where that is new to the person."""
    if best is None or not best.is_fresh:
        return None
    row = queries.get_case(w.tx, best.case_pk)
    at = Stage.SELF_CHECK_TASK if row.stage is Stage.IMPORTED else row.stage
    return known_answers.offer(w, stage=at, like=row, language=language)


def _trained(w: Work) -> PersonRow:
    """The person with the roles they may work in: who lacks the training may still decide as an expert.

    Raises:
        ForbiddenError: They may do nothing yet.
    """
    try:
        refuse_unprepared(w.tx, w.person, w.policy)
    except ForbiddenError:
        if not w.person.has_role(Role.EXPERT):
            raise
        return replace(w.person, roles=tuple(role for role in w.person.roles if role is not Role.ANNOTATOR))
    return w.person


@operation("review:case:claim", roles=(Role.ANNOTATOR, Role.EXPERT))
def claim_case(w: Work, case_id: str) -> AssignmentRow:
    """Take one particular case, also one that was skipped, or renew the lease on it.

    Raises:
        ForbiddenError: It waits for nobody, for somebody else, or every slot is taken; says which.
    """
    if w.policy.attention_share or queries.find_case(w.tx, case_id) is None:
        for copy in known_answers.held_slots(w):
            if copy.case_id == case_id:
                return _renewed(w, copy)
        if (left := known_answers.find_left(w, case_id)) is not None:
            return known_answers.taken_again(w, left)
    store.lock_case(w.tx, get_row(w.tx, case_id).pk)
    end_leases(w)
    row = get_row(w.tx, case_id)
    for held in assignments.claimed_by(w.tx, w.person.id):
        if held.case_pk == row.pk:
            return _renewed(w, held)
    refuse_unless_may_claim(w, row)
    return existing(
        _take(w, row),
        ForbiddenError(f"{case_id} was taken by somebody else just now.", "Take the next case instead (N)."),
    )


def _take_first(w: Work, look: Callable[..., Candidate | None]) -> AssignmentRow | None:
    """Take the best candidate that is found; whoever is slower goes on to the next in the same call.

    Raises:
        _HeldByOthersError: Nothing else is left.
    """
    tried: list[int] = []
    held: int | None = None
    while (best := look(tried=tried)) is not None:
        tried.append(best.case_pk)
        if not store.try_lock_case(w.tx, best.case_pk, expected_version=best.version):
            held = held or best.case_pk
            continue
        assignment = _take(w, queries.get_case(w.tx, best.case_pk))
        if assignment is not None:
            return assignment
    if held is not None:
        raise _HeldByOthersError(held)
    return None


def _best(
    w: Work,
    person: PersonRow,
    stage: Stage | None,
    *,
    is_spared: bool,
    language: str,
    only_taken: bool,
    tried: Sequence[int] = (),
) -> Candidate | None:
    """The case a person should take next, besides those they hold; nothing is locked.

    Args:
        w: The claim.
        person: For whom.
        stage: Only work of this stage; None for whatever is most urgent.
        is_spared: Whether cross-checks are left out.
        language: Only cases in this language; empty for any.
        only_taken: Whether self-checks and cross-checks are left out that the person has never taken.
        tried: Cases to leave out.
    """
    who = replace(claimant(person, w.policy), language=language)
    worker = replace(who, only_taken=only_taken)
    self_check = partial(candidates.next_self_check, w.tx, worker, tried=tried)
    cross_check = partial(candidates.next_cross_check, w.tx, worker, tried=tried)
    decision = partial(candidates.next_decision, w.tx, who, tried=tried)
    found: list[Candidate | None] = []
    if person.has_role(Role.ANNOTATOR):
        before = (Stage.IMPORTED, Stage.RETURNED) if stage is Stage.SELF_CHECK_TASK else ()
        found.append(self_check(stages=[s for s in OWNER_STAGES if stage is None or s in (stage, *before)]))
        if stage in (None, Stage.CROSS_CHECK) and not is_spared:
            found.append(cross_check(reviewers=w.policy.needed_judgments))
    if person.has_role(Role.EXPERT) and not any(found):
        found.append(decision(stages=[s for s in EXPERT_STAGES if stage in (None, s)]))
    return min((candidate for candidate in found if candidate is not None), default=None)


def end_leases(w: Work) -> None:
    """Free the slots whose lease ended."""
    slots.expire_leases(w.tx, at=w.at, longest=w.policy.lease_end(w.at) - w.at)


def _renewed(w: Work, held: AssignmentRow) -> AssignmentRow:
    if held.case_pk == known_answers.NO_CASE:
        return known_answers.renewed(w, held.id)
    slots.renew_lease(w.tx, held.id, until=w.policy.lease_end(w.at))
    return find_slot(w, held.id)


def find_slot(w: Work, assignment_id: int) -> AssignmentRow:
    """A slot, whoever holds it, of a case or a known-answer case.

    Raises:
        NotFoundError: There is no such slot.
    """
    found = assignments.find_assignment(w.tx, assignment_id)
    if found is None and (copy := known_answers.copy_of_slot(w.tx, assignment_id, person_id=w.person.id)):
        return known_answers.slot_of(copy)
    if found is None:
        raise NotFoundError(f"There is no assignment {assignment_id}.", "Open a case from the queue.")
    return found


def _take(w: Work, row: CaseRow) -> AssignmentRow | None:
    """Occupy a slot of a case the person may work on; None where somebody was faster."""
    stage, version = row.stage, row.version
    if stage in (Stage.IMPORTED, Stage.RETURNED):
        check_move(stage, "start", actor=Actor.OWNER, to=Stage.SELF_CHECK_TASK)
        stage = Stage.SELF_CHECK_TASK
    if stage is not row.stage or (stage in OWNER_STAGES and row.owner_id != w.person.id):
        values: dict[str, object] = {"stage": stage.value, "owner_id": w.person.id}
        if row.owner_id != w.person.id:
            values["is_assigned"] = False
        store.change_case(w.tx, row.pk, expected_version=version, at=w.at, values=values)
        version += 1
    occupied = {
        held.slot
        for held in assignments.assignments_of(w.tx, row.pk, stage=stage, round_=row.round)
        if held.status in assignments.OCCUPYING
    }
    for slot in range(w.policy.needed_judgments if stage is Stage.CROSS_CHECK else 1):
        if slot in occupied:
            continue
        number = slots.add_assignment(
            w.tx,
            row.pk,
            stage=stage,
            round_=row.round,
            slot=slot,
            person_id=w.person.id,
            case_version=version,
            at=w.at,
            lease_until=w.policy.lease_end(w.at),
        )
        if number is not None:
            asked = expert_queue.handed_to(w.tx, row.pk) if stage in EXPERT_STAGES else None
            w.record_case(row.case_id, {"stage": stage.value, "round": row.round, "slot": slot})
            if asked not in (None, w.person.name):
                w.event_payload["handed_to"] = asked  # they take over what another expert was handed
            return find_slot(w, number)
    return None


@operation("review:case:leave")
def leave(w: Work, assignment_id: int, *, skip: bool, reason: str = "") -> None:
    """Hand a case back; a skipped one is not offered to the same person again in this round.

    The draft stays and is offered again to whoever left it.

    Raises:
        ForbiddenError: The slot is not the person's.
        InputError: Skipping without a reason.
    """
    if skip and not reason.strip():
        raise InputError("Skipping needs a reason.", "Say why with --reason.")
    status = SlotStatus.SKIPPED if skip else SlotStatus.RELEASED
    held = find_slot(w, assignment_id)
    if held.case_pk == known_answers.NO_CASE:
        known_answers.leave_copy(w, own_slot(w, assignment_id), status=status, reason=reason)
        return
    store.lock_case(w.tx, held.case_pk)
    held = own_slot(w, assignment_id)
    values = {"status": status, "closed_at": w.at, "note": reason}
    slots.change_assignment(w.tx, held.id, expected=SlotStatus.CLAIMED, values=values)
    row = queries.get_case(w.tx, held.case_pk)
    if held.stage in OWNER_STAGES and row.owner_id == w.person.id:
        store.change_case(
            w.tx,
            row.pk,
            expected_version=row.version,
            at=w.at,
            values={"owner_id": None, "is_assigned": False},
        )
    if skip and held.stage in EXPERT_STAGES and expert_queue.handed_to(w.tx, row.pk) == w.person.name:
        store.hand_case(w.tx, row.pk, None)
    w.record_case(held.case_id, {"status": status, "reason": reason})


def own_slot(w: Work, assignment_id: int) -> AssignmentRow:
    """The person's own slot; one whose lease ended is taken back where nobody else has it by now.

    Raises:
        ForbiddenError: It is somebody else's, was handed back or submitted, or went to somebody else.
    """
    held = find_slot(w, assignment_id)
    if held.person_id != w.person.id:
        raise ForbiddenError(f"Assignment {assignment_id} is {held.person}'s.", "Work on your own.")
    if held.status == SlotStatus.CLAIMED:
        return held
    if held.status == SlotStatus.EXPIRED and slots.revive_assignment(
        w.tx, held.id, lease_until=w.policy.lease_end(w.at)
    ):
        return find_slot(w, assignment_id)
    raise ForbiddenError(
        f"You do not hold {held.case_id} any more: it was {ENDED_WORDS.get(held.status, held.status)}.",
        "Open the case again to continue.",
    )


@operation("review:lease:renew")
def keep_alive(w: Work, assignment_id: int) -> None:
    """Renew the lease while the person works."""
    _renewed(w, own_slot(w, assignment_id))
