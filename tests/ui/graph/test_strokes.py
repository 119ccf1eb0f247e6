"""Lines cut into strokes run where the line runs, with whole dashes."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainterPath

from ui.graph.strokes import add_bend, cut_bends, cut_line

DASHES = (6.0, 4.0)
across = st.floats(-900, 900)
places = st.lists(across, min_size=2, max_size=6).map(
    lambda found: [(x, 100.0 * number) for number, x in enumerate(found)]
)


def line_through(places: list[tuple[float, float]]) -> QPainterPath:
    line = QPainterPath(QPointF(*places[0]))
    for start, end in pairwise(places):
        add_bend(line, start, end)
    return line


def ends(strokes: QPainterPath) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    points = [(element.x, element.y) for element in map(strokes.elementAt, range(strokes.elementCount()))]
    return list(zip(points[::2], points[1::2], strict=True))


@given(places)
def test_a_solid_line_is_covered_from_end_to_end(places: list[tuple[float, float]]) -> None:
    strokes = ends(cut_bends(places, ()))
    assert strokes[0][0] == pytest.approx(places[0])
    assert strokes[-1][1] == pytest.approx(places[-1], abs=0.5)
    # Each begins where the one before ends, or a little earlier.
    assert all(math.dist(one[1], other[0]) < 1 for one, other in pairwise(strokes))


@given(places)
def test_strokes_are_as_long_as_the_line(places: list[tuple[float, float]]) -> None:
    strokes = ends(cut_bends(places, ()))
    overlap = 0.5 * len(strokes)
    assert sum(math.dist(*stroke) for stroke in strokes) == pytest.approx(
        line_through(places).length(), rel=0.02, abs=overlap
    )


@given(places)
def test_a_dashed_line_begins_and_ends_with_a_dash(places: list[tuple[float, float]]) -> None:
    strokes = ends(cut_bends(places, DASHES))
    assert strokes[0][0] == pytest.approx(places[0])
    assert strokes[-1][1] == pytest.approx(places[-1], abs=1)


def test_dashes_fill_their_share_of_a_straight_line() -> None:
    line = QPainterPath(QPointF(0, 0))
    line.lineTo(206, 0)
    # 206 = 20 times 10, and a dash of 6 at the end
    strokes = ends(cut_line(line, DASHES))
    assert [start[0] for start, _ in strokes] == pytest.approx([10.0 * number for number in range(21)])
    assert [end[0] - start[0] for start, end in strokes] == pytest.approx([6.0] * 21, abs=0.5)


def test_no_dash_is_broken_where_two_bends_meet() -> None:
    strokes = ends(cut_bends([(0, 0), (0, 100), (0, 200)], DASHES))
    gap_before = min(100 - end[1] for _, end in strokes if end[1] < 100)
    assert gap_before == pytest.approx(4, abs=0.5)
    assert any(start == pytest.approx((0, 100)) for start, _ in strokes)
