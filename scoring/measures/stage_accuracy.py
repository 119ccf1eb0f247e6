"""The stage-accuracy curve: how much of the right content was there already when a case left each stage."""

from collections.abc import Iterable, Mapping

from scoring.measures.intervals import wilson_interval
from scoring.model.record import Record
from scoring.model.taxonomy import SELF_CHECKS, Stage

NO_FINAL_CASE = "no case is final"
NO_EXIT = "no final case left this stage"
BY_CONSTRUCTION = "1 by construction"
NOT_JUDGED = "not judged"

FIRST_EXITS = (Stage.IMPORTED, *SELF_CHECKS)
"""Stages measured at a case's first exit: what the annotator first thought was good."""

LAST_EXITS = (Stage.CROSS_CHECK,)
"""Stages measured at a case's last exit: what the reviewers handed on in the end."""


class ExitContent(Record):
    """The content a case had when it left a stage; `imported` stands for the raw case.

    `sha256` is the content hash of the case, or of the one field the curve is asked about.
    """

    case_id: str
    stage: Stage
    sha256: str


class StagePoint(Record):
    """One point of the curve.

    Of the reading *judged right* the final cases are those an expert judged.

    `accuracy` is `correct` / `total`: 1 means every case left the stage as it is now, 0 that none
    did; None where it is undefined, and `undefined` says why. `total` of `final_count` final cases
    ever left this stage. `low` and `high` are the Wilson interval, None where there is no accuracy and at
    the expert's own point, which is 1 by construction; `no_interval` says which.
    """

    stage: Stage
    accuracy: float | None
    correct: int
    total: int
    final_count: int
    low: float | None = None
    high: float | None = None
    undefined: str | None = None
    no_interval: str | None = None


def stage_accuracy(
    exits: Iterable[ExitContent], final: Mapping[str, str], *, level: float = 0.95
) -> tuple[StagePoint, ...]:
    """Share of final cases whose content at a stage's exit equals the final content (design 3.6).

    Raw and the self-checks count a case's first exit, cross-check its last.

    Args:
        exits: The exits in the order they happened; exits of cases that are not final do not count.
        final: Content hash of each final case, by case id.
        level: Level of the intervals, above 0 and below 1.

    Returns:
        The points in the order of the process: imported (raw), the two self-checks, cross-check, expert.
    """
    return (
        *_points(exits, final, level=level, why_none=NO_EXIT if final else NO_FINAL_CASE),
        StagePoint(
            stage=Stage.EXPERT,
            accuracy=1.0 if final else None,
            correct=len(final),
            total=len(final),
            final_count=len(final),
            undefined=None if final else NO_FINAL_CASE,
            no_interval=BY_CONSTRUCTION if final else NO_FINAL_CASE,
        ),
    )


def judged_right(
    exits: Iterable[ExitContent], judged: Mapping[str, str], *, level: float = 0.95
) -> tuple[StagePoint, ...]:
    """Share of judged cases whose content at a stage's exit is what an expert holds right (design 3.6).

    Args:
        exits: Those before the expert looked, in the order they happened.
        judged: The content hash an expert made final, by case id; empty where they returned or rejected the
            case, which then was right at no stage.
        level: Level of the intervals, above 0 and below 1.

    Returns:
        The points in the order of the process, without the expert's own: nobody judges the experts.
    """
    return _points(exits, judged, level=level, why_none=NOT_JUDGED)


def counted_exits(exits: Iterable[ExitContent], final: Mapping[str, str]) -> dict[Stage, dict[str, str]]:
    """The one exit of each final case that counts at each stage of the curve, as content hash by case id.

    At the expert's own point it is the final content. Takes `exits` and `final` as `stage_accuracy` does.
    """
    reached: dict[Stage, dict[str, str]] = {stage: {} for stage in FIRST_EXITS + LAST_EXITS}
    for leaving in exits:
        if leaving.case_id in final and leaving.stage in FIRST_EXITS:
            reached[leaving.stage].setdefault(leaving.case_id, leaving.sha256)
        elif leaving.case_id in final and leaving.stage in LAST_EXITS:
            reached[leaving.stage][leaving.case_id] = leaving.sha256
    return {**reached, Stage.EXPERT: dict(final)}


def _points(
    exits: Iterable[ExitContent], final: Mapping[str, str], *, level: float, why_none: str
) -> tuple[StagePoint, ...]:
    reached = counted_exits(exits, final)
    return tuple(
        _point(stage, reached[stage], final, level=level, why_none=why_none)
        for stage in FIRST_EXITS + LAST_EXITS
    )


def _point(
    stage: Stage, hashes: Mapping[str, str], final: Mapping[str, str], *, level: float, why_none: str
) -> StagePoint:
    correct = sum(final[case_id] == sha256 for case_id, sha256 in hashes.items())
    interval = wilson_interval(correct, len(hashes), level=level)
    reason = None if interval else why_none
    return StagePoint(
        stage=stage,
        accuracy=correct / len(hashes) if interval else None,
        correct=correct,
        total=len(hashes),
        final_count=len(final),
        low=interval and interval.low,
        high=interval and interval.high,
        undefined=reason,
        no_interval=reason,
    )
