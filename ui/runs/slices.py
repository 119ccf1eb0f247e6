"""The slices of scorecards as lines of a table: one column a run, the groups under headings."""

from collections.abc import Callable, Mapping, Sequence

from scoring.comparison import HEADLINES, rate_intervals
from scoring.intervals import Interval
from scoring.metrics import Summary
from scoring.model.taxonomy import Information, Policy
from scoring.rates import Rate
from scoring.scorecard import Scorecard
from ui.runs.entries import rate_cell
from ui.theme.tables import Cell, Column, Row
from ui.theme.words import INFORMATION, POLICY, POLICY_SHORT

NamedCard = tuple[str, Scorecard]

RESAMPLES = 1000
_HEADLINE_WORDS = {
    "task_accuracy": "Task accuracy",
    "session_accuracy": "Session accuracy",
    "subsequent_accuracy": "Accuracy after the first task",
    "names_accuracy": "Tool names alone",
    "optimal_path_rate": "Optimal paths",
    "accomplished_progress": "Accomplished progress",
}
_NAMES = {
    **{policy.value: POLICY_SHORT[policy] for policy in Policy},
    **{information.value: INFORMATION[information] for information in Information},
    "multi": "Multi, all three",
    "subsequent": "All later tasks",
    "related": "Needs the earlier dialogue",
    "unrelated": "Stands by itself",
    "total": "Together",
}

_GROUPS: tuple[tuple[str, Callable[[Summary], Mapping[str, Rate]]], ...] = (
    ("By policy", lambda s: s.accuracy.by_policy),
    ("By task order", lambda s: {f"Task {int(n) + 1}": r for n, r in s.accuracy.by_position.items()}),
    ("By information", lambda s: s.accuracy.by_information),
    ("By policy transitions", lambda s: _named(s.accuracy.by_transitions, "transition")),
    ("Tool names alone, by policy", lambda s: s.names.by_policy),
    ("Optimal paths", lambda s: s.optimal),
    ("Accomplished progress", lambda s: s.progress),
    ("Errors of failed tasks, nine classes", lambda s: s.errors),
    ("Errors of failed tasks, twelve classes", lambda s: s.errors_c3),
)


def _named(rates: Mapping[str, Rate], noun: str) -> dict[str, Rate]:
    return {f"{count} {noun if count == '1' else noun + 's'}": rate for count, rate in rates.items()}


def slice_columns(names: Sequence[str]) -> tuple[Column, ...]:
    """The headings: a run each, and how many tasks a slice has."""
    return (
        Column("Slice"),
        *(Column(name, 108, is_figure=True) for name in names),
        Column("n", 64, is_figure=True),
    )


def slice_rows(cards: Sequence[NamedCard]) -> tuple[Row, ...]:
    """Every slice of some runs over the same cases, group by group; empty for no run."""
    if not cards:
        return ()
    rows: list[Row] = []
    for heading, rates in _GROUPS:
        found = [rates(card.summary) for _, card in cards]
        names = list(dict.fromkeys(name for group in found for name in group))
        if not names:
            continue
        blank = (Cell(""),) * (len(cards) + 1)
        rows.append(Row(heading, (Cell(heading, is_strong=True), *blank)))
        rows += [_line(heading, name, [group.get(name) for group in found]) for name in names]
    return tuple(rows)


def _line(heading: str, name: str, rates: Sequence[Rate | None]) -> Row:
    total = next((rate.total for rate in rates if rate is not None), 0)
    cells = [rate_cell(rate) if rate is not None else Cell("–", colour="faint") for rate in rates]
    return Row(
        (heading, name), (Cell(_NAMES.get(name, name)), *cells, Cell(f"{total:,}", total, colour="muted"))
    )


def headline_columns() -> tuple[Column, ...]:
    """The headings of the headline figures."""
    return (Column("Measure"), Column("%", 72, is_figure=True), Column("95 % interval", 116, is_figure=True))


def headline_rows(card: Scorecard, intervals: Mapping[str, Interval | None]) -> tuple[Row, ...]:
    """The plain numbers of a run with their intervals."""
    return tuple(_headline(name, card, intervals.get(name)) for name in HEADLINES)


def _headline(name: str, card: Scorecard, interval: Interval | None) -> Row:
    value = getattr(card.summary, name)
    shown = Cell("–", colour="faint") if value is None else Cell(f"{100 * value:.2f}", value)
    words = f"{100 * interval.low:.1f}–{100 * interval.high:.1f}" if interval else ""
    return Row(name, (Cell(_HEADLINE_WORDS.get(name, name)), shown, Cell(words, colour="muted")))


def headline_intervals(card: Scorecard) -> dict[str, Interval | None]:
    """Bootstrap intervals of the plain numbers; a second for a large run, so not on the window's thread."""
    return rate_intervals(card.tasks, resamples=RESAMPLES)


def policy_words(policy: Policy | None) -> str:
    """A task's policy on screen."""
    return POLICY[policy] if policy else "no policy"
