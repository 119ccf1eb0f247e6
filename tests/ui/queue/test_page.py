"""The queue as its people use it: finding, taking, importing, assigning."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QPushButton,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.cases.importing import import_files
from annotator.jobs import JobContext
from annotator.project.founding import create_workspace, login_name
from annotator.project.people import add_person
from annotator.project.workspace import Workspace, open_workspace
from annotator.review.workload import MyDay, my_day
from scoring.model.case import Case, dump_case
from scoring.model.record import to_json
from scoring.model.taxonomy import Role, Stage
from scoring.rates import rate
from tests.factories import answer, ask, case, task
from tests.ui.find import find
from tests.ui.queue.conftest import Opener
from tests.ui.settling import is_settled
from ui.operations import Operations
from ui.preferences import Preferences
from ui.queue import preview
from ui.queue.filter_chip import FilterChip
from ui.queue.head import QueueHead
from ui.queue.importing import ImportDialog
from ui.queue.page import QueuePage
from ui.queue.preview import Preview
from ui.queue.table_model import CASE_ROLE, HIDDEN, Column
from ui.queue.today import day_lines
from ui.queue.views import Dimension, QueueView


def _cases(page: QueuePage) -> QTableView:
    return find(page, QTableView, "cases")


def _ids(page: QueuePage) -> list[str]:
    model = _cases(page).model()
    return [str(model.index(row, Column.CASE).data()) for row in range(model.rowCount())]


def _count(page: QueuePage) -> str:
    return find(page, QLabel, "case-count").text()


def _settle(qtbot: QtBot, operations: Operations) -> None:
    qtbot.waitUntil(lambda: is_settled(operations))


def test_it_lists_every_case_with_the_newest_change_first(open_queue: Opener, reviewed_project: str) -> None:
    page = open_queue(reviewed_project, "ann-1")
    assert len(_ids(page)) == 16
    assert _count(page) == "16 cases"
    rows = [_cases(page).model().index(row, 0).data(CASE_ROLE) for row in range(16)]
    moments = [row.changed_at for row in rows]
    assert moments == sorted(moments, reverse=True)


@pytest.mark.parametrize(
    ("person", "words"),
    [
        ("ann-1", "Yours: 7 in self-check"),
        ("ann-2", "Yours: 7 in self-check, 3 to cross-check"),
        ("expert-1", "Yours: 2 to decide"),
    ],
)
def test_the_head_line_says_what_waits_for_a_person(
    open_queue: Opener, reviewed_project: str, person: str, words: str
) -> None:
    page = open_queue(reviewed_project, person)
    assert page.findChildren(QueueHead)[0].waiting_words == words


def test_a_stage_chosen_in_the_menu_narrows_the_list_and_its_cross_widens_it(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, closed_operations: Operations
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    chip = find(page, FilterChip, "filter-stage")
    menu = chip.menu_of_choices()
    next(action for action in menu.actions() if action.text() == "Approved").trigger()
    qtbot.waitUntil(lambda: len(_ids(page)) == 4)
    assert _count(page) == "4 of 16 cases"
    assert chip.text() == "Stage: Approved"
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton, pos=QPoint(chip.width() - 12, chip.height() // 2))
    qtbot.waitUntil(lambda: len(_ids(page)) == 16)
    _settle(qtbot, closed_operations)


def test_markup_and_direction_marks_in_a_request_are_shown_as_they_are(
    open_queue: Opener, tmp_path: Path
) -> None:
    place = str(tmp_path / "untrusted.db")
    file = tmp_path / "untrusted.jsonl"
    request = "<img src='http://example.com/x.png'> \u202eabc"
    file.write_text(to_json(dump_case(case(task(answer(), user=request)))), encoding="utf-8")
    workspace = create_workspace(place, person="anna")
    import_files(workspace, [file], context=JobContext())
    workspace.close()
    page = open_queue(place, "anna")
    index = _cases(page).model().index(0, Column.REQUEST)
    assert "\u202e" not in str(index.data())
    assert "&lt;img" in str(index.data(Qt.ItemDataRole.ToolTipRole))


def test_several_filters_hold_together(qtbot: QtBot, open_queue: Opener, reviewed_project: str) -> None:
    page = open_queue(reviewed_project, "ann-1")
    page.show_view(QueueView(stages=(Stage.IMPORTED,), rules=("policy.differs",)))
    qtbot.waitUntil(lambda: _ids(page) == ["sample-15-printers-down"])


def test_slash_goes_to_the_text_field_and_words_find_a_case(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    QTest.keyClick(_cases(page), Qt.Key.Key_Slash)
    field = find(page, QLineEdit, "filter-text")
    assert field.hasFocus()
    QTest.keyClicks(field, "badminton")
    qtbot.waitUntil(lambda: _ids(page) == ["sample-10-badminton-zh"])
    QTest.keyClick(field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(_ids(page)) == 16)
    assert _cases(page).hasFocus()


def test_a_saved_view_is_one_click_and_a_second_click_takes_it_off(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    chip = find(page, QPushButton, "view-Escalated")
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(_ids(page)) == 2)
    assert chip.isChecked()
    QTest.mouseClick(find(page, QPushButton, "view-Escalated"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(_ids(page)) == 16)


def test_filters_kept_under_a_name_are_there_next_time(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, preferences: Preferences
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    page.show_view(QueueView(stages=(Stage.APPROVED,)))
    qtbot.waitUntil(lambda: len(_ids(page)) == 4)
    QTest.mouseClick(find(page, QWidget, "view-keep"), Qt.MouseButton.LeftButton)
    field = find(page, QLineEdit, "view-name")
    QTest.keyClicks(field, "Waiting")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert preferences.settings.views == {"Waiting": {"stages": ["approved"]}}
    again = open_queue(reviewed_project, "ann-1")
    QTest.mouseClick(find(again, QPushButton, "view-Waiting"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(_ids(again)) == 4)


def test_a_heading_sorts_and_a_second_click_turns_round(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    header = _cases(page).horizontalHeader()
    at = QPoint(header.sectionViewportPosition(Column.CASE) + 20, header.height() // 2)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: _ids(page)[0] == "sample-01-ghent-weekend")
    heading = _cases(page).model().headerData(Column.CASE, Qt.Orientation.Horizontal)
    assert heading == "Case ↑"
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: _ids(page)[0] == "sample-16-paper-moons")


def test_the_marked_case_is_previewed(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, closed_operations: Operations
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    QTest.keyClick(_cases(page), Qt.Key.Key_Down)
    _settle(qtbot, closed_operations)
    second = _ids(page)[1]
    preview = find(page, Preview, "preview")
    assert preview.row is not None
    assert preview.row.case_id == second
    texts = {label.text() for label in preview.findChildren(QLabel)}
    assert second in texts
    assert "User · task 1" in texts


def test_marks_of_markdown_are_left_out_of_the_preview(
    qtbot: QtBot, open_queue: Opener, closed_operations: Operations, tmp_path: Path
) -> None:
    place, file = str(tmp_path / "marked.db"), tmp_path / "marked.jsonl"
    marked = case(
        task(ask("Which **day**?", "Today."), answer("# Done\n\nIt is **sunny**."), user="Is it `fine`?")
    )
    file.write_text(to_json(dump_case(marked)), encoding="utf-8")
    workspace = create_workspace(place, person="anna")
    import_files(workspace, [file], context=JobContext())
    workspace.close()
    page = open_queue(place, "anna")
    _settle(qtbot, closed_operations)
    texts = {label.text() for label in find(page, Preview, "preview").findChildren(QLabel)}
    assert {"Is it fine?", "asks: Which day?", "Done It is sunny."} <= texts


def test_cases_that_are_passed_over_are_not_read_for_the_preview(
    qtbot: QtBot,
    open_queue: Opener,
    reviewed_project: str,
    closed_operations: Operations,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    read: list[str] = []
    show = preview._case

    def note(workspace: Workspace, *, case_id: str) -> Case:
        read.append(case_id)
        return show(workspace, case_id=case_id)

    monkeypatch.setattr(preview, "_case", note)
    for _ in range(5):
        QTest.keyClick(_cases(page), Qt.Key.Key_Down)
    _settle(qtbot, closed_operations)
    assert read == [_ids(page)[5]]


def test_a_blind_reviewer_sees_no_labels_in_the_preview(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, closed_operations: Operations
) -> None:
    page = open_queue(reviewed_project, "ann-2")
    page.show_view(QueueView(stages=(Stage.CROSS_CHECK,), order="case"))
    qtbot.waitUntil(lambda: len(_ids(page)) == 3)
    with qtbot.waitSignal(page.open_requested):
        QTest.keyClick(_cases(page), Qt.Key.Key_Return)
    _settle(qtbot, closed_operations)
    _cases(page).selectRow(1)
    _cases(page).selectRow(0)
    _settle(qtbot, closed_operations)
    texts = [label.text() for label in find(page, Preview, "preview").findChildren(QLabel)]
    assert "sample-07-parcel-to-bologna" in texts
    assert not {"Serial", "Single", "Parallel, omission"} & set(texts)
    row = _cases(page).model().index(0, Column.FINDINGS)
    assert (row.data(), row.data(Qt.ItemDataRole.ToolTipRole)) == ("–", HIDDEN)


def test_n_takes_the_next_case(qtbot: QtBot, open_queue: Opener, reviewed_project: str) -> None:
    page = open_queue(reviewed_project, "ann-2")
    with qtbot.waitSignal(page.open_requested) as opened:
        QTest.keyClick(_cases(page), Qt.Key.Key_N)
    assert opened.args[0].person == "ann-2"


def test_where_nothing_waits_n_says_why(qtbot: QtBot, open_queue: Opener, tmp_path: Path) -> None:
    place = str(tmp_path / "empty.db")
    create_workspace(place, person="anna").close()
    page = open_queue(place, "anna")
    QTest.keyClick(page, Qt.Key.Key_N)
    message = find(page, QLabel, "error-message")
    qtbot.waitUntil(lambda: "no cases yet" in message.text())


def test_enter_takes_the_marked_case(qtbot: QtBot, open_queue: Opener, reviewed_project: str) -> None:
    page = open_queue(reviewed_project, "ann-2")
    page.show_view(QueueView(stages=(Stage.CROSS_CHECK,), order="case"))
    qtbot.waitUntil(lambda: len(_ids(page)) == 3)
    with qtbot.waitSignal(page.open_requested) as opened:
        QTest.keyClick(_cases(page), Qt.Key.Key_Return)
    assert opened.args[0].case_id == "sample-07-parcel-to-bologna"


def test_a_case_that_cannot_be_taken_is_to_be_read_and_says_why(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    page.show_view(QueueView(stages=(Stage.APPROVED,)))
    qtbot.waitUntil(lambda: len(_ids(page)) == 4)
    with qtbot.waitSignal(page.reading_requested) as asked:
        QTest.keyClick(_cases(page), Qt.Key.Key_Return)
    assert asked.args[0] == _ids(page)[0]
    assert "is approved: nobody works on it now" in str(asked.args[1])


def test_an_expert_opens_an_escalated_case_for_decision(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, "expert-1")
    page.show_view(QueueView(stages=(Stage.ESCALATED,), order="case"))
    qtbot.waitUntil(lambda: len(_ids(page)) == 2)
    with qtbot.waitSignal(page.case_requested) as asked:
        QTest.keyClick(_cases(page), Qt.Key.Key_Return)
    assert asked.args == ["sample-04-energy-meter"]


def test_a_taken_case_is_shown_as_changed_and_stays_marked(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, closed_operations: Operations
) -> None:
    page = open_queue(reviewed_project, "ann-2")
    row = _ids(page).index("sample-14-festival-shifts")
    assert row > 0
    _cases(page).selectRow(row)
    with qtbot.waitSignal(page.open_requested):
        QTest.keyClick(_cases(page), Qt.Key.Key_Return)
    _settle(qtbot, closed_operations)
    assert _ids(page)[0] == "sample-14-festival-shifts"
    assert _cases(page).currentIndex().row() == 0
    assert find(page, Preview, "preview").row.owner == "ann-2"  # type: ignore[union-attr]  # a row is marked


def test_ctrl_i_imports_a_file_and_lists_what_did_not_land(
    qtbot: QtBot, open_queue: Opener, sample_project: str, tmp_path: Path
) -> None:
    source = Path(__file__).parents[3] / "resources" / "samples" / "cases.jsonl"
    first, second = source.read_text(encoding="utf-8").splitlines()[:2]
    file = tmp_path / "batch-09.jsonl"
    fresh = json.dumps({**json.loads(first), "id": "new-01"})
    file.write_text("\n".join([fresh, "not json", second]), encoding="utf-8")
    page = open_queue(sample_project, login_name())
    QTest.keyClick(page, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    dialog = find(page, ImportDialog, "import-dialog")
    dialog.add_files([str(file)])
    QTest.mouseClick(find(dialog, QPushButton, "import-go"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(page.findChildren(QDialog, "rejects-dialog")))
    rejects = find(page, QDialog, "rejects-dialog")
    table = find(rejects, QTableView, "rejects")
    cells = [table.model().index(0, column).data() for column in range(2)]
    assert cells == ["batch-09.jsonl", "2"]
    QTest.mouseClick(find(rejects, QPushButton, "rejects-copy"), Qt.MouseButton.LeftButton)
    assert f"{file}\t2\t" in QGuiApplication.clipboard().text()
    words = find(page, QLabel, "error-message").text()
    assert words.startswith("1 case imported into batch-09, 1 duplicate left out, 1 line rejected")
    qtbot.waitUntil(lambda: _count(page) == "17 cases")
    rejects.close()


def test_rejected_lines_can_be_kept_in_a_file(
    qtbot: QtBot, open_queue: Opener, sample_project: str, tmp_path: Path
) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"id": "x"}\n', encoding="utf-8")
    page = open_queue(sample_project, login_name())
    page.ask_import([str(file)])
    QTest.mouseClick(find(page, QPushButton, "import-go"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(page.findChildren(QDialog, "rejects-dialog")))
    rejects = find(page, QDialog, "rejects-dialog")
    rejects.save(str(tmp_path / "rejects.tsv"))  # type: ignore[attr-defined]  # found by its name
    lines = (tmp_path / "rejects.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "file\tline\treason"
    assert lines[1].startswith(f"{file}\t1\t")
    rejects.close()


def test_a_file_that_is_gone_is_told(
    qtbot: QtBot, open_queue: Opener, sample_project: str, tmp_path: Path
) -> None:
    page = open_queue(sample_project, login_name())
    page.ask_import([str(tmp_path / "gone.jsonl")])
    QTest.mouseClick(find(page, QPushButton, "import-go"), Qt.MouseButton.LeftButton)
    message = find(page, QLabel, "error-message")
    qtbot.waitUntil(lambda: "gone.jsonl" in message.text())


def test_a_manager_assigns_a_batch(qtbot: QtBot, open_queue: Opener, sample_project: str) -> None:
    page = open_queue(sample_project, login_name())
    QTest.keyClick(page, Qt.Key.Key_A)
    dialog = find(page, QDialog, "assign-dialog")
    people = find(dialog, QListWidget, "assign-people")
    go = find(dialog, QPushButton, "assign-go")
    assert go.toolTip() == "Choose at least one person."
    for row in (0, 1):
        people.item(row).setCheckState(Qt.CheckState.Checked)
    QTest.mouseClick(go, Qt.MouseButton.LeftButton)
    message = find(page, QLabel, "error-message")
    qtbot.waitUntil(lambda: message.text() == "16 cases assigned to ann-1, ann-2.")
    page.show_owner("ann-1")
    qtbot.waitUntil(lambda: len(_ids(page)) == 8)


def test_an_annotator_is_told_who_assigns(qtbot: QtBot, open_queue: Opener, sample_project: str) -> None:
    page = open_queue(sample_project, "ann-1")
    assert not find(page, QPushButton, "assign").isVisible()
    QTest.keyClick(page, Qt.Key.Key_A)
    assert not page.findChildren(QDialog, "assign-dialog")


def test_a_manager_gives_one_case_to_somebody_else(
    qtbot: QtBot, open_queue: Opener, sample_project: str
) -> None:
    page = open_queue(sample_project, login_name())
    view = _cases(page)
    with qtbot.waitSignal(view.menu_asked):  # type: ignore[attr-defined]  # the queue's own view
        view.customContextMenuRequested.emit(view.visualRect(view.model().index(0, 0)).center())
    menu = find(page, QMenu, "case-menu")
    names = next(action.menu() for action in menu.actions() if action.text() == "Give to")
    assert isinstance(names, QMenu)
    case_id = _ids(page)[0]
    next(action for action in names.actions() if action.text() == "ann-3").trigger()
    qtbot.waitUntil(lambda: find(page, Preview, "preview").row.owner == "ann-3")  # type: ignore[union-attr]
    assert find(page, Preview, "preview").row.case_id == case_id  # type: ignore[union-attr]
    menu.close()


def test_an_empty_project_says_what_to_do_next(open_queue: Opener, tmp_path: Path) -> None:
    place = str(tmp_path / "empty.db")
    create_workspace(place, person="anna").close()
    page = open_queue(place, "anna")
    start = find(page, QPushButton, "empty-import")
    assert start.isVisible()
    QTest.mouseClick(start, Qt.MouseButton.LeftButton)
    dialog = find(page, ImportDialog, "import-dialog")
    assert find(dialog, QPushButton, "import-go").toolTip() == "Add a file first."
    dialog.close()


def test_filters_that_fit_nothing_can_be_taken_off(
    qtbot: QtBot, open_queue: Opener, sample_project: str
) -> None:
    page = open_queue(sample_project, "ann-1")
    page.show_view(QueueView(text="no such words"))
    clear = find(page, QPushButton, "empty-clear")
    qtbot.waitUntil(clear.isVisible)
    QTest.mouseClick(clear, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(_ids(page)) == 16)


def test_the_owner_filter_offers_mine_and_everybody(open_queue: Opener, sample_project: str) -> None:
    page = open_queue(sample_project, "ann-1")
    menu = find(page, FilterChip, "filter-owner").menu_of_choices()
    names = [action.text() for action in menu.actions()]
    assert names == ["mine", "ann-1", "ann-2", "ann-3", "expert-1", login_name()]
    menu.close()


def test_the_batch_filter_offers_the_batches(open_queue: Opener, sample_project: str) -> None:
    page = open_queue(sample_project, "ann-1")
    chip = find(page, FilterChip, "filter-batch")
    assert chip.dimension is Dimension.BATCH
    menu = chip.menu_of_choices()
    assert [action.text() for action in menu.actions()] == ["samples"]
    menu.close()


def test_a_persons_own_day_stands_below_the_preview(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    figures = [find(page, QLabel, f"today-{row}").text() for row in (1, 2, 3)]
    workspace = open_workspace(reviewed_project, "ann-1")
    day = my_day(workspace)
    workspace.close()
    assert day.finished > 0
    assert figures[0] == str(day.finished)


def test_who_only_manages_has_no_figures_of_the_day(open_queue: Opener, tmp_path: Path) -> None:
    project = str(tmp_path / "team.db")
    workspace = create_workspace(project, name="team", person="mia")
    add_person(workspace, "max", roles=[Role.MANAGER])
    workspace.close()
    assert find(open_queue(project, "max"), QWidget, "today").isHidden()


def test_the_next_button_says_why_which_case_is_next(open_queue: Opener, reviewed_project: str) -> None:
    page = open_queue(reviewed_project, "ann-1")
    assert (
        find(page, QPushButton, "next-case").toolTip().startswith("Takes the oldest in self-check: returned")
    )


@pytest.mark.parametrize(
    ("day", "figures"),
    [
        ({"finished": 23, "median_seconds": 161.0, "agreement": rate(87, 100)}, ("23", "2 min 41 s", "0.87")),
        ({"finished": 0, "median_seconds": None, "agreement": rate(0, 0)}, ("0", "–", "–")),
    ],
)
def test_a_day_without_work_shows_dashes_and_no_zeros(
    day: dict[str, object], figures: tuple[str, str, str]
) -> None:
    lines = day_lines(MyDay.model_validate({"since": datetime(2026, 11, 20, tzinfo=UTC), **day}))
    assert tuple(value for _, value, _ in lines) == figures
