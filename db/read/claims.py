"""Which cases a person may claim next, and who has had which part in a case."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cache, partial

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Integer,
    ScalarSelect,
    Select,
    String,
    and_,
    bindparam,
    case,
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


def _is_held(stages: Sequence[str]) -> ColumnElement[bool]:
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
        not_(_is_held(SELF_CHECKS)),
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
        not_(_is_held(OWNER_STAGES)),
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
    return and_(could_decide(who), not_(_is_held(DECIDING)))


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
    return and_(CaseHead.stage.in_(OWNER_STAGES), not_(_is_held(OWNER_STAGES)), not_(able))


def lacks_reviewer(reviewers: int) -> ColumnElement[bool]:
    """Cases that wait for a cross-check that nobody who is here could make."""
    able = _exists(_is_here(Role.ANNOTATOR), could_review(Person.id), not_(has_skipped(Person.id)))
    return and_(at_stage(Stage.CROSS_CHECK), free_slot(reviewers), not_(able))


def lacks_expert(*, is_solo: bool) -> ColumnElement[bool]:
    """Cases that wait for a decision that no expert who is here could make."""
    return and_(CaseHead.stage.in_(DECIDING), not_(_is_held(DECIDING)), not_(has_expert(is_solo=is_solo)))


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


_FRESH = 2


@dataclass(frozen=True, order=True)
class Candidate:
    """A case somebody may claim; the least of several comes first: by urgency, turn, and then by age."""

    urgency: int
    turn: int
    case_pk: int
    version: int

    @property
    def is_fresh(self) -> bool:
        """Whether it is new to the person: neither returned to them nor begun by them."""
        return self.urgency == _FRESH


def next_self_check(
    tx: Transaction,
    who: Claimant,
    *,
    stages: Sequence[Stage],
    tried: Sequence[int],
) -> Candidate | None:
    """The case a person should self-check next; nothing is locked.

    Returned ones first, then what the person has begun, then what was assigned to them, then those of
    nobody, and last what somebody else took and left lying; each by priority, by the day the batch is due,
    and the oldest first.

    Args:
        tx: The transaction.
        who: For whom.
        stages: Only cases at these stages.
        tried: Cases to leave out.
    """
    gone = tuple(tx.scalars(select(Person.id).where(Person.is_active.is_(False))))
    look = partial(_first, tx, who=who, gone=gone, tried=tried)

    def owned_by(owner: _Owner, stage: Stage) -> Candidate | None:
        is_begun = owner is _Owner.ME and stage in SELF_CHECKS
        urgency = 0 if stage is Stage.RETURNED else 1 if is_begun else _FRESH
        return look(_owned_by(stage.value, owner, is_solo=who.is_solo), urgency=urgency)

    # One stage and owner at a time, so that each look is a step along an index.
    found = [owned_by(_Owner.ME, stage) for stage in stages]
    others = [stage for stage in stages if stage is Stage.RETURNED or not any(found)]
    owners = (_Owner.GONE, _Owner.NOBODY) if gone else (_Owner.NOBODY,)
    found += [owned_by(owner, stage) for owner in owners for stage in others]
    if not any(found):
        left_lying = _left_lying(tuple(stage.value for stage in stages), is_solo=who.is_solo)
        found.append(look(left_lying, urgency=3))
    return min((candidate for candidate in found if candidate is not None), default=None)


# Building a statement takes longer than running it, and while a claim looks around on SQLite everybody
# waits: each is built once, with the person as a parameter.
_ME = bindparam("me", type_=Integer)
_GONE = bindparam("gone", type_=Integer, expanding=True)
_LANGUAGE = bindparam("language", type_=String)
_SPOKEN = or_(_LANGUAGE == "", CaseHead.language == _LANGUAGE)
_TOLD = CaseHead.turn, CaseHead.id, CaseHead.version
"""What a `Candidate` is made of."""


class _Owner(Enum):
    ME = "me"
    GONE = "gone"
    NOBODY = "nobody"


@cache
def _owned_by(stage: str, owner: _Owner, *, is_solo: bool) -> Select[int, int, int]:
    owned = {
        _Owner.ME: CaseHead.owner_id == _ME,
        _Owner.GONE: CaseHead.owner_id.in_(_GONE),
        _Owner.NOBODY: CaseHead.owner_id.is_(None),
    }
    return _in_order(
        CaseHead.stage == stage,
        owned[owner],
        not_(_is_held(OWNER_STAGES)),
        not_(has_skipped(_ME)),
        may_own(Claimant(person_id=_ME, is_solo=is_solo)),
    )


@cache
def _left_lying(stages: tuple[str, ...], *, is_solo: bool) -> Select[int, int, int]:
    mine = may_own(Claimant(person_id=_ME, is_solo=is_solo))
    return _in_order(CaseHead.stage.in_(stages), is_abandoned(), not_(has_skipped(_ME)), mine)


@cache
def _to_cross_check(reviewers: int) -> Select[int, int, int]:
    who = Claimant(person_id=_ME, is_solo=False)
    return _in_order(cross_check_for(who, reviewers=reviewers), not_skipped(who))


@cache
def _to_decide(stages: tuple[str, ...], *, is_solo: bool) -> Select[int, int, int]:
    free = select(*_TOLD).where(
        CaseHead.stage.in_(stages), queued_decision(Claimant(person_id=_ME, is_solo=is_solo)), _SPOKEN
    )
    mine_first = case((CaseHead.expert_id == _ME, 0), else_=1)
    return free.order_by(mine_first, CaseHead.turn, CaseHead.changed_at, CaseHead.id).limit(1)


def _in_order(*conditions: ColumnElement[bool]) -> Select[int, int, int]:
    return select(*_TOLD).where(*conditions, _SPOKEN).order_by(CaseHead.turn, CaseHead.id).limit(1)


def next_cross_check(
    tx: Transaction,
    who: Claimant,
    *,
    reviewers: int,
    tried: Sequence[int],
) -> Candidate | None:
    """The first case a person could cross-check, by turn; arguments as for `next_self_check`."""
    return _first(tx, _to_cross_check(reviewers), who=who, tried=tried, urgency=_FRESH)


def next_decision(
    tx: Transaction,
    who: Claimant,
    *,
    stages: Sequence[Stage],
    tried: Sequence[int],
) -> Candidate | None:
    """What was handed to the person, then by turn what waits longest; arguments as for `next_self_check`."""
    statement = _to_decide(tuple(stage.value for stage in stages), is_solo=who.is_solo)
    return _first(tx, statement, who=who, tried=tried, urgency=4)


def _first(
    tx: Transaction,
    statement: Select[int, int, int],
    *,
    who: Claimant,
    tried: Sequence[int],
    urgency: int,
    gone: Sequence[int] = (),
) -> Candidate | None:
    left = statement.where(CaseHead.id.not_in(tried)) if tried else statement
    left = left.where(has_taken(_ME)) if who.only_taken else left
    found = tx.execute(left, {"me": who.person_id, "gone": gone, "language": who.language}).one_or_none()
    return None if found is None else Candidate(urgency, *found)
