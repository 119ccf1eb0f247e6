"""Where the project stands: counts, ages and times per stage, batches and samples."""

from collections import defaultdict
from datetime import datetime
from statistics import median

from annotator.project.workspace import Workspace
from annotator.review.measures.accuracy_curve import curve
from db.read import queries, reviews
from db.read import samples as drawn
from db.read.rows import SampleRow as SampleRow
from db.tables import Transaction
from scoring.measures.stage_accuracy import StagePoint
from scoring.model.record import Record
from scoring.model.taxonomy import Stage


class StageReport(Record):
    """Where the project stands: counts per stage and the stage-accuracy curve.

    `median_seconds` is the active time of a judgment at each stage; `oldest` since when the case that has
    waited longest at a stage stands there.
    """

    counts: dict[Stage, int]
    curve: tuple[StagePoint, ...]
    median_seconds: dict[Stage, float]
    oldest: dict[Stage, datetime]


def stage_report(workspace: Workspace) -> StageReport:
    """Counts per stage, stage accuracy, the median active time per stage in seconds, and ages."""
    return workspace.read(
        lambda tx: StageReport(
            counts=queries.stage_counts(tx),
            curve=curve(tx),
            median_seconds=_median_seconds(tx),
            oldest=queries.oldest_changes(tx),
        )
    )


def samples(workspace: Workspace) -> tuple[SampleRow, ...]:
    """All drawn samples with their outcomes, oldest first."""
    return workspace.read(drawn.list_samples)


def _median_seconds(tx: Transaction) -> dict[Stage, float]:
    times: dict[Stage, list[float]] = defaultdict(list)
    for said in reviews.judgment_times(tx):
        times[said.stage].append(said.seconds)
    return {stage: median(values) for stage, values in times.items()}
