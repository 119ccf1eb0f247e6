"""Going about a case by keys: every card is a stop, F8 goes on from there, answers are written."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from annotator.drafts.journal import Journal
from annotator.drafts.problems import problems_of
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue import checked
from scoring.model.taxonomy import Information, Policy
from tests.ui.find import find
from tests.ui.workbench.driving import Bench, click
from ui.desk import case_actions
from ui.desk.document import Selection
from ui.dialogue.content import ANSWER_MISSING, USER_STEP
from ui.services.commands import Commands
from ui.services.preferences import Preferences
from ui.theme import Kbd, WrappedLabel
from ui.workbench.page import WorkbenchPage


def without_answer(bench: Bench) -> None:
    """Open the parcel case and take the answer of its first task away; the first request is selected."""
    bench.open("c-1")
    bench.document.select(0, 2)
    case_actions.delete_step(bench.document)
    bench.panels.go_to(0, None)
    assert bench.document.case.tasks[0].answer is None


def without_policy(bench: Bench) -> None:
    """Take the policy of the second task off."""
    bench.document.select(1)
    case_actions.set_policy(bench.document, None)
    bench.panels.go_to(0, None)


def stop(bench: Bench) -> tuple[int, int] | None:
    """The card one is at."""
    return bench.panels.dialogue.view.current


def test_a_missing_answer_is_a_stop_and_enter_opens_its_editor(bench: Bench) -> None:
    without_answer(bench)
    bench.press("J", "J", "J")
    assert stop(bench) == (0, ANSWER_MISSING)
    assert not bench.panels.dialogue.view.is_editing
    bench.press("Return")
    assert isinstance(bench.target, QPlainTextEdit)
    assert bench.next_keys == "Task 1: you write; Ctrl Enter keeps it, Esc leaves it."
    bench.type_text("It is on its way.")
    bench.press("Ctrl+Return")
    answer = bench.document.case.tasks[0].answer
    assert answer is not None
    assert answer.text == "It is on its way."


def test_escape_leaves_it_where_one_is(bench: Bench) -> None:
    without_answer(bench)
    bench.press("J", "J", "J", "Return", "Esc")
    assert stop(bench) == (0, ANSWER_MISSING)
    assert not bench.panels.dialogue.view.is_editing
    bench.press("J")
    assert stop(bench) == (1, USER_STEP)
    bench.press("K")
    assert stop(bench) == (0, ANSWER_MISSING)
    assert bench.document.case.tasks[0].answer is None


def test_letters_from_habit_at_a_missing_answer_are_no_answer(bench: Bench) -> None:
    """Whoever is led there by the key before, by F8 or by F, has the keys of commands still."""
    without_answer(bench)
    bench.press("F8", "U")  # the drawing; the answer is next
    assert stop(bench) == (0, ANSWER_MISSING)
    assert bench.next_keys.startswith("Task 1: Answer missing")
    assert "Enter opens its editor" in bench.next_keys
    bench.press("=", "U", "E", "F", "=", "C", "F8", "C")
    bench.page.flush()
    assert bench.document.case.tasks[0].answer is None
    assert any(one.kind == "finding" for one in bench.document.assessment.blockers)


def test_enter_that_is_held_opens_an_empty_editor(bench: Bench) -> None:
    without_answer(bench)
    bench.press("J", "J", "J", "Return")
    for _ in range(5):
        held = QKeyEvent(
            QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r", autorep=True
        )
        QApplication.sendEvent(bench.target, held)
    assert isinstance(bench.target, QPlainTextEdit)
    assert bench.target.toPlainText() == ""


def test_a_click_on_a_missing_answer_opens_its_editor(bench: Bench) -> None:
    without_answer(bench)
    card = bench.panels.dialogue.view.column.bring((0, ANSWER_MISSING))
    assert card is not None
    part = card.part("text")
    assert part is not None
    click(find(part, QWidget, "part-text"))
    assert isinstance(bench.target, QPlainTextEdit)


def test_f8_goes_on_from_where_the_selection_is(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+2", "F8")
    problem = bench.page.keyboard.navigation.problem
    assert problem is not None
    assert problem.task == 1


def test_f8_visits_what_blocks_also_what_was_passed_over_before_any_warning(bench: Bench) -> None:
    bench.open("c-1")
    blocking = sum(problem.is_blocking for problem in problems_of(bench.document.assessment))
    seen = []
    for _ in range(2 * blocking):
        bench.press("F8")
        problem = bench.page.keyboard.navigation.problem
        assert problem is not None
        assert problem.is_blocking
        seen.append(problem.key)
    assert seen[:blocking] == seen[blocking:]


def test_f8_behind_a_key_that_went_on_by_itself_stays_there(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("F8", "G")
    led = bench.page.keyboard.navigation.problem
    line = bench.next_keys
    bench.press("F8")
    stays = bench.page.keyboard.navigation.problem
    assert led is not None
    assert stays is not None
    assert stays.key == led.key
    assert bench.next_keys == line
    bench.press("F8")
    following = bench.page.keyboard.navigation.problem
    assert following is not None
    assert following.key != led.key


def test_digits_from_habit_land_where_the_key_before_led(bench: Bench) -> None:
    """`F8` and a digit, again and again: two labels, each the one that was meant."""
    bench.open("c-1")
    bench.press("Alt+2")
    case_actions.set_policy(bench.document, None)
    case_actions.set_information(bench.document, None)
    case_actions.draw_recorded(bench.document)
    bench.panels.go_to(1, None)
    while (problem := bench.page.keyboard.navigation.problem) is None or problem.label != "policy":
        bench.press("F8")
    bench.press("5", "F8", "2")
    found = bench.document.case.tasks[1]
    assert (found.policy, found.information) == (Policy.CLARIFY, Information.OMISSION)


def test_the_bar_always_names_what_the_next_key_does_on_which_task(bench: Bench) -> None:
    bench.open("c-1")
    assert bench.next_keys.startswith("F8 leads to: Task 1: it is not drawn;")
    bench.press("F8")
    assert "G accepts what is dotted · U no dependencies · O the order recorded" in bench.next_keys
    bench.press("G")
    assert bench.next_keys.startswith("Task 1, step 0: say where /number of findParcel comes from.")
    assert "E accepts the source" in bench.next_keys
    bench.press("J")  # the keys are at a card now, where E takes the whole step
    assert bench.next_keys.startswith("F8 leads to: Task 1")
    bench.press("Alt+2", "Alt+R")
    assert bench.next_keys.startswith("F8 leads to: Task 2: it is not drawn;")


def test_the_key_that_settles_what_f8_led_to_leads_to_the_next_open_point(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("F8")
    first = bench.page.keyboard.navigation.problem
    assert first is not None
    assert first.kind == "drawing"
    bench.press("G")
    following = bench.page.keyboard.navigation.problem
    assert following is not None
    assert following.key != first.key
    assert following.is_blocking
    assert bench.next_keys.startswith(following.message)
    bench.press("Ctrl+Z")
    again = bench.page.keyboard.navigation.problem
    assert again is not None
    assert again.key == first.key


def test_who_goes_about_by_hand_is_left_where_they_are(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+2")
    before = bench.document.selection
    bench.press("G", "Shift+E", "T")
    assert bench.document.selection.task == before.task
    assert bench.page.keyboard.navigation.problem is None


def test_a_key_too_many_confirms_nothing_of_what_comes_next(bench: Bench) -> None:
    bench.open("c-1")
    while (problem := bench.page.keyboard.navigation.problem) is None or problem.kind != "evidence":
        bench.press("F8")
    assert problem.task is not None
    bench.press("C")
    shown = bench.page.keyboard.navigation.problem
    assert shown is not None
    assert shown.kind == "checklist"
    assert not bench.document.judgment.tasks[problem.task].checklist
    bench.press("C")
    assert bench.document.judgment.tasks[problem.task].checklist


def test_a_digit_chooses_a_label_that_f8_led_to_and_says_what_digits_choose(bench: Bench) -> None:
    bench.open("c-1")
    without_policy(bench)
    bench.press("F8")
    while (problem := bench.page.keyboard.navigation.problem) is None or problem.label != "policy":
        bench.press("F8")
    labels = bench.panels.review.labels
    assert labels.policy.hasFocus()
    assert labels.digits.isVisible()
    assert labels.digits.text().startswith("1 Single")
    assert labels.policy.geometry().bottom() < labels.digits.y() < labels.completed.y()
    bench.press("1")
    assert bench.document.case.tasks[problem.task or 0].policy is Policy.SINGLE
    assert not labels.digits.isVisible()


@pytest.fixture
def once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The parcel case, open to a known owner who does one self-check in place of two."""
    monkeypatch.setattr(checked, "KNOWN_AFTER", 0)
    change_review_policy(bench.team["max"], ("one_self_check=true",))
    bench.open("c-1")
    return bench


