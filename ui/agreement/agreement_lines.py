"""The agreement as lines of tables."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial

from annotator.review.measures.disagreements import Disagreement, label_words
from annotator.review.measures.rater_agreement import DiagnosisRow
from annotator.review.measures.slice_agreement import SliceAgreement
from scoring.agreement.coefficients import Coefficient, Undefined
from scoring.agreement.fields import AgreementMeasure, FieldAgreement
from scoring.agreement.rated_cases import RatedField
from scoring.measures.intervals import RESAMPLES
from scoring.wording import counted, interval_words
from ui.theme.cells import Cell, count_cell
from ui.theme.tables import Column

FIELD_WORDS: Mapping[RatedField, str] = {
    RatedField.POLICY: "Policy",
    RatedField.INFORMATION: "Information",
    RatedField.COMPLETED: "Task completed",
    RatedField.CALL: "Call correct",
    RatedField.EDGE: "Edges (ordered pairs)",
    RatedField.EDGE_KIND: "Edge kind",
    RatedField.GRAPH: "Whole drawings",
    RatedField.CHECKLIST: "Checklist",
    RatedField.REVIEW: "How calls ended",
}
MEASURE_WORDS: Mapping[AgreementMeasure, str] = {
    AgreementMeasure.PERCENT: "Percent agreement",
    AgreementMeasure.KAPPA: "Cohen κ",
    AgreementMeasure.ALPHA: "Krippendorff α",
    AgreementMeasure.AC1: "Gwet AC1",
    AgreementMeasure.F1: "F1",
    AgreementMeasure.EXACT_MATCH: "Exact match",
    AgreementMeasure.SET_ALPHA: "Krippendorff α over sets",
    AgreementMeasure.PRECISION: "Precision",
    AgreementMeasure.RECALL: "Recall",
}
_ALPHA_TIP = "Krippendorff α: 1 perfect, 0 as by chance"
_INTERVAL_TIP = "95 % bootstrap interval of α, tasks resampled"
_KAPPA_TIP = "Cohen κ; Conger's for more than two raters"
_AGREE_TIP = "Share of rating pairs that agree; for drawings F1"
_BESIDES_TIP = "F1 of completion; drawings that are the same, edge by edge"
_USED_TIP = "Units with at least two ratings, of all units"
FIELD_COLUMNS: tuple[Column[FieldAgreement], ...] = (
    Column("Field", cell=lambda row: FIELD_WORDS[row.field]),
    Column(
        "Krippendorff α",
        108,
        lambda row: value_cell(_alpha(row)),
        is_figure=True,
        tip=_ALPHA_TIP,
        topic="agreement.alpha",
    ),
    Column("interval", 104, lambda row: _interval_cell(_alpha(row)), is_figure=True, tip=_INTERVAL_TIP),
    Column(
        "Cohen κ",
        80,
        lambda row: _optional_cell(row.coefficients.get(AgreementMeasure.KAPPA), "κ"),
        is_figure=True,
        tip=_KAPPA_TIP,
        topic="agreement.kappa",
    ),
    Column(
        "Gwet AC1",
        78,
        lambda row: _optional_cell(row.coefficients.get(AgreementMeasure.AC1), "AC1"),
        is_figure=True,
        tip="Gwet AC1",
        topic="agreement.ac1",
    ),
    Column(
        "agree",
        76,
        lambda row: _agree_cell(row),
        is_figure=True,
        tip=_AGREE_TIP,
        topic="agreement.percent",
    ),
    Column(
        "other",
        97,
        lambda row: _besides_cell(row),
        is_figure=True,
        tip=_BESIDES_TIP,
        topic="agreement.f1",
    ),
    Column(
        "used",
        124,
        lambda row: Cell(f"{_alpha(row).used:,} of {_alpha(row).total:,}", _alpha(row).used, colour="muted"),
        is_figure=True,
        tip=_USED_TIP,
    ),
)
_TIGHT = (
    ("Field", 158),
    ("α", 80),
    ("interval", 110),
    ("κ", 80),
    ("AC1", 52),
    ("agree", 72),
    ("other", 82),
    ("used", 88),
)
TIGHT_FIELD_COLUMNS: tuple[Column[FieldAgreement], ...] = tuple(
    replace(column, title=title, width=width)
    for column, (title, width) in zip(FIELD_COLUMNS, _TIGHT, strict=True)
)
"""The same columns where there is no room for whole names."""
DiagnosisLine = tuple[DiagnosisRow, Coefficient | None]
"""What a coefficient rests on, and the coefficient; None for the rounds, which come first."""
DIAGNOSIS_COLUMNS: tuple[Column[DiagnosisLine], ...] = (
    Column(
        "Field",
        124,
        lambda line: (
            FIELD_WORDS[RatedField(line[0].field)]
            if line[1]
            else Cell("Rounds", tip="Closed rounds of cross-check", is_strong=True)
        ),
    ),
    Column(
        "Coefficient", 136, lambda line: MEASURE_WORDS[AgreementMeasure(line[0].measure)] if line[1] else ""
    ),
    Column(
        "Value",
        72,
        lambda line: _figure(line[1].value, otherwise="undefined") if line[1] else "",
        is_figure=True,
    ),
    Column("95 %", 120, lambda line: _bounds(line[1]) if line[1] else "", is_figure=True),
    Column(
        "Seen",
        58,
        lambda line: _figure(line[1].observed) if line[1] else "",
        is_figure=True,
        tip="Observed agreement",
    ),
    Column(
        "Chance",
        60,
        lambda line: _figure(line[1].expected) if line[1] else "",
        is_figure=True,
        tip="Agreement expected by chance",
    ),
    Column(
        "Used", 52, lambda line: count_cell(line[0].used), is_figure=True, tip="Units with enough ratings"
    ),
    Column(
        "Excluded",
        74,
        lambda line: count_cell(line[0].excluded, colour="muted"),
        is_figure=True,
        tip="Units with too few ratings",
    ),
    Column(
        "What is missing, and why",
        cell=lambda line: (
            _missing(line[1]) if line[1] else Cell(line[0].reason if line[0].excluded else "", colour="muted")
        ),
    ),
)
DISAGREEMENT_COLUMNS: tuple[Column[tuple[int, Disagreement]], ...] = (
    Column("Case", 240, lambda line: Cell(line[1].case_id, is_mono=True)),
    Column("Where", 116, lambda line: Cell(line[1].where, colour="muted")),
    Column("Most said", cell=lambda line: _said(line[1].said[0])),
    Column("Others said", cell=lambda line: "; ".join(map(_said, line[1].said[1:]))),
)
"""Of a disagreement and its number: one case can have several lines, also of the same words."""
ONE_LABEL_SHORT = "one label only"
_MIRRORED = {
    AgreementMeasure.PRECISION: AgreementMeasure.RECALL,
    AgreementMeasure.RECALL: AgreementMeasure.PRECISION,
}


def main_measure(field: RatedField) -> AgreementMeasure:
    """The coefficient that stands first: α, for whole drawings over sets of edges."""
    return AgreementMeasure.SET_ALPHA if field is RatedField.GRAPH else AgreementMeasure.ALPHA


def _alpha(row: FieldAgreement) -> Coefficient:
    return row.coefficients[main_measure(row.field)]


def value_cell(found: Coefficient) -> Cell:
    """A coefficient with two decimals, or `undefined` with the reason."""
    if found.value is None:
        return Cell("undefined", None, f"Undefined: {found.undefined}.", colour="muted")
    return Cell(number(found.value), found.value, about(found))


def number(value: float) -> str:
    """A figure with two decimals and a true minus."""
    return f"{value:.2f}".replace("-", "−")


def about(found: Coefficient) -> str:
    """What a coefficient rests on, for its tooltip."""
    parts = [f"{found.used:,} of {counted(found.total, 'unit')} used"]
    if found.observed is not None and found.expected is not None:
        parts.append(f"agreement seen {found.observed:.3f}, by chance {found.expected:.3f}")
    if found.low is not None and found.high is not None:
        parts.append(f"95 % interval {interval_words(found.low, found.high)}")
    return "\n".join(parts)


def _interval_cell(found: Coefficient) -> Cell:
    if found.value is None:
        reason = found.undefined
        short = ONE_LABEL_SHORT if reason is Undefined.ONE_LABEL else reason or ""
        return Cell(short, None, f"Undefined: {reason}.", colour="muted")
    if found.low is None or found.high is None:
        return Cell("–", None, f"No interval: {found.no_interval}.", colour="muted")
    return Cell(interval_words(found.low, found.high), found.low, colour="muted")


def _agree_cell(row: FieldAgreement) -> Cell:
    is_graph = row.field is RatedField.GRAPH
    found = row.coefficients[AgreementMeasure.F1 if is_graph else AgreementMeasure.PERCENT]
    if found.value is None:
        return value_cell(found)
    words = f"F1 {number(found.value)}" if is_graph else f"{100 * found.value:.1f} %"
    return Cell(words, found.value, about(found))


def _besides_cell(row: FieldAgreement) -> Cell:
    """What only some fields have besides: F1 of completion, and how many drawings are the same."""
    if row.field is RatedField.COMPLETED:
        found, name = row.coefficients[AgreementMeasure.F1], "F1"
    elif row.field is RatedField.GRAPH:
        found, name = row.coefficients[AgreementMeasure.EXACT_MATCH], "same"
    else:
        return Cell("", None)
    if found.value is None:
        return value_cell(found)
    share = number(found.value) if name == "F1" else f"{100 * found.value:.0f} %"
    return Cell(f"{name} {share}", found.value, about(found), colour="muted")


def _optional_cell(found: Coefficient | None, name: str) -> Cell:
    reason = f"{name} has no form for drawings."
    return Cell("–", None, reason, colour="muted") if found is None else value_cell(found)


def confusion_words(row: FieldAgreement, count: int) -> str:
    """How many disagreements there are, and which two labels are confused most."""
    if not count:
        return "no disagreement"
    words = counted(count, "disagreement")
    if row.confusions:
        most = row.confusions[0]
        said, against = (label_words(row.field, value) for value in (most.said, most.against))
        words += f", most: {said} against {against} ({counted(most.count, 'pair')} of raters)"
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
        return Cell("", tip="" if name == other else f"{name} and {other} never judged the same case.")
    cell = value_cell(found)
    if found.value is None:
        return Cell("n/a", None, f"{name} and {other}: {cell.tip}", colour="muted")
    return Cell(cell.text, found.value, f"{name} and {other}\n{cell.tip}", heat=max(found.value, 0.0))


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
        return Cell(found.undefined or "", tip=f"Undefined: {found.undefined}.", colour="muted")
    if found.no_interval:
        return Cell(found.no_interval, tip=f"No interval: {found.no_interval}.", colour="muted")
    return Cell("", colour="muted")


def _figure(value: float | None, *, otherwise: str = "") -> Cell:
    if value is None:
        return Cell(otherwise, colour="muted")
    return Cell(f"{value:.3f}".replace("-", "−"), value)


def _said(group: tuple[str, tuple[str, ...]]) -> str:
    label, who = group
    return f"{label} · {', '.join(who)}"


def summary_words(measured: SliceAgreement, *, is_drawing: bool) -> str:
    """What the figures rest on; empty for nothing."""
    if not measured.rounds:
        return ""
    drawn = f"intervals 95 %, {RESAMPLES:,} resamples"
    waiting = "computing intervals …" if is_drawing else "no intervals; press F5 to compute them"
    parts = [
        f"{counted(measured.task_count, 'task')} in {counted(measured.case_count, 'case')}",
        counted(measured.rater_count, "rater"),
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
    Sheet.COEFFICIENTS: "Coefficients with intervals…",
    Sheet.DIAGNOSIS: "Diagnosis: units used and excluded…",
    Sheet.PAIRS: "Coefficients of every pair…",
    Sheet.TREND: "Trend by week and batch…",
    Sheet.EXPERTS: "Raters against experts by week…",
    Sheet.DISAGREEMENTS: "Disagreements of the selected field…",
    Sheet.STAGES: "Stage accuracy…",
    Sheet.RATINGS: "Ratings: who said what of each unit…",
}
