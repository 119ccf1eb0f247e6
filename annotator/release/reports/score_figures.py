"""The pictures of scores: accuracy by slices, decline, orchestration, error shares, robustness.

Every function returns a `matplotlib.figure.Figure` that nobody else holds; runs stand in the given order.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from annotator.release.reports.bars import Group, MeasuredRate, groups_of, rates_figure, shares_figure
from annotator.release.reports.figure_style import (
    LIGHT,
    MARKERS,
    FigurePalette,
    add_line,
    finish_with_legend,
    percent_axis,
    short,
    titled_axes,
)
from annotator.release.reports.score_tables import Cards, ScoreTable, printed_intervals
from scoring.measures.catalogue import headlines
from scoring.measures.comparison import rate_intervals
from scoring.measures.rates import Rate
from scoring.measures.robustness import RobustnessTable
from scoring.model.record import Record
from scoring.scorecard import Scorecard
from scoring.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Slice(StrEnum):
    """What accuracy is broken down by."""

    POLICY = "policy"
    INFORMATION = "information"
    TRANSITIONS = "transitions"
    POSITION = "position"


TITLES = {
    Slice.POLICY: "Accuracy by policy",
    Slice.INFORMATION: "Accuracy by information type",
    Slice.TRANSITIONS: "Accuracy by policy transitions",
    Slice.POSITION: "Accuracy by task order",
}
_CALLS = "Tasks with several calls"
_AXES = {
    Slice.POLICY: "",
    Slice.INFORMATION: "",
    Slice.TRANSITIONS: "policy transitions up to the task",
    Slice.POSITION: "",
}
_WORDS = {
    "multi_serial": "serial",
    "multi_parallel": "parallel",
    "multi_mixed": "mixed",
    "long_range": "long range",
}


class ModelRobustness(Record):
    """How steady one model is.

    `accuracy` is that after the full process, first tasks left out; None where nothing was asked.
    """

    name: str
    table: RobustnessTable
    accuracy: float | None


def _sliced(card: Scorecard, by: Slice) -> Mapping[str, Rate]:
    table = card.summary.accuracy
    if by is Slice.POSITION:
        return {f"task {int(name) + 1}": rate for name, rate in table.by_position.items()}
    if by is Slice.TRANSITIONS:
        return table.by_transitions
    by_label = table.by_policy if by is Slice.POLICY else table.by_information
    return {_WORDS.get(name, name): rate for name, rate in by_label.items()}


def accuracy_groups(cards: Cards, by: Slice) -> list[Group]:
    """Accuracy in slices, with 95 % intervals (Wilson)."""
    return groups_of(cards, lambda card: {k: MeasuredRate.of(rate) for k, rate in _sliced(card, by).items()})


def accuracy_figure(cards: Cards, by: Slice, *, palette: FigurePalette = LIGHT) -> "Figure":
    """Accuracy in slices, with 95 % intervals (Wilson)."""
    names = [name for name, _ in cards]
    groups = accuracy_groups(cards, by)
    return rates_figure(groups, names, title=TITLES[by], axis=_AXES[by], palette=palette)


def orchestration_groups(cards: Cards) -> list[Group]:
    """How well several calls are orchestrated: accuracy, optimal paths, accomplished progress.

    The interval of the progress is a bootstrap over sessions, since the steps of a task stand or fall
    together; the others are Wilson's.
    """

    def measure(card: Scorecard) -> dict[str, MeasuredRate]:
        progress = {"progress": headlines()["accomplished_progress"]}
        return {
            "accuracy": MeasuredRate.of(card.summary.accuracy.by_policy["multi"]),
            "optimal paths": MeasuredRate.of(card.summary.optimal["total"]),
            "progress": MeasuredRate(
                rate=card.summary.progress["total"],
                interval=rate_intervals(card.sample, measures=progress)["progress"],
            ),
        }

    return groups_of(cards, measure)


def orchestration_figure(cards: Cards, *, palette: FigurePalette = LIGHT) -> "Figure":
    """How well several calls are orchestrated: bars of `orchestration_groups`."""
    names = [name for name, _ in cards]
    groups = orchestration_groups(cards)
    return rates_figure(groups, names, title=_CALLS, axis="", palette=palette)


def picture_intervals(cards: Cards) -> tuple[ScoreTable, ...]:
    """The intervals that the pictures of a report draw, for forms without pictures."""
    slices = Slice.POLICY, Slice.INFORMATION, Slice.TRANSITIONS
    drawn = [(TITLES[by], "Wilson", accuracy_groups(cards, by)) for by in slices]
    drawn.append((_CALLS, "Wilson, progress by bootstrap over sessions", orchestration_groups(cards)))
    return tuple(
        printed_intervals(
            f"{title}: 95 % intervals ({method})",
            [group.label for group in groups],
            [
                (
                    name,
                    [
                        value.interval if value else None
                        for value in (group.values[place] for group in groups)
                    ],
                )
                for place, (name, _) in enumerate(cards)
            ],
        )
        for title, method, groups in drawn
    )


def decline_figure(cards: Cards, *, palette: FigurePalette = LIGHT) -> "Figure":
    """How accuracy changes from task to task of a dialogue: one line a run, at most eight of them."""
    shown = cards[: len(MARKERS)]
    rest = "" if len(shown) == len(cards) else f" (the first {len(shown)} of {counted(len(cards), 'run')})"
    figure, axes = titled_axes(palette, title=f"Accuracy from task to task{rest}", height_inches=3.4)
    percent_axis(axes, palette, "accuracy (%)")
    tables = [card.summary.accuracy.by_position for _, card in shown]
    positions = sorted({int(position) for table in tables for position in table})
    handles = []
    for number, table in enumerate(tables):
        values = [(p, rate.value) for p in positions if (rate := table.get(str(p)))]
        points = [(p, 100 * value) for p, value in values if value is not None]
        handles.append(add_line(axes, palette, points, number=number, of=len(tables)))
    axes.set_xticks(positions, [f"task {p + 1}" for p in positions])
    axes.margins(x=0.05)
    return finish_with_legend(figure, palette, handles, [short(name) for name, _ in shown])


def error_figure(cards: Cards, *, palette: FigurePalette = LIGHT) -> "Figure":
    """Shares of the nine error classes among each run's failed tasks, as stacked bars."""

    def remark(card: Scorecard) -> str:
        failed = next(iter(card.summary.errors.values())).total
        return f"{failed} failed" if failed else "none failed"

    return shares_figure(
        [(name, card.summary.errors, remark(card)) for name, card in cards],
        title="Error classes among failed tasks",
        axis="share of the model's failed tasks (%)",
        palette=palette,
    )


