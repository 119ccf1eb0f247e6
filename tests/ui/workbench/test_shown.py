"""A key confirms only what was on the screen for as long as it takes to read, by whatever hand."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QPushButton, QWidget

from annotator.cases.edits import text_edits
from annotator.drafts.reading_time import text_seconds
from scoring.model.case import Case
from scoring.model.taxonomy import CheckAnswer, Information, Policy, Stage
from tests.annotator.drafts.cases import parcel_case
from tests.factories import answer, call, case, task, tool
from tests.ui.find import find
from tests.ui.workbench.driving import Bench, click, stage_of
from ui.desk import case_actions
from ui.dialogue.parts import PartView

PASS, FAIL, NOT_APPLICABLE = CheckAnswer.PASS, CheckAnswer.FAIL, CheckAnswer.NOT_APPLICABLE
FIND = tool("findParcel", number={"type": "string"}, required=["number"])


def long_case() -> Case:
    """One task that fills several screens: a long observation, whose last value its answer states."""
    stops = {f"stop-{number}": f"depot {number} of the northern line" for number in range(60)}
    return case(
        task(
            call("findParcel", {**stops, "last": "Lom-77"}, number="P-881"),
            answer("It lies in Lom-77."),
            user="Where is P-881?",
            policy=Policy.SINGLE,
            information=Information.FIRST,
        ),
        tools=[FIND],
        id="long",
    )


def unrecorded_case() -> Case:
    """Two tasks of one call each, whose observations were never recorded."""
    made = call("findParcel", number="P-881").model_copy(update={"observation": None})
    tasks = [
        task(
            made,
            answer(f"P-881 lies in {depot}."),
            user=words,
            policy=Policy.SINGLE,
            information=information,
        )
        for words, depot, information in (
            ("Where is parcel P-881?", "Hamar", Information.FIRST),
            ("And where does P-881 lie now, a day later?", "Gjovik", Information.OMISSION),
        )
    ]
    return case(*tasks, tools=[FIND], id="bare")


def bring(bench: Bench, shown: Case) -> None:
    bench.team.bring(shown, batch="b2")
    bench.open(shown.id)


def said(bench: Bench, number: int = 0) -> dict[str, CheckAnswer | None]:
    return bench.document.judgment.tasks[number].checklist


def words_of(shown: Case, number: int = 0) -> str:
    found = shown.tasks[number]
    assert found.answer is not None
    return f"{found.user} {found.answer.text}"


def observation(bench: Bench) -> PartView:
    card = bench.panels.dialogue.view.column.card((0, 0))
    assert card is not None
    part = card.part("observation")
    assert part is not None
    return part


def is_in_sight(widget: QWidget) -> bool:
    return widget.visibleRegion().boundingRect().height() == widget.height()


# hasty hands


def test_keys_in_a_row_confirm_nothing_and_leave_no_task(bench: Bench) -> None:
    bench.pace = 0.15
    bench.open("c-1")
    bench.press("Shift+E", *["C"] * 18)
    assert [said(bench, number) for number in (0, 1)] == [{}, {}]
    assert bench.document.selection.task == 0
    assert bench.page.submit_bar.note.startswith("Read the request and the answer first: “The answer fits")


def test_presses_in_time_confirm_only_once_the_words_can_have_been_read(bench: Bench) -> None:
    bench.pace = 0.31
    bench.open("c-1")
    bench.panels.review.task_checklist.focus_open_item()
    begun, needed = bench.moment, text_seconds(words_of(parcel_case()))
    while not said(bench):
        assert bench.moment - begun < needed + 2 * bench.pace
        bench.press("C")
    assert bench.moment - begun >= needed
    bench.press("C")
    assert list(said(bench)) == ["relevant", "language"]  # it has no new words


def test_the_other_task_is_new_whatever_was_read_of_the_first(bench: Bench) -> None:
    bench.open("c-1")
    bench.check_all(0)
    bench.pace = 0.31
    bench.press("Alt+2", "C")
    assert said(bench, 1) == {}
    assert "first: “The answer fits the request” can be confirmed in" in bench.page.submit_bar.note


@pytest.mark.parametrize("way", ["space", "click", "does not apply"])
def test_every_way_to_confirm_an_item_asks_for_what_was_shown(bench: Bench, way: str) -> None:
    bench.pace = 0.31
    bench.open("c-1")
    box = find(bench.page, QCheckBox, "check-language")
    for _ in range(2):
        box.setFocus(Qt.FocusReason.OtherFocusReason)
        bench.wait_a_while(0.31)
        if way == "click":
            click(box)
        else:
            bench.press("Space" if way == "space" else "-")
        assert said(bench) == {}
    bench.wait_a_while(60)
    bench.press("-" if way == "does not apply" else "Space")
    assert said(bench) == {"language": NOT_APPLICABLE if way == "does not apply" else PASS}


def test_that_an_item_fails_is_said_at_once_and_taken_back_at_once(bench: Bench) -> None:
    bench.pace = 0.0
    bench.open("c-1")
    find(bench.page, QCheckBox, "check-language").setFocus(Qt.FocusReason.OtherFocusReason)
    bench.press("F")
    assert said(bench) == {"language": FAIL}
    bench.press("Ctrl+Z")
    assert said(bench) == {}


def test_what_is_behind_another_window_is_not_read(bench: Bench) -> None:
    bench.open("c-1")
    other = QWidget()
    bench.qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    bench.wait(other.isActiveWindow)
    bench.wait_a_while(60)
    bench.window.activateWindow()
    bench.wait(bench.window.isActiveWindow)
    bench.pace = 0.31
    bench.press("C")
    assert said(bench) == {}


# honest hands


def test_a_press_leads_to_what_is_out_of_sight_unfolds_and_marks_it(bench: Bench) -> None:
    bring(bench, long_case())
    bench.press("C")
    assert said(bench) == {"relevant": PASS}
    part = observation(bench)
    assert not part.is_folded
    start, end = part.place_of("/last") or (0, 0)
    box, seen = part.block.box_of(start, end), part.block.visibleRegion().boundingRect()
    assert seen.contains(box)
    assert not seen.contains(part.block.rect())  # the whole observation has no room
    assert part.part.cited == ("/last",)
    bench.press("C")
    assert said(bench)["facts"] is PASS


def test_facts_wait_until_their_values_are_unfolded(bench: Bench) -> None:
    bring(bench, long_case())
    bench.press("C")
    bench.wait_a_while(60)
    observation(bench).toggle_fold()
    bench.panels.dialogue.view.column.verticalScrollBar().setValue(0)
    bench.pace = 0.31
    bench.press("C")
    assert said(bench) == {"relevant": PASS}
    assert bench.page.submit_bar.note == (
        "Not seen yet: the observation. Look, then confirm “Facts match the observations”."
    )
    assert observation(bench).block.selected_text == '"Lom-77"'
    bench.press("C")
    assert said(bench)["facts"] is PASS


def test_the_walk_stops_behind_a_task_and_c_goes_on(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("F8", "G", "Shift+E")
    bench.check_all(0)
    assert bench.document.selection.task == 0
    assert bench.page.submit_bar.note == "Task 1 is settled: C goes on to task 2."
    before = bench.document.judgment
    bench.press("C")
    assert bench.document.selection.task == 1
    assert bench.document.judgment == before
    assert bench.problem is not None
    assert bench.problem.kind == "drawing"


def test_behind_the_last_task_the_line_says_which_key_submits(bench: Bench) -> None:
    bench.open("c-1")
    for number in (0, 1):
        bench.press(f"Alt+{number + 1}", "G", "Shift+E")
        bench.check_all(number)
    assert bench.next_keys.startswith("Nothing blocks any more: Ctrl ↵ submits.")


@pytest.mark.parametrize("label", ["policy", "information"])
def test_in_the_box_of_a_label_c_shows_the_checklist_first(bench: Bench, label: str) -> None:
    bench.open("c-1")
    bench.press("Alt+2", "Alt+R")
    box = bench.panels.review.labels.policy if label == "policy" else bench.panels.review.labels.information
    box.setFocus(Qt.FocusReason.OtherFocusReason)
    bench.press("C")
    assert said(bench, 1) == {}
    assert find(bench.page, QCheckBox, "check-relevant").hasFocus()
    bench.press("C")
    assert said(bench, 1) == {"relevant": PASS}


# what cannot be confirmed


def test_without_an_answer_c_leads_to_the_item_and_says_what_to_do(bench: Bench) -> None:
    bench.open("c-1")
    bench.document.select(0, 2)
    case_actions.delete_step(bench.document)
    bench.press("C", "C", "C")
    assert said(bench) == {}
    assert bench.page.submit_bar.note == (
        "Task 1 has no answer: write it, or say with F that “The answer fits the request” fails."
    )
    bench.press("Space", "-")
    assert said(bench) == {}
    bench.press("F")
    assert said(bench) == {"relevant": FAIL}


def test_without_an_observation_facts_are_passed_over_by_the_key_the_line_names(bench: Bench) -> None:
    bring(bench, unrecorded_case())
    bench.press("C", "C", "C")
    assert said(bench) == {"relevant": PASS}
    assert bench.page.submit_bar.note == (
        "Task 1 misses an observation: “Facts match the observations” fails (F), or does not apply (-)."
    )
    bench.press("-", "C")
    assert said(bench)["facts"] is NOT_APPLICABLE
    assert said(bench)["language"] is PASS


def test_an_answer_that_was_changed_is_read_again(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("C")
    bench.wait_a_while(60)
    bench.pace = 0.31
    text = "It goes on from Hamar-7, as you wished, on the day after tomorrow."
    bench.document.edit_case("change", lambda shown: text_edits.set_answer_text(shown, 0, text=text))
    bench.press("C")
    assert said(bench) == {"relevant": PASS}
    assert bench.page.submit_bar.note.startswith("Not seen yet: the answer, the observation")


# the second round, and cross-checks


def test_the_second_round_shows_the_whole_dialogue_before_c_confirms(bench: Bench) -> None:
    bench.team.check_once("ann", "c-1")
    bench.open("c-1")
    assert bench.document.stage is Stage.SELF_CHECK_DIALOGUE
    bench.window.resize(1380, 420)
    bench.wait(lambda: bench.page.height() <= 420)
    column = bench.panels.dialogue.view.column
    bench.wait(lambda: column.verticalScrollBar().maximum() > 0)
    bench.press("C")
    assert bench.document.judgment.checklist.get("coherence") is None
    assert bench.page.submit_bar.note.startswith("Not seen yet: ")
    bench.check_all(None)
    bench.press("Ctrl+Return")
    bench.wait(lambda: stage_of(bench, "c-1") is Stage.CROSS_CHECK)


def test_t_leads_to_the_checklist_of_its_task_and_without_it_nothing_is_submitted(bench: Bench) -> None:
    bench.team.self_check("bob", "c-1")
    bench.open("c-1")
    bench.press("F8", "G", "Shift+P", "R", "R", "T")
    problem = bench.problem
    assert problem is not None
    assert (problem.kind, problem.task) == ("checklist", 0)
    assert bench.document.selection.task == 0
    bench.check_all(0)
    bench.press("C", "O", "Shift+P", "2", "R", "T", "Ctrl+Return")
    assert bench.problem is not None
    assert (bench.problem.kind, bench.problem.task) == ("checklist", 1)
    assert not find(bench.page, QPushButton, "workbench-submit").isEnabled()
    assert stage_of(bench, "c-1") is Stage.CROSS_CHECK
    bench.check_all(1)
    bench.press("Ctrl+Return")
    bench.wait(lambda: not bench.is_open("c-1"))
