"""What is painted follows what is pointed at and the theme."""

from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.ui.graph.driving import point_of
from ui.graph.view import GraphView
from ui.theme import apply_theme, theme


def on_screen(view: GraphView) -> QImage:
    QApplication.sendPostedEvents()
    return view.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def test_a_line_that_was_pointed_at_looks_as_before(view: GraphView) -> None:
    before = on_screen(view)
    view.board.choose_edges({(0, 1)})
    assert on_screen(view) != before
    view.board.choose_edges(())
    assert on_screen(view) == before


def test_a_selected_step_shows_what_it_waits_for(view: GraphView) -> None:
    view.select_step(1)
    assert view.board.edges[0, 1].colour == "accent"
    assert view.board.edges[1, 2].colour != "accent"


def test_cards_and_lines_follow_the_theme(view: GraphView, light: QApplication) -> None:
    card = point_of(view, 0) - QPoint(0, 20)
    assert on_screen(view).pixelColor(card) == QColor(theme().tokens.surface)
    apply_theme(light, dark=True)
    light.sendPostedEvents()
    assert on_screen(view).pixelColor(card) == QColor(theme().tokens.surface)


def test_a_card_below_the_mouse_shows_its_grip(view: GraphView) -> None:
    before = on_screen(view)
    QTest.mouseMove(view.viewport(), point_of(view, 1))
    assert view.board.steps[1].isUnderMouse()
    assert on_screen(view) != before
