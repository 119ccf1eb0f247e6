"""The curve: its axis fits its points, and its points can be reached with the keys."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ui.charts.curve import CurvePoint, CurveView, axis_of


@pytest.fixture
def curve(qtbot: QtBot, light: QApplication) -> CurveView:
    """Three points, the second of them undefined."""
    shown = CurveView("curve", "Stage accuracy")
    qtbot.addWidget(shown)
    shown.resize(480, 240)
    shown.show_points(
        [
            CurvePoint("raw", 0.625, 0.39, 0.82, "10 of 16"),
            CurvePoint("self", None, tip="undefined: nobody left it"),
            CurvePoint("expert", 1.0),
        ]
    )
    shown.show()
    return shown


@pytest.mark.parametrize(
    ("lowest", "axis"),
    [
        (0.62, (0.6, 0.7, 0.8, 0.9, 1.0)),
        (0.39, (0.2, 0.4, 0.6, 0.8, 1.0)),
        (0.97, (0.95, 1.0)),
        (1.0, (0.95, 1.0)),
        (0.0, (0.0, 0.25, 0.5, 0.75, 1.0)),
        (-0.3, (-0.5, 0.0, 0.5, 1.0)),
    ],
)
def test_the_axis_begins_below_the_lowest_point(lowest: float, axis: tuple[float, ...]) -> None:
    assert axis_of([CurvePoint("a", lowest)]) == pytest.approx(axis)


@given(value=st.floats(-1, 1), low=st.floats(-1, 1))
def test_every_interval_fits_on_the_axis(value: float, low: float) -> None:
    point = CurvePoint("a", max(value, low), min(value, low), 1.0)
    axis = axis_of([point])
    assert point.low is not None
    assert axis[0] <= point.low + 1e-6
    assert axis[-1] == 1.0


def test_without_a_known_point_the_axis_begins_at_nothing() -> None:
    assert axis_of([CurvePoint("a", None)]) == axis_of([]) == (0.0, 0.25, 0.5, 0.75, 1.0)


def test_a_screen_reader_hears_every_point(curve: CurveView) -> None:
    assert curve.accessibleName() == "Stage accuracy: raw 62.5, self undefined, expert 100"


def test_the_keys_go_from_point_to_point_and_say_what_it_rests_on(curve: CurveView) -> None:
    marked: list[int] = []
    curve.marked.connect(marked.append)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
        QTest.keyClick(curve, key)
    assert marked == [0, 1, 2, 1]
    assert curve.accessibleDescription() == "undefined: nobody left it"


def test_enter_opens_the_marked_point(qtbot: QtBot, curve: CurveView) -> None:
    QTest.keyClick(curve, Qt.Key.Key_Right)
    with qtbot.waitSignal(curve.opened) as opened:
        QTest.keyClick(curve, Qt.Key.Key_Return)
    assert opened.args == [0]


def test_a_click_tells_the_point_also_where_it_is_marked_already(curve: CurveView) -> None:
    clicked: list[int] = []
    curve.clicked.connect(clicked.append)
    for _ in range(2):
        QTest.mouseClick(curve, Qt.MouseButton.LeftButton, pos=curve.rect().center())
    assert clicked == [1, 1]


def test_a_note_stands_in_the_accessible_name_of_its_point(curve: CurveView) -> None:
    curve.show_points([CurvePoint("raw", 0.5, note="n 12")])
    assert curve.accessibleName().endswith("raw 50.0 n 12")


def test_a_low_curve_keeps_its_points_below_each_other_and_names_only_the_ends_of_its_axis(
    curve: CurveView,
) -> None:
    def rows_with_ink(height: int) -> list[bool]:
        """For each row of the column of axis labels whether something is written there."""
        curve.resize(480, height)
        curve.clearFocus()
        picture = curve.grab().toImage()
        ground = picture.pixel(1, height - 1)
        return [any(picture.pixel(x, y) != ground for x in range(10, 40)) for y in range(height)]

    def labels(height: int) -> int:
        rows = rows_with_ink(height)
        return sum(now and not before for before, now in pairwise([False, *rows]))

    assert [labels(height) for height in (240, 110, 60)] == [5, 2, 2]
