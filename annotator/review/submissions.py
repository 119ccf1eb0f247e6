"""Submitting: a judgment is sealed into a revision, a record and a move of its case, in one transaction."""

import math
import uuid
from collections.abc import Sequence

from pydantic import Field

from annotator.cases.access import blinded
from annotator.cases.bodies import load_revision, read_body, write_record
from annotator.cases.history import new_revision
from annotator.drafts.gates import blockers, require_open
from annotator.drafts.labels import with_labels
from annotator.drafts.reading_time import is_hasty, reading_seconds
from annotator.drafts.snapshot import same_shape
from annotator.project.policy import ReviewPolicy
from annotator.project.stages import APPROVE_BOTH, ENDED_WORDS, Actor, passed_self_checks
from annotator.project.workspace import Work, operation
from annotator.review import cross_check, samples, stage_moves
from annotator.review.attention import known_answers
from annotator.review.attention.known_answers import KnownAnswerReveal
from annotator.review.drafts import SeenDraft, draft_conflict, is_of_window, seal_draft
from annotator.review.precedents import keep_precedents
from annotator.review.queue import pairs
from annotator.review.queue.checked import ONE_CHECK, is_checked, policy_for
from annotator.review.queue.claims import find_slot
from db.read import queries, reviews
from db.read.known_answers import get_copy
from db.read.rows import AssignmentRow, CaseRow, JudgmentRow, KnownAnswerRow
from db.write import outcomes, slots, store
from scoring.errors import ConflictError, ForbiddenError, InputError
from scoring.model.case import Case
from scoring.model.graph import check_task
from scoring.model.labels import Judgment
from scoring.model.record import JsonObject, Record, is_none
from scoring.model.taxonomy import EXPERT_STAGES, Role, SlotStatus, Stage, Verdict

KEY_LENGTH = 100


class Submitted(Record):
    """What became of a submission: where the case stands now.

    `known_answer` says what was planted where it was a known-answer case, which is not taken back; its
    stage stays.
    """

    judgment_id: int
    case_id: str
    stage: Stage
    known_answer: KnownAnswerReveal | None = Field(default=None, exclude_if=is_none)


def submission_key() -> str:
    """A fresh key: the same submission sent twice counts once."""
    return uuid.uuid4().hex


def check_key(key: str) -> None:
    """Refuse a submission key the store cannot keep.

    Raises:
        InputError: It is empty or too long.
    """
    if not 0 < len(key) <= KEY_LENGTH:
        raise InputError(
            f"A submission key has 1 to {KEY_LENGTH} characters.", "Leave it out to have one made."
        )


@operation("review:judgment:submit", roles=(Role.ANNOTATOR,))
def submit(
    w: Work,
    assignment_id: int,
    *,
    judgment: Judgment,
    key: str,
    seen: SeenDraft | None = None,
) -> Submitted:
    """Submit a judgment (design 3).

    Args:
        w: The reviewer's.
        assignment_id: Their slot; one whose lease ended still counts while nobody else has taken it.
        judgment: What they say; at a self-check its labels and `edit` become content.
        key: Submission key; sent again it returns what the first sending did.
        seen: The draft it was made from, so that no other is thrown away; None for whichever there is.

    Raises:
        BlockedError: Gates are not passed; names the open points.
        ConflictError: The case changed, or the slot went to somebody else; the draft is kept. Or another
            window saved a later draft, or the key belongs to something else.
        GraphError: A drawing breaks a rule.
    """
    check_key(key)
    if not math.isfinite(judgment.seconds):
        raise InputError("The active time is not a number.", "Give the seconds worked on the case.")
    held = _own(w, assignment_id)
    if held.case_pk == known_answers.NO_CASE:
        return _submit_copy(w, held.id, judgment=judgment, key=key, seen=seen)
    if _may_settle(w, held, judgment):
        store.lock_batch(w.tx, queries.get_case(w.tx, held.case_pk).batch_id)
    store.lock_case(w.tx, held.case_pk)
    done = reviews.judgment_by_key(w.tx, key)
    if done is not None:
        return _sent_before(w, held, done)
    held = _still_held(w, held.id)
    row = queries.get_case(w.tx, held.case_pk)
    _refuse_stale(held, row)
    take = _cross_check if held.stage is Stage.CROSS_CHECK else _self_check
    number = take(w, held, row, base=load_revision(w.tx, row.head_id), judgment=judgment, key=key)
    seal_draft(w.tx, held, seen)
    now = queries.get_case(w.tx, row.pk)
    w.record_case(
        row.case_id,
        {
            "at": held.stage.value,
            "round": held.round,
            "verdict": str(judgment.verdict),
            "to": now.stage.value,
            "judgment": number,
        },
    )
    return Submitted(judgment_id=number, case_id=row.case_id, stage=now.stage)


