"""The History tab: the timeline, what changed, the drawings laid over each other, the way back."""

import pytest
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPushButton

from annotator.cases.edits.edge_edits import remove_edge
from annotator.cases.edits.text_edits import set_argument_value, set_user_text
from annotator.cases.history import case_history, replace_content
from scoring.model.taxonomy import Stage
from tests.annotator.drafts.cases import parcel_case
from tests.ui.find import find
from tests.ui.workbench.driving import Bench, click
from ui.desk.tabs.history_tab import RevisionPair
from ui.theme import SectionLabel


@pytest.fixture
def changed(bench: Bench) -> Bench:
    """The parcel case with a second revision: another request, another depot, an edge less."""
    case = set_user_text(parcel_case(), 0, text="Send my parcel P-881 home.")
    case = set_argument_value(case, 0, step=1, path="/depot", value="Lom-3")
    case = remove_edge(case, 0, source=0, target=1)
    replace_content(bench.team["max"], "c-1", case=case, reason="said otherwise")
    bench.open("c-1")
    bench.press("Alt+H")
    bench.wait(lambda: bench.panels.history.timeline.count() == 2)
    bench.wait(lambda: bench.panels.middle.currentWidget() is bench.panels.comparison)
    return bench


def test_the_timeline_says_who_made_a_revision_at_which_stage_and_why(changed: Bench) -> None:
    words = [item.text() for item in items(changed)]
    assert "max" in words[0]
    assert "said otherwise" in words[0]
    assert "Imported" in words[1]


def items(bench: Bench) -> list[QListWidgetItem]:
    shown = find(bench.panels.history, QListWidget, "revision-list")
    return [shown.item(row) for row in range(shown.count())]


def test_each_kind_of_change_is_listed_at_its_place(changed: Bench) -> None:
    headings = [
        label.text() for label in changed.panels.history.findChildren(SectionLabel) if label.objectName()
    ]
    assert [heading.lower() for heading in headings] == [
        "task 1 · user",
        "task 1 · step 1 arguments",
        "task 1 · edge 0-1",
    ]


def test_two_drawings_lie_over_each_other_until_the_tab_is_left(changed: Bench) -> None:
    assert changed.panels.comparison.view.task.user.endswith("home.")
    changed.press("Alt+R")
    assert changed.panels.middle.currentWidget() is changed.panels.graph
    changed.press("Alt+H")
    assert changed.panels.middle.currentWidget() is changed.panels.comparison


def test_drawings_of_other_steps_are_not_compared() -> None:
    case = parcel_case()
    first = case.tasks[0]
    shorter = first.model_copy(update={"steps": first.steps[1:], "edges": ()})
    other = case.model_copy(update={"tasks": (shorter, case.tasks[1])})
    assert RevisionPair(case, other, ("revision 1", "revision 2")).drawing_of(0) is None


def test_an_earlier_revision_is_restored_as_an_edit_and_becomes_a_revision_when_submitted(
    changed: Bench,
) -> None:
    changed.press("Down")
    button = find(changed.panels.history, QPushButton, "revision-restore")
    changed.wait(button.isEnabled)
    click(button)
    changed.wait(lambda: changed.document.case.tasks[0].user == parcel_case().tasks[0].user)
    changed.press("Ctrl+Z")
    assert changed.document.case.tasks[0].user.endswith("home.")
    changed.press("Ctrl+Shift+Z")
    for task in (0, 1):
        changed.press(f"Alt+{task + 1}", "Shift+E", "G")
        changed.check_all(task)
    changed.press("Ctrl+Return")
    changed.wait(lambda: changed.team.stage("c-1") is Stage.SELF_CHECK_DIALOGUE)
    assert [row.number for row in case_history(changed.team["ann"], "c-1")] == [1, 2, 3]


def test_a_blind_reviewer_sees_no_history(bench: Bench) -> None:
    bench.team.self_check("bob", "c-1")
    bench.open("c-1")
    assert bench.document.is_blind
    bench.press("Alt+H")
    assert bench.panels.history.timeline.count() == 0
