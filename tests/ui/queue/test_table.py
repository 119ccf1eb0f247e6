"""The table of the queue with many cases: pages of rows as they are looked at."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from annotator.cases.file_import import import_files
from annotator.jobs import JobContext
from annotator.project.creation import create_workspace
from annotator.project.people import add_person
from annotator.project.workspace import Workspace
from annotator.review.queue.assignments import reassign
from annotator.review.queue.case_rows import CaseFilter, CaseRow
from annotator.review.queue.claims import claim_case
from scoring.model.case import dump_case
from scoring.model.record import to_json
from scoring.model.taxonomy import Role, Stage
from tests.factories import answer, case, task
from tests.ui.queue.driving import place_of
from ui.queue.case_table import COLUMNS, HIDDEN, KEPT_PAGES, PAGE_ROWS, CaseTable
from ui.queue.table_view import CaseTableView
from ui.services.operations import Operations
from ui.theme import theme

COUNT = 700


@pytest.fixture(scope="session")
def _many_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    file = folder / "many.jsonl"
    lines = (
        to_json(dump_case(case(task(answer(), user=f"Question {number}"), id=f"case-{number:04}")))
        for number in range(COUNT)
    )
    file.write_text("\n".join(lines), encoding="utf-8")
    workspace = create_workspace(str(folder / "many.db"), person="anna")
    import_files(workspace, [file], context=JobContext())
    workspace.close()
    return folder / "many.db"


@pytest.fixture
def operations(
    qtbot: QtBot, closed_operations: Operations, _many_template: Path, tmp_path: Path
) -> Iterator[Operations]:
    """A project of 700 cases."""
    place = tmp_path / "many.db"
    place.write_bytes(_many_template.read_bytes())
    with qtbot.waitSignal(closed_operations.opened):
        closed_operations.open(str(place), "anna")
    yield closed_operations
    closed_operations.close()


@pytest.fixture
def view(qtbot: QtBot, operations: Operations) -> CaseTableView:
    """The table, sorted by case."""
    table = CaseTable(operations)
    QAbstractItemModelTester(table, QAbstractItemModelTester.FailureReportingMode.Warning, table)
    found = CaseTableView(table)
    table.setParent(found)
    qtbot.addWidget(found)
    found.resize(900, 400)
    found.show()
    table.show_cases(CaseFilter(order="case"))
    qtbot.waitUntil(lambda: table.rowCount() == COUNT and operations.pending_count == 0)
    return found


def _table(view: CaseTableView) -> CaseTable:
    table = view.model()
    assert isinstance(table, CaseTable)
    return table


def test_only_what_is_looked_at_is_fetched(view: CaseTableView) -> None:
    assert _table(view).case_at(0) is not None
    assert _table(view).case_at(PAGE_ROWS * 2) is None


def test_rows_arrive_where_one_scrolls(qtbot: QtBot, view: CaseTableView) -> None:
    view.scrollTo(_table(view).index(COUNT - 1, 0))
    qtbot.waitUntil(lambda: _table(view).case_at(COUNT - 1) is not None)
    row = _table(view).case_at(COUNT - 1)
    assert row is not None
    assert row.case_id == f"case-{COUNT - 1:04}"


def test_pages_that_are_scrolled_past_are_not_all_fetched(
    qtbot: QtBot, view: CaseTableView, operations: Operations
) -> None:
    table = _table(view)
    for row in range(0, COUNT, 50):
        table.data(table.index(row, 0))
    qtbot.waitUntil(lambda: operations.pending_count == 0)
    fetched = [row for row in range(0, COUNT, PAGE_ROWS) if table.case_at(row) is not None]
    assert COUNT // PAGE_ROWS * PAGE_ROWS in fetched
    assert len(fetched) <= KEPT_PAGES


def test_a_case_that_moved_stays_marked(qtbot: QtBot, view: CaseTableView, operations: Operations) -> None:
    table = _table(view)
    table.show_cases(CaseFilter(order="-changed"))
    with qtbot.waitSignal(table.reset_done):
        pass
    last = table.case_at(150)
    assert last is not None
    view.selectRow(150)
    operations.run(lambda w: claim_case(w, last.case_id))
    qtbot.waitUntil(lambda: operations.pending_count == 0)
    table.refresh(0)
    qtbot.waitUntil(lambda: view.currentIndex().row() == 0)


def test_the_arrow_keys_mark_the_next_case(qtbot: QtBot, view: CaseTableView) -> None:
    with qtbot.waitSignal(view.marked) as marked:
        QTest.keyClick(view, Qt.Key.Key_Down)
    assert marked.args[0].case_id == "case-0001"


def test_a_smaller_view_takes_rows_away(qtbot: QtBot, view: CaseTableView) -> None:
    table = _table(view)
    table.show_cases(CaseFilter(text="case-00"))
    qtbot.waitUntil(lambda: table.rowCount() == 100)
    table.show_cases(CaseFilter(text="nothing like it"))
    qtbot.waitUntil(lambda: table.rowCount() == 0)


def _row(**values: object) -> CaseRow:
    fields: dict[str, object] = {
        "pk": 1,
        "case_id": "c-1",
        "batch": "07",
        "batch_id": 1,
        "stage": Stage.RETURNED,
        "version": 1,
        "round": 1,
        "owner": None,
        "owner_id": None,
        "head_id": 1,
        "sha256": "",
        "task_count": 3,
        "policies": ("single", "", "multi_mixed"),
        "informations": ("first", "omission", "omission"),
        "finding_count": 1200,
        "error_count": 2,
        "rules": ("args.type",),
        "request": "Two\nlines",
        "is_gold": False,
        "changed_at": datetime(2026, 11, 3, tzinfo=UTC),
        "note": "Redraw task 3.",
    }
    return CaseRow(**{**fields, **values})  # type: ignore[arg-type]  # the fields above


def test_several_kinds_of_information_are_counted() -> None:
    row = _row(informations=("first", "reference", "omission", "reference"))
    assert COLUMNS[place_of("information")].cell_of(row).text == "reference +1"


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (place_of("case"), "c-1"),
        (place_of("policies"), "Single → – → Mixed"),
        (place_of("information"), "omission"),
        (place_of("request"), "Two lines"),
        (place_of("findings"), "1,200"),
        (place_of("owner"), "unassigned"),
        (place_of("stage"), "Returned"),
    ],
)
def test_cells_say_it_in_a_few_words(column: int, text: str) -> None:
    assert COLUMNS[column].cell_of(_row()).text == text


def test_the_findings_of_a_case_say_which_of_them_block() -> None:
    row = _row(finding_count=3, error_count=1, rules=("args.differs", "args.type"))
    assert COLUMNS[place_of("findings")].cell_of(row).tip.splitlines() == [
        "3 findings, 1 blocking",
        "Wrong type: blocks the submission",
        "Value differs from its source: does not block",
    ]
    assert (
        COLUMNS[place_of("findings")].cell_of(_row(finding_count=2, error_count=0, rules=())).tip
        == "2 findings"
    )


BLIND = (place_of("policies"), place_of("information"), place_of("findings"), place_of("owner"))


@pytest.mark.parametrize("column", BLIND)
def test_what_is_hidden_from_a_blind_person_is_a_dash_that_says_why(column: int) -> None:
    blind = _row(
        is_blind=True, policies=("",) * 3, informations=("",) * 3, finding_count=0, error_count=0, rules=()
    )
    assert (COLUMNS[column].cell_of(blind).text, COLUMNS[column].cell_of(blind).tip) == ("–", HIDDEN)


def test_what_the_project_lets_a_blind_person_see_is_shown() -> None:
    blind = _row(is_blind=True, owner="ann")
    assert COLUMNS[place_of("owner")].cell_of(blind).text == "ann"
    assert COLUMNS[place_of("policies")].cell_of(blind).text == "Single → – → Mixed"


@pytest.mark.parametrize(
    ("column", "part"),
    [
        (place_of("case"), "c-1 · 07 · 3 tasks · gold example"),
        (place_of("policies"), "Task 2: not labelled\nTask 3: Multi, mixed"),
        (place_of("information"), "Task 1: First task"),
        (place_of("findings"), "1,200 findings, 2 blocking\nWrong type: blocks"),
        (place_of("stage"), "Returned\nRedraw task 3."),
        (place_of("changed"), "2026-11-0"),
    ],
)
def test_tooltips_say_the_rest(column: int, part: str) -> None:
    assert part in COLUMNS[column].cell_of(_row(is_gold=True)).tip


@pytest.mark.parametrize(
    ("width", "left_out"),
    [
        (1000, set()),
        (960, {place_of("priority")}),
        (900, {place_of("priority"), place_of("information")}),
        (700, {place_of(name) for name in ("priority", "information", "findings", "owner")}),
    ],
)
def test_where_there_is_no_room_columns_are_left_out_and_the_stage_is_not(
    qtbot: QtBot, view: CaseTableView, width: int, left_out: set[int]
) -> None:
    view.resize(width, 400)
    assert {column for column in range(len(COLUMNS)) if view.isColumnHidden(column)} == left_out
    qtbot.waitUntil(lambda: not view.horizontalScrollBar().isVisible())


def test_an_id_of_twenty_six_characters_is_shown_whole(
    qtbot: QtBot, closed_operations: Operations, tmp_path: Path
) -> None:
    case_id = "case-with-a-long-name-" + "2026"
    file = tmp_path / "one.jsonl"
    line = to_json(dump_case(case(task(answer(), user="A question"), id=case_id)))
    file.write_text(line + "\n", encoding="utf-8")
    workspace = create_workspace(str(tmp_path / "one.db"), person="anna")
    import_files(workspace, [file], context=JobContext())
    workspace.close()
    with qtbot.waitSignal(closed_operations.opened):
        closed_operations.open(str(tmp_path / "one.db"), "anna")
    table = CaseTable(closed_operations)
    view = CaseTableView(table)
    table.setParent(view)
    qtbot.addWidget(view)
    view.resize(1040, 400)
    view.show()
    table.show_cases(CaseFilter())
    qtbot.waitUntil(lambda: table.rowCount() == 1)
    room = view.columnWidth(place_of("case")) - 2 * theme().px(8)
    assert len(case_id) == 26
    assert QFontMetrics(theme().mono()).horizontalAdvance(case_id) <= room
    assert [place for place in range(len(COLUMNS)) if view.isColumnHidden(place)] == [place_of("priority")]
    closed_operations.close()


@pytest.mark.usefixtures("in_chinese")
def test_owners_are_sorted_by_pinyin_in_a_chinese_window(
    qtbot: QtBot, view: CaseTableView, operations: Operations
) -> None:
    def give(workspace: Workspace) -> None:
        for number, name in enumerate(("张三", "李四", "陈一")):
            add_person(workspace, name, roles=[Role.ANNOTATOR])
            reassign(workspace, f"case-{number:04}", to=name)

    table = _table(view)
    operations.run(give)
    table.show_cases(CaseFilter(order="owner"))
    with qtbot.waitSignal(table.reset_done):
        pass
    assert [row.owner for at in range(3) if (row := table.case_at(at))] == ["陈一", "李四", "张三"]
