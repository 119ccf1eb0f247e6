"""How right each stage left the cases: the curve, a line for each value of a dimension, a point's cases."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

from PySide6.QtCore import QModelIndex, Signal, SignalInstance
from PySide6.QtWidgets import QWidget

from annotator.review.measures.accuracy_curve import READINGS_NOTE, AccuracyReading, StageCase
from annotator.review.measures.slice_agreement import AccuracyDimension
from scoring.measures.stage_accuracy import FIRST_EXITS, LAST_EXITS, StagePoint
from scoring.model.taxonomy import Policy, Stage
from scoring.texts import tr, tr_count, with_commas
from scoring.wording import interval_words, sentence_case
from ui.charts import CurvePoint, CurveView
from ui.theme import ElidedLabel, PanelHeader, Tone
from ui.theme.buttons import ChoiceChip
from ui.theme.cells import Cell, count_cell, share_cell
from ui.theme.labels import WrappedLabel
from ui.theme.layouts import build, column, vbox
from ui.theme.tables import Column, FigureTable
from ui.theme.words import POLICY, POLICY_SHORT, STAGE

STAGE_CASE_COLUMNS: tuple[Column[StageCase], ...] = (
    Column(tr("Case"), 240, lambda case: Cell(case.case_id, is_mono=True)),
    Column(
        tr("Outcome"),
        124,
        lambda case: (
            Cell(tr("right"), chip=Tone.OK) if case.is_right else Cell(tr("changed later"), chip=Tone.WARN)
        ),
        tip=tr("Whether the stage left the case as it is in the end"),
    ),
    Column(
        tr("What was changed later"),
        cell=lambda case: "" if case.is_right else with_commas(case.changed) or _ELSEWHERE,
    ),
    Column(tr("Owner"), 96, lambda case: Cell(case.owner or "", colour="muted")),
    Column(tr("Batch"), 110, lambda case: Cell(case.batch, colour="muted")),
)
_ELSEWHERE: str = tr("something else, e.g. tools or edges into an answer")


@dataclass(frozen=True)
class CurvePlace:
    """One point of a curve: its stage and reading, and the line it is of; of the whole slice without `by`."""

    stage: Stage
    reading: AccuracyReading = AccuracyReading.UNCHANGED
    by: AccuracyDimension | None = None
    name: str = ""


def stage_name(stage: Stage) -> str:
    """A stage of the curve in words: the imported content is the raw one."""
    return tr("Raw, as imported") if stage is Stage.IMPORTED else STAGE[stage]


def place_words(place: CurvePlace, found: Sequence[StageCase]) -> str:
    """What is listed, e.g. `Cross-check, batch b1: 15 of 16 right`."""
    name = POLICY[Policy(place.name)] if place.by is AccuracyDimension.POLICY else place.name
    of = f", {place.by.value} {name}" if place.by is not None else ""
    right = sum(case.is_right for case in found)
    counts = (
        tr("{right:,} of {case} right", right=right, case=tr_count(len(found), "case"))
        if found
        else tr("no case")
    )
    judged = f", {_READINGS[place.reading]}" if place.reading is AccuracyReading.JUDGED else ""
    return f"{stage_name(place.stage)}{judged}{of}: {counts}"


OVERALL = ""
_READINGS = {AccuracyReading.UNCHANGED: tr("unchanged since"), AccuracyReading.JUDGED: tr("judged right")}
_SHORT = {
    "imported": tr("raw"),
    "self_check_task": tr("self, tasks"),
    "self_check_dialogue": tr("self, dialogue"),
    "cross_check": tr("cross-check"),
    "expert": tr("expert"),
}
_WORDS = tr("select a row; a point lists its cases")
Curves = Mapping[tuple[str, AccuracyReading], Sequence[StagePoint]]
"""By what they are of and how they are read; that of the whole slice has no name."""


def _stage_point(point: StagePoint, reading: AccuracyReading) -> CurvePoint:
    """A point of the curve with its interval, what it rests on, and all of it in words."""
    name = _SHORT.get(point.stage.value, point.stage.value)
    return CurvePoint(name, point.accuracy, point.low, point.high, _tip(point, reading), f"n {point.total:,}")


def _tip(point: StagePoint, reading: AccuracyReading) -> str:
    title = stage_name(point.stage)
    if point.accuracy is None:
        if reading is AccuracyReading.JUDGED:
            return tr("{title}: not judged, as no expert has decided a random sample.", title=title)
        return tr("{title}: undefined, {undefined}.", title=title, undefined=tr(point.undefined or ""))
    tip = tr(
        "{title}: {correct:,} of {case} left it {manner}",
        title=title,
        correct=point.correct,
        case=tr_count(point.total, "case"),
        manner=tr("as they are in the end")
        if reading is AccuracyReading.UNCHANGED
        else tr("as an expert holds them right"),
    )
    if point.low is not None and point.high is not None:
        tip += tr(
            "\n95 % interval {interval_words} %",
            interval_words=interval_words(100 * point.low, 100 * point.high, form=".1f"),
        )
    elif point.stage.value == "expert":
        tip += tr("\n100 % by construction")
    if point.total < point.final_count:
        tip += tr(
            "\n{final_count:,} final cases never left this stage", final_count=point.final_count - point.total
        )
    return tip


CurveLine = tuple[tuple[str, AccuracyReading], Sequence[StagePoint]]
"""A value of the dimension and a reading, and the points of its curve."""


def _accuracy_at(number: int, line: CurveLine) -> Cell:
    point, reading = line[1][number], line[0][1]
    tip, none = (
        _tip(point, reading),
        tr("not judged") if reading is AccuracyReading.JUDGED else tr("undefined"),
    )
    return share_cell(point.accuracy, tip, otherwise=none, why_none=tip)


def _line_cell(line: CurveLine) -> Cell:
    name, reading = line[0]
    if not name:
        return Cell(sentence_case(_READINGS[reading]))
    if reading is AccuracyReading.JUDGED:
        return Cell(_READINGS[reading], colour="muted")
    return Cell(_POLICIES.get(name, name))


_POLICIES = {policy.value: words for policy, words in POLICY_SHORT.items()}
_COLUMNS: tuple[Column[CurveLine], ...] = (
    Column("", cell=_line_cell),
    *(
        Column(name, width, partial(_accuracy_at, number), is_figure=True, leave_out=leave_out)
        for number, (name, width, leave_out) in enumerate(
            ((tr("raw"), 74, 0), (tr("self, tasks"), 86, 3), (tr("dialogue"), 78, 2), ("cross-check", 92, 0))
        )
    ),
    Column(
        "n",
        44,
        lambda line: count_cell(line[1][0].final_count, colour="muted"),
        is_figure=True,
        tip=tr("Final cases; of those judged right, cases that experts judged"),
        leave_out=1,
    ),
)


class AccuracyPanel(QWidget):
    """Shows one curve; by a dimension, that of the marked line."""

    dimension_chosen = Signal(object)
    """The `AccuracyDimension` to compare by, None for overall."""
    chosen = Signal(object)
    opened = Signal(object)
    """The `CurvePlace` of a point or figure that was clicked, or opened: Enter or a double click."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        build(super().__init__, parent, **properties)
        self.overall: Curves = {}
        """Those of the whole slice."""
        self.curves: Curves = {}
        """The curves that are compared; empty where nothing is."""
        choices = [
            (OVERALL, tr("Overall")),
            *((one.value, tr("By {value}", value=tr(one.value))) for one in AccuracyDimension),
        ]
        self._by = ChoiceChip("accuracy-by", tr("Compare by"), choices, chosen=self._choose)
        self._words = ElidedLabel(_WORDS, "small-muted")
        header = PanelHeader(tr("Stage accuracy"), (self._words, 1), self._by)
        self._curve = CurveView(
            "stage-accuracy",
            tr("Stage accuracy"),
            clicked=partial(self._tell, self.chosen),
            opened=partial(self._tell, self.opened),
        )
        self._table = FigureTable(
            "accuracy-lines",
            tr("Stage accuracy, line by line"),
            _COLUMNS,
            is_sortable=False,
            marked=self._show_marked,
            clicked=self._choose_cell,
            activated=self._open_cell,
        )
        note = WrappedLabel(tr(READINGS_NOTE), "small-muted", objectName="accuracy-note")
        vbox(header, (self._curve, 3), (self._table, 2), column(note, margins=(12, 4)), within=self)

    def show_overall(self, curves: Mapping[AccuracyReading, Sequence[StagePoint]]) -> None:
        """Show other curves of the whole slice, unless some are compared by a dimension."""
        self.overall = {(OVERALL, reading): points for reading, points in curves.items()}
        if not self._by.value:
            self._show_lines(self.overall)

    def show_curves(self, curves: Curves) -> None:
        """Compare these curves."""
        self.curves = curves
        if self._by.value:
            self._show_lines(curves)

    def _show_lines(self, curves: Curves) -> None:
        self._table.show_items(curves.items(), key=itemgetter(0))
        self._show_marked(self._table.marked_key)

    def _choose(self, value: str) -> None:
        if value:
            self._words.setText(tr("by {value}, of all final cases; select a row", value=tr(value)))
            self.dimension_chosen.emit(AccuracyDimension(value))
            return
        self.curves = {}
        self._words.setText(_WORDS)
        self._show_lines(self.overall)
        self.dimension_chosen.emit(None)

    def _tell(self, signal: SignalInstance, number: int) -> None:
        """Tell of the point of this number on the curve that is shown."""
        signal.emit(self._place(number))

    def _choose_cell(self, index: QModelIndex) -> None:
        if 0 < index.column() < len(_COLUMNS) - 1:
            self._tell(self.chosen, index.column() - 1)

    def _open_cell(self, index: QModelIndex) -> None:
        """A figure opens its own point; the name of a line the marked one, else that of its last stage."""
        last = len(_COLUMNS) - 3
        marked = self._curve.marked_point
        is_figure = 0 < index.column() < len(_COLUMNS) - 1
        self.opened.emit(self._place(index.column() - 1 if is_figure else last if marked is None else marked))

    def _place(self, number: int) -> CurvePlace:
        """The point of this number on the curve that is shown."""
        (name, reading), _ = self._table.marked_item
        return CurvePlace(
            (*FIRST_EXITS, *LAST_EXITS, Stage.EXPERT)[number],
            reading,
            AccuracyDimension(self._by.value) if name else None,
            name,
        )

    def _show_marked(self, _: Hashable) -> None:
        if (line := self._table.marked_item) is not None:
            (_, reading), points = line
            self._curve.show_points([_stage_point(point, reading) for point in points])
