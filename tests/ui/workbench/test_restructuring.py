"""Changing steps and tasks by key and by menu: one step of undo each, and what is drawn and said follows."""

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from tests.ui.find import find
from tests.ui.workbench.driving import Bench

LETTERS = {"call": "c", "ask": "q", "answer": "a"}


def shape(bench: Bench) -> tuple[str, str, str]:
    """Steps of each task by their first letters with the policy, drawn edges, and the cited places."""
    tasks = bench.document.case.tasks
    steps = [
        "".join(LETTERS[step.kind] for step in task.steps) + f" {task.policy or 'unlabelled'}".rstrip()
        for task in tasks
    ]
    edges = [f"{t}:{e.source}-{e.target}" for t, task in enumerate(tasks) for e in task.drawn_edges]
    cited = [f"{c.task}:{c.step}" for c in bench.document.judgment.evidence if c.accepted]
    return " | ".join(steps), " ".join(edges), " ".join(cited)


def menu_action(bench: Bench, name: str) -> QAction:
    """The action of a command, which the menu above the dialogue offers to the mouse."""
    action = bench.commands.action(f"workbench.{name}")
    assert action in find(bench.page, QMenu, "steps-menu").actions()
    return action


BEGINNING = ("cca multi_serial | qca clarify", "0:0-1 1:0-1", "0:0 0:1 1:1")


@pytest.mark.parametrize(
    ("name", "place", "after"),
    [
        # What is inserted behind step 0 has no dependencies; those of the others move along.
        (
            "ask",
            (0, 0),
            ("cqca multi_serial | qca clarify", "0:0-2 1:0-1", "0:0 0:2 1:1"),
        ),
        # The copy of step 1 waits for what step 1 waits for, and nobody has said where its value is from.
        (
            "duplicate",
            (0, 1),
            ("ccca multi_serial | qca clarify", "0:0-1 0:0-2 1:0-1", "0:0 0:1 1:1"),
        ),
        # With step 1 goes its edge and its citation.
        ("delete", (0, 1), ("ca multi_serial | qca clarify", "1:0-1", "0:0 1:1")),
        # The two calls change places; the edge still leads from the one to the other.
        (
            "down",
            (0, 0),
            ("cca multi_serial | qca clarify", "0:1-0 1:0-1", "0:1 0:0 1:1"),
        ),
        (
            "up",
            (0, 1),
            ("cca multi_serial | qca clarify", "0:1-0 1:0-1", "0:1 0:0 1:1"),
        ),
        # The second half of the question follows the first, and what waited for it waits for the second.
        # The reply went there too, so that the value cited from it is to be confirmed.
        (
            "split",
            (1, 0),
            ("cca multi_serial | qqca clarify", "0:0-1 1:0-1 1:1-2", "0:0 0:1"),
        ),
        (
            "new-task",
            (0, None),
            ("cca multi_serial |  unlabelled | qca clarify", "0:0-1 2:0-1", "0:0 0:1 2:1"),
        ),
        ("delete-task", (0, None), ("qca clarify", "0:0-1", "0:1")),
        (
            "task-down",
            (0, None),
            ("qca clarify | cca multi_serial", "0:0-1 1:0-1", "1:0 1:1 0:1"),
        ),
        (
            "task-up",
            (1, None),
            ("qca clarify | cca multi_serial", "0:0-1 1:0-1", "1:0 1:1 0:1"),
        ),
        # The edge across the cut goes; the second half has no labels of its own yet.
        (
            "split-task",
            (0, 1),
            ("c multi_serial | ca unlabelled | qca clarify", "2:0-1", "0:0 1:0 2:1"),
        ),
        # The answer between the two becomes a question; everything behind waits for it.
        (
            "merge-tasks",
            (0, None),
            ("ccqqca multi_serial", "0:0-1 0:1-2 0:2-3 0:3-4", "0:0 0:1 0:4"),
        ),
    ],
)
def test_a_change_is_one_step_of_undo_by_key_and_by_menu(
    bench: Bench, name: str, place: tuple[int, int | None], after: tuple[str, str, str]
) -> None:
    bench.open("c-1")
    bench.press("Shift+E", "Alt+2", "Shift+E")
    assert shape(bench) == BEGINNING
    start = bench.document.stack.index()
    action = menu_action(bench, name)
    for is_mouse in (False, True):
        bench.panels.go_to(*place)
        if is_mouse:
            action.trigger()
        else:
            bench.press(bench.commands.keys(f"workbench.{name}"))
        assert shape(bench) == after
        assert bench.document.stack.index() == start + 1
        bench.document.stack.undo()
        assert shape(bench) == BEGINNING


def test_two_questions_are_merged_and_the_edges_of_both_stay(bench: Bench) -> None:
    bench.open("c-1")
    bench.panels.go_to(1, 0)
    bench.press("Alt+S")
    bench.panels.go_to(1, 0)
    bench.press("Alt+J")
    assert shape(bench)[:2] == BEGINNING[:2]


def test_another_tool_takes_over_the_arguments_it_has_too(bench: Bench) -> None:
    bench.open("c-1")
    bench.panels.go_to(0, 1)
    bench.press("Shift+E", "X")
    bench.wait(lambda: bench.target.objectName() == "tool-filter")
    bench.press("1", "Esc")
    step = bench.document.case.tasks[0].steps[1].model_dump()
    assert (step["name"], step["arguments"]) == ("findParcel", {})
    assert shape(bench)[2] == "0:0"
    bench.document.stack.undo()
    assert shape(bench)[2] == "0:0 0:1"
