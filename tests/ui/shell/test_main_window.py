"""The frame around the pages: going in, going from page to page, telling what is kept."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QStyleHints
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QTextBrowser,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.cases.file_import import import_files
from annotator.jobs import JobContext
from annotator.project.people import add_person, login_name, set_password
from annotator.project.workspace import Workspace, open_workspace
from annotator.release.freeze import freeze
from annotator.release.runs.recorded_runs import list_runs, record_run, run_scorecard
from annotator.resources import resource_path
from annotator.settings import ColourScheme
from scoring.errors import InputError
from scoring.model.taxonomy import Role
from tests.shared import ROOT
from tests.ui.find import find, titles_of
from tests.ui.settling import is_settled
from ui.queue.table_view import CaseTableView
from ui.services.operations import Operations
from ui.services.palette import CommandPalette
from ui.services.preferences import Preferences
from ui.shell.main_window import MainWindow
from ui.shell.navigation import RailButton
from ui.shell.pages import FIRST_ROOMS, LATER_ROOMS, PAGES
from ui.theme import theme
from ui.training.tour import STOPS


class ShownWindows(QObject):
    """Notes every window that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt's name)
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.names.append(f"{type(watched).__name__} {watched.objectName()}")
        return False


def _shown(window: MainWindow) -> str:
    page = window.stack.currentWidget()
    assert page is not None
    return page.objectName()


def test_it_begins_with_the_welcome_page_and_no_rail(window: MainWindow) -> None:
    assert _shown(window) == "welcome"
    assert not window.rail.isVisible()


def test_an_opened_project_shows_its_name_and_person_and_the_queue(inside: MainWindow) -> None:
    assert _shown(inside) == "queue-page"
    assert find(inside, QLabel, "project-name").text() == "Sample project"
    assert find(inside, QPushButton, "person").text() == "ann-1 · annotator"
    assert inside.windowTitle() == "Sample project – Annotator"


def test_the_project_and_its_person_are_remembered(
    inside: MainWindow, preferences: Preferences, reviewed_project: str
) -> None:
    assert preferences.settings.last_project == reviewed_project
    assert preferences.settings.people == {reviewed_project: "ann-1"}


@pytest.mark.parametrize(
    ("roles", "shown"),
    [
        ((Role.ANNOTATOR,), ["queue", "workbench", "training"]),
        ((Role.ANNOTATOR, Role.EXPERT), [kind.id for kind in PAGES]),
        ((), [kind.id for kind in PAGES]),
    ],
)
def test_the_rail_of_an_annotator_has_what_annotators_work_on(
    inside: MainWindow, roles: tuple[Role, ...], shown: list[str]
) -> None:
    inside.rail.show_for(roles)
    buttons = inside.rail.findChildren(RailButton)
    assert [button.kind.id for button in buttons if button.isVisible()] == shown


