"""Expert verification: an expert takes an escalated or sampled case and settles it with a decision."""

from annotator.cases.bodies import load_revision, write_record
from annotator.cases.findings.checks import check_case
from annotator.cases.history import new_revision
from annotator.project.stages import Actor
from annotator.project.workspace import Done, Work, Workspace, operation
from annotator.review import samples, stage_moves
from annotator.review.adjudication import lay_out
from annotator.review.drafts import seal_draft
from annotator.review.escalation import Escalation, EscalationReason
from annotator.review.expert.decisions import (
    Adjudication,
    Decided,
    Decision,
    OwnerVersion,
    defect_words,
    defects,
    possible_fields,
    preview,
    undecided,
)
from annotator.review.owner import last_self_check, owner_labels, settled
from annotator.review.queue.case_rows import case_of
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import check_key
from db.read import assignments, people, queries, reviews
from db.read.rows import AssignmentRow, CaseRow
from db.tables import Transaction
from db.write import messages, outcomes, slots, store
from scoring.errors import BlockedError, ConflictError, ForbiddenError, InputError, NotFoundError, existing
from scoring.model.case import Case
from scoring.model.taxonomy import EXPERT_STAGES, Role, Severity, SlotStatus, Stage, Verdict
from scoring.wording import counted

_DECIDED_STAGE = {
    Verdict.APPROVE: Stage.FINAL,
    Verdict.RETURN: Stage.RETURNED,
    Verdict.REJECT: Stage.REJECTED,
}


def open_adjudication(workspace: Workspace, case_id: str) -> Done[Adjudication]:
    """Take an escalated or sampled case and lay everything about it side by side.

    Raises:
        ForbiddenError: It waits for no expert, or the person is none, or owns or has judged the case.
    """
    stage = case_of(workspace, case_id).stage
    if stage not in EXPERT_STAGES:
        raise ForbiddenError(
            f"{case_id} is at stage {stage}: there is nothing to adjudicate.", "Open it in the Workbench."
        )
    claimed = claim_case(workspace, case_id)

    def query(tx: Transaction) -> Adjudication:
        return lay_out(tx, queries.get_case(tx, claimed.value.case_pk), assignment_id=claimed.value.id)

    return Done(workspace.read(query), claimed.changes)


@operation("review:case:decide", roles=(Role.EXPERT,))
def decide(w: Work, assignment_id: int, *, decision: Decision, key: str) -> Decided:
    """Settle an escalated or sampled case; the result is a revision in the expert's name.

    Args:
        w: The expert's.
        assignment_id: Their slot; one whose lease ended still counts while nobody else has taken it.
        decision: What they decide.
        key: Submission key; sent again it returns what the first sending did.

    Raises:
        BlockedError: Fields or edits are not decided, known defects are neither corrected nor kept, or errors
            remain in the result.
        ConflictError: The case changed meanwhile, or the key belongs to something else.
        InputError, GraphError: See `preview`.
    """
    return settle_case(w, assignment_id, decision=decision, key=key)


def settle_case(w: Work, assignment_id: int, *, decision: Decision, key: str) -> Decided:
    """Settle a case inside an operation of its own; see `decide`."""
    check_key(key)
    held = _own(w, assignment_id)
    row = queries.get_case(w.tx, held.case_pk)
    store.lock_batch(w.tx, row.batch_id)
    store.lock_case(w.tx, row.pk)
    done = reviews.decision_by_key(w.tx, key)
    if done is not None:
        if (done.case_pk, done.person) != (held.case_pk, w.person.name):
            raise ConflictError("This submission key belongs to another decision.", "Use a fresh key.")
        return _decided(w, queries.get_case(w.tx, row.pk), is_correction=done.is_correction)
    held, row = _still_held(w, assignment_id)
    is_correction = _settle(w, held, row, decision=decision, key=key)
    seal_draft(w.tx, held, None)
    now = queries.get_case(w.tx, row.pk)
    w.record_case(
        row.case_id,
        {
            "at": held.stage.value,
            "verdict": str(decision.verdict),
            "to": now.stage.value,
            "correction": is_correction,
            **(_wrong_in_sample(decision).payload if now.stage is Stage.ESCALATED else {}),
        },
    )
    return _decided(w, now, is_correction=is_correction)


