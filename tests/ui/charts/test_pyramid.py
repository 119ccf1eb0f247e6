"""The pyramid: every sequence has its place, and every place can be reached with the keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from scoring.measures.coverage import MAIN_TYPES, Route
from ui.charts.pyramid import Pyramid

ROUTES = st.lists(st.sampled_from(MAIN_TYPES), min_size=1, max_size=4).map(tuple)


@pytest.fixture
def pyramid(qtbot: QtBot, light: QApplication) -> Pyramid:
    """A pyramid of cases that begin with single, half of them going on with chat."""
    shown = Pyramid()
    qtbot.addWidget(shown)
    shown.resize(1000, 300)
    shown.show_cases({("single",): 2, ("single", "chat"): 1})
    shown.show()
    return shown


@given(route=ROUTES)
def test_the_place_of_a_sequence_belongs_to_it(qapp: QApplication, route: Route) -> None:
    shown = Pyramid()
    shown.resize(1000, 300)
    assert shown.route_at(shown.room_of(route).center()) == route


def test_a_longer_sequence_stands_below_its_beginning(pyramid: Pyramid) -> None:
    above, below = pyramid.room_of(("multi",)), pyramid.room_of(("multi", "chat"))
    assert above.bottom() < below.top()


@pytest.mark.parametrize(
    ("key", "route"),
    [
        (Qt.Key.Key_Right, ("multi", "multi")),
        (Qt.Key.Key_Left, ("single", "chat")),
        (Qt.Key.Key_Up, ("multi",)),
        (Qt.Key.Key_Down, ("multi", "single", "single")),
        (Qt.Key.Key_Home, ("single", "single")),
        (Qt.Key.Key_End, ("chat", "chat")),
    ],
)
def test_the_keys_go_along_the_levels_and_between_them(pyramid: Pyramid, key: Qt.Key, route: Route) -> None:
    pyramid.mark(("multi", "single"))
    QTest.keyClick(pyramid, key)
    assert pyramid.marked_route == route


def test_a_click_marks_a_sequence_and_says_so(qtbot: QtBot, pyramid: Pyramid) -> None:
    at = pyramid.room_of(("chat",)).center()
    with qtbot.waitSignal(pyramid.marked) as told:
        QTest.mouseClick(pyramid, Qt.MouseButton.LeftButton, pos=QPoint(round(at.x()), round(at.y())))
    assert told.args == [("chat",)]


def test_the_next_gap_is_the_shortest_sequence_without_a_case(pyramid: Pyramid) -> None:
    pyramid.go_to_gap()
    assert pyramid.marked_route == ("multi",)


def test_a_screen_reader_hears_what_is_marked(pyramid: Pyramid) -> None:
    pyramid.mark(("single", "chat"))
    assert pyramid.accessibleName() == "Policy switches: Single → Chat\n1 case"
    pyramid.mark(("chat",))
    assert pyramid.accessibleName().endswith("missing: no case")
