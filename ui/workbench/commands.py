"""The commands of the workbench with their keys, and the buttons above the dialogue."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QPushButton, QWidget

from scoring.model.taxonomy import Stage
from scoring.texts import tr
from ui.desk import case_actions
from ui.desk.document import CaseDocument
from ui.desk.keyboard import Keyboard
from ui.dialogue.panel import DialoguePanel
from ui.graph.gestures import Mode
from ui.services.commands import Command, Commands
from ui.theme import ToolButton
from ui.theme.layouts import connect
from ui.theme.menus import open_below, open_menu
from ui.workbench.submit_bar import why_blocked

_GO, _SAY, _DRAW, _EDIT = (tr("Going about a case"), tr("Judging"), tr("Drawing"), tr("Steps and tasks"))
_CASE_COMMANDS = (
    ("submit", tr("Submit"), "Ctrl+Return"),
    ("escalate", tr("Escalate to an expert"), "Ctrl+Shift+E"),
    ("return", tr("Return to the owner"), "Ctrl+Shift+R"),
    ("reject", tr("Reject the case"), "Ctrl+Shift+X"),
    ("hand-back", tr("Hand the case back"), "Ctrl+Shift+B"),
    ("skip", tr("Skip the case"), "Ctrl+Shift+K"),
    ("next", tr("Take the next case"), "N"),
    ("withdraw", tr("Take the last submission back"), "Ctrl+Shift+U"),
    ("changes", tr("My changes so far"), "Alt+C"),
    ("over", tr("Start over from the case as it was"), "Ctrl+Shift+O"),
    ("aside", tr("Bring back what was set aside"), "Ctrl+Shift+A"),
)
"""Name, title and keys of what is done with a whole case."""


def add_case_commands(
    commands: Commands, actions: Mapping[str, Callable[[], object]], *, widget: QWidget
) -> None:
    """Make taking a case and handing it on usable while a widget is shown; `actions` by name."""
    commands.add_all(
        widget,
        *(
            Command(f"workbench.{name}", title, tr("Case"), actions[name], keys, waits=name == "next")
            for name, title, keys in _CASE_COMMANDS
        ),
    )


def add_desk_commands(
    commands: Commands, keyboard: Keyboard, *, widget: QWidget, room: str = "workbench"
) -> None:
    """Make going about a case, judging, drawing and editing usable while a widget is shown.

    Args:
        commands: Takes the commands.
        keyboard: What they do.
        widget: The page.
        room: What begins their names; on another page than the workbench, those of the project stay away.
    """
    of_project = ("workbench.history", "workbench.comments", "workbench.gold", "workbench.teval")
    # These go on to the next point: a key that is held would settle what nobody has looked at.
    once = (replace(command, is_done_once=True) for command in (*_say(keyboard), *_draw(keyboard)))
    for command in (*_go(keyboard), *once, *_edit(keyboard)):
        if room == "workbench":
            commands.add(command, widget)
        elif command.id not in of_project:
            commands.add(
                replace(command, id=command.id.replace("workbench", room, 1), like=command.id), widget
            )


def _go(keyboard: Keyboard) -> tuple[Command, ...]:
    navigation, panels = keyboard.navigation, keyboard.panels
    return (
        Command("workbench.problem", tr("Next problem"), _GO, navigation.next_problem, "F8"),
        Command(
            "workbench.problem-back",
            tr("Previous problem"),
            _GO,
            partial(navigation.next_problem, back=True),
            "Shift+F8",
        ),
        Command("workbench.step", tr("Next step"), _GO, partial(navigation.step_by, 1), "J"),
        Command("workbench.step-back", tr("Previous step"), _GO, partial(navigation.step_by, -1), "K"),
        Command("workbench.task", tr("Next task"), _GO, partial(navigation.task_by, 1), "Ctrl+PgDown"),
        Command(
            "workbench.task-back", tr("Previous task"), _GO, partial(navigation.task_by, -1), "Ctrl+PgUp"
        ),
        *(
            Command(
                f"workbench.task-{number}",
                tr("Go to task {number}", number=number),
                _GO,
                partial(navigation.select_task, number - 1),
                tr("Alt+{number}", number=number),
            )
            for number in range(1, 10)
        ),
        Command("workbench.column", tr("Next column"), _GO, navigation.next_column, "F6"),
        Command(
            "workbench.review", tr("Review tab"), _GO, partial(navigation.show_tab, panels.review), "Alt+R"
        ),
        Command(
            "workbench.evidence",
            tr("Evidence tab"),
            _GO,
            partial(navigation.show_tab, panels.evidence),
            "Alt+E",
        ),
        Command(
            "workbench.history", tr("History tab"), _GO, partial(navigation.show_tab, panels.history), "Alt+H"
        ),
        Command(
            "workbench.comments",
            tr("Comments tab"),
            _GO,
            partial(navigation.show_tab, panels.comments),
            "Alt+M",
        ),
        Command(
            "workbench.teval", tr("T-Eval tab"), _GO, partial(navigation.show_tab, panels.thoughts), "Alt+T"
        ),
        Command(
            "workbench.gold",
            tr("Gold example or graph"),
            _GO,
            partial(panels.toggle_middle, panels.gold),
            "Ctrl+G",
        ),
        Command(
            "workbench.beside",
            tr("Another task or graph"),
            _GO,
            partial(panels.toggle_middle, panels.beside),
            "B",
        ),
        Command("workbench.alone", tr("All the room for this column"), _GO, keyboard.toggle_alone, "M"),
        Command("workbench.find", tr("Find in the dialogue"), _GO, panels.dialogue.open_find, "Ctrl+F"),
    )


def _say(keys: Keyboard) -> tuple[Command, ...]:
    doing = keys.doing
    yes, no = (doing(partial(keys.say_completed, completed=said)) for said in (True, False))
    right, wrong = (doing(partial(keys.judge_call, correct=said)) for said in (True, False))
    return (
        Command("workbench.policy", tr("Choose the policy"), _SAY, keys.choose_policy, "P"),
        Command("workbench.adopt", tr("Label as drawn"), _SAY, doing(keys.adopt_policy), "Shift+P"),
        Command("workbench.offer", tr("Take the proposed label"), _SAY, doing(keys.take_offer), "="),
        Command(
            "workbench.information",
            tr("Choose the information type"),
            _SAY,
            doing(keys.choose_information),
            "I",
        ),
        Command("workbench.completed", tr("The task is completed"), _SAY, yes, "T"),
        Command("workbench.not-completed", tr("The task is not completed"), _SAY, no, "Shift+T"),
        Command("workbench.right", tr("The call is right"), _SAY, right, "R"),
        Command("workbench.wrong", tr("The call is wrong"), _SAY, wrong, "Shift+R"),
        Command("workbench.confirm", tr("Confirm the next item"), _SAY, doing(keys.confirm_next), "C"),
        Command("workbench.accept", tr("Accept the step's evidence"), _SAY, doing(keys.accept_step), "E"),
        Command(
            "workbench.accept-task", tr("Accept the task's evidence"), _SAY, doing(keys.accept), "Shift+E"
        ),
        Command("workbench.cite", tr("Select or cite the source"), _SAY, keys.cite_picked, "Shift+C"),
        Command("workbench.fix", tr("Settle the finding, or take their side"), _SAY, doing(keys.fix), "F"),
        Command("workbench.waive", tr("Waive the finding, or keep my side"), _SAY, doing(keys.waive), "W"),
    )


def _draw(keys: Keyboard) -> tuple[Command, ...]:
    panels, doing, save = keys.panels, keys.doing, keys.panels.graph.menu.ask_file
    select, connect, simulate = (
        partial(panels.set_mode, mode) for mode in (Mode.SELECT, Mode.CONNECT, Mode.SIMULATE)
    )
    nothing, recorded = (
        doing(partial(keys.draw_whole, action=action))
        for action in (case_actions.draw_nothing, case_actions.draw_recorded)
    )
    return (
        Command("workbench.select", tr("Select in the graph"), _DRAW, select, "V"),
        Command("workbench.connect", tr("Connect steps"), _DRAW, connect, "D"),
        Command("workbench.simulate", tr("Simulate"), _DRAW, simulate, "S"),
        Command("workbench.suggested", tr("Accept suggestions"), _DRAW, doing(keys.accept_edges), "G"),
        Command("workbench.unconnected", tr("No dependencies"), _DRAW, nothing, "U"),
        Command("workbench.recorded", tr("In the order recorded"), _DRAW, recorded, "O"),
        Command("workbench.tidy", tr("Arrange the drawing anew"), _DRAW, panels.graph.view.tidy, "L"),
        Command("workbench.picture", tr("Save the drawing as a picture"), _DRAW, save, "Ctrl+Shift+P"),
    )


def _edit(keys: Keyboard) -> tuple[Command, ...]:
    doing = keys.doing
    up, down = partial(case_actions.move_step, by=-1), partial(case_actions.move_step, by=1)
    task_up, task_down = partial(case_actions.move_task, by=-1), partial(case_actions.move_task, by=1)
    return (
        Command("workbench.undo", tr("Undo"), _EDIT, doing(undo), "Ctrl+Z"),
        Command("workbench.redo", tr("Redo"), _EDIT, doing(redo), "Ctrl+Shift+Z", ("Ctrl+Y",)),
        Command("workbench.edit", tr("Edit the card"), _EDIT, doing(keys.edit), "F2"),
        Command("workbench.replace", tr("Replace in this case"), _EDIT, doing(keys.replace), "Ctrl+H"),
        Command("workbench.time", tr("Change the time"), _EDIT, doing(keys.change_time), "Alt+Shift+D"),
        Command("workbench.call", tr("Insert a call"), _EDIT, doing(keys.insert_call), "A"),
        Command("workbench.ask", tr("Insert a question"), _EDIT, doing(case_actions.insert_ask), "Q"),
        Command("workbench.tool", tr("Change the tool"), _EDIT, doing(keys.change_tool), "X"),
        Command("workbench.accepted", tr("Accept other values"), _EDIT, doing(keys.accept_values), "Alt+V"),
        Command(
            "workbench.duplicate",
            tr("Duplicate the step"),
            _EDIT,
            doing(case_actions.duplicate_step),
            "Ctrl+D",
        ),
        Command(
            "workbench.delete", tr("Delete the step"), _EDIT, doing(case_actions.delete_step), "Ctrl+Del"
        ),
        Command("workbench.up", tr("Move the step up"), _EDIT, doing(up), "Alt+Up"),
        Command("workbench.down", tr("Move the step down"), _EDIT, doing(down), "Alt+Down"),
        Command("workbench.split", tr("Split the question"), _EDIT, doing(keys.split_ask), "Alt+S"),
        Command(
            "workbench.merge",
            tr("Merge with the next question"),
            _EDIT,
            doing(case_actions.merge_asks),
            "Alt+J",
        ),
        Command("workbench.new-task", tr("Insert a task"), _EDIT, doing(case_actions.insert_task), "Shift+A"),
        Command(
            "workbench.delete-task",
            tr("Delete the task"),
            _EDIT,
            doing(case_actions.delete_task),
            "Ctrl+Shift+Del",
        ),
        Command("workbench.task-up", tr("Move the task up"), _EDIT, doing(task_up), "Alt+Shift+Up"),
        Command("workbench.task-down", tr("Move the task down"), _EDIT, doing(task_down), "Alt+Shift+Down"),
        Command(
            "workbench.split-task",
            tr("Split the task here"),
            _EDIT,
            doing(case_actions.split_task),
            "Alt+Shift+S",
        ),
        Command(
            "workbench.merge-tasks",
            tr("Merge with the next task"),
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
    "renew",
)


def undo(document: CaseDocument) -> None:
    """Take the last edit back."""
    document.stack.undo()


def redo(document: CaseDocument) -> None:
    """Make the edit again that was taken back."""
    document.stack.redo()


def reasons_against(
    document: CaseDocument | None, *, was_submitted: bool, is_lost: bool = False
) -> Mapping[str, str]:
    """Say of each command why it is not possible; empty where it is.

    Args:
        document: What is open.
        was_submitted: Whether there is a submission that could be taken back.
        is_lost: Whether the person does not hold the open case any more.
    """
    withdraw = "" if was_submitted else tr("Nothing was submitted yet.")
    if document is None:
        return {
            **dict.fromkeys(_OF_A_CASE, tr("No case is open; N takes the next one.")),
            "next": "",
            "withdraw": withdraw,
        }
    clashing = tr("Choose first at the places that both changed (F8).") if document.snapshot.clashes else ""
    return {
        **dict.fromkeys(_OF_A_CASE, ""),
        "next": "" if is_lost else tr("Submit, escalate or hand back this case first."),
        "withdraw": withdraw,
        "undo": "" if document.stack.canUndo() else tr("There is nothing to undo."),
        "redo": "" if document.stack.canRedo() else tr("There is nothing to redo."),
        "submit": why_blocked(document.assessment),
        "reject": clashing,
        "escalate": clashing,
        "return": clashing
        if document.stage is Stage.CROSS_CHECK
        else tr("A self-check cannot return a case; escalate it instead."),
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


def add_other_ways(button: QPushButton, commands: Commands) -> None:
    """Have a button open what else than submitting can be done with the case."""
    menu = commands.menu(
        button,
        "more-menu",
        [f"workbench.{name}" for name in ("escalate", "return", "reject", "hand-back", "skip")],
    )
    button.clicked.connect(partial(open_below, menu, button))


def add_step_buttons(dialogue: DialoguePanel, commands: Commands) -> None:
    """Put the buttons for steps and tasks, and for the gold examples, above a dialogue.

    Their menu opens at the cards of the dialogue, too; the card there is the selected one.
    """
    steps = ToolButton("plus", tr("Add, change or move steps and tasks"), objectName="steps-menu-button")
    menu = commands.menu(steps, "steps-menu", [name and f"workbench.{name}" for name in _STEPS])
    connect(
        (steps.clicked, partial(open_below, menu, steps)),
        (dialogue.view.menu_requested, lambda _, __, place: open_menu(menu, place)),
    )
    gold = ToolButton("star", tr("Gold example beside the case"), objectName="gold-button")
    commands.bind(gold, "workbench.gold")
    dialogue.header.add_right(steps, gold)
