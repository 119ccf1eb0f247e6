"""Names beside points of a picture, each where it covers least, with a line to it where it is away."""

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from annotator.release.reports.figure_style import FigurePalette, finish, short, width_inches

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Strokes = NDArray[Any]
    """A row for each straight line, or for each box by its lower left and upper right corner: across and up
    of both ends, in dots of the screen. One that is not drawn has no numbers in it."""
_LINE_HEIGHT, _MOST_LINES = 11, 14
"""How high a name is with its gap, in dots, and how many lines it may stand away from its point."""
_NAME_HEIGHT = 9.0
_ASIDE = (7.0, 50.0, 100.0, 150.0)
"""How far to the side of its point a name may begin or end, beside above it and below it."""
_ROUND_POINT = 6.0
"""How far from the middle of its point a line begins to cross others."""
_CROSSING = 60.0
"""A line across a name is as bad as so many square dots of names on each other; across a point or another
line it is a fourth or an eighth as bad."""
_ROUNDS = 30
"""How often each name is placed anew among all others; where none is free, chance varies which is best."""


def name_points(figure: "Figure", palette: FigurePalette, points: Sequence[tuple[str, float, float]]) -> None:
    """Write beside each point what it is called, where name and line cover least of other points and names.

    Args:
        figure: A figure of one system of axes, which has all its points.
        palette: Their colours.
        points: Names and places, in the units of the axes.
    """
    import numpy as np
    from matplotlib.patheffects import withStroke

    [axes] = figure.axes
    finish(figure).draw_without_rendering()  # places are known once everything was laid out
    places = [tuple(axes.transData.transform((x, y))) for _, x, y in points]
    widths = [90 * width_inches(short(name)) for name, _, _ in points]
    look = {"arrowstyle": "-", "color": palette.muted, "linewidth": 0.4, "shrinkA": 0}
    boxes, lines = _placed(places, widths, np.array(axes.bbox.extents))
    for (name, x, y), (across, up), box, line in zip(points, places, boxes, lines, strict=True):
        axes.annotate(
            short(name),
            (x, y),
            xytext=(0.72 * (box[0] - across), 0.72 * ((box[1] + box[3]) / 2 - up)),
            textcoords="offset points",
            va="center",
            fontsize=7,
            color=palette.text,
            path_effects=[withStroke(linewidth=1.6, foreground=palette.background)],
            arrowprops=None
            if isnan(line[0])
            else {**look, "relpos": (line[2:] - box[:2]) / (box[2:] - box[:2])},
        )


def _placed(
    places: Sequence[tuple[float, float]], widths: Sequence[float], room: "NDArray[Any]"
) -> "tuple[Strokes, Strokes]":
    """Boxes and lines of all names: each the nearest to its point that meets nothing, else the least."""
    import numpy as np

    points = np.array([(x - 4, y - 4, x + 4, y + 4) for x, y in places]).reshape(-1, 4)
    weights = np.repeat([1, 1, 0.25, 0.25, 0.125], len(points))
    names, strokes = np.full_like(points, np.nan), np.full_like(points, np.nan)
    chance = np.random.default_rng(0)
    for spread in np.linspace(1, 0, _ROUNDS):
        for number, (place, width) in enumerate(zip(places, widths, strict=True)):
            names[number] = strokes[number] = np.nan
            boxes, lines = _options(*place, width)
            others = np.concatenate([names, _turned(names), points, _turned(points), strokes])
            crossed = _crossed(lines, others) @ weights
            crossed += (_crossed(boxes, strokes) | _crossed(_turned(boxes), strokes)).sum(1)
            outside = np.maximum(room[:2] - boxes[:, :2], boxes[:, 2:] - room[2:]).max(1)
            covered = _covered(boxes, np.concatenate([points, names])) + 20 * np.maximum(outside, 0)
            cost = (_CROSSING * crossed + covered) * chance.uniform(1, 1 + spread, len(boxes))
            names[number], strokes[number] = boxes[cost.argmin()], lines[cost.argmin()]
    return names, strokes


def _options(x: float, y: float, width: float) -> "tuple[Strokes, Strokes]":
    """Boxes and lines where the name of a point may stand: beside it without a line, then the nearest."""
    import numpy as np

    right = np.array(_ASIDE)
    lefts = np.concatenate([right, -right - width, [-width / 2]])
    levels = _LINE_HEIGHT * np.arange(-_MOST_LINES, _MOST_LINES + 1)
    left, up = (one.ravel() for one in np.meshgrid(lefts, levels))
    half = _NAME_HEIGHT / 2
    away, rise = np.clip(0, left, left + width), up - half * np.sign(up)
    length = np.hypot(away, rise) + 0.1
    is_beside = (abs(up) <= _LINE_HEIGHT) & (abs(away) <= _ASIDE[0])
    boxes = np.stack([x + left, y + up - half, x + left + width, y + up + half], axis=1)
    start = np.where(is_beside, np.nan, _ROUND_POINT / length)
    lines = np.stack([x + start * away, y + start * rise, x + away, y + rise], axis=1)
    order = np.argsort(np.where(is_beside, 0.1 * abs(up), length), kind="stable")
    return boxes[order], lines[order]


def _turned(boxes: "Strokes") -> "Strokes":
    """The other diagonals of boxes: whatever goes through a box crosses one of both."""
    return boxes[:, [0, 3, 2, 1]]


def _crossed(lines: "Strokes", others: "Strokes") -> Any:
    """A table of whether each line crosses each other: both have the ends of the other on both sides."""
    one, other = lines[:, None], others[None]
    parted = _side(one, other[..., :2]) * _side(one, other[..., 2:]) < 0
    return parted & (_side(other, one[..., :2]) * _side(other, one[..., 2:]) < 0)


def _side(line: "Strokes", spot: "NDArray[Any]") -> Any:
    """On which side of lines spots lie: above 0 to the left."""
    across, up = line[..., 2] - line[..., 0], line[..., 3] - line[..., 1]
    return across * (spot[..., 1] - line[..., 1]) - up * (spot[..., 0] - line[..., 0])


def _covered(boxes: "Strokes", others: "Strokes") -> Any:
    """The area of the others that each box covers."""
    import numpy as np

    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.nansum(np.maximum(high - low, 0).prod(2), axis=1)
