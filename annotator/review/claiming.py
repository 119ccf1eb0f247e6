"""The queue that decides what is next: claims under a lease, skipping, handing back, assigning."""

from collections.abc import Sequence
from datetime import timedelta

from annotator.cases.access import get_row
from annotator.project.policy import ReviewPolicy
from annotator.project.stages import ROLE_OF_STAGE, Actor, check_move
from annotator.project.workspace import Done, Work, Workspace
from db import queries, store
from db import work as slots
from db.rows import AssignmentRow as AssignmentRow
from db.rows import CaseFilter as CaseFilter
from db.rows import CaseRow as CaseRow
from db.tables import Transaction
from scoring.errors import ForbiddenError, InputError, NotFoundError
from scoring.model.record import Record
from scoring.model.taxonomy import Role, Stage

SELF_CHECK_STAGES = (Stage.RETURNED, Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE, Stage.IMPORTED)
EXPERT_STAGES = (Stage.ESCALATED, Stage.EXPERT)


class Waiting(Record):
    """What waits for a person: cases they could take now and slots they hold, per kind of work."""

    returned: int
    self_check: int
    cross_check: int
    expert: int
    held: int


def claim_next(workspace: Workspace, *, stage: Stage | None = None) -> Done[AssignmentRow | None]:
    """Take the next case: what one holds already, returned ones, own ones, cross-checks, escalations.

    Args:
        workspace: In whose name.
        stage: Only work of this stage; null for whatever is most urgent.

    Returns:
        The slot, held under a lease; null where nothing waits (see `why_nothing`).
    """

    def work(w: Work) -> AssignmentRow | None:
        store.expire_leases(w.tx, at=w.at)
        for held in slots.claimed_by(w.tx, w.person.id):
            if stage is None or held.stage is stage:
                return _renewed(w, held)
        for pk in _candidates(w, stage):
            assignment = _take(w, queries.get_case(w.tx, pk))
            if assignment is not None:
                return assignment
        return None

    return workspace.run("review:case:claim", work, roles=(Role.ANNOTATOR, Role.EXPERT))


def claim_case(workspace: Workspace, case_id: str) -> Done[AssignmentRow]:
    """Take one particular case, or renew the lease on it.

    Raises:
        ForbiddenError: It waits for nobody, for somebody else, or every slot is taken; says which.
    """

    def work(w: Work) -> AssignmentRow:
        store.expire_leases(w.tx, at=w.at)
        row = get_row(w.tx, case_id)
        for held in slots.claimed_by(w.tx, w.person.id):
            if held.case_pk == row.pk:
                return _renewed(w, held)
        _refuse_unless_eligible(w, row)
        assignment = _take(w, row)
        if assignment is None:
            raise ForbiddenError(
                f"{case_id} was taken by somebody else just now.", "Take the next case instead (N)."
            )
        return assignment

    return workspace.run("review:case:claim", work, roles=(Role.ANNOTATOR, Role.EXPERT))


def _candidates(w: Work, stage: Stage | None) -> list[int]:
    found: list[int] = []
    if w.person.has_role(Role.ANNOTATOR):
        own = [s for s in SELF_CHECK_STAGES if stage is None or s is stage or _leads_to(s, stage)]
        if own:
            found += slots.next_self_check(w.tx, w.person.id, stages=own, limit=3)
        if stage in (None, Stage.CROSS_CHECK):
            found += slots.next_cross_check(w.tx, w.person.id, reviewers=w.policy.reviewers, limit=3)
    if w.person.has_role(Role.EXPERT):
        decided = [s for s in EXPERT_STAGES if stage in (None, s)]
        if decided:
            found += slots.next_expert(w.tx, w.person.id, stages=decided, is_solo=w.policy.solo, limit=3)
    return found


def _leads_to(at: Stage, stage: Stage | None) -> bool:
    return stage is Stage.SELF_CHECK_TASK and at in (Stage.IMPORTED, Stage.RETURNED)


def _lease(w: Work) -> timedelta:
    return timedelta(minutes=w.policy.lease_minutes)


def _renewed(w: Work, held: AssignmentRow) -> AssignmentRow:
    until = w.at + _lease(w)
    store.change_assignment(w.tx, held.id, expected="claimed", values={"lease_until": until})
    return _get(w, held.id)


def _get(w: Work, assignment_id: int) -> AssignmentRow:
    found = slots.find_assignment(w.tx, assignment_id)
    if found is None:
        raise NotFoundError(f"There is no assignment {assignment_id}.", "See `annotator review next`.")
    return found