def _confirmed(bench: Bench) -> list[list[str]]:
    """What was answered of each task, then of the dialogue."""
    said = bench.document.judgment
    lists = (*(labels.checklist for labels in said.tasks), said.checklist)
    return [[item for item, answer in answers.items() if answer] for answers in lists]


def test_in_one_self_check_c_walks_through_every_task_and_then_the_dialogue(once: Bench) -> None:
    asked = [item for item in once.document.assessment.items if item.proof is None]
    first, second, dialogue = ([item.id for item in asked if item.task == task] for task in (0, 1, None))
    assert len(dialogue) == 3
    review = once.panels.review
    lists = [one.findChildren(Kbd)[0] for one in (review.task_checklist, review.case_checklist)]
    assert [hint.isVisible() for hint in lists] == [True, False]
    once.press(*["C"] * len(first))
    assert _confirmed(once) == [first, [], []]
    once.press("C")
    assert (once.document.selection.task, _confirmed(once)) == (1, [first, [], []])
    once.press(*["C"] * len(second))
    assert _confirmed(once) == [first, second, []]
    assert [hint.isVisible() for hint in lists] == [False, True]
    once.press(*["C"] * len(dialogue))
    assert _confirmed(once) == [first, second, dialogue]


def test_in_one_self_check_the_way_back_from_the_first_point_leads_to_the_dialogue(once: Bench) -> None:
    once.press("Shift+F8")
    problem = once.page.keyboard.navigation.problem
    assert problem is not None
    assert (problem.kind, problem.task) == ("checklist", None)
    assert once.panels.review.case_checklist.items["coherence"].box.hasFocus()


