"""The pictures of scores: accuracy by slices, decline, orchestration, error shares, robustness.

Every function returns a `matplotlib.figure.Figure` that nobody else holds; runs stand in the given order.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import accumulate
from math import isnan, nan
from typing import TYPE_CHECKING

from annotator.release.reports.bars import Group, MeasuredRate, groups_of, rates_figure, shares_figure
from annotator.release.reports.figure_style import (
    LIGHT,
    MARKERS,
    FigurePalette,
    add_line,
    finish,
    finish_with_legend,
    inside,
    new_figure,
    percent_axis,
    say,
    short,
    style_axes,
    title_figure,
    titled_axes,
)
from annotator.release.reports.run_groups import Cards
from annotator.release.reports.score_tables import (
    ScoreTable,
    printed_intervals,
)
from scoring.groups import grouped
from scoring.measures.catalogue import headlines
from scoring.measures.comparison import rate_intervals
from scoring.measures.rates import Rate
from scoring.measures.robustness import RobustnessTable
from scoring.model.record import Record
from scoring.model.taxonomy import ModelKind
from scoring.scorecard import Scorecard
from scoring.texts import with_commas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


_NAME_INCHES = 0.14
"""How high a name beside the end of its line is, with its gap."""


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
AXES = {
    Slice.POLICY: "",
    Slice.INFORMATION: "",
    Slice.TRANSITIONS: "policy transitions up to the task",
    Slice.POSITION: "",
}
LABELS = {
    "accuracy": "accuracy",
    "optimal paths": "optimal paths",
    "progress": "progress",
    "single": "single",
    "multi": "multi",
    "clarify": "clarify",
    "chat": "chat",
    "all": "all",
    "multi_serial": "serial",
    "multi_parallel": "parallel",
    "multi_mixed": "mixed",
    "first": "first",
    "subsequent": "subsequent",
    "omission": "omission",
    "reference": "reference",
    "long_range": "long range",
    "related": "related",
    "unrelated": "unrelated",
}
"""What is measured and of which tasks, in the words of a picture."""


class ModelRobustness(Record):
    """How steady one model is.

    `accuracy` is that after the full process, first tasks left out; None where nothing was asked.
    """

    name: str
    table: RobustnessTable
    accuracy: float | None
    kind: ModelKind | None = None


def sliced(card: Scorecard, by: Slice) -> Mapping[str, Rate]:
    """Accuracy in slices, by the words of a picture."""
    table = card.summary.accuracy
    match by:
        case Slice.POSITION:
            return {f"task {int(name) + 1}": rate for name, rate in table.by_position.items()}
        case Slice.TRANSITIONS:
            return table.by_transitions
        case _:
            return {
                LABELS.get(name, name): rate
                for name, rate in (table.by_policy if by is Slice.POLICY else table.by_information).items()
            }


def accuracy_groups(cards: Cards, by: Slice) -> list[Group]:
    """Accuracy in slices, with 95 % intervals (Wilson)."""
    return groups_of(cards, lambda card: {k: MeasuredRate.of(rate) for k, rate in sliced(card, by).items()})


def accuracy_figure(cards: Cards, by: Slice, *, palette: FigurePalette = LIGHT) -> "Figure":
    """Accuracy in slices, with 95 % intervals (Wilson)."""
    return rates_figure(
        accuracy_groups(cards, by), list(dict(cards)), title=TITLES[by], axis=AXES[by], palette=palette
    )


def orchestration_groups(cards: Cards) -> list[Group]:
    """How well several calls are orchestrated: accuracy, optimal paths, accomplished progress.

    The interval of the progress is a bootstrap over sessions, since the steps of a task stand or fall
    together; the others are Wilson's.
    """

    def measure(card: Scorecard) -> dict[str, MeasuredRate]:
        return {
            "accuracy": MeasuredRate.of(card.summary.accuracy.by_policy["multi"]),
            "optimal paths": MeasuredRate.of(card.summary.optimal["total"]),
            "progress": MeasuredRate(
                rate=card.summary.progress["total"],
                interval=rate_intervals(
                    card.sample, measures={"progress": headlines()["accomplished_progress"]}
                )["progress"],
            ),
        }

    return groups_of(cards, measure)


def orchestration_figure(cards: Cards, *, palette: FigurePalette = LIGHT) -> "Figure":
    """How well several calls are orchestrated: bars of `orchestration_groups`."""
    return rates_figure(
        orchestration_groups(cards), list(dict(cards)), title=_CALLS, axis="", palette=palette
    )


def picture_intervals(cards: Cards) -> tuple[ScoreTable, ...]:
    """The intervals that the pictures of a report draw, for forms without pictures."""
    slices = Slice.POLICY, Slice.INFORMATION, Slice.TRANSITIONS
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
        for title, method, groups in [
            *((TITLES[by], "Wilson", accuracy_groups(cards, by)) for by in slices),
            (_CALLS, "Wilson, progress by bootstrap over sessions", orchestration_groups(cards)),
        ]
    )


def decline_figure(cards: Cards, *, palette: FigurePalette = LIGHT) -> "Figure":
    """How accuracy changes from task to task of a dialogue: one line a run, at most the best eight."""
    best = sorted(cards, key=lambda run: -(run[1].summary.task_accuracy or 0))[: len(MARKERS)]
    shown = [run for run in cards if run in best]
    title = say("Accuracy from task to task")
    if len(shown) < len(cards):
        title = say(
            "{title} (the best {some} of {count} runs)", title=title, some=len(shown), count=len(cards)
        )
    figure, axes = titled_axes(palette, title=title, height_inches=3.4)
    tables = [card.summary.accuracy.by_position for _, card in shown]
    positions = sorted({int(position) for table in tables for position in table})
    known = [100 * rate.value for table in tables for rate in table.values() if rate.value is not None]
    percent_axis(axes, palette, say("accuracy (%)"), lowest=min(known, default=0))
    lines = [
        [
            (p, 100 * value)
            for p in positions
            if str(p) in table and (value := table[str(p)].value) is not None
        ]
        for table in tables
    ]
    handles = [
        add_line(axes, palette, points, number=number, of=len(lines)) for number, points in enumerate(lines)
    ]
    axes.set(
        xticks=positions,
        xticklabels=[say("task {number}", number=p + 1) for p in positions],
        xmargin=0.05,
    )
    return finish_with_legend(figure, palette, handles, [short(name) for name, _ in shown])


def error_figure(cards: Cards, *, palette: FigurePalette = LIGHT) -> "Figure":
    """Shares of the nine error classes among each run's failed tasks, as stacked bars."""
    failed = {name: next(iter(card.summary.errors.values())).total for name, card in cards}
    return shares_figure(
        [
            (
                name,
                card.summary.errors,
                say("{count} failed", count=failed[name]) if failed[name] else say("none failed"),
            )
            for name, card in cards
        ],
        title=say("Error classes among failed tasks"),
        axis=say("share of the model's failed tasks (%)"),
        palette=palette,
    )


