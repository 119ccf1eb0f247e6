"""Screen readers: whatever can have the focus has a name, on every page, and Tab goes through all of it."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractScrollArea, QComboBox, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from annotator.project.founding import login_name
from ui.main_window.pages import PAGES
from ui.main_window.window import MainWindow

TAKEN, ESCALATED = "sample-14-festival-shifts", "sample-06-cover-lesson"


@pytest.fixture
def whole(qtbot: QtBot, window: MainWindow, released_project: str) -> MainWindow:
    """The window on a project that has everything, for a person in every role."""
    window.resize(1440, 900)
    window.entrance.open(released_project, login_name())
    _settle(qtbot, window)
    return window


def _settle(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(
        lambda: bool(window.ways.open_pages()) and not window.operations.pending_count, timeout=20_000
    )


def _focusable(root: QWidget) -> Iterator[QWidget]:
    inside = {child for box in root.findChildren(QComboBox) for child in box.findChildren(QWidget)}
    for widget in root.findChildren(QWidget):
        is_view = isinstance(widget.parentWidget(), QAbstractScrollArea)
        takes_focus = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
        is_shown = widget.isVisibleTo(root)
        if takes_focus and is_shown and not is_view and widget not in inside:
            yield widget


def _name(widget: QWidget) -> str:
    found = QAccessible.queryAccessibleInterface(widget)
    return found.text(QAccessible.Text.Name) if found else ""


def _nameless(root: QWidget) -> list[str]:
    return [
        f"{type(widget).__name__} {widget.objectName() or '?'} in {_place(widget)}"
        for widget in _focusable(root)
        # An area that only scrolls needs none: what is in it has names.
        if not _name(widget).strip() and not isinstance(widget, QScrollArea)
    ]


def _place(widget: QWidget) -> str:
    parents: list[str] = []
    at = widget.parentWidget()
    while at is not None and len(parents) < 4:
        parents.append(at.objectName() or type(at).__name__)
        at = at.parentWidget()
    return " < ".join(parents)


@pytest.mark.parametrize("page_id", [kind.id for kind in PAGES])
def test_everything_that_can_have_the_focus_has_a_name(qtbot: QtBot, whole: MainWindow, page_id: str) -> None:
    page = whole.ways.show_page(page_id)
    _settle(qtbot, whole)
    assert _nameless(page) == []


def test_the_frame_around_the_pages_has_names_too(whole: MainWindow) -> None:
    for part in (whole.header, whole.rail, whole.footer, whole.banner):
        assert _nameless(part) == []


def test_the_pages_before_a_project_have_names(window: MainWindow) -> None:
    for page in window.entrance.pages():
        assert _nameless(page) == []


def test_the_workbench_with_a_case_has_names(qtbot: QtBot, window: MainWindow, reviewed_project: str) -> None:
    window.resize(1440, 900)
    window.entrance.open(reviewed_project, "ann-1")
    _settle(qtbot, window)
    window.ways.open_case(TAKEN)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is not window.ways.open_pages()[0], timeout=20_000)
    _settle(qtbot, window)
    qtbot.wait(300)
    page = window.stack.currentWidget()
    assert page is not None
    assert page.objectName() == "workbench-page"
    assert _nameless(page) == []


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
    assert _nameless(page) == []


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
