"""Submitting: a judgment is sealed into a revision, a record and a move of its case, in one transaction."""

import uuid

from annotator.cases.bodies import load_revision
from annotator.cases.checking import check_case
from annotator.cases.history import new_revision
from annotator.project.stages import Actor, check_move
from annotator.project.workspace import Done, Work, Workspace
from annotator.review import crosschecking, sampling
from annotator.review.gates import blockers, require_open
from annotator.review.labelling import with_labels
from db import queries, reviews, store
from db import work as slots
from db.rows import AssignmentRow, CaseRow, JudgmentRow
from scoring.errors import ConflictError, ForbiddenError, InputError, NotFoundError
from scoring.model.case import Case
from scoring.model.labels import Judgment
from scoring.model.record import Record
from scoring.model.taxonomy import Role, Stage, Verdict


class Submitted(Record):
    """What became of a submission: where the case stands now."""

    judgment_id: int
    case_id: str
    stage: Stage


def submission_key() -> str:
    """A fresh key: the same submission sent twice counts once."""
    return uuid.uuid4().hex


def submit(workspace: Workspace, assignment_id: int, *, judgment: Judgment, key: str) -> Done[Submitted]:
    """Submit a judgment (design section 3).

    Args:
        workspace: The reviewer.
        assignment_id: Their slot; one whose lease ended still counts while nobody else has taken it.
        judgment: What they say; at a self-check its labels and `edit` become content.
        key: Submission key; sent again it returns what the first sending did.

    Raises:
        BlockedError: Gates are not passed; names the open points.
        ConflictError: The case changed, or the slot went to somebody else; the draft is kept.
        GraphError: A drawing breaks a rule.
    """

    def work(w: Work) -> Submitted:
        done = reviews.judgment_by_key(w.tx, key)
        if done is not None:
            row = queries.get_case(w.tx, done.case_pk)
            return Submitted(judgment_id=done.id, case_id=row.case_id, stage=row.stage)
        held = _own_assignment(w, assignment_id)
        store.lock_case(w.tx, held.case_pk)
        row = queries.get_case(w.tx, held.case_pk)
        _refuse_stale(held, row)
        base = load_revision(w.tx, row.head_id)
        if held.stage is Stage.CROSS_CHECK:
            number = _cross_check(w, held, row, base=base, judgment=judgment, key=key)
        else:
            number = _self_check(w, held, row, base=base, judgment=judgment, key=key)
        store.delete_draft(w.tx, held.id)
        now = queries.get_case(w.tx, row.pk)
        w.record(
            f"case:{row.case_id}",
            {
                "at": held.stage.value,
                "round": held.round,
                "verdict": str(judgment.verdict),
                "to": now.stage.value,
                "judgment": number,
            },
        )
        w.touch(row.case_id)
        return Submitted(judgment_id=number, case_id=row.case_id, stage=now.stage)

    return workspace.run("review:judgment:submit", work, roles=(Role.ANNOTATOR,))


def _own_assignment(w: Work, assignment_id: int) -> AssignmentRow:
    held = slots.find_assignment(w.tx, assignment_id)
    if held is None:
        raise NotFoundError(f"There is no assignment {assignment_id}.", "Open a case from the queue.")
    if held.person_id != w.person.id:
        raise ForbiddenError(f"Assignment {assignment_id} is {held.person}'s.", "Submit your own work.")
    if held.stage in (Stage.ESCALATED, Stage.EXPERT):
        raise InputError("An expert's case is settled by a decision.", "Use `annotator adjudicate`.")
    if held.status == "submitted":
        raise ForbiddenError(
            f"Assignment {assignment_id} was submitted already.", "Withdraw it first to change it."
        )
    if held.status != "claimed":
        revived = store.revive_assignment(w.tx, held.id)
        if not revived:
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


def _self_check(
    w: Work, held: AssignmentRow, row: CaseRow, *, base: Case, judgment: Judgment, key: str
) -> int:
    if judgment.verdict is Verdict.RETURN:
        raise InputError("A self-check cannot return a case.", "Approve, escalate or reject it.")
    edited = _edit_of(base, judgment)
    case = with_labels(edited, judgment.tasks)
    findings = check_case(case)
    require_open(blockers(case, judgment, stage=held.stage, policy=w.policy, findings=findings))
    assert judgment.verdict is not None
    to = _next_stage(w, held.stage, judgment.verdict)
    check_move(held.stage, judgment.verdict.value, who=Actor.OWNER, to=to)
    head, columns = new_revision(w, row, case, reason=f"{held.stage}: {judgment.verdict}", stage=held.stage)
    number = _record(w, held, judgment, key=key, revision_id=row.head_id, result_id=head)
    if judgment.verdict is Verdict.APPROVE:
        sha256 = str(columns.get("sha256", row.sha256))
        store.add_exit(w.tx, row.pk, stage=held.stage, round_=row.round, sha256=sha256, at=w.at)
    note = "; ".join(reason.note or reason.category.value for reason in judgment.reasons)
    store.change_case(
        w.tx,
        row.pk,
        expected_version=row.version,
        at=w.at,
        values={**columns, "stage": to.value, "note": note, "entered_round": row.round},
    )
    if to in (Stage.APPROVED, Stage.ESCALATED):
        sampling.settle_batch(w, row.batch_id)
    return number


