"""Who sees what of a case, as conditions of queries: labels stay hidden from whoever is to judge it blind."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, exists, or_, select

from db.tables import Assignment, CaseHead, JudgmentRecord, Transaction
from scoring.model.taxonomy import Stage


@dataclass(frozen=True)
class Viewer:
    """Somebody who looks at cases.

    `person_id` is null for nobody in particular. `is_trusted` lets them see what others said about cases
    under review that they do not judge themselves. `hidden` names the fields that are kept from them
    where they are blind: policy, information, edges, owner.
    """

    person_id: int | None
    is_trusted: bool
    hidden: frozenset[str]


UNDER_REVIEW = tuple(
    stage.value for stage in Stage if stage not in (Stage.FINAL, Stage.RELEASED, Stage.REJECTED)
)


def blind_to(viewer: Viewer) -> ColumnElement[bool]:
    """Cases a viewer sees blind.

    A reviewer does from claiming a cross-check of the present content until its round is closed, also
    after leaving it or losing the lease, since they may come back. An expert does while deciding an
    escalated case whose reviewers' judgments lie side by side. Who is not trusted does with every case
    under review that is somebody else's.
    """
    found: list[ColumnElement[bool]] = []
    if viewer.person_id is not None:
        found += [_judging(viewer.person_id), _deciding(viewer.person_id)]
    if not viewer.is_trusted:
        of_others: list[ColumnElement[bool]] = [
            CaseHead.stage.in_(UNDER_REVIEW),
            CaseHead.owner_id.is_not(None),
        ]
        if viewer.person_id is not None:
            of_others.append(CaseHead.owner_id != viewer.person_id)
        found.append(and_(*of_others))
    return or_(*found)


def _judging(person_id: int) -> ColumnElement[bool]:
    return and_(
        CaseHead.stage == Stage.CROSS_CHECK.value,
        _had_slot(person_id, Stage.CROSS_CHECK),
        exists().where(
            Assignment.case_pk == CaseHead.id,
            Assignment.stage == Stage.CROSS_CHECK.value,
            Assignment.person_id == person_id,
            Assignment.round >= CaseHead.entered_round,
            or_(Assignment.round == CaseHead.round, Assignment.status != "submitted"),
        ),
    )


def _deciding(person_id: int) -> ColumnElement[bool]:
    return and_(
        CaseHead.stage == Stage.ESCALATED.value,
        _had_slot(person_id, Stage.ESCALATED),
        exists().where(
            Assignment.case_pk == CaseHead.id,
            Assignment.stage == Stage.ESCALATED.value,
            Assignment.person_id == person_id,
            Assignment.status == "claimed",
        ),
        exists().where(
            JudgmentRecord.case_pk == CaseHead.id,
            JudgmentRecord.stage == Stage.CROSS_CHECK.value,
            JudgmentRecord.round == CaseHead.round,
            JudgmentRecord.is_withdrawn.is_(False),
        ),
    )


def _had_slot(person_id: int, stage: Stage) -> ColumnElement[bool]:
    # Looked up once for the person, so that a list need not ask about each of its cases.
    mine = select(Assignment.case_pk).where(
        Assignment.person_id == person_id, Assignment.stage == stage.value
    )
    return CaseHead.id.in_(mine)


def is_blind(tx: Transaction, case_pk: int, viewer: Viewer) -> bool:
    """Whether a viewer sees one case blind."""
    return tx.scalar(select(CaseHead.id).where(CaseHead.id == case_pk, blind_to(viewer))) is not None


def blind_cases(tx: Transaction, viewer: Viewer) -> frozenset[int]:
    """Numbers of all cases a viewer sees blind."""
    return frozenset(tx.scalars(select(CaseHead.id).where(blind_to(viewer))))
