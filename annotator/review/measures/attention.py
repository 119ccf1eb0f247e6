"""Attention, measured: how many planted defects each person caught, by category, with intervals."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from annotator.cases.bodies import read_record
from annotator.cases.row_views import viewer_of
from annotator.project.workspace import Workspace, policy_of, query
from annotator.review.attention.defects import Defect, DefectKind
from annotator.review.shortages import NO_GOLD
from db.read import known_answers
from db.read.rows import CatchRow
from db.tables import Transaction
from scoring.groups import collected
from scoring.measures.intervals import Interval, wilson_interval
from scoring.measures.rates import Rate, rate
from scoring.model.record import Record


class CatchRate(Record):
    """Planted defects a person caught, of those they were given and submitted; the interval is Wilson's.

    `kind` is None for all categories together. `interval` is None where there was none. `is_below` says of
    all categories that the interval lies wholly below that of everybody else together.
    """

    person: str
    kind: DefectKind | None
    caught: Rate
    interval: Interval | None
    is_below: bool = False


class Told(Record):
    """One known-answer case as its person was told of it after submitting, `at` that moment.

    `planted` is a sentence. `is_counted` is false where the gold case was reopened or changed since.
    """

    person: str
    case_id: str
    planted: str
    is_caught: bool
    is_counted: bool
    at: datetime


class Attention(Record):
    """The catch rates of a project, by person: all categories together, then each that was given.

    `told` are the submissions behind them, the newest first. `share` is that of the policy. `source_count`
    is how many gold cases can be copied, `dropped_count` how many submissions no longer count since their
    gold case was reopened or changed.
    """

    share: float
    source_count: int
    rates: tuple[CatchRate, ...]
    dropped_count: int
    told: tuple[Told, ...] = ()

    @property
    def problem(self) -> str:
        """Why nothing is mixed in although the policy asks for it; empty where it is."""
        return NO_GOLD if self.share and not self.source_count else ""


@query
def attention(workspace: Workspace, tx: Transaction) -> Attention:
    """How many planted defects were caught; annotators see their own line."""
    somebody = workspace.somebody
    catches = known_answers.catches(tx)
    if not viewer_of(tx, somebody).is_trusted:
        catches = tuple(catch for catch in catches if somebody is not None and catch.person == somebody.name)
    counted = [catch for catch in catches if catch.is_valid]
    return Attention(
        share=policy_of(tx).attention_share,
        source_count=known_answers.source_count(tx),
        rates=catch_rates(counted),
        dropped_count=len(catches) - len(counted),
        told=tuple(
            Told(
                person=row.person,
                case_id=row.case_id,
                planted=read_record(Defect, row.defect).words,
                is_caught=row.is_caught,
                is_counted=row.is_valid,
                at=row.at,
            )
            for row in reversed(catches)
        ),
    )


@collected
def catch_rates(catches: Sequence[CatchRow]) -> Iterator[CatchRate]:
    """The rates of everybody in a list of submissions: who is below the others first, then by name.

    Empty for an empty list.
    """
    whole = [_whole(person, catches) for person in sorted({catch.person for catch in catches})]
    for person_rate in sorted(whole, key=lambda person_rate: not person_rate.is_below):
        yield person_rate
        own = [row for row in catches if row.person == person_rate.person]
        yield from (
            _rate(person_rate.person, kind, [row for row in own if row.kind == kind])
            for kind in DefectKind
            if any(row.kind == kind for row in own)
        )


def _whole(person: str, catches: Sequence[CatchRow]) -> CatchRate:
    own = _rate(person, None, [catch for catch in catches if catch.person == person])
    others = _rate("", None, [catch for catch in catches if catch.person != person])
    if own.interval is None or others.interval is None:
        return own
    return own.model_copy(update={"is_below": own.interval.high < others.interval.low})


def _rate(person: str, kind: DefectKind | None, catches: Sequence[CatchRow]) -> CatchRate:
    caught = sum(catch.is_caught for catch in catches)
    return CatchRate(
        person=person,
        kind=kind,
        caught=rate(caught, len(catches)),
        interval=wilson_interval(caught, len(catches)),
    )
