"""The overview of a big drawing: when it shows, and that it never hides what one works on."""

import pytest
from PySide6.QtCore import QRect

from scoring.model.case import Task
from tests.factories import answer, call, task
from tests.ui.find import find
from tests.ui.graph.graphs import redrawn
from ui.graph.minimap import Minimap
from ui.graph.view import GraphView


def test_the_minimap_shows_for_big_drawings_only(view: GraphView) -> None:
    minimap = find(view, Minimap, "graph-minimap")
    assert minimap.isHidden()
    view.show_task(task(*[call(f"t{i}") for i in range(30)], answer()))
    assert not minimap.isHidden()


def big(steps: int = 40) -> Task:
    """Rounds of five steps, each waiting for two of the round before: larger than the window."""
    pairs = [(a, b) for b in range(5, steps) for a in (5 * (b // 5) - 5 + b % 5, 5 * (b // 5) - 1)]
    return task(*(call(f"tool{number}") for number in range(steps)), answer(), edges=sorted(set(pairs)))


def on_screen(view: GraphView, step: int) -> QRect:
    item = view.board.steps[step]
    return view.mapFromScene(item.mapRectToScene(item.rect())).boundingRect()


def test_the_minimap_leaves_a_drawing_that_is_all_in_sight(view: GraphView) -> None:
    minimap = find(view, Minimap, "graph-minimap")
    view.show_task(big())
    view.set_zoom(1.0)
    assert not minimap.isHidden()
    view.set_zoom(0.25)
    assert minimap.isHidden()


@pytest.mark.parametrize("zoom", [0.6, 1.0, 2.0])
def test_the_minimap_never_hides_the_selected_card(view: GraphView, zoom: float) -> None:
    minimap = find(view, Minimap, "graph-minimap")
    view.show_task(big())
    view.set_zoom(zoom)
    for step in (*view.board.steps, *reversed(view.board.steps)):
        view.select_step(step)
        assert not on_screen(view, step).intersects(minimap.geometry()), step
        assert view.viewport().rect().intersects(on_screen(view, step)), step


def test_every_card_can_be_scrolled_out_from_under_the_minimap(view: GraphView) -> None:
    minimap = find(view, Minimap, "graph-minimap")
    view.show_task(big())
    view.set_zoom(1.0)
    for bar in (view.horizontalScrollBar(), view.verticalScrollBar()):
        bar.setValue(bar.maximum())
    lowest = max(on_screen(view, step).bottom() for step in view.board.steps)
    assert lowest < minimap.geometry().top()


def test_an_edit_does_not_move_the_paper_under_the_minimap(view: GraphView) -> None:
    drawn = big()
    view.show_task(drawn)
    view.set_zoom(1.0)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    before = on_screen(view, 38)
    view.show_task(redrawn(drawn, *(edge.pair for edge in drawn.drawn_edges if edge.pair != (29, 34))))
    assert on_screen(view, 38) == before
