"""The training as a person goes through it: by keys, with feedback on each answer, left and gone on with."""

from collections.abc import Iterator

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from annotator.training.feedback import answered, feedback_on, opening, right_answer, to_check
from annotator.training.lessons import read_lessons
from annotator.training.progress import keep_answers, training_progress
from scoring.errors import StoreError
from scoring.model.graph import derive_policy
from scoring.model.taxonomy import Policy
from tests.annotator.team import Team
from tests.ui.find import find, words_in
from ui.desk.case_actions import fix_for
from ui.desk.document import CaseDocument
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.theme import ChipButton, Hint
from ui.training.page import TrainingPage


@pytest.fixture
def page(
    qtbot: QtBot, light: QApplication, operations: Operations, preferences: Preferences, team: Team
) -> Iterator[TrainingPage]:
    """The list of training cases in a window, in ann's name."""
    window = QMainWindow()
    window.resize(1380, 840)
    found = TrainingPage(operations, Commands(window), preferences)
    window.setCentralWidget(found)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    qtbot.waitUntil(lambda: found._loaded is not None)
    yield found
    window.close()
    shiboken6.delete(window)


def _press(qtbot: QtBot, page: TrainingPage, *keys: str) -> None:
    for key in keys:
        target = QApplication.activePopupWidget() or QApplication.focusWidget() or page
        QTest.keySequence(target, QKeySequence(key))
        qtbot.waitUntil(lambda: page._operations.pending_count == 0)


def said(page: TrainingPage) -> str:
    """What the bar below says about the latest answer, and its note."""
    hints = [hint.words for hint in page.bar.findChildren(Hint) if not hint.isHidden()]
    return " ".join([*hints, find(page.bar, QLabel, "training-note").text()]).strip()


def _document(page: TrainingPage) -> CaseDocument:
    assert page.document is not None
    return page.document


def _open(qtbot: QtBot, page: TrainingPage, number: int) -> None:
    page.open_lesson(number)
    page.panels.dialogue.view.setFocus(Qt.FocusReason.OtherFocusReason)


def test_a_wrong_policy_says_why_at_once_and_the_right_one_that_it_is(
    qtbot: QtBot, page: TrainingPage, team: Team
) -> None:
    _press(qtbot, page, "N", "P", "2")
    assert page.lesson is not None
    assert page.lesson.id == "training-1"
    assert said(page).startswith("Not yet: task 1, policy. One forecast answers it")
    _press(qtbot, page, "P", "1")
    assert said(page).startswith("Right: task 1, policy.")
    first = training_progress(team["ann"]).of(page.lesson).first
    assert first == {"task.0.policy": False}


def test_with_everything_right_the_same_key_opens_the_next_case(qtbot: QtBot, page: TrainingPage) -> None:
    _open(qtbot, page, 0)
    _press(qtbot, page, "P", "1", "Ctrl+PgDown", "P", "6", "Ctrl+Return")
    assert page.lesson is not None
    assert page.lesson.id == "training-2"


def test_nothing_proposes_the_label_that_is_asked_for(qtbot: QtBot, page: TrainingPage) -> None:
    _open(qtbot, page, 1)
    _press(qtbot, page, "Ctrl+PgDown")
    document = _document(page)
    assert document.assessment.offers_of(1)
    assert page.panels.review.labels.offered.text() == ""
    _press(qtbot, page, "=")
    assert document.case.tasks[1].information is None


def test_nothing_names_the_policy_that_is_asked_for(qtbot: QtBot, page: TrainingPage) -> None:
    _open(qtbot, page, 0)
    document = _document(page)
    assert derive_policy(document.case.tasks[0]) is Policy.SINGLE
    seen = [label.text() for label in page.panels.findChildren(QLabel) if label.isVisible()]
    assert [words for words in seen if "single" in words.lower()] == []
    assert not page.panels.review.labels.adopt.isVisible()
    _press(qtbot, page, "Shift+P")
    assert document.case.tasks[0].policy is None
    assert said(page) == "Find the label yourself here."


def test_that_the_first_answer_counts_is_said_before_it_is_given(qtbot: QtBot, page: TrainingPage) -> None:
    assert "the first answer to a question is the one that counts" in _words(page.list)
    _open(qtbot, page, 0)
    assert "the first answer counts" in _words(page.head)


