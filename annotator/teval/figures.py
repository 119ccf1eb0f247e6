"""The picture of two models apart in T-Eval."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotator.release.reports.figure_style import FigurePalette, finish, say, short, titled_axes
from scoring.teval.columns import ColumnDifference

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SECOND = 1
"""The colour of the second model, which a difference speaks of."""


def difference_figure(
    rows: Sequence[ColumnDifference], names: tuple[str, str], *, palette: FigurePalette
) -> "Figure":
    """How much better the second model is in each column, in points, with intervals over cases."""
    figure, axes = titled_axes(
        palette,
        title=say("{second} minus {first}, points", second=short(names[1]), first=short(names[0])),
        grid="x",
        height_inches=3.4,
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
    axes.set_yticks(range(len(rows)), [say(row.name) for row in rows])
    axes.invert_yaxis()
    return finish(figure)
