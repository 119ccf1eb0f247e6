"""What the canvas keeps of a picture is what it would paint anew."""

import pytest
from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from scoring.model.case import Edge, Task
from scoring.model.graph import with_drawn_edges
from scoring.model.taxonomy import EdgeKind
from tests.factories import answer, call, task
from tests.ui.find import find
from ui.graph.minimap import Minimap
from ui.graph.view import GraphView
from ui.theme import apply_theme, theme

PAIRS = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (3, 6), (0, 6), (5, 7), (6, 8), (2, 8), (8, 9)]


def drawn(*pairs: tuple[int, int], steps: int = 10) -> Task:
    """Every second line is dashed."""
    plain = task(*(call(f"tool{number}") for number in range(steps)), answer())
    kinds = (EdgeKind.PARAMETER, EdgeKind.LOGICAL)
    edges = [Edge(source=a, target=b, kind=kinds[(a + b) % 2]) for a, b in pairs]
    return with_drawn_edges(plain, edges)


@pytest.fixture
def view(qtbot: QtBot, light: QApplication) -> GraphView:
    return shown(qtbot)


def shown(qtbot: QtBot) -> GraphView:
    widget = GraphView()
    qtbot.addWidget(widget)
    widget.resize(420, 460)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.show_task(drawn(*PAIRS))
    return widget


def on_screen(view: GraphView) -> QImage:
    QApplication.sendPostedEvents()
    return view.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def anew(view: GraphView) -> QImage:
    area = view.viewport().rect()
    image = QImage(area.size(), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    view.render(painter, QRectF(area), area)
    painter.end()
    return image


def difference(one: QImage, other: QImage) -> int:
    """The greatest difference of two pictures in any colour of any point."""
    assert one.size() == other.size()
    pairs = zip(bytes(one.constBits()), bytes(other.constBits()), strict=True)
    return max(abs(a - b) for a, b in pairs)


# Blending twice rounds twice.
ROUNDING = 6


def test_a_picture_kept_through_edits_is_as_painted_anew(view: GraphView) -> None:
    for changed in ((0, 6), (2, 7), (0, 6), (4, 9)):
        on_screen(view)
        pairs = {edge.pair for edge in view.task.drawn_edges} ^ {changed}
        view.show_task(drawn(*sorted(pairs)))
    assert difference(on_screen(view), anew(view)) <= ROUNDING


def test_a_picture_kept_while_many_lines_change_is_as_painted_anew(view: GraphView) -> None:
    view.set_zoom(1.0)
    many = [(a, b) for b in range(10) for a in range(b)]
    for pairs in (many, PAIRS, many[::2]):
        on_screen(view)
        view.show_task(drawn(*pairs))
    assert difference(on_screen(view), anew(view)) <= ROUNDING


def test_an_edit_behind_another_page_is_painted_when_one_comes_back(view: GraphView) -> None:
    view.set_zoom(1.0)
    on_screen(view)
    view.hide()
    view.show_task(drawn(*PAIRS[:4]))
    view.show()
    assert difference(on_screen(view), anew(view)) <= ROUNDING


def test_a_line_that_was_pointed_at_looks_as_before(view: GraphView) -> None:
    view.set_zoom(1.0)
    before = on_screen(view)
    view.board.edges[0, 6].set_chosen(on=True)
    pointed_at = on_screen(view)
    view.board.edges[0, 6].set_chosen(on=False)
    assert difference(pointed_at, before) > ROUNDING
    assert difference(on_screen(view), before) <= ROUNDING


def test_a_line_that_was_pointed_at_is_gone_with_its_edge(view: GraphView) -> None:
    view.set_zoom(1.0)
    view.select_step(6)
    on_screen(view)
    view.show_task(drawn(*(pair for pair in PAIRS if pair != (0, 6))))
    assert difference(on_screen(view), anew(view)) <= ROUNDING


def test_a_picture_kept_while_one_scrolls_is_as_painted_anew(view: GraphView, qtbot: QtBot) -> None:
    view.set_zoom(1.4)
    for down, across in ((60, 0), (200, 31), (90, 12)):
        on_screen(view)
        view.verticalScrollBar().setValue(down)
        view.horizontalScrollBar().setValue(across)
    other = shown(qtbot)
    other.set_zoom(1.4)
    other.verticalScrollBar().setValue(90)
    other.horizontalScrollBar().setValue(12)
    assert difference(on_screen(view), on_screen(other)) <= ROUNDING


def test_a_picture_of_another_zoom_is_as_painted_anew(view: GraphView, qtbot: QtBot) -> None:
    on_screen(view)
    view.set_zoom(1.2)
    other = shown(qtbot)
    other.set_zoom(1.2)
    assert difference(on_screen(view), on_screen(other)) <= ROUNDING


def test_a_picture_kept_through_selections_is_as_painted_anew(view: GraphView) -> None:
    on_screen(view)
    view.choose_all()
    on_screen(view)
    view.escape()
    assert difference(on_screen(view), anew(view)) <= ROUNDING


def test_cards_and_lines_follow_the_theme(view: GraphView, light: QApplication) -> None:
    on_screen(view)
    apply_theme(light, dark=True)
    light.sendPostedEvents()
    after = on_screen(view)
    card = view.point_of(0) - QPoint(0, 14)
    assert after.pixelColor(card) == QColor(theme().tokens.surface)
    assert difference(after, anew(view)) <= ROUNDING


def test_the_minimap_stays_in_its_corner_while_one_scrolls(view: GraphView) -> None:
    view.show_task(drawn(*((number, number + 1) for number in range(29)), steps=30))
    minimap = find(view, Minimap, "graph-minimap")
    before = QRect(minimap.geometry())
    view.verticalScrollBar().setValue(120)
    assert minimap.geometry() == before