def _next_stage(w: Work, stage: Stage, verdict: Verdict) -> Stage:
    if verdict in (Verdict.ESCALATE, Verdict.REJECT):
        return Stage.ESCALATED
    if stage is Stage.SELF_CHECK_TASK:
        return Stage.SELF_CHECK_DIALOGUE
    if w.policy.has_cross_check:
        return Stage.CROSS_CHECK
    return Stage.APPROVED if w.policy.has_expert_sample else Stage.FINAL


def _edit_of(base: Case, judgment: Judgment) -> Case:
    if judgment.edit is None:
        return base
    if judgment.edit.id != base.id:
        raise InputError(
            f"The edit is of case '{judgment.edit.id}', not '{base.id}'.", "Keep the id of the case."
        )
    return judgment.edit.model_copy(
        update={"source": base.source, "extras": judgment.edit.extras or base.extras}
    )


def _cross_check(
    w: Work, held: AssignmentRow, row: CaseRow, *, base: Case, judgment: Judgment, key: str
) -> int:
    with_labels(base, judgment.tasks)
    require_open(blockers(base, judgment, stage=held.stage, policy=w.policy, findings=()))
    number = _record(w, held, judgment, key=key, revision_id=row.head_id, result_id=row.head_id)
    said = reviews.judgments_of(w.tx, row.pk, stage=Stage.CROSS_CHECK, round_=row.round)
    if len(said) >= w.policy.reviewers:
        crosschecking.close_round(w, row, base=base, said=said)
    return number


def _record(
    w: Work, held: AssignmentRow, judgment: Judgment, *, key: str, revision_id: int, result_id: int
) -> int:
    store.change_assignment(
        w.tx, held.id, expected="claimed", values={"status": "submitted", "closed_at": w.at}
    )
    return store.add_judgment(
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
            "body": judgment.model_dump_json(by_alias=True, ensure_ascii=True),
        },
    )


def withdraw(workspace: Workspace, case_id: str) -> Done[AssignmentRow]:
    """Take back one's newest judgment of a case while nobody has built on it; the slot is held again.

    Raises:
        ForbiddenError: There is nothing to take back, or others have gone on with it.
    """

    def work(w: Work) -> AssignmentRow:
        row = queries.find_case(w.tx, case_id)
        if row is None:
            raise NotFoundError(f"The project has no case '{case_id}'.", "See `annotator cases`.")
        store.lock_case(w.tx, row.pk)
        mine = [j for j in reviews.judgments_of(w.tx, row.pk) if j.person_id == w.person.id]
        if not mine:
            raise ForbiddenError(
                f"You have not submitted anything about {case_id}.", "There is nothing to take back."
            )
        newest = mine[-1]
        if newest.stage is Stage.CROSS_CHECK:
            _refuse_closed(row, newest)
        else:
            _take_back_self_check(w, row, newest)
        store.withdraw_judgment(w.tx, newest.id)
        version = queries.get_case(w.tx, row.pk).version
        until = {"status": "claimed", "closed_at": None, "case_version": version}
        store.change_assignment(w.tx, newest.assignment_id, expected="submitted", values=until)
        store.renew_lease(w.tx, newest.assignment_id, at=w.at, minutes=w.policy.lease_minutes)
        w.record(f"case:{case_id}", {"judgment": newest.id, "stage": newest.stage.value})
        w.touch(case_id)
        held = slots.find_assignment(w.tx, newest.assignment_id)
        assert held is not None
        return held

    return workspace.run("review:judgment:withdraw", work)


def _refuse_closed(row: CaseRow, newest: JudgmentRow) -> None:
    if row.stage is not Stage.CROSS_CHECK or row.round != newest.round:
        raise ForbiddenError(
            f"The round on {row.case_id} is closed: it is {row.stage} now.", "An expert can reopen it."
        )


def _take_back_self_check(w: Work, row: CaseRow, newest: JudgmentRow) -> None:
    held = [a for a in slots.assignments_of(w.tx, row.pk) if a.status in store.OCCUPYING]
    if row.round != newest.round or any(a.id > newest.assignment_id for a in held):
        raise ForbiddenError(
            f"Others have gone on with {row.case_id}: it is {row.stage} now.", "An expert can reopen it."
        )
    check_move(row.stage, "withdraw", who=Actor.OWNER, to=newest.stage)
    store.change_case(
        w.tx, row.pk, expected_version=row.version, at=w.at, values={"stage": newest.stage.value}
    )


def reopen(workspace: Workspace, case_id: str, *, reason: str) -> Done[None]:
    """Open a final or rejected case again, with a reason; a new round of judging begins.

    Raises:
        InputError: No reason.
        ForbiddenError: The case is neither final nor rejected.
    """
    if not reason.strip():
        raise InputError("Reopening needs a reason.", "Say why with --reason.")

    def work(w: Work) -> None:
        row = queries.find_case(w.tx, case_id)
        if row is None:
            raise NotFoundError(f"The project has no case '{case_id}'.", "See `annotator cases`.")
        check_move(row.stage, "reopen", who=Actor.EXPERT, to=Stage.SELF_CHECK_TASK)
        values = {"stage": Stage.SELF_CHECK_TASK.value, "round": row.round + 1, "note": reason}
        store.change_case(w.tx, row.pk, expected_version=row.version, at=w.at, values=values)
        w.record(f"case:{case_id}", {"reason": reason, "from": row.stage.value})
        w.touch(case_id)

    return workspace.run("review:case:reopen", work, roles=(Role.EXPERT,))
