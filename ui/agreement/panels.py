"""The right side of the page: how right each stage left the cases, pairs of raters, and the trend."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from scoring.agreement import FieldAgreement, Measure
from scoring.rated_cases import RatedField
from scoring.stage_accuracy import StagePoint
from ui.agreement.lines import FIELD_WORDS, about, pair_columns, pair_rows
from ui.agreement.measuring import Measured
from ui.charts import CurvePoint, CurveView
from ui.theme import EmptyState, PanelHeader, TextLabel, theme
from ui.theme.tables import FigureTable
from ui.theme.words import STAGE

_SHORT = {
    "imported": "raw",
    "self_check_task": "self, tasks",
    "self_check_dialogue": "self, dialogue",
    "cross_check": "cross-check",
    "expert": "expert",
}


class SidePanels(QSplitter):
    """Stage accuracy, pairs, trend; one below the other."""

    person_chosen = Signal(str)
    """A rater whose line in the matrix was opened."""
    batch_chosen = Signal(str)
    """A batch whose point in the trend was opened."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        look = theme()
        self.setObjectName("agreement-side")
        self.setChildrenCollapsible(False)
        self._stages = CurveView("stage-accuracy", "Stage accuracy")
        words = TextLabel("share of final cases left unchanged after a stage", "small-muted")
        self.addWidget(_panel("Stage accuracy", words, self._stages))
        self._pair_words = TextLabel("", "small-muted")
        self._pairs = FigureTable("pairs", "Pairs of raters", pair_columns(()), is_sortable=False)
        self._pairs.opened.connect(self._choose_person)
        self._no_pair = EmptyState("users", "No two raters met", "Two people have to judge the same cases.")
        self.addWidget(_panel("Pairs", self._pair_words, self._pairs, self._no_pair))
        self._trend_words = TextLabel("", "small-muted")
        self._trend = CurveView("trend", "Trend", is_percent=False)
        self._trend.opened.connect(self._choose_batch)
        self._batches: tuple[str, ...] = ()
        self.addWidget(_panel("Trend", self._trend_words, self._trend))
        self.setSizes([look.px(270), look.px(260), look.px(240)])

    def show_curve(self, points: Sequence[StagePoint]) -> None:
        """Show the stage-accuracy curve."""
        self._stages.show_points([_stage_point(point) for point in points])

    def show_field(self, measured: Measured, field: RatedField) -> None:
        """Show pairs and trend of one field."""
        row = next(row for row in measured.table if row.field is field)
        name = FIELD_WORDS[field]
        people = sorted({rater for pair in row.pairs for rater in (pair.first, pair.second)})
        self._pair_words.setText(f"α of {name.lower()}; open a line to see one person's cases")
        self._pairs.show_rows(pair_rows(row, people), columns=pair_columns(people))
        self._pairs.setVisible(bool(people))
        self._no_pair.setVisible(not people)
        self._trend_words.setText(f"α of {name.lower()} by batch")
        found = [(batch, _row_of(table, field)) for batch, table in measured.trend]
        self._batches = tuple(batch for batch, _ in found)
        self._trend.show_points([_trend_point(batch, one) for batch, one in found])

    def _choose_person(self, key: Hashable) -> None:
        self.person_chosen.emit(str(key))

    def _choose_batch(self, number: int) -> None:
        self.batch_chosen.emit(self._batches[number])


def _panel(title: str, words: TextLabel, *members: QWidget) -> QWidget:
    header = PanelHeader(title)
    header.add_left(words)
    panel = QWidget()
    column = QVBoxLayout(panel)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(header)
    for member in members:
        column.addWidget(member, 1)
    return panel


def _stage_point(point: StagePoint) -> CurvePoint:
    name = _SHORT.get(point.stage.value, point.stage.value)
    title = "Raw, as imported" if name == "raw" else STAGE[point.stage]
    if point.accuracy is None:
        return CurvePoint(name, None, tip=f"{title}: undefined, {point.undefined}.")
    tip = f"{title}: {point.correct:,} of {point.total:,} cases left it as they are in the end"
    if point.low is not None and point.high is not None:
        tip += f"\n95 % interval {100 * point.low:.1f} to {100 * point.high:.1f} %"
    elif name == "expert":
        tip += "\n100 % by construction"
    if point.total < point.final_count:
        tip += f"\n{point.final_count - point.total:,} final cases never left this stage"
    return CurvePoint(name, point.accuracy, point.low, point.high, tip)


def _row_of(table: Sequence[FieldAgreement], field: RatedField) -> FieldAgreement:
    return next(row for row in table if row.field is field)


def _trend_point(batch: str, row: FieldAgreement) -> CurvePoint:
    found = row.coefficients[Measure.SET_ALPHA if row.field is RatedField.GRAPH else Measure.ALPHA]
    reason = f"undefined: {found.undefined}" if found.value is None else about(found)
    return CurvePoint(batch, found.value, found.low, found.high, f"{batch}\n{reason}")
