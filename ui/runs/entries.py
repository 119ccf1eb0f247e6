"""What the leaderboard knows of a run without its scorecard, and the lines it makes of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from annotator.release.evaluating import RunRow
from scoring.metrics import Summary
from scoring.rates import Rate
from ui.theme.tables import Cell, Column, Row
from ui.theme.times import ago, exactly
from ui.theme.words import counted

NO_RELEASE = "no release"
"""What the cases of a run are called that were never frozen in this project."""


@dataclass(frozen=True)
class RunEntry:
    """One run of the project with its metrics."""

    row: RunRow
    summary: Summary

    @property
    def release(self) -> str:
        """The release it was scored against."""
        return self.row.release or NO_RELEASE


def entries_of(rows: Sequence[RunRow]) -> tuple[RunEntry, ...]:
    """Read the metrics of every run."""
    return tuple(RunEntry(row, Summary.model_validate_json(row.summary)) for row in rows)


@dataclass(frozen=True)
class Figure:
    """A column of the leaderboard."""

    title: str
    tip: str
    of: Callable[[Summary], Rate]


FIGURES = (
    Figure("Task", "Tasks with right calls and right arguments", lambda s: s.accuracy.tasks),
    Figure("Session", "Cases whose tasks are all right", lambda s: s.accuracy.sessions),
    Figure("Single", "Tasks of one call", lambda s: s.accuracy.by_policy["single"]),
    Figure("Multi", "Tasks of several calls", lambda s: s.accuracy.by_policy["multi"]),
    Figure("Clarify", "Tasks that need a question first", lambda s: s.accuracy.by_policy["clarify"]),
    Figure("Chat", "Tasks that need no call", lambda s: s.accuracy.by_policy["chat"]),
    Figure("Progress", "Steps done before the first error, serial and mixed", lambda s: s.progress["total"]),
    Figure("Optimal", "Right in the fewest rounds, parallel and mixed", lambda s: s.optimal["total"]),
)
"""The figures of the leaderboard, in percent."""

COLUMNS = (
    Column("Model"),
    *(Column(figure.title, 84, is_figure=True, tip=figure.tip) for figure in FIGURES),
    Column("Release", 120),
    Column("Scored", 96, is_figure=True),
)


def leaderboard(entries: Sequence[RunEntry], now: datetime) -> tuple[Row, ...]:
    """The lines of the leaderboard, the best task accuracy first; the best of each column is strong."""
    best = [_best(entries, figure) for figure in FIGURES]
    ordered = sorted(entries, key=lambda entry: -(entry.summary.task_accuracy or 0.0))
    return tuple(Row(entry.row.id, _cells(entry, best, now)) for entry in ordered)


def _best(entries: Sequence[RunEntry], figure: Figure) -> float | None:
    values = [value for entry in entries if (value := figure.of(entry.summary).value) is not None]
    return max(values) if len(values) > 1 else None


def _cells(entry: RunEntry, best: Sequence[float | None], now: datetime) -> tuple[Cell, ...]:
    figures = (
        rate_cell(rate := figure.of(entry.summary), is_strong=top is not None and rate.value == top)
        for figure, top in zip(FIGURES, best, strict=True)
    )
    at = entry.row.at
    return (
        Cell(entry.row.name, is_mono=True, tip=about(entry)),
        *figures,
        Cell(entry.release, colour="muted"),
        Cell(ago(at, now), at.timestamp(), exactly(at, now), colour="muted"),
    )


def rate_cell(rate: Rate, *, is_strong: bool = False, colour: str = "text") -> Cell:
    """A share in percent with two decimals; a dash for an empty group."""
    if rate.percent is None:
        return Cell("–", tip="There is no such task.", colour="faint")
    tip = f"{rate.count:,} of {rate.total:,}"
    return Cell(rate.percent, rate.value, tip, is_strong=is_strong, colour=colour)


def about(entry: RunEntry) -> str:
    """A run in one line: what was scored and what did not count."""
    summary = entry.summary
    parts = [entry.row.name, counted(summary.tasks, "task"), entry.release]
    if summary.missing:
        parts.append(f"{summary.missing:,} without a prediction")
    if summary.infra_errors:
        parts.append(f"{summary.infra_errors:,} failed outside the model")
    if summary.ignored:
        parts.append(f"{summary.ignored:,} ignored")
    return " · ".join(parts)
