"""Importing, assigning and giving cases to others from the queue."""

import json
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
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

from annotator.project.people import login_name
from annotator.project.workspace import open_workspace
from annotator.review.batches import split_batch
from annotator.review.bulk_changes import BulkAction, BulkChange, BulkOutcome
from annotator.review.queue.assignments import reassign
from annotator.review.queue.case_rows import CaseFilter, list_cases
from annotator.review.queue.expert_list import expert_list
from scoring.model.taxonomy import Priority, Stage
from tests.shared import ROOT
from tests.ui.find import find, show_view
from tests.ui.queue.conftest import Opener
from tests.ui.queue.driving import cases_of, count_of, ids_of, place_of
from ui.queue.filter_bar import FilterChip
from ui.queue.import_dialogs import ImportDialog, RejectsDialog
from ui.queue.page import QueuePage
from ui.queue.preview import Preview
from ui.queue.views import QueueView
from ui.services.assignments import confirm_dialog
from ui.services.errors import ManualLink
from ui.theme import WrappedLabel
from ui.theme.fields import FilesField


def test_ctrl_i_imports_a_file_and_lists_what_did_not_land(
    qtbot: QtBot, open_queue: Opener, sample_project: str, tmp_path: Path
) -> None:
    source = ROOT / "resources" / "samples" / "cases.jsonl"
    first, second = source.read_text(encoding="utf-8").splitlines()[:2]
    file = tmp_path / "batch-09.jsonl"
    fresh = json.dumps({**json.loads(first), "id": "new-01"})
    file.write_text("\n".join([fresh, "not json", second]), encoding="utf-8")
    page = open_queue(sample_project, login_name())
    QTest.keyClick(page, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    dialog = find(page, ImportDialog, "import-dialog")
    dialog.files.add([str(file)])
    QTest.mouseClick(find(dialog, QPushButton, "import-go"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(page.findChildren(QDialog, "rejects-dialog")))
    rejects = find(page, QDialog, "rejects-dialog")
    table = find(rejects, QTableView, "rejects")
    cells = [table.model().index(0, column).data() for column in range(2)]
    assert cells == ["batch-09.jsonl", "2"]
    QTest.mouseClick(find(rejects, QPushButton, "rejects-copy"), Qt.MouseButton.LeftButton)
    assert f"{file}\t2\t" in QGuiApplication.clipboard().text()
    words = find(page, QLabel, "error-message").text()
    assert words.startswith("1 case imported into batch-09, 1 duplicate skipped, 1 line rejected")
    qtbot.waitUntil(lambda: count_of(page) == "17 cases")
    rejects.close()


def test_a_public_file_is_mended_with_the_replies_of_two_models(
    qtbot: QtBot, open_queue: Opener, sample_project: str, tmp_path: Path
) -> None:
    samples = ROOT / "resources" / "samples"
    case = (samples / "cases.jsonl").read_text(encoding="utf-8").splitlines()[0]
    replies = (samples / "predictions_careful.jsonl").read_text(encoding="utf-8")
    public = tmp_path / "public.jsonl"
    name = json.loads(case)["id"]
    public.write_text(case.replace('"nights": 2', '"nights": 3').replace(name, "new-01"), encoding="utf-8")
    for model in ("gpt-4o", "qwen2.5"):
        (tmp_path / f"{model}.jsonl").write_text(replies.replace(name, "new-01"), encoding="utf-8")
    page = open_queue(sample_project, login_name())
    page.ask_mending()
    dialog = find(page, ImportDialog, "import-dialog")
    dialog.files.add([str(public)])
    _, runs = dialog.findChildren(FilesField)
    runs.add([tmp_path / "gpt-4o.jsonl", tmp_path / "qwen2.5.jsonl"])
    find(dialog, QPushButton, "import-go").click()
    qtbot.waitUntil(lambda: bool(page.findChildren(QDialog, "doubtful-dialog")))
    doubtful = find(page, QDialog, "doubtful-dialog")
    listed = find(doubtful, QTableView, "doubtful").model()
    assert [listed.index(row, 0).data() for row in range(listed.rowCount())] == ["new-01"]
    assert listed.index(0, 1).data() == "Value without a source"
    assert "gpt-4o, qwen2.5 called searchHotels" in listed.index(0, 2).data()
    qtbot.waitUntil(lambda: count_of(page) == "17 cases")
    workspace = open_workspace(sample_project, login_name())
    (row,) = list_cases(workspace, CaseFilter(batch="public"))
    workspace.close()
    assert row.priority is Priority.HIGH
    doubtful.close()


def test_rejected_lines_can_be_kept_in_a_file(
    qtbot: QtBot, open_queue: Opener, sample_project: str, tmp_path: Path
) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"id": "x"}\n', encoding="utf-8")
    page = open_queue(sample_project, login_name())
    page.ask_import([str(file)])
    QTest.mouseClick(find(page, QPushButton, "import-go"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(page.findChildren(QDialog, "rejects-dialog")))
    rejects = find(page, RejectsDialog, "rejects-dialog")
    message = find(rejects, QLabel, "rejects-message")
    rejects.save_wanted.emit(str(tmp_path / "rejects.tsv"))
    qtbot.waitUntil(lambda: "Saved as" in message.text())
    lines = (tmp_path / "rejects.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "file\tline\treason"
    assert lines[1].startswith(f"{file}\t1\t")
    rejects.save_wanted.emit(str(tmp_path))
    qtbot.waitUntil(lambda: message.text().startswith(f"{tmp_path} cannot be written"))
    rejects.close()


def test_a_file_that_is_gone_is_told(
    qtbot: QtBot, open_queue: Opener, sample_project: str, tmp_path: Path
) -> None:
    page = open_queue(sample_project, login_name())
    page.ask_import([str(tmp_path / "gone.jsonl")])
    QTest.mouseClick(find(page, QPushButton, "import-go"), Qt.MouseButton.LeftButton)
    message = find(page, QLabel, "error-message")
    qtbot.waitUntil(lambda: "gone.jsonl" in message.text())


def test_a_preview_shows_what_a_file_holds_before_it_is_imported(
    qtbot: QtBot, open_queue: Opener, sample_project: str, tmp_path: Path
) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(
        json.dumps({"task_id": 4, "traj": [{"role": "user", "content": "Fly me?"}]}), encoding="utf-8"
    )
    page = open_queue(sample_project, login_name())
    before = count_of(page)
    page.ask_import()
    dialog = find(page, ImportDialog, "import-dialog")
    seen = find(dialog, QLabel, "import-preview")
    QTest.mouseClick(find(dialog, QPushButton, "import-look"), Qt.MouseButton.LeftButton)
    assert seen.text() == "Fill in “Files”."
    dialog.files.add([str(file)])
    QTest.mouseClick(find(dialog, QPushButton, "import-look"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "1 case read as tau-bench trajectories." in seen.text())
    assert "4-0 (en): 1 task, 0 calls, 0 tools. “Fly me?”" in seen.text()
    link = find(dialog, ManualLink, "import-manual")
    assert not link.isVisible()
    file.unlink()
    QTest.mouseClick(find(dialog, QPushButton, "import-look"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "does not exist" in seen.text())
    assert link.isVisible()
    assert "runs.jsonl" in link.page
    assert count_of(page) == before
    dialog.reject()


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
    qtbot.waitUntil(lambda: len(ids_of(page)) == 8)


def test_an_annotator_is_told_who_assigns(qtbot: QtBot, open_queue: Opener, sample_project: str) -> None:
    page = open_queue(sample_project, "ann-1")
    assert not find(page, QPushButton, "assign").isVisible()
    QTest.keyClick(page, Qt.Key.Key_A)
    assert not page.findChildren(QDialog, "assign-dialog")


def test_a_manager_gives_one_case_to_somebody_else(
    qtbot: QtBot, open_queue: Opener, sample_project: str
) -> None:
    page = open_queue(sample_project, login_name())
    view = cases_of(page)
    with qtbot.waitSignal(view.menu_asked):  # type: ignore[attr-defined]  # the queue's own view
        view.customContextMenuRequested.emit(view.visualRect(view.model().index(0, 0)).center())
    menu = find(page, QMenu, "case-menu")
    names = next(action.menu() for action in menu.actions() if action.text() == "Assign to")
    assert isinstance(names, QMenu)
    case_id = ids_of(page)[0]
    next(action for action in names.actions() if action.text() == "ann-3").trigger()
    qtbot.waitUntil(lambda: find(page, Preview, "preview").row.owner == "ann-3")  # type: ignore[union-attr]
    assert find(page, Preview, "preview").row.case_id == case_id  # type: ignore[union-attr]
    menu.close()


def _menu(qtbot: QtBot, page: QueuePage, row: int) -> QMenu:
    view = cases_of(page)
    view.selectRow(row)
    with qtbot.waitSignal(view.menu_asked):  # type: ignore[attr-defined]  # the queue's own view
        view.customContextMenuRequested.emit(view.visualRect(view.model().index(row, 0)).center())
    return find(page, QMenu, "case-menu")


def _choices(menu: QMenu, title: str) -> QMenu:
    found = next(action.menu() for action in menu.actions() if action.text() == title)
    assert isinstance(found, QMenu)
    return found


def test_the_list_says_the_priority_of_a_case_and_is_narrowed_by_it(
    qtbot: QtBot, open_queue: Opener, sample_project: str
) -> None:
    page = open_queue(sample_project, login_name())
    case_id = ids_of(page)[1]
    menu = _menu(qtbot, page, 1)
    names = [action.text() for action in _choices(menu, "Priority").actions()]
    assert names == ["High", "Normal", "Low"]
    _choices(menu, "Priority").actions()[0].trigger()
    menu.close()
    cells = [cases_of(page).model().index(1, place_of(order)) for order in ("case", "priority")]
    qtbot.waitUntil(lambda: [cell.data() for cell in cells] == [f"↑ {case_id}", "High"])
    QTest.keyClick(page, Qt.Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: ids_of(page)[0] == f"↑ {case_id}")
    choices = find(page, FilterChip, "filter-priority").menu_of_choices()
    choices.actions()[0].trigger()
    qtbot.waitUntil(lambda: ids_of(page) == [f"↑ {case_id}"])
    assert find(page, FilterChip, "filter-priority").text() == "Priority: High"
    choices.close()


def test_a_manager_gives_all_listed_cases_a_priority(
    qtbot: QtBot, open_queue: Opener, sample_project: str
) -> None:
    page = open_queue(sample_project, login_name())
    qtbot.waitUntil(lambda: bool(find(page, QLabel, "waiting").accessibleName()))
    _ask_change(qtbot, page, what="Priority: Low")
    qtbot.waitUntil(lambda: bool(page.findChildren(QDialog, "change-confirm-dialog")))
    dialog = find(page, QDialog, "change-confirm-dialog")
    QTest.mouseClick(find(dialog, QPushButton, "change-confirm-go"), Qt.MouseButton.LeftButton)
    message = find(page, QLabel, "error-message")
    qtbot.waitUntil(lambda: message.text() == "16 cases: 16 changed, 0 had it already, 0 stay.")
    qtbot.waitUntil(lambda: cases_of(page).model().index(0, place_of("priority")).data() == "Low")


def test_a_manager_moves_one_case_to_another_batch(
    qtbot: QtBot, open_queue: Opener, sample_project: str
) -> None:
    workspace = open_workspace(sample_project, login_name())
    rest = [row.case_id for row in list_cases(workspace, CaseFilter())][1:]
    split_batch(workspace, "samples", name="later", cases=rest[:2])
    workspace.close()
    page = open_queue(sample_project, login_name())
    qtbot.waitUntil(lambda: bool(find(page, QLabel, "waiting").accessibleName()))  # batches are read, too
    case_id = next(one for one in ids_of(page) if one not in rest[:2])
    menu = _menu(qtbot, page, ids_of(page).index(case_id))
    [later] = _choices(menu, "Move to batch").actions()
    later.trigger()
    qtbot.waitUntil(lambda: find(page, QLabel, "error-message").text() == "1 case is in batch later now.")
    assert "Hand to" not in [action.text() for action in menu.actions()]
    menu.close()


def test_a_case_that_waits_for_an_expert_is_handed_to_one_and_to_nobody(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, login_name())
    show_view(page, QueueView(stages=(Stage.ESCALATED,)))
    qtbot.waitUntil(lambda: len(ids_of(page)) == 2)
    case_id = ids_of(page)[0]

    def is_handed(to: str | None) -> bool:
        workspace = open_workspace(reviewed_project, login_name())
        try:
            return {row.case_id: row.handed_to for row in expert_list(workspace)}[case_id] == to
        finally:
            workspace.close()

    for title, name in (("expert-1", "expert-1"), ("Nobody in particular", None)):
        menu = _menu(qtbot, page, 0)
        next(a for a in _choices(menu, "Hand to").actions() if a.text() == title).trigger()
        qtbot.waitUntil(partial(is_handed, name))
        menu.close()
        qtbot.waitUntil(lambda: not page.findChildren(QMenu, "case-menu"))


def test_a_lead_sees_by_name_who_could_take_a_case(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, login_name())
    show_view(page, QueueView(stages=(Stage.ESCALATED,)))
    qtbot.waitUntil(lambda: len(ids_of(page)) == 2)
    case_id = ids_of(page)[0]
    menu = _menu(qtbot, page, 0)
    next(a for a in menu.actions() if a.text() == "Who could take it…").trigger()
    menu.close()
    qtbot.waitUntil(lambda: bool(page.findChildren(QDialog, "who-dialog")))
    dialog = find(page, QDialog, "who-dialog")
    model = find(dialog, QTableView, "who").model()
    rows = [[model.index(row, column).data() for column in range(3)] for row in range(model.rowCount())]
    assert rows[0] == ["expert-1", "yes", ""]
    assert ["ann-1", "no", "Lacks the role expert."] in rows
    said = f"{case_id} can be taken by expert-1, {login_name()}."
    assert said in [one.text() for one in dialog.findChildren(QLabel)]
    dialog.close()


def test_annotators_are_not_offered_who_could_take_a_case(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    qtbot.waitUntil(lambda: bool(ids_of(page)))
    menu = _menu(qtbot, page, 0)
    assert [action.text() for action in menu.actions()] == ["Open", "Copy case id"]
    menu.close()


def _ask_change(qtbot: QtBot, page: QueuePage, *, what: str, reason: str = "") -> None:
    """Press Shift+A, choose what is done, and look ahead."""
    QTest.keyClick(page, Qt.Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: bool(page.findChildren(QDialog, "change-dialog")))
    dialog = find(page, QDialog, "change-dialog")
    chosen = find(dialog, QComboBox, "change-what")
    chosen.setCurrentIndex(chosen.findText(what))
    find(dialog, QLineEdit, "change-reason").setText(reason)
    QTest.mouseClick(find(dialog, QPushButton, "change-go"), Qt.MouseButton.LeftButton)


def test_a_manager_changes_all_listed_cases_at_once_after_a_look_ahead(
    qtbot: QtBot, open_queue: Opener, sample_project: str
) -> None:
    workspace = open_workspace(sample_project, login_name())
    [given, *_] = [row.case_id for row in list_cases(workspace, CaseFilter())]
    reassign(workspace, given, to="ann-3")
    workspace.close()
    page = open_queue(sample_project, login_name())
    qtbot.waitUntil(lambda: bool(find(page, QLabel, "waiting").accessibleName()))
    _ask_change(qtbot, page, what="Assign to ann-3")
    qtbot.waitUntil(lambda: bool(page.findChildren(QDialog, "change-confirm-dialog")))
    dialog = find(page, QDialog, "change-confirm-dialog")
    said = [one.text() for one in dialog.findChildren(QLabel)]
    assert "Assign to ann-3" in said
    assert "16 cases: 15 change, 1 have it already, 0 cannot." in said
    go = find(dialog, QPushButton, "change-confirm-go")
    assert go.text() == "Change 15 cases"
    QTest.mouseClick(go, Qt.MouseButton.LeftButton)
    message = find(page, QLabel, "error-message")
    qtbot.waitUntil(lambda: message.text() == "16 cases: 15 changed, 1 had it already, 0 stay.")
    page.show_owner("ann-3")
    qtbot.waitUntil(lambda: len(ids_of(page)) == 16)


def test_the_tip_of_a_reason_names_all_cases_it_stands_for(qtbot: QtBot, light: QApplication) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    cases = {"c-1 is final.": ("c-1", "c-3"), "bob has decided c-4 and cannot own it.": ("c-4",)}
    ahead = BulkOutcome(
        cases=("c-1", "c-2", "c-3", "c-4"),
        changed=1,
        already=0,
        refused={reason: len(ids) for reason, ids in cases.items()},
        refused_cases=cases,
        left=0,
        is_done=False,
    )
    dialog = confirm_dialog(page, BulkChange(action=BulkAction.ASSIGN, value="bob"), ahead)
    tips = {one.text(): one.toolTip() for one in dialog.findChildren(WrappedLabel)}
    assert tips["4 cases: 1 change, 0 have it already, 3 cannot."] == ""
    assert tips["2 because: c-1 is final."] == "c-1, c-3"
    assert tips["1 because: bob has decided c-4 and cannot own it."] == "c-4"


def test_where_nothing_can_change_it_says_why_and_asks_nothing(
    qtbot: QtBot, open_queue: Opener, sample_project: str
) -> None:
    page = open_queue(sample_project, login_name())
    qtbot.waitUntil(lambda: bool(find(page, QLabel, "waiting").accessibleName()))
    _ask_change(qtbot, page, what="Return to their owners", reason="The dates are wrong.")
    message = find(page, QLabel, "error-message")
    qtbot.waitUntil(lambda: message.text().startswith("16 cases: 0 change, 0 have it already, 16 cannot. "))
    assert "16 because: sample-" in message.text()
    assert not page.findChildren(QDialog, "change-confirm-dialog")


def test_cases_go_back_only_with_a_reason(qtbot: QtBot, open_queue: Opener, sample_project: str) -> None:
    page = open_queue(sample_project, login_name())
    _ask_change(qtbot, page, what="Return to their owners")
    dialog = find(page, QDialog, "change-dialog")
    assert find(dialog, QPushButton, "change-go").toolTip() == "Enter a reason for the owners."
    assert find(dialog, QLineEdit, "change-reason").isEnabled()
    chosen = find(dialog, QComboBox, "change-what")
    chosen.setCurrentIndex(0)
    assert not find(dialog, QLineEdit, "change-reason").isEnabled()
    dialog.close()


def test_only_managers_change_the_listed_cases(qtbot: QtBot, open_queue: Opener, sample_project: str) -> None:
    page = open_queue(sample_project, "ann-1")
    QTest.keyClick(page, Qt.Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    assert not page.findChildren(QDialog, "change-dialog")