def descent_figure(
    models: Sequence[ModelRobustness],
    *,
    pairs: Mapping[str, str] | None = None,
    palette: FigurePalette = LIGHT,
) -> "Figure":
    """Debiased descent (DDD) by policy transitions (PTF), a panel for each kind of model (C3-F9, C3-F10).

    The panels share an axis that ends where most values do: what lies above is an arrow at its edge with its
    value. Undefined values are gaps. Each line has its name at its end, with the gaps and why they are.

    Args:
        models: How steady they are.
        pairs: For models that stand in pairs, the slow one by the fast one: both in one colour, the slow one
            dashed; None where none do.
        palette: Its colours.
    """
    counts = sorted({int(count) for model in models for count in model.table.by_transitions})
    kinds = [kind for kind in (*ModelKind, None) if any(model.kind is kind for model in models)] or [None]
    heights = [max(1.2, _NAME_INCHES * sum(model.kind is kind for model in models)) for kind in kinds]
    figure = new_figure(palette, height_inches=1 + sum(heights) + 0.35 * len(kinds))
    panels = figure.subplots(len(kinds), sharex=True, sharey=True, squeeze=False, height_ratios=heights).flat
    known = sorted(
        found.descent
        for model in models
        for found in model.table.by_transitions.values()
        if found.descent is not None
    ) or [0.0]
    top = max(2.0, min(1.1 * known[-1], 2.5 * known[3 * len(known) // 4]))
    numbers = {name: place for place, pair in enumerate((pairs or {}).items()) for name in pair}
    for kind, height, axes in zip(kinds, heights, panels, strict=True):
        style_axes(axes, palette, title="" if kinds == [None] else kind_words(kind))
        axes.set_ylim(0, top)
        lines = []
        for number, model in enumerate(one for one in models if one.kind is kind):
            line = _descent_line(
                axes, palette, model, counts, number=numbers.get(model.name, number), top=top
            )
            if pairs:
                line.set_linestyle("-" if model.name in pairs else "--")
            lines.append((short(model.name) + _gaps(model), line))
        _name_ends(axes, lines, step=_NAME_INCHES / height)
        axes.axhline(1, color=palette.muted, linewidth=0.8, linestyle=(0, (1, 2)))
        axes.set_yticks(inside(axes.get_yticks(), (0, top)))
    panels[-1].set_xticks(counts)
    panels[-1].set_xlabel(
        say("policy transitions up to the task; in brackets: where DDD is undefined, and why"),
        color=palette.muted,
        fontsize=8,
    )
    figure.supylabel(say("DDD; above 1 more is lost than won"), color=palette.muted, fontsize=8)
    title_figure(figure, palette, say("Debiased descent (DDD) by policy transitions (PTF)"))
    return finish(figure)


def _name_ends(axes: "Axes", lines: Sequence[tuple[str, "Line2D"]], *, step: float) -> None:
    """Write to the right of axes from 0 what each line is called, in the order of their ends.

    Args:
        axes: Where they are drawn.
        lines: Names and lines.
        step: Share of the height of the axes that a name takes.
    """
    import numpy as np

    top = axes.get_ylim()[1]
    ends = [
        max(((x, min(y / top, 1)) for x, y in np.array(line.get_xydata()) if not isnan(y)), default=(nan, 0))
        for _, line in lines
    ]
    ordered = sorted(zip(ends, lines, strict=True), key=lambda end: end[0][1])
    raised = accumulate((end[1] for end, _ in ordered), lambda below, level: max(below + step, level))
    for above, ((x, level), (name, line)), place in zip(
        reversed(range(len(lines))), ordered, raised, strict=True
    ):
        axes.annotate(
            name,
            (x, level * top),
            xytext=(1.06, min(place, 1 - step * above)),
            textcoords=axes.transAxes,
            va="center",
            fontsize=7,
            color=line.get_color(),
            arrowprops=None
            if isnan(x)
            else {"arrowstyle": "-", "color": line.get_color(), "linewidth": 0.5, "relpos": (0, 0.5)},
            annotation_clip=False,
        )


def kind_words(kind: ModelKind | None) -> str:
    """What a kind is called in a legend."""
    return say(kind.value, context="model") if kind else say("kind unknown")


def _gaps(model: ModelRobustness) -> str:
    """Where a descent is undefined and why, in brackets; empty where it is not."""
    gaps = grouped((one.undefined, count) for count, one in model.table.by_transitions.items())
    words = [
        say("{counts}: {why}", counts=with_commas(counts), why=with_commas(why.split(" and ")))
        for why, counts in gaps.items()
        if why
    ]
    return say(" ({words})", words=say("; ").join(words)) if words else ""


def _descent_line(
    axes: "Axes",
    palette: FigurePalette,
    model: ModelRobustness,
    counts: Sequence[int],
    *,
    number: int,
    top: float,
) -> "Line2D":
    known = {int(count): found.descent for count, found in model.table.by_transitions.items()}
    points = [(count, nan if (value := known.get(count)) is None else value) for count in counts]
    line = add_line(axes, palette, points, number=number, of=1)
    line.set(clip_on=True, linewidth=1.2)
    for count, value in points:
        if value > top:
            others = sum(text.get_position()[0] == count for text in axes.texts)
            axes.annotate(
                f"{value:.1f}",
                (count, top),
                xytext=(count, -12 - 10 * others),
                textcoords=("data", "offset points"),
                ha="center",
                va="top",
                fontsize=7,
                color=palette.colour(number),
                bbox={"boxstyle": "round,pad=0.1", "facecolor": palette.background, "edgecolor": "none"},
                arrowprops=None if others else {"arrowstyle": "->", "color": palette.colour(number)},
                zorder=5,
            )
    return line
