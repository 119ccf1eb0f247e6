"""A drawing stays readable: no small print, nothing printed over or cut off, nothing lost by an edit."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.cases.edits.step_edits import delete_step, insert_step
from scoring.model.case import Task
from tests.factories import answer, call, case, task
from tests.ui.find import find
from tests.ui.graph.graphs import redrawn
from ui.graph.canvas_content import CanvasContent, EdgeLook, Highlight, Mark, MarkKind
from ui.graph.items import EdgeItem, edge_path
from ui.graph.layout import Box
from ui.graph.minimap import Minimap
from ui.graph.view import GraphView
from ui.theme import apply_theme
from ui.theme.look import sans


def four_beside_each_other() -> Task:
    """Four calls that wait for nothing, and the answer."""
    return task(*(call(f"getAirQualityForecast{i}", city="Las Vegas") for i in range(4)), answer())


def nine_beside_each_other() -> Task:
    """More calls that wait for nothing than have room beside each other, however narrow their cards are."""
    return task(*(call(f"getAirQualityForecast{i}", city="Las Vegas") for i in range(9)), answer())


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
        path = edge_path(Box(0, 0, 100, 40), Box(0, 200, 100, 40))
        edge.show_edge(path, EdgeLook(label=label))
        edge.place_label({})
        words = QFontMetricsF(sans(11)).horizontalAdvance(label)
        assert words < edge.label_area.width() < words + 12


def test_a_round_wider_than_the_window_begins_at_its_left_end(view: GraphView) -> None:
    view.show_content(CanvasContent(nine_beside_each_other()))
    leftmost = min(view.board.steps.values(), key=lambda item: item.box.left)
    assert leftmost.number in in_sight(view)
    assert view.horizontalScrollBar().maximum() > view.horizontalScrollBar().minimum()


@pytest.mark.parametrize("count", range(1, 8))
@pytest.mark.parametrize("scale", [1.0, 1.25])
def test_up_to_seven_steps_beside_each_other_fit_the_column_as_it_is_at_first(
    view: GraphView, qapp: QApplication, count: int, scale: float
) -> None:
    apply_theme(qapp, dark=False, scale=scale)
    view.resize(round(424 * scale), 520)
    calls = (call(f"getAirQualityForecast{i}", city="Las Vegas") for i in range(count))
    view.show_content(CanvasContent(task(*calls, answer())))
    bar = view.horizontalScrollBar()
    assert bar.maximum() == bar.minimum()
    assert 11 * view.transform().m11() >= 11


@pytest.mark.parametrize(
    "edges", [[(0, 4)], [(0, 3), (0, 4)], [(0, 1), (1, 2), (3, 4)], [(0, 4), (1, 4), (2, 4)]]
)
def test_rounds_that_edges_pass_fit_the_column_too(view: GraphView, edges: list[tuple[int, int]]) -> None:
    view.resize(424, 520)
    calls = (call(f"getAirQualityForecast{i}", city="Las Vegas") for i in range(5))
    view.show_content(CanvasContent(task(*calls, answer(), edges=edges)))
    assert view.horizontalScrollBar().maximum() == view.horizontalScrollBar().minimum()


def test_cards_take_the_room_of_a_wider_window_and_give_it_back(view: GraphView) -> None:
    widths = []
    for width in (424, 900, 424):
        view.resize(width, 520)
        view.show_content(CanvasContent(four_beside_each_other()))
        widths.append([item.box.width for item in view.board.steps.values()])
    assert widths[0] == widths[2]
    assert all(wide > narrow for wide, narrow in zip(widths[1][:4], widths[0][:4], strict=True))


def test_a_step_that_leaves_a_full_round_makes_no_other_card_wider(view: GraphView) -> None:
    view.resize(424, 520)
    original = four_beside_each_other()
    view.show_content(CanvasContent(original))
    before = view.board.layout.boxes
    view.show_content(CanvasContent(redrawn(original, (0, 1))))
    assert [view.board.layout.boxes[step] for step in (0, 2, 3)] == [before[step] for step in (0, 2, 3)]


def test_f_shows_the_whole_of_a_wide_round_and_f_again_readable_words(view: GraphView) -> None:
    view.show_content(CanvasContent(nine_beside_each_other()))
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


def wide_and_long() -> Task:
    """Fourteen calls in seven rounds, with edges that pass rounds at both sides."""
    chain = [(i, i + 1) for i in range(6)]
    calls = (call(f"getAirQualityForecast{i}", city="Las Vegas") for i in range(14))
    return task(*calls, answer(), edges=[*chain, (2, 9), (9, 10), (3, 13)])


def test_the_name_of_a_round_hides_no_line(view: GraphView) -> None:
    view.show_content(CanvasContent(wide_and_long()))
    named = set()
    for across in (view.horizontalScrollBar().minimum(), view.horizontalScrollBar().maximum()):
        view.horizontalScrollBar().setValue(across)
        for down in range(0, view.verticalScrollBar().maximum() + 1, 50):
            view.verticalScrollBar().setValue(down)
            lines = [edge.path() for edge in view.board.edges.values()]
            assert not [name for name, place in view.round_names() if any(p.intersects(place) for p in lines)]
            named |= {name for name, _ in view.round_names()}
    assert len(named) >= view.board.layout.round_count - 1  # lines at both edges leave one no place


def test_a_large_drawing_has_a_map_of_what_is_in_sight_and_a_small_one_has_none(view: GraphView) -> None:
    plan = find(view, Minimap, "graph-minimap")
    assert not plan.isVisible()
    view.show_content(CanvasContent(task(*(call(f"t{i}") for i in range(10)), answer())))
    assert not plan.isVisible()
    view.show_content(CanvasContent(wide_and_long()))
    assert plan.isVisible()
    view.show_whole()
    assert not plan.isVisible()


def test_a_click_on_the_map_goes_to_that_place_and_no_card_stays_below_it(view: GraphView) -> None:
    view.show_content(CanvasContent(wide_and_long()))
    plan = find(view, Minimap, "graph-minimap")
    last = max(view.board.steps)
    QTest.mouseClick(plan, Qt.MouseButton.LeftButton, pos=plan.rect().bottomRight())
    assert last in in_sight(view)
    card = view.board.steps[last]
    shown = view.mapFromScene(card.mapRectToScene(card.rect())).boundingRect()
    assert shown.bottom() < plan.geometry().top()
    QTest.mouseClick(plan, Qt.MouseButton.LeftButton, pos=QPoint(1, 1))
    assert 0 in in_sight(view)
