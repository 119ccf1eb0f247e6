"""The tables of scores: rows of runs, cells of figures, as texts any form can print."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

from scoring.groups import grouped
from scoring.measures import catalogue
from scoring.measures.catalogue import NOTHING, TOTAL, Form, Measure, SliceLayout
from scoring.measures.comparison import rate_intervals
from scoring.measures.intervals import Interval
from scoring.measures.rates import Figure, Number, Rate
from scoring.measures.summary import Summary
from scoring.model.record import Record
from scoring.scorecard import Scorecard, apart, comparable_groups, setting_words
from scoring.wording import interval_words

Cards = Sequence[tuple[str, Scorecard]]
"""Names and scorecards of runs, in printed order."""
FAILED_OUTSIDE = "failed outside"
"""Heading over the number of tasks that failed outside the model."""


class ScoreTable(Record):
    """A titled table of texts; the first column names the row, the others are figures.

    `figures` has, row by row, what stands behind the texts, None where a text is none; it is empty where no
    text is one. The rows are runs, or the columns where `is_down`. `unit` is that of all figures.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: tuple[tuple[Rate | Number | None, ...], ...] = ()
    is_down: bool = False
    unit: str = ""

    def within(self, words: str) -> "ScoreTable":
        """The table, saying in title and heading for which runs it is; empty words for all of them."""
        if not words:
            return self
        first = f"{self.columns[0]} ({words})".strip()
        return self.model_copy(
            update={"title": f"{self.title} · {words}", "columns": (first, *self.columns[1:])}
        )

    @property
    def heading(self) -> str:
        """The title with the unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


def score_tables(cards: Cards, *, is_brief: bool = False) -> tuple[ScoreTable, ...]:
    """Every measure of the list, for runs side by side: the overall figures, then a table for each other one.

    Args:
        cards: Names and scorecards, in printed order.
        is_brief: Whether to leave out the measures that are details.
    """
    chosen = [measure for measure in catalogue.MEASURES if not (is_brief and measure.is_detail)]
    tables = [_overall(cards, [measure for measure in chosen if measure.heading])]
    for measure in chosen:
        figures_of_runs = [(name, card.summary.figures(measure)) for name, card in cards]
        slices = dict.fromkeys(chain.from_iterable(figures for _, figures in figures_of_runs))
        if slices and not (measure.heading and list(slices) == [TOTAL]):
            tables.append(_measure_table(cards, measure))
    return tuple(tables)


def _overall(cards: Cards, measures: Sequence[Measure]) -> ScoreTable:
    def figures(card: Scorecard) -> dict[str, Figure]:
        return {m.heading: figure[TOTAL] for m in measures if TOTAL in (figure := card.summary.figures(m))}

    table = figure_table("Accuracy", cards, figures)
    if not any(card.summary.infra_errors for _, card in cards):
        return table
    failures = [infra_words(card.summary) for _, card in cards]
    failures += [""] * (len(table.rows) - len(failures))
    return table.model_copy(
        update={
            "columns": (*table.columns, FAILED_OUTSIDE),
            "rows": tuple((*row, words) for row, words in zip(table.rows, failures, strict=True)),
            "figures": tuple((*row, None) for row in table.figures),
        }
    )


def infra_words(summary: Summary) -> str:
    """How many tasks failed outside the model, and how they count in the figures beside."""
    if not summary.infra_errors:
        return "0"
    return f"{summary.infra_errors:,} {summary.infra_errors_count.words}"


def _measure_table(cards: Cards, measure: Measure) -> ScoreTable:
    def figures(card: Scorecard) -> dict[str, Figure]:
        return {measure.label(name): figure for name, figure in card.summary.figures(measure).items()}

    if measure.layout is SliceLayout.MATRIX:
        return _matrix_table(measure.title, cards, figures, form=measure.form)
    table = figure_table(measure.title, cards, figures, form=measure.form)
    return table if measure.layout is SliceLayout.ACROSS else _turned(table)


def figure_table(
    title: str,
    cards: Cards,
    figures: Callable[[Scorecard], Mapping[str, Figure]],
    *,
    form: Form = Form.PERCENT,
) -> ScoreTable:
    """One row a run, one column for each figure any of them has; of comparable runs also the means."""
    figures_of_runs = [(name, figures(card)) for name, card in cards]
    columns = tuple(dict.fromkeys(column for _, row in figures_of_runs for column in row))
    rows = [tuple(row.get(column) for column in columns) for _, row in figures_of_runs]
    names = [name for name, _ in cards]
    if are_comparable(cards):
        names.append(f"mean of {len(cards)}")
        rows.append(tuple(map(_mean, zip(*rows, strict=True))))
    return _printed(title, columns, names, rows, form=form)


def _printed(
    title: str,
    columns: Sequence[str],
    names: Iterable[str],
    figures: Sequence[tuple[Figure | None, ...]],
    *,
    form: Form,
) -> ScoreTable:
    return ScoreTable(
        title=title,
        columns=("run", *columns),
        unit="%" if form is Form.PERCENT else "",
        rows=tuple(
            (name, *(shown(figure, form=form) for figure in row))
            for name, row in zip(names, figures, strict=True)
        ),
        figures=tuple(figures),
    )


def are_comparable(cards: Cards) -> bool:
    """Whether several runs rest on the same, so that a mean says something."""
    return len(cards) > 1 and len(comparable_groups((card.basis, card) for _, card in cards)) == 1


def named(cards: Sequence[Scorecard]) -> Cards:
    """Runs under their names; where two share one, with the rules that tell them apart, else numbered."""
    names = [card.name or f"unnamed run {card.predictions_sha256[:8]}" for card in cards]
    namesakes = grouped(zip(names, cards, strict=True))
    told = []
    for name, card in zip(names, cards, strict=True):
        rules = [card.basis.words(entry) for entry in apart(namesake.basis for namesake in namesakes[name])]
        told.append(" · ".join((name, *rules)))
    return [
        (f"{name} #{told[: place + 1].count(name)}" if told.count(name) > 1 else name, card)
        for place, (name, card) in enumerate(zip(told, cards, strict=True))
    ]


def groups_apart(cards: Cards) -> dict[str, Cards]:
    """The runs that may stand together, under the words that tell them from the others.

    Where there are such words, names say no more than what is not in them.
    """
    groups = comparable_groups((card.basis, (name, card)) for name, card in cards)
    if len(groups) < 2:
        return dict(groups)
    return {words: named([_with_name(*member) for member in members]) for words, members in groups.items()}


def _with_name(name: str, card: Scorecard) -> Scorecard:
    return card.model_copy(update={"name": card.name or name})


def group_table(groups: Mapping[str, Cards]) -> ScoreTable:
    """Which runs stand together, where not all of them do."""
    return ScoreTable(
        title="Runs scored under different rules are not averaged, ranked or tested together",
        columns=("run", "compared only with runs of"),
        rows=tuple((name, words) for words, cards in groups.items() for name, _ in cards),
    )


def _mean(figures: Sequence[Figure | None]) -> Number:
    values = [figure.value for figure in figures if figure is not None and figure.value is not None]
    return Number(value=sum(values) / len(values) if values else None, of=len(values))


def _turned(table: ScoreTable) -> ScoreTable:
    """The table with its rows as columns."""
    rows = tuple(zip(table.columns, *table.rows, strict=True))
    return ScoreTable(
        title=table.title,
        columns=("", *rows[0][1:]),
        unit=table.unit,
        rows=rows[1:],
        figures=tuple(zip(*table.figures, strict=True)),
        is_down=True,
    )


def _matrix_table(
    title: str, cards: Cards, figures: Callable[[Scorecard], Mapping[str, Figure]], *, form: Form
) -> ScoreTable:
    """As many rows a run as the matrix has; slices are named "row/column"."""
    rows: dict[str, dict[str, Figure]] = {}
    for name, card in cards:
        for cell, figure in figures(card).items():
            row, _, column = cell.partition("/")
            rows.setdefault(f"{name}, {row}", {})[column] = figure
    columns = tuple(dict.fromkeys(chain.from_iterable(rows.values())))
    cells = tuple(tuple(row.get(column) for column in columns) for row in rows.values())
    return _printed(title, columns, rows, cells, form=form)


def shown(figure: Figure | None, *, form: Form = Form.PERCENT) -> str:
    """A figure, a rate with what it is made of."""
    if isinstance(figure, Rate) and figure.total:
        return f"{figure.percent} ({figure.count}/{figure.total})"
    return form.text(figure)


def interval_table(cards: Cards) -> ScoreTable:
    """95 % intervals of the headline rates, in percent (bootstrap over sessions, scoring 5)."""
    intervals = [(name, rate_intervals(card.sample)) for name, card in cards]
    columns = tuple(dict.fromkeys(column for _, row in intervals for column in row))
    headings = [catalogue.headlines()[column].title for column in columns]
    rows = [(name, [row.get(column) for column in columns]) for name, row in intervals]
    return printed_intervals("95 % intervals (bootstrap over sessions)", headings, rows)


def printed_intervals(
    title: str, headings: Sequence[str], rows: Iterable[tuple[str, Sequence[Interval | None]]]
) -> ScoreTable:
    """A table of intervals of rates, in percent; a dash where there is none."""
    return ScoreTable(
        title=title,
        columns=("run", *headings),
        rows=tuple(
            (
                name,
                *(
                    interval_words(100 * interval.low, 100 * interval.high, form=".1f")
                    if interval
                    else NOTHING
                    for interval in bounds
                ),
            )
            for name, bounds in rows
        ),
    )


def basis_table(cards: Cards) -> ScoreTable:
    """What every run rests on: rules, cases, what is missing, tokens and time."""
    columns = (
        "run",
        "setting",
        "protocol",
        "semantics",
        "arguments",
        "cases",
        "tasks",
        "no prediction",
        FAILED_OUTSIDE,
        "undrawn",
        "no reply can pass",
        "ignored",
        "replies",
        "tokens read",
        "tokens written",
        "seconds a reply",
    )
    return ScoreTable(
        title="What the figures rest on",
        columns=columns,
        rows=tuple((name, *_basis(card)) for name, card in cards),
    )


def _basis(card: Scorecard) -> tuple[str, ...]:
    summary, replies = card.summary, card.summary.replies
    seconds = replies.latency_seconds
    return (
        ", ".join(setting_words(card.setting)) or ("usual" if card.setting else NOTHING),
        card.protocol.value,
        card.semantics.value,
        str(card.arguments),
        card.cases_sha256[:12],
        f"{summary.tasks:,}",
        f"{summary.missing:,}",
        infra_words(summary),
        summary.undrawn.words,
        f"{summary.unpassable:,}",
        f"{summary.ignored:,}",
        f"{replies.replies:,}",
        _count(replies.prompt_tokens),
        _count(replies.completion_tokens),
        f"{seconds / replies.replies:.2f}" if seconds is not None and replies.replies else NOTHING,
    )


def _count(number: int | None) -> str:
    return NOTHING if number is None else f"{number:,}"
