"""Taking back what one has submitted, while nobody has built on it."""

from annotator.cases.viewing import get_row
from annotator.project.stages import Actor, check_move
from annotator.project.workspace import Done, Work, Workspace
from annotator.review.claiming import lease_end
from db import queries, reviews, store
from db import work as slots
from db.rows import AssignmentRow, CaseRow, JudgmentRow
from scoring.errors import ForbiddenError
from scoring.model.taxonomy import Stage

_NOW = {
    Stage.APPROVED: "A manager can return its batch.",
    Stage.EXPERT: "Write a comment to the expert who verifies it.",
    Stage.FINAL: "An expert can reopen it.",
    Stage.RELEASED: "An expert can reopen it.",
    Stage.REJECTED: "An expert can reopen it.",
}


def withdraw(workspace: Workspace, case_id: str) -> Done[AssignmentRow]:
    """Take back one's newest judgment of a case while nobody has built on it; the slot is held again.

    What was said is offered as a draft, to go on from.

    Raises:
        ForbiddenError: There is nothing to take back, or others have gone on with it.
    """

    def work(w: Work) -> AssignmentRow:
        store.lock_case(w.tx, get_row(w.tx, case_id).pk)
        row = get_row(w.tx, case_id)
        mine = [j for j in reviews.judgments_of(w.tx, row.pk) if j.person_id == w.person.id]
        if not mine:
            raise ForbiddenError(
                f"You have not submitted anything about {case_id}.", "There is nothing to take back."
            )
        newest = mine[-1]
        if newest.stage is Stage.CROSS_CHECK:
            if row.stage is not Stage.CROSS_CHECK or row.round != newest.round:
                raise _gone_on(row, f"The round on {case_id} is closed")
        else:
            _take_back_self_check(w, row, newest)
        reviews.withdraw_judgment(w.tx, newest.id)
        version = queries.get_case(w.tx, row.pk).version
        held = {
            "status": "claimed",
            "closed_at": None,
            "case_version": version,
            "lease_until": lease_end(w.policy, w.at),
        }
        slots.change_assignment(w.tx, newest.assignment_id, expected="submitted", values=held)
        w.record(f"case:{case_id}", {"judgment": newest.id, "stage": newest.stage.value})
        w.touch(case_id)
        slot = slots.find_assignment(w.tx, newest.assignment_id)
        assert slot is not None
        return slot

    return workspace.run("review:judgment:withdraw", work)


def _take_back_self_check(w: Work, row: CaseRow, newest: JudgmentRow) -> None:
    if row.owner_id != w.person.id:
        raise _gone_on(row, f"{row.case_id} is {row.owner or 'nobody'}'s now")
    later = [
        held
        for held in slots.assignments_of(w.tx, row.pk)
        if held.id > newest.assignment_id and held.status in slots.OCCUPYING
    ]
    begun_by_me = {held.id for held in later if held.person_id == w.person.id and held.status == "claimed"}
    if row.round != newest.round or len(later) > len(begun_by_me):
        raise _gone_on(row, f"Others have gone on with {row.case_id}")
    if row.stage in _NOW:
        raise _gone_on(row, f"{row.case_id} has gone on")
    check_move(row.stage, "withdraw", who=Actor.OWNER, to=newest.stage)
    slots.close_assignments(w.tx, row.pk, at=w.at, note="its owner took it back")
    store.change_case(
        w.tx, row.pk, expected_version=row.version, at=w.at, values={"stage": newest.stage.value}
    )


def _gone_on(row: CaseRow, what: str) -> ForbiddenError:
    hint = _NOW.get(row.stage, "Write a comment, or ask a manager to return its batch.")
    return ForbiddenError(f"{what}: it is {row.stage} now.", hint)
