"""Taking cases from the queue: the next one, the marked one, and those that cannot be had."""

from contextlib import closing
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMenu
from pytestqt.qtbot import QtBot

from annotator.project.creation import create_workspace
from annotator.project.people import login_name
from annotator.project.workspace import open_workspace
from annotator.review.measures.guideline_versions import unseen_changes
from annotator.review.policy_changes import change_review_policy
from scoring.model.taxonomy import Stage
from tests.ui.find import find, show_view, words_in
from tests.ui.queue.conftest import Opener
from tests.ui.queue.driving import cases_of, ids_of, settle
from ui.queue.page import QueuePage
from ui.queue.preview import Preview
from ui.queue.views import QueueView
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.theme.buttons import ChoiceChip
from ui.theme.dialogs import FormDialog


def test_n_takes_the_next_case(qtbot: QtBot, open_queue: Opener, reviewed_project: str) -> None:
    page = open_queue(reviewed_project, "ann-2")
    with qtbot.waitSignal(page.open_requested) as opened:
        QTest.keyClick(cases_of(page), Qt.Key.Key_N)
    assert opened.args[0].person == "ann-2"


def test_what_changed_in_the_guidelines_is_shown_once_before_the_next_case(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, closed_operations: Operations
) -> None:
    with closing(open_workspace(reviewed_project, login_name())) as workspace:
        change_review_policy(workspace, ("guidelines=policy.single: One call, even if asked twice.",))
    page = open_queue(reviewed_project, "ann-2")
    for is_understood in (False, True):
        with qtbot.assertNotEmitted(page.open_requested):
            QTest.keyClick(cases_of(page), Qt.Key.Key_N)
            qtbot.waitUntil(lambda: page.findChild(FormDialog, "news-dialog") is not None)
            settle(qtbot, closed_operations)
        dialog = find(page, FormDialog, "news-dialog")
        said = words_in(dialog)
        assert "policy.single, In this project" in said
        assert "One call, even if asked twice." in said
        if is_understood:
            with qtbot.waitSignal(page.open_requested):
                QTest.keyClick(dialog, Qt.Key.Key_Return)
        else:  # nothing is taken and nothing noted
            dialog.reject()
            qtbot.waitUntil(lambda: page.findChild(FormDialog, "news-dialog") is None)
    settle(qtbot, closed_operations)
    with qtbot.waitSignal(page.open_requested):
        QTest.keyClick(cases_of(page), Qt.Key.Key_N)
    with closing(open_workspace(reviewed_project, "ann-2")) as workspace:
        assert unseen_changes(workspace) == ()


def test_where_nothing_waits_n_says_why(qtbot: QtBot, open_queue: Opener, tmp_path: Path) -> None:
    place = str(tmp_path / "empty.db")
    create_workspace(place, person="anna").close()
    page = open_queue(place, "anna")
    QTest.keyClick(page, Qt.Key.Key_N)
    message = find(page, QLabel, "error-message")
    qtbot.waitUntil(lambda: "no cases yet" in message.text())


def test_enter_takes_the_marked_case(qtbot: QtBot, open_queue: Opener, reviewed_project: str) -> None:
    page = open_queue(reviewed_project, "ann-2")
    show_view(page, QueueView(stages=(Stage.CROSS_CHECK,), order="case"))
    qtbot.waitUntil(lambda: len(ids_of(page)) == 3)
    with qtbot.waitSignal(page.open_requested) as opened:
        QTest.keyClick(cases_of(page), Qt.Key.Key_Return)
    assert opened.args[0].case_id == "sample-07-parcel-to-bologna"


def test_a_case_that_cannot_be_taken_is_to_be_read_and_says_why(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    show_view(page, QueueView(stages=(Stage.APPROVED,)))
    qtbot.waitUntil(lambda: len(ids_of(page)) == 4)
    with qtbot.waitSignal(page.reading_requested) as asked:
        QTest.keyClick(cases_of(page), Qt.Key.Key_Return)
    assert asked.args[0] == ids_of(page)[0]
    assert "is approved: nobody works on it now" in str(asked.args[1])


def test_an_expert_opens_an_escalated_case_for_decision(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, "expert-1")
    show_view(page, QueueView(stages=(Stage.ESCALATED,), order="case"))
    qtbot.waitUntil(lambda: len(ids_of(page)) == 2)
    with qtbot.waitSignal(page.case_requested) as asked:
        QTest.keyClick(cases_of(page), Qt.Key.Key_Return)
    assert asked.args == ["sample-04-energy-meter"]


def test_a_taken_case_is_shown_as_changed_and_stays_marked(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, closed_operations: Operations
) -> None:
    page = open_queue(reviewed_project, "ann-2")
    row = ids_of(page).index("sample-14-festival-shifts")
    assert row > 0
    cases_of(page).selectRow(row)
    with qtbot.waitSignal(page.open_requested):
        QTest.keyClick(cases_of(page), Qt.Key.Key_Return)
    settle(qtbot, closed_operations)
    assert ids_of(page)[0] == "sample-14-festival-shifts"
    assert cases_of(page).currentIndex().row() == 0
    assert find(page, Preview, "preview").row.owner == "ann-2"  # type: ignore[union-attr]  # a row is marked


def _languages(page: QueuePage) -> ChoiceChip:
    return find(page, ChoiceChip, "next-language")


def test_the_language_of_the_next_case_is_chosen_by_key_and_kept(
    qtbot: QtBot,
    open_queue: Opener,
    sample_project: str,
    preferences: Preferences,
    closed_operations: Operations,
) -> None:
    page = open_queue(sample_project, "ann-1")
    qtbot.waitUntil(lambda: _languages(page).isVisible())
    assert _languages(page).text() == "Any language"
    QTest.keyClick(cases_of(page), Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    menu = find(page, QMenu, "menu-next-language")
    assert [action.text() for action in menu.actions()] == ["Any language", "Only en", "Only zh"]
    menu.actions()[2].trigger()
    menu.close()
    assert list(preferences.settings.next_languages.values()) == ["zh"]
    again = QueuePage(closed_operations, Commands(page.window()), preferences)
    qtbot.addWidget(again)
    qtbot.waitUntil(lambda: _languages(again).text() == "Only zh")
    with qtbot.waitSignal(again.open_requested) as opened:
        again.claim_next()
    assert opened.args[0].case_id == "sample-10-badminton-zh"


def test_where_nothing_waits_in_the_language_the_queue_names_it(
    qtbot: QtBot, open_queue: Opener, sample_project: str, preferences: Preferences
) -> None:
    preferences.change(next_languages={f"{sample_project} ann-1": "fr"})
    page = open_queue(sample_project, "ann-1")
    qtbot.waitUntil(lambda: _languages(page).text() == "Only fr")
    QTest.keyClick(page, Qt.Key.Key_N)
    message = find(page, QLabel, "error-message")
    qtbot.waitUntil(lambda: "Nothing in the language fr waits for you" in message.text())
