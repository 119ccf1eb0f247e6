"""The columns: F6 goes round, M gives one all the room, B shows another task in the middle."""

from tests.ui.workbench.driving import Bench


def shown_columns(bench: Bench) -> list[str]:
    names = {
        bench.panels.dialogue: "dialogue",
        bench.panels.middle: "middle",
        bench.panels.tabs: "side",
    }
    return [name for column, name in names.items() if column.isVisible()]


def column_under_focus(bench: Bench) -> str:
    names = {
        bench.panels.dialogue: "dialogue",
        bench.panels.middle: "middle",
        bench.panels.tabs: "side",
    }
    return next(name for column, name in names.items() if column.isAncestorOf(bench.target))


def test_f6_goes_round_the_columns(bench: Bench) -> None:
    bench.open("c-1")
    seen = []
    for _ in range(4):
        seen.append(column_under_focus(bench))
        bench.press("F6")
    assert seen == ["dialogue", "middle", "side", "dialogue"]


def test_m_gives_the_column_under_focus_all_the_room_and_takes_it_back(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("F6", "M")
    assert shown_columns(bench) == ["middle"]
    bench.press("M")
    assert shown_columns(bench) == ["dialogue", "middle", "side"]


def test_f6_takes_the_room_along_to_the_next_column(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("M", "F6")
    assert shown_columns(bench) == ["middle"]
    assert column_under_focus(bench) == "middle"
    bench.press("F6")
    assert shown_columns(bench) == ["side"]


def test_going_to_a_problem_brings_the_other_columns_back(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("M", "F8")
    assert shown_columns(bench) == ["dialogue", "middle", "side"]


def test_opening_a_tab_brings_the_side_panel_back(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("M", "Alt+H")
    assert "side" in shown_columns(bench)


def test_the_columns_have_their_widths_again_afterwards(bench: Bench) -> None:
    bench.open("c-1")
    before = bench.panels.columns.splitter.sizes()
    bench.press("M", "M")
    assert bench.panels.columns.splitter.sizes() == before


def test_b_shows_another_task_in_the_place_of_the_graph(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+2", "B")
    assert bench.panels.middle.currentWidget() is bench.panels.beside
    assert bench.panels.beside.panel.view.open_task == 0
    assert bench.panels.dialogue.view.open_task == 1
    bench.press("B")
    assert bench.panels.middle.currentWidget() is bench.panels.graph


def test_the_task_beside_follows_an_edit_and_cannot_be_edited(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+2", "B", "Alt+1", "F2", "Ctrl+A")
    bench.type("Other words")
    bench.press("Ctrl+Return")
    view = bench.panels.beside.panel.view
    assert view.is_read_only
    bench.wait(lambda: view.column.contents[0].parts[0].value == "Other words")
