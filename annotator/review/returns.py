"""Sending work back: a whole batch to its owners, and a decided case to the beginning."""

from annotator.cases.row_views import get_row
from annotator.project.stages import Actor, check_move
from annotator.project.workspace import Done, Work, Workspace
from annotator.review.queue.assignments import batch_named
from annotator.review.samples import note_outcome
from db.read import queries
from db.write import slots, store
from scoring.errors import InputError
from scoring.model.taxonomy import Role, Stage


def return_batch(workspace: Workspace, batch: str, *, reason: str) -> Done[int]:
    """Send the cases of a batch that are in cross-check or approved back to their owners.

    Returns:
        How many went back.

    Raises:
        InputError: No reason.
        NotFoundError: No such batch.
    """
    if not reason.strip():
        raise InputError("Returning a batch needs a reason.", "Say to the owners what is wrong.")

    def work(w: Work) -> int:
        batch_id = batch_named(w, batch)
        store.lock_batch(w.tx, batch_id)
        rows = queries.batch_cases(w.tx, batch_id, stages=(Stage.CROSS_CHECK, Stage.APPROVED))
        for row in rows:
            check_move(row.stage, "return_batch", who=Actor.MANAGER, to=Stage.RETURNED)
            slots.close_assignments(w.tx, row.pk, at=w.at, note="batch returned")
            values = {
                "stage": Stage.RETURNED.value,
                "round": row.round + 1,
                "note": reason,
                "is_assigned": True,
            }
            store.change_case(w.tx, row.pk, expected_version=row.version, at=w.at, values=values)
            w.touch(row.case_id)
        for row in rows:
            note_outcome(w, row, "returned")
        w.record(f"batch:{batch}", {"reason": reason, "cases": len(rows)})
        return len(rows)

    return workspace.run("review:batch:return", work, roles=(Role.MANAGER,))


def reopen(workspace: Workspace, case_id: str, *, reason: str) -> Done[None]:
    """Open a final or rejected case again, with a reason; a new round of judging begins.

    Raises:
        InputError: No reason.
        ForbiddenError: The case is neither final nor rejected.
    """
    if not reason.strip():
        raise InputError("Reopening needs a reason.", "Say why with --reason.")

    def work(w: Work) -> None:
        row = get_row(w.tx, case_id)
        check_move(row.stage, "reopen", who=Actor.EXPERT, to=Stage.SELF_CHECK_TASK)
        values = {
            "stage": Stage.SELF_CHECK_TASK.value,
            "round": row.round + 1,
            "note": reason,
            "is_assigned": True,
        }
        store.change_case(w.tx, row.pk, expected_version=row.version, at=w.at, values=values)
        w.record(f"case:{case_id}", {"reason": reason, "from": row.stage.value})
        w.touch(case_id)

    return workspace.run("review:case:reopen", work, roles=(Role.EXPERT,))
