"""Who agrees with whom, how agreement moves, and what experts keep of everybody's labels: a tab each."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from annotator.review.measures.trends import ExpertPoint, TrendPoint, TrendStep
from scoring.agreement.fields import FieldAgreement, Measure
from scoring.agreement.rated_cases import RatedField
from scoring.wording import counted
from ui.agreement.agreement_jobs import Measured
from ui.agreement.agreement_lines import (
    FIELD_WORDS,
    MEASURE_WORDS,
    about,
    main_measure,
    pair_columns,
    pair_rows,
)
from ui.charts import CurvePoint, CurveView
from ui.theme import ElidedLabel, EmptyState, PanelHeader, theme
from ui.theme.buttons import ChoiceChip
from ui.theme.layouts import vbox
from ui.theme.panels import TabBar
from ui.theme.tables import FigureTable

_MAIN = ""
_TAB_NAMES = ("Pairs", "Trend", "Experts")
_PAIRS, _TREND = 0, 1


class RaterPanels(QWidget):
    """The matrix and the trend of one field; what experts kept of all labels of a person, week by week."""

    people_chosen = Signal(str, str)
    """Two raters whose cell was opened; the second is empty for a whole line."""
    batch_chosen = Signal(str)
    week_chosen = Signal(str)
    """A batch or week whose point in the trend was opened."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._measured: Measured | None = None
        self._field = RatedField.POLICY
        self._people: tuple[str, ...] = ()
        self._labels: tuple[str, ...] = ()
        self._weeks: tuple[str, ...] = ()
        self._tabs = TabBar("rater-tabs", _TAB_NAMES)
        self._tabs.currentChanged.connect(self._show)
        self._words = ElidedLabel("", "small-muted")
        self._words.setObjectName("rater-words")
        self._words.setContentsMargins(theme().px(8), 0, 0, 0)
        self._measure = ChoiceChip("pair-measure", "Coefficient", [(_MAIN, "α")])
        self._measure.chosen.connect(self._show)
        steps = [(step.value, f"By {step.value}") for step in TrendStep]
        self._step = ChoiceChip("trend-step", "Trend by", steps)
        self._step.chosen.connect(self._show)
        self._person = ChoiceChip("expert-person", "Labels of", [("", "everybody")])
        self._person.chosen.connect(self._show)
        header = PanelHeader("")
        header.add_left(self._tabs)
        header.add_left(self._words, stretch=1)
        header.add_right(self._measure)
        header.add_right(self._step)
        header.add_right(self._person)
        self._stack = QStackedWidget()
        self._pairs = FigureTable("pairs", "Pairs of raters", pair_columns(()), is_sortable=False)
        self._pairs.activated.connect(self._open_cell)
        self._trend = CurveView("trend", "Trend", is_percent=False)
        self._trend.opened.connect(self._open_point)
        self._experts = CurveView("against-experts", "Labels experts kept")
        self._experts.opened.connect(self._open_week)
        self._empty = EmptyState(
            "users", "No two raters judged the same case", "Two people have to judge the same cases."
        )
        for widget in (self._pairs, self._trend, self._experts, self._empty):
            self._stack.addWidget(widget)
        vbox(header, (self._stack, 1), within=self)

    def show_field(self, measured: Measured, field: RatedField) -> None:
        """Show pairs and trend of one field."""
        self._measured, self._field = measured, field
        pairs = _row_of(measured.table, field).pairs
        names = [measure for pair in pairs for measure in pair.coefficients]
        measures = [one for one in dict.fromkeys(names) if one is not main_measure(field)]
        others = [(measure.value, MEASURE_WORDS[measure]) for measure in measures]
        self._measure.set_choices([(_MAIN, MEASURE_WORDS[main_measure(field)]), *others])
        people = dict.fromkeys(point.person for point in measured.experts)
        self._person.set_choices([(name, name or "everybody") for name in people] or [("", "everybody")])
        self._show()

    def next_tab(self) -> None:
        """Show the next tab and give it the keys."""
        self._tabs.setCurrentIndex((self._tabs.currentIndex() + 1) % self._tabs.count())
        shown = self._stack.currentWidget()
        if shown is not None:
            shown.setFocus()

    def _show(self, _: object = None) -> None:
        if self._measured is None:
            return
        tab = self._tabs.currentIndex()
        self._measure.setVisible(tab == _PAIRS)
        self._step.setVisible(tab == _TREND)
        self._person.setVisible(tab > _TREND)
        show = (self._show_pairs, self._show_trend, self._show_experts)[tab]
        show(self._measured)

    def _show_pairs(self, measured: Measured) -> None:
        row = _row_of(measured.table, self._field)
        measure = Measure(self._measure.value) if self._measure.value else main_measure(self._field)
        self._people = tuple(sorted({name for pair in row.pairs for name in (pair.first, pair.second)}))
        self._pairs.show_rows(
            pair_rows(row, self._people, measure=measure), columns=pair_columns(self._people)
        )
        self._words.setText(f"{FIELD_WORDS[self._field].lower()}; a cell opens its pair")
        self._empty.set_words(
            "No two raters judged the same case", "Two people have to judge the same cases."
        )
        self._stack.setCurrentWidget(self._pairs if self._people else self._empty)

    def _show_trend(self, measured: Measured) -> None:
        step = TrendStep(self._step.value)
        points = measured.trends.get(step, ())
        self._labels = tuple(point.label for point in points)
        self._trend.show_points([trend_point(point, self._field) for point in points])
        name = MEASURE_WORDS[main_measure(self._field)]
        self._words.setText(f"{name}, {FIELD_WORDS[self._field].lower()}; Enter opens a point")
        waits = ("Nothing to show", "No round was closed here.") if measured.has_intervals else _WAITS
        self._empty.set_words(*waits)
        self._stack.setCurrentWidget(self._trend if points else self._empty)

    def _show_experts(self, measured: Measured) -> None:
        points = [point for point in measured.experts if point.person == self._person.value]
        self._weeks = tuple(point.label for point in points)
        self._experts.show_points([expert_point(point) for point in points])
        self._words.setText("labels experts kept; Enter opens a week")
        nothing = (
            "No expert decided yet",
            "Experts settle escalated and sampled cases on the Adjudication page.",
        )
        self._empty.set_words(*(nothing if measured.has_intervals else _WAITS))
        self._stack.setCurrentWidget(self._experts if points else self._empty)

    def _open_week(self, number: int) -> None:
        self.week_chosen.emit(self._weeks[number])

    def _open_cell(self, index: QModelIndex) -> None:
        person = self._people[index.row()]
        column = index.column() - 1
        other = self._people[column] if 0 <= column < len(self._people) else ""
        self.people_chosen.emit(person, other if other != person else "")

    def _open_point(self, number: int) -> None:
        is_week = TrendStep(self._step.value) is TrendStep.WEEK
        (self.week_chosen if is_week else self.batch_chosen).emit(self._labels[number])


_WAITS = "Measuring …", "Weeks and batches are measured after the table."


def trend_point(point: TrendPoint, field: RatedField) -> CurvePoint:
    """A week or batch with its coefficient, interval and the units behind it."""
    found = _row_of(point.table, field).coefficients[main_measure(field)]
    reason = f"undefined: {found.undefined}" if found.value is None else about(found)
    rounds, cases = counted(point.round_count, "round"), counted(point.case_count, "case")
    tip = f"{point.label}, {rounds} of {cases}\n{reason}"
    return CurvePoint(point.label, found.value, found.low, found.high, tip, f"n {found.used:,}")


def expert_point(point: ExpertPoint) -> CurvePoint:
    """A week with the share of labels experts kept, its interval and the labels behind it."""
    labels, cases = counted(point.kept.total, "label"), counted(point.case_count, "case")
    tip = f"{point.label}: {point.kept.count:,} of {labels} in {cases} stand as they were given"
    low, high = (point.interval.low, point.interval.high) if point.interval else (None, None)
    return CurvePoint(point.label, point.kept.value, low, high, tip, f"n {point.kept.total:,}")


def _row_of(table: Sequence[FieldAgreement], field: RatedField) -> FieldAgreement:
    return next(row for row in table if row.field is field)