def test_who_only_annotates_enters_with_the_short_rail(inside: MainWindow) -> None:
    project = inside.operations.project
    assert project is not None
    assert project.person is not None
    assert project.person.roles == (Role.ANNOTATOR,)
    assert not find(inside, RailButton, "rail-team").isVisible()
    QTest.keyClick(inside, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert _shown(inside) == "agreement-page"  # its keys and Ctrl+K still lead there


def test_the_rail_shows_the_pages(qtbot: QtBot, inside: MainWindow) -> None:
    inside.rail.show_for(())
    QTest.mouseClick(find(inside, RailButton, "rail-releases"), Qt.MouseButton.LeftButton)
    assert _shown(inside) == "releases-page"
    assert find(inside, RailButton, "rail-releases").isChecked()


def test_no_page_flashes_up_as_a_window_of_its_own(qtbot: QtBot, inside: MainWindow) -> None:
    windows = ShownWindows()
    QApplication.instance().installEventFilter(windows)  # type: ignore[union-attr]  # there is one
    for button in inside.findChildren(RailButton):
        inside.ways.show_page(button.kind.id)
        qtbot.waitUntil(lambda: inside.operations.pending_count == 0)
    QApplication.instance().removeEventFilter(windows)  # type: ignore[union-attr]
    assert windows.names == []


def test_what_is_imported_beside_the_window_brings_no_qt() -> None:
    code = (
        f"import importlib, sys\nfor room in {FIRST_ROOMS + LATER_ROOMS!r}: importlib.import_module(room)\n"
    )
    code += "sys.exit(any(name.startswith('PySide6') for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == 0


def test_ctrl_and_a_number_go_to_a_page(inside: MainWindow) -> None:
    number = [kind.objectName() for kind in inside.findChildren(RailButton)].index("rail-releases") + 1
    QTest.keyClick(inside, Qt.Key(Qt.Key.Key_0 + number), Qt.KeyboardModifier.ControlModifier)
    assert _shown(inside) == "releases-page"


def test_the_runs_of_a_task_are_left_for_where_it_was_wanted(
    qtbot: QtBot, window: MainWindow, released_project: str
) -> None:
    window.entrance.open(released_project, login_name())
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()) and is_settled(window.operations))
    window.ways.open_case("sample-02-sunday-lunch")
    qtbot.waitUntil(lambda: _shown(window) == "reading-page" and is_settled(window.operations))
    window.commands.trigger("reading.task-2")
    window.commands.trigger("reading.runs")
    qtbot.waitUntil(lambda: _shown(window) == "task-page" and is_settled(window.operations))
    assert find(window, QLabel, "task-name").text() == "sample-02-sunday-lunch, task 2"
    find(window, QPushButton, "task-back").click()
    assert _shown(window) == "reading-page"
    window.ways.show_page("runs")
    qtbot.waitUntil(lambda: is_settled(window.operations))
    window.commands.trigger("runs.task")
    qtbot.waitUntil(lambda: _shown(window) == "task-page" and is_settled(window.operations))
    assert find(window, RailButton, "rail-runs").isChecked()
    find(window, QPushButton, "task-back").click()
    assert _shown(window) == "runs-page"


def test_several_people_are_asked_who_they_are(
    qtbot: QtBot, window: MainWindow, reviewed_project: str
) -> None:
    window.entrance.open(reviewed_project)
    qtbot.waitUntil(lambda: _shown(window) == "sign-in")
    people = find(window, QListWidget, "sign-in-people")
    names = [people.item(row).text().split()[0] for row in range(people.count())]
    assert names == ["ann-1", "ann-2", "ann-3", "expert-1", login_name()]
    assert people.currentRow() == names.index(login_name())
    people.setCurrentRow(3)
    QTest.mouseClick(find(window, QPushButton, "sign-in-go"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: _shown(window) == "queue-page")
    assert find(window, QPushButton, "person").text() == "expert-1 · expert"


def test_a_wrong_password_is_told_and_the_right_one_lets_in(
    qtbot: QtBot, window: MainWindow, reviewed_project: str
) -> None:
    workspace = open_workspace(reviewed_project, login_name())
    set_password(workspace, "ann-1", password="horse battery")
    workspace.close()
    window.entrance.open(reviewed_project, "ann-1")
    qtbot.waitUntil(lambda: _shown(window) == "sign-in")
    field = find(window, QLineEdit, "sign-in-password")
    problem = find(window, QLabel, "sign-in-problem")
    QTest.keyClicks(field, "staple")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "is wrong" in problem.text())
    QTest.keyClicks(field, "horse battery")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: _shown(window) == "queue-page")


