"""The panels of the page: the table of fields, the cases behind a figure, and the raters, a tab each."""

from collections.abc import Hashable, Sequence
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QWidget

from annotator.review.measures.accuracy_curve import StageCase
from annotator.review.measures.disagreements import Disagreement, disagreements
from annotator.review.measures.slice_agreement import SliceAgreement
from annotator.review.measures.trends import ExpertPoint, TrendPoint, TrendStep
from scoring.agreement.fields import AgreementMeasure, FieldAgreement, main_measure
from scoring.agreement.rated_cases import RatedField
from scoring.texts import tr, tr_count
from ui.agreement.accuracy import STAGE_CASE_COLUMNS, CurvePlace, place_words, stage_name
from ui.agreement.agreement_lines import (
    DIAGNOSIS_COLUMNS,
    DISAGREEMENT_COLUMNS,
    FIELD_WORDS,
    MEASURE_WORDS,
    about,
    confusion_words,
    diagnosis_lines,
    pair_columns,
)
from ui.charts import CurvePoint, CurveView
from ui.services.commands import Commands
from ui.theme import ButtonKind, ElidedLabel, EmptyState, PanelHeader, theme
from ui.theme.buttons import ChoiceChip
from ui.theme.layouts import build, stacked, vbox
from ui.theme.panels import TabBar, focus_shown
from ui.theme.tables import FigureTable
from ui.theme.words import name_key

_MAIN = ""
_PAIRS, _TREND = 0, 1


