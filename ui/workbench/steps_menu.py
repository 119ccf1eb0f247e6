"""The buttons above the dialogue: steps and tasks to add, change and move, and the gold examples."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from ui.services.commands import Commands
from ui.theme import PanelHeader, ToolButton
from ui.theme.buttons import open_menu

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
