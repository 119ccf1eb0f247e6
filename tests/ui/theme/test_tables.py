"""Tables of figures and pills of choices: sorted, copied and chosen as people expect."""

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.find import find
from ui.theme.buttons import ChoiceChip
from ui.theme.cells import Cell, elide_mode
from ui.theme.tables import Column, FigureTable, Row

COLUMNS: tuple[Column[Any], ...] = (Column("Name"), Column("Share", 80, is_figure=True))


def _row(name: str, share: float | None) -> Row:
    return Row(name, (Cell(name), Cell("–" if share is None else f"{share}", share)))


@pytest.fixture
def table(qtbot: QtBot, light: QApplication) -> FigureTable:
    """Three rows, one of them without a figure."""
    shown = FigureTable("figures", "Figures", COLUMNS)
    qtbot.addWidget(shown)
    shown.resize(400, 200)
    shown.show_rows([_row("b", 0.5), _row("a", None), _row("c", 0.9)])
    shown.show()
    return shown


def _click_heading(table: FigureTable, column: int) -> None:
    header = table.horizontalHeader()
    at = QPoint(header.sectionPosition(column) + 8, header.height() // 2)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)


def _names(table: FigureTable) -> list[object]:
    return [row.key for row in table.rows]


@pytest.mark.usefixtures("in_chinese")
def test_names_are_sorted_by_pinyin_in_a_chinese_window(table: FigureTable) -> None:
    table.show_rows([_row(name, 0.5) for name in ("张三", "李四", "安娜", "陈一")])
    _click_heading(table, 0)
    assert _names(table) == ["安娜", "陈一", "李四", "张三"]


def test_figures_are_sorted_highest_first_and_the_unknown_stay_last(table: FigureTable) -> None:
    _click_heading(table, 1)
    assert _names(table) == ["c", "b", "a"]
    _click_heading(table, 1)
    assert _names(table) == ["b", "c", "a"]


def test_texts_are_sorted_by_their_alphabet_first(table: FigureTable) -> None:
    _click_heading(table, 0)
    assert _names(table) == ["a", "b", "c"]


def test_the_marked_row_stays_marked_when_others_arrive(table: FigureTable) -> None:
    table.mark("c")
    marked = []
    for rows in ([_row("c", 0.9), _row("d", 0.1)], [_row("d", 0.1)], []):
        table.show_rows(rows)
        marked.append(table.marked_key)
    assert marked == ["c", "d", None]


def test_a_row_with_a_cell_too_few_is_refused_before_it_is_painted(table: FigureTable) -> None:
    with pytest.raises(ValueError, match="row 'a' has 1 cells under 2 columns"):
        table.show_rows([Row("a", (Cell("a"),))])
    assert len(table.rows) == 3


def test_the_marked_row_is_copied_as_text(table: FigureTable) -> None:
    table.mark("b")
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Name\tShare\nb\t0.5\n"


def test_a_still_table_marks_nothing(qtbot: QtBot) -> None:
    still = FigureTable("still", "Still", COLUMNS, is_still=True)
    qtbot.addWidget(still)
    still.show_rows([_row("a", 0.1)])
    assert still.marked_key is None


def test_a_pill_says_what_was_chosen_by_hand_and_is_accented_then(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    chip = ChoiceChip("which", "Batch", [("", "All batches"), ("b-1", "b-1")])
    QVBoxLayout(window).addWidget(chip)
    window.show()
    chip.open_menu()
    menu = find(chip, QMenu, "menu-which")
    with qtbot.waitSignal(chip.chosen) as told:
        menu.actions()[1].trigger()
    menu.close()
    assert told.args == ["b-1"]
    assert (chip.text(), chip.isChecked(), chip.accessibleName()) == ("b-1", True, "Batch: b-1")


def test_a_choice_that_is_gone_falls_back_to_the_first(qtbot: QtBot) -> None:
    chip = ChoiceChip("which", "Batch", [("", "All"), ("b-1", "b-1")])
    qtbot.addWidget(chip)
    chip.choose("b-1")
    chip.set_choices([("", "All"), ("b-2", "b-2")])
    assert chip.value == ""


def test_what_is_not_offered_cannot_be_chosen(qtbot: QtBot) -> None:
    chip = ChoiceChip("which", "Batch", [("", "All")])
    qtbot.addWidget(chip)
    with pytest.raises(ValueError, match="not among the choices"):
        chip.choose("b-9")


def test_columns_shrink_to_their_words_and_some_are_left_out_before_a_table_scrolls(
    qtbot: QtBot, light: QApplication
) -> None:
    figures = (Column[Any](name, 120, leave_out=rank) for name, rank in zip("ABC", (0, 2, 1), strict=True))
    columns = (Column[Any]("Name"), *figures)
    narrow = FigureTable("narrow", "Narrow", columns)
    qtbot.addWidget(narrow)
    narrow.show_rows([Row(1, tuple(Cell(word) for word in ("name", "a", "b", "c")))])
    narrow.show()

    def widths(room: int) -> list[int]:
        narrow.resize(room, 200)
        return [narrow.columnWidth(place) for place in range(4)]

    assert widths(500)[1:] == [120, 120, 120]
    shrunk = widths(300)
    assert all(40 <= width < 120 for width in shrunk)
    left_out = []
    for room in range(300, 60, -10):
        hidden = [place for place, width in enumerate(widths(room)) if not width]
        left_out += [hidden] if hidden not in left_out else []
        assert narrow.horizontalHeader().length() <= narrow.viewport().width() or hidden == [2, 3]
    assert left_out == [[], [3], [2, 3]]
    assert widths(300) == shrunk


def test_a_column_that_is_left_out_leaves_no_gap_before_one_that_took_what_was_left(
    qtbot: QtBot, light: QApplication
) -> None:
    columns = (Column[Any]("Name", 120), Column[Any]("Figure", 120, leave_out=1), Column[Any]("In words"))
    table = FigureTable("gap", "Gap", columns)
    qtbot.addWidget(table)
    table.show_rows([Row(1, (Cell("name"), Cell("a longer figure"), Cell("a sentence of many words")))])
    table.resize(500, 200)
    table.show()
    assert table.columnWidth(2) > 200
    table.resize(200, 200)
    assert table.isColumnHidden(1)
    assert table.horizontalHeader().length() <= table.viewport().width()


def test_an_id_without_room_is_cut_in_the_middle_and_whole_in_its_tooltip(table: FigureTable) -> None:
    name = "trip-with-a-very-long-name-0417"
    table.show_rows([Row(name, (Cell(name, is_mono=True), Cell("")))])
    tip = table.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert elide_mode(table.rows[0].cells[0]) is Qt.TextElideMode.ElideMiddle
    assert elide_mode(table.rows[0].cells[1]) is Qt.TextElideMode.ElideRight
    assert tip == name


def test_the_menu_of_a_table_copies_it_as_csv_in_the_order_on_screen(table: FigureTable) -> None:
    table.show_rows([_row("b, c", 0.5), _row("a", None)])
    _click_heading(table, 0)
    [copy] = [action for action in table.actions() if action.text() == "Copy as CSV"]
    copy.trigger()
    assert QGuiApplication.clipboard().text().splitlines() == ["Name,Share", "a,–", '"b, c",0.5']
