"""Which cases a person may claim next, and who has had which part in a case."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    ScalarSelect,
    and_,
    exists,
    func,
    literal,
    not_,
    or_,
    select,
)
from sqlalchemy.orm import InstrumentedAttribute

from db.read.assignments import OCCUPYING
from db.read.people import IS_HERE, person_row
from db.read.rows import PersonRow
from db.read.visibility import DECIDING
from db.tables import (
    Assignment,
    CaseHead,
    DecisionRecord,
    Invitation,
    JudgmentRecord,
    KnownAnswer,
    Person,
    Transaction,
)
from db.tables import Revision as Written
from scoring.model.taxonomy import OWNER_STAGES, SELF_CHECKS, Role, SlotStatus, Stage


def _exists(*conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """EXISTS about the case, and the person, of whatever query it stands in, however deep."""
    return exists().where(*conditions).correlate(CaseHead, Person)


Who = int | InstrumentedAttribute[int] | BindParameter[int]
"""A person's number, or the column or parameter it stands in."""


@dataclass(frozen=True)
class Claimant:
    """Somebody who looks for work; `is_solo` lifts the separation of duties.

    `language` is the only one they take the next case in; empty for any. `only_taken` leaves out cases they
    have never taken.
    """

    person_id: Who
    is_solo: bool
    language: str = ""
    only_taken: bool = False


def has_submitted(tx: Transaction, person_id: int) -> bool:
    """Whether a person has ever submitted a judgment."""
    statement = select(JudgmentRecord.id).where(JudgmentRecord.person_id == person_id).limit(1)
    return tx.scalar(statement) is not None


_IS_WORK = Assignment.stage.not_in(DECIDING)


def has_taken(person_id: Who) -> ColumnElement[bool]:
    """Cases a person has taken for a self-check or a cross-check, whenever."""
    return _exists(Assignment.case_pk == CaseHead.id, Assignment.person_id == person_id, _IS_WORK)


def taken_since(tx: Transaction, person_id: int, since: datetime) -> int:
    """How many cases a person has taken for the first time since an instant, with known-answer cases."""
    taken = select(Assignment.case_pk).where(Assignment.person_id == person_id, _IS_WORK)
    first = taken.group_by(Assignment.case_pk).having(func.min(Assignment.claimed_at) >= since).subquery()
    is_copy = KnownAnswer.person_id == person_id, KnownAnswer.claimed_at >= since
    copies = select(func.count()).select_from(KnownAnswer).where(*is_copy).scalar_subquery()
    return tx.scalar(select(func.count() + copies).select_from(first)) or 0


def has_owned(person_id: Who) -> ColumnElement[bool]:
    """Cases whose content is a person's work: they own it, self-checked it, or wrote a revision of it."""
    return or_(
        and_(CaseHead.owner_id.is_not(None), CaseHead.owner_id == person_id),
        _said(person_id, JudgmentRecord.stage.in_(SELF_CHECKS)),
        _exists(
            Written.case_pk == CaseHead.id,
            Written.author_id == person_id,
            Written.number > 1,
            Written.stage.not_in(DECIDING),
        ),
    )


def has_reviewed(person_id: Who) -> ColumnElement[bool]:
    """Cases a person has cross-checked, in whatever round."""
    return _said(person_id, JudgmentRecord.stage == Stage.CROSS_CHECK.value)


def has_decided(person_id: Who) -> ColumnElement[bool]:
    """Cases a person has decided as an expert."""
    return _exists(DecisionRecord.case_pk == CaseHead.id, DecisionRecord.person_id == person_id)


def _had_a_part(person_id: Who) -> ColumnElement[bool]:
    """Cases that are a person's work, or that they cross-checked ever, or decided in their present round."""
    decided = _exists(
        DecisionRecord.case_pk == CaseHead.id,
        DecisionRecord.person_id == person_id,
        DecisionRecord.round == CaseHead.round,
    )
    return or_(has_owned(person_id), has_reviewed(person_id), decided)


def _said(person_id: Who, stage: ColumnElement[bool]) -> ColumnElement[bool]:
    return _exists(
        JudgmentRecord.case_pk == CaseHead.id,
        JudgmentRecord.person_id == person_id,
        JudgmentRecord.is_withdrawn.is_(False),
        stage,
    )


def has_skipped(person_id: Who) -> ColumnElement[bool]:
    """Cases a person has skipped in their present round."""
    return _exists(
        Assignment.case_pk == CaseHead.id,
        Assignment.person_id == person_id,
        Assignment.round == CaseHead.round,
        Assignment.status == SlotStatus.SKIPPED,
    )


def is_held(stages: Sequence[str]) -> ColumnElement[bool]:
    """Cases that somebody has claimed at one of some stages."""
    return _exists(
        Assignment.case_pk == CaseHead.id,
        Assignment.status == SlotStatus.CLAIMED,
        Assignment.stage.in_(stages),
    )