class RaterPanels(QWidget):
    """The matrix and the trend of one field; what experts kept of all labels of a person, week by week."""

    people_chosen = Signal(str, str)
    """Two raters whose cell was opened; the second is empty for a whole line."""
    point_chosen = Signal(object, str)
    """A batch or a week, as a `TrendStep` says, and the one whose point was opened."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        build(super().__init__, parent, **properties)
        self._measured: SliceAgreement | None = None
        self._field = RatedField.POLICY
        self._people: tuple[str, ...] = ()
        self._labels: tuple[str, ...] = ()
        self._weeks: tuple[str, ...] = ()
        self._tabs = TabBar(
            "rater-tabs", (tr("Pairs"), tr("Trend"), tr("Experts")), currentChanged=self._show
        )
        self._words = ElidedLabel("", "small-muted", objectName="rater-words")
        self._words.setContentsMargins(theme().px(8), 0, 0, 0)
        self._measure = ChoiceChip("pair-measure", tr("Coefficient"), [(_MAIN, "α")], chosen=self._show)
        steps = [(step.value, tr("By {value}", value=tr(step.value))) for step in TrendStep]
        self._step = ChoiceChip("trend-step", tr("Trend by"), steps, chosen=self._show)
        self._person = ChoiceChip(
            "expert-person", tr("Labels of"), [("", tr("everybody"))], chosen=self._show
        )
        header = PanelHeader("", self._tabs, (self._words, 1), self._measure, self._step, self._person)
        self._pairs = FigureTable(
            "pairs", tr("Pairs of raters"), (), is_sortable=False, activated=self._open_cell
        )
        self._trend = CurveView(
            "trend",
            tr("Trend"),
            is_percent=False,
            opened=lambda number: self.point_chosen.emit(TrendStep(self._step.value), self._labels[number]),
        )
        self._experts = CurveView(
            "against-experts",
            tr("Labels experts kept"),
            opened=lambda number: self.point_chosen.emit(TrendStep.WEEK, self._weeks[number]),
        )
        self._empty = EmptyState(
            "users", tr("No two raters judged the same case"), tr("Two people have to judge the same cases.")
        )
        self._stack = stacked(self._pairs, self._trend, self._experts, self._empty)
        vbox(header, (self._stack, 1), within=self)

    def show_field(self, measured: SliceAgreement, field: RatedField) -> None:
        """Show pairs and trend of one field."""
        self._measured, self._field = measured, field
        names = [measure for pair in _row_of(measured.table, field).pairs for measure in pair.coefficients]
        measures = [one for one in dict.fromkeys(names) if one is not main_measure(field)]
        others = [(measure.value, MEASURE_WORDS[measure]) for measure in measures]
        self._measure.set_choices([(_MAIN, MEASURE_WORDS[main_measure(field)]), *others])
        people = dict.fromkeys(point.person for point in measured.experts)
        self._person.set_choices(
            [(name, name or tr("everybody")) for name in people] or [("", tr("everybody"))]
        )
        self._show()

    def next_tab(self) -> None:
        """Show the next tab and give it the keys."""
        self._tabs.step()
        focus_shown(self._stack)

    def _show(self, _: object = None) -> None:
        if self._measured is None:
            return
        tab = self._tabs.currentIndex()
        self._measure.setVisible(tab == _PAIRS)
        self._step.setVisible(tab == _TREND)
        self._person.setVisible(tab > _TREND)
        (self._show_pairs, self._show_trend, self._show_experts)[tab](self._measured)

    def _show_pairs(self, measured: SliceAgreement) -> None:
        row = _row_of(measured.table, self._field)
        measure = AgreementMeasure(self._measure.value) if self._measure.value else main_measure(self._field)
        self._people = tuple(
            sorted({name for pair in row.pairs for name in (pair.first, pair.second)}, key=name_key)
        )
        self._pairs.show_items(
            self._people, key=str, columns=pair_columns(row, self._people, measure=measure)
        )
        self._words.setText(
            tr("{field_words}; a cell opens its pair", field_words=FIELD_WORDS[self._field].lower())
        )
        self._empty.set_words(
            tr("No two raters judged the same case"), tr("Two people have to judge the same cases.")
        )
        self._stack.setCurrentWidget(self._pairs if self._people else self._empty)

    def _show_trend(self, measured: SliceAgreement) -> None:
        points = measured.trends.get(TrendStep(self._step.value), ())
        self._labels = tuple(point.label for point in points)
        self._trend.show_points([trend_point(point, self._field) for point in points])
        self._words.setText(
            tr(
                "{name}, {field_words}; Enter opens a point",
                name=MEASURE_WORDS[main_measure(self._field)],
                field_words=FIELD_WORDS[self._field].lower(),
            )
        )
        waits = (tr("Nothing to show"), tr("No round was closed here.")) if measured.has_intervals else _WAITS
        self._empty.set_words(*waits)
        self._stack.setCurrentWidget(self._trend if points else self._empty)

    def _show_experts(self, measured: SliceAgreement) -> None:
        points = [point for point in measured.experts if point.person == self._person.value]
        self._weeks = tuple(point.label for point in points)
        self._experts.show_points([expert_point(point) for point in points])
        self._words.setText(tr("labels experts kept; Enter opens a week"))
        nothing = (
            tr("No expert decided yet"),
            tr("Experts settle escalated and sampled cases on the Adjudication page."),
        )
        self._empty.set_words(*(nothing if measured.has_intervals else _WAITS))
        self._stack.setCurrentWidget(self._experts if points else self._empty)

    def _open_cell(self, index: QModelIndex) -> None:
        person = self._people[index.row()]
        column = index.column() - 1
        other = self._people[column] if 0 <= column < len(self._people) else ""
        self.people_chosen.emit(person, other if other != person else "")


_WAITS = tr("Measuring …"), tr("Weeks and batches are measured after the table.")


def trend_point(point: TrendPoint, field: RatedField) -> CurvePoint:
    """A week or batch with its coefficient, interval and the units behind it."""
    found = _row_of(point.table, field).coefficients[main_measure(field)]
    reason = (
        tr("undefined: {undefined}", undefined=tr(found.undefined or ""))
        if found.value is None
        else about(found)
    )
    rounds, cases = tr_count(point.round_count, "round"), tr_count(point.case_count, "case")
    tip = tr(
        "{label}, {rounds} of {cases}\n{reason}", label=point.label, rounds=rounds, cases=cases, reason=reason
    )
    return CurvePoint(point.label, found.value, found.low, found.high, tip, f"n {found.used:,}")


def expert_point(point: ExpertPoint) -> CurvePoint:
    """A week with the share of labels experts kept, its interval and the labels behind it."""
    labels, cases = tr_count(point.kept.total, "label"), tr_count(point.case_count, "case")
    tip = tr(
        "{label}: {count:,} of {labels} in {cases} stand as they were given",
        label=point.label,
        count=point.kept.count,
        labels=labels,
        cases=cases,
    )
    low, high = (point.interval.low, point.interval.high) if point.interval else (None, None)
    return CurvePoint(point.label, point.kept.value, low, high, tip, f"n {point.kept.total:,}")


def _row_of(table: Sequence[FieldAgreement], field: RatedField) -> FieldAgreement:
    return next(row for row in table if row.field is field)


HIDDEN = tr("Only experts and managers can see the cases behind a figure, so that reviews stay blind.")
_STAGE_TAB = 2
_AGREED = tr("No disagreement"), tr("All raters agree on this field.")


class CasesPanel(QWidget):
    """Disagreements, diagnosis and the cases of a stage, one tab each.

    `sees_cases` decides whether disagreements are listed. Cases of a stage are final, so that everybody may
    see them.
    """

    case_opened = Signal(str)
    """Id of a case whose line was opened."""
    field_opened = Signal(object)
    """The `RatedField` whose diagnosis was opened."""
    marked = Signal()
    """Another case is marked, or none."""

    def __init__(self, commands: Commands, *, sees_cases: bool, **properties: Any) -> None:
        build(super().__init__, **properties)
        self._sees_cases = sees_cases
        self.found: tuple[Disagreement, ...] = ()
        self.tabs = TabBar(
            "agreement-tabs",
            (tr("Disagreements"), tr("Diagnosis"), tr("Stage accuracy")),
            currentChanged=self._show_tab,
        )
        self._words = ElidedLabel("", "small-muted", objectName="disagreement-words")
        self._words.setContentsMargins(theme().px(8), 0, 0, 0)
        open_ = commands.button("agreement.open", tr("Open"), name="agreement-open", kind=ButtonKind.GHOST)
        header = PanelHeader("", self.tabs, (self._words, 1), open_)
        self._cases = FigureTable(
            "disagreements",
            tr("Disagreements"),
            DISAGREEMENT_COLUMNS,
            opened=self._open,
            marked=self.marked,
        )
        self._agreed = EmptyState("check-circle", *_AGREED)
        self._diagnosis = FigureTable(
            "diagnosis", tr("Diagnosis"), DIAGNOSIS_COLUMNS, opened=self._open_field
        )
        self._place: CurvePlace | None = None
        self._field_words = self._place_words = ""
        self._left = FigureTable(
            "stage-cases",
            tr("Cases behind a point of stage accuracy"),
            STAGE_CASE_COLUMNS,
            opened=self._open,
            marked=self.marked,
        )
        self._no_point = EmptyState(
            "chart-line-up",
            tr("No point chosen"),
            tr("Click a point of the stage-accuracy curve, or press Enter on it, to list its cases."),
        )
        self._stack = stacked(self._cases, self._diagnosis, self._agreed, self._left, self._no_point)
        vbox(header, (self._stack, 1), within=self)

    @property
    def marked_case(self) -> str | None:
        """Id of the marked case of the tab that is shown; None if there is none."""
        if self.tabs.currentIndex() == _STAGE_TAB:
            return _case_of(self._left.marked_key)
        return _case_of(self._cases.marked_key)

    @property
    def why_none_opens(self) -> str:
        """Why no case can be opened now; empty where one can."""
        if self.tabs.currentIndex() != _STAGE_TAB and not self._sees_cases:
            return HIDDEN
        return "" if self.marked_case is not None else tr("No case is selected.")

    def show_measured(self, measured: SliceAgreement) -> None:
        """Show what other figures rest on."""
        self._diagnosis.show_items(
            diagnosis_lines(measured),
            key=lambda line: (line[0].field, line[0].measure),
            topic=lambda line: f"agreement.{line[0].measure}" if line[0].measure else "",
        )

    def show_field(self, measured: SliceAgreement, row: FieldAgreement) -> None:
        """List the cases raters disagree on in one field."""
        self.found = disagreements((one.case for one in measured.rounds), row.field)
        self._field_words = tr(
            "{name}: {words}", name=FIELD_WORDS[row.field], words=confusion_words(row, len(self.found))
        )
        shown = enumerate(self.found if self._sees_cases else ())
        self._cases.show_items(shown, key=lambda line: (line[1].case_id, line[0]))
        self._agreed.set_words(*(_AGREED if self._sees_cases else (tr("Not shown"), HIDDEN)))
        self._show_tab(self.tabs.currentIndex())

    def await_stage_cases(self, place: CurvePlace) -> None:
        """Show the tab with the cases of a point, which are being read."""
        if place != self._place:
            self._place = place
            self._place_words = tr("{stage_name}: reading …", stage_name=stage_name(place.stage))
            self._left.show_rows(())
        self.tabs.setCurrentIndex(_STAGE_TAB)
        self._show_tab(_STAGE_TAB)

    def show_stage_cases(self, found: Sequence[StageCase]) -> None:
        """List the cases of the point that was waited for."""
        if self._place is not None:
            self._place_words = place_words(self._place, found)
            self._left.show_items(found, key=attrgetter("case_id"))
            self._show_tab(self.tabs.currentIndex())

    def enter_stage_cases(self) -> None:
        """Give the keys to the cases of a point."""
        self._left.setFocus()

    def enter(self) -> None:
        """Show the disagreements and give them the keys."""
        self.tabs.setCurrentIndex(0)
        self._cases.setFocus()

    def next_tab(self) -> None:
        """Show the other tab and give it the keys."""
        self.tabs.step()
        focus_shown(self._stack)

    def _show_tab(self, tab: int) -> None:
        is_stage = tab == _STAGE_TAB
        self._words.setText(self._place_words if is_stage else self._field_words)
        if is_stage:
            shown: QWidget = self._left if self._place is not None else self._no_point
        else:
            shown = self._diagnosis if tab == 1 else self._cases if self._cases.rows else self._agreed
        self._stack.setCurrentWidget(shown)
        self.marked.emit()

    def _open(self, key: Hashable) -> None:
        case_id = _case_of(key)
        if case_id is not None:
            self.case_opened.emit(case_id)

    def _open_field(self, key: Hashable) -> None:
        if isinstance(key, tuple) and key[1]:  # the rounds have no measure
            self.field_opened.emit(RatedField(key[0]))


def _case_of(key: Hashable) -> str | None:
    """The case a line is about: a line of a disagreement has its number beside the id."""
    if isinstance(key, tuple):
        return str(key[0])
    return str(key) if key is not None else None
