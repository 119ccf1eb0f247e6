"""The T-Eval tab: there where a project wants it; plan, thoughts and labels by keys, undone, submitted."""

from PySide6.QtWidgets import QPlainTextEdit, QPushButton

from annotator.review.policy_changes import change_review_policy
from scoring.model.case import Answer, Call
from scoring.model.taxonomy import ReviewLabel
from tests.ui.find import find
from tests.ui.workbench.driving import Bench, click
from ui.desk.tabs.section import ChoiceField


def _switched_on(bench: Bench) -> None:
    change_review_policy(bench.team["max"], ("teval_fields=true",))
    bench.open("c-1")


def _call(bench: Bench, step: int) -> Call:
    found = bench.document.case.tasks[0].steps[step]
    assert isinstance(found, Call)
    return found


def test_the_tab_is_there_only_where_the_project_wants_it(bench: Bench) -> None:
    bench.open("c-1")
    tabs, tab = bench.panels.tabs, bench.panels.thoughts
    assert not tabs.isTabVisible(tabs.indexOf(tab))
    bench.press("Alt+T")
    assert tabs.currentWidget() is not tab


def test_plan_and_thoughts_are_written_and_undone_as_one_step(bench: Bench) -> None:
    _switched_on(bench)
    bench.press("Alt+T")
    bench.panels.thoughts.plan.setFocus()
    bench.type("Find it, then send it on.")
    assert bench.document.case.tasks[0].plan == "Find it, then send it on."
    bench.press("Ctrl+Z")
    assert bench.document.case.tasks[0].plan is None
    assert bench.panels.thoughts.plan.toPlainText() == ""
    field = find(bench.window, QPlainTextEdit, "thought-0")
    field.setFocus()
    bench.type("Where is it?")
    assert _call(bench, 0).thought == "Where is it?"
    assert bench.document.selection.step == 0


def test_letters_from_habit_are_no_plan(bench: Bench) -> None:
    _switched_on(bench)
    for keys in (("Alt+T",), ("F6", "F6", "F6")):
        bench.press(*keys, "U", "=")
        assert bench.panels.tabs.currentWidget() is bench.panels.thoughts
        assert bench.document.case.tasks[0].plan is None
        assert bench.document.judgment.tasks[0].drawn
        bench.press("Ctrl+Z")
        assert not bench.document.judgment.tasks[0].drawn
        bench.panels.dialogue.view.setFocus()


def test_the_thought_before_an_answer_is_written_too(bench: Bench) -> None:
    _switched_on(bench)
    number = bench.document.case.tasks[0].answer_index
    assert number is not None
    find(bench.window, QPlainTextEdit, f"thought-{number}").setFocus()
    bench.type("Done.")
    found = bench.document.case.tasks[0].steps[number]
    assert isinstance(found, Answer)
    assert found.thought == "Done."


def test_a_digit_labels_a_call_and_one_click_the_rest(bench: Bench) -> None:
    _switched_on(bench)
    bench.press("Alt+T")
    find(bench.window, ChoiceField, "review-0").setFocus()
    bench.press("3")
    assert _call(bench, 0).review_label is ReviewLabel.INPUT
    rest = find(bench.window, QPushButton, "reviews-rest")
    click(rest)
    labels = [call.review_label for _, call in bench.document.case.tasks[0].calls]
    assert labels == [ReviewLabel.INPUT, *[ReviewLabel.SUCCESS] * (len(labels) - 1)]
    assert not rest.isVisible()
    assert bench.document.judgment.tasks[0].reviews == tuple(labels)
    bench.press("Ctrl+Z")
    assert _call(bench, 0).review_label is ReviewLabel.INPUT
    assert bench.document.judgment.tasks[0].reviews[1:] == (None,) * (len(labels) - 1)


def test_a_missing_label_is_a_problem_that_leads_to_its_field(bench: Bench) -> None:
    _switched_on(bench)
    bench.page.keyboard.navigation.first_problem("review")
    assert bench.panels.tabs.currentWidget() is bench.panels.thoughts
    assert find(bench.window, ChoiceField, "review-0").hasFocus()