def _own(w: Work, assignment_id: int) -> AssignmentRow:
    held = find_slot(w, assignment_id)
    if held.person_id != w.person.id:
        raise ForbiddenError(f"Assignment {assignment_id} is {held.person}'s.", "Submit your own work.")
    if held.stage in EXPERT_STAGES:
        raise InputError("An expert's case is settled by a decision.", "Use `annotator adjudicate`.")
    return held


def _submit_copy(w: Work, number: int, *, judgment: Judgment, key: str, seen: SeenDraft | None) -> Submitted:
    """Take a judgment about a known-answer case: the gates are those of any case, and nothing follows."""
    row = get_copy(w.tx, number, is_locked=True)
    if row.idempotency_key == key:
        return _revealed(row, known_answers.told(row))
    if row.status == SlotStatus.SUBMITTED:
        raise ForbiddenError(f"Assignment {number} was submitted already.", "Take the next case (N).")
    known_answers.require_held(row)
    is_seen = seen is None or row.draft is None or row.draft_sequence == seen.sequence
    if not is_seen and seen is not None and not is_of_window(row.draft or "", seen.window):
        raise draft_conflict(row.case_id)
    base = read_body(row.body)
    if row.stage is Stage.CROSS_CHECK:
        _check_cross_check(base, judgment, policy=w.policy)
    else:
        policy = policy_for(w.tx, w.policy, known_answers.slot_of(row), judgment=judgment)
        _checked_self_check(base, judgment, stage=row.stage, policy=policy)
    return _revealed(row, known_answers.seal_copy(w, row, judgment=judgment, key=key))


def _revealed(row: KnownAnswerRow, reveal: KnownAnswerReveal) -> Submitted:
    return Submitted(judgment_id=row.id, case_id=row.case_id, stage=row.stage, known_answer=reveal)


def _may_settle(w: Work, held: AssignmentRow, judgment: Judgment) -> bool:
    """Whether this may be the last word on the batch, so that other cases of it move too."""
    if held.stage is Stage.CROSS_CHECK:
        # However many have judged by now: others may do so before the case is locked.
        return True
    to = _next_stage(w.policy, _passed(w.policy, held.stage, judgment), judgment.verdict)
    return to in (Stage.APPROVED, Stage.ESCALATED) or (to is Stage.CROSS_CHECK and w.policy.checked_share < 1)


def _sent_before(w: Work, held: AssignmentRow, done: JudgmentRow) -> Submitted:
    if done.assignment_id != held.id:
        raise ConflictError("This submission key belongs to another submission.", "Send it with a fresh key.")
    if done.is_withdrawn:
        raise ConflictError(
            f"This submission about {held.case_id} was taken back.", "Send it again with a fresh key."
        )
    row = queries.get_case(w.tx, done.case_pk)
    return Submitted(judgment_id=done.id, case_id=row.case_id, stage=row.stage)


