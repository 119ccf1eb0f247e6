"""The agreement as CSV, with every digit and every reason."""

from collections.abc import Mapping, Sequence

from annotator.files import csv_text
from annotator.review.measures.accuracy_curve import AccuracyReading
from annotator.review.measures.disagreements import Disagreement
from annotator.review.measures.trends import ExpertPoint, TrendPoint, TrendStep
from scoring.agreement.fields import FieldAgreement
from scoring.measures.stage_accuracy import StagePoint


def coefficients_csv(table: Sequence[FieldAgreement]) -> str:
    """Every coefficient of every field: value, interval, units used and left out, and why one is missing."""
    head = ("field", "coefficient", "value", "low", "high", "observed", "expected")
    rows = (
        (
            row.field.value,
            measure.value,
            found.value,
            found.low,
            found.high,
            found.observed,
            found.expected,
            found.used,
            found.total - found.used,
            found.total,
            found.undefined,
            found.no_interval,
        )
        for row in table
        for measure, found in row.coefficients.items()
    )
    return csv_text((*head, "used", "excluded", "total", "undefined", "no_interval"), rows)


def pairs_csv(table: Sequence[FieldAgreement]) -> str:
    """Every coefficient of every two raters who judged the same cases."""
    rows = (
        (row.field.value, pair.first, pair.second, measure.value, f.value, f.used, f.total, f.undefined)
        for row in table
        for pair in row.pairs
        for measure, f in pair.coefficients.items()
    )
    return csv_text(("field", "first", "second", "coefficient", "value", "used", "total", "undefined"), rows)


def disagreements_csv(disagreements: Sequence[Disagreement]) -> str:
    """Every disagreement: one line for each thing that was said, with who said it."""
    rows = (
        (disagreement.case_id, disagreement.task, disagreement.where, label, " ".join(who))
        for disagreement in disagreements
        for label, who in disagreement.said
    )
    return csv_text(("case", "task", "where", "said", "by"), rows)


def trend_csv(trends: Mapping[TrendStep, Sequence[TrendPoint]]) -> str:
    """Every coefficient of every field, week by week and batch by batch."""
    return csv_text(
        (
            *("by", "point", "rounds", "field", "coefficient"),
            "value",
            "low",
            "high",
            "used",
            "total",
            "undefined",
            "no_interval",
        ),
        (
            (
                *(step.value, point.label, point.round_count, row.field.value, measure.value),
                *(found.value, found.low, found.high, found.used, found.total),
                *(found.undefined, found.no_interval),
            )
            for step, points in trends.items()
            for point in points
            for row in point.table
            for measure, found in row.coefficients.items()
        ),
    )


def experts_csv(points: Sequence[ExpertPoint]) -> str:
    """What experts kept of everybody's labels, week by week; an empty person is everybody."""
    return csv_text(
        ("person", "week", "kept", "low", "high", "labels", "cases"),
        (
            (
                point.person,
                point.label,
                point.kept.value,
                point.interval.low if point.interval else None,
                point.interval.high if point.interval else None,
                point.kept.total,
                point.case_count,
            )
            for point in points
        ),
    )


def stages_csv(curves: Mapping[tuple[str, AccuracyReading], Sequence[StagePoint]]) -> str:
    """Stage-accuracy curves by name and reading; those of the whole slice are called `overall`."""
    return csv_text(
        (
            *("of", "reading", "stage", "accuracy", "low", "high", "correct", "total", "final_cases"),
            "undefined",
            "no_interval",
        ),
        (
            (
                name or "overall",
                reading.value,
                p.stage.value,
                p.accuracy,
                p.low,
                p.high,
                p.correct,
                p.total,
                p.final_count,
                p.undefined,
                p.no_interval,
            )
            for (name, reading), points in curves.items()
            for p in points
        ),
    )
