"""The agreement as lines of tables."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import partial

from annotator.review.measures.disagreements import Disagreement, agreement_words, label_words
from annotator.review.measures.rater_agreement import DiagnosisRow
from annotator.review.measures.slice_agreement import SliceAgreement
from scoring.agreement.coefficients import Coefficient, Undefined
from scoring.agreement.fields import AgreementMeasure, FieldAgreement
from scoring.agreement.rated_cases import RatedField
from scoring.measures.intervals import RESAMPLES
from scoring.texts import tr, tr_count, with_commas
from scoring.wording import interval_words
from ui.theme.cells import Cell, count_cell
from ui.theme.tables import Column

FIELD_WORDS: Mapping[RatedField, str] = {
    RatedField.POLICY: tr("Policy"),
    RatedField.INFORMATION: tr("Information"),
    RatedField.COMPLETED: tr("Task completed"),
    RatedField.CALL: tr("Call correct"),
    RatedField.EDGE: tr("Edges (ordered pairs)"),
    RatedField.EDGE_KIND: tr("Edge kind"),
    RatedField.GRAPH: tr("Whole drawings"),
    RatedField.CHECKLIST: tr("Checklist"),
    RatedField.REVIEW: tr("How calls ended"),
}
MEASURE_WORDS: Mapping[AgreementMeasure, str] = {
    AgreementMeasure.PERCENT: tr("Percent agreement"),
    AgreementMeasure.KAPPA: tr("Cohen κ"),
    AgreementMeasure.ALPHA: tr("Krippendorff α"),
    AgreementMeasure.AC1: tr("Gwet AC1"),
    AgreementMeasure.F1: "F1",
    AgreementMeasure.EXACT_MATCH: tr("Exact match"),
    AgreementMeasure.SET_ALPHA: tr("Krippendorff α over sets"),
    AgreementMeasure.PRECISION: tr("Precision"),
    AgreementMeasure.RECALL: tr("Recall"),
}
FIELD_COLUMNS: tuple[Column[FieldAgreement], ...] = (
    Column(tr("Field"), 158, lambda row: FIELD_WORDS[row.field]),
    Column(
        tr("agree"),
        76,
        lambda row: _agree_cell(row),
        is_figure=True,
        tip=tr("Share of rating pairs that agree; for drawings F1"),
        topic="agreement.percent",
    ),
    Column(
        "α",
        88,
        lambda row: value_cell(row.beyond_chance),
        is_figure=True,
        tip=tr("Krippendorff α: 1 perfect, 0 as by chance"),
        topic="agreement.alpha",
    ),
    Column(
        "95 %",
        112,
        lambda row: _interval_cell(row.beyond_chance),
        is_figure=True,
        tip=tr("95 % bootstrap interval of α, tasks resampled"),
        leave_out=2,
    ),
    Column(
        tr("used"),
        92,
        lambda row: Cell(
            tr("{used:,} of {total:,}", used=row.beyond_chance.used, total=row.beyond_chance.total),
            row.beyond_chance.used,
            colour="muted",
        ),
        is_figure=True,
        tip=tr("Units with at least two ratings, of all units"),
        leave_out=1,
    ),
    Column(tr("In words"), cell=lambda row: Cell(agreement_words(row), colour="muted")),
)
"""What people act on; the other coefficients stand in the diagnosis."""
DiagnosisLine = tuple[DiagnosisRow, Coefficient | None]
"""What a coefficient rests on, and the coefficient; None for the rounds, which come first."""
DIAGNOSIS_COLUMNS: tuple[Column[DiagnosisLine], ...] = (
    Column(
        tr("Field"),
        124,
        lambda line: (
            FIELD_WORDS[RatedField(line[0].field)]
            if line[1]
            else Cell(tr("Rounds"), tip=tr("Closed rounds of cross-check"), is_strong=True)
        ),
    ),
    Column(
        tr("Coefficient"),
        136,
        lambda line: MEASURE_WORDS[AgreementMeasure(line[0].measure)] if line[1] else "",
    ),
    Column(
        tr("Value"),
        72,
        lambda line: _figure(line[1].value, otherwise=tr("undefined")) if line[1] else "",
        is_figure=True,
    ),
    Column("95 %", 120, lambda line: _bounds(line[1]) if line[1] else "", is_figure=True),
    Column(
        tr("Seen"),
        58,
        lambda line: _figure(line[1].observed) if line[1] else "",
        is_figure=True,
        tip=tr("Observed agreement"),
    ),
    Column(
        tr("Chance"),
        60,
        lambda line: _figure(line[1].expected) if line[1] else "",
        is_figure=True,
        tip=tr("Agreement expected by chance"),
    ),
    Column(
        tr("Used"),
        52,
        lambda line: count_cell(line[0].used),
        is_figure=True,
        tip=tr("Units with enough ratings"),
    ),
    Column(
        tr("Excluded"),
        74,
        lambda line: count_cell(line[0].excluded, colour="muted"),
        is_figure=True,
        tip=tr("Units with too few ratings"),
    ),
    Column(
        tr("What is missing, and why"),
        cell=lambda line: (
            _missing(line[1]) if line[1] else Cell(line[0].reason if line[0].excluded else "", colour="muted")
        ),
    ),
)
DISAGREEMENT_COLUMNS: tuple[Column[tuple[int, Disagreement]], ...] = (
    Column(tr("Case"), 240, lambda line: Cell(line[1].case_id, is_mono=True)),
    Column(tr("Where"), 116, lambda line: Cell(tr(line[1].where), colour="muted")),
    Column(tr("Most said"), cell=lambda line: _said(line[1].said[0])),
    Column(tr("Others said"), cell=lambda line: "; ".join(map(_said, line[1].said[1:]))),
)
"""Of a disagreement and its number: one case can have several lines, also of the same words."""
_MIRRORED = {
    AgreementMeasure.PRECISION: AgreementMeasure.RECALL,
    AgreementMeasure.RECALL: AgreementMeasure.PRECISION,
}


def value_cell(found: Coefficient) -> Cell:
    """A coefficient with two decimals, or `undefined` with the reason."""
    if found.value is None:
        return Cell(
            tr("undefined"),
            None,
            tr("Undefined: {undefined}.", undefined=tr(found.undefined or "")),
            colour="muted",
        )
    return Cell(number(found.value), found.value, about(found))


def number(value: float) -> str:
    """A figure with two decimals and a true minus."""
    return f"{value:.2f}".replace("-", "−")


def about(found: Coefficient) -> str:
    """What a coefficient rests on, for its tooltip."""
    parts = (
        tr("{used:,} of {unit} used", used=found.used, unit=tr_count(found.total, "unit")),
        tr(
            "agreement seen {observed:.3f}, by chance {expected:.3f}",
            observed=found.observed,
            expected=found.expected,
        )
        if found.observed is not None and found.expected is not None
        else "",
        tr("95 % interval {interval_words}", interval_words=interval_words(found.low, found.high))
        if found.low is not None and found.high is not None
        else "",
    )
    return "\n".join(filter(None, parts))


def _interval_cell(found: Coefficient) -> Cell:
    if found.value is None:
        reason = found.undefined
        short = tr("one label only") if reason is Undefined.ONE_LABEL else tr(reason or "")
        return Cell(short, None, tr("Undefined: {reason}.", reason=tr(reason or "")), colour="muted")
    if found.low is None or found.high is None:
        return Cell(
            "–",
            None,
            tr("No interval: {no_interval}.", no_interval=tr(found.no_interval or "")),
            colour="muted",
        )
    return Cell(interval_words(found.low, found.high), found.low, colour="muted")


def _agree_cell(row: FieldAgreement) -> Cell:
    found = row.seen
    if found.value is None:
        return value_cell(found)
    words = f"F1 {number(found.value)}" if row.field is RatedField.GRAPH else f"{100 * found.value:.1f} %"
    return Cell(words, found.value, about(found))


def confusion_words(row: FieldAgreement, count: int) -> str:
    """How many disagreements there are, and which two labels are confused most."""
    if not count:
        return tr("no disagreement")
    words = tr_count(count, "disagreement")
    if row.confusions:
        most = row.confusions[0]
        said, against = (label_words(row.field, value) for value in (most.said, most.against))
        words = tr(
            "{disagreements}, most: {said} against {against} ({pair} of raters)",
            disagreements=words,
            said=said,
            against=against,
            pair=tr_count(most.count, "pair"),
        )
    return words


def pair_columns(
    row: FieldAgreement, people: Sequence[str], *, measure: AgreementMeasure = AgreementMeasure.ALPHA
) -> tuple[Column[str], ...]:
    """The matrix of pairs for one field, darker where it is higher; empty where two never met.

    Precision and recall have the rater of the line as reference; the other way round they change places.
    """
    found: dict[tuple[str, str], Coefficient] = {}
    for pair in row.pairs:
        if measure in pair.coefficients:
            found[pair.first, pair.second] = pair.coefficients[measure]
            found[pair.second, pair.first] = pair.coefficients[_MIRRORED.get(measure, measure)]
    others = (Column(other, 84, partial(_pair_cell, found, other), is_figure=True) for other in people)
    return (Column("", 96, str), *others, Column(""))


def _pair_cell(matrix: Mapping[tuple[str, str], Coefficient], other: str, name: str) -> Cell:
    found = matrix.get((name, other))
    if found is None or name == other:
        return Cell(
            "",
            tip=""
            if name == other
            else tr("{name} and {other} never judged the same case.", name=name, other=other),
        )
    cell = value_cell(found)
    if found.value is None:
        return Cell(
            tr("n/a"),
            None,
            tr("{name} and {other}: {tip}", name=name, other=other, tip=cell.tip),
            colour="muted",
        )
    return Cell(
        cell.text,
        found.value,
        tr("{name} and {other}\n{tip}", name=name, other=other, tip=cell.tip),
        heat=max(found.value, 0.0),
    )


def diagnosis_lines(measured: SliceAgreement) -> list[DiagnosisLine]:
    """Everything behind every number: what was used and left out, and why a number is undefined."""
    found = (coefficient for row in measured.table for coefficient in row.coefficients.values())
    return list(zip(measured.diagnosis, (None, *found), strict=True))


def _bounds(found: Coefficient) -> Cell:
    if found.low is None or found.high is None:
        return Cell("" if found.value is None else "–", None, colour="muted")
    return Cell(interval_words(found.low, found.high, form=".3f"), found.low, colour="muted")


def _missing(found: Coefficient) -> Cell:
    """Why there is no value, or no interval; empty where there are both."""
    if found.value is None:
        return Cell(
            tr(found.undefined or ""),
            tip=tr("Undefined: {undefined}.", undefined=tr(found.undefined or "")),
            colour="muted",
        )
    reason = tr(found.no_interval or "")
    tip = tr("No interval: {no_interval}.", no_interval=reason) if reason else ""
    return Cell(reason, tip=tip, colour="muted")


def _figure(value: float | None, *, otherwise: str = "") -> Cell:
    return Cell(otherwise, colour="muted") if value is None else Cell(f"{value:.3f}".replace("-", "−"), value)


def _said(group: tuple[str, tuple[str, ...]]) -> str:
    label, who = group
    return f"{label} · {with_commas(who)}"


def summary_words(measured: SliceAgreement, *, is_drawing: bool) -> str:
    """What the figures rest on; empty for nothing."""
    if not measured.rounds:
        return ""
    drawn = tr("intervals 95 %, {resamples:,} resamples", resamples=RESAMPLES)
    waiting = tr("computing intervals …") if is_drawing else tr("no intervals; press F5 to compute them")
    parts = [
        tr(
            "{task} in {case}",
            task=tr_count(measured.task_count, "task"),
            case=tr_count(measured.case_count, "case"),
        ),
        tr_count(measured.rater_count, "rater"),
        drawn if measured.has_intervals else waiting,
    ]
    return " · ".join(parts)


class Sheet(StrEnum):
    """What can be exported."""

    COEFFICIENTS = "coefficients"
    DIAGNOSIS = "diagnosis"
    PAIRS = "pairs"
    TREND = "trend"
    EXPERTS = "against-experts"
    DISAGREEMENTS = "disagreements"
    STAGES = "stage-accuracy"
    RATINGS = "ratings"


SHEET_WORDS = {
    Sheet.COEFFICIENTS: tr("Coefficients with intervals…"),
    Sheet.DIAGNOSIS: tr("Diagnosis: units used and excluded…"),
    Sheet.PAIRS: tr("Coefficients of every pair…"),
    Sheet.TREND: tr("Trend by week and batch…"),
    Sheet.EXPERTS: tr("Raters against experts by week…"),
    Sheet.DISAGREEMENTS: tr("Disagreements of the selected field…"),
    Sheet.STAGES: tr("Stage accuracy…"),
    Sheet.RATINGS: tr("Ratings: who said what of each unit…"),
}
