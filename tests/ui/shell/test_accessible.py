"""Screen readers: whatever can have the focus has a name, on every page, and Tab goes through all of it."""

import os
from difflib import unified_diff
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from annotator.project.people import login_name
from tests.ui.focus import against_reading, nameless, spoken_tree, tab_order
from tests.ui.outline import lasting
from tests.ui.settling import is_settled
from ui.shell.main_window import MainWindow
from ui.shell.pages import PAGES
from ui.theme.events import tab_as_read
from ui.theme.layouts import build
from ui.workbench.page import WorkbenchPage

TAKEN, ESCALATED = "sample-14-festival-shifts", "sample-06-cover-lesson"


@pytest.fixture
def whole(qtbot: QtBot, window: MainWindow, released_project: str) -> MainWindow:
    """The window on a project that has everything, for a person in every role."""
    window.resize(1440, 900)
    window.entrance.open(released_project, login_name())
    _settle(qtbot, window)
    return window


def _settle(qtbot: QtBot, window: MainWindow) -> None:
    operations = window.operations
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()) and is_settled(operations) and not operations.jobs)
    QApplication.processEvents()  # Qt shows what a layout got in its next round


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
    page = window.stack.currentWidget()
    assert page is not None
    assert nameless(page) == []
    assert [role for _, role, name in spoken_tree(page) if not name] == []


def test_tab_goes_through_the_queue_from_the_filters_to_the_list(qtbot: QtBot, whole: MainWindow) -> None:
    page = whole.ways.show_page("queue")
    _settle(qtbot, whole)
    order = [widget.objectName() for widget in tab_order(page)]
    places = [order.index(name) for name in ("assign", "import", "next-case", "filter-text", "cases")]
    assert places == sorted(places)


@pytest.mark.parametrize("page_id", [kind.id for kind in PAGES])
def test_tab_follows_the_order_of_reading(qtbot: QtBot, whole: MainWindow, page_id: str) -> None:
    page = whole.ways.show_page(page_id)
    _settle(qtbot, whole)
    assert _goes_back(page) == []


@pytest.mark.parametrize(("person", "case_id"), [("ann-1", TAKEN), ("expert-1", ESCALATED)])
def test_tab_follows_the_order_of_reading_in_a_case(
    qtbot: QtBot, window: MainWindow, reviewed_project: str, person: str, case_id: str
) -> None:
    page = _case_page(qtbot, window, reviewed_project, person=person, case_id=case_id)
    assert _goes_back(page) == []


def _goes_back(page: QWidget) -> list[str]:
    """Where Tab goes against the order of reading, once the keys have left where they were at first.

    A dialogue gives them to a card of its own: as long as they are in it, it is no place of its own.
    """
    assert tab_order(page)
    for _ in range(2):
        QTest.keyClick(page.focusWidget() or page, Qt.Key.Key_Tab)
    return against_reading(page)


def test_shift_tab_leaves_the_card_it_is_on(qtbot: QtBot, window: MainWindow, reviewed_project: str) -> None:
    page = _case_page(qtbot, window, reviewed_project, person="ann-1", case_id=TAKEN)
    assert isinstance(page, WorkbenchPage)
    dialogue = page.panels.dialogue.view
    dialogue.setFocus()
    card = QApplication.focusWidget()
    assert card is not None
    assert dialogue.isAncestorOf(card)
    QTest.keyClick(card, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    left = QApplication.focusWidget()
    assert left is not None
    assert not dialogue.isAncestorOf(left)


def test_tab_that_goes_back_up_is_noticed_and_mended(qtbot: QtBot) -> None:
    whole = QWidget()
    qtbot.addWidget(whole)
    names = ("left", "right", "below")
    buttons = [build(QPushButton, name, whole, objectName=name) for name in names]
    for button, place in zip(buttons, ((0, 0), (100, 0), (0, 50)), strict=True):
        button.setGeometry(*place, 80, 30)
    whole.show()
    assert against_reading(whole) == []
    QWidget.setTabOrder(buttons[0], buttons[2])
    QWidget.setTabOrder(buttons[2], buttons[1])
    assert against_reading(whole) == ["below -> right"]
    tab_as_read(whole)
    assert against_reading(whole) == []


SPOKEN = Path(__file__).parents[2] / "golden" / "spoken"


@pytest.mark.parametrize("page_id", [kind.id for kind in PAGES])
def test_a_screen_reader_is_told_of_a_page_what_was_approved(
    qtbot: QtBot, whole: MainWindow, page_id: str
) -> None:
    page = whole.ways.show_page(page_id)
    _settle(qtbot, whole)
    _compare_spoken(qtbot, page, page_id)


@pytest.mark.parametrize(
    ("person", "case_id", "name"),
    [("ann-1", TAKEN, "workbench_case"), ("expert-1", ESCALATED, "adjudication_case")],
)
def test_a_screen_reader_is_told_of_a_case_what_was_approved(
    qtbot: QtBot, window: MainWindow, reviewed_project: str, person: str, case_id: str, name: str
) -> None:
    page = _case_page(qtbot, window, reviewed_project, person=person, case_id=case_id)
    _compare_spoken(qtbot, page, name)


def _case_page(qtbot: QtBot, window: MainWindow, project: str, *, person: str, case_id: str) -> QWidget:
    """The page on which a person works on a case, everything read."""
    window.resize(1440, 900)
    window.entrance.open(project, person)
    _settle(qtbot, window)
    window.ways.open_case(case_id)
    bars = ("submit-bar", "decision-bar")
    qtbot.waitUntil(
        lambda: (
            any(bar.isVisible() for name in bars for bar in window.stack.findChildren(QWidget, name))
            and is_settled(window.operations)
            and not window.operations.jobs
        )
    )
    page = window.stack.currentWidget()
    assert page is not None
    return page


def _compare_spoken(qtbot: QtBot, page: QWidget, name: str) -> None:
    """Compare what is told with what was approved, once it is all there; `APPROVE_SCREENS=1` approves."""
    path = SPOKEN / f"{name}.txt"
    if "APPROVE_SCREENS" in os.environ:
        path.write_text("\n".join(_spoken_lines(page)) + "\n", encoding="utf-8")
    approved = path.read_text(encoding="utf-8").splitlines()

    def is_told() -> None:
        assert not list(unified_diff(approved, _spoken_lines(page), path.name, "told", lineterm="", n=1))

    qtbot.waitUntil(is_told)


def _spoken_lines(page: QWidget) -> list[str]:
    told = spoken_tree(page)
    top = min((depth for depth, _, _ in told), default=0)
    return [f"{'  ' * (depth - top)}{role}: {lasting(words)}" for depth, role, words in told]