def has_no_owner() -> ColumnElement[bool]:
    """Cases nobody owns, or somebody who is disabled or let the lease on it end."""
    gone = select(Person.id).where(Person.is_active.is_(False))
    return or_(CaseHead.owner_id.is_(None), CaseHead.owner_id.in_(gone), is_abandoned())


def is_abandoned() -> ColumnElement[bool]:
    """Cases somebody took from the queue and whose lease ended; assigned and returned ones stay with them."""
    return and_(
        CaseHead.is_assigned.is_(False),
        CaseHead.stage.in_(SELF_CHECKS),
        _exists(
            Assignment.case_pk == CaseHead.id,
            Assignment.person_id == CaseHead.owner_id,
            Assignment.stage == CaseHead.stage,
            Assignment.round == CaseHead.round,
            Assignment.status == SlotStatus.EXPIRED,
        ),
        not_(is_held(SELF_CHECKS)),
    )


def may_own(who: Claimant) -> ColumnElement[bool]:
    """Cases a person could own: they have neither cross-checked nor decided them."""
    if who.is_solo:
        return literal(value=True)
    return not_(or_(has_reviewed(who.person_id), has_decided(who.person_id)))


def self_check_for(who: Claimant) -> ColumnElement[bool]:
    """Cases a person could self-check now."""
    return and_(
        CaseHead.stage.in_(OWNER_STAGES),
        or_(CaseHead.owner_id == who.person_id, has_no_owner()),
        not_(is_held(OWNER_STAGES)),
        may_own(who),
    )


def free_slot(reviewers: int) -> ColumnElement[bool]:
    """Cases whose present round has fewer cross-checkers than it needs."""
    return _held_slots() < reviewers


def _held_slots() -> ScalarSelect[int]:
    return (
        select(func.count())
        .select_from(Assignment)
        .where(
            Assignment.case_pk == CaseHead.id,
            Assignment.stage == Stage.CROSS_CHECK.value,
            Assignment.round == CaseHead.round,
            Assignment.status.in_(OCCUPYING),
        )
        .correlate(CaseHead)
        .scalar_subquery()
    )


def knows_content(person_id: Who) -> ColumnElement[bool]:
    """Cases whose present content a person judges or has judged."""
    return _exists(
        Assignment.case_pk == CaseHead.id,
        Assignment.person_id == person_id,
        Assignment.stage == Stage.CROSS_CHECK.value,
        Assignment.round >= CaseHead.entered_round,
        Assignment.status.in_(OCCUPYING),
    )


_ASKED = (Invitation.case_pk == CaseHead.id, Invitation.round == CaseHead.round)


def is_invited(person_id: Who) -> ColumnElement[bool]:
    """Cases anybody may cross-check, or this person among those who were asked."""
    return or_(not_(_exists(*_ASKED)), _exists(*_ASKED, Invitation.person_id == person_id))


def could_review(person_id: Who) -> ColumnElement[bool]:
    """Cases in cross-check that are no work of this person's and whose content they have not judged."""
    return and_(
        CaseHead.stage == Stage.CROSS_CHECK.value,
        not_(has_owned(person_id)),
        not_(has_decided(person_id)),
        not_(knows_content(person_id)),
    )


def possible_reviewers(tx: Transaction, case_pk: int) -> tuple[PersonRow, ...]:
    """Annotators who are here, could cross-check a case now and have not skipped it, by number."""
    found = tx.scalars(
        select(Person)
        .join(CaseHead, CaseHead.id == case_pk)
        .where(_is_here(Role.ANNOTATOR), could_review(Person.id), not_(has_skipped(Person.id)))
        .order_by(Person.id)
    )
    return tuple(map(person_row, found))


def _is_here(role: Role) -> ColumnElement[bool]:
    return and_(IS_HERE, Person.roles.contains(role.value))


def open_invitations(tx: Transaction) -> dict[int, int]:
    """How many cases each person is asked to cross-check and has neither begun nor skipped."""
    answered = exists().where(
        Assignment.case_pk == Invitation.case_pk,
        Assignment.person_id == Invitation.person_id,
        Assignment.round == Invitation.round,
        Assignment.stage == Stage.CROSS_CHECK.value,
        Assignment.status.in_((*OCCUPYING, SlotStatus.SKIPPED)),
    )
    rows = tx.execute(
        select(Invitation.person_id, func.count())
        .join(CaseHead, and_(*_ASKED))
        .where(at_stage(Stage.CROSS_CHECK), not_(answered))
        .group_by(Invitation.person_id)
    )
    return {int(person): count for person, count in rows}


