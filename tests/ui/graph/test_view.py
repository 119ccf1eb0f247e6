"""The canvas mirrors a task, says what is wanted with mouse and keys, and changes nothing by itself."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence, QShortcut, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from scoring.model.case import Edge, Task
from scoring.model.taxonomy import EdgeKind
from tests.factories import answer, call, task
from tests.ui.graph.driving import LEFT, click, drag, edge_point, handle_of, point_of, press
from tests.ui.graph.graphs import redrawn, show_task, suggested
from ui.graph.canvas_content import CanvasContent, Mark, MarkKind
from ui.graph.gestures import Mode
from ui.graph.view import GraphView


def is_something_seen(view: GraphView) -> bool:
    seen = view.mapToScene(view.viewport().rect()).boundingRect()
    return any(item.sceneBoundingRect().intersects(seen) for item in view.board.steps.values())


def test_steps_and_edges_are_mirrored(view: GraphView) -> None:
    assert [view.board.steps[i].objectName() for i in range(5)] == [f"step-{i}" for i in range(5)]
    assert set(view.board.edges) == {(0, 1), (1, 2), (1, 3), (2, 4), (3, 4)}


def test_an_edit_that_moves_every_step_away_takes_the_window_along(view: GraphView) -> None:
    calls = [call(f"t{i}") for i in range(60)]
    view.show_content(CanvasContent(task(*calls)))
    view.zoom_in()
    view.horizontalScrollBar().setValue(view.horizontalScrollBar().maximum())
    view.show_content(CanvasContent(task(*calls, edges=[(i, i + 1) for i in range(59)])))
    assert is_something_seen(view)


def test_a_drawing_too_large_to_fit_shows_a_step_at_another_size_of_the_window_too(view: GraphView) -> None:
    calls = [call(f"t{i}") for i in range(60)]
    view.show_content(CanvasContent(task(*calls)))
    view.fit()
    view.show_content(CanvasContent(task(*calls, edges=[(i, i + 1) for i in range(59)])))
    view.resize(view.width(), view.height() - 30)
    assert is_something_seen(view)


def test_steps_of_a_shorter_task_replace_those_of_a_longer_one(view: GraphView) -> None:
    view.select_step(4)
    view.show_content(CanvasContent(task(call(), answer())))
    assert set(view.board.steps) == {0, 1}
    assert view.current_step is None


def test_a_click_selects_a_step(view: GraphView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.step_selected) as signal:
        click(view, point_of(view, 2))
    assert signal.args == [2]
    assert view.board.steps[2].is_current


@pytest.mark.parametrize("down", [-5, -2, 0, 2, 5])
def test_the_grip_of_a_card_can_be_taken_anywhere(view: GraphView, down: int) -> None:
    card = view.board.steps[1]
    middle = card.mapToScene(card.handle_rect().center())
    assert view.board.step_at(middle + QPointF(0, down)) is card


def test_arrows_move_between_rounds_and_within_one(view: GraphView) -> None:
    press(view, Qt.Key.Key_Down)
    assert view.current_step == 0
    press(view, Qt.Key.Key_Down, Qt.Key.Key_Down)
    assert view.current_step == 2
    press(view, Qt.Key.Key_Right)
    assert view.current_step == 3
    press(view, Qt.Key.Key_Left, Qt.Key.Key_Up)
    assert view.current_step == 1


def test_the_selected_step_is_described_for_a_screen_reader(view: GraphView) -> None:
    view.select_step(1)
    described = view.accessibleDescription()
    assert "1 getCityShow" in described
    assert "waits for 0; awaited by 2, 3" in described


def test_a_drag_from_the_grip_asks_for_an_edge(view: GraphView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.edge_requested) as signal:
        drag(view, handle_of(view, 0), point_of(view, 3))
    assert signal.args == [0, 3]
    assert (0, 3) not in view.board.edges  # only asked for


def test_in_connect_mode_the_whole_card_can_be_dragged(view: GraphView, qtbot: QtBot) -> None:
    view.set_mode(Mode.CONNECT)
    with qtbot.waitSignal(view.edge_requested) as signal:
        drag(view, point_of(view, 2), point_of(view, 3))
    assert signal.args == [2, 3]


def test_a_drag_that_closes_a_circle_lights_it_up_and_names_it(view: GraphView, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(view.edge_requested):
        drag(view, handle_of(view, 2), point_of(view, 0), drop=False)
        assert view.board.highlight.circle == ((0, 1), (1, 2))
        assert {view.board.edges[pair].colour for pair in ((0, 1), (1, 2))} == {"error"}
        assert view.note == "This would close a circle: 2 → 0 → 1 → 2."
        QTest.mouseRelease(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, point_of(view, 0))
    assert not view.board.highlight.circle


def test_escape_lets_go_of_a_line(view: GraphView, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(view.edge_requested):
        drag(view, handle_of(view, 0), point_of(view, 3), drop=False)
        press(view, Qt.Key.Key_Escape)
        QTest.mouseRelease(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, point_of(view, 3))


def test_a_task_shown_during_a_drag_ends_the_drag(view: GraphView, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(view.edge_requested):
        drag(view, handle_of(view, 0), point_of(view, 3), drop=False)
        view.show_content(CanvasContent(show_task()))
        QTest.mouseRelease(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, point_of(view, 3))


def test_d_and_a_number_ask_for_an_edge_and_return_to_selecting(view: GraphView, qtbot: QtBot) -> None:
    view.select_step(2)
    with qtbot.waitSignal(view.edge_requested) as signal:
        press(view, Qt.Key.Key_D, Qt.Key.Key_3)
    assert signal.args == [2, 3]
    assert view.mode is Mode.SELECT


def test_d_and_the_number_of_a_connected_step_ask_for_removal(view: GraphView, qtbot: QtBot) -> None:
    view.select_step(0)
    with qtbot.waitSignal(view.edges_removed) as signal:
        press(view, Qt.Key.Key_D, Qt.Key.Key_1)
    assert signal.args == [((0, 1),)]


def test_d_and_two_numbers_connect_without_any_selection(view: GraphView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.edge_requested) as signal:
        press(view, Qt.Key.Key_D, Qt.Key.Key_2, Qt.Key.Key_3)
    assert signal.args == [2, 3]


def test_a_number_that_would_close_a_circle_is_refused_in_words(view: GraphView, qtbot: QtBot) -> None:
    view.select_step(3)
    with qtbot.assertNotEmitted(view.edge_requested):
        press(view, Qt.Key.Key_D, Qt.Key.Key_0)
    assert view.note == "This would close a circle: 3 → 0 → 1 → 3."


def test_the_answer_cannot_be_connected(view: GraphView, qtbot: QtBot) -> None:
    view.select_step(3)
    with qtbot.assertNotEmitted(view.edge_requested):
        press(view, Qt.Key.Key_D, Qt.Key.Key_4)
    assert "Step 4 is the answer" in view.note


def test_two_digits_name_a_step_beyond_nine(view: GraphView, qtbot: QtBot) -> None:
    view.show_content(CanvasContent(task(*[call(f"t{i}") for i in range(13)], answer())))
    view.select_step(3)
    with qtbot.waitSignal(view.edge_requested) as signal:
        press(view, Qt.Key.Key_D, Qt.Key.Key_1, Qt.Key.Key_2)
    assert signal.args == [3, 12]


def test_one_digit_that_could_go_on_waits_for_enter(view: GraphView, qtbot: QtBot) -> None:
    view.show_content(CanvasContent(task(*[call(f"t{i}") for i in range(13)], answer())))
    view.select_step(3)
    with qtbot.assertNotEmitted(view.edge_requested):
        press(view, Qt.Key.Key_D, Qt.Key.Key_1)
    with qtbot.waitSignal(view.edge_requested) as signal:
        press(view, Qt.Key.Key_Return)
    assert signal.args == [3, 1]


def test_a_number_alone_selects_the_step(view: GraphView) -> None:
    press(view, Qt.Key.Key_3)
    assert view.current_step == 3


def test_delete_asks_for_the_removal_of_all_selected_edges_at_once(view: GraphView, qtbot: QtBot) -> None:
    click(view, edge_point(view, (0, 1)))
    click(view, edge_point(view, (1, 3)), control=True)
    with qtbot.waitSignal(view.edges_removed) as signal:
        press(view, Qt.Key.Key_Delete)
    assert signal.args == [((0, 1), (1, 3))]


def test_k_asks_for_the_other_kind_of_the_selected_edge(view: GraphView, qtbot: QtBot) -> None:
    click(view, edge_point(view, (1, 2)))
    with qtbot.waitSignal(view.kinds_toggled) as signal:
        press(view, Qt.Key.Key_K)
    assert signal.args == [((1, 2),)]


def test_edges_into_the_answer_cannot_be_removed(view: GraphView, qtbot: QtBot) -> None:
    click(view, edge_point(view, (2, 4)))
    with qtbot.assertNotEmitted(view.edges_removed):
        press(view, Qt.Key.Key_Delete)
    assert "follow by themselves" in view.note


def test_control_a_selects_every_drawn_edge(view: GraphView) -> None:
    QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert view.chosen_edges == ((0, 1), (1, 2), (1, 3))


def test_a_frame_selects_the_edges_it_touches(view: GraphView) -> None:
    first, second = edge_point(view, (1, 2)), edge_point(view, (1, 3))
    drag(view, first + QPoint(-60, -4), second + QPoint(40, 4))
    assert view.chosen_edges == ((1, 2), (1, 3))


def test_shift_and_arrows_walk_along_the_edges_of_a_step(view: GraphView) -> None:
    view.select_step(1)
    seen = []
    for _ in range(4):
        QTest.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        seen.append(view.chosen_edges)
    assert seen == [((0, 1),), ((1, 2),), ((1, 3),), ((0, 1),)]


def test_a_suggestion_is_accepted_by_a_click(view: GraphView, qtbot: QtBot) -> None:
    offered = suggested(2, 3, "show123 is in both.")
    view.show_content(CanvasContent(show_task(), suggestions=[offered]))
    with qtbot.waitSignal(view.suggestion_accepted) as signal:
        click(view, edge_point(view, (2, 3)))
    assert signal.args == [offered]
    assert (2, 3) not in view.board.edges


def test_the_only_suggestion_is_accepted_by_enter(view: GraphView, qtbot: QtBot) -> None:
    offered = suggested(0, 3)
    view.show_content(CanvasContent(show_task(), suggestions=[offered]))
    with qtbot.waitSignal(view.suggestion_accepted) as signal:
        press(view, Qt.Key.Key_Return)
    assert signal.args == [offered]


def test_a_suggestion_gives_its_reason_in_the_tooltip(view: GraphView) -> None:
    view.show_content(CanvasContent(show_task(), suggestions=[suggested(0, 3, "Same date.")]))
    assert "Same date. Click to accept." in view.board.ghosts[0, 3].toolTip()


def test_nothing_is_asked_for_in_a_drawing_that_is_only_looked_at(view: GraphView, qtbot: QtBot) -> None:
    view.set_read_only(on=True)
    with qtbot.assertNotEmitted(view.edge_requested), qtbot.assertNotEmitted(view.edges_removed):
        drag(view, handle_of(view, 0), point_of(view, 3))
        click(view, edge_point(view, (0, 1)))
        press(view, Qt.Key.Key_Delete, Qt.Key.Key_D, Qt.Key.Key_1)
    assert view.mode is Mode.SELECT


def test_kinds_are_told_apart_by_pattern_not_by_colour_alone(view: GraphView) -> None:
    edges = (Edge(source=0, target=1, kind=EdgeKind.PARAMETER), Edge(source=1, target=2))
    drawn = Task(user="x", steps=(call(), call(), call()), edges=edges)
    view.show_content(CanvasContent(drawn, labels={(0, 1): "city"}))
    looks = {pair: item.look for pair, item in view.board.edges.items()}
    assert looks[0, 1].dashes == ()
    assert looks[0, 1].label == "city"
    assert looks[1, 2].dashes != ()
    assert looks[1, 2].label == "logical"


def test_redundant_edges_are_named(view: GraphView) -> None:
    view.show_content(CanvasContent(redrawn(show_task(), (0, 1), (1, 2), (1, 3), (0, 2)), redundant=[(0, 2)]))
    assert view.board.edges[0, 2].look.label == "redundant"


def test_marks_carry_a_word(view: GraphView) -> None:
    view.show_content(
        CanvasContent(show_task(), marks={1: Mark(MarkKind.EARLY), 2: Mark(MarkKind.DONE, "round 1")})
    )
    assert view.board.steps[1].toolTip().startswith("1 getCityShow (too early)")
    assert view.board.steps[2].toolTip().startswith("2 getShowDetail (round 1)")


def test_an_edit_keeps_selection_and_zoom(view: GraphView) -> None:
    view.select_step(1)
    view.set_zoom(1.5)
    view.show_content(CanvasContent(redrawn(show_task(), (1, 2), (1, 3))))
    assert view.current_step == 1
    assert view.zoom == 1.5


def test_an_edit_leaves_every_other_card_where_it_is_on_screen(view: GraphView) -> None:
    before = [point_of(view, step) for step in range(4)]
    view.show_content(CanvasContent(redrawn(show_task(), (0, 1), (1, 2), (1, 3), (0, 2))))
    assert [point_of(view, step) for step in range(4)] == before


def test_an_edit_of_a_large_drawing_stays_at_the_place_that_is_looked_at(view: GraphView) -> None:
    chain = [(number, number + 1) for number in range(28)]
    long = task(*(call(f"tool{number}") for number in range(29)), answer(), edges=chain)
    view.show_content(CanvasContent(long))
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    before = point_of(view, 27)
    view.show_content(CanvasContent(redrawn(long, *chain, (20, 26))))
    assert point_of(view, 27) == before


def test_l_arranges_the_drawing_anew(view: GraphView) -> None:
    # while it is drawn, 3 stays below 1 and 2 below 0, so their edges cross; arranged anew they do not
    four = task(*(call(f"tool{number}") for number in range(4)), answer(), edges=[(0, 2), (1, 3)])
    view.show_content(CanvasContent(four))
    for one, other in (((0, 2), (0, 3)), ((0, 3), (1, 2))):
        view.show_content(CanvasContent(redrawn(four, one, other)))
    assert not is_straight(view)
    press(view, Qt.Key.Key_L)
    assert is_straight(view)


def places(view: GraphView) -> list[tuple[float, float]]:
    return [view.board.steps[step].pos().toTuple() for step in sorted(view.board.steps)]


def lines(view: GraphView) -> list[object]:
    return [view.board.edges[pair].path() for pair in sorted(view.board.edges)]


def test_many_dependencies_that_go_at_once_leave_a_tidy_drawing_and_undo_the_former_one(
    view: GraphView,
) -> None:
    wide = task(
        *(call(f"tool{number}") for number in range(5)),
        answer(),
        edges=[(0, 2), (1, 3), (2, 4), (3, 4), (0, 4)],
    )
    view.show_content(CanvasContent(wide))
    view.show_content(CanvasContent(redrawn(wide, (0, 2), (1, 3), (2, 4), (3, 4), (0, 4), (1, 4))))
    before = places(view), lines(view)
    view.show_content(CanvasContent(redrawn(wide)))
    left = [x for x, _ in places(view)[:5]]  # one round, in the order recorded
    assert left == sorted(left)
    view.show_content(CanvasContent(redrawn(wide, (0, 2), (1, 3), (2, 4), (3, 4), (0, 4), (1, 4))))
    assert (places(view), lines(view)) == before
    view.show_content(CanvasContent(redrawn(wide)))
    assert [x for x, _ in places(view)[:5]] == left


def is_straight(view: GraphView) -> bool:
    left = [view.board.steps[step].pos().x() for step in range(4)]
    return (left[0] < left[1]) == (left[3] < left[2])


def test_no_label_is_hidden_by_a_card_or_by_another_label(view: GraphView) -> None:
    pairs = [(0, 1), (1, 2), (1, 3), (0, 2), (0, 3), (2, 3)]
    view.show_content(CanvasContent(redrawn(show_task(), *pairs), redundant=[(0, 2), (0, 3), (1, 3)]))
    labels = [item.label_area for item in view.board.edges.values() if item.look.label]
    cards = [item.mapRectToScene(item.rect()) for item in view.board.steps.values()]
    assert len(labels) == len(pairs)
    for number, label in enumerate(labels):
        assert not any(label.intersects(card) for card in cards)
        words = label.adjusted(4, 3, -4, -3)
        assert not any(words.intersects(other.adjusted(4, 3, -4, -3)) for other in labels[:number])


def test_control_and_the_wheel_zoom(view: GraphView) -> None:
    centre = QPointF(view.viewport().rect().center())
    before = view.zoom
    event = QWheelEvent(
        centre,
        view.viewport().mapToGlobal(centre),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)
    assert view.zoom == pytest.approx(before * 1.15)
    QTest.keyClick(view, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert view.zoom == before


def test_a_key_the_canvas_uses_does_not_reach_shortcuts_of_the_window(view: GraphView, qtbot: QtBot) -> None:
    shortcut = QShortcut(QKeySequence("K"), view)
    view.setFocus()
    click(view, edge_point(view, (0, 1)))
    with qtbot.assertNotEmitted(shortcut.activated), qtbot.waitSignal(view.kinds_toggled):
        press(view, Qt.Key.Key_K)


def test_two_drawings_are_told_apart_by_pattern_and_name(view: GraphView) -> None:
    first = [Edge(source=0, target=1), Edge(source=1, target=2)]
    second = [Edge(source=0, target=1, kind=EdgeKind.PARAMETER), Edge(source=2, target=3)]
    view.show_overlay(show_task(), first, second, names=("Ann", "Bo"))
    looks = {pair: item.look for pair, item in view.board.edges.items()}
    assert looks[0, 1].label == "Ann logical, Bo parameter"
    assert looks[1, 2].label == "Ann"
    assert looks[2, 3].label == "Bo"
    assert len({looks[pair].dashes for pair in looks}) == 3


def test_a_longer_label_makes_the_others_give_way(view: GraphView) -> None:
    first, second = [Edge(source=0, target=1)], [Edge(source=0, target=2)]
    view.show_overlay(show_task(), first, second, names=("A", "B"))
    edges = view.board.edges
    looks = {(0, 1): replace(edges[0, 1].look, label="taken by everybody here")}
    view.board.change_looks(looks)
    assert [edges[pair].look.label for pair in ((0, 1), (0, 2))] == ["taken by everybody here", "B"]
    assert not edges[0, 1].label_area.intersects(edges[0, 2].label_area)
