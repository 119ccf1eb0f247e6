"""What the leaderboard knows of a run, and the lines it makes of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from annotator.release.runs.recorded_runs import RunRow, RunSummary
from scoring.measures import catalogue
from scoring.measures.catalogue import NOTHING, Direction, Form, Measure
from scoring.measures.rates import Figure, Number
from scoring.measures.summary import Summary
from scoring.model.taxonomy import InfraErrors, Protocol
from scoring.model_card import ModelCard
from scoring.scorecard import Basis, apart, comparable_groups
from scoring.wording import counted
from ui.theme.cells import Cell
from ui.theme.tables import Column, Row
from ui.theme.tokens import Tone
from ui.theme.words import ago, exactly

APART = "Ranked apart: scored under different rules or cases"
"""What is said of runs that are not ranked, averaged or compared with each other."""
NO_RELEASE = "no release"
"""What the cases of a run are called that were never frozen in this project."""


@dataclass(frozen=True)
class RunEntry:
    """One run of the project with its metrics."""

    row: RunRow
    summary: Summary
    model_card: ModelCard | None = None

    def counting(self, infra_errors: InfraErrors) -> "RunEntry":
        """The run with failures outside the model counted in one way."""
        return replace(self, summary=self.summary.counting(infra_errors))

    @property
    def basis(self) -> Basis:
        """What its figures rest on; runs of different ones are not ranked or compared."""
        kept = ("semantics", "arguments", "protocol", "cases_sha256")
        own = {name: getattr(self.row, name) for name in kept}
        summary = self.summary
        return Basis(**own, infra_errors=summary.infra_errors_count, undrawn=summary.undrawn.matched)

    @property
    def release(self) -> str:
        """The release it was scored against."""
        return self.row.release or NO_RELEASE


def entries_of(rows: Sequence[RunRow]) -> tuple[RunEntry, ...]:
    """Read the metrics of every run, and the card of its model."""
    read = ((row, RunSummary.model_validate_json(row.summary)) for row in rows)
    return tuple(RunEntry(row, summary, summary.model_card) for row, summary in read)


def are_comparable(one: RunEntry, other: RunEntry) -> bool:
    """Whether two runs can be compared: on one basis, or only shown different histories (c2, the others)."""
    differ = apart(entry.counting(InfraErrors.WRONG).basis for entry in (one, other))
    return not differ or (differ == ["protocol"] and Protocol.C2 in (one.row.protocol, other.row.protocol))


OUTSIDE_COLUMN: Column[Any] = Column(
    "Failed outside", 104, is_figure=True, tip="Tasks that failed outside the model, such as HTTP 500"
)


def columns() -> tuple[Column[Any], ...]:
    """The headings of the leaderboard: every measure of the list that has a place in it."""
    figures = (
        Column[Any](
            heading,
            84,
            is_figure=True,
            tip=measure.formula[:1].upper() + measure.formula[1:],
            topic=f"measure.{measure.key}",
        )
        for measure, _, heading in _places()
    )
    return (
        Column("Model"),
        *figures,
        OUTSIDE_COLUMN,
        Column("Release", 120),
        Column("Scored", 96, is_figure=True),
    )


def _places() -> tuple[tuple[Measure, str, str], ...]:
    """The figures of the leaderboard: a measure, its slice and the heading."""
    return tuple(
        (measure, name, heading)
        for measure in catalogue.MEASURES
        for name, heading in measure.leaderboard.items()
    )


def leaderboard(
    entries: Sequence[RunEntry], now: datetime, *, infra_errors: InfraErrors = InfraErrors.WRONG
) -> tuple[Row, ...]:
    """The lines of the leaderboard, the best task accuracy first; the best of each column is strong.

    Runs that rest on different rules or cases are ranked and marked apart, each group under its heading.

    Args:
        entries: The runs.
        now: What "3 min ago" counts from.
        infra_errors: How tasks that failed outside the model count.
    """
    counted_so = [entry.counting(infra_errors) for entry in entries]
    releases = {one.row.cases_sha256: f"release {one.row.release}" for one in entries if one.row.release}
    groups = comparable_groups(((entry.basis, entry) for entry in counted_so), cases=releases)
    rows = []
    for section, (words, members) in enumerate(groups.items()):
        if words:
            heading = Cell(f"{words[:1].upper()}{words[1:]}", is_strong=True, tip=APART)
            rows.append(Row(words, (heading,), section=section, is_heading=True, topic="semantics"))
        best = [_best(members, measure, name) for measure, name, _ in _places()]
        members.sort(key=lambda entry: -(entry.summary.task_accuracy or 0.0))
        rows += [Row(entry.row.id, _cells(entry, best, now), section=section) for entry in members]
    return tuple(rows)


def _best(entries: Sequence[RunEntry], measure: Measure, name: str) -> float | None:
    found = [entry.summary.figures(measure).get(name) for entry in entries]
    values = [figure.value for figure in found if figure is not None and figure.value is not None]
    if len(values) < 2 or measure.direction is Direction.NEITHER:
        return None
    return max(values) if measure.direction is Direction.HIGHER else min(values)


def _cells(entry: RunEntry, best: Sequence[float | None], now: datetime) -> tuple[Cell, ...]:
    cells = []
    for (measure, name, _), top in zip(_places(), best, strict=True):
        figure = entry.summary.figures(measure).get(name)
        is_best = top is not None and figure is not None and figure.value == top
        cells.append(figure_cell(figure, measure.form, is_strong=is_best))
    at = entry.row.at
    return (
        Cell(entry.row.name, is_mono=True, tip=about(entry)),
        *cells,
        outside_cell(entry.summary),
        Cell(entry.release, colour="muted"),
        Cell(ago(at, now), at.timestamp(), exactly(at, now), colour="muted"),
    )


def outside_cell(summary: Summary) -> Cell:
    """How many tasks failed outside the model, as a badge, and how they count."""
    count = summary.infra_errors
    if not count:
        return Cell("0", 0, "No task failed outside the model.", colour="faint")
    badge = "as wrong" if summary.infra_errors_count is InfraErrors.WRONG else "excluded"
    how = summary.infra_errors_count.words
    tip = f"{counted(count, 'task')} failed outside the model, {how} in every figure of this row"
    return Cell(f"{count:,} {badge}", count, tip, chip=Tone.WARN)


def figure_cell(figure: Figure | None, form: Form, *, is_strong: bool = False) -> Cell:
    """A figure in its own form; a dash where there is none."""
    if figure is None or figure.value is None:
        return Cell(NOTHING, tip="There is no such task.", colour="faint")
    tip = f"over {figure.of:,}" if isinstance(figure, Number) else f"{figure.count:,} of {figure.total:,}"
    return Cell(form.text(figure), figure.value, tip, is_strong=is_strong)


def about(entry: RunEntry) -> str:
    """A run in one line: what was scored and what did not count."""
    summary = entry.summary
    parts = [entry.row.name, counted(summary.tasks, "task"), entry.release]
    if summary.missing:
        parts.append(f"{summary.missing:,} without a prediction")
    if summary.infra_errors:
        how = summary.infra_errors_count.words
        parts.append(f"{summary.infra_errors:,} failed outside the model, {how}")
    if summary.undrawn.count:
        parts.append(f"undrawn: {summary.undrawn.words}")
    if summary.unpassable:
        parts.append(f"{summary.unpassable:,} no reply can pass")
    if summary.ignored:
        parts.append(f"{summary.ignored:,} ignored")
    parts.append((entry.model_card and entry.model_card.note) or "no model card")
    return " · ".join(parts)