def short_of_reviewers(tx: Transaction, *, reviewers: int) -> tuple[int, ...]:
    """Cases for which fewer people are asked, and still able to answer, than have to judge them."""
    able = (
        select(func.count())
        .select_from(Invitation)
        .join(Person, Person.id == Invitation.person_id)
        .where(*_ASKED, _is_here(Role.ANNOTATOR), could_review(Person.id), not_(has_skipped(Person.id)))
        .correlate(CaseHead)
        .scalar_subquery()
    )
    statement = select(CaseHead.id).where(
        CaseHead.stage == Stage.CROSS_CHECK.value, _exists(*_ASKED), able + _held_slots() < reviewers
    )
    return tuple(tx.scalars(statement.order_by(CaseHead.id)))


def cross_check_for(who: Claimant, *, reviewers: int) -> ColumnElement[bool]:
    """Cases with a free slot that a person could cross-check now."""
    return and_(could_review(who.person_id), is_invited(who.person_id), free_slot(reviewers))


def decision_for(who: Claimant) -> ColumnElement[bool]:
    """Escalated and sampled cases a person could decide now."""
    return and_(could_decide(who), not_(is_held(DECIDING)))


def could_decide(who: Claimant) -> ColumnElement[bool]:
    """Escalated and sampled cases, held by whomever, that a person had no part in."""
    waiting = CaseHead.stage.in_(DECIDING)
    if who.is_solo:
        return waiting
    return and_(waiting, not_(_had_a_part(who.person_id)))


def offered_to(who: Claimant) -> ColumnElement[bool]:
    """Cases that were handed to no other expert who is here: whoever was handed one is asked first."""
    experts = select(Person.id).where(_is_here(Role.EXPERT), Person.id != who.person_id)
    return or_(CaseHead.expert_id.is_(None), CaseHead.expert_id.not_in(experts))


def queued_decision(who: Claimant) -> ColumnElement[bool]:
    """Escalated and sampled cases the expert queue has for a person now."""
    return and_(decision_for(who), offered_to(who), not_skipped(who))


def not_skipped(who: Claimant) -> ColumnElement[bool]:
    """Cases the person has not skipped in their present round."""
    return not_(has_skipped(who.person_id))


def at_stage(stage: Stage) -> ColumnElement[bool]:
    """Cases at a stage."""
    return CaseHead.stage == stage.value


def stuck(tx: Transaction, *, reviewers: int, is_solo: bool) -> tuple[str, ...]:
    """Ids of the cases that wait for somebody while nobody who is here could take them, the oldest first."""
    lacking = or_(lacks_owner(is_solo=is_solo), lacks_reviewer(reviewers), lacks_expert(is_solo=is_solo))
    return tuple(tx.scalars(select(CaseHead.case_id).where(lacking).order_by(CaseHead.id)))


def lacks_owner(*, is_solo: bool) -> ColumnElement[bool]:
    """Cases that wait for a self-check that nobody who is here could make."""
    able = _exists(
        _is_here(Role.ANNOTATOR),
        or_(CaseHead.owner_id == Person.id, has_no_owner()),
        may_own(Claimant(person_id=Person.id, is_solo=is_solo)),
        not_(has_skipped(Person.id)),
    )
    return and_(CaseHead.stage.in_(OWNER_STAGES), not_(is_held(OWNER_STAGES)), not_(able))


def lacks_reviewer(reviewers: int) -> ColumnElement[bool]:
    """Cases that wait for a cross-check that nobody who is here could make."""
    able = _exists(_is_here(Role.ANNOTATOR), could_review(Person.id), not_(has_skipped(Person.id)))
    return and_(at_stage(Stage.CROSS_CHECK), free_slot(reviewers), not_(able))


def lacks_expert(*, is_solo: bool) -> ColumnElement[bool]:
    """Cases that wait for a decision that no expert who is here could make."""
    return and_(CaseHead.stage.in_(DECIDING), not_(is_held(DECIDING)), not_(has_expert(is_solo=is_solo)))


def is_open_to_another() -> ColumnElement[bool]:
    """Cases that an expert has decided and another active one could look at."""
    return and_(_exists(DecisionRecord.case_pk == CaseHead.id), has_expert(is_solo=False))


def has_expert(*, is_solo: bool) -> ColumnElement[bool]:
    """Cases that some active expert had no part in."""
    had_a_part = literal(value=False) if is_solo else _had_a_part(Person.id)
    return _exists(_is_here(Role.EXPERT), not_(had_a_part))


def holds(tx: Transaction, case_pk: int, condition: ColumnElement[bool]) -> bool:
    """Whether one of this module's conditions holds for a case."""
    return tx.scalar(select(CaseHead.id).where(CaseHead.id == case_pk, condition)) is not None


def numbers(tx: Transaction, *conditions: ColumnElement[bool]) -> frozenset[int]:
    """The numbers of the cases that fulfil some conditions."""
    return frozenset(tx.scalars(select(CaseHead.id).where(*conditions)))
