"""Five reviewers side by side: everything can be read, told apart and kept in sight."""

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QFontMetrics, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.cases.edits.text_edits import set_answer_text
from annotator.project.people import add_person
from annotator.review.expert.decisions import Own
from annotator.review.policy_changes import change_review_policy
from scoring.model.labels import without_labels
from scoring.model.taxonomy import EdgeKind, Policy, Role, Verdict
from tests.annotator.review.expert.disputes import three_step_case
from tests.annotator.team import Team
from tests.ui.adjudication.driving import Court
from tests.ui.find import find
from tests.ui.graph.driving import legend_colours
from ui.adjudication.decision_rows import KEYS_ROLE
from ui.adjudication.fields_table import FieldsTable
from ui.graph.panel import Legend
from ui.services.preferences import Preferences
from ui.theme import Chip, SectionLabel, theme
from ui.theme.look import apply_theme

SIZES = ((1380, 800), (1220, 620))
"""What is left of a screen of 1440 x 900 and of 1280 x 720 for the page."""


def bring_five(team: Team) -> None:
    """A case of three calls that bob, cleo, dan, fay and gus see in five ways."""
    for name in ("fay", "gus"):
        add_person(team["max"], name, roles=[Role.ANNOTATOR])
    change_review_policy(team["max"], ("reviewers=5",))
    found = three_step_case()
    team.bring(found)
    team.self_check("ann", "c-1")
    edit = set_answer_text(without_labels(found), 0, text="Nesttun-4 is told.")
    team.cross_check("bob", "c-1", edges={0: [(0, 2, EdgeKind.PARAMETER)]}, edit=edit)
    said = (
        ("cleo", Policy.MULTI_PARALLEL, [(0, 1, EdgeKind.LOGICAL)]),
        ("dan", Policy.MULTI_MIXED, [(0, 2, EdgeKind.LOGICAL)]),
        ("fay", Policy.MULTI_SERIAL, [(0, 1, EdgeKind.LOGICAL), (1, 2, EdgeKind.PARAMETER)]),
    )
    for name, policy, edges in said:
        team.cross_check(name, "c-1", policies={0: policy}, edges={0: edges})
    team.cross_check("gus", "c-1", policies={0: Policy.CLARIFY}, verdict=Verdict.ESCALATE)


def shown(court: Court, column: int) -> QRect:
    """What of a cell of the current row can be seen."""
    table = court.page.columns.table
    place = table.visualRect(table.currentIndex().siblingAtColumn(column))
    room = table.viewport().rect()
    if column and table.names.isVisible():
        room.setLeft(table.names.width())
    return place.intersected(room)


def scroll_away(court: Court) -> FieldsTable:
    """Five sides in a narrow column, scrolled to their end."""
    bring_five(court.team)
    court.open()
    court.page.columns.share_out((300, 500, 500))
    table = court.page.columns.table
    table.horizontalScrollBar().setValue(table.horizontalScrollBar().maximum())
    return table


@pytest.mark.parametrize("team", [bring_five], indirect=True)
@pytest.mark.parametrize("size", SIZES)
def test_every_value_of_five_sides_can_be_read(court: Court, size: tuple[int, int]) -> None:
    court.window.resize(*size)
    court.open()
    table = court.page.columns.table
    metrics = QFontMetrics(theme().sans(13, is_strong=True))
    needed = theme().px(16)
    for row in range(table.model().rowCount()):
        for column in range(1, 6):
            text = table.model().index(row, column).data()
            assert metrics.horizontalAdvance(text) + needed <= table.columnWidth(column), text


@pytest.mark.parametrize("team", [bring_five], indirect=True)
@pytest.mark.parametrize("size", SIZES)
def test_five_sides_need_no_scrolling_sideways_until_the_columns_are_moved(
    court: Court, size: tuple[int, int]
) -> None:
    court.window.resize(*size)
    court.open()
    assert shown(court, 6).width() == court.page.columns.table.columnWidth(6)
    assert court.page.columns.table.horizontalScrollBar().maximum() == 0


@pytest.mark.parametrize("team", [bring_five], indirect=True)
def test_the_widths_for_many_sides_are_remembered_apart(court: Court, preferences: Preferences) -> None:
    court.open()
    columns = court.page.columns
    columns.setSizes([600, 400, 300])
    columns.splitterMoved.emit(600, 1)
    assert preferences.settings.splitters == {"adjudication-many": tuple(columns.sizes())}


@pytest.mark.parametrize("team", [bring_five], indirect=True)
def test_those_who_gave_no_reason_share_a_line(court: Court) -> None:
    court.open()
    said = court.page.columns.reasons
    assert [label.accessibleName() for label in said.findChildren(SectionLabel)] == [
        "A, B, C, D · Approve",
        "E · Escalate",
        "Owner",
    ]


@pytest.mark.parametrize("team", [bring_five], indirect=True)
@pytest.mark.parametrize("size", SIZES)
def test_the_side_that_was_taken_stays_in_sight(court: Court, size: tuple[int, int]) -> None:
    court.window.resize(*size)
    court.open()
    court.page.columns.share_out((300, 500, 500))
    table = court.page.columns.table
    first = court.row_id()
    for column, key in enumerate("ABCDE", 1):
        court.press(key)
        table.go_to(first)
        assert shown(court, column).width() == table.columnWidth(column), key
    court.page.columns.table.taken.emit(Own(own="chat"))
    table.go_to(first)
    assert shown(court, 6).width() == table.columnWidth(6)


