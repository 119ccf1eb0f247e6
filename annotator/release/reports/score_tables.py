"""The tables of scores: rows of runs, cells of figures, as texts any form can print."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

from annotator.release.reports.run_groups import Cards, are_comparable
from scoring.measures import catalogue
from scoring.measures.catalogue import NOTHING, TOTAL, Direction, Form, Measure, SliceLayout
from scoring.measures.comparison import rate_intervals
from scoring.measures.intervals import Interval
from scoring.measures.rates import Figure, Number, Rate
from scoring.measures.summary import Summary
from scoring.model.record import Record
from scoring.model_card import CARD_FIELDS
from scoring.scorecard import Scorecard, setting_words
from scoring.texts import cell_in_language, in_language, tr
from scoring.wording import half_up, written_interval

RANKS: dict[str, Callable[[Summary], float | None]] = {
    "rank": lambda summary: summary.task_accuracy,
    "rank by multi": lambda summary: summary.accuracy.by_policy["multi"].value,
}
"""Headings of ranks among comparable runs, and what they are by."""
_MOST_NOTES = 8
"""Runs whose models are described below each table."""
FAILED_OUTSIDE = "failed outside"
"""Heading over the number of tasks that failed outside the model."""


class Mean(Number):
    """The mean of a figure over runs, `among` so many, `of` which have the figure."""

    among: int


class ScoreTable(Record):
    """A titled table of texts; the first column names the row, the others are figures.

    `figures` has, row by row, what stands behind the texts, None where a text is none; it is empty where no
    text is one. The rows are runs, or the columns where `is_down`. `unit` is that of all figures, `form` how
    they are printed, and `directions` says of each which is better. `groups` names the group of each row and
    `marks` has 1 for the best figure of a column in its group and 2 for the second best; both may be empty.
    `notes` stand below.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: tuple[tuple[Rate | Number | None, ...], ...] = ()
    is_down: bool = False
    unit: str = ""
    form: Form = Form.PERCENT
    directions: tuple[Direction, ...] = ()
    groups: tuple[str, ...] = ()
    marks: tuple[tuple[int, ...], ...] = ()
    notes: tuple[str, ...] = ()

    def within(self, words: str) -> "ScoreTable":
        """The table, saying in title and heading for which runs it is; empty words for all of them."""
        if not words:
            return self
        return self.model_copy(
            update={
                "title": f"{self.title} · {words}",
                "columns": (" · ".join(filter(None, (self.columns[0], words))), *self.columns[1:]),
            }
        )

    def grouped(self, groups: Mapping[str, str]) -> "ScoreTable":
        """The table with its runs in groups, each followed by its mean, the best two figures marked in each.

        A table whose rows are not runs, or not all of them with figures, stays as it is.

        Args:
            groups: The group of each run by its name, those of one group one after another; all of them may
                have one group without a name.
        """
        names = [row[0] for row in self.rows]
        runs = [name for name in names if name in groups]
        if not self.directions or not runs or runs != names[: len(runs)] or len(names) > len(runs) + 1:
            return self
        width = len(self.directions)
        lines: list[tuple[str, tuple[str, ...], tuple[Figure | None, ...], tuple[int, ...]]] = []
        for group in dict.fromkeys(groups[name] for name in runs):
            places = [place for place, name in enumerate(runs) if groups[name] == group]
            figures = [self.figures[place] for place in places]
            values = zip(
                *([one.value if one is not None else None for one in row] for row in figures), strict=True
            )
            marks = zip(*map(marks_of, values, self.directions), strict=True)
            lines += [
                (group, self.rows[place], self.figures[place], mark)
                for place, mark in zip(places, marks, strict=True)
            ]
            if group and len(places) > 1:
                means = tuple(
                    None if direction is Direction.NEITHER and not any(column) else mean_figure(column)
                    for column, direction in zip(zip(*figures, strict=True), self.directions, strict=True)
                )
                texts = ("" if mean is None else shown(mean, form=self.form) for mean in means)
                lines.append((group, (f"mean of {len(places)}, {group}", *texts), means, (0,) * width))
        lines += [
            ("", self.rows[place], self.figures[place], (0,) * width)
            for place in range(len(runs), len(names))
        ]
        columns = tuple(zip(*lines, strict=True))
        return self.model_copy(
            update={"rows": columns[1], "figures": columns[2], "marks": columns[3]}
            | ({"groups": columns[0]} if any(columns[0]) else {})
        )

    def in_language(self) -> "ScoreTable":
        """The table in the language of this process, as people read it."""
        return self.model_copy(
            update={
                "title": in_language(self.title),
                "columns": tuple(map(_heading, self.columns)),
                "rows": tuple(
                    tuple(
                        cell_in_language(cell, heading=heading)
                        for cell, heading in zip(row, self.columns, strict=True)
                    )
                    for row in self.rows
                ),
                "notes": tuple(map(in_language, self.notes)),
            }
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

    table = figure_table(
        "Accuracy", cards, figures, directions={measure.heading: measure.direction for measure in measures}
    )
    if are_comparable(cards):
        for heading, value in RANKS.items():
            table = _with_column(table, heading, ranks([value(card.summary) for _, card in cards]))
    if any(card.summary.infra_errors for _, card in cards):
        table = _with_column(table, FAILED_OUTSIDE, [infra_words(card.summary) for _, card in cards])
    return table


def _heading(text: str) -> str:
    return " · ".join(in_language(tr(part, context="heading")) for part in text.split(" · "))


def _with_column(table: ScoreTable, heading: str, texts: Sequence[str]) -> ScoreTable:
    """The table with a last column of texts, which are no figures."""
    texts = [*texts, *[""] * (len(table.rows) - len(texts))]
    return table.model_copy(
        update={
            "columns": (*table.columns, heading),
            "rows": tuple((*row, text) for row, text in zip(table.rows, texts, strict=True)),
            "figures": tuple((*row, None) for row in table.figures),
            "directions": (*table.directions, Direction.NEITHER),
        }
    )


def ranks(values: Sequence[float | None]) -> list[str]:
    """The place of each value, the highest first; equal ones share the better place, none has a dash."""
    known = [value for value in values if value is not None]
    return [NOTHING if value is None else str(1 + sum(one > value for one in known)) for value in values]


def infra_words(summary: Summary) -> str:
    """How many tasks failed outside the model, and how they count in the figures beside."""
    return f"{summary.infra_errors:,} – {summary.infra_errors_count.words}" if summary.infra_errors else "0"


def _measure_table(cards: Cards, measure: Measure) -> ScoreTable:
    def figures(card: Scorecard) -> dict[str, Figure]:
        return {measure.label(name): figure for name, figure in card.summary.figures(measure).items()}

    if measure.layout is SliceLayout.MATRIX:
        return _matrix_table(measure.title, cards, figures, form=measure.form)
    directions: Mapping[str, Direction] = defaultdict(lambda: measure.direction)
    table = figure_table(measure.title, cards, figures, form=measure.form, directions=directions)
    return table if measure.layout is SliceLayout.ACROSS else _turned(table)


def figure_table(
    title: str,
    cards: Cards,
    figures: Callable[[Scorecard], Mapping[str, Figure]],
    *,
    form: Form = Form.PERCENT,
    directions: Mapping[str, Direction] | None = None,
) -> ScoreTable:
    """One row a run, one column for each figure any of them has; of comparable runs also the means.

    Args:
        title: What it is called.
        cards: Names and scorecards, in printed order.
        figures: The figures of a run by heading.
        form: How they are printed.
        directions: Which figure is better, by heading; None where higher ones are.
    """
    figures_of_runs = [(name, figures(card)) for name, card in cards]
    columns = tuple(dict.fromkeys(column for _, row in figures_of_runs for column in row))
    rows = [tuple(row.get(column) for column in columns) for _, row in figures_of_runs]
    names = [name for name, _ in cards]
    if are_comparable(cards):
        names.append(f"mean of {len(cards)}")
        rows.append(tuple(map(mean_figure, zip(*rows, strict=True))))
    table = printed_table(title, columns, names, rows, form=form)
    better = defaultdict(lambda: Direction.HIGHER) if directions is None else directions
    return table.model_copy(update={"directions": tuple(better[column] for column in columns)})


def printed_table(
    title: str,
    columns: Sequence[str],
    names: Iterable[str],
    figures: Sequence[tuple[Figure | None, ...]],
    *,
    form: Form,
) -> ScoreTable:
    """A table of figures, a row for each name, all printed in one form."""
    return ScoreTable(
        title=title,
        columns=("run", *columns),
        unit=form.unit,
        form=form,
        rows=tuple(
            (name, *(shown(figure, form=form) for figure in row))
            for name, row in zip(names, figures, strict=True)
        ),
        figures=tuple(figures),
    )


def group_table(groups: Mapping[str, Cards]) -> ScoreTable:
    """Which runs stand together, where not all of them do."""
    return ScoreTable(
        title="Runs scored under different rules are not averaged, ranked or tested together",
        columns=("run", "compared only with runs of"),
        rows=tuple((name, words) for words, cards in groups.items() for name, _ in cards),
    )


def marks_of(values: Sequence[float | None], direction: Direction) -> tuple[int, ...]:
    """1 for the best values of a column, 2 for the second best; 0 throughout where none is better."""
    ordered = sorted({value for value in values if value is not None}, reverse=direction is Direction.HIGHER)
    if direction is Direction.NEITHER or len(ordered) < 2:
        return (0,) * len(values)
    return tuple(1 + ordered.index(value) if value in ordered[:2] else 0 for value in values)


def model_table(cards: Cards) -> ScoreTable:
    """The cards of the models, a column for each thing that is known of some; no row where nobody said."""
    known = [(name, card.model_card) for name, card in cards if card.model_card is not None]
    fields = [field for field in CARD_FIELDS if any(card.words(field) for _, card in known)]
    return ScoreTable(
        title="Models",
        columns=("run", *(field.replace("_", " ") for field in fields)),
        rows=tuple((name, *(card.words(field) or NOTHING for field in fields)) for name, card in known),
    )


def card_notes(cards: Cards) -> tuple[str, ...]:
    """What is known of the models, a line a run, of many runs where that stands; then what else to know.

    That is which runs lack predictions, and which models stand in several runs. Models are described where
    some run has a card that says something.
    """
    found = {name: card.model_card.note if card.model_card else "" for name, card in cards}
    known = [f"{name}: {note}" for name, note in found.items() if note]
    gaps = ", ".join(name for name, note in found.items() if not note)
    lines = (
        known if len(known) <= _MOST_NOTES else ["What is known of the models stands in the table Models."]
    )
    cards_said = [*lines, *([f"No model card, or nothing on it: {gaps}"] if gaps else [])] if known else []
    return (*cards_said, *_unanswered(cards), *_repeated(cards))


def _unanswered(cards: Cards) -> list[str]:
    """What tasks without a prediction count as, and how many each run has of them."""
    words = [
        f"{name}: {card.summary.missing:,} of {card.summary.tasks:,}"
        for name, card in cards
        if card.summary.missing
    ]
    rule = (
        "Tasks without a prediction are wrong in rates and excluded where runs are compared with each other"
    )
    return [f"{rule}: {'; '.join(words)}"] if words else []


def _repeated(cards: Cards) -> list[str]:
    """How a model weighs that stands in several runs with the same thinking and interface."""
    runs = Counter(
        (card.model, one and one.thinking, one and one.interface)
        for _, card in cards
        for one in [card.known_card]
    )
    words = [f"{model}: {count} runs" for (model, *_), count in runs.items() if model and count > 1]
    return (
        [f"Each run weighs the same in means and effects, also several of one model: {'; '.join(words)}."]
        if words
        else []
    )


def mean_figure(figures: Sequence[Figure | None]) -> Mean:
    """The unweighted mean of a figure over runs; None where none of them has it."""
    values = [figure.value for figure in figures if figure is not None and figure.value is not None]
    return Mean(value=sum(values) / len(values) if values else None, of=len(values), among=len(figures))


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
            rows.setdefault(f"{name} · {row}", {})[column] = figure
    columns = tuple(dict.fromkeys(chain.from_iterable(rows.values())))
    cells = tuple(tuple(row.get(column) for column in columns) for row in rows.values())
    return printed_table(title, columns, rows, cells, form=form)


def shown(figure: Figure | None, *, form: Form = Form.PERCENT) -> str:
    """A figure, a rate with what it is made of, a mean with how many runs have it where not all do."""
    match figure:
        case Rate() if figure.total:
            return f"{figure.percent} ({figure.count}/{figure.total})"
        case Mean() if 0 < figure.of < figure.among:
            return f"{form.text(figure)} (mean of {figure.of})"
        case _:
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
                    written_interval(100 * interval.low, 100 * interval.high, form=".1f")
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
    return ScoreTable(
        title="What the figures rest on",
        columns=(
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
        ),
        rows=tuple((name, *_basis(card)) for name, card in cards),
    )


def _basis(card: Scorecard) -> tuple[str, ...]:
    summary, replies = card.summary, card.summary.replies
    seconds, timed = replies.latency_seconds, replies.timed or replies.replies
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
        f"{half_up(seconds / timed):.2f}" if seconds is not None and timed else NOTHING,
    )


def _count(number: int | None) -> str:
    return NOTHING if number is None else f"{number:,}"
