"""The graph column shows the figures of a drawing and lets people play it."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from scoring.errors import StoreError
from scoring.model.case import Edge, Task
from scoring.model.graph import step_graph
from scoring.orders.legal_orders import remaining_orders
from tests.factories import answer, call, task
from tests.ui.find import chip_of, figure_of, find
from tests.ui.graph.driving import legend_colours, point_of
from tests.ui.graph.graphs import redrawn, show_task, suggested
from ui.graph.canvas_content import CanvasContent, MarkKind, count_words, redundant_words
from ui.graph.gestures import Mode
from ui.graph.panel import GraphPanel, Legend, OverlayPanel, export_png, export_svg
from ui.services.operations import Operations
from ui.theme import Button, TextLabel

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot: QtBot, light: QApplication, closed_operations: Operations) -> GraphPanel:
    widget = GraphPanel(closed_operations)
    qtbot.addWidget(widget)
    widget.resize(480, 700)
    widget.show()
    widget.show_content(CanvasContent(show_task()))
    return widget


def figures(panel: GraphPanel) -> tuple[str, str, str, str]:
    card = panel.summary
    return figure_of(card.orders), figure_of(card.rounds), figure_of(card.policy), chip_of(card.policy)


def press(panel: GraphPanel, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(panel.view, key)


def test_the_figures_of_the_drawing_are_those_of_the_issue(panel: GraphPanel) -> None:
    assert figures(panel) == ("3", "4", "Mixed", "as declared")
    assert panel.summary.words.text() == "Longest chain 0 → 1 → 2 → 4. No redundant edges."


def test_without_the_first_edge_there_are_19_orders_in_3_rounds(panel: GraphPanel) -> None:
    panel.show_content(CanvasContent(redrawn(show_task(), (1, 2), (1, 3))))
    assert figures(panel) == ("19", "3", "Mixed", "as declared")


def test_an_edge_between_the_details_leaves_one_serial_order(panel: GraphPanel) -> None:
    panel.show_content(CanvasContent(redrawn(show_task(), (0, 1), (1, 2), (1, 3), (2, 3))))
    assert figures(panel) == ("1", "5", "Serial", "not as declared")
    assert panel.summary.words.text().endswith("1 redundant edge: 1 → 3.")


def test_a_task_without_steps_says_what_to_do(panel: GraphPanel) -> None:
    panel.show_content(CanvasContent(Task(user="Hello")))
    assert panel.view.isHidden()
    assert panel.summary.isHidden()


def test_an_edge_can_be_pulled_from_a_card_unless_it_is_only_read(panel: GraphPanel) -> None:
    assert panel.view.board.highlight.has_grips
    panel.set_read_only()
    assert not panel.view.board.highlight.has_grips


def test_mode_buttons_and_keys_follow_each_other(panel: GraphPanel) -> None:
    connect = find(panel, Button, "graph-mode-connect")
    QTest.mouseClick(connect, LEFT)
    assert panel.view.mode is Mode.CONNECT
    press(panel, Qt.Key.Key_V)
    assert not connect.isChecked()
    assert find(panel, Button, "graph-mode-select").isChecked()


def test_a_task_is_played_by_keys_alone(panel: GraphPanel) -> None:
    press(panel, Qt.Key.Key_S, Qt.Key.Key_0, Qt.Key.Key_Space, Qt.Key.Key_Return)
    assert figure_of(panel.summary.orders) == "3"
    assert figure_of(panel.summary.rounds) == "1"
    press(panel, Qt.Key.Key_1, Qt.Key.Key_Space, Qt.Key.Key_Return)
    press(panel, Qt.Key.Key_2, Qt.Key.Key_Space, Qt.Key.Key_Return)
    assert chip_of(panel.summary.rounds) == "at best 5"
    press(panel, Qt.Key.Key_Backspace)
    assert chip_of(panel.summary.rounds) == "still optimal"
    press(panel, Qt.Key.Key_Escape)
    assert panel.game is None
    assert figures(panel)[0] == "3"


def test_ready_steps_are_marked_while_playing(panel: GraphPanel) -> None:
    press(panel, Qt.Key.Key_S)
    marks = {number: item.mark for number, item in panel.view.board.steps.items()}
    assert {number: mark.kind for number, mark in marks.items() if mark} == {0: MarkKind.READY}


def test_a_call_that_comes_too_early_is_refused_in_words(panel: GraphPanel) -> None:
    press(panel, Qt.Key.Key_S)
    QTest.mouseClick(panel.view.viewport(), LEFT, pos=point_of(panel.view, 2))
    assert panel.view.note == "Too early: step 2 waits for 1."
    assert panel.game is not None
    assert panel.game.chosen == frozenset()


def test_a_click_chooses_a_ready_call(panel: GraphPanel) -> None:
    press(panel, Qt.Key.Key_S)
    QTest.mouseClick(panel.view.viewport(), LEFT, pos=point_of(panel.view, 0))
    assert panel.game is not None
    assert panel.game.chosen == {0}


def top_rows(panel: GraphPanel) -> list[QTreeWidgetItem]:
    tree = panel.summary.branches
    return [row for number in range(tree.topLevelItemCount()) if (row := tree.topLevelItem(number))]


def branches(panel: GraphPanel) -> list[list[str]]:
    return [[row.text(column) for column in range(3)] for row in top_rows(panel)]


def test_the_rounds_that_may_come_next_are_listed_with_what_they_leave(panel: GraphPanel) -> None:
    press(panel, Qt.Key.Key_S)
    assert branches(panel) == [["0", "3", "4"]]
    for step in (Qt.Key.Key_0, Qt.Key.Key_1):
        press(panel, step, Qt.Key.Key_Space, Qt.Key.Key_Return)
    assert branches(panel) == [["2 + 3", "1", "4"], ["2", "1", "5 (+1)"], ["3", "1", "5 (+1)"]]


def test_a_branch_unfolds_to_what_may_follow_it(panel: GraphPanel) -> None:
    press(panel, Qt.Key.Key_S)
    first = top_rows(panel)[0]
    assert first.childCount() == 0
    first.setExpanded(True)
    assert [child.text(0) for child in first.takeChildren()] == ["1"]


def test_a_round_of_the_list_is_played_by_enter(panel: GraphPanel) -> None:
    press(panel, Qt.Key.Key_S)
    tree = panel.summary.branches
    tree.setCurrentItem(top_rows(panel)[0])
    QTest.keyClick(tree, Qt.Key.Key_Return)
    assert panel.game is not None
    assert panel.game.rounds == ((0,),)


def test_the_scorer_speaks_while_a_task_is_played(panel: GraphPanel) -> None:
    assert panel.summary.verdict.isHidden()
    press(panel, Qt.Key.Key_S)
    assert panel.summary.verdict.text() == "The scorer: right so far, 0 of 5 steps."
    QTest.mouseClick(panel.view.viewport(), LEFT, pos=point_of(panel.view, 2))
    assert panel.summary.verdict.text().startswith("The scorer would end the run here at 0 of 5 steps: ")
    press(panel, Qt.Key.Key_Escape)
    assert panel.summary.verdict.isHidden()


def test_a_game_ends_when_the_task_is_edited(panel: GraphPanel) -> None:
    press(panel, Qt.Key.Key_S)
    panel.show_content(CanvasContent(redrawn(show_task(), (1, 2))))
    assert panel.game is None
    assert panel.view.mode is Mode.SELECT


def test_all_suggestions_are_accepted_at_once(panel: GraphPanel, qtbot: QtBot) -> None:
    offered = (suggested(0, 2), suggested(0, 3))
    panel.show_content(CanvasContent(show_task(), suggestions=offered))
    button = find(panel, Button, "graph-accept-all")
    assert find(panel, TextLabel, "graph-offer").text() == "2 suggested edges, dotted."
    with qtbot.waitSignal(panel.suggestions_accepted) as signal:
        QTest.mouseClick(button, LEFT)
    assert signal.args == [offered]


def test_there_is_no_accept_button_without_suggestions(panel: GraphPanel) -> None:
    assert find(panel, Button, "graph-accept-all").isHidden()


def ladder(rungs: int) -> Task:
    """Pairs of steps, each linked to the next pair, so that no part can be counted by itself."""
    n = 2 * rungs
    pairs = [(i, i + 1) for i in range(0, n, 2)] + [(i, i + 3) for i in range(0, n - 3, 2)]
    return task(*[call(f"t{i}") for i in range(n)], edges=pairs)


def test_the_orders_of_a_real_size_are_counted_in_full(panel: GraphPanel) -> None:
    panel.show_content(CanvasContent(ladder(6)))
    exact = remaining_orders(step_graph(ladder(6)), (), limit=10**9)
    assert exact is not None
    assert figure_of(panel.summary.orders) == count_words(exact)


def test_orders_that_take_long_are_counted_beside_the_window(qtbot: QtBot, panel: GraphPanel) -> None:
    panel.show_content(CanvasContent(ladder(8)))
    assert figure_of(panel.summary.orders) == "counting"
    exact = remaining_orders(step_graph(ladder(8)), (), limit=10**9)
    assert exact is not None
    qtbot.waitUntil(lambda: figure_of(panel.summary.orders) == count_words(exact))
    panel.show_content(CanvasContent(ladder(6)))
    panel.show_content(CanvasContent(ladder(8)))
    assert figure_of(panel.summary.orders) == count_words(exact)  # remembered


def test_too_many_orders_are_called_so(qtbot: QtBot, panel: GraphPanel) -> None:
    panel.show_content(CanvasContent(ladder(20)))
    qtbot.waitUntil(lambda: figure_of(panel.summary.orders) == "too many")


def test_branches_stay_unfolded_while_their_orders_are_counted(qtbot: QtBot, panel: GraphPanel) -> None:
    panel.show_content(CanvasContent(ladder(8)))
    press(panel, Qt.Key.Key_S)
    first = top_rows(panel)[0]
    assert first.text(1) == "counting"
    first.setExpanded(True)
    graph = step_graph(ladder(8))
    rounds = [tuple(map(int, row.text(0).split(" + "))) for row in top_rows(panel)[:-1]]
    counts = [remaining_orders(graph, steps) for steps in rounds]
    words = [count_words(count) for count in counts if count is not None]
    qtbot.waitUntil(lambda: [row.text(1) for row in top_rows(panel)[:-1]] == words)
    assert first.isExpanded()


def test_of_many_redundant_edges_some_are_named() -> None:
    steps = [call(f"t{number}") for number in range(6)]
    all_pairs = [(a, b) for b in range(6) for a in range(b)]
    words = redundant_words(task(*steps, answer(), edges=all_pairs))
    assert words.startswith("10 redundant edges: 0 → 2, ")
    assert words.endswith(" and 4 more.")


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (19, "19"),
        (28_091_567_595, "28,091,567,595"),
        (10**15, "1.00 × 10¹⁵"),
        (2_463 * 10**97, "2.46 × 10¹⁰⁰"),
        (7 * 10**5000, "7.00 × 10⁵⁰⁰⁰"),
    ],
    ids=["few", "many", "a power", "a large power", "beyond text"],
)
def test_numbers_of_orders_stay_readable(count: int, words: str) -> None:
    assert count_words(count) == words


def test_a_large_drawing_has_figures_too(panel: GraphPanel) -> None:
    calls = [call(f"t{i}") for i in range(40)]
    panel.show_content(CanvasContent(task(*calls, edges=[(i, i + 1) for i in range(39)])))
    assert figures(panel)[:2] == ("1", "40")


def test_the_drawing_is_written_as_svg_and_png(panel: GraphPanel, tmp_path: Path) -> None:
    export_svg(panel.view, tmp_path / "graph.svg")
    export_png(panel.view, tmp_path / "graph.png", factor=1)
    assert "getCityShow" in (tmp_path / "graph.svg").read_text(encoding="utf-8")
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")


def test_a_drawing_that_cannot_be_written_says_so(panel: GraphPanel, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        export_svg(panel.view, tmp_path / "file" / "graph.svg")
    with pytest.raises(StoreError, match="cannot be written"):
        export_png(panel.view, tmp_path / "file" / "graph.png")


def test_the_menu_saves_the_drawing_by_the_ending_of_the_file(panel: GraphPanel, tmp_path: Path) -> None:
    for name in ("graph.svg", "graph.png"):
        panel.menu.save(str(tmp_path / name))
        assert panel.view.note == f"Saved as {tmp_path / name}."
    assert (tmp_path / "graph.svg").read_bytes().startswith(b"<?xml")
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_is_named_for_what_is_drawn(panel: GraphPanel) -> None:
    panel.menu.file_name = "trip: Oslo/Bergen-task-2"
    panel.menu.ask_file()
    dialog = find(panel, QFileDialog, "graph-file")
    assert [Path(name).name for name in dialog.selectedFiles()] == ["trip-Oslo-Bergen-task-2.svg"]
    dialog.reject()


def test_a_long_chain_is_told_by_its_ends_and_its_length(panel: GraphPanel) -> None:
    calls = [call(f"t{i}") for i in range(30)]
    panel.show_content(CanvasContent(task(*calls, edges=[(i, i + 1) for i in range(29)])))
    assert panel.summary.words.text().startswith(
        "Longest chain 0 → 1 → 2 → 3 → 4 → 5 → 6 → 7 → … → 28 → 29: 30 steps."
    )


def test_the_menu_says_why_a_drawing_could_not_be_saved(panel: GraphPanel, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    panel.menu.save(str(tmp_path / "file" / "graph.svg"))
    assert "graph.svg cannot be written" in panel.view.note


def test_the_menu_offers_to_remove_only_what_is_selected(panel: GraphPanel, qtbot: QtBot) -> None:
    remove = next(action for action in panel.menu.menu.actions() if action.text().startswith("Remove"))
    panel.menu.menu.aboutToShow.emit()
    assert not remove.isEnabled()
    press(panel, Qt.Key.Key_0)
    QTest.keyClick(panel.view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    panel.menu.menu.aboutToShow.emit()
    with qtbot.waitSignal(panel.view.edges_removed) as signal:
        remove.trigger()
    assert signal.args == [((0, 1),)]


def test_the_overlay_names_its_two_drawings(qtbot: QtBot, light: QApplication) -> None:
    overlay = OverlayPanel()
    qtbot.addWidget(overlay)
    overlay.show_drawings(show_task(), [Edge(source=0, target=1)], [], names=("Ann", "Bo"))
    assert find(overlay, Legend, "graph-legend").accessibleName() == "Lines: both, only Ann, only Bo"
    assert set(overlay.view.board.edges) == {(0, 1)}
    assert not overlay.view.board.highlight.has_grips


def test_the_overlay_draws_and_explains_people_in_their_own_colours(
    qtbot: QtBot, light: QApplication
) -> None:
    overlay = OverlayPanel()
    qtbot.addWidget(overlay)
    colours = ("side_b", "side_d")
    first, second = [Edge(source=0, target=1)], [Edge(source=1, target=2)]
    overlay.show_drawings(show_task(), first, second, names=("B", "D"), colours=colours)
    assert legend_colours(find(overlay, Legend, "graph-legend")) == colours
    edges = overlay.view.board.edges
    assert (edges[0, 1].look.colour, edges[1, 2].look.colour) == colours


def test_a_task_nobody_has_drawn_claims_no_order_no_round_and_no_policy(panel: GraphPanel) -> None:
    panel.show_content(CanvasContent(show_task(), is_drawn=False))
    card = panel.summary
    assert not any(stat.isVisible() for stat in (card.orders, card.rounds, card.policy))
    assert find(card, TextLabel, "graph-undrawn").isVisible()
    assert all(button.isVisible() for button in card.choices.values())
    assert "proposed" in panel.view.board.edges[0, 1].look.tip
    panel.show_content(CanvasContent(show_task()))
    assert card.orders.isVisible()
    assert not find(card, TextLabel, "graph-undrawn").isVisible()
    assert "proposed" not in panel.view.board.edges[0, 1].look.tip


def test_a_game_ends_where_its_drawing_is_taken_back(panel: GraphPanel) -> None:
    press(panel, Qt.Key.Key_S)
    assert panel.game is not None
    panel.show_content(CanvasContent(show_task(), is_drawn=False))
    assert panel.game is None
    press(panel, Qt.Key.Key_S)
    assert panel.game is None
    assert panel.view.note == "Draw the dependencies first, then play the orders."


def test_who_only_reads_an_undrawn_task_is_offered_no_keys(panel: GraphPanel) -> None:
    panel.set_read_only()
    panel.show_content(CanvasContent(show_task(), is_drawn=False))
    assert not any(button.isVisible() for button in panel.summary.choices.values())
