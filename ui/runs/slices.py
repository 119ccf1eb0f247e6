"""The measures of runs as lines of a table, a column a run, in sections of which most are folded."""

from collections.abc import Container, Hashable, Iterator, Sequence
from itertools import chain
from typing import Any

from scoring.groups import collected, grouped
from scoring.measures import catalogue
from scoring.measures.catalogue import NOTHING, TOTAL, Direction, Measure
from scoring.measures.rates import Figure, Number
from scoring.model.taxonomy import Information, Policy
from scoring.scorecard import Scorecard
from scoring.texts import tr, tr_count
from scoring.wording import sentence_case
from ui.runs.entries import figure_cell
from ui.theme.cells import Cell
from ui.theme.tables import Column, FigureTable, Row
from ui.theme.words import INFORMATION, POLICY_SHORT

NamedCard = tuple[str, Scorecard]

_NAMES = {
    **{policy.value: POLICY_SHORT[policy] for policy in Policy},
    **{information.value: INFORMATION[information] for information in Information},
    "multi": tr("Multi, all three"),
    "subsequent": tr("All later tasks"),
    "related": tr("Needs the earlier dialogue"),
    "unrelated": tr("Independent of the dialogue"),
    TOTAL: tr("Together"),
}


def slice_columns(names: Sequence[str]) -> tuple[Column[Any], ...]:
    """The headings: a run each, then the difference of two, else how many tasks a slice has."""
    return (
        Column(tr("Slice")),
        *(Column[Any](name, 84, is_figure=True, tip=name) for name in names),
        _DIFFERENCE if len(names) == 2 else _SIZE,
    )


_DIFFERENCE: Column[Any] = Column(
    tr("Difference"), 84, is_figure=True, tip=tr("Second run minus first; rates in points")
)
_SIZE: Column[Any] = Column("n", 64, is_figure=True)


OVERALL = tr("Overall")
_SECTIONS = {
    OVERALL: (),
    tr("Accuracy by kind of task"): ("accuracy", "by_messages"),
    tr("Tool names alone"): ("names",),
    tr("Progress, orders and sequences"): (
        "progress",
        "optimal",
        "layer_variance",
        "policy_matrix",
        "routes",
    ),
    tr("Errors"): ("errors", "error_columns", "errors_c3", "failing_argument_types"),
    tr("Effort"): (),
}
"""The sections, and which measures stand in them by the first word of their keys; the others in the last."""


def _section_of(measure: Measure, names: Sequence[str]) -> str:
    if measure.heading and list(names) == [TOTAL]:
        return OVERALL
    word = measure.key.partition(".")[0]
    return next((title for title, words in _SECTIONS.items() if word in words), list(_SECTIONS)[-1])


@collected
def slice_rows(cards: Sequence[NamedCard], *, unfolded: Container[str] = tuple(_SECTIONS)) -> Iterator[Row]:
    """Every measure of some runs over the same cases, slice by slice in sections; empty for no run.

    Args:
        cards: Names and scorecards.
        unfolded: The sections whose measures are shown; of the others there is the heading alone.
    """
    named = (
        (measure, list({name: None for _, card in cards for name in card.summary.figures(measure)}))
        for measure in catalogue.MEASURES
    )
    found = grouped(
        (_section_of(measure, names), _measure_rows(cards, measure, names))
        for measure, names in named
        if names
    )
    for title in filter(found.__contains__, _SECTIONS):
        is_open = title in unfolded
        words = f"{'▾' if is_open else '▸'} {title} · {tr_count(len(found[title]), 'measure')}"
        tip = tr("Enter folds it.") if is_open else tr("Enter shows its measures.")
        blank = (Cell(""),) * (len(cards) + 1)
        yield Row(title, (Cell(words, is_strong=True, tip=tip), *blank))
        yield from chain(*found[title]) if is_open else ()


def _measure_rows(cards: Sequence[NamedCard], measure: Measure, names: Sequence[str]) -> list[Row]:
    figures = [[card.summary.figures(measure).get(name) for _, card in cards] for name in names]
    if list(names) == [TOTAL]:
        return [_line(measure, TOTAL, figures[0], words=tr(measure.title), is_strong=True)]
    blank = (Cell(""),) * (len(cards) + 1)
    return [
        Row(
            measure.key,
            (Cell(tr(measure.title), is_strong=True, tip=f"{tr(measure.formula)}; {measure.paper}"), *blank),
            topic=f"measure.{measure.key}",
        ),
        *(
            _line(
                measure,
                name,
                group,
                words=_NAMES.get(name, sentence_case(measure.label(name).replace("/", " · "))),
            )
            for name, group in zip(names, figures, strict=True)
        ),
    ]


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
    head = Cell(words, is_strong=is_strong, tip=tr(measure.formula) if is_strong else "")
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
        colour, tip = ("ok", tr("better")) if is_better else ("error", tr("worse"))
    return Cell(words.replace("-", "−"), change, tip, colour=colour)


class SliceTable(FigureTable):
    """Shows the measures of one run, or of two; a click on a section or Enter there folds it or shows it."""

    def __init__(self) -> None:
        super().__init__(
            "slices",
            tr("Slices"),
            slice_columns(()),
            is_sortable=False,
            opened=self._fold,
            clicked=lambda index: self._fold(self.rows[index.row()].key),
        )
        self._cards: Sequence[NamedCard] = ()
        self._unfolded = {OVERALL}

    def show_cards(self, cards: Sequence[NamedCard]) -> None:
        """Show other runs; sections stay as they are."""
        self._cards = cards
        self.show_rows(
            slice_rows(cards, unfolded=self._unfolded), columns=slice_columns([name for name, _ in cards])
        )

    def _fold(self, key: Hashable) -> None:
        if key in _SECTIONS:
            self._unfolded ^= {str(key)}
            self.show_cards(self._cards)
