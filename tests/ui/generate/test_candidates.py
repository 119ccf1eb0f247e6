"""Choosing requests in the window: what is seen of the dialogue, by keys alone, and what goes wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QRadioButton, QTabBar
from pytestqt.qtbot import QtBot

from annotator.cases.access import show_case
from annotator.generation.choices import pick, waiting_candidates
from annotator.generation.generation_run import dialogues_of, exchanges_of
from annotator.generation.plan import Chooser
from annotator.generation.quality import run_quality
from annotator.project.workspace import Workspace, open_workspace
from tests.annotator.generation.scripted_run import generate, plan_for
from tests.scripted_model.server import ScriptedModel
from tests.ui.find import find
from tests.ui.generate.conftest import is_quiet
from ui.dialogue.view import DialogueView
from ui.diffs import WordDiffLabel
from ui.generate.candidates_panel import CandidateCard
from ui.generate.page import GeneratePage
from ui.generate.run_view import LiveDialogue
from ui.graph.view import GraphView
from ui.services.operations import Operations
from ui.theme.fields import NoteField
from ui.theme.panels import EmptyState
from ui.theme.tables import FigureTable

Generate = Callable[[], Workspace]


@pytest.fixture
def go_on(tmp_path: Path, model: ScriptedModel, page: GeneratePage) -> Generate:
    """Has the run of two dialogues of three tasks go on in another program, as far as people let it."""
    plan = plan_for(
        model.base_url,
        policies="given",
        sequences=[["single"] * 3, ["chat"] * 3],
        chooser=Chooser.PERSON,
    )

    def generate_on() -> Workspace:
        workspace = open_workspace(str(tmp_path / "p.db"))
        generate(workspace, plan, concurrency=1)
        return workspace

    return generate_on


def _show(qtbot: QtBot, page: GeneratePage, operations: Operations, workspace: Workspace) -> None:
    """Look at the candidates of the run as they are now."""
    workspace.close()
    page._read()
    qtbot.waitUntil(lambda: is_quiet(operations) and page.shown_run is not None)
    QTest.keyClick(page.window(), Qt.Key.Key_C)
    qtbot.waitUntil(lambda: is_quiet(operations))


def _cards(page: GeneratePage) -> list[CandidateCard]:
    return page.findChildren(CandidateCard)


def _chosen(page: GeneratePage) -> list[str]:
    buttons = [card.findChild(QRadioButton) for card in _cards(page)]
    return [button.text() for button in buttons if button is not None and button.isChecked()]


def _press(page: GeneratePage, key: Any, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> None:
    focus = page.window().focusWidget() or page
    QTest.keyClick(focus, key, modifiers)


def test_before_the_first_task_there_is_no_dialogue_yet_and_five_candidates_have_a_key_each(
    qtbot: QtBot, page: GeneratePage, closed_operations: Operations, go_on: Generate
) -> None:
    _show(qtbot, page, closed_operations, go_on())
    assert find(page, EmptyState, "no-dialogue").isVisible()
    assert find(page, QLabel, "candidates-wanted").text() == "dialogue 1 · task 1 of 3 · Single wanted"
    assert len(_cards(page)) == 5
    for key, number in ((Qt.Key.Key_5, "5"), (Qt.Key.Key_2, "2")):
        _press(page, key)
        assert _chosen(page) == [number]
        words = find(page, NoteField, "candidate-text").words
        assert words == _cards(page)[int(number) - 1].offer.text
    assert {label.text() for label in page.findChildren(QLabel)} >= {"findHotels", "Book a room in a hotel."}


def test_a_later_request_is_chosen_by_its_relation_worded_and_used_by_keys_alone(
    qtbot: QtBot, page: GeneratePage, closed_operations: Operations, go_on: Generate, tmp_path: Path
) -> None:
    for _ in range(2):
        workspace = go_on()
        for waiting in waiting_candidates(workspace, 1):
            pick(workspace, 1, waiting, chosen=0)
        workspace.close()
    _show(qtbot, page, closed_operations, go_on())
    view = page.findChildren(DialogueView)[0]
    assert view.isVisible()
    assert len(view.keys) == 6  # two tasks with all their steps
    assert page.findChildren(GraphView)[0].isVisible()
    kinds = [card.findChildren(QLabel)[0].text() for card in _cards(page)]
    assert kinds == ["Omission", "Reference", "Long range"]

    _press(page, Qt.Key.Key_3)
    text = find(page, NoteField, "candidate-text")
    offered, worded = text.words, f"{text.words} Thanks!"
    text.setFocus()
    text.setPlainText(worded)
    marked = [
        label for label in page.findChildren(WordDiffLabel) if "[added: Thanks!" in label.accessibleName()
    ]
    assert [label.isVisible() for label in marked] == [True]
    _press(page, Qt.Key.Key_2)  # a letter of the text, no choice
    assert text.words == f"2{worded}"
    text.setPlainText(worded)
    _press(page, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    table = find(page, FigureTable, "waiting")
    qtbot.waitUntil(lambda: len(table.rows) == 1 and is_quiet(closed_operations))
    assert find(page, QLabel, "candidates-wanted").text() == "dialogue 2 · task 3 of 3 · Chat wanted"
    _press(page, Qt.Key.Key_2)  # the keys choose again, without the mouse
    assert _chosen(page) == ["2"]
    _press(page, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not table.rows and is_quiet(closed_operations))

    workspace = go_on()
    case = show_case(workspace, str(dialogues_of(workspace, 1)[0].case_id))
    assert (case.tasks[2].user, case.tasks[2].information) == (worded, "long_range")
    found = [one for one in run_quality(workspace, 1).picks if one.asked != one.offered]
    assert [(one.offered, one.asked) for one in found] == [(offered, worded)]
    workspace.close()


def test_none_of_these_asks_why_and_an_empty_reason_is_not_enough(
    qtbot: QtBot, page: GeneratePage, closed_operations: Operations, go_on: Generate
) -> None:
    _show(qtbot, page, closed_operations, go_on())
    tabs = find(page, QTabBar, "generate-tabs")
    assert tabs.tabText(1) == "Candidates · 2"
    _press(page, Qt.Key.Key_X)
    go = find(page, QPushButton, "reason-go")
    assert not go.isEnabled()
    assert go.toolTip() == "Say why in a few words; the model is told."
    note = find(page, NoteField, "reason-note")
    note.setPlainText("Too tidy.")
    QTest.keyClick(note, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: tabs.tabText(1) == "Candidates · 1" and is_quiet(closed_operations))
    page.show_tab(0)
    find(page, FigureTable, "dialogues").mark((0, 1))
    live = find(page, LiveDialogue, "live-dialogue")
    qtbot.waitUntil(lambda: "Too tidy." in {label.text() for label in live.findChildren(QLabel)})
    workspace = go_on()
    declined = [one for one in exchanges_of(workspace, 1, dialogue=0) if one.verdict.declined]
    assert [one.verdict.declined for one in declined] == ["Too tidy."]
    waiting = waiting_candidates(workspace, 1)[0]
    assert all(declined[0].number < offer.number for offer in waiting.offers)
    workspace.close()


def test_a_choice_somebody_else_made_meanwhile_is_said_and_what_waits_is_read_again(
    qtbot: QtBot, page: GeneratePage, closed_operations: Operations, go_on: Generate, tmp_path: Path
) -> None:
    _show(qtbot, page, closed_operations, go_on())
    workspace = open_workspace(str(tmp_path / "p.db"))
    theirs = waiting_candidates(workspace, 1)[0]
    pick(workspace, 1, theirs, chosen=4)
    _press(page, Qt.Key.Key_1)
    with qtbot.waitSignal(closed_operations.failure) as failure:
        _press(page, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert "waits no longer" in str(failure.args[0])
    table = find(page, FigureTable, "waiting")
    qtbot.waitUntil(lambda: len(table.rows) == 1 and is_quiet(closed_operations))
    verdicts = [one.verdict for one in exchanges_of(workspace, 1, dialogue=0)]
    assert [(one.chosen, one.text) for one in verdicts] == [(4, theirs.offers[4].text)]
    workspace.close()


def test_the_key_that_uses_a_request_takes_none_that_nobody_chose(
    qtbot: QtBot, page: GeneratePage, closed_operations: Operations, go_on: Generate
) -> None:
    """Pressed twice by mistake, it does not settle the next dialogue unread."""
    _show(qtbot, page, closed_operations, go_on())
    table, use = find(page, FigureTable, "waiting"), find(page, QPushButton, "candidate-pick")
    text = find(page, NoteField, "candidate-text")
    for left in (2, 1):
        assert (_chosen(page), text.words, len(table.rows)) == ([], "", left)
        assert "Choose a request first." in use.toolTip()
        _press(page, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        text.setPlainText("Nobody offered this.")
        _press(page, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert is_quiet(closed_operations)
        assert len(table.rows) == left
        _press(page, Qt.Key.Key_2)
        _press(page, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda left=left: len(table.rows) == left - 1 and is_quiet(closed_operations))  # type: ignore[misc]


def test_without_anything_that_waits_no_key_does_anything(page: GeneratePage) -> None:
    QTest.keyClick(page.window(), Qt.Key.Key_C)
    for key in (Qt.Key.Key_X, Qt.Key.Key_1):
        _press(page, key)
    _press(page, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert not page.findChildren(QDialog)
    assert not _cards(page)
