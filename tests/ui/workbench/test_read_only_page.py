"""Reading a case nobody can work on: everything allowed is seen, nothing is changed, claimed or begun."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from annotator.cases.history import add_comment
from annotator.project.people import add_person
from annotator.project.policy import ReviewPolicy
from annotator.review.loaded_case import read_case
from scoring.errors import ForbiddenError, StoreError
from scoring.model.taxonomy import Role, Stage
from tests.annotator.team import Team, team_on, two_step_case
from tests.bench.flowing import many_tasks_case
from tests.ui.find import find
from tests.ui.sentences import SENTENCE, type_sentence
from ui.desk.case_bar import stage_path
from ui.desk.read_only_case import standing_of
from ui.graph.gestures import Mode
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.theme import EmptyState
from ui.theme.words import LOADING, STAGE, UNREAD
from ui.workbench.read_only_page import ReadOnlyPage

REFUSED = ForbiddenError("Somebody else is working on c-1.", "Take the next case instead (N).")
_CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
Reader = Callable[[Team, str], ReadOnlyPage]


@pytest.fixture
def settled(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A project in which one person's self-check is enough; the case c-1 is final."""
    with team_on(str(sqlite_path), tmp_path, policy=ReviewPolicy(solo=True)) as team:
        team.bring(two_step_case())
        team.self_check("ann", "c-1")
        add_person(team["max"], "mia", roles=(Role.MANAGER,))
        yield team