def volatility_figure(models: Sequence[ModelRobustness], *, palette: FigurePalette = LIGHT) -> "Figure":
    """Volatility (VF) against accuracy: how often a model changes its mind, against how good it is."""
    figure, axes = titled_axes(palette, title="Volatility (VF) against accuracy", height_inches=3.6)
    percent_axis(axes, palette, "tasks that flip between histories (%)")
    axes.set_xlim(0, 100)
    axes.set_xlabel("accuracy after the full process (%)", color=palette.muted, fontsize=8)
    handles, names = [], []
    for number, model in enumerate(models):
        flips = model.table.overall.volatility
        if flips is None or model.accuracy is None:
            continue
        mark = add_line(axes, palette, [(100 * model.accuracy, 100 * flips)], number=number, of=1)
        mark.set_linestyle("none")
        handles.append(mark)
        names.append(short(model.name))
    return finish_with_legend(figure, palette, handles, names)


def descent_figure(models: Sequence[ModelRobustness], *, palette: FigurePalette = LIGHT) -> "Figure":
    """Debiased descent (DDD) by policy transitions (PTF); undefined values are gaps, named below."""
    figure, axes = titled_axes(
        palette, title="Debiased descent (DDD) by policy transitions (PTF)", height_inches=3.6
    )
    counts = sorted({int(count) for model in models for count in model.table.by_transitions})
    handles, names = [], []
    for number, model in enumerate(models):
        by_count = {count: model.table.by_transitions.get(str(count)) for count in counts}
        points = [
            (count, float("nan") if measured is None or measured.descent is None else measured.descent)
            for count, measured in by_count.items()
        ]
        handles.append(add_line(axes, palette, points, number=number, of=len(models)))
        gaps = [
            f"{count}: {measured.undefined}"
            for count, measured in by_count.items()
            if measured and measured.undefined
        ]
        names.append(short(model.name) + (f" (undefined at {', '.join(gaps)})" if gaps else ""))
    axes.axhline(1, color=palette.muted, linewidth=0.8, linestyle=(0, (1, 2)))
    axes.set_ylim(bottom=0)
    axes.set_xticks(counts)
    axes.set_xlabel("policy transitions up to the task", color=palette.muted, fontsize=8)
    axes.set_ylabel("DDD; above 1 more is lost than won", color=palette.muted, fontsize=8)
    return finish_with_legend(figure, palette, handles, names)
