"""What is being read, what could not be, and where there is nothing: three things that read differently."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QListView, QTabBar, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from annotator.cases.history import case_history, comments_of
from annotator.project.creation import create_workspace
from annotator.project.people import login_name
from annotator.release.runs.replies import read_gold
from annotator.review.queue.case_rows import list_cases
from scoring.errors import NotFoundError
from tests.ui.find import find
from tests.ui.settling import is_settled
from ui.shell.main_window import MainWindow
from ui.shell.pages import PAGES
from ui.theme import EmptyState, theme
from ui.theme.tables import TableView
from ui.theme.words import LOADING, UNREAD

TEAM_TABS = ("batches", "workload", "feedback", "samples", "attention")
READ_AS_A_JOB = {"agreement", "coverage"}
"""What these show is read beside the project's own thread, with words of its own."""
TAKES_NO_ROWS = {"batch-waiting"}
"""What waits for a row to be selected in another table."""


def bare_places(page: QWidget) -> dict[str, str]:
    """What stands where a page shows no rows: by the name of the table, or of the place without one."""
    tables = {
        table.objectName(): table.accessibleDescription()
        for table in page.findChildren(TableView)
        if table.isVisible() and not table.model().rowCount() and table.objectName() not in TAKES_NO_ROWS
    }
    places = {
        f"place {number}": place.findChildren(QLabel)[1].text()
        for number, place in enumerate(page.findChildren(EmptyState))
        if place.isVisible()
    }
    headline = page.findChild(QLabel, "quality-headline")
    return tables | places | ({"quality-headline": headline.text()} if headline is not None else {})


def shown(window: MainWindow) -> Iterator[tuple[str, QWidget]]:
    """Every page that lists something, and every tab of the team's."""
    for kind in PAGES:
        if kind.id in READ_AS_A_JOB | {"workbench", "queue"}:
            continue
        page = window.ways.show_page(kind.id)
        yield kind.id, page
        for tab in TEAM_TABS if kind.id == "team" else ():
            window.commands.trigger("team.tab_next")
            yield tab, page


@pytest.fixture
def answer(window: MainWindow) -> Iterator[threading.Event]:
    """Set once what waits for it may answer; at the latest before the window closes."""
    found = threading.Event()
    yield found
    found.set()


def open_in(qtbot: QtBot, window: MainWindow, project: str) -> None:
    window.entrance.open(project, login_name())
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()) and is_settled(window.operations))


def test_while_the_project_does_not_answer_no_page_says_that_there_is_nothing(
    qtbot: QtBot, window: MainWindow, released_project: str, answer: threading.Event
) -> None:
    open_in(qtbot, window, released_project)
    window.operations.run(lambda _: answer.wait())
    for name, page in shown(window):
        assert (name, set(bare_places(page).values()) - {LOADING}) == (name, set())
    assert find(window, QLabel, "policy-state").text() == LOADING
    assert find(window, QLabel, "training-state").text() == LOADING
    answer.set()
    qtbot.waitUntil(lambda: is_settled(window.operations) and not window.operations.jobs)
    for name, page in shown(window):
        qtbot.waitUntil(lambda: is_settled(window.operations) and not window.operations.jobs)
        assert (name, LOADING in bare_places(page).values()) == (name, False)


