"""Who sees what of a case, as conditions of queries: labels stay hidden from whoever is to judge it blind."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, ScalarSelect, and_, exists, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute

from db.tables import Assignment, CaseHead, JudgmentRecord, Revision, Transaction
from scoring.model.taxonomy import SlotStatus, Stage


@dataclass(frozen=True)
class Viewer:
    """Somebody who looks at cases.

    `person_id` is None for nobody in particular. `is_trusted` lets them see what others said about cases
    under review that they do not judge themselves; `decides_disputes` that they are an expert and manage
    nothing. `hidden` names the fields that are kept from them where they are blind: policy, information,
    edges, owner. `withheld` are cases they are not shown at all for the time being.
    """

    person_id: int | None
    is_trusted: bool
    hidden: frozenset[str]
    decides_disputes: bool = False
    withheld: frozenset[int] = frozenset()
    has_copies: bool = False


UNDER_REVIEW = tuple(
    stage.value for stage in Stage if stage not in (Stage.FINAL, Stage.RELEASED, Stage.REJECTED)
)

_TAKING_PART = (Stage.SELF_CHECK_TASK.value, Stage.SELF_CHECK_DIALOGUE.value, Stage.CROSS_CHECK.value)
DECIDING = (Stage.ESCALATED.value, Stage.EXPERT.value)
"""Stages at which an expert decides."""


def blind_to(viewer: Viewer) -> ColumnElement[bool]:
    """Cases a viewer sees blind.

    A reviewer does from claiming a cross-check of the present content until its round is closed, also
    after leaving it or losing the lease, since they may come back. An expert does with every escalated
    case whose reviewers' judgments lie side by side for them, from the dispute to the decision, also while
    nobody or another expert has claimed it: the owner's version is revealed once the expert has decided
    (design 3.4), and who had looked before claiming would decide knowing it. Managers decide
    nothing by looking: flagged batches and their measures are theirs to look after, so they see it, and
    one who is an expert as well is blind from claiming it on. Experts whose own work or judgment the case
    holds can never decide it and see it too. Who is not trusted is blind to every case under review that
    is somebody else's.
    """
    found: list[ColumnElement[bool]] = []
    if viewer.person_id is not None:
        found += [_judging(viewer.person_id), _deciding(viewer.person_id)]
        if viewer.decides_disputes:
            found.append(_could_decide(viewer.person_id))
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
            or_(Assignment.round == CaseHead.round, Assignment.status != SlotStatus.SUBMITTED),
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
            Assignment.status == SlotStatus.CLAIMED,
        ),
        _has_sides(),
    )


def _could_decide(person_id: int) -> ColumnElement[bool]:
    """Disputes that hold nothing of a person's; the same parts as in `claims.decision_for`."""
    # What the person judged is looked up once; only cases that pass the first conditions are asked about.
    judged = select(JudgmentRecord.case_pk).where(
        JudgmentRecord.person_id == person_id,
        JudgmentRecord.stage.in_(_TAKING_PART),
        JudgmentRecord.is_withdrawn.is_(False),
    )
    return and_(
        CaseHead.stage == Stage.ESCALATED.value,
        or_(CaseHead.owner_id.is_(None), CaseHead.owner_id != person_id),
        CaseHead.id.not_in(judged),
        _count(
            Revision.id,
            Revision.case_pk == CaseHead.id,
            Revision.author_id == person_id,
            Revision.number > 1,
            Revision.stage.not_in(DECIDING),
        )
        == 0,
        _has_sides(),
    )


def _has_sides() -> ColumnElement[bool]:
    sides = _count(
        JudgmentRecord.id,
        JudgmentRecord.case_pk == CaseHead.id,
        JudgmentRecord.stage == Stage.CROSS_CHECK.value,
        JudgmentRecord.round == CaseHead.round,
        JudgmentRecord.is_withdrawn.is_(False),
    )
    return sides > 0


def _count(column: InstrumentedAttribute[int], *conditions: ColumnElement[bool]) -> ScalarSelect[int]:
    # Counted, not EXISTS: for that PostgreSQL would read all judgments there are, to ask about few cases.
    return select(func.count(column)).where(*conditions).correlate(CaseHead).scalar_subquery()


def _had_slot(person_id: int, stage: Stage) -> ColumnElement[bool]:
    # Looked up once for the person, so that a list need not ask about each of its cases.
    return CaseHead.id.in_(
        select(Assignment.case_pk).where(Assignment.person_id == person_id, Assignment.stage == stage.value)
    )


def is_blind(tx: Transaction, case_pk: int, viewer: Viewer) -> bool:
    """Whether a viewer sees one case blind."""
    return tx.scalar(select(CaseHead.id).where(CaseHead.id == case_pk, blind_to(viewer))) is not None


def blind_cases(tx: Transaction, viewer: Viewer) -> frozenset[int]:
    """Numbers of all cases a viewer sees blind."""
    return frozenset(tx.scalars(select(CaseHead.id).where(blind_to(viewer))))
