"""The three things whoever leads should do now, above the tabs of the team page, each with its key."""

from collections.abc import Callable
from functools import partial
from typing import Any

from annotator.review.measures.digest import LeadTask, lead_tasks
from scoring.texts import tr
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.services.pages import ReportPanel
from ui.theme import Button, ButtonKind, ElidedLabel
from ui.theme.layouts import grid

MOST = 3
_WHERE = {
    "policy": tr("Policy"),
    "person": tr("Who is right"),
    "batch": tr("Batches"),
    "expert": tr("For experts"),
    "guideline": tr("Who is right"),
}
"""What the button is called that leads to where a task is done."""


class LeadTasks(ReportPanel):
    """Lists the gravest tasks; nothing is shown where there is none.

    Args:
        operations: The way to the project.
        commands: Takes a command for each place in the list: the keys 1, 2 and 3.
        notice: Where it says what went wrong.
        wanted: Gets what a chosen task is about.
        properties: Of the widget, and what its signals call.
    """

    def __init__(
        self,
        operations: Operations,
        commands: Commands,
        notice: ErrorBanner,
        *,
        wanted: Callable[[str], object],
        **properties: Any,
    ) -> None:
        super().__init__("lead-tasks", operations, notice, **properties, visible=False)
        self._wanted = wanted
        self._tasks: tuple[LeadTask, ...] = ()
        self._commands = commands
        rows = grid(within=self, gaps=(8, 2), margins=(8, 6))
        rows.setColumnStretch(1, 1)
        self._lines = [self._line(number) for number in range(MOST)]
        for number, line in enumerate(self._lines):
            for side, widget in enumerate(line):
                rows.addWidget(widget, number, side)

    def _line(self, number: int) -> tuple[Button, ElidedLabel]:
        title = tr("Go to task {number} for leads", number=number + 1)
        name = f"team.lead_{number + 1}"
        self._commands.add(Command(name, title, tr("Team"), partial(self._go, number), str(number + 1)), self)
        button = self._commands.button(name, "", name=f"lead-{number + 1}", kind=ButtonKind.GHOST)
        return button, ElidedLabel("", objectName=f"lead-words-{number + 1}")

    def refresh(self) -> None:
        """Look again what there is to do."""
        self._read_again(lead_tasks, tr("Look what there is to do"), show=self._show)

    def _show(self, tasks: tuple[LeadTask, ...]) -> None:
        self._tasks = tasks[:MOST]
        self.setVisible(bool(tasks))
        for button, label in self._lines[len(tasks) :]:
            button.hide()
            label.hide()
        for task, (button, label) in zip(self._tasks, self._lines, strict=False):
            button.setText(tr(_WHERE[task.about]))
            button.show()
            label.say(tr(task.text))

    def _go(self, number: int) -> None:
        if number < len(self._tasks):
            self._wanted(self._tasks[number].about)