@operation("review:owner:reveal", roles=(Role.EXPERT,))
def reveal_owner(w: Work, assignment_id: int, *, decision: Decision) -> OwnerVersion:
    """Show an expert what the owner had said, once every field and edit of a dispute is decided.

    They may still change their mind and give feedback; what they decided without knowing stays on record.

    Args:
        w: The expert's.
        assignment_id: Their slot.
        decision: What they have decided so far; it is not settled by this.

    Raises:
        BlockedError: Something is not decided yet.
        ConflictError: The case changed meanwhile.
        InputError, GraphError: See `preview`.
    """
    store.lock_case(w.tx, _own(w, assignment_id).case_pk)
    held, row = _still_held(w, assignment_id)
    adjudication = lay_out(w.tx, row, assignment_id=held.id)
    approved = decision.model_copy(update={"verdict": Verdict.APPROVE})
    _refuse_undecided(adjudication, approved)
    preview(adjudication, load_revision(w.tx, row.head_id), approved)
    blind = decision.model_dump(mode="json", include={"fields", "edits"})
    w.record_case(row.case_id, {"at": held.stage.value, "decided": blind})
    return _owner_version(w, row)


def _own(w: Work, assignment_id: int) -> AssignmentRow:
    held = assignments.find_assignment(w.tx, assignment_id)
    if held is None or held.stage not in EXPERT_STAGES:
        raise NotFoundError(f"There is no expert assignment {assignment_id}.", "Open the case again.")
    if held.person_id != w.person.id:
        raise ForbiddenError(f"Assignment {assignment_id} is {held.person}'s.", "Decide your own cases.")
    return held


def _still_held(w: Work, assignment_id: int) -> tuple[AssignmentRow, CaseRow]:
    held = _own(w, assignment_id)
    row = queries.get_case(w.tx, held.case_pk)
    until = w.policy.lease_end(w.at)
    if held.status != SlotStatus.CLAIMED and (
        held.status != SlotStatus.EXPIRED or not slots.revive_assignment(w.tx, held.id, lease_until=until)
    ):
        raise _lost(w, held, row)
    if row.stage is not held.stage or row.version != held.case_version:
        raise _changed(row)
    return held, row


def _lost(w: Work, held: AssignmentRow, row: CaseRow) -> ConflictError:
    """Why a slot is not the expert's any more: theirs was used or ended, or somebody else has the case."""
    if held.status == SlotStatus.SUBMITTED:
        return ConflictError(f"You have decided {row.case_id} already.", "Take the next case.")
    if row.stage is not held.stage or row.version != held.case_version:
        return _changed(row)
    others = [
        other.person
        for other in assignments.assignments_of(w.tx, row.pk, stage=row.stage)
        if other.status == SlotStatus.CLAIMED and other.id != held.id
    ]
    if others:
        return ConflictError(
            f"Your slot on {row.case_id} ended, and {others[0]} is deciding it now.",
            "Your decision is kept as a draft; it comes back with the case if they hand it back.",
        )
    return ConflictError(
        f"Your slot on {row.case_id} ended, but nobody else has taken it.",
        "Open it again: your decision comes back with it.",
    )


def _changed(row: CaseRow) -> ConflictError:
    return ConflictError(
        f"{row.case_id} changed since you opened it: it is at stage {row.stage} now.", "Open it again."
    )


def _settle(w: Work, held: AssignmentRow, row: CaseRow, *, decision: Decision, key: str) -> bool:
    verdict = _checked_verdict(decision)
    adjudication = lay_out(w.tx, row, assignment_id=held.id)
    columns: dict[str, object] = {}
    result_id = row.head_id
    to = _DECIDED_STAGE[verdict]
    if verdict is Verdict.APPROVE:
        result = _result(w, row, adjudication, decision)
        result_id, columns = new_revision(
            w, row, result, reason=decision.note or "expert's decision", stage=held.stage, undrawn=()
        )
    sha256 = str(columns.get("sha256", row.sha256))
    is_correction = verdict is not Verdict.APPROVE or sha256 != row.sha256
    before = reviews.decider_of(w.tx, row)
    outcomes.add_decision(
        w.tx,
        {
            "case_pk": row.pk,
            "stage": held.stage.value,
            "round": row.round,
            "person_id": w.person.id,
            "result_id": result_id,
            "verdict": verdict.value,
            "is_correction": is_correction,
            "at": w.at,
            "idempotency_key": key,
            "body": write_record(decision),
        },
    )
    if verdict is Verdict.APPROVE:
        outcomes.add_exit(w.tx, row.pk, stage=held.stage, round_=row.round, sha256=sha256, at=w.at)
    _tell(w, row, adjudication, decision)
    if before is not None and is_correction and verdict is not Verdict.RETURN:
        columns |= {"round": row.round + 1, "expert_id": before, "note": _wrong_in_sample(decision).words}
        stage_moves.move(w, row, "suspect", to=Stage.ESCALATED, who=Actor.EXPERT, **columns)
    else:
        stage_moves.move(w, row, verdict.value, to=to, who=Actor.EXPERT, note=decision.note, **columns)
    closed = {"status": SlotStatus.SUBMITTED, "closed_at": w.at}
    slots.change_assignment(w.tx, held.id, expected=SlotStatus.CLAIMED, values=closed)
    samples.after_decision(w, row, verdict=verdict, is_correction=is_correction)
    return is_correction


