"""Names beside points of a picture, each where it covers least, with a line to it where it is away."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotator.release.reports.figure_style import FigurePalette, finish, short, width_inches

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Box = tuple[float, float, float, float]
"""Left, lower, right and upper edge, in dots of the screen."""
_LINE_HEIGHT, _MOST_LINES = 11, 9
"""How high a name is with its gap, in dots, and how many lines it may stand away from its point."""
_NAME_HEIGHT = 9.0
_STEPS = 30
"""Into how many pieces the line between a point and its name is cut to see what it crosses."""


def name_points(axes: "Axes", palette: FigurePalette, points: Sequence[tuple[str, float, float]]) -> None:
    """Write beside each point what it is called, where name and line cover least of other points and names.

    Args:
        axes: Axes that have all their points.
        palette: Their colours.
        points: Names and places, in the units of the axes.
    """
    from matplotlib.patheffects import withStroke

    figure = axes.get_figure(root=True)
    assert figure is not None
    finish(figure).draw_without_rendering()  # places are known once everything was laid out
    places = [tuple(axes.transData.transform((x, y))) for _, x, y in points]
    taken: list[_Box] = [(x - 4, y - 4, x + 4, y + 4) for x, y in places]
    for (name, x, y), (across, up) in zip(points, places, strict=True):
        boxes = _best(across, up, 90 * width_inches(short(name)), taken, axes.bbox.extents)
        taken += boxes
        axes.annotate(
            short(name),
            (x, y),
            xytext=(0.72 * (boxes[0][0] - across), 0.72 * (boxes[0][1] - up)),
            textcoords="offset points",
            fontsize=7,
            color=palette.text,
            path_effects=[withStroke(linewidth=1.6, foreground=palette.background)],
            arrowprops={"arrowstyle": "-", "color": palette.muted, "linewidth": 0.4} if boxes[1:] else None,
        )


def _best(x: float, y: float, width: float, taken: Sequence[_Box], room: Sequence[float]) -> list[_Box]:
    """The nearest name of a point that covers nothing and stays in the room, else what covers least."""

    def covers(boxes: Sequence[_Box]) -> float:
        name = boxes[0]
        outside = max(0.0, room[0] - name[0], name[2] - room[2], room[1] - name[1], name[3] - room[3])
        return sum(_overlap(one, other) for one in boxes for other in taken) + 20 * outside

    names: list[list[_Box]] = [
        _drawn(x, y, (x + move, y + line * _LINE_HEIGHT - _NAME_HEIGHT / 2), width)
        for line in sorted(range(_MOST_LINES, -_MOST_LINES - 1, -1), key=abs)
        for move in (7.0, -7 - width, -width / 2, *((50.0, -50 - width, 100.0, -100 - width) if line else ()))
        if line or move != -width / 2
    ]
    names.sort(key=len)  # those beside their point need no line to it
    free = next((boxes for boxes in names if not covers(boxes)), None)
    return free or min(names, key=covers)


def _drawn(x: float, y: float, corner: tuple[float, float], width: float) -> list[_Box]:
    """What a name covers, and the pieces of its line to the point where it does not stand beside it."""
    name = (*corner, corner[0] + width, corner[1] + _NAME_HEIGHT)
    middle = corner[0] + width / 2, corner[1] + _NAME_HEIGHT / 2
    is_near = abs(middle[1] - y) <= _LINE_HEIGHT and abs(middle[0] - x) < width / 2 + 8
    shares = () if is_near else [step / _STEPS for step in range(2, _STEPS)]
    dots = [(x + share * (middle[0] - x), y + share * (middle[1] - y)) for share in shares]
    line = [(across - 1.5, up - 1.5, across + 1.5, up + 1.5) for across, up in dots]
    return [name, *(piece for piece in line if not _overlap(piece, name))]


def _overlap(one: _Box, other: _Box) -> float:
    """The area two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    return max(0.0, width) * max(0.0, min(one[3], other[3]) - max(one[1], other[1]))