def _take(w: Work, row: CaseRow) -> AssignmentRow | None:
    """Occupy a slot of a case the person may work on; null where somebody was faster."""
    stage, version = row.stage, row.version
    if stage in (Stage.IMPORTED, Stage.RETURNED):
        check_move(stage, "start", who=Actor.OWNER, to=Stage.SELF_CHECK_TASK)
        stage = Stage.SELF_CHECK_TASK
    if stage is not row.stage or (stage in SELF_CHECK_STAGES and row.owner_id != w.person.id):
        values = {"stage": stage.value, "owner_id": w.person.id}
        store.change_case(w.tx, row.pk, expected_version=version, at=w.at, values=values)
        version += 1
    occupied = {
        held.slot
        for held in slots.assignments_of(w.tx, row.pk, stage=stage, round_=row.round)
        if held.status in store.OCCUPYING
    }
    places = range(w.policy.reviewers if stage is Stage.CROSS_CHECK else 1)
    for slot in places:
        if slot in occupied:
            continue
        number = store.add_assignment(
            w.tx,
            row.pk,
            stage=stage,
            round_=row.round,
            slot=slot,
            person_id=w.person.id,
            case_version=version,
            at=w.at,
            lease_until=w.at + _lease(w),
        )
        if number is not None:
            w.record(f"case:{row.case_id}", {"stage": stage.value, "round": row.round, "slot": slot})
            w.touch(row.case_id)
            return _get(w, number)
    return None


def _refuse_unless_eligible(w: Work, row: CaseRow) -> None:
    """Say in one sentence why a person cannot take a case."""
    role = ROLE_OF_STAGE.get(row.stage)
    if role is None:
        raise ForbiddenError(f"{row.case_id} is {row.stage}: nobody works on it now.", _next_of(row.stage))
    if not w.person.has_role(role):
        raise ForbiddenError(
            f"{row.case_id} waits for somebody with the role {role}.", "Take the next case instead."
        )
    if row.stage in SELF_CHECK_STAGES:
        if row.owner_id not in (None, w.person.id):
            raise ForbiddenError(f"{row.case_id} belongs to {row.owner}.", "A manager can reassign it.")
        return
    if row.stage is Stage.CROSS_CHECK:
        eligible = slots.next_cross_check(
            w.tx, w.person.id, reviewers=w.policy.reviewers, limit=1, only=row.pk
        )
        if not eligible:
            why = "You have judged this case already, or all its slots are taken."
            if row.owner_id == w.person.id:
                why = "You own this case."
            raise ForbiddenError(why, "Cross-checks go to other people; take the next case.")
        return
    eligible = slots.next_expert(
        w.tx, w.person.id, stages=EXPERT_STAGES, is_solo=w.policy.solo, limit=1, only=row.pk
    )
    if not eligible:
        raise ForbiddenError(
            f"You own or have judged {row.case_id}, or another expert is deciding it.",
            "Another expert must decide it: owner, reviewers and verifier are different people.",
        )


def _next_of(stage: Stage) -> str:
    if stage is Stage.APPROVED:
        return "It waits until its whole batch is approved and the sample is drawn."
    return "An expert can reopen it with a reason."


def why_nothing(workspace: Workspace) -> str:
    """Say why a person has nothing to do, in one sentence with the next step."""
    person, policy = workspace.person, workspace.policy()
    counts = workspace.read(queries.stage_counts)
    if not counts:
        return "The project has no cases yet: import a file (Ctrl+I)."
    open_work = {stage: count for stage, count in counts.items() if stage in ROLE_OF_STAGE}
    if not open_work:
        return "Everything is decided: approved, final or rejected. A manager can freeze a release."
    if not person.has_role(Role.EXPERT) and set(open_work) <= set(EXPERT_STAGES):
        return f"{sum(open_work.values())} cases wait for an expert."
    if not person.has_role(Role.ANNOTATOR) and not set(open_work) & set(EXPERT_STAGES):
        return f"{sum(open_work.values())} cases are still with annotators and reviewers."
    if Stage.CROSS_CHECK in open_work and not policy.solo:
        needed = policy.reviewers + 1
        return (
            f"{open_work[Stage.CROSS_CHECK]} cases wait for cross-checks by people who neither own nor have "
            f"judged them: a case needs {needed} people besides the expert."
        )
    return "What is left belongs to other people or is held by them."


def waiting_for(workspace: Workspace) -> Waiting:
    """Count what waits for the person, for the queue's head line."""
    person = workspace.person

    def query(tx: Transaction) -> Waiting:
        policy = ReviewPolicy.model_validate_json(queries.project_row(tx)[1])
        is_annotator, is_expert = person.has_role(Role.ANNOTATOR), person.has_role(Role.EXPERT)

        def self_checks(*stages: Stage) -> int:
            if not is_annotator:
                return 0
            return slots.count_self_checks(tx, person.id, stages=stages)

        return Waiting(
            returned=self_checks(Stage.RETURNED),
            self_check=self_checks(Stage.IMPORTED, Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE),
            cross_check=(
                slots.count_cross_checks(tx, person.id, reviewers=policy.reviewers) if is_annotator else 0
            ),
            expert=(
                slots.count_expert(tx, person.id, stages=EXPERT_STAGES, is_solo=policy.solo)
                if is_expert
                else 0
            ),
            held=len(slots.claimed_by(tx, person.id)),
        )

    return workspace.read(query)


