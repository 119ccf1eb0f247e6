"""The tables of scores: rows of runs, cells of figures, as texts any form can print."""

from collections.abc import Callable, Mapping, Sequence

from scoring.comparison import rate_intervals
from scoring.model.record import Record
from scoring.rates import Rate
from scoring.scorecard import Scorecard

NOTHING = "–"
"""What stands where nothing was measured."""

Cards = Sequence[tuple[str, Scorecard]]
"""Names and scorecards of runs, in printed order."""


class ScoreTable(Record):
    """A titled table of texts; the first column names the row, the others are figures.

    `rates` has, row by row, the rates behind the figures, null where a figure is no rate; it is empty where
    no figure is.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    rates: tuple[tuple[Rate | None, ...], ...] = ()


def score_tables(cards: Cards) -> tuple[ScoreTable, ...]:
    """The tables of the papers for runs side by side: one row a run.

    Args:
        cards: Names and scorecards, in printed order.

    Returns:
        Overall, by policy, by task order, by information, by transitions, orchestration, error shares.
    """
    return (
        rate_table("Accuracy", cards, _overall),
        rate_table("By policy", cards, lambda card: card.summary.accuracy.by_policy),
        rate_table("By task order", cards, _positions),
        rate_table("By information", cards, lambda card: card.summary.accuracy.by_information),
        rate_table("By policy transitions", cards, lambda card: card.summary.accuracy.by_transitions),
        rate_table("Optimal paths", cards, lambda card: card.summary.optimal),
        rate_table("Accomplished progress", cards, lambda card: card.summary.progress),
        rate_table("Error shares of failed tasks", cards, lambda card: card.summary.errors),
        rate_table("Errors as C3-Bench prints them", cards, lambda card: card.summary.error_columns),
    )


def _overall(card: Scorecard) -> dict[str, Rate]:
    summary = card.summary
    return {
        "task": summary.accuracy.tasks,
        "session": summary.accuracy.sessions,
        "names only": summary.names.tasks,
        "progress": summary.progress["total"],
        "optimal": summary.optimal["total"],
    }


def _positions(card: Scorecard) -> dict[str, Rate]:
    return {f"task {int(name) + 1}": rate for name, rate in card.summary.accuracy.by_position.items()}


def rate_table(title: str, cards: Cards, rates: Callable[[Scorecard], Mapping[str, Rate]]) -> ScoreTable:
    """One row a run, one column for each rate any of them has."""
    found = [(name, rates(card)) for name, card in cards]
    columns = tuple(dict.fromkeys(column for _, row in found for column in row))
    figures = tuple(tuple(row.get(column) for column in columns) for _, row in found)
    return ScoreTable(
        title=title,
        columns=("run", *columns),
        rows=tuple((name, *map(shown_rate, row)) for (name, _), row in zip(found, figures, strict=True)),
        rates=figures,
    )


def shown_rate(rate: Rate | None) -> str:
    """A rate in percent with what it is made of."""
    if rate is None or rate.percent is None:
        return NOTHING
    return f"{rate.percent} ({rate.count}/{rate.total})"


def interval_table(cards: Cards) -> ScoreTable:
    """95 % intervals of the headline rates, in percent (bootstrap over sessions, scoring 5)."""
    found = [(name, rate_intervals(card.tasks)) for name, card in cards]
    columns = tuple(dict.fromkeys(column for _, row in found for column in row))
    rows = []
    for name, row in found:
        bounds = [row.get(column) for column in columns]
        texts = [f"{100 * one.low:.1f} to {100 * one.high:.1f}" if one else NOTHING for one in bounds]
        rows.append((name, *texts))
    headings = tuple(column.replace("_", " ") for column in columns)
    return ScoreTable(
        title="95 % intervals (bootstrap over sessions)", columns=("run", *headings), rows=tuple(rows)
    )


def basis_table(cards: Cards) -> ScoreTable:
    """What every run rests on: rules, cases, what is missing, tokens and time."""
    columns = (
        "run",
        "protocol",
        "semantics",
        "arguments",
        "cases",
        "tasks",
        "no prediction",
        "failed outside",
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
        card.protocol.value,
        card.semantics.value,
        str(card.arguments),
        card.cases_sha256[:12],
        f"{summary.tasks:,}",
        f"{summary.missing:,}",
        f"{summary.infra_errors:,}",
        f"{summary.ignored:,}",
        f"{replies.replies:,}",
        _count(replies.prompt_tokens),
        _count(replies.completion_tokens),
        f"{seconds / replies.replies:.2f}" if seconds is not None and replies.replies else NOTHING,
    )


def _count(number: int | None) -> str:
    return NOTHING if number is None else f"{number:,}"