def test_a_project_that_is_not_there_is_told_on_the_welcome_page(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.entrance.open(str(tmp_path / "gone.db"))
    qtbot.waitUntil(lambda: "gone.db" in window.banner.words)
    assert _shown(window) == "welcome"


def test_a_new_project_has_its_maker_in_every_role(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.entrance.create(str(tmp_path / "fresh.db"))
    qtbot.waitUntil(lambda: _shown(window) == "queue-page")
    assert find(window, QPushButton, "person").text() == f"{login_name()} · every role"


def test_the_palette_finds_a_case_and_a_person(qtbot: QtBot, inside: MainWindow) -> None:
    QTest.keyClick(inside, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = find(inside, CommandPalette, "palette")
    field = find(inside, QLineEdit, "palette-field")
    QTest.keyClicks(field, "sample-06")
    qtbot.waitUntil(lambda: "sample-06-cover-lesson" in titles_of(palette))
    field.clear()
    QTest.keyClicks(field, "expert")
    qtbot.waitUntil(lambda: "expert-1" in titles_of(palette))
    palette.close()


def test_question_mark_lists_the_shortcuts(inside: MainWindow) -> None:
    QTest.keyClick(inside, Qt.Key.Key_Question)
    sheet = find(inside, QWidget, "shortcut-sheet")
    assert sheet.isVisible()
    assert find(sheet, QPushButton, "keys-queue.next").accessibleName() == "Next case: N"
    sheet.close()


def test_dark_and_larger_are_kept(inside: MainWindow, preferences: Preferences) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(inside, Qt.Key.Key_L, control | Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(inside, Qt.Key.Key_Plus, control)
    assert (theme().tokens.is_dark, theme().scale) == (True, 1.25)
    assert (preferences.settings.theme, preferences.settings.scale) == (ColourScheme.DARK, 1.25)
    QTest.keyClick(inside, Qt.Key.Key_0, control)
    QTest.keyClick(inside, Qt.Key.Key_L, control | Qt.KeyboardModifier.ShiftModifier)
    assert (theme().tokens.is_dark, theme().scale) == (False, 1.0)


def test_the_colours_follow_the_desktop_until_the_person_chooses(
    window: MainWindow, light: QApplication, preferences: Preferences, monkeypatch: pytest.MonkeyPatch
) -> None:
    def turn(desktop: Qt.ColorScheme) -> None:
        monkeypatch.setattr(QStyleHints, "colorScheme", lambda _: desktop)
        light.styleHints().colorSchemeChanged.emit(desktop)

    preferences.change(theme=ColourScheme.SYSTEM)
    turn(Qt.ColorScheme.Dark)
    assert theme().tokens.is_dark
    turn(Qt.ColorScheme.Light)
    assert not theme().tokens.is_dark
    preferences.change(theme=ColourScheme.LIGHT)
    turn(Qt.ColorScheme.Dark)
    assert not theme().tokens.is_dark


def test_a_bug_shows_a_report_and_the_window_goes_on(qtbot: QtBot, inside: MainWindow) -> None:
    inside.operations.run(lambda w: 1 / 0)
    qtbot.waitUntil(lambda: bool(inside.findChildren(QPlainTextEdit, "crash-report")))
    report = find(inside, QPlainTextEdit, "crash-report").toPlainText()
    assert "ZeroDivisionError" in report
    QTest.mouseClick(find(inside, QPushButton, "crash-close"), Qt.MouseButton.LeftButton)
    assert _shown(inside) == "queue-page"


def test_one_mistake_after_the_other_is_one_report(qtbot: QtBot, inside: MainWindow) -> None:
    for _ in range(3):
        inside.operations.run(lambda w: 1 / 0)
    qtbot.waitUntil(lambda: inside.operations.pending_count == 0)
    assert len(inside.findChildren(QPlainTextEdit, "crash-report")) == 1


def test_a_lost_project_is_told_until_it_answers_again(
    qtbot: QtBot, inside: MainWindow, reviewed_project: str
) -> None:
    away = Path(reviewed_project + ".away")
    Path(reviewed_project).rename(away)
    QTest.keyClick(inside, Qt.Key.Key_F5)
    saved = find(inside, QLabel, "save-state")
    qtbot.waitUntil(lambda: "Kept on this computer" in saved.text())
    assert inside.banner.words
    away.rename(reviewed_project)
    qtbot.waitUntil(lambda: not inside.banner.words)
    assert "available again" in find(inside, QLabel, "footer-note").text()


def test_a_loss_counts_down_to_the_next_try_and_can_be_tried_at_once(
    qtbot: QtBot, preferences: Preferences, reviewed_project: str, tmp_path: Path
) -> None:
    window = MainWindow(Operations(retry_milliseconds=30_000), preferences, sample_folder=tmp_path)
    window.show()
    window.entrance.open(reviewed_project, "ann-1")
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()) and is_settled(window.operations))
    away = Path(reviewed_project).rename(reviewed_project + ".away")
    window.operations.run(Workspace.name)
    qtbot.waitUntil(lambda: "Retrying in 30 s" in find(window.banner, QLabel, "error-hint").text())
    away.rename(reviewed_project)
    QTest.mouseClick(find(window.banner, QPushButton, "error-action"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.banner.words)
    window.hide()
    window.operations.close()
    shiboken6.delete(window)


def test_escape_closes_a_message_where_nothing_else_wants_the_key(inside: MainWindow) -> None:
    inside.show_error(InputError("The file is empty.", "Choose another."))
    QTest.keyClick(inside.focusWidget() or inside, Qt.Key.Key_Escape)
    assert inside.banner.words == ""


def test_escape_leaves_a_field_before_it_closes_a_message(inside: MainWindow) -> None:
    page = inside.stack.currentWidget()
    assert page is not None
    field = QLineEdit(page)
    field.show()
    field.setFocus()
    inside.show_error(InputError("The file is empty.", "Choose another."))
    QTest.keyClick(field, Qt.Key.Key_Escape)
    focus = inside.focusWidget()
    assert focus is not None
    assert focus is not field
    assert page.isAncestorOf(focus)
    assert inside.banner.words


def test_f11_fills_the_screen_and_gives_it_back(inside: MainWindow) -> None:
    QTest.keyClick(inside, Qt.Key.Key_F11)
    assert inside.isFullScreen()
    QTest.keyClick(inside, Qt.Key.Key_F11)
    assert not inside.isFullScreen()


def test_a_job_shows_in_the_status_bar_and_can_be_cancelled(qtbot: QtBot, inside: MainWindow) -> None:
    def work(workspace: Workspace, *, context: JobContext) -> None:
        while True:
            context.check_cancelled()

    job = inside.operations.start_job(work, "Count for ever")
    strip = find(inside, QWidget, "job-strip")
    assert strip.isVisible()
    assert find(strip, QLabel, "job-words").text() == "Count for ever"
    with qtbot.waitSignal(job.ended):
        QTest.mouseClick(find(strip, QPushButton, "job-cancel"), Qt.MouseButton.LeftButton)
    assert not strip.isVisible()
    note = find(inside, QLabel, "footer-note").text()
    assert note == "Count for ever was stopped; finished work is kept."


def test_the_sample_project_is_made_with_progress_and_the_first_case_is_a_self_check(
    qtbot: QtBot, window: MainWindow
) -> None:
    notes: list[str] = []
    window.entrance.open_sample()
    (job,) = window.operations.jobs
    job.progressed.connect(lambda report: notes.append(report.note))
    assert find(window, QWidget, "welcome-job").isVisible()
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()) and is_settled(window.operations))
    assert notes[-1] == "reviewing the dialogues"
    QTest.keyClick(window.stack, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: _shown(window) == "workbench-page" and is_settled(window.operations))
    assert find(window, QLabel, "role").text() == "Self-check, tasks"


def test_a_cancelled_sample_project_leaves_nothing_and_can_be_made_again(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    welcome = window.entrance.welcome
    window.entrance.open_sample()
    (job,) = window.operations.jobs
    with qtbot.waitSignal(job.ended):
        QTest.mouseClick(find(welcome, QPushButton, "job-cancel"), Qt.MouseButton.LeftButton)
    assert list((tmp_path / "made").glob("*")) == []
    assert _shown(window) == "welcome"
    assert find(welcome, QAbstractButton, "welcome-sample").isEnabled()


def _one_more_case(folder: Path) -> Path:
    """A file with the first sample under another id."""
    line = resource_path("samples", "cases.jsonl").read_text(encoding="utf-8").splitlines()[0]
    path = folder / "more.jsonl"
    path.write_text(json.dumps({**json.loads(line), "id": "one-more"}), encoding="utf-8")
    return path


def test_f5_shows_on_every_page_what_others_did(
    qtbot: QtBot, window: MainWindow, released_project: str, tmp_path: Path
) -> None:
    def settle() -> None:
        qtbot.waitUntil(lambda: is_settled(window.operations) and not window.operations.jobs)

    window.entrance.open(released_project, login_name())
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()))
    for page in ("releases", "runs", "team", "queue"):
        window.ways.show_page(page)
        settle()
    other = open_workspace(released_project, login_name())
    add_person(other, "newly-come", roles=[Role.ANNOTATOR])
    import_files(other, [_one_more_case(tmp_path)], context=JobContext(), batch="more")
    freeze(other, "second", directory=tmp_path / "second", context=JobContext())
    record_run(other, "third", card=run_scorecard(other, list_runs(other)[0].id))
    other.close()
    QTest.keyClick(window, Qt.Key.Key_F5)
    settle()
    found = {name: find(window, QLabel, name).text() for name in ("case-count", "release-count", "run-count")}
    assert found == {"case-count": "17 cases", "release-count": "2 releases", "run-count": "3 runs"}
    project = window.operations.project
    assert project is not None
    assert "newly-come" in [person.name for person in project.people]


