"""The case a person should claim next, at each stage; nothing is locked."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial

from sqlalchemy import ColumnElement, Integer, Select, String, bindparam, case, not_, or_, select

from db.read.claims import (
    Claimant,
    cross_check_for,
    has_skipped,
    has_taken,
    is_abandoned,
    is_held,
    may_own,
    not_skipped,
    queued_decision,
)
from db.tables import CaseHead, Person, Transaction
from scoring.model.taxonomy import OWNER_STAGES, SELF_CHECKS, Stage

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
        not_(is_held(OWNER_STAGES)),
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
