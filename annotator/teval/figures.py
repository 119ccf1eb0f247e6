"""Pictures of T-Eval: six abilities around a circle, eleven columns as bars, two models apart."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from annotator.release.reports.album import Picture
from annotator.release.reports.figure_style import (
    FigurePalette,
    add_line,
    fill,
    finish,
    finish_with_legend,
    new_figure,
    percent_axis,
    short,
    titled_axes,
)
from scoring.teval.columns import AbilityColumn, ColumnDifference, column_values
from scoring.teval.scores import ABILITIES, TevalScores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SECOND = 1
"""The colour of the second model, which a difference speaks of."""

Abilities = Sequence[tuple[str, Mapping[str, float | None]]]
"""Models by name with their abilities, from 0 to 1."""


def radar_figure(models: Abilities, *, palette: FigurePalette) -> "Figure":
    """Six abilities around a circle, a line for each model; a missing ability leaves a gap."""
    figure = new_figure(palette, height_inches=4.2)
    axes = figure.add_subplot(projection="polar")
    axes.set_facecolor(palette.background)
    angles = [2 * math.pi * number / len(ABILITIES) for number in range(len(ABILITIES))]
    axes.set_theta_offset(math.pi / 2)  # type: ignore[attr-defined]
    axes.set_theta_direction(-1)  # type: ignore[attr-defined]
    axes.set_ylim(0, 100)
    axes.set_yticks((25, 50, 75, 100), ("25", "50", "75", "100"))
    axes.set_xticks(angles, [name.capitalize() for name in ABILITIES])
    axes.tick_params(colors=palette.muted, labelsize=8, pad=10)
    axes.grid(color=palette.line, linewidth=0.8)
    for spine in axes.spines.values():
        spine.set_color(palette.line)
    lines = []
    for number, (_, values) in enumerate(models):
        heights = [values.get(name) for name in ABILITIES]
        ring = [
            (angle, math.nan if value is None else 100 * value)
            for angle, value in zip([*angles, angles[0]], [*heights, heights[0]], strict=True)
        ]
        lines.append(add_line(axes, palette, ring, number=number, of=len(models)))
    return finish_with_legend(figure, palette, lines, [short(name) for name, _ in models])


def result_pictures(scores: Sequence[TevalScores]) -> tuple[Picture, ...]:
    """The pictures of one model's replies under several profiles."""
    abilities = [(one.profile.value, one.abilities) for one in scores]
    columns = [(one.profile.value, column_values(one)) for one in scores]
    return (
        Picture("abilities", "Six abilities.", partial(radar_figure, abilities)),
        Picture("columns", "Eleven columns.", partial(columns_figure, columns)),
    )


def columns_figure(
    models: Sequence[tuple[str, Mapping[AbilityColumn, float | None]]], *, palette: FigurePalette
) -> "Figure":
    """The eleven columns as bars, a bar for each model; a dash where a column is missing."""
    from matplotlib.patches import Patch

    figure, axes = titled_axes(palette, title="T-Eval by ability and format", height_inches=3.4)
    percent_axis(axes, palette, "%")
    width = 0.8 / max(1, len(models))
    for number, (_, values) in enumerate(models):
        for place, column in enumerate(AbilityColumn):
            at = place + (number - (len(models) - 1) / 2) * width
            value = values.get(column)
            if value is None:
                axes.text(at, 1.5, "–", ha="center", fontsize=8, color=palette.muted)
            else:
                axes.bar(at, max(100 * value, 0.6), width=width * 0.9, linewidth=0.4, **fill(palette, number))
    axes.set_xticks(range(len(AbilityColumn)), [column.value.replace(" ", "\n") for column in AbilityColumn])
    handles = [Patch(**fill(palette, number)) for number in range(len(models))]
    return finish_with_legend(figure, palette, handles, [short(name) for name, _ in models])


def difference_figure(
    rows: Sequence[ColumnDifference], names: tuple[str, str], *, palette: FigurePalette
) -> "Figure":
    """How much better the second model is in each column, in points, with intervals over cases."""
    figure, axes = titled_axes(
        palette, title=f"{short(names[1])} minus {short(names[0])}, points", grid="x", height_inches=3.4
    )
    axes.axvline(0, color=palette.muted, linewidth=1)
    for place, row in enumerate(rows):
        if row.difference is None:
            axes.text(0, place, "–", ha="center", va="center", fontsize=8, color=palette.muted)
            continue
        colour = palette.colour(_SECOND if row.is_significant else len(palette.series) - 2)
        if row.interval is not None:
            ends = [100 * row.interval.low, 100 * row.interval.high]
            axes.plot(ends, [place, place], color=colour, linewidth=2, solid_capstyle="butt")
        axes.plot([100 * row.difference], [place], marker="o", color=colour, markersize=6)
    axes.set_yticks(range(len(rows)), [row.name for row in rows])
    axes.invert_yaxis()
    return finish(figure)
