"""How agreement moves: with each other by week or batch, and with the experts by person and week."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from annotator.cases.bodies import read_body
from annotator.project.workspace import Workspace
from annotator.review.measures.rater_agreement import (
    AgreementSlice,
    RatedRound,
    limited_to,
    only_pairs_of,
    rated_rounds,
)
from db.read import reviews
from db.tables import Transaction
from scoring.agreement.error_rates import given_labels
from scoring.agreement.fields import FieldAgreement, agreement_table
from scoring.agreement.rated_cases import RatedCase
from scoring.measures.intervals import RESAMPLES, Interval, wilson_interval
from scoring.measures.rates import Rate, rate
from scoring.model.case import Case
from scoring.model.record import Record


class TrendStep(StrEnum):
    """What one point of a trend stands for."""

    WEEK = "week"
    BATCH = "batch"


class TrendPoint(Record):
    """Agreement in one ISO week (`2026-W47`, UTC) or batch, named by `label`.

    `round_count` and `case_count` say what it rests on, besides the n of every coefficient. `table` has a
    row for each field; where nothing was closed its coefficients are undefined and say why.
    """

    label: str
    round_count: int
    case_count: int
    table: tuple[FieldAgreement, ...]


def agreement_trend(
    workspace: Workspace,
    where: AgreementSlice,
    *,
    by: TrendStep = TrendStep.WEEK,
    seed: int = 0,
    resamples: int = RESAMPLES,
    whole: tuple[FieldAgreement, ...] | None = None,
    rounds: Sequence[RatedRound] | None = None,
) -> tuple[TrendPoint, ...]:
    """The agreement of a slice as a sequence of points, oldest first.

    Args:
        workspace: The project.
        where: The slice; an empty one asks about everything.
        by: Weeks, quiet ones between the first and the last too, or batches by their first closed round.
        seed: Seed of the bootstrap intervals.
        resamples: Samples drawn for the intervals; 0 leaves them out.
        whole: What `agreement` gave for the slice with this seed and these resamples, if it was asked: the
            table of a trend with one point.
        rounds: What `rated_rounds` gave for the slice, if it was asked.

    Returns:
        Nothing where the slice has no closed round.

    Raises:
        InputError, NotFoundError, ForbiddenError: As for `agreement`.
    """
    unsorted = rated_rounds(workspace, where) if rounds is None else rounds
    rounds = sorted((rated for rated in unsorted if not rated.case.by_choice), key=lambda rated: rated.at)
    whose = limited_to(workspace)
    parts: dict[str, list[RatedRound]] = defaultdict(list)
    if by is TrendStep.WEEK and rounds:
        parts |= {label: [] for label in _weeks(rounds[0].at, rounds[-1].at)}
    for rated in rounds:
        parts[week_of(rated.at) if by is TrendStep.WEEK else rated.batch].append(rated)
    known = whole if len(parts) == 1 else None
    return tuple(
        TrendPoint(
            label=label,
            round_count=len(part),
            case_count=len({rated.case.case_id for rated in part}),
            table=known
            or only_pairs_of(
                agreement_table((rated.case for rated in part), seed=seed, resamples=resamples), whose
            ),
        )
        for label, part in parts.items()
    )


class ExpertPoint(Record):
    """How far experts confirmed what a person had said in the rounds closed in one ISO week (UTC).

    `kept` counts labels (policies, information types, dependencies) that stand in the decided case as the
    person had them; the interval is Wilson's, as if labels were independent of each other. A dependency
    that the experts added counts against whoever had drawn the task without it. Weeks between the first
    and the last without a label have no share. `person` is empty for everybody together.
    """

    person: str
    label: str
    kept: Rate
    case_count: int
    interval: Interval | None


def against_experts(
    workspace: Workspace, where: AgreementSlice, *, rounds: Sequence[RatedRound] | None = None
) -> tuple[ExpertPoint, ...]:
    """What experts kept of the labels of each rater, by person, then week.

    Compared is every approval by an expert with the cross-check round before it: cases that were escalated
    or drawn into a sample, so that they are harder than most. What an expert restructured (other tasks or
    steps) is left out. Annotators get their own line, experts and managers everybody's.

    Args:
        workspace: The project.
        where: The slice of the rounds; an empty one asks about everything.
        rounds: What `rated_rounds` gave for the slice, if it was asked.

    Raises:
        InputError, NotFoundError, ForbiddenError: As for `agreement`.
    """
    rounds = rated_rounds(workspace, where) if rounds is None else rounds
    known = {(rated.case.case_id, rated.round): rated for rated in rounds}
    whose = limited_to(workspace)

    def query(tx: Transaction) -> dict[tuple[str, int], dict[str, tuple[int, int]]]:
        return {
            (case_id, round_): kept_labels(known[case_id, round_].case, read_body(body))
            for case_id, round_, body in reviews.expert_results(tx)
            if (case_id, round_) in known
        }

    counts: dict[str, dict[str, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    times = []
    for key, kept in workspace.read(query).items():
        for person, (count, total) in kept.items():
            if total and whose in (None, person):
                times.append(known[key].at)
                for rater in {person, "" if whose is None else person}:
                    counts[rater][week_of(known[key].at)].append((count, total))
    if not times:
        return ()
    weeks = _weeks(min(times), max(times))
    return tuple(
        _expert_point(rater, week, counts[rater][week]) for rater in sorted(counts) for week in weeks
    )


def _expert_point(person: str, week: str, found: Sequence[tuple[int, int]]) -> ExpertPoint:
    kept, total = sum(count for count, _ in found), sum(n for _, n in found)
    return ExpertPoint(
        person=person,
        label=week,
        kept=rate(kept, total),
        case_count=len(found),
        interval=wilson_interval(kept, total),
    )


def kept_labels(rated: RatedCase, decided: Case) -> dict[str, tuple[int, int]]:
    """How many labels of each rater stand in the decided case, and how many they gave.

    Nothing for a case with other tasks or steps than the one that was judged.
    """
    labels = given_labels(rated, decided)
    kept = Counter(label.rater for label in labels if label.is_right)
    given = Counter(label.rater for label in labels)
    return {rater: (kept[rater], given[rater]) for rater in rated.raters} if labels else {}


def week_of(at: datetime) -> str:
    """The ISO week of an instant, as `2026-W47`.

    Example:
        >>> from datetime import UTC
        >>> week_of(datetime(2027, 1, 1, tzinfo=UTC))
        '2026-W53'
    """
    return f"{at:%G-W%V}"


def _weeks(first: datetime, last: datetime) -> list[str]:
    monday = first.date() - timedelta(days=first.weekday())
    count = (last.date() - monday).days // 7 + 1
    return [f"{monday + timedelta(weeks=week):%G-W%V}" for week in range(count)]
