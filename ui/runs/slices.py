"""The slices of scorecards as lines of a table, a column a run; pictures and reports of the shown runs."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFrame, QWidget

from annotator.release.reports.album import Picture, album
from annotator.release.reports.score_figures import TITLES, Slice, accuracy_figure
from scoring.measures import catalogue
from scoring.measures.catalogue import NOTHING, TOTAL, Direction, Measure
from scoring.measures.rates import Figure, Number
from scoring.model.taxonomy import Information, Policy, ReportFormat
from scoring.scorecard import Scorecard
from scoring.wording import INFORMATION
from ui.charts import PictureView
from ui.runs.entries import figure_cell
from ui.services.operations import Operations
from ui.theme.buttons import ChoiceChip
from ui.theme.cells import Cell
from ui.theme.layouts import STRETCH, build, hbox, vbox
from ui.theme.tables import Column, Row
from ui.theme.words import POLICY_SHORT

if TYPE_CHECKING:
    from ui.services.calls import Pending


NamedCard = tuple[str, Scorecard]

_NAMES = {
    **{policy.value: POLICY_SHORT[policy] for policy in Policy},
    **{information.value: INFORMATION[information] for information in Information},
    "multi": "Multi, all three",
    "subsequent": "All later tasks",
    "related": "Needs the earlier dialogue",
    "unrelated": "Independent of the dialogue",
    TOTAL: "Together",
}


def slice_columns(names: Sequence[str]) -> tuple[Column[Any], ...]:
    """The headings: a run each, then the difference of two, else how many tasks a slice has."""
    runs = (Column[Any](name, 84, is_figure=True, tip=name) for name in names)
    return (Column("Slice"), *runs, _DIFFERENCE if len(names) == 2 else _SIZE)


_DIFFERENCE: Column[Any] = Column(
    "Difference", 84, is_figure=True, tip="Second run minus first; rates in points"
)
_SIZE: Column[Any] = Column("n", 64, is_figure=True)


def slice_rows(cards: Sequence[NamedCard]) -> tuple[Row, ...]:
    """Every measure of some runs over the same cases, slice by slice; empty for no run."""
    if not cards:
        return ()
    rows: list[Row] = []
    for measure in catalogue.MEASURES:
        found = [card.summary.figures(measure) for _, card in cards]
        names = list(dict.fromkeys(name for group in found for name in group))
        if not names:
            continue
        figures = [[group.get(name) for group in found] for name in names]
        if names == [TOTAL]:
            rows.append(_line(measure, TOTAL, figures[0], words=measure.title, is_strong=True))
            continue
        blank = (Cell(""),) * (len(cards) + 1)
        tip = f"{measure.formula}; {measure.paper}"
        head = Cell(measure.title, is_strong=True, tip=tip)
        rows.append(Row(measure.key, (head, *blank), topic=f"measure.{measure.key}"))
        rows += [
            _line(measure, name, group, words=_slice_name(measure, name))
            for name, group in zip(names, figures, strict=True)
        ]
    return tuple(rows)


def _slice_name(measure: Measure, name: str) -> str:
    words = measure.label(name).replace("/", " · ")
    return _NAMES.get(name, words[:1].upper() + words[1:])


def _line(
    measure: Measure, name: str, figures: Sequence[Figure | None], *, words: str, is_strong: bool = False
) -> Row:
    if len(figures) == 2:
        last = _difference_cell(measure, *figures)
    else:
        sizes = (figure.of if isinstance(figure, Number) else figure.total for figure in figures if figure)
        total = next(sizes, 0)
        last = Cell(f"{total:,}", total, colour="muted")
    cells = (figure_cell(figure, measure.form) for figure in figures)
    tip = measure.formula if is_strong else ""
    head = Cell(words, is_strong=is_strong, tip=tip)
    return Row((measure.key, name), (head, *cells, last), topic=f"measure.{measure.key}")


def _difference_cell(measure: Measure, first: Figure | None, second: Figure | None) -> Cell:
    """What the second run has more; its colour says whether that is better."""
    words = measure.difference(first, second)
    if words == NOTHING or first is None or second is None:
        return Cell(NOTHING, colour="faint")
    change = (second.value or 0.0) - (first.value or 0.0)
    colour, tip = "muted", ""
    if change and measure.direction is not Direction.NEITHER:
        is_better = (change > 0) is (measure.direction is Direction.HIGHER)
        colour, tip = ("ok", "better") if is_better else ("error", "worse")
    return Cell(words.replace("-", "−"), change, tip, colour=colour)


MOST_RUNS = 6
"""Runs that are drawn beside each other; more would be too thin to tell apart."""


class ChartPanel(QFrame):
    """Shows one of the pictures of some runs."""

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="charts")
        self._operations = operations
        self._pictures: tuple[Picture, ...] = ()
        self._cards: tuple[NamedCard, ...] = ()
        self._pending: Pending | None = None
        self._which = ChoiceChip("chart-which", "Picture", chosen=self._show_chosen)
        self._view = PictureView(operations, "chart")
        vbox(hbox(self._which, STRETCH, gap=None, margins=(12, 8, 12, 4)), (self._view, 1), within=self)

    def show_cards(self, cards: Sequence[NamedCard]) -> None:
        """Show pictures of some runs, in this order; none for no run."""
        if tuple(cards) == self._cards:
            return
        self._cards = tuple(cards)
        work = partial(pictures_of, self._cards)
        self._pending = self._operations.run_outside(work, then=self._take, instead_of=self._pending)

    def _take(self, pictures: tuple[Picture, ...]) -> None:
        self._pictures = pictures
        self._which.set_choices([(one.name, one.caption.rstrip(".")) for one in pictures])
        self._show_chosen()

    def _show_chosen(self) -> None:
        chosen = next((one for one in self._pictures if one.name == self._which.value), None)
        if chosen is None:
            self._view.show_picture(None, "")
        else:
            self._view.show_picture(chosen.draw, chosen.caption)


def pictures_of(cards: Sequence[NamedCard]) -> tuple[Picture, ...]:
    """The pictures of some runs, accuracy by task order first."""
    if not cards:
        return ()
    title = TITLES[Slice.POSITION]
    order = Picture("position", title, partial(accuracy_figure, tuple(cards), Slice.POSITION))
    return (order, *album(tuple(cards)))


FORM_WORDS = {
    ReportFormat.HTML: ("HTML report…", "HTML (*.html)"),
    ReportFormat.MARKDOWN: ("Markdown tables…", "Markdown (*.md)"),
    ReportFormat.LATEX: ("LaTeX tables…", "LaTeX (*.tex)"),
    ReportFormat.XLSX: ("Excel workbook…", "Excel (*.xlsx)"),
    ReportFormat.CSV: ("CSV…", "CSV (*.csv)"),
}
SUFFIXES = {
    ReportFormat.HTML: ".html",
    ReportFormat.MARKDOWN: ".md",
    ReportFormat.LATEX: ".tex",
    ReportFormat.XLSX: ".xlsx",
    ReportFormat.CSV: ".csv",
}


def with_suffix(file: str, form: ReportFormat) -> Path:
    """The path of a report, with the ending of its form where the person gave none."""
    path = Path(file)
    return path if path.suffix else path.with_suffix(SUFFIXES[form])