def test_the_last_point_says_which_key_submits(bench: Bench) -> None:
    keys = {"drawing": "G", "evidence": "Shift+E", "checklist": "C", "label": "Shift+P", "finding": "F"}
    bench.open("c-1")
    for _ in range(80):
        if not bench.document.assessment.blockers:
            break
        problem = bench.page.keyboard.navigation.problem
        bench.press("F8" if problem is None else keys[problem.kind])
    assert bench.next_keys.startswith("Nothing blocks any more: Ctrl ↵ submits.")
    assert "F8 leads to: Does not block: Task 2" in bench.next_keys
    for _ in problems_of(bench.document.assessment):
        bench.press("F8", "W")
        bench.type("so")
        bench.press("Return")
    bench.press("F8", "F8")
    assert bench.next_keys == "Nothing blocks any more: Ctrl ↵ submits."


def test_no_key_that_judges_or_draws_repeats_while_it_is_held(bench: Bench) -> None:
    commands = bench.page.submit_bar.window().findChildren(QAction)
    repeats = {action.objectName(): action.autoRepeat() for action in commands}
    assert not any(repeats[f"workbench.{name}"] for name in ("confirm", "accept", "fix", "suggested"))
    assert repeats["workbench.undo"]
    assert repeats["workbench.step"]


def test_enter_on_a_selected_card_edits_it(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "Return")
    assert bench.panels.dialogue.view.is_editing
    assert stop(bench) == (0, 0)


def test_a_line_stands_above_the_column_the_keys_go_to(bench: Bench) -> None:
    bench.open("c-1")
    line = find(bench.page, QWidget, "active-line")
    places = []
    for _ in range(3):
        assert line.isVisible()
        places.append(line.geometry().left())
        bench.press("F6")
    assert len(set(places)) == 3
    assert line.geometry().left() == places[0]


