"""The commands of the workbench with their keys."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Protocol

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from scoring.model.taxonomy import Stage, Verdict
from ui.desk import case_actions
from ui.desk.document import CaseDocument
from ui.desk.keyboard import Keyboard
from ui.desk.panels import CasePanels
from ui.graph.gestures import Mode
from ui.services.commands import Command, Commands
from ui.theme import PanelHeader, ToolButton
from ui.theme.menus import open_menu
from ui.workbench.restored_work import SetAsideWork
from ui.workbench.submit_bar import why_blocked

_CASE, _GO, _SAY, _DRAW, _EDIT = ("Case", "Going about a case", "Judging", "Drawing", "Steps and tasks")


class Desk(Protocol):
    """What the commands about an open case ask of a page."""

    keyboard: Keyboard
    panels: CasePanels


class Page(Desk, Protocol):
    """What the commands ask of the workbench."""

    set_aside: SetAsideWork

    def submit(self) -> None:
        """Hand the case on, approved."""

    def ask_verdict(self, verdict: Verdict) -> None:
        """Ask why, then hand the case on with another verdict."""

    def hand_back(self) -> None:
        """Let go of the case."""

    def skip(self) -> None:
        """Let go of the case for this round."""

    def next_case(self) -> None:
        """Take the next case."""

    def take_back(self) -> None:
        """Take the last submission back."""

    def undo(self) -> None:
        """Take the last edit back."""

    def redo(self) -> None:
        """Make it again."""

    def show_changes(self) -> None:
        """List what was changed so far."""

    def start_over(self) -> None:
        """Go back to where the work began."""


def add_commands(commands: Commands, page: Page, *, widget: QWidget) -> None:
    """Make everything the page can do usable while its widget is shown."""
    for command in (*_case(page), *_go(page), *_say(page), *_draw(page), *_edit(page)):
        commands.add(command, widget)


def add_desk_commands(commands: Commands, page: Desk, *, widget: QWidget, room: str) -> None:
    """The same keys on another page, under its name: going about a case, judging, drawing, editing."""
    of_project = ("workbench.history", "workbench.comments", "workbench.gold", "workbench.teval")
    for command in (*_go(page), *_say(page), *_draw(page), *_edit(page)):
        if command.id not in of_project:
            commands.add(
                replace(command, id=command.id.replace("workbench", room, 1), like=command.id), widget
            )


def _case(page: Page) -> tuple[Command, ...]:
    escalate = partial(page.ask_verdict, Verdict.ESCALATE)
    give_back = partial(page.ask_verdict, Verdict.RETURN)
    reject = partial(page.ask_verdict, Verdict.REJECT)
    return (
        Command("workbench.submit", "Submit", _CASE, page.submit, "Ctrl+Return"),
        Command("workbench.escalate", "Escalate to an expert", _CASE, escalate, "Ctrl+Shift+E"),
        Command("workbench.return", "Return to the owner", _CASE, give_back, "Ctrl+Shift+R"),
        Command("workbench.reject", "Reject the case", _CASE, reject, "Ctrl+Shift+X"),
        Command("workbench.hand-back", "Hand the case back", _CASE, page.hand_back, "Ctrl+Shift+B"),
        Command("workbench.skip", "Skip the case", _CASE, page.skip, "Ctrl+Shift+K"),
        Command("workbench.next", "Take the next case", _CASE, page.next_case, "N", waits=True),
        Command("workbench.withdraw", "Take the last submission back", _CASE, page.take_back, "Ctrl+Shift+U"),
        Command("workbench.changes", "My changes so far", _CASE, page.show_changes, "Alt+C"),
        Command("workbench.undo", "Undo", _CASE, page.undo, "Ctrl+Z"),
        Command("workbench.redo", "Redo", _CASE, page.redo, "Ctrl+Shift+Z", ("Ctrl+Y",)),
        Command(
            "workbench.over", "Start over from the case as it was", _CASE, page.start_over, "Ctrl+Shift+O"
        ),
        Command(
            "workbench.aside", "Bring back what was set aside", _CASE, page.set_aside.open, "Ctrl+Shift+A"
        ),
    )


def _go(page: Desk) -> tuple[Command, ...]:
    navigation, panels = page.keyboard.navigation, page.panels
    tasks = tuple(
        Command(
            f"workbench.task-{number}",
            f"Go to task {number}",
            _GO,
            partial(navigation.select_task, number - 1),
            f"Alt+{number}",
        )
        for number in range(1, 10)
    )
    return (
        Command("workbench.problem", "Next problem", _GO, navigation.next_problem, "F8"),
        Command("workbench.problem-back", "Previous problem", _GO, navigation.previous_problem, "Shift+F8"),
        Command("workbench.step", "Next step", _GO, partial(navigation.step_by, 1), "J"),
        Command("workbench.step-back", "Previous step", _GO, partial(navigation.step_by, -1), "K"),
        Command("workbench.task", "Next task", _GO, partial(navigation.task_by, 1), "Ctrl+PgDown"),
        Command("workbench.task-back", "Previous task", _GO, partial(navigation.task_by, -1), "Ctrl+PgUp"),
        *tasks,
        Command("workbench.column", "Next column", _GO, navigation.next_column, "F6"),
        Command("workbench.review", "Review tab", _GO, partial(navigation.show_tab, panels.review), "Alt+R"),
        Command(
            "workbench.evidence", "Evidence tab", _GO, partial(navigation.show_tab, panels.evidence), "Alt+E"
        ),
        Command(
            "workbench.history", "History tab", _GO, partial(navigation.show_tab, panels.history), "Alt+H"
        ),
        Command(
            "workbench.comments", "Comments tab", _GO, partial(navigation.show_tab, panels.comments), "Alt+M"
        ),
        Command("workbench.teval", "T-Eval tab", _GO, partial(navigation.show_tab, panels.thoughts), "Alt+T"),
        Command("workbench.gold", "Gold example or graph", _GO, page.keyboard.toggle_gold, "Ctrl+G"),
        Command("workbench.beside", "Another task or graph", _GO, page.keyboard.toggle_beside, "B"),
        Command("workbench.alone", "All the room for this column", _GO, page.keyboard.toggle_alone, "M"),
        Command("workbench.find", "Find in the dialogue", _GO, page.keyboard.find, "Ctrl+F"),
    )


def _say(page: Desk) -> tuple[Command, ...]:
    keys = page.keyboard
    yes, no = partial(keys.say_completed, completed=True), partial(keys.say_completed, completed=False)
    right, wrong = partial(keys.judge_call, correct=True), partial(keys.judge_call, correct=False)
    return (
        Command("workbench.policy", "Choose the policy", _SAY, keys.choose_policy, "P"),
        Command("workbench.adopt", "Label as drawn", _SAY, keys.adopt_policy, "Shift+P"),
        Command("workbench.offer", "Take the proposed label", _SAY, keys.take_offer, "=", is_done_once=True),
        Command("workbench.information", "Choose the information type", _SAY, keys.choose_information, "I"),
        Command("workbench.completed", "The task is completed", _SAY, yes, "T"),
        Command("workbench.not-completed", "The task is not completed", _SAY, no, "Shift+T"),
        Command("workbench.right", "The call is right", _SAY, right, "R"),
        Command("workbench.wrong", "The call is wrong", _SAY, wrong, "Shift+R"),
        Command(
            "workbench.confirm", "Confirm the next item", _SAY, keys.confirm_next, "C", is_done_once=True
        ),
        Command("workbench.accept", "Accept the step's evidence", _SAY, keys.accept_step, "E"),
        Command("workbench.accept-task", "Accept the task's evidence", _SAY, keys.accept_task, "Shift+E"),
        Command("workbench.cite", "Select or cite the source", _SAY, keys.cite_picked, "Shift+C"),
        Command("workbench.fix", "Settle the finding, or take their side", _SAY, keys.fix, "F"),
        Command("workbench.waive", "Waive the finding, or keep my side", _SAY, keys.waive, "W"),
    )


def _draw(page: Desk) -> tuple[Command, ...]:
    keys, save = page.keyboard, page.panels.graph.menu.ask_file
    return (
        Command("workbench.select", "Select in the graph", _DRAW, partial(keys.set_mode, Mode.SELECT), "V"),
        Command("workbench.connect", "Connect steps", _DRAW, partial(keys.set_mode, Mode.CONNECT), "D"),
        Command("workbench.simulate", "Simulate", _DRAW, partial(keys.set_mode, Mode.SIMULATE), "S"),
        Command("workbench.suggested", "Accept suggestions", _DRAW, keys.accept_edges, "G"),
        Command(
            "workbench.unconnected",
            "No dependencies",
            _DRAW,
            partial(keys.draw_whole, case_actions.draw_nothing),
            "U",
        ),
        Command(
            "workbench.recorded",
            "In the order recorded",
            _DRAW,
            partial(keys.draw_whole, case_actions.draw_recorded),
            "O",
        ),
        Command("workbench.tidy", "Arrange the drawing anew", _DRAW, page.panels.graph.view.tidy, "L"),
        Command("workbench.picture", "Save the drawing as a picture", _DRAW, save, "Ctrl+Shift+P"),
    )


def _edit(page: Desk) -> tuple[Command, ...]:
    keys = page.keyboard

    def doing(action: Callable[[CaseDocument], bool]) -> "partial[None]":
        return partial(keys.do, action)

    copy = case_actions.duplicate_step
    up, down = partial(case_actions.move_step, by=-1), partial(case_actions.move_step, by=1)
    task_up, task_down = partial(case_actions.move_task, by=-1), partial(case_actions.move_task, by=1)
    return (
        Command("workbench.edit", "Edit the card", _EDIT, keys.edit, "F2"),
        Command("workbench.replace", "Replace in this case", _EDIT, keys.replace, "Ctrl+H"),
        Command("workbench.call", "Insert a call", _EDIT, keys.insert_call, "A"),
        Command("workbench.ask", "Insert a question", _EDIT, doing(case_actions.insert_ask), "Q"),
        Command("workbench.tool", "Change the tool", _EDIT, keys.change_tool, "X"),
        Command("workbench.duplicate", "Duplicate the step", _EDIT, doing(copy), "Ctrl+D"),
        Command("workbench.delete", "Delete the step", _EDIT, doing(case_actions.delete_step), "Ctrl+Del"),
        Command("workbench.up", "Move the step up", _EDIT, doing(up), "Alt+Up"),
        Command("workbench.down", "Move the step down", _EDIT, doing(down), "Alt+Down"),
        Command("workbench.split", "Split the question", _EDIT, keys.split_ask, "Alt+S"),
        Command(
            "workbench.merge", "Merge with the next question", _EDIT, doing(case_actions.merge_asks), "Alt+J"
        ),
        Command("workbench.new-task", "Insert a task", _EDIT, doing(case_actions.insert_task), "Shift+A"),
        Command(
            "workbench.delete-task",
            "Delete the task",
            _EDIT,
            doing(case_actions.delete_task),
            "Ctrl+Shift+Del",
        ),
        Command("workbench.task-up", "Move the task up", _EDIT, doing(task_up), "Alt+Shift+Up"),
        Command("workbench.task-down", "Move the task down", _EDIT, doing(task_down), "Alt+Shift+Down"),
        Command(
            "workbench.split-task",
            "Split the task here",
            _EDIT,
            doing(case_actions.split_task),
            "Alt+Shift+S",
        ),
        Command(
            "workbench.merge-tasks",
            "Merge with the next task",
            _EDIT,
            doing(case_actions.merge_tasks),
            "Alt+Shift+J",
        ),
    )


_OF_A_CASE = (
    "submit",
    "reject",
    "escalate",
    "return",
    "hand-back",
    "skip",
    "undo",
    "redo",
    "over",
    "aside",
    "changes",
)


def reasons_against(document: CaseDocument | None, *, was_submitted: bool) -> Mapping[str, str]:
    """Say of each command why it is not possible; empty where it is.

    Args:
        document: What is open.
        was_submitted: Whether there is a submission that could be taken back.
    """
    withdraw = "" if was_submitted else "Nothing was submitted yet."
    if document is None:
        closed = dict.fromkeys(_OF_A_CASE, "No case is open; N takes the next one.")
        return {**closed, "next": "", "withdraw": withdraw}
    clashing = "Choose first at the places that both changed (F8)." if document.snapshot.clashes else ""
    is_cross = document.stage is Stage.CROSS_CHECK
    return {
        **dict.fromkeys(_OF_A_CASE, ""),
        "next": "Submit, escalate or hand back this case first.",
        "withdraw": withdraw,
        "submit": why_blocked(document.assessment),
        "reject": clashing,
        "escalate": clashing,
        "return": clashing if is_cross else "A self-check cannot return a case; escalate it instead.",
    }


_STEPS = (
    "call",
    "ask",
    "tool",
    "duplicate",
    "delete",
    "up",
    "down",
    "split",
    "merge",
    "",
    "new-task",
    "delete-task",
    "task-up",
    "task-down",
    "split-task",
    "merge-tasks",
    "",
    "replace",
)


class StepsMenu:
    """Puts the buttons into a header.

    Args:
        header: The header of the dialogue.
        commands: Has the commands of the page.
    """

    def __init__(self, header: PanelHeader, commands: Commands) -> None:
        self.steps = ToolButton(
            "plus", "Add, change or move steps and tasks", objectName="steps-menu-button", clicked=self._open
        )
        self.menu = QMenu(self.steps)
        self.menu.setObjectName("steps-menu")
        for name in _STEPS:
            if name:
                self.menu.addAction(commands.action(f"workbench.{name}"))
            else:
                self.menu.addSeparator()
        self.gold = ToolButton("star", "Gold example beside the case", objectName="gold-button")
        commands.bind(self.gold, "workbench.gold")
        header.add_right(self.steps)
        header.add_right(self.gold)

    def open_at(self, task: int, step: int, place: QPoint) -> None:
        """Open the menu of steps at a point of the screen; the card there is the selected one."""
        open_menu(self.menu, place)

    def _open(self) -> None:
        open_menu(self.menu, self.steps.mapToGlobal(QPoint(0, self.steps.height())))
