"""How agreement moves: the same table for every week or batch of closed cross-check rounds."""

from collections import defaultdict
from datetime import datetime, timedelta
from enum import StrEnum

from annotator.project.workspace import Workspace
from annotator.review.measures.rater_agreement import (
    AgreementSlice,
    RatedRound,
    limited_to,
    only_pairs_of,
    rated_rounds,
)
from scoring.agreement.fields import FieldAgreement, agreement_table
from scoring.measures.intervals import RESAMPLES
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
) -> tuple[TrendPoint, ...]:
    """The agreement of a slice as a sequence of points, oldest first.

    Args:
        workspace: The project.
        where: The slice; an empty one asks about everything.
        by: Weeks, quiet ones between the first and the last too, or batches by their first closed round.
        seed: Seed of the bootstrap intervals.
        resamples: Samples drawn for the intervals; 0 leaves them out.

    Returns:
        Nothing where the slice has no closed round.

    Raises:
        InputError, NotFoundError, ForbiddenError: As for `agreement`.
    """
    rounds = sorted(rated_rounds(workspace, where), key=lambda one: one.at)
    whose = limited_to(workspace)
    parts: dict[str, list[RatedRound]] = defaultdict(list)
    if by is TrendStep.WEEK and rounds:
        parts |= {label: [] for label in _weeks(rounds[0].at, rounds[-1].at)}
    for one in rounds:
        parts[week_of(one.at) if by is TrendStep.WEEK else one.batch].append(one)
    return tuple(
        TrendPoint(
            label=label,
            round_count=len(part),
            case_count=len({one.case.case_id for one in part}),
            table=only_pairs_of(
                agreement_table((one.case for one in part), seed=seed, resamples=resamples), whose
            ),
        )
        for label, part in parts.items()
    )


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