def _found(window: MainWindow, asked: str) -> tuple[str, ...]:
    window.open_palette()
    palette = find(window, CommandPalette, "palette")
    QTest.keyClicks(find(window, QLineEdit, "palette-field"), asked)
    titles = titles_of(palette)
    palette.close()
    return titles


def _finds_the_same(window: MainWindow) -> None:
    assert _found(window, "endpoint")[0] == "Endpoint for proposals…"
    assert "Light or dark theme" in _found(window, "settings")
    assert _found(window, "manual")[0] == "Manual"
    assert _found(window, "reload") == (("Reload",) if window.ways.are_shown else ())


def test_settings_and_manual_are_found_without_a_project(window: MainWindow) -> None:
    _finds_the_same(window)


def test_settings_and_manual_are_found_on_every_page(qtbot: QtBot, inside: MainWindow) -> None:
    for kind in PAGES:
        inside.ways.show_page(kind.id)
        qtbot.waitUntil(lambda: is_settled(inside.operations) and not inside.operations.jobs)
        _finds_the_same(inside)


def test_the_manual_is_read_in_the_window(window: MainWindow) -> None:
    window.commands.trigger("window.guide")
    assert "Quick start" in find(window, QTextBrowser, "guide-text").toPlainText()


def test_no_command_of_the_guide_is_without_its_keys(qtbot: QtBot, inside: MainWindow) -> None:
    inside.ways.show_page("workbench")
    titles = {command.title: inside.commands.keys(command.id) for command in inside.commands.all()}
    proposing = {title: keys for title, keys in titles.items() if title.startswith("Propose")}
    assert proposing == {
        "Propose an answer, a wording or dependencies": "Ctrl+J",
        "Propose labels": "Ctrl+Shift+J",
        "Propose how the calls ended": "Ctrl+Alt+J",
    }


def test_return_pressed_on_after_the_tour_opens_no_case_until_one_is_chosen(
    qtbot: QtBot, inside: MainWindow
) -> None:
    inside.activateWindow()
    cases = find(inside, CaseTableView, "cases")
    qtbot.waitUntil(lambda: cases.model().rowCount() > 0 and is_settled(inside.operations))
    inside.ways.go_to("tour")
    for _ in range(len(STOPS) + 3):
        QTest.keyClick(QApplication.focusWidget() or inside, Qt.Key.Key_Return)
        qtbot.wait(10)
    qtbot.waitUntil(lambda: is_settled(inside.operations))
    assert _shown(inside) == "queue-page"
    assert QApplication.focusWidget() is cases
    assert find(inside, QLabel, "footer-note").text() == "That was one case. N takes your first one."
    QTest.keyClick(cases, Qt.Key.Key_Down)
    QTest.keyClick(cases, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: _shown(inside) != "queue-page")
