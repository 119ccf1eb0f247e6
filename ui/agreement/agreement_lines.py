"""The agreement as lines of tables."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from annotator.review.measures.disagreements import Disagreement, label_words
from annotator.review.measures.rater_agreement import DiagnosisRow
from annotator.review.measures.slice_agreement import SliceAgreement
from scoring.agreement.coefficients import Coefficient, Undefined
from scoring.agreement.fields import AgreementMeasure, FieldAgreement
from scoring.agreement.rated_cases import RatedField
from scoring.measures.intervals import RESAMPLES
from scoring.wording import counted, interval_words
from ui.theme.cells import Cell
from ui.theme.tables import Column, Row

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
FIELD_COLUMNS: tuple[Column[Any], ...] = (
    Column("Field"),
    Column("Krippendorff α", 108, is_figure=True, tip=_ALPHA_TIP, topic="agreement.alpha"),
    Column("interval", 104, is_figure=True, tip=_INTERVAL_TIP),
    Column("Cohen κ", 80, is_figure=True, tip=_KAPPA_TIP, topic="agreement.kappa"),
    Column("Gwet AC1", 78, is_figure=True, topic="agreement.ac1"),
    Column("agree", 76, is_figure=True, tip=_AGREE_TIP, topic="agreement.percent"),
    Column("other", 97, is_figure=True, tip=_BESIDES_TIP, topic="agreement.f1"),
    Column("used", 124, is_figure=True, tip=_USED_TIP),
)
TIGHT_FIELD_COLUMNS: tuple[Column[Any], ...] = (
    Column("Field", 158),
    Column("α", 80, is_figure=True, tip=_ALPHA_TIP, topic="agreement.alpha"),
    Column("interval", 110, is_figure=True, tip=_INTERVAL_TIP),
    Column("κ", 80, is_figure=True, tip=_KAPPA_TIP, topic="agreement.kappa"),
    Column("AC1", 52, is_figure=True, tip="Gwet AC1", topic="agreement.ac1"),
    Column("agree", 72, is_figure=True, tip=_AGREE_TIP, topic="agreement.percent"),
    Column("other", 82, is_figure=True, tip=_BESIDES_TIP, topic="agreement.f1"),
    Column("used", 88, is_figure=True, tip=_USED_TIP),
)
"""The same columns where there is no room for whole names."""
DIAGNOSIS_COLUMNS: tuple[Column[Any], ...] = (
    Column("Field", 124),
    Column("Coefficient", 136),
    Column("Value", 72, is_figure=True),
    Column("95 %", 120, is_figure=True),
    Column("Seen", 58, is_figure=True, tip="Observed agreement"),
    Column("Chance", 60, is_figure=True, tip="Agreement expected by chance"),
    Column("Used", 52, is_figure=True, tip="Units with enough ratings"),
    Column("Excluded", 74, is_figure=True, tip="Units with too few ratings"),
    Column("What is missing, and why"),
)
DISAGREEMENT_COLUMNS: tuple[Column[Any], ...] = (
    Column("Case", 240),
    Column("Where", 116),
    Column("Most said"),
    Column("Others said"),
)
ONE_LABEL_SHORT = "one label only"
_MIRRORED = {
    AgreementMeasure.PRECISION: AgreementMeasure.RECALL,
    AgreementMeasure.RECALL: AgreementMeasure.PRECISION,
}


def main_measure(field: RatedField) -> AgreementMeasure:
    """The coefficient that stands first: α, for whole drawings over sets of edges."""
    return AgreementMeasure.SET_ALPHA if field is RatedField.GRAPH else AgreementMeasure.ALPHA


def field_row(row: FieldAgreement) -> Row:
    """The agreement on a field."""
    found = row.coefficients
    is_graph = row.field is RatedField.GRAPH
    alpha = found[main_measure(row.field)]
    agree = found[AgreementMeasure.F1 if is_graph else AgreementMeasure.PERCENT]
    return Row(
        row.field,
        (
            Cell(FIELD_WORDS[row.field]),
            value_cell(alpha),
            _interval_cell(alpha),
            _optional_cell(found.get(AgreementMeasure.KAPPA), "κ has no form for drawings."),
            _optional_cell(found.get(AgreementMeasure.AC1), "AC1 has no form for drawings."),
            _agree_cell(agree, is_graph=is_graph),
            _besides_cell(row),
            Cell(f"{alpha.used:,} of {alpha.total:,}", alpha.used, colour="muted"),
        ),
    )


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


def _agree_cell(found: Coefficient, *, is_graph: bool) -> Cell:
    if found.value is None:
        return value_cell(found)
    if is_graph:
        return Cell(f"F1 {number(found.value)}", found.value, about(found))
    return Cell(f"{100 * found.value:.1f} %", found.value, about(found))


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


def _optional_cell(found: Coefficient | None, reason: str) -> Cell:
    return Cell("–", None, reason, colour="faint") if found is None else value_cell(found)


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


def pair_columns(people: Sequence[str]) -> tuple[Column[Any], ...]:
    """A column for each rater, after the one with the names."""
    return (Column("", 96), *(Column(name, 84, is_figure=True) for name in people), Column(""))


def pair_rows(
    row: FieldAgreement, people: Sequence[str], *, measure: AgreementMeasure = AgreementMeasure.ALPHA
) -> tuple[Row, ...]:
    """The matrix of pairs for one field, darker where it is higher; empty where two never met.

    Precision and recall have the rater of the line as reference; the other way round they change places.
    """
    found: dict[tuple[str, str], Coefficient] = {}
    for pair in row.pairs:
        if measure in pair.coefficients:
            found[pair.first, pair.second] = pair.coefficients[measure]
            found[pair.second, pair.first] = pair.coefficients[_MIRRORED.get(measure, measure)]
    return tuple(
        Row(
            name,
            (
                Cell(name, is_strong=False),
                *(_pair_cell(found.get((name, other)), name, other) for other in people),
                Cell(""),
            ),
        )
        for name in people
    )


def _pair_cell(found: Coefficient | None, name: str, other: str) -> Cell:
    if found is None or name == other:
        return Cell("", tip="" if name == other else f"{name} and {other} never judged the same case.")
    cell = value_cell(found)
    if found.value is None:
        return Cell("n/a", None, f"{name} and {other}: {cell.tip}", colour="muted")
    return Cell(cell.text, found.value, f"{name} and {other}\n{cell.tip}", heat=max(found.value, 0.0))


def diagnosis_rows(table: Sequence[FieldAgreement], rests_on: Sequence[DiagnosisRow]) -> tuple[Row, ...]:
    """Everything behind every number: what was used and left out, and why a number is undefined.

    First the rounds themselves, of what `rests_on` says.
    """
    rounds = tuple(
        Row(
            ("round", ""),
            (
                Cell("Rounds", tip="Closed rounds of cross-check", is_strong=True),
                *(Cell("") for _ in range(5)),
                Cell(f"{one.used:,}", one.used),
                Cell(f"{one.excluded:,}", one.excluded, colour="muted"),
                Cell(one.reason if one.excluded else "", colour="muted"),
            ),
        )
        for one in rests_on
        if one.field == "round"
    )
    return rounds + tuple(
        Row((row.field, measure), _diagnosis(row.field, measure, found), topic=f"agreement.{measure}")
        for row in table
        for measure, found in row.coefficients.items()
    )


def _diagnosis(field: RatedField, measure: AgreementMeasure, found: Coefficient) -> tuple[Cell, ...]:
    low, high = found.low, found.high
    interval = "" if found.value is None else "–"
    if low is not None and high is not None:
        interval = interval_words(low, high, form=".3f")
    return (
        Cell(FIELD_WORDS[field]),
        Cell(MEASURE_WORDS[measure]),
        _figure(found.value, otherwise="undefined"),
        Cell(interval, low, colour="muted"),
        _figure(found.observed),
        _figure(found.expected),
        Cell(f"{found.used:,}", found.used),
        Cell(f"{found.total - found.used:,}", found.total - found.used, colour="muted"),
        _missing(found),
    )


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


def disagreement_row(number: int, one: Disagreement) -> Row:
    """A disagreement; the key is (case, number of the line)."""
    most, *others = one.said
    return Row(
        (one.case_id, number),
        (
            Cell(one.case_id, is_mono=True),
            Cell(one.where, colour="muted"),
            Cell(_said(most)),
            Cell("; ".join(map(_said, others))),
        ),
    )


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
