"""Who works on what, how long it takes, and how much goes through: per person and per day."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from statistics import median

from annotator.cases.row_views import viewer_of
from annotator.project.workspace import Workspace, policy_of, query
from annotator.review.measures.rater_agreement import SaidValues, said_values
from annotator.review.queue.eligibility import claimant
from db.read import assignments, claims, known_answers, people, queries, reviews
from db.tables import Transaction
from scoring.measures.rates import Rate, rate, share_of
from scoring.model.record import Record
from scoring.model.taxonomy import EXPERT_STAGES, OWNER_STAGES, Role, SlotStatus, Stage


class Workload(Record):
    """One person's share of the work.

    `held` are slots under a lease now, `owned` cases in self-check that are theirs, `to_decide` escalated
    and sampled cases the queue offers them as an expert, `submitted` judgments that stand, `decided` cases
    they settled as an expert. `median_seconds` is the active time of a judgment, None before the first,
    `seconds` that of all of them; decisions are not timed.
    `agreement` counts, over all compared fields of closed rounds, the other raters who said what this person
    said. `hasty` counts judgments that were submitted faster than anyone reads the case.
    """

    person: str
    is_active: bool
    held: int
    owned: int
    to_decide: int
    submitted: int
    decided: int
    median_seconds: float | None
    seconds: float
    agreement: Rate
    hasty: int = 0


class MyDay(Record):
    """What a person did since midnight where they sit.

    `finished` counts cases with a judgment that stands or a decision. `median_seconds` is the active time of
    those judgments, None before the first. `agreement` counts what other raters said of what this person
    said, in rounds that were closed today. `attention_share` is that of the policy, `caught` the planted
    defects this person caught, of all they were given so far.
    """

    since: datetime
    finished: int
    median_seconds: float | None
    agreement: Rate
    attention_share: float = 0
    caught: Rate = rate(0, 0)


class DayCount(Record):
    """What was done on one day (UTC): judgments and decisions by stage."""

    day: date
    counts: dict[Stage, int]


@query
def workloads(workspace: Workspace, tx: Transaction) -> tuple[Workload, ...]:
    """The work of everybody, by name; annotators see their own line."""
    somebody = workspace.somebody
    held, owned = assignments.held_counts(tx), queries.owned_counts(tx)
    decided = reviews.decision_counts(tx)
    times = reviews.work_times(tx).by_person()
    agreed = agreement_by_person(said_values(tx))
    policy = policy_of(tx)
    sees_all = viewer_of(tx, somebody).is_trusted
    for copy in (
        known_answers.copies_of(tx, somebody.id, (SlotStatus.CLAIMED,)) if somebody is not None else ()
    ):
        held[copy.person_id] = held.get(copy.person_id, 0) + 1  # in their own eyes alone
        if copy.stage in OWNER_STAGES:
            owned[copy.person_id] = owned.get(copy.person_id, 0) + 1
    return tuple(
        Workload(
            person=person.name,
            is_active=person.is_active,
            held=held.get(person.id, 0),
            owned=owned.get(person.id, 0),
            to_decide=queries.count(tx, claims.queued_decision(claimant(person, policy)))
            if person.is_active and person.has_role(Role.EXPERT)
            else 0,
            submitted=times[person.id].count if person.id in times else 0,
            decided=decided.get(person.id, 0),
            median_seconds=times[person.id].median_seconds if person.id in times else None,
            seconds=times[person.id].seconds if person.id in times else 0,
            agreement=agreed.get(person.name, rate(0, 0)),
            hasty=times[person.id].hasty if person.id in times else 0,
        )
        for person in people.list_people(tx)
        if sees_all or (somebody is not None and person.id == somebody.id)
    )


@query
def my_day(workspace: Workspace, tx: Transaction) -> MyDay:
    """The person's own day: what they finished, how long it took, and how far others agreed.

    The day begins at midnight in this computer's time zone.
    """
    person = workspace.person
    since = workspace.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    done = reviews.times_since(tx, person.id, since=since)
    judged = [one.seconds for one in done if one.stage not in EXPERT_STAGES]
    known = [one for one in known_answers.catches(tx) if one.person == person.name and one.is_valid]
    return MyDay(
        since=since,
        finished=len({one.case_pk for one in done}),
        median_seconds=median(judged) if judged else None,
        agreement=agreement_by_person(said_values(tx, since=since)).get(person.name, rate(0, 0)),
        attention_share=policy_of(tx).attention_share,
        caught=share_of(known, lambda one: one.is_caught),
    )


def agreement_by_person(said: Mapping[SaidValues, int]) -> dict[str, Rate]:
    """How often others said what a person said: pairs of equal values of all pairs, over all fields.

    Args:
        said: How often some raters said these values of a field.
    """
    same: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for (raters, values), times in said.items():
        for rater, value in zip(raters, values, strict=True):
            pairs[rater] += times * (len(values) - 1)
            same[rater] += times * (values.count(value) - 1)
    return {rater: rate(same[rater], count) for rater, count in pairs.items()}


@query
def throughput(workspace: Workspace, tx: Transaction, *, days: int = 30) -> tuple[DayCount, ...]:
    """What was submitted and decided on each of the last days (UTC), the oldest first, quiet days too.

    Args:
        workspace: The project.
        days: How many days, today the last; at least 1.
    """

    today = workspace.now().date()
    first = today - timedelta(days=max(days, 1) - 1)
    counted: dict[date, dict[Stage, int]] = defaultdict(dict)
    for day, stage, count in reviews.day_counts(tx, since=datetime.combine(first, time.min, UTC)):
        counted[day][stage] = count
    span = (first + timedelta(days=i) for i in range((today - first).days + 1))
    return tuple(DayCount(day=day, counts=counted[day]) for day in span)