def _words(shown: QWidget) -> str:
    return " ".join(label.text() for label in shown.findChildren(QLabel) if label.isVisible())


def test_the_list_counts_what_was_answered_so_far(qtbot: QtBot, page: TrainingPage) -> None:
    _press(qtbot, page, "N", "P", "2", "P", "1", "Ctrl+PgDown", "P", "6", "Esc")
    qtbot.waitUntil(lambda: page.list.state.text().startswith("1 of 8 done."))
    assert page.list.state.text() == "1 of 8 done. 1 of 2 answers right at first."


def test_a_drawing_is_looked_at_on_request(qtbot: QtBot, page: TrainingPage) -> None:
    _open(qtbot, page, 2)
    _press(qtbot, page, "U")
    assert said(page) in ("", "Drawn. Ctrl+Z takes it back.")
    _press(qtbot, page, "Ctrl+Return")
    assert "Not yet: task 1, drawing. The booking uses the id" in said(page)
    QTest.mouseClick(find(page, QPushButton, "action-show"), Qt.MouseButton.LeftButton)
    assert [edge.pair for edge in _document(page).case.tasks[0].drawn_edges] == [(0, 1)]
    qtbot.waitUntil(lambda: "Right: task 1, drawing." in said(page))


def test_sources_are_accepted_with_the_same_key_as_in_real_work(qtbot: QtBot, page: TrainingPage) -> None:
    _open(qtbot, page, 5)
    _press(qtbot, page, "J", "E")
    assert said(page).startswith("Right: task 1, sources of scheduleReturn.")


def test_findings_propose_their_repairs(qtbot: QtBot, page: TrainingPage) -> None:
    _open(qtbot, page, 6)
    while open_ones := [f for f in _document(page).assessment.open_findings() if fix_for(f)]:
        _document(page).select(open_ones[0].task or 0, open_ones[0].step)
        _press(qtbot, page, "F")
    _press(qtbot, page, "Ctrl+Return")
    states = {one.question.id: one.state for one in page.bar.told}
    assert states["task.0.value.0"] == states["task.1.value.0"] == "right"


def test_a_repair_is_looked_at_once_no_check_notices_anything_more(qtbot: QtBot, page: TrainingPage) -> None:
    _open(qtbot, page, 6)
    _press(qtbot, page, "F8", "F")
    assert said(page).startswith("Right: task 1, repair findBus.")
    _press(qtbot, page, "1", "3", "F", "F")
    assert {one.question.id: one.state for one in page.bar.told}["task.1.value.0"] == "open"
    _press(qtbot, page, "F")
    assert "Everything is right" in said(page)


def test_escape_closes_a_message_before_it_leaves_the_case(qtbot: QtBot, page: TrainingPage) -> None:
    _open(qtbot, page, 0)
    page.banner.show_error(StoreError("The project is locked.", "Try again."))
    _press(qtbot, page, "Escape")
    assert page.banner.isHidden()
    assert not page.list.isVisible()


def test_left_half_way_the_answers_are_there_again(qtbot: QtBot, page: TrainingPage, team: Team) -> None:
    _open(qtbot, page, 0)
    _press(qtbot, page, "P", "1", "Escape")
    assert page.list.isVisible()
    qtbot.waitUntil(lambda: len(page.findChildren(QPushButton, "training-open-0")) == 1)
    assert "1 of" in words_in(find(page, QWidget, "training-row-0"))
    page.deleteLater()
    other = TrainingPage(page._operations, Commands(page.window()), page._preferences)
    qtbot.addWidget(other)
    qtbot.waitUntil(lambda: other._loaded is not None)
    other.open_lesson(0)
    assert _document(other).case.tasks[0].policy is Policy.SINGLE
    assert _document(other).case.tasks[1].policy is None


def test_answers_that_cannot_be_recorded_wait_for_the_next(
    qtbot: QtBot, page: TrainingPage, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object, **__: object) -> None:
        raise StoreError("The project is locked by another program.", "Try again in a moment.")

    _open(qtbot, page, 0)
    monkeypatch.setattr("ui.training.page.keep_answers", locked)
    _press(qtbot, page, "P", "1")
    assert "recorded with the next one" in said(page)
    monkeypatch.undo()
    _press(qtbot, page, "Ctrl+PgDown", "P", "6")
    assert page.lesson is not None
    assert training_progress(team["ann"]).is_done(page.lesson)


