"""Lines cut once into the short straight strokes that Qt paints several times as fast as a dashed curve."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from PySide6.QtGui import QPainterPath, QTransform

Point = tuple[float, float]

_FINENESS = 4.0
"""Zoom at which no corner is seen between two strokes."""
_OVERLAP = 0.35
"""Pixels a stroke reaches into the next one, so that no ground shines through between them."""
_LIKENESS = math.log(1.08)
_LEAST_WIDTH = 2.0


def add_bend(line: QPainterPath, start: Point, end: Point) -> None:
    """Lead a line on to a place further down; it leaves the one and reaches the other upright."""
    between = (start[1] + end[1]) / 2
    line.cubicTo(start[0], between, end[0], between, *end)


def cut_bends(places: Sequence[Point], dashes: tuple[float, ...]) -> QPainterPath:
    """Cut a line of bends into strokes.

    Args:
        places: What it goes through, from top to bottom.
        dashes: Lengths of a dash and of the gap after it, and so on; empty for a solid line. They are
            stretched a little so that no dash is broken at a place, and the line ends with one.

    Returns:
        Strokes, each a move and a line.
    """
    strokes = QPainterPath()
    for number, ((x, y), (next_x, next_y)) in enumerate(pairwise(places), start=2):
        across = next_x - x
        width = _like_width(abs(across))
        bend = _cut_bend(width, next_y - y, dashes, is_last=number == len(places))
        strokes.addPath(QTransform(across / width, 0, 0, 1, x, y).map(bend))
    return strokes


def cut_line(line: QPainterPath, dashes: tuple[float, ...]) -> QPainterPath:
    """Cut any line in one piece into strokes, as `cut_bends` does."""
    strokes = QPainterPath()
    for polygon in line.toSubpathPolygons(QTransform.fromScale(_FINENESS, _FINENESS)):
        places = (polygon.at(number) / _FINENESS for number in range(polygon.size()))
        _add_strokes(strokes, [place.toTuple() for place in places], dashes, is_last=True)
    return strokes


def _like_width(width: float) -> float:
    """One of the few widths that bends are cut for; the others are these, stretched by a few percent."""
    if width <= _LEAST_WIDTH:
        return _LEAST_WIDTH
    return math.exp(_LIKENESS * round(math.log(width) / _LIKENESS))


@lru_cache(maxsize=2048)
def _cut_bend(width: float, height: float, dashes: tuple[float, ...], *, is_last: bool) -> QPainterPath:
    strokes = QPainterPath()
    count = 8 if width < 24 else min(16 + round(width / 40), 40)
    points = [(width * x, height * y) for x, y in _bend_of_one(count)]
    _add_strokes(strokes, points, dashes, is_last=is_last)
    return strokes


@lru_cache(maxsize=8)
def _bend_of_one(count: int) -> tuple[Point, ...]:
    """Points of a bend of width and height 1, nearer to each other where a wide bend is narrowest."""
    ways = [(1 - math.cos(math.pi * number / count)) / 2 for number in range(count + 1)]
    return tuple(((3 - 2 * way) * way * way, 1.5 * way * (1 - way) + way**3) for way in ways)


def _add_strokes(
    strokes: QPainterPath, points: Sequence[Point], dashes: Sequence[float], *, is_last: bool
) -> None:
    """Go along points and draw while in a dash; a stroke that ends at a corner reaches beyond it."""
    lengths = [math.dist(start, end) for start, end in pairwise(points)]
    pattern = _fitted(dashes, sum(lengths), is_last=is_last) if dashes else [math.inf]
    at, left = 0, pattern[0]
    for (x, y), (next_x, next_y), length in zip(points, points[1:], lengths, strict=False):
        if not length:
            continue
        along, down = (next_x - x) / length, (next_y - y) / length
        gone = 0.0
        if at % 2 == 0:
            strokes.moveTo(x, y)
        while length - gone > left:
            gone += left
            go = strokes.moveTo if at % 2 else strokes.lineTo
            go(x + along * gone, y + down * gone)
            at = (at + 1) % len(pattern)
            left = pattern[at]
        left -= length - gone
        if at % 2 == 0:
            strokes.lineTo(next_x + along * _OVERLAP, next_y + down * _OVERLAP)


def _fitted(dashes: Sequence[float], length: float, *, is_last: bool) -> list[float]:
    """The dashes stretched so that a length has a whole number of them."""
    period = sum(dashes)
    more = dashes[0] / period if is_last else 0.0
    count = max(round(length / period - more), 0 if is_last else 1) + more
    return [dash * length / (period * count) for dash in dashes]