def _still_held(w: Work, assignment_id: int) -> AssignmentRow:
    """The slot as it is now that nobody else can change it; taken back where only its lease ended."""
    held = _own(w, assignment_id)
    if held.status == SlotStatus.CLAIMED:
        return held
    if held.status == SlotStatus.SUBMITTED:
        raise ForbiddenError(
            f"Assignment {assignment_id} was submitted already.", "Withdraw it first to change it."
        )
    if held.status != SlotStatus.EXPIRED:
        raise ForbiddenError(
            f"Assignment {assignment_id} is not yours any more: "
            f"it was {ENDED_WORDS.get(held.status, held.status)}.",
            "Open the case again; your draft is offered there.",
        )
    if not slots.revive_assignment(w.tx, held.id, lease_until=w.policy.lease_end(w.at)):
        raise ConflictError(
            f"Your lease on {held.case_id} ended and somebody else took the case.",
            "Your work is kept as a draft; hand it to them or to a manager.",
        )
    return held


def _refuse_stale(held: AssignmentRow, row: CaseRow) -> None:
    if row.stage is not held.stage or row.round != held.round or row.version != held.case_version:
        raise ConflictError(
            f"{row.case_id} changed since you opened it: it is at stage {row.stage} now.",
            "Your work is kept as a draft; open the case again and compare.",
        )


def revision_reason(stage: Stage, verdict: Verdict) -> str:
    """What a revision that a self-check made gives as its reason."""
    return f"{stage}: {verdict}"


def _self_check(
    w: Work, held: AssignmentRow, row: CaseRow, *, base: Case, judgment: Judgment, key: str
) -> int:
    policy = policy_for(w.tx, w.policy, held, judgment=judgment)
    case = _checked_self_check(base, judgment, stage=held.stage, policy=policy)
    assert judgment.verdict is not None
    passed = _passed(policy, held.stage, judgment)
    to = _next_stage(policy, passed, judgment.verdict)
    if policy.one_self_check and len(passed) > 1 and len(case.tasks) > 1:
        w.follow(ONE_CHECK, f"case:{row.case_id}", {"person": w.person.name})
    if to is Stage.CROSS_CHECK and not is_checked(w, row, case):
        to = Stage.APPROVED  # as those that were checked: the last one of its batch finishes all of them
    action = APPROVE_BOTH if len(passed) > 1 else judgment.verdict.value
    reason = revision_reason(held.stage, judgment.verdict)
    head, columns = new_revision(w, row, case, reason=reason, stage=held.stage, undrawn=judgment.undrawn)
    number = _record(w, held, judgment, base=base, key=key, revision_id=row.head_id, result_id=head)
    keep_precedents(w.tx, row.pk, person_id=w.person.id, case=case, judgment=judgment, judgment_id=number)
    sha256 = str(columns.get("sha256", row.sha256))
    for stage in passed:
        outcomes.add_exit(
            w.tx,
            row.pk,
            stage=stage,
            round_=row.round,
            sha256=sha256,
            at=w.at,
            judgment_id=number,
        )
    note = "; ".join(reason.note or str(reason.category) for reason in judgment.reasons)
    stage_moves.move(w, row, action, to=to, who=Actor.OWNER, note=note, entered_round=row.round, **columns)
    if to is Stage.CROSS_CHECK:
        pairs.ask_reviewers(w, queries.get_case(w.tx, row.pk), load=pairs.load_of(w))
    if to in (Stage.APPROVED, Stage.ESCALATED):
        samples.after_round(w, row, to=to, is_changed=sha256 != row.sha256)
    return number


def _checked_self_check(base: Case, judgment: Judgment, *, stage: Stage, policy: ReviewPolicy) -> Case:
    """The case a self-check makes, unless something stands against it."""
    if judgment.verdict is Verdict.RETURN:
        raise InputError("A self-check cannot return a case.", "Approve, escalate or reject it.")
    policy.require_kinds(reason.category for reason in judgment.reasons)
    case = with_labels(_edit_of(base, judgment), judgment.tasks)
    require_open(blockers(case, judgment, stage=stage, policy=policy))
    return case


def _passed(policy: ReviewPolicy, stage: Stage, judgment: Judgment) -> tuple[Stage, ...]:
    """The self-checks a judgment passes; none unless it approves."""
    if judgment.verdict is not Verdict.APPROVE:
        return ()
    return passed_self_checks(stage, policy, task_count=len(judgment.tasks))