def leave(workspace: Workspace, assignment_id: int, *, skip: bool, reason: str = "") -> Done[None]:
    """Hand a case back; a skipped one is not offered to the same person again in this round.

    The draft stays and is offered again to whoever left it.

    Raises:
        ForbiddenError: The slot is not the person's.
        InputError: Skipping without a reason.
    """
    if skip and not reason.strip():
        raise InputError("Skipping needs a reason.", "Say why with --reason.")

    def work(w: Work) -> None:
        held = own_slot(w, assignment_id)
        status = "skipped" if skip else "released"
        values = {"status": status, "closed_at": w.at, "note": reason}
        store.change_assignment(w.tx, held.id, expected="claimed", values=values)
        row = queries.get_case(w.tx, held.case_pk)
        if held.stage in SELF_CHECK_STAGES and row.owner_id == w.person.id:
            store.change_case(w.tx, row.pk, expected_version=row.version, at=w.at, values={"owner_id": None})
        w.record(f"case:{held.case_id}", {"status": status, "reason": reason})
        w.touch(held.case_id)

    return workspace.run("review:case:leave", work)


def own_slot(w: Work, assignment_id: int) -> AssignmentRow:
    """The person's own claimed slot.

    Raises:
        ForbiddenError: It is somebody else's or no longer held.
    """
    held = _get(w, assignment_id)
    if held.person_id != w.person.id:
        raise ForbiddenError(f"Assignment {assignment_id} is {held.person}'s.", "Work on your own.")
    if held.status != "claimed":
        raise ForbiddenError(
            f"Assignment {assignment_id} is {held.status}.", "Open the case again to continue."
        )
    return held


def keep_alive(workspace: Workspace, assignment_id: int) -> Done[None]:
    """Renew the lease while the person works."""

    def work(w: Work) -> None:
        _renewed(w, own_slot(w, assignment_id))

    return workspace.run("review:lease:renew", work)


def assign_batch(workspace: Workspace, batch: str, *, to: Sequence[str]) -> Done[int]:
    """Give the unowned cases of a batch to people in turn; returns how many were given.

    Raises:
        NotFoundError: No such batch or person.
        ForbiddenError: A person cannot own cases.
    """
    if not to:
        raise InputError("Nobody to assign to was named.", "Name people with --to A,B.")

    def work(w: Work) -> int:
        owners = [_annotator(w, name) for name in to]
        found = [row for row in queries.list_batches(w.tx) if row.name == batch]
        if not found:
            raise NotFoundError(f"There is no batch '{batch}'.", "See `annotator batch list`.")
        rows = queries.batch_cases(w.tx, found[0].id, stages=SELF_CHECK_STAGES)
        unowned = [row for row in rows if row.owner_id is None]
        for i, row in enumerate(unowned):
            values = {"owner_id": owners[i % len(owners)]}
            store.change_case(w.tx, row.pk, expected_version=row.version, at=w.at, values=values)
            w.touch(row.case_id)
        w.record(f"batch:{batch}", {"to": list(to), "cases": len(unowned)})
        return len(unowned)

    return workspace.run("review:batch:assign", work, roles=(Role.MANAGER,))


def reassign(workspace: Workspace, case_id: str, *, to: str) -> Done[None]:
    """Give a case in self-check to another owner; the former one's draft stays with them."""

    def work(w: Work) -> None:
        row = get_row(w.tx, case_id)
        if row.stage not in SELF_CHECK_STAGES:
            raise ForbiddenError(
                f"{case_id} is at stage {row.stage}; an owner can change only before cross-check.",
                "Return it first.",
            )
        store.close_assignments(w.tx, row.pk, at=w.at, note=f"reassigned to {to}")
        store.change_case(
            w.tx, row.pk, expected_version=row.version, at=w.at, values={"owner_id": _annotator(w, to)}
        )
        w.record(f"case:{case_id}", {"to": to})
        w.touch(case_id)

    return workspace.run("review:case:reassign", work, roles=(Role.MANAGER,))


def _annotator(w: Work, name: str) -> int:
    person = queries.find_person(w.tx, name)
    if person is None:
        raise NotFoundError(f"Nobody is called '{name}' in this project.", "See `annotator user list`.")
    if not person.is_active or not person.has_role(Role.ANNOTATOR):
        raise ForbiddenError(f"{name} is no active annotator.", "Choose an annotator, or add the role.")
    return person.id


def list_cases(
    workspace: Workspace, where: CaseFilter, *, offset: int = 0, limit: int = 200
) -> tuple[CaseRow, ...]:
    """One page of the queue."""
    return workspace.read(lambda tx: queries.list_cases(tx, where, offset=offset, limit=limit))


def count_cases(workspace: Workspace, where: CaseFilter) -> int:
    """How many cases a filter keeps."""
    return workspace.read(lambda tx: queries.count_cases(tx, where))