def test_an_empty_project_says_that_there_is_nothing(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    create_workspace(str(tmp_path / "empty.db")).close()
    open_in(qtbot, window, str(tmp_path / "empty.db"))
    for name, page in shown(window):
        qtbot.waitUntil(lambda: is_settled(window.operations) and not window.operations.jobs)
        assert (name, {LOADING, UNREAD} & set(bare_places(page).values())) == (name, set())


REFUSED = (
    ("adjudication", "ui.services.assignments.expert_list", "adjudication-waiting"),
    ("releases", "ui.releases.page.list_releases", "releases"),
    ("releases", "ui.releases.page.quality", "quality-headline"),
    ("runs", "ui.runs.page._entries", "runs"),
    ("runs", "ui.runs.card_reader.run_scorecard", "slices"),
    ("generate", "ui.generate.page.list_runs", "place"),
    ("team", "ui.team.batches.read_overview", "batches"),
    ("team", "ui.team.workload.read_overview", "workload"),
    ("team", "ui.team.label_errors.label_errors", "error"),
    ("team", "ui.team.label_errors.label_errors", "confusions"),
    ("team", "ui.team.reports._feedback", "feedback"),
    ("team", "ui.team.reports.samples", "samples"),
    ("team", "ui.team.reports.attention", "attention"),
)
"""What a page reads first, and where it would be shown."""


@pytest.mark.parametrize(("page_id", "read", "place"), REFUSED)
def test_what_could_not_be_read_says_so(
    qtbot: QtBot,
    window: MainWindow,
    released_project: str,
    monkeypatch: pytest.MonkeyPatch,
    page_id: str,
    read: str,
    place: str,
) -> None:
    open_in(qtbot, window, released_project)
    monkeypatch.setattr(read, _refuse)
    page = window.ways.show_page(page_id)
    if page_id == "team":
        for _ in range(1 + TEAM_TABS.index(place if place in TEAM_TABS else "workload")):
            window.commands.trigger("team.tab_next")
    if place == "slices":
        qtbot.waitUntil(lambda: is_settled(window.operations))
        window.commands.trigger("runs.details")
        find(page, QTabBar, "run-tabs").setCurrentIndex(1)
    qtbot.waitUntil(lambda: is_settled(window.operations) and not window.operations.jobs)
    found = {name: said for name, said in bare_places(page).items() if name.startswith(place)}
    assert set(found.values()) == {UNREAD}
    told = [label.text() for label in window.findChildren(QLabel, "error-message") if label.isVisible()]
    assert told == ["The project cannot be read."]


def test_a_search_that_failed_says_so_where_its_cases_would_stand(
    qtbot: QtBot, window: MainWindow, released_project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_in(qtbot, window, released_project)
    monkeypatch.setattr("ui.shell.navigation._cases", _refuse)
    window.open_palette()
    QTest.keyClicks(find(window, QLineEdit, "palette-field"), "cello")
    found = find(window, QListView, "palette-list")

    def lines() -> list[str]:
        return [str(found.model().index(row, 0).data()) for row in range(found.model().rowCount())]

    qtbot.waitUntil(lambda: UNREAD in lines())
    place = found.visualRect(found.model().index(lines().index(UNREAD), 0))
    sign = found.viewport().grab(place).toImage()
    colours = {sign.pixelColor(x, y).name() for x in range(sign.width()) for y in range(sign.height())}
    assert theme().colour("error").name() in colours


def test_an_unread_queue_says_that_it_is_loading(
    qtbot: QtBot,
    window: MainWindow,
    released_project: str,
    answer: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ui.queue.case_table.list_cases", _late(list_cases, answer))
    window.entrance.open(released_project, login_name())
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()))
    cases = find(window, TableView, "cases")
    assert (cases.model().rowCount(), cases.accessibleDescription()) == (0, LOADING)
    answer.set()
    qtbot.waitUntil(lambda: cases.model().rowCount() > 0)
    assert cases.accessibleDescription() == ""


def test_a_queue_that_could_not_be_read_says_so(
    qtbot: QtBot, window: MainWindow, released_project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.queue.case_table.list_cases", _refuse)
    open_in(qtbot, window, released_project)
    assert find(window, TableView, "cases").accessibleDescription() == UNREAD
    assert window.banner.message == "The project cannot be read."


def test_failed_tasks_are_counted_and_the_first_is_not_denied_while_its_case_is_read(
    qtbot: QtBot,
    window: MainWindow,
    released_project: str,
    answer: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ui.runs.failure_navigation.read_gold", _late(read_gold, answer))
    open_in(qtbot, window, released_project)
    page = window.ways.show_page("runs")
    qtbot.waitUntil(lambda: is_settled(window.operations))
    window.commands.trigger("runs.details")
    tabs = find(page, QTabBar, "run-tabs")
    qtbot.waitUntil(lambda: tabs.tabText(0) == "Failed tasks · 6" and is_settled(window.operations))
    assert set(bare_places(page).values()) == {LOADING}
    assert find(page, QLabel, "failure-case").text()
    answer.set()
    qtbot.waitUntil(lambda: not window.operations.jobs and not bare_places(page))


@pytest.mark.parametrize("is_refused", [False, True])
@pytest.mark.parametrize(
    ("tab", "read", "work"),
    [
        ("Alt+H", "ui.desk.tabs.history_tab.case_history", case_history),
        ("Alt+M", "ui.desk.tabs.comments_tab.comments_of", comments_of),
    ],
)
def test_a_tab_of_a_case_says_whether_it_was_read(
    qtbot: QtBot,
    window: MainWindow,
    released_project: str,
    answer: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
    tab: str,
    read: str,
    work: Callable[..., object],
    is_refused: bool,
) -> None:
    open_in(qtbot, window, released_project)
    monkeypatch.setattr(read, _refuse if is_refused else _late(work, answer))
    window.ways.open_case("sample-14-festival-shifts")
    qtbot.waitUntil(lambda: _case_page(window) is not None)
    QTest.keySequence(window, QKeySequence(tab))
    qtbot.waitUntil(partial(_says, window, UNREAD if is_refused else LOADING))
    answer.set()
    qtbot.waitUntil(lambda: is_settled(window.operations) and not _says(window, LOADING))
    assert _says(window, UNREAD) is is_refused


def _case_page(window: MainWindow) -> QWidget | None:
    """The page a case is read on, once it is shown."""
    page = window.stack.currentWidget()
    tabs = page.findChildren(QTabWidget, "read-tabs") if page is not None else []
    return page if any(one.isVisible() for one in tabs) else None


def _says(window: MainWindow, words: str) -> bool:
    page = _case_page(window)
    return page is not None and words in bare_places(page).values()


def _late(work: Callable[..., object], answer: threading.Event) -> Callable[..., object]:
    """What works once it is told to answer."""

    def wait(*arguments: object, **named: object) -> object:
        answer.wait()
        return work(*arguments, **named)

    return wait


def _refuse(*_: object, **__: object) -> None:
    raise NotFoundError("The project cannot be read.", "Try again in a moment.")
