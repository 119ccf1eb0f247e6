"""The three things whoever leads should do now, above the tabs of the team page, each with its key."""

from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from typing import Any

from PySide6.QtWidgets import QWidget

from annotator.review.measures.digest import LeadTask, lead_tasks
from annotator.review.queue.takers import CaseTakers, list_pool
from scoring.texts import in_language, tr, with_commas
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.services.pages import ReportPanel
from ui.theme import Button, ButtonKind, ElidedLabel
from ui.theme.cells import Cell
from ui.theme.dialogs import FramedDialog, list_dialog, open_dialog
from ui.theme.layouts import grid
from ui.theme.tables import Column
from ui.theme.words import STAGE

MOST = 3
_WHERE = {
    "policy": (tr("Policy"), 0),
    "pool": (tr("Who and why…"), 0),
    "person": (tr("Who is right"), 2),
    "batch": (tr("Batches"), 1),
    "expert": (tr("For experts"), 2),
    "guideline": (tr("Who is right"), 2),
    "version": (tr("Batches"), 1),
}
"""What the button is called that leads to where a task is done, and the number of that tab."""
_LISTED = 50
"""Cases of the pool whose reasons are looked up; others come when these are settled."""
_POOL_COLUMNS: tuple[Column[tuple[CaseTakers, str]], ...] = (
    Column(tr("Case"), 230, lambda row: Cell(row[0].case_id, is_mono=True)),
    Column(tr("Stage"), 130, lambda row: STAGE[row[0].stage]),
    Column(tr("Why"), cell=lambda row: Cell(tr(row[1]), tip=tr(row[1]))),
    Column(tr("People"), 230, lambda row: Cell(names := with_commas(row[0].reasons[row[1]]), tip=names)),
)


class LeadTasks(ReportPanel):
    """Lists the gravest tasks; nothing is shown where there is none.

    Args:
        operations: The way to the project.
        commands: Takes a command for each place in the list: the keys 1, 2 and 3.
        notice: Where it says what went wrong.
        wanted: Gets the number of the tab where a chosen task is done.
        properties: Of the widget, and what its signals call.
    """

    def __init__(
        self,
        operations: Operations,
        commands: Commands,
        notice: ErrorBanner,
        *,
        wanted: Callable[[int], object],
        **properties: Any,
    ) -> None:
        super().__init__("lead-tasks", operations, notice, **properties, visible=False)
        self._wanted = wanted
        self._tasks: tuple[LeadTask, ...] = ()
        rows = grid(within=self, gaps=(8, 2), margins=(8, 6), grows=1)
        self._lines = [self._line(number, commands) for number in range(MOST)]
        for number, line in enumerate(self._lines):
            for side, widget in enumerate(line):
                rows.addWidget(widget, number, side)

    def _line(self, number: int, commands: Commands) -> tuple[Button, ElidedLabel]:
        title = tr("Go to task {number} for leads", number=number + 1)
        name = f"team.lead_{number + 1}"
        commands.add(Command(name, title, tr("Team"), partial(self._go, number), str(number + 1)), self)
        button = commands.button(name, "", name=f"lead-{number + 1}", kind=ButtonKind.GHOST)
        return button, ElidedLabel("", objectName=f"lead-words-{number + 1}")

    def refresh(self) -> None:
        """Look again what there is to do."""
        self._read_again(lead_tasks, tr("Look what there is to do"), show=self._show)

    def _show(self, tasks: tuple[LeadTask, ...]) -> None:
        self._tasks = tasks[:MOST]
        self.setVisible(bool(tasks))
        for (button, label), task in zip_longest(self._lines, self._tasks):
            button.setVisible(task is not None)
            button.setText(tr(_WHERE[task.about][0]) if task else "")
            label.say(tr(task.text) if task else "")

    def _go(self, number: int) -> None:
        if number >= len(self._tasks):
            return
        about = self._tasks[number].about
        if about == "pool":
            self._operations.run(
                partial(list_pool, limit=_LISTED),
                then=lambda found: open_dialog(pool_dialog(self, found)),
                failed=self._notice.show_error,
            )
        else:
            self._wanted(_WHERE[about][1])


def pool_dialog(parent: QWidget, found: tuple[CaseTakers, ...]) -> FramedDialog:
    """Show the cases nobody could take, and what keeps whom from them."""
    return list_dialog(
        "pool",
        tr("Cases nobody can take"),
        _POOL_COLUMNS,
        [(case, why) for case in found for why in case.reasons],
        key=lambda row: f"{row[0].case_id} {row[1]}",
        words=map(in_language, dict.fromkeys(case.help for case in found)),
        width=900,
        parent=parent,
        is_sortable=False,
    )
