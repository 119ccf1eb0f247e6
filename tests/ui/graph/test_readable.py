"""A drawing stays readable: no small print, nothing printed over or cut off, nothing lost by an edit."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.cases.edits.step_edits import delete_step, insert_step
from scoring.model.case import Task
from tests.factories import answer, call, case, task
from ui.graph.canvas_content import CanvasContent, EdgeLook, Highlight, Mark, MarkKind
from ui.graph.items import EdgeItem
from ui.graph.layout import Box
from ui.graph.view import GraphView
from ui.theme import apply_theme
from ui.theme.look import sans


def four_beside_each_other() -> Task:
    """Four calls that wait for nothing, and the answer."""
    return task(*(call(f"getAirQualityForecast{i}", city="Las Vegas") for i in range(4)), answer())


def without(original: Task, step: int) -> Task:
    """A task that lost a step; the others are the same objects."""
    return delete_step(case(original), 0, step=step).tasks[0]


def in_sight(view: GraphView) -> set[int]:
    seen = view.mapToScene(view.viewport().rect()).boundingRect()
    return {
        number for number, item in view.board.steps.items() if seen.contains(item.mapRectToScene(item.rect()))
    }


@pytest.mark.parametrize("scale", [1.0, 1.25, 2.0])
def test_the_words_of_a_wide_round_are_never_smaller_than_eleven_pixels(
    view: GraphView, qapp: QApplication, scale: float
) -> None:
    apply_theme(qapp, dark=False, scale=scale)
    view.show_content(CanvasContent(four_beside_each_other()))
    view.fit()
    assert 11 * view.transform().m11() >= 11


def test_a_label_of_an_edge_is_as_wide_as_its_words(light: QApplication) -> None:
    edge = EdgeItem((0, 1), Highlight())
    for label in ("city", "a much longer name of a parameter"):
        edge.lead(Box(0, 0, 100, 40), Box(0, 200, 100, 40), (), EdgeLook(label=label))
        edge.place_label({})
        words = QFontMetricsF(sans(11)).horizontalAdvance(label)
        assert words < edge.label_area.width() < words + 12


def test_a_round_wider_than_the_window_begins_at_its_left_end(view: GraphView) -> None:
    view.show_content(CanvasContent(four_beside_each_other()))
    leftmost = min(view.board.steps.values(), key=lambda item: item.box.left)
    assert leftmost.number in in_sight(view)
    assert view.horizontalScrollBar().maximum() > view.horizontalScrollBar().minimum()


def test_f_shows_the_whole_of_a_wide_round_and_f_again_readable_words(view: GraphView) -> None:
    view.show_content(CanvasContent(four_beside_each_other()))
    assert in_sight(view) != set(view.board.steps)
    QTest.keyClick(view, Qt.Key.Key_F)
    assert in_sight(view) == set(view.board.steps)
    QTest.keyClick(view, Qt.Key.Key_F)
    assert view.zoom == 1.0


def test_a_selected_step_pushes_no_card_out_of_sight_where_all_have_room(view: GraphView) -> None:
    wide = (call(f"getAirQualityForecast{i}", city="Las Vegas") for i in range(2))
    view.resize(424, 520)
    view.show_content(CanvasContent(task(*wide, answer())))
    for step in (0, 1, 2):
        view.select_step(step)
        assert in_sight(view) == {0, 1, 2}


def test_the_name_of_a_round_is_never_printed_over_a_card_or_its_mark(view: GraphView) -> None:
    view.show_content(
        CanvasContent(four_beside_each_other(), marks={4: Mark(MarkKind.EARLY, "answered too early")})
    )
    bar = view.horizontalScrollBar()
    for place in range(bar.minimum(), bar.maximum() + 1, 40):
        bar.setValue(place)
        cards = [item.mapRectToScene(item.rect() | item.mark_rect) for item in view.board.steps.values()]
        assert not [name for name, ground in view.round_names() if any(map(ground.intersects, cards))]


def test_a_mark_wider_than_its_card_is_not_cut_off(view: GraphView) -> None:
    view.show_content(
        CanvasContent(
            task(call("a"), answer()),
            marks={1: Mark(MarkKind.EARLY, "answered too early, and with another tool")},
        )
    )
    item = view.board.steps[1]
    assert item.mark is not None
    assert item.boundingRect().width() >= QFontMetricsF(sans(11)).horizontalAdvance(item.mark.word) + 26


def test_a_deleted_step_that_comes_back_stands_where_it_stood(view: GraphView) -> None:
    original = four_beside_each_other()
    view.show_content(CanvasContent(original))
    before = view.board.layout.boxes
    for step in (0, 1, 2, 0, 1, 2):
        view.show_content(CanvasContent(without(original, step)))
        view.show_content(CanvasContent(original))
    assert view.board.layout.boxes == before


def test_a_step_that_was_copied_stands_beside_itself(view: GraphView) -> None:
    once = call("getAirQualityForecast", city="Las Vegas")
    view.show_content(CanvasContent(task(once, answer())))
    view.show_content(CanvasContent(task(once, once, answer())))
    first, second = (view.board.layout.boxes[step] for step in (0, 1))
    assert abs(first.middle - second.middle) >= first.width


def test_an_edit_leaves_all_cards_in_sight_where_they_have_room(view: GraphView) -> None:
    view.resize(1200, 520)
    edited = case(four_beside_each_other())
    view.show_content(CanvasContent(edited.tasks[0]))
    for number in range(12):  # what goes makes room at the left, what comes would stand at the right
        edited = delete_step(edited, 0, step=0)
        view.show_content(CanvasContent(edited.tasks[0]))
        edited = insert_step(edited, 0, index=3, step=call(f"getAirQualityForecast{number}"))
        view.show_content(CanvasContent(edited.tasks[0]))
        assert in_sight(view) == set(view.board.steps)


def test_an_edit_brings_cards_back_that_were_scrolled_out_of_sight(view: GraphView) -> None:
    view.show_content(CanvasContent(four_beside_each_other()))
    view.horizontalScrollBar().setValue(view.horizontalScrollBar().maximum())
    small = without(without(four_beside_each_other(), 3), 2)
    view.show_content(CanvasContent(small))
    assert in_sight(view) == set(view.board.steps)