def test_damaged_training_cases_are_told_with_the_next_step(
    qtbot: QtBot, page: TrainingPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.training.lessons.resource_text", lambda *_: "{")
    page.reload()
    qtbot.waitUntil(lambda: page.banner.isVisible())


def test_the_case_stands_alone_without_history_or_comments(qtbot: QtBot, page: TrainingPage) -> None:
    _open(qtbot, page, 0)
    tabs = page.panels.tabs
    shown = {tabs.tabText(n).split()[0] for n in range(tabs.count()) if tabs.isTabVisible(n)}
    assert shown - {"Graph"} == {"Review", "Evidence"}


def test_what_is_to_be_done_stands_above(qtbot: QtBot, page: TrainingPage) -> None:
    _open(qtbot, page, 7)
    assert "A blind cross-check" in find(page, Hint, "training-teaches").words


@pytest.mark.parametrize("number", range(8))
def test_the_next_problem_is_one_of_what_is_asked(qtbot: QtBot, page: TrainingPage, number: int) -> None:
    _open(qtbot, page, number)
    lesson, walked = page.lesson, page.keyboard.navigation
    assert lesson is not None
    asked = {(question.task, question.step) for question in lesson.questions}
    seen = []
    for _ in range(40):
        _press(qtbot, page, "F8")
        assert walked.problem is not None
        place = (walked.problem.task, walked.problem.step)
        assert place in asked
        assert (_document(page).selection.task, _document(page).selection.step) == place
        if walked.problem.key in seen:
            break
        seen.append(walked.problem.key)
    assert {place[2:4] for place in seen} == asked


def test_with_everything_right_the_next_problem_leads_on(qtbot: QtBot, page: TrainingPage) -> None:
    _open(qtbot, page, 0)
    _press(qtbot, page, "F8", "P", "1")
    assert _document(page).selection.task == 1
    _press(qtbot, page, "P", "6", "F8")
    assert "Ctrl+Enter opens the next case" in said(page)


def test_the_item_that_is_asked_for_has_the_keys(qtbot: QtBot, page: TrainingPage) -> None:
    _open(qtbot, page, 7)
    for _ in range(20):
        _press(qtbot, page, "F8")
        if (problem := page.keyboard.navigation.problem) is not None and problem.item:
            break
    assert page.topic == "checklist.facts"
    _press(qtbot, page, "F")
    assert {one.question.id: one.state for one in page.bar.told}["task.1.item.facts"] == "right"


def test_the_cases_are_in_the_language_of_the_explanations(qtbot: QtBot, page: TrainingPage) -> None:
    find(page, ChipButton, "training-zh").click()
    qtbot.waitUntil(lambda: page._loaded is not None and page._loaded.lessons[0].gold.language == "zh")
    _press(qtbot, page, "N", "P", "1", "Ctrl+PgDown", "P", "6")
    assert said(page).startswith("Right: task 2, policy. 没有工具")
    page._preferences.change(guidelines_language="en")
    assert page.lesson is not None
    assert page.lesson.gold.language == "zh"
    page.leave_lesson()
    qtbot.waitUntil(lambda: page.list.state.text().startswith("Takes about"))


def test_with_all_cases_done_the_list_leads_to_the_queue(
    qtbot: QtBot, page: TrainingPage, team: Team
) -> None:
    for lesson in read_lessons():
        right = {question.id: right_answer(lesson, question) for question in lesson.questions}
        after = answered(lesson, opening(lesson), right)
        keep_answers(team["ann"], lesson, feedback_on(lesson, after, checked=to_check(lesson, after)))
    page.reload()
    qtbot.waitUntil(lambda: page.list.state.text() == "All 8 done. 39 of 39 answers right at first.")
    page.window().activateWindow()
    qtbot.waitUntil(page.window().isActiveWindow)
    with qtbot.waitSignal(page.finished):
        _press(qtbot, page, "N")
