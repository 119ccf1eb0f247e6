"""The slices of scorecards as lines of a table: one column a run, the groups under headings."""

from collections.abc import Sequence

from scoring.measures import catalogue
from scoring.measures.catalogue import NOTHING, TOTAL, Direction, Measure
from scoring.measures.rates import Figure, Number
from scoring.model.taxonomy import Information, Policy
from scoring.scorecard import Scorecard
from ui.runs.entries import figure_cell
from ui.theme.tables import Cell, Column, Row
from ui.theme.words import INFORMATION, POLICY_SHORT

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


def slice_columns(names: Sequence[str]) -> tuple[Column, ...]:
    """The headings: a run each, then the difference of two, else how many tasks a slice has."""
    runs = (Column(name, 84, is_figure=True, tip=name) for name in names)
    return (Column("Slice"), *runs, _DIFFERENCE if len(names) == 2 else _SIZE)


_DIFFERENCE = Column("Difference", 84, is_figure=True, tip="Second run minus first; rates in points")
_SIZE = Column("n", 64, is_figure=True)


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