@pytest.mark.parametrize("team", [bring_five], indirect=True)
def test_an_open_row_is_shown_from_its_name_on(court: Court) -> None:
    court.open()
    court.page.columns.share_out((300, 500, 500))
    court.press("E")
    assert shown(court, 0).left() == 0


def test_names_stay_in_place_when_the_rest_is_scrolled_sideways(court: Court) -> None:
    table = scroll_away(court)
    names = table.names
    assert names.mapTo(table, names.viewport().geometry().topLeft()) == table.viewport().geometry().topLeft()
    assert names.viewport().width() == table.columnWidth(0)
    for row in range(table.model().rowCount()):
        own, cell = (view.visualRect(table.model().index(row, 0)) for view in (names, table))
        assert (own.left(), own.top(), own.bottom()) == (0, cell.top(), cell.bottom())
    table.horizontalScrollBar().setValue(0)
    assert not names.isVisible()


def test_a_click_on_a_name_marks_its_row_and_the_keys_stay_with_the_table(court: Court) -> None:
    table = scroll_away(court)
    place = table.names.visualRect(table.model().index(2, 0)).center()
    QTest.mouseClick(table.names.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert table.currentIndex().row() == 2
    assert table.hasFocus()
    table.horizontalScrollBar().setValue(table.horizontalScrollBar().maximum())
    court.press("Down")
    assert table.names.selectionModel().isRowSelected(3)


def test_names_follow_the_rows_that_are_hidden_and_scrolled(court: Court) -> None:
    table = scroll_away(court)
    court.page.columns.judgments.only_differing.setChecked(False)
    rows = range(table.model().rowCount())
    assert [table.names.isRowHidden(row) for row in rows] == [False] * len(rows)
    court.page.columns.judgments.only_differing.setChecked(True)
    assert any(table.isRowHidden(row) for row in rows)
    assert [table.names.isRowHidden(row) for row in rows] == [table.isRowHidden(row) for row in rows]
    table.resize(table.width(), theme().px(110))
    table.verticalScrollBar().setValue(2)
    assert table.names.verticalScrollBar().value() == 2
    assert table.names.rowAt(0) == table.rowAt(0)


def test_the_wheel_over_the_names_scrolls_the_table(court: Court) -> None:
    table = scroll_away(court)
    before = table.horizontalScrollBar().value()
    at = QPointF(20, 20)
    wheel = QWheelEvent(
        at,
        table.names.viewport().mapToGlobal(at),
        QPoint(),
        QPoint(120, 0),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(table.names.viewport(), wheel)
    assert table.horizontalScrollBar().value() < before


def test_names_give_way_where_they_would_leave_no_room_for_a_column(court: Court) -> None:
    table = scroll_away(court)
    assert table.names.isVisible()
    table.resize(2 * table.columnWidth(0) - 1, table.height())
    table.horizontalScrollBar().setValue(table.horizontalScrollBar().maximum())
    assert not table.names.isVisible()


def test_rows_and_names_grow_with_the_scale(court: Court, light: QApplication) -> None:
    table = scroll_away(court)
    apply_theme(light, dark=False, scale=1.5)
    table.resize(theme().px(600), table.height())
    table.horizontalScrollBar().setValue(1)
    assert table.names.isVisible()
    assert table.rowHeight(0) == table.names.rowHeight(0) == theme().row_height
    assert table.names.horizontalHeader().height() == table.horizontalHeader().height()


@pytest.mark.parametrize("team", [bring_five], indirect=True)
def test_the_keys_stand_in_the_current_row_and_fit(court: Court) -> None:
    court.open()
    model = court.page.columns.judgments.model
    rows = {row.id: number for number, row in enumerate(model.rows)}
    assert model.index(rows["task.0.policy"], 6).data(KEYS_ROLE) == ("A–E", "O")
    assert model.index(rows["A:task.0.step.3.text"], 6).data(KEYS_ROLE) == ("Y", "X")


@pytest.mark.parametrize("team", [bring_five], indirect=True)
def test_five_sides_have_five_hues_in_chips_and_drawings(court: Court) -> None:
    court.open()
    chips = [chip for chip in court.page.columns.judgments.findChildren(Chip) if len(chip.text()) == 1]
    hues = [chip.property("chip") for chip in chips]
    assert hues == ["side_a", "side_b", "side_c", "side_d", "side_e"]
    graph = court.page.columns.drawings
    legend = find(graph, Legend, "graph-legend")
    assert (graph.names, legend_colours(legend)) == (("A", "B"), ("side_a", "side_b"))
    for _ in range(5):
        court.press("P")
    assert (graph.names, legend_colours(legend)) == (("B", "D"), ("side_b", "side_d"))


@pytest.mark.parametrize("team", [bring_five], indirect=True)
@pytest.mark.parametrize("size", SIZES)
def test_no_chip_is_cut(court: Court, size: tuple[int, int]) -> None:
    court.window.resize(*size)
    court.open()
    judgments = court.page.columns.judgments
    chips = judgments.findChildren(Chip)
    court.wait(lambda: all(chip.height() == chip.sizeHint().height() for chip in chips))  # once laid out
    for chip in chips:
        assert chip.width() >= chip.sizeHint().width()
        assert judgments.rect().contains(QRect(chip.mapTo(judgments, chip.rect().topLeft()), chip.size()))
