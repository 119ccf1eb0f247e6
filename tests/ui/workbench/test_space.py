"""Space at the checklist: the bar says what the next press does, and no press too many does harm."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox

from scoring.model.case import Case
from scoring.model.taxonomy import CheckAnswer, Information, Policy, Stage
from tests.factories import answer, call, case, task, tool
from tests.ui.find import find
from tests.ui.workbench.driving import Bench, click
from ui.desk.document import CaseDocument

PASS = CheckAnswer.PASS
FITS = "“The answer fits the request”"


def doubtful_case() -> Case:
    """One task whose request and answer name its tool, and whose answer says what no observation holds."""
    return case(
        task(
            call("findParcel", {"depot": "Hamar"}, number="P-881"),
            answer("findParcel says that P-881 arrives at 17:45."),
            user="Call findParcel for P-881, please.",
            policy=Policy.SINGLE,
            information=Information.FIRST,
        ),
        tools=[tool("findParcel", number={"type": "string"}, required=["number"])],
        id="doubtful",
    )


def go_to_checklist(bench: Bench) -> None:
    """Go by F8 to the checklist of the first task."""
    for _ in range(9):
        bench.press("F8")
        if bench.problem is not None and bench.problem.kind == "checklist":
            return
    raise AssertionError("no checklist")


def space_words(bench: Bench) -> str:
    """What the bar says that Space does."""
    return next((part for part in bench.next_keys.replace(". ", " · ").split(" · ") if "Space" in part), "")


@pytest.mark.parametrize("stage", [Stage.SELF_CHECK_TASK, Stage.CROSS_CHECK])
def test_the_bar_says_what_space_does_with_an_unseen_a_seen_and_a_confirmed_item(
    bench: Bench, stage: Stage
) -> None:
    if stage is Stage.CROSS_CHECK:
        bench.team.self_check("bob", "c-1")
    bench.open("c-1")
    assert bench.document.stage is stage
    bench.pace = 0.05
    go_to_checklist(bench)
    bench.pace = 0.31
    checklist = bench.document.judgment.tasks[0].checklist
    assert f"C shows what to read for {FITS}" in bench.next_keys  # as Space does
    bench.press("Space")
    assert bench.document.judgment.tasks[0].checklist == checklist == {}
    bench.wait_a_while(60)
    bench.wait(lambda: f"C confirms {FITS}" in bench.next_keys)
    bench.press("Space")
    confirmed = bench.document.judgment.tasks[0].checklist
    assert confirmed == {"relevant": PASS}
    assert space_words(bench) == "Space changes nothing here"
    assert "C confirms “" in bench.next_keys
    bench.press("Space", "Space")
    assert bench.document.judgment.tasks[0].checklist == confirmed


@pytest.mark.parametrize("stage", [Stage.SELF_CHECK_TASK, Stage.CROSS_CHECK])
def test_who_keeps_pressing_space_confirms_one_item_at_the_most(bench: Bench, stage: Stage) -> None:
    bench.team.bring(doubtful_case(), batch="b2")
    if stage is Stage.CROSS_CHECK:
        bench.team.self_check("bob", "doubtful")
    bench.open("doubtful")
    go_to_checklist(bench)
    before = everything_said(bench.document)
    bench.press(*["Space"] * 30)
    found, said = bench.document.judgment.tasks[0].checklist, everything_said(bench.document)
    assert list(found.values()) == [PASS]
    assert said[1:] == before[1:]


def everything_said(document: CaseDocument) -> tuple[object, ...]:
    """The checklist of the first task, the rest of what was said of it, and the case."""
    first = document.judgment.tasks[0]
    return first.checklist, first.model_copy(update={"checklist": {}}), document.case


def test_that_an_item_fails_stays_said_until_it_is_taken_back_by_hand(bench: Bench) -> None:
    bench.open("c-1")
    box = find(bench.page, QCheckBox, "check-language")
    box.setFocus(Qt.FocusReason.OtherFocusReason)
    bench.press("F", "Space", "Space")
    assert bench.document.judgment.tasks[0].checklist == {"language": CheckAnswer.FAIL}
    click(box)
    assert bench.document.judgment.tasks[0].checklist == {"language": None}


def test_the_bar_names_space_only_while_it_goes_to_the_item(bench: Bench) -> None:
    bench.team.bring(doubtful_case(), batch="b2")
    bench.open("doubtful")
    go_to_checklist(bench)
    bench.press("C", "Space")
    assert "C leads to “Language is natural" in bench.next_keys
    bench.press("C")
    assert space_words(bench) == "Space confirms “Language is natural and appropriate”"
    bench.panels.dialogue.view.column.setFocus(Qt.FocusReason.OtherFocusReason)
    assert space_words(bench) == ""
    bench.open("c-1")
    assert bench.next_keys.startswith("F8 leads to: Task 1")
    find(bench.page, QCheckBox, "check-relevant").setFocus(Qt.FocusReason.OtherFocusReason)
    bench.wait_a_while(60)
    bench.wait(lambda: bench.next_keys.startswith(f"C confirms {FITS} · F8 leads to: Task 1"))