def test_a_call_is_judged_only_once_it_is_selected(bench: Bench) -> None:
    bench.team.self_check("bob", "c-1")
    bench.open("c-1")
    bench.press("R")
    assert bench.document.selection.step == 0
    assert bench.document.judgment.tasks[0].calls_correct[0] is None
    bench.press("R")
    assert bench.document.judgment.tasks[0].calls_correct[0] is True


def test_what_a_letter_draws_is_in_sight(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Ctrl+G")
    assert not bench.panels.graph.isVisible()
    bench.press("U")
    assert bench.panels.graph.isVisible()
    assert bench.document.case.tasks[0].drawn_edges == ()


def test_a_finished_task_looks_finished(bench: Bench) -> None:
    bench.open("c-1")
    assert not any(chip.startswith("✓") for chip in bench.panels.dialogue.tasks.labels)
    bench.press("G", "Shift+E")
    bench.check_all(0)
    if bench.document.case.tasks[0].policy is not Policy.MULTI_SERIAL:
        bench.press("Shift+P")
    assert [chip.startswith("✓") for chip in bench.panels.dialogue.tasks.labels] == [True, False]


@pytest.mark.parametrize("width", [700, 1366])
def test_nothing_that_blocks_leaves_the_bar_and_no_sentence_of_it_is_cut(bench: Bench, width: int) -> None:
    without_answer(bench)
    without_policy(bench)
    bench.window.resize(width, 640)
    bench.press("F8", "Shift+F8")
    bar = bench.page.submit_bar
    bar.tell("What is being typed is no value yet: complete it, or give it up with Escape.")
    bench.wait(lambda: bench.page.submit_bar.width() <= width)
    kinds = {blocker.kind for blocker in bench.document.assessment.blockers}
    assert kinds == {"drawing", "finding", "evidence", "label", "checklist"}
    names = [
        *(f"points-{kind}" for kind in kinds),
        "workbench-note",
        "workbench-next-keys",
        "workbench-submit",
    ]
    for name in names:
        shown = find(bar, QWidget, name)
        assert shown.isVisible(), name
        where = QRect(shown.mapTo(bar, QPoint(0, 0)), shown.size())
        assert bar.rect().contains(where), (name, where, bar.rect())
        if isinstance(shown, WrappedLabel):
            assert shown.heightForWidth(shown.width()) <= shown.height(), name


def test_my_changes_so_far_are_listed(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("P", "1", "T", "Alt+C")
    dialog = bench.window.findChild(QWidget, "changes-dialog")
    assert dialog is not None
    words = find(dialog, QWidget, "changes-words")
    assert "1 label" in words.property("text")
    assert "1 judgment" in words.property("text")
    click(find(dialog, QPushButton, "changes-close"))


def test_a_source_is_looked_for_from_a_place_it_may_come_from(bench: Bench) -> None:
    bench.open("c-1")
    bench.document.select(0, 1)
    bench.press("Alt+E", "S")
    citing = bench.panels.dialogue.view.citing
    assert citing is not None
    task, step = stop(bench) or (9, 9)
    assert citing.can_come_from(task, None if step == USER_STEP else step)


def test_words_of_another_task_are_typed_to_the_end(bench: Bench) -> None:
    bench.open("c-1")
    bench.panels.dialogue.open_find()
    bench.type("now some")
    assert stop(bench) == (1, USER_STEP)
    assert bench.panels.dialogue.find_bar.words.text() == "now some"


def test_a_case_opens_again_at_the_card_that_was_left(
    qtbot: QtBot, bench: Bench, preferences: Preferences, journal: Journal
) -> None:
    bench.open("c-1")
    bench.press(*["J"] * 5, "P", "1")
    bench.wait(bench.is_saved)
    held = bench.page.open_work.loaded
    assert held is not None
    bench.page.open_work.close()
    window = QMainWindow()
    qtbot.addWidget(window)
    later = WorkbenchPage(bench.operations, Commands(window), preferences, journal=journal)
    window.setCentralWidget(later)
    window.show()
    later.open_assignment(held.opened.assignment.id)
    bench.wait(lambda: later.open_work.document is not None)
    assert later.panels.dialogue.view.current == (1, 0)
    assert later.panels.document is not None
    assert later.panels.document.selection == Selection(1, 0)
