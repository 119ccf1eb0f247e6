"""Cases that are opened from anywhere in the window: on which page, and what is shown where one leaves."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QListWidget,
    QPushButton,
)
from pytestqt.qtbot import QtBot

from annotator.project.people import login_name
from tests.ui.find import find
from tests.ui.settling import is_settled
from ui.shell.main_window import MainWindow
from ui.shell.navigation import RailButton
from ui.workbench.page import WorkbenchPage


def _shown(window: MainWindow) -> str:
    page = window.stack.currentWidget()
    assert page is not None
    return page.objectName()


def test_a_taken_case_opens_in_the_workbench_with_its_stage_in_the_header(
    qtbot: QtBot, inside: MainWindow
) -> None:
    role = find(inside, QLabel, "role")
    assert not role.isVisible()
    QTest.keyClick(inside, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: _shown(inside) == "workbench-page")
    qtbot.waitUntil(lambda: (role.isVisible(), role.text()) == (True, "Self-check, tasks"))
    inside.ways.show_page("queue")
    assert not role.isVisible()
    inside.ways.show_page("workbench")
    assert role.isVisible()
    qtbot.waitUntil(lambda: inside.operations.pending_count == 0)


def test_an_expert_gets_an_escalated_case_on_the_adjudication_page(
    qtbot: QtBot, window: MainWindow, reviewed_project: str
) -> None:
    window.entrance.open(reviewed_project, "expert-1")
    qtbot.waitUntil(lambda: _shown(window) == "queue-page" and window.operations.pending_count == 0)
    QTest.keyClick(window, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: _shown(window) == "adjudication-page")
    qtbot.waitUntil(lambda: window.operations.pending_count == 0)
    assert window.banner.words == ""


def test_a_case_found_in_the_palette_is_taken_and_opened(qtbot: QtBot, inside: MainWindow) -> None:
    inside.ways.open_case("sample-14-festival-shifts")
    qtbot.waitUntil(lambda: _shown(inside) == "workbench-page")
    qtbot.waitUntil(lambda: inside.operations.pending_count == 0)


def test_a_case_nobody_can_work_on_is_read_with_the_reason(qtbot: QtBot, inside: MainWindow) -> None:
    inside.ways.open_case("sample-01-ghent-weekend")
    qtbot.waitUntil(lambda: _shown(inside) == "reading-page")
    reason = find(inside, QLabel, "reading-reason")
    qtbot.waitUntil(lambda: reason.text() == "Approved: nobody works on it now.")


def test_escape_goes_back_to_the_page_the_case_was_wanted_on(qtbot: QtBot, inside: MainWindow) -> None:
    inside.ways.show_page("agreement")
    inside.ways.open_case("sample-01-ghent-weekend")
    qtbot.waitUntil(lambda: _shown(inside) == "reading-page" and inside.operations.pending_count == 0)
    assert find(inside, RailButton, "rail-agreement").isChecked()
    QTest.keyClick(QApplication.focusWidget() or inside, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: _shown(inside) == "agreement-page")


def test_after_reading_a_case_the_next_one_can_be_worked_on(qtbot: QtBot, inside: MainWindow) -> None:
    inside.ways.open_case("sample-01-ghent-weekend")
    qtbot.waitUntil(lambda: _shown(inside) == "reading-page" and inside.operations.pending_count == 0)
    QTest.keyClick(QApplication.focusWidget() or inside, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: _shown(inside) == "workbench-page" and inside.operations.pending_count == 0)
    page = inside.stack.currentWidget()
    assert isinstance(page, WorkbenchPage)
    qtbot.waitUntil(lambda: page.open_work.document is not None)


def test_reading_leaves_the_case_open_that_one_works_on(qtbot: QtBot, inside: MainWindow) -> None:
    page = inside.ways.show_page("workbench")
    assert isinstance(page, WorkbenchPage)
    page.next_case()
    qtbot.waitUntil(lambda: page.open_work.document is not None)
    document = page.open_work.document
    inside.ways.open_case("sample-01-ghent-weekend")
    qtbot.waitUntil(lambda: _shown(inside) == "reading-page" and inside.operations.pending_count == 0)
    QTest.keyClick(QApplication.focusWidget() or inside, Qt.Key.Key_T)
    inside.ways.show_page("workbench")
    assert document is not None
    assert page.open_work.document is document
    assert not document.stack.canUndo()


def test_working_as_another_person_makes_the_pages_anew(qtbot: QtBot, inside: MainWindow) -> None:
    inside.commands.trigger("project.person")
    qtbot.waitUntil(lambda: _shown(inside) == "sign-in")
    find(inside, QListWidget, "sign-in-people").setCurrentRow(4)
    QTest.mouseClick(find(inside, QPushButton, "sign-in-go"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: _shown(inside) == "queue-page")
    assert find(inside, QPushButton, "person").text() == f"{login_name()} · every role"


def test_the_header_says_at_which_stage_the_open_case_is(qtbot: QtBot, inside: MainWindow) -> None:
    chip = find(inside, QLabel, "role")
    assert not chip.isVisible()
    QTest.keyClick(inside, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: "Self-check" in chip.text() and chip.isVisible())
    inside.ways.show_page("queue")
    assert not chip.isVisible()
    inside.ways.show_page("workbench")
    assert chip.isVisible()
    QTest.keyClick(
        inside, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    qtbot.waitUntil(lambda: not chip.isVisible())


def test_what_the_footer_says_for_a_moment_goes_with_the_page_and_with_the_next_edit(
    qtbot: QtBot, inside: MainWindow
) -> None:
    note = find(inside, QLabel, "footer-note")
    inside.footer.tell("Redo: There is nothing to redo.")
    inside.ways.show_page("coverage")
    assert note.text() == ""
    page = inside.ways.show_page("workbench")
    assert isinstance(page, WorkbenchPage)
    inside.footer.tell("Redo: There is nothing to redo.")
    page.undo_changed.emit("Undo: Set the policy")
    assert note.text() == ""
    inside.footer.tell("Redo: There is nothing to redo.")
    page.work_changed.emit(None)
    assert note.text() == ""
    qtbot.waitUntil(lambda: inside.operations.pending_count == 0)


def test_the_last_case_is_open_again_after_a_restart_and_not_once_it_was_handed_back(
    qtbot: QtBot, inside: MainWindow, reviewed_project: str
) -> None:
    def reopen() -> None:
        inside.entrance.open(reviewed_project, "ann-1")
        qtbot.waitUntil(lambda: bool(inside.ways.open_pages()) and is_settled(inside.operations))

    inside.ways.open_case("sample-14-festival-shifts")
    qtbot.waitUntil(lambda: _shown(inside) == "workbench-page" and is_settled(inside.operations))
    reopen()
    qtbot.waitUntil(lambda: _shown(inside) == "workbench-page")
    page = inside.stack.currentWidget()
    assert isinstance(page, WorkbenchPage)
    qtbot.waitUntil(lambda: page.case_bar.shown_id == "sample-14-festival-shifts")
    qtbot.waitUntil(lambda: is_settled(inside.operations))
    page.open_work.close()
    reopen()
    assert _shown(inside) == "queue-page"