@pytest.fixture
def crossed(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A project in which ann's case c-1 waits for its cross-checks."""
    with team_on(str(sqlite_path), tmp_path) as team:
        team.bring(two_step_case())
        team.self_check("ann", "c-1")
        add_person(team["max"], "mia", roles=(Role.MANAGER,))
        yield team


@pytest.fixture
def reader(qtbot: QtBot, light: QApplication, closed_operations: Operations) -> Iterator[Reader]:
    """Read the case c-1 in somebody's name."""
    windows: list[QMainWindow] = []

    def read(team: Team, person: str) -> ReadOnlyPage:
        with qtbot.waitSignal(closed_operations.opened):
            closed_operations.open(team.url, person)
        window = QMainWindow()
        windows.append(window)
        page = ReadOnlyPage(closed_operations, Commands(window))
        window.setCentralWidget(page)
        window.resize(1380, 840)
        with qtbot.waitExposed(window):
            window.show()
        window.activateWindow()
        page.read("c-1", REFUSED)
        qtbot.waitUntil(lambda: page.reading is not None and closed_operations.pending_count == 0)
        return page

    yield read
    closed_operations.close()
    for window in windows:
        shiboken6.delete(window)


def _store(team: Team) -> list[str]:
    """Every row there is."""
    with sqlite3.connect(team.url) as store:
        return list(store.iterdump())


def _words(page: ReadOnlyPage, name: str) -> str:
    return find(page, QLabel, name).text()


def test_a_manager_reads_what_a_final_case_is_labelled_and_why_nobody_works_on_it(
    settled: Team, reader: Reader
) -> None:
    page = reader(settled, "mia")
    assert _words(page, "reading-reason") == "Final: nobody works on it now."
    assert _words(page, "reading-advice") == "An expert can reopen it with a reason."
    assert (_words(page, "read-policy"), _words(page, "read-information")) == ("Multi, serial", "First task")
    assert page.case_bar.read_only.isVisible()
    assert not find(page, QPushButton, "reading-reopen").isVisible()


def test_while_another_case_loads_its_bar_stays_below_and_says_nothing_of_the_last(
    qtbot: QtBot, settled: Team, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = reader(settled, "mia")
    bar, waiting = page.bar.geometry(), find(page, EmptyState, "reading-waiting")
    assert not waiting.isVisible()
    monkeypatch.setattr("ui.workbench.read_only_page.load_read_only", _refuse)
    page.read("c-2", REFUSED)
    assert waiting.isVisible()
    assert waiting.findChildren(QLabel)[1].text() == LOADING
    assert (page.bar.geometry(), _words(page, "reading-reason")) == (bar, "c-2")
    qtbot.waitUntil(lambda: not page.banner.isHidden())
    assert waiting.findChildren(QLabel)[1].text() == UNREAD


def _refuse(*_: object, **__: object) -> None:
    raise StoreError("The project cannot be read.", "Try again.")


def test_a_manager_reads_where_the_values_of_a_final_case_come_from(settled: Team, reader: Reader) -> None:
    page = reader(settled, "mia")
    # Two calls with one argument each, both marked by ann.
    assert page.panels.tabs.tabText(1) == "Evidence 2/2"


def test_a_long_case_is_read_with_all_that_is_said_about_it(
    sqlite_path: Path, tmp_path: Path, reader: Reader
) -> None:
    with team_on(str(sqlite_path), tmp_path) as team:
        team.bring(many_tasks_case(20).model_copy(update={"id": "c-1"}))
        page = reader(team, "max")
        # Nine calls a task, the first with three values as the others.
        assert page.panels.tabs.tabText(1) == f"Evidence 0/{20 * 9 * 3}"


def test_the_drawing_of_a_case_that_is_read_can_be_played_through(settled: Team, reader: Reader) -> None:
    page = reader(settled, "max")
    QTest.keyClick(page, Qt.Key.Key_S)
    assert page.panels.graph.view.mode is Mode.SIMULATE
    assert page.panels.graph.game is not None


def test_the_history_of_a_case_that_is_read_can_be_compared_and_not_restored(
    qtbot: QtBot, sqlite_path: Path, tmp_path: Path, reader: Reader
) -> None:
    with team_on(str(sqlite_path), tmp_path, policy=ReviewPolicy(solo=True)) as team:
        case = two_step_case()
        team.bring(case)
        task = case.tasks[0].model_copy(update={"user": "Send parcel P-881 on, please."})
        team.self_check("ann", "c-1", edit=case.model_copy(update={"tasks": (task,)}))
        page = reader(team, "max")
        QTest.keyClick(page, Qt.Key.Key_H, Qt.KeyboardModifier.AltModifier)
        qtbot.waitUntil(lambda: page.panels.history.timeline.count() == 2)
        assert page.panels.history.timeline.isVisible()
        assert not find(page, QPushButton, "revision-restore").isVisible()


def test_who_may_not_see_the_labels_of_a_case_in_cross_check_reads_it_without_them(
    crossed: Team, reader: Reader
) -> None:
    page = reader(crossed, "bob")
    hidden = "hidden from you for now"
    assert {_words(page, f"read-{name}") for name in ("policy", "information", "drawn-as")} == {hidden}
    assert not page.panels.graph.view.task.drawn_edges
    assert page.panels.middle.currentWidget() is page.panels.hidden
    assert page.panels.tabs.tabText(1) == "Evidence"
    assert page.case_bar.blind.isVisible()


def test_a_hidden_drawing_cannot_be_played_through(crossed: Team, reader: Reader) -> None:
    page = reader(crossed, "bob")
    QTest.keyClick(page, Qt.Key.Key_S)
    assert page.panels.graph.game is None
    assert page.panels.middle.currentWidget() is page.panels.hidden


def test_what_the_owner_cited_is_not_even_read_for_who_sees_the_case_blind(crossed: Team) -> None:
    assert read_case(crossed["max"], "c-1").settled.evidence
    blind = read_case(crossed["bob"], "c-1")
    assert (blind.settled.evidence, blind.settled.judgment, blind.settled.waivers) == ((), None, ())


def test_who_reads_a_case_sees_who_judged_it_newest_first(settled: Team, reader: Reader) -> None:
    page = reader(settled, "mia")
    assert page.reading is not None
    # One person's self-check is enough here, and a case of one task has one.
    assert [(one.who, one.words) for one in page.reading.happened] == [("ann", "Self-check: approved")]


def test_who_sees_a_case_blind_is_not_told_who_judged_it(crossed: Team, reader: Reader) -> None:
    page = reader(crossed, "bob")
    assert page.reading is not None
    assert page.reading.happened == ()


def test_looking_claims_nothing_and_no_key_changes_anything(settled: Team, reader: Reader) -> None:
    before = _store(settled)
    page = reader(settled, "mia")
    panels, shown, named = page.panels, page.reading, Qt.KeyboardModifier
    letters = [key for key in Qt.Key if Qt.Key.Key_A.value <= key.value <= Qt.Key.Key_Z.value]
    others = (Qt.Key.Key_Return, Qt.Key.Key_F2, Qt.Key.Key_Delete, Qt.Key.Key_Space, Qt.Key.Key_1)
    places: tuple[tuple[QWidget, QWidget], ...] = (
        (panels.facts, panels.dialogue.view),
        (panels.facts, panels.graph.view),
        (panels.evidence, panels.evidence.table),
    )
    for tab, place in places:
        for modifier in (named.NoModifier, named.ShiftModifier, named.ControlModifier):
            for key in (*letters, *others):
                panels.tabs.setCurrentWidget(tab)
                QTest.keyClick(place, key, modifier)
    assert not panels.dialogue.view.is_editing
    assert page.reading is shown
    assert _store(settled) == before


def test_an_expert_reopens_a_final_case_with_a_reason(qtbot: QtBot, settled: Team, reader: Reader) -> None:
    page = reader(settled, "eve")
    QTest.keyClick(page, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    note = find(page, QPlainTextEdit, "reason-note")
    note.setPlainText("The depot is wrong.")
    QTest.mouseClick(find(page, QPushButton, "reason-go"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: settled.stage("c-1") is Stage.SELF_CHECK_TASK)
    qtbot.waitUntil(lambda: "it waits for an annotator" in _words(page, "reading-reason"))
    assert not find(page, QPushButton, "reading-reopen").isVisible()
    assert _words(page, "case-note") == "The depot is wrong."


def test_an_expert_marks_a_gold_example_and_takes_the_mark_off(
    qtbot: QtBot, settled: Team, reader: Reader
) -> None:
    page = reader(settled, "eve")

    def is_gold() -> bool:
        return page.reading is not None and page.reading.read.row.is_gold

    QTest.keyClick(page, Qt.Key.Key_G, _CTRL_SHIFT)
    qtbot.waitUntil(is_gold)
    assert read_case(settled["eve"], "c-1").row.is_gold
    QTest.keyClick(page, Qt.Key.Key_G, _CTRL_SHIFT)
    qtbot.waitUntil(lambda: not is_gold())


def test_an_annotator_marks_no_gold_example(settled: Team, reader: Reader) -> None:
    page = reader(settled, "bob")
    before = _store(settled)
    QTest.keyClick(page, Qt.Key.Key_G, _CTRL_SHIFT)
    assert _store(settled) == before


def test_comments_on_a_case_that_is_read_are_seen_and_can_be_added(
    qtbot: QtBot, settled: Team, reader: Reader
) -> None:
    add_comment(settled["ann"], "c-1", where="task 0 step 1", text="Is this depot still open?")
    page = reader(settled, "max")
    assert page.panels.tabs.tabText(3) == "Comments 1"
    QTest.keyClick(page, Qt.Key.Key_M, Qt.KeyboardModifier.AltModifier)
    QTest.keyClicks(page.panels.comments.field, "It is.")
    QTest.keyClick(page.panels.comments.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: page.panels.tabs.tabText(3) == "Comments 2")


def test_who_cannot_take_a_case_is_told_what_refused_it(crossed: Team, reader: Reader) -> None:
    page = reader(crossed, "ann")
    assert _words(page, "reading-reason") == REFUSED.message
    assert _words(page, "reading-advice") == REFUSED.hint


def test_escape_leaves_from_the_dialogue_and_from_the_graph(
    qtbot: QtBot, settled: Team, reader: Reader
) -> None:
    page = reader(settled, "max")
    for place in (page.panels.dialogue.view, page.panels.graph.view):
        with qtbot.waitSignal(page.left):
            QTest.keyClick(place, Qt.Key.Key_Escape)


def test_escape_ends_the_simulation_before_it_leaves(qtbot: QtBot, settled: Team, reader: Reader) -> None:
    page = reader(settled, "max")
    page.panels.set_mode(Mode.SIMULATE)
    with qtbot.assertNotEmitted(page.left):
        QTest.keyClick(page.panels.graph.view, Qt.Key.Key_Escape)
    assert page.panels.graph.view.mode is Mode.SELECT


@pytest.mark.parametrize("stage", [s for s in Stage if s is not Stage.RETURNED])
def test_the_bar_names_the_stage_a_case_that_is_read_is_at(stage: Stage) -> None:
    words, now = stage_path(stage, ReviewPolicy(), task_count=2)
    assert words[now] == STAGE[stage]


@pytest.mark.parametrize("text", [SENTENCE, "group the calls", "with care"])
def test_a_sentence_over_a_case_that_is_read_changes_nothing(
    settled: Team, reader: Reader, text: str
) -> None:
    page = reader(settled, "mia")
    with sqlite3.connect(settled.url) as looker:
        before = list(looker.iterdump())
        type_sentence(page.window(), text)
        assert list(looker.iterdump()) == before
    assert page.isVisible()
    assert QApplication.activePopupWidget() is None


@pytest.mark.usefixtures("said_in_chinese")
def test_why_a_case_can_only_be_read_is_said_in_the_language_of_the_window(team: Team) -> None:
    team.bring(two_step_case())
    read, refused = (
        read_case(team["ann"], "c-1"),
        ForbiddenError("c-1 belongs to bob.", "A manager can reassign it."),
    )
    standing = standing_of(read, team["ann"].person, refused=refused)
    assert (standing.reason, standing.advice) == ("c-1 的负责人是 bob。", "可由管理员改派。")
