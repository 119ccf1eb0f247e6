"""Bars and heat maps of rates: runs beside each other, classes on top of each other, many runs as rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from annotator.release.reports.figure_style import (
    WIDTH_INCHES,
    FigurePalette,
    fill,
    finish,
    finish_with_legend,
    ink_on,
    mix,
    percent_axis,
    say,
    short,
    titled_axes,
)
from annotator.release.reports.run_groups import Cards
from scoring.measures.intervals import Interval, wilson_interval
from scoring.measures.rates import Number, Rate
from scoring.model.record import Record
from scoring.scorecard import Scorecard

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_BARS = 6
"""Runs that are drawn as bars beside each other; more become the rows of a heat map."""
_ROOM_FOR_SHARE = 6.0
"""Percent a piece of a stacked bar must have to hold its figure."""


class MeasuredRate(Record):
    """A rate, or a mean from 0 to 1, and how sure it is; no interval where none was measured."""

    rate: Rate | Number
    interval: Interval | None = None

    @classmethod
    def of(cls, rate: Rate) -> "MeasuredRate":
        """A share of tasks, with its 95 % Wilson interval."""
        return cls(rate=rate, interval=wilson_interval(rate.count, rate.total))


class Group(Record):
    """One group of bars: its label and what every run reached; None where a run has no such group."""

    label: str
    values: tuple[MeasuredRate | None, ...]


def groups_of(cards: Cards, measure: Callable[[Scorecard], Mapping[str, MeasuredRate]]) -> list[Group]:
    """What all runs reached, by label; labels nobody has a task for are left out."""
    measured = [measure(card) for _, card in cards]
    groups = [
        Group(label=label, values=tuple(by_label.get(label) for by_label in measured))
        for label in dict.fromkeys(label for by_label in measured for label in by_label)
    ]
    return [
        group for group in groups if any(value and value.rate.value is not None for value in group.values)
    ]


def rates_figure(
    groups: Sequence[Group], names: Sequence[str], *, title: str, axis: str, palette: FigurePalette
) -> "Figure":
    """Rates of runs in groups: bars with intervals, or a heat map where there are many runs.

    Args:
        groups: What is compared.
        names: The runs, in the order of the groups' values.
        title: What is shown.
        axis: What the groups are; empty where their labels say it.
        palette: Its colours.
    """
    if len(names) > MOST_BARS:
        rows = [
            (name, {group.label: value.rate if (value := group.values[place]) else None for group in groups})
            for place, name in enumerate(names)
        ]
        return accuracy_heat(rows, title=title, axis=axis, palette=palette)
    from matplotlib.patches import Patch

    words = say("{title} (%)", title=say(title))
    if is_alone := len(names) == 1:
        words = say("{title}, {name}", title=words, name=short(names[0]))
    figure, axes = titled_axes(palette, title=words, height_inches=3.4)
    percent_axis(axes, palette, "")
    width = 0.8 / max(1, len(names))
    for number in range(len(names)):
        offset = (number - (len(names) - 1) / 2) * width
        for place, group in enumerate(groups):
            _bar(
                axes, place + offset, group.values[number], width=width * 0.9, number=number, palette=palette
            )
    axes.set(
        xticks=range(len(groups)),
        xticklabels=[say(group.label, context="label") for group in groups],
        xlim=(-0.6, max(0, len(groups) - 1) + 0.6),
    )
    axes.set_xlabel(say(axis), color=palette.muted, fontsize=8)
    if is_alone:
        return finish(figure)  # a legend would say it once more
    return finish_with_legend(
        figure,
        palette,
        [Patch(**fill(palette, number)) for number in range(len(names))],
        [short(name) for name in names],
    )


def _bar(
    axes: "Axes",
    place: float,
    value: MeasuredRate | None,
    *,
    width: float,
    number: int,
    palette: FigurePalette,
) -> None:
    """One bar with its interval; a dash where there is nothing to measure, a foot where the rate is zero."""
    if value is None or value.rate.value is None:
        axes.text(place, 1.5, "–", ha="center", fontsize=8, color=palette.muted)
        return
    look = fill(palette, number)
    if value.rate.value:
        axes.bar(place, 100 * value.rate.value, width=width, linewidth=0.4, **look)
    else:
        axes.bar(place, 1.2, width=width, linewidth=0, color=look["facecolor"])
    if value.interval:
        axes.plot(
            [place, place],
            [100 * value.interval.low, 100 * value.interval.high],
            color=palette.text,
            linewidth=0.9,
            alpha=0.7,
            solid_capstyle="butt",
            zorder=4,
        )


def accuracy_heat(
    rows: Sequence[tuple[str, Mapping[str, Rate | Number | None]]],
    *,
    title: str,
    axis: str = "",
    palette: FigurePalette,
) -> "Figure":
    """Rates of runs as a heat map, a row for each run and a column for each label anybody has a task for."""
    labels = dict.fromkeys(
        label for _, own in rows for label, rate in own.items() if rate and rate.value is not None
    )
    cells = [(short(name), [rate_cell(own.get(label)) for label in labels]) for name, own in rows]
    return heat_figure(
        cells, list(labels), title=say("{title} (%)", title=say(title)), axis=axis, palette=palette
    )


Cell = tuple[float | None, str]
"""The place of a cell on the scale, 0 to 1, None for a hatched one; and what stands in it."""


def rate_cell(rate: Rate | Number | None, *, largest: float = 1.0) -> Cell:
    """A rate with its percentage, shaded up to the largest; a dash without a value."""
    value = rate.value if rate else None
    return (None, "–") if value is None else (value / largest, f"{100 * value:.0f}")


def heat_figure(
    rows: Sequence[tuple[str, Sequence[Cell]]],
    labels: Sequence[str],
    *,
    title: str,
    palette: FigurePalette,
    axis: str = "",
    row_inches: float = 0.26,
    width_inches: float = WIDTH_INCHES,
    has_long_labels: bool = False,
) -> "Figure":
    """A heat map.

    Args:
        rows: The name of each row and its cells.
        labels: The names of the columns.
        title: What is shown.
        palette: Its colours.
        axis: What the columns are; empty where their labels say it.
        row_inches: Height of a row.
        width_inches: Width of the picture.
        has_long_labels: Whether labels stand aslant.
    """
    figure, axes = titled_axes(
        palette,
        title=title,
        grid="",
        height_inches=0.9 + row_inches * len(rows) + 0.8 * has_long_labels,
        width_inches=width_inches,
    )
    for row, (_, cells) in enumerate(rows):
        for column, (share, text) in enumerate(cells):
            draw_cell(axes, (column - 0.5, row - 0.5), share, text=text, palette=palette)
    axes.set(
        xlim=(-0.5, max(1, len(labels)) - 0.5),
        ylim=(max(1, len(rows)) - 0.5, -0.5),
        yticks=range(len(rows)),
        yticklabels=[name for name, _ in rows],
    )
    slant, side = (30, "right") if has_long_labels else (0, "center")
    axes.set_xticks(
        range(len(labels)), [say(label, context="label") for label in labels], rotation=slant, ha=side
    )
    axes.set_xlabel(say(axis), color=palette.muted, fontsize=8)
    return finish(figure)


def draw_cell(
    axes: "Axes",
    corner: tuple[float, float],
    share: float | None,
    *,
    text: str,
    palette: FigurePalette,
    size: tuple[float, float] = (1.0, 1.0),
) -> None:
    """One cell of a heat map.

    Args:
        axes: Where it is drawn.
        corner: Its upper left corner.
        share: Its place on the scale, 0 to 1; hatched where None.
        text: What stands in it.
        palette: Its colours.
        size: Its width and height.
    """
    from matplotlib.patches import Rectangle

    ground = palette.missing if share is None else mix(palette.low, palette.high, share)
    cell = Rectangle(
        corner,
        *size,
        facecolor=ground,
        edgecolor=palette.background,
        hatch="////" if share is None else "",
        hatchcolor=palette.line,
        linewidth=min(1.2, 40 * size[0]),
    )
    axes.add_patch(cell)
    if text:
        middle = corner[0] + size[0] / 2, corner[1] + size[1] / 2
        axes.text(*middle, text, ha="center", va="center", fontsize=8, color=ink_on(ground, palette))


def shares_figure(
    rows: Sequence[tuple[str, Mapping[str, Rate], str]],
    *,
    title: str,
    axis: str,
    palette: FigurePalette,
) -> "Figure":
    """Shares of classes as stacked bars, one a run.

    Args:
        rows: Name, shares by class, and a remark at the right end, of each run; the classes of all are
            the same, and the legend has those that some run has.
        title: What is shown.
        axis: What the shares are shares of.
        palette: Its colours.
    """
    from matplotlib.patches import Patch

    classes = {name: number for number, name in enumerate(rows[0][1] if rows else ())}
    found = [name for name in classes if any(shares[name].count for _, shares, _ in rows)]
    figure, axes = titled_axes(palette, title=title, grid="x", height_inches=1.9 + 0.36 * max(1, len(rows)))
    for row, (_, shares, remark) in enumerate(rows):
        left = 0.0
        for name, number in classes.items():
            share = 100 * (shares[name].value or 0)
            _piece(axes, row, left, share, number=number, palette=palette)
            left += share
        axes.text(101.5, row, remark, va="center", fontsize=8, color=palette.muted, clip_on=False)
    axes.set(
        yticks=range(len(rows)),
        yticklabels=[short(name) for name, _, _ in rows],
        ylim=(len(rows) - 0.4, -0.6),
        xlim=(0, 100),
    )
    axes.set_xlabel(axis, color=palette.muted, fontsize=8)
    return finish_with_legend(
        figure, palette, [Patch(**fill(palette, classes[name])) for name in found], list(map(say, found))
    )


def _piece(axes: "Axes", row: int, left: float, share: float, *, number: int, palette: FigurePalette) -> None:
    if not share:
        return
    axes.barh(row, share, left=left, height=0.66, linewidth=0.8, **fill(palette, number))
    if share >= _ROOM_FOR_SHARE:
        colour = palette.colour(number)
        axes.text(
            left + share / 2,
            row,
            f"{share:.0f}",
            ha="center",
            va="center",
            fontsize=8,
            color=ink_on(colour, palette),
            bbox={"boxstyle": "round,pad=0.15", "facecolor": colour, "edgecolor": "none"},
        )
