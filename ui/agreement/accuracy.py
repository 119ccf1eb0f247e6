"""How right each stage left the cases: the curve, a line for each value of a dimension, a point's cases."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QWidget

from annotator.review.measures.accuracy_curve import StageCase
from annotator.review.measures.slice_agreement import AccuracyDimension
from scoring.measures.stage_accuracy import FIRST_EXITS, LAST_EXITS, StagePoint
from scoring.model.taxonomy import Policy, Stage
from scoring.texts import tr, tr_count, with_commas
from scoring.wording import interval_words
from ui.charts import CurvePoint, CurveView
from ui.theme import ElidedLabel, PanelHeader, Tone
from ui.theme.buttons import ChoiceChip
from ui.theme.cells import Cell, count_cell, share_cell
from ui.theme.layouts import build, vbox
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
    """One point of a curve: its stage, and the line it belongs to; of the whole slice without `by`."""

    stage: Stage
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
    return f"{stage_name(place.stage)}{of}: {counts}"


OVERALL = ""
_SHORT = {
    "imported": tr("raw"),
    "self_check_task": tr("self, tasks"),
    "self_check_dialogue": tr("self, dialogue"),
    "cross_check": tr("cross-check"),
    "expert": tr("expert"),
}
_WORDS = tr("cases left unchanged; a point lists them")
_STAGES = (*FIRST_EXITS, *LAST_EXITS, Stage.EXPERT)
Curves = Mapping[str, Sequence[StagePoint]]


def stage_point(point: StagePoint) -> CurvePoint:
    """A point of the curve with its interval, what it rests on, and all of it in words."""
    name = _SHORT.get(point.stage.value, point.stage.value)
    return CurvePoint(name, point.accuracy, point.low, point.high, _tip(point), f"n {point.total:,}")


def _tip(point: StagePoint) -> str:
    title = stage_name(point.stage)
    if point.accuracy is None:
        return tr("{title}: undefined, {undefined}.", title=title, undefined=tr(point.undefined or ""))
    tip = tr(
        "{title}: {correct:,} of {case} left it as they are in the end",
        title=title,
        correct=point.correct,
        case=tr_count(point.total, "case"),
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


CurveLine = tuple[str, Sequence[StagePoint]]
"""A value of the dimension, and the points of its curve: that of the expert is the last."""


def _accuracy_at(number: int, line: CurveLine) -> Cell:
    point = line[1][number]
    return share_cell(point.accuracy, _tip(point), otherwise=tr("undefined"), why_none=_tip(point))


_POLICIES = {policy.value: words for policy, words in POLICY_SHORT.items()}
_COLUMNS: tuple[Column[CurveLine], ...] = (
    Column("", cell=lambda line: _POLICIES.get(line[0], line[0])),
    *(
        Column(name, width, partial(_accuracy_at, number), is_figure=True)
        for number, (name, width) in enumerate(
            ((tr("raw"), 74), (tr("self, tasks"), 86), (tr("dialogue"), 78), ("cross-check", 92))
        )
    ),
    Column(
        "n",
        44,
        lambda line: count_cell(line[1][0].final_count, colour="muted"),
        is_figure=True,
        tip=tr("Final cases"),
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
        self._overall: tuple[StagePoint, ...] = ()
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
            "stage-accuracy", tr("Stage accuracy"), clicked=self._choose_point, opened=self._open_point
        )
        self._table = FigureTable(
            "accuracy-lines",
            tr("Stage accuracy, line by line"),
            _COLUMNS,
            marked=self._show_marked,
            clicked=self._choose_cell,
            activated=self._open_cell,
            visible=False,
        )
        vbox(header, (self._curve, 1), (self._table, 1), within=self)

    def show_overall(self, points: Sequence[StagePoint]) -> None:
        """Show another curve, unless one is compared by a dimension."""
        self._overall = tuple(points)
        if not self._by.value:
            missing = points[0].undefined if points and points[0].accuracy is None else None
            self._words.setText(tr("undefined: {missing}", missing=tr(missing)) if missing else _WORDS)
            self._curve.show_points([stage_point(point) for point in points])

    def show_curves(self, curves: Curves) -> None:
        """Compare these curves."""
        self.curves = curves
        self._table.setVisible(bool(self._by.value))
        self._table.show_items(curves.items(), key=itemgetter(0))
        self._show_marked(self._table.marked_key)

    def _choose(self, value: str) -> None:
        if value:
            self._words.setText(tr("by {value}, of all final cases; select a row", value=tr(value)))
            self.dimension_chosen.emit(AccuracyDimension(value))
            return
        self.curves = {}
        self._table.hide()
        self._words.setText(_WORDS)
        self.show_overall(self._overall)
        self.dimension_chosen.emit(None)

    def _choose_point(self, number: int) -> None:
        self.chosen.emit(self._place(number))

    def _open_point(self, number: int) -> None:
        self.opened.emit(self._place(number))

    def _choose_cell(self, index: QModelIndex) -> None:
        if 0 < index.column() < len(_COLUMNS) - 1:
            self.chosen.emit(self._place(index.column() - 1))

    def _open_cell(self, index: QModelIndex) -> None:
        """A figure opens its own point; the name of a line the marked one, else that of its last stage."""
        last = len(_COLUMNS) - 3
        marked = self._curve.marked_point
        is_figure = 0 < index.column() < len(_COLUMNS) - 1
        self.opened.emit(self._place(index.column() - 1 if is_figure else last if marked is None else marked))

    def _place(self, number: int) -> CurvePlace:
        """The point of this number on the curve that is shown."""
        by = AccuracyDimension(self._by.value) if self._by.value else None
        name = str(self._table.marked_key) if by is not None else ""
        return CurvePlace(_STAGES[number], by, name)

    def _show_marked(self, key: Hashable) -> None:
        points = self.curves.get(str(key)) if key is not None and self._by.value else None
        if points is not None:
            self._curve.show_points([stage_point(point) for point in points])
