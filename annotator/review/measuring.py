"""Measures of the process: stage accuracy, agreement, ages and time, read from what was recorded."""

from collections.abc import Iterator
from itertools import groupby
from statistics import median

from annotator.cases.bodies import load_revision
from annotator.project.workspace import Workspace
from annotator.review.owning import owner_labels
from db import queries, reviews
from db import samples as drawn
from db.rows import BatchRow as BatchRow
from db.rows import CaseFilter, CaseRow, JudgmentRow
from db.rows import SampleRow as SampleRow
from db.tables import Transaction
from scoring.agreement import FieldAgreement, agreement_table
from scoring.model.labels import Judgment
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import FINAL_STAGES, Stage
from scoring.rated_cases import RatedCase, only_raters, rated_case
from scoring.stage_accuracy import StageExit, StagePoint, stage_accuracy


class StageReport(Record):
    """Where the project stands: counts per stage and the stage-accuracy curve."""

    counts: dict[Stage, int]
    curve: tuple[StagePoint, ...]
    median_seconds: dict[Stage, float]


def stage_report(workspace: Workspace) -> StageReport:
    """Counts per stage, stage accuracy, and the median active time per stage in seconds."""
    return workspace.read(
        lambda tx: StageReport(
            counts=queries.stage_counts(tx), curve=curve(tx), median_seconds=_median_seconds(tx)
        )
    )


def batches(workspace: Workspace) -> tuple[BatchRow, ...]:
    """All batches with their counts per stage, newest first."""
    return workspace.read(queries.list_batches)


def samples(workspace: Workspace) -> tuple[SampleRow, ...]:
    """All drawn samples with their outcomes, oldest first."""
    return workspace.read(drawn.list_samples)


def curve(tx: Transaction) -> tuple[StagePoint, ...]:
    """The stage-accuracy curve of all final cases (design section 3)."""
    final: dict[str, str] = {}
    imported: list[StageExit] = []
    for row in _all_rows(tx):
        if row.stage in FINAL_STAGES:
            final[row.case_id] = row.sha256
            imported.append(
                StageExit(case_id=row.case_id, stage=Stage.IMPORTED, sha256=queries.imported_hash(tx, row.pk))
            )
    exits = [
        StageExit(case_id=case_id, stage=row.stage, sha256=row.sha256)
        for case_id, row in reviews.all_exits(tx)
        if case_id in final
    ]
    return stage_accuracy([*imported, *exits], final)


def _all_rows(tx: Transaction) -> Iterator[CaseRow]:
    offset = 0
    while page := queries.list_cases(tx, CaseFilter(order="case"), offset=offset, limit=1000):
        yield from page
        offset += len(page)


def _median_seconds(tx: Transaction) -> dict[Stage, float]:
    times: dict[Stage, list[float]] = {}
    for judged in reviews.all_judgments(tx):
        times.setdefault(judged.stage, []).append(judged.seconds)
    return {stage: median(values) for stage, values in times.items()}


def rated_cases(tx: Transaction) -> Iterator[RatedCase]:
    """Every completed cross-check round as raters side by side, the owner first."""
    for _, group in groupby(
        reviews.all_judgments(tx, stage=Stage.CROSS_CHECK), key=lambda judged: (judged.case_pk, judged.round)
    ):
        judged: list[JudgmentRow] = list(group)
        row = queries.get_case(tx, judged[0].case_pk)
        case = load_revision(tx, judged[0].revision_id)
        owner = owner_labels(tx, case, row.pk)
        labels = [Judgment.model_validate_json(one.body).tasks for one in judged]
        said = dict(zip((one.person for one in judged), labels, strict=True))
        yield rated_case(case, {row.owner or "owner": owner, **said})


def agreement(
    workspace: Workspace, *, raters: tuple[str, ...] = (), seed: int = 0
) -> tuple[FieldAgreement, ...]:
    """Agreement of all cross-check rounds, field by field, owners counted as raters.

    Args:
        workspace: The project.
        raters: Only what these people said; empty for everybody.
        seed: Seed of the bootstrap intervals.
    """

    def query(tx: Transaction) -> tuple[FieldAgreement, ...]:
        rated = tuple(rated_cases(tx))
        if raters:
            rated = tuple(only_raters(case, raters) for case in rated)
        return agreement_table(rated, seed=seed)

    return workspace.read(query)


def agreement_summary(tx: Transaction) -> tuple[JsonObject, ...]:
    """Agreement per field as plain values for a manifest, without pairs and confusions."""
    table = agreement_table(tuple(rated_cases(tx)), seed=0, resamples=0)
    return tuple(
        {
            "field": row.field.value,
            **{
                measure.value: coefficient.model_dump(mode="json")
                for measure, coefficient in row.coefficients.items()
            },
        }
        for row in table
    )
