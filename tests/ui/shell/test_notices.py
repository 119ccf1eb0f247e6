"""What is new for a person: counted in the header, listed, opened, and noted as read."""

from datetime import UTC, datetime
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget, QPushButton
from pytestqt.qtbot import QtBot

from annotator.cases.history import add_comment
from annotator.project.workspace import open_workspace
from annotator.review.queue.notices import Notification
from scoring.model.taxonomy import FeedbackCategory
from tests.ui.find import find
from tests.ui.settling import is_settled
from ui.shell.main_window import MainWindow
from ui.shell.notices import NoticePanel, notice_words

CASE = "sample-14-festival-shifts"


def _comment(project: str, person: str, text: str, *, parent: int | None = None) -> int:
    workspace = open_workspace(project, person)
    number = add_comment(workspace, CASE, where="case", text=text, parent=parent).value
    workspace.close()
    return number


@pytest.fixture
def answered(qtbot: QtBot, window: MainWindow, reviewed_project: str) -> MainWindow:
    """The window in the name of ann-1, who asked something and was answered by somebody else."""
    asked = _comment(reviewed_project, "ann-1", "Is this date right?")
    _comment(reviewed_project, "ann-2", "It is.", parent=asked)
    window.entrance.open(reviewed_project, "ann-1")
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()) and is_settled(window.operations))
    return window


def test_the_bell_counts_what_is_new(answered: MainWindow) -> None:
    bell = find(answered, QPushButton, "bell")
    assert (bell.text(), bell.accessibleName()) == ("1", "1 new notification")


def test_the_panel_lists_it_and_enter_opens_its_case(qtbot: QtBot, answered: MainWindow) -> None:
    answered.commands.trigger("window.notices")
    panel = find(answered, NoticePanel, "notices")
    found = find(panel, QListWidget, "notice-list")
    told = str(found.item(0).data(Qt.ItemDataRole.AccessibleTextRole))
    assert told.startswith(f"Answered by ann-2: {CASE}, just now. It is.")
    with qtbot.waitSignal(panel.case_wanted) as opened:
        QTest.keyClick(found, Qt.Key.Key_Return)
    assert opened.args == [CASE]
    qtbot.waitUntil(lambda: answered.operations.pending_count == 0)
    assert not panel.isVisible()


def test_one_key_notes_that_all_of_it_was_read(qtbot: QtBot, answered: MainWindow) -> None:
    answered.commands.trigger("window.notices")
    QTest.keyClick(find(answered, QListWidget, "notice-list"), Qt.Key.Key_R)
    bell = find(answered, QPushButton, "bell")
    qtbot.waitUntil(lambda: bell.accessibleName() == "No new notifications")
    assert bell.text() == ""


def test_where_nothing_is_new_the_panel_says_so(qtbot: QtBot, inside: MainWindow) -> None:
    inside.commands.trigger("window.notices")
    panel = find(inside, NoticePanel, "notices")
    assert find(panel, QListWidget, "notice-list").isHidden()
    assert not find(panel, QPushButton, "notice-read").isEnabled()
    QTest.keyClick(panel, Qt.Key.Key_Escape)
    assert not panel.isVisible()


@pytest.mark.parametrize(
    ("note", "words"),
    [("the date is\nwrong", "Wrong value: the date is wrong"), ("", "Wrong value: without a note")],
)
def test_feedback_names_the_kind_of_mistake_before_its_note(note: str, words: str) -> None:
    told = Notification(
        kind="feedback",
        case_id=CASE,
        text=note,
        at=datetime(2026, 11, 20, tzinfo=UTC),
        category=FeedbackCategory.WRONG_VALUE,
    )
    assert notice_words(told) == words


def test_what_comes_in_while_the_window_is_open_is_counted(
    qtbot: QtBot, answered: MainWindow, reviewed_project: str
) -> None:
    own = partial(add_comment, case_id=CASE, where="case", text="Whose is this?")
    numbers: list[int] = []
    answered.operations.run(own, then=numbers.append)
    qtbot.waitUntil(lambda: bool(numbers) and answered.operations.pending_count == 0)
    _comment(reviewed_project, "ann-2", "Mine.", parent=numbers[0])
    answered.operations.run(own)
    bell = find(answered, QPushButton, "bell")
    qtbot.waitUntil(lambda: bell.text() == "2")
