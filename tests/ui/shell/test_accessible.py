"""Screen readers: whatever can have the focus has a name, on every page, and Tab goes through all of it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from annotator.project.people import login_name
from tests.ui.focus import nameless, spoken_tree
from ui.shell.main_window import MainWindow
from ui.shell.pages import PAGES

TAKEN, ESCALATED = "sample-14-festival-shifts", "sample-06-cover-lesson"


@pytest.fixture
def whole(qtbot: QtBot, window: MainWindow, released_project: str) -> MainWindow:
    """The window on a project that has everything, for a person in every role."""
    window.resize(1440, 900)
    window.entrance.open(released_project, login_name())
    _settle(qtbot, window)
    return window


def _settle(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()) and not window.operations.pending_count)


@pytest.mark.parametrize("page_id", [kind.id for kind in PAGES])
def test_everything_that_can_have_the_focus_has_a_name(qtbot: QtBot, whole: MainWindow, page_id: str) -> None:
    page = whole.ways.show_page(page_id)
    _settle(qtbot, whole)
    assert nameless(page) == []


@pytest.mark.parametrize("page_id", [kind.id for kind in PAGES])
def test_a_screen_reader_finds_no_control_table_or_list_without_a_name(
    qtbot: QtBot, whole: MainWindow, page_id: str
) -> None:
    page = whole.ways.show_page(page_id)
    _settle(qtbot, whole)
    found = spoken_tree(page)
    assert found
    assert [(role, depth) for depth, role, name in found if not name] == []


def test_the_frame_around_the_pages_has_names_too(whole: MainWindow) -> None:
    for part in (whole.header, whole.rail, whole.footer, whole.banner):
        assert nameless(part) == []


def test_the_pages_before_a_project_have_names(window: MainWindow) -> None:
    for page in window.entrance.pages():
        assert nameless(page) == []


def test_the_workbench_with_a_case_has_names(qtbot: QtBot, window: MainWindow, reviewed_project: str) -> None:
    window.resize(1440, 900)
    window.entrance.open(reviewed_project, "ann-1")
    _settle(qtbot, window)
    window.ways.open_case(TAKEN)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is not window.ways.open_pages()[0])
    _settle(qtbot, window)
    qtbot.wait(300)
    page = window.stack.currentWidget()
    assert page is not None
    assert page.objectName() == "workbench-page"
    assert nameless(page) == []
    assert [role for _, role, name in spoken_tree(page) if not name] == []


def test_the_adjudication_page_with_a_case_has_names(
    qtbot: QtBot, window: MainWindow, reviewed_project: str
) -> None:
    window.resize(1440, 900)
    window.entrance.open(reviewed_project, "expert-1")
    _settle(qtbot, window)
    window.ways.decide_case(ESCALATED)
    _settle(qtbot, window)
    qtbot.wait(300)
    page = window.stack.currentWidget()
    assert page is not None
    assert nameless(page) == []
    assert [role for _, role, name in spoken_tree(page) if not name] == []


def test_tab_goes_through_the_queue_from_the_filters_to_the_list(qtbot: QtBot, whole: MainWindow) -> None:
    page = whole.ways.show_page("queue")
    _settle(qtbot, whole)
    order = _tab_order(page)
    places = [order.index(name) for name in ("assign", "import", "next-case", "filter-text", "cases")]
    assert places == sorted(places)


def _tab_order(page: QWidget) -> list[str]:
    """Names of what can be reached with Tab, from the first widget of a page on."""
    first = page.nextInFocusChain()
    names: list[str] = []
    at: QWidget | None = first
    while at is not None:
        if page.isAncestorOf(at) and at.focusPolicy() & Qt.FocusPolicy.TabFocus and at.isVisible():
            names.append(at.objectName())
        at = at.nextInFocusChain()
        if at is first:
            break
    return names