def _next_stage(policy: ReviewPolicy, passed: Sequence[Stage], verdict: Verdict | None) -> Stage:
    """Where a self-check leads that passes some stages; an approval passes at least one."""
    if verdict in (Verdict.ESCALATE, Verdict.REJECT):
        return Stage.ESCALATED
    if Stage.SELF_CHECK_DIALOGUE not in passed and policy.dialogue_check:
        return Stage.SELF_CHECK_DIALOGUE
    if policy.has_cross_check:
        return Stage.CROSS_CHECK
    return Stage.APPROVED if policy.has_expert_sample else Stage.FINAL


def _edit_of(base: Case, judgment: Judgment) -> Case:
    if judgment.edit is None:
        return base
    require_same_id(base, judgment.edit)
    return judgment.edit.model_copy(
        update={"source": base.source, "extras": judgment.edit.extras or base.extras}
    )


def require_same_id(base: Case, edit: Case) -> None:
    """Refuse an edit that is of another case.

    Raises:
        InputError: Its id is another one.
    """
    if edit.id != base.id:
        raise InputError(f"The edit is of case '{edit.id}', not '{base.id}'.", "Keep the id of the case.")


def _cross_check(
    w: Work, held: AssignmentRow, row: CaseRow, *, base: Case, judgment: Judgment, key: str
) -> int:
    _check_cross_check(base, judgment, policy=w.policy)
    number = _record(w, held, judgment, base=base, key=key, revision_id=row.head_id, result_id=row.head_id)
    keep_precedents(w.tx, row.pk, person_id=w.person.id, case=base, judgment=judgment, judgment_id=number)
    said = reviews.judgments_of(w.tx, row.pk, stage=Stage.CROSS_CHECK, round_=row.round)
    if len(said) >= w.policy.needed_judgments:
        cross_check.close_round(w, row, base=base, said=said)
    return number


def _check_cross_check(base: Case, judgment: Judgment, *, policy: ReviewPolicy) -> None:
    """Refuse a cross-check that something stands against."""
    policy.require_kinds(reason.category for reason in judgment.reasons)
    with_labels(base, judgment.tasks)
    shown = blinded(base, policy.blind_fields)
    if judgment.edit is not None:
        require_same_id(base, judgment.edit)
        for task in judgment.edit.tasks:
            check_task(task)
        # An edit of other steps is compared with the case, which the judgment is about.
        shown = judgment.edit if same_shape(judgment.edit, base) else shown
    case = with_labels(shown, judgment.tasks)
    require_open(blockers(case, judgment, stage=Stage.CROSS_CHECK, policy=policy))


def _record(
    w: Work,
    held: AssignmentRow,
    judgment: Judgment,
    *,
    base: Case,
    key: str,
    revision_id: int,
    result_id: int,
) -> int:
    hasty = is_hasty(base, stage=held.stage, round_=held.round, seconds=judgment.seconds)
    if hasty:
        least = round(reading_seconds(base), 1)
        payload: JsonObject = {"seconds": judgment.seconds, "least": least, "person": w.person.name}
        w.follow("review:judgment:hasty", f"case:{held.case_id}", payload)
    slots.change_assignment(
        w.tx, held.id, expected=SlotStatus.CLAIMED, values={"status": SlotStatus.SUBMITTED, "closed_at": w.at}
    )
    return outcomes.add_judgment(
        w.tx,
        {
            "assignment_id": held.id,
            "case_pk": held.case_pk,
            "stage": held.stage.value,
            "round": held.round,
            "person_id": w.person.id,
            "revision_id": revision_id,
            "result_id": result_id,
            "verdict": str(judgment.verdict),
            "seconds": judgment.seconds,
            "at": w.at,
            "idempotency_key": key,
            "is_withdrawn": False,
            "is_hasty": hasty,
            "body": write_record(judgment),
        },
    )