def _wrong_in_sample(decision: Decision) -> Escalation:
    """Why a case goes back that another expert had decided."""
    return Escalation(
        reason=EscalationReason.WRONG_IN_SAMPLE, detail=decision.note or "see its last revision"
    )


def _checked_verdict(decision: Decision) -> Verdict:
    if decision.verdict is None or decision.verdict is Verdict.ESCALATE:
        raise BlockedError("The decision has no verdict.", "Choose approve, return or reject.")
    if decision.verdict is not Verdict.APPROVE and not decision.note.strip():
        raise BlockedError(f"'{decision.verdict}' needs a note.", "Say to the owner what is wrong.")
    return decision.verdict


def _result(w: Work, row: CaseRow, adjudication: Adjudication, decision: Decision) -> Case:
    """What the decision makes of the case; refused while something is left open or wrong in it."""
    _refuse_undecided(adjudication, decision)
    result = preview(adjudication, load_revision(w.tx, row.head_id), decision)
    _refuse_unkept(adjudication, decision)
    waived = {
        (waiver.rule, waiver.where) for waiver in settled(w.tx, row.pk, head_id=-1, case=result).waivers
    }
    errors = [
        finding
        for finding in check_case(result, undrawn=())
        if finding.severity is Severity.ERROR and (finding.rule, finding.where) not in waived
    ]
    if errors and not decision.note.strip():
        raise BlockedError(
            f"The result has {counted(len(errors), 'error')}: {errors[0].message}",
            "Correct them, or say in the note why they stay.",
        )
    return result


def _refuse_undecided(adjudication: Adjudication, decision: Decision) -> None:
    missing = undecided(adjudication, decision)
    if missing:
        raise BlockedError(
            f"{len(missing)} left to decide: {', '.join(missing[:5])}.", "Take a side or give an own value."
        )


def _refuse_unkept(adjudication: Adjudication, decision: Decision) -> None:
    """Refuse to make final what the decision itself says is wrong, unless it says why that stays."""
    case = decision.edit or adjudication.case
    compared = {field.id for field in adjudication.fields}
    for item in decision.kept:
        if item.field not in compared and not possible_fields(case, [item.field]):
            raise InputError(f"The case has no field '{item.field}'.", "Take the ids from the template.")
    kept = {item.field for item in decision.kept}
    standing = [name for name in defects(adjudication, decision) if name not in kept]
    if standing:
        words = "; ".join(map(defect_words, standing[:3]))
        raise BlockedError(
            f"{counted(len(standing), 'known defect')} would become final: {words}.",
            "Correct it, return or reject the case, or keep it on purpose, with a reason: "
            f"`kept`: [{{field: {standing[0]}, reason}}].",
        )


def _tell(w: Work, row: CaseRow, adjudication: Adjudication, decision: Decision) -> None:
    said = reviews.judgments_of(w.tx, row.pk, stage=Stage.CROSS_CHECK, round_=row.round)
    addressed = {side.letter: said[i].person_id for i, side in enumerate(adjudication.sides)}
    if row.owner_id is not None:
        addressed["owner"] = row.owner_id
    w.policy.require_kinds(item.category for item in decision.feedback)
    for item in decision.feedback:
        to = addressed.get(item.to)
        if to is None:
            person = existing(
                people.find_person(w.tx, item.to),
                InputError(
                    f"Feedback to '{item.to}' reaches nobody.", f"Address: {', '.join(addressed)}, or a name."
                ),
            )
            to = person.id
        messages.add_feedback(
            w.tx,
            row.pk,
            to_id=to,
            from_id=w.person.id,
            category=str(item.category),
            note=item.note,
            at=w.at,
        )


def _decided(w: Work, row: CaseRow, *, is_correction: bool) -> Decided:
    version = _owner_version(w, row)
    return Decided(
        case_id=row.case_id,
        stage=row.stage,
        is_correction=is_correction,
        owner=version.owner,
        owner_labels=version.labels,
    )


def _owner_version(w: Work, row: CaseRow) -> OwnerVersion:
    first = last_self_check(w.tx, row.pk)
    owner_case = load_revision(w.tx, first.result_id if first is not None else row.head_id)
    return OwnerVersion(owner=row.owner, labels=owner_labels(w.tx, owner_case, row.pk))
