"""The one hand that moves a case to another stage."""

from annotator.project.stages import Actor, check_move
from annotator.project.workspace import Work
from db.read.rows import CaseRow
from db.write import store
from scoring.model.taxonomy import Stage


def move(
    w: Work, row: CaseRow, action: str, *, to: Stage, who: Actor = Actor.SYSTEM, **columns: object
) -> None:
    """Make a legal move of one case; one that is returned begins its next round with its owner."""
    check_move(row.stage, action, actor=who, to=to)
    again = {"round": row.round + 1, "is_assigned": True} if to is Stage.RETURNED else {}
    values = {"stage": to.value, **again, **columns}
    store.change_case(w.tx, row.pk, expected_version=row.version, at=w.at, values=values)
    w.touch(row.case_id)
