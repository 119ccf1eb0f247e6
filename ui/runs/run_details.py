"""The lower half of the page: one run's slices, errors and failed tasks, or two runs compared."""

from collections.abc import Hashable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from PySide6.QtCore import Qt, Signal

from scoring.model.taxonomy import InfraErrors
from scoring.texts import tr
from ui.runs.card_reader import CardReader
from ui.runs.comparison import CompareView, RunComparison, TwoRuns, compare_two
from ui.runs.entries import RunEntry
from ui.runs.error_panel import ErrorPanel
from ui.runs.failure_navigation import FailureNavigation
from ui.runs.failure_view import ALL, COLUMNS, FailureView, failed_tasks
from ui.runs.slices import SliceTable
from ui.runs.suspect_panel import SuspectPanel
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.operations import Operations
from ui.services.pages import ReportPanel
from ui.theme import PanelHeader
from ui.theme.layouts import column, split, stacked, vbox
from ui.theme.panels import TabBar
from ui.theme.tables import FigureTable
from ui.theme.words import LOADING

_FAILURES, _SLICES, _SUSPECTS = 0, 1, 2
"""Places of the tabs with the failed tasks, with the measures and with the suspects."""


class RunDetails(ReportPanel):
    """Shows one run, or two compared; reads scorecards as they are needed.

    `navigation` is the way through the failed tasks.
    """

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""
    task_wanted = Signal(str, int, str)
    """A case, the number of a task and a release: what did every run do there? No case for any task."""
    shown = Signal(int)
    """Number of the run that is shown now."""

    def __init__(
        self, operations: Operations, commands: Commands, notice: ErrorBanner, **properties: Any
    ) -> None:
        super().__init__("run-details", operations, notice, **properties)
        self._commands = commands
        self._entry: RunEntry | None = None
        self._other: RunEntry | None = None
        self._beside: tuple[RunEntry, ...] = ()
        self._wanted_task: tuple[str, int] | None = None
        self._reader = CardReader(operations, unread(notice.show_error, self), kept=8)
        self._commands.add_all(
            self,
            Command(
                "runs.failure_next", tr("Next failed task"), tr("Runs"), partial(self._step, 1), keys="J"
            ),
            Command(
                "runs.failure_before",
                tr("Previous failed task"),
                tr("Runs"),
                partial(self._step, -1),
                keys="K",
            ),
            Command(
                "runs.open_case",
                tr("Open the case of the failed task"),
                tr("Runs"),
                self._open_case,
                keys="O",
            ),
            Command(
                "runs.end_comparison",
                tr("End the comparison"),
                tr("Runs"),
                self.end_comparison,
                keys="Shift+C",
            ),
        )
        self._build()
        self.navigation = FailureNavigation(operations, self._failure, notice, moved=self._follow)
        self._block()

    def show_run(self, entry: RunEntry | None, *, beside: Sequence[RunEntry] = ()) -> None:
        """Show a run; None if there is none.

        Args:
            entry: The run.
            beside: The runs that stand beside it on the leaderboard, itself among them, in their order.
        """
        self._beside = tuple(beside)
        if entry == self._entry and self._other is None:
            return
        self._entry, self._other = entry, None
        self._suspects.show_release(entry.row.release if entry is not None else None)
        self._right.setCurrentWidget(self._failure)
        self._errors.show_card(entry.row.name if entry is not None else "", None)
        if entry is None or entry not in self._reader:
            self._slices.show_cards(())
            self._failures.show_rows(())
        if entry is None:
            self.navigation.leave(tr("No run yet"), tr("Import predictions, or start a run."))
        else:
            if entry not in self._reader:
                self.navigation.leave("", "")
                self.say(LOADING)
            self._reader.need((entry,), self._show_card)
        self._block()

    def say(self, words: str) -> None:
        """Say how reading the run stands, where none is shown."""
        if self.navigation.current is None:
            for shown in (self._slices, self._failures, self._failure.empty):
                shown.say(words)

    def count_infra_errors(self, infra_errors: InfraErrors) -> None:
        """Count tasks that failed outside the model in one way, in everything that is shown."""
        if infra_errors is self._reader.infra_errors:
            return
        self._reader.count_infra_errors(infra_errors)
        if self._other is not None:
            self._compare()
        elif self._entry is not None and self._entry in self._reader:
            self._show_card()

    def compare_with(self, other: RunEntry) -> None:
        """Compare the shown run with another one."""
        if self._entry is not None:
            self._other = other
            self._reader.need((self._entry, other), self._compare)
            self._block()

    def end_comparison(self) -> None:
        """Show the failed tasks again."""
        if self._other is not None:
            self._other = None
            self._right.setCurrentWidget(self._failure)
            self._show_slices()
            self._block()

    # building ------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._tabs = TabBar("run-tabs", (tr("Failed tasks"), tr("Measures"), tr("Suspects")))
        self._slices = SliceTable()
        self._failures = FigureTable(
            "failures", tr("Failed tasks"), COLUMNS, marked=self._go_to, opened=self._open_case
        )
        self._suspects = SuspectPanel(
            self._operations,
            self._commands,
            self._notice,
            task_asked=self._open_suspect,
            told=lambda words: self._tabs.setTabText(
                _SUSPECTS, tr("Suspects · {words}", words=words) if words else tr("Suspects")
            ),
        )
        self._stack = stacked(self._failures, self._slices, self._suspects)
        self._tabs.currentChanged.connect(self._stack.setCurrentIndex)
        self._errors = ErrorPanel(chosen=self._narrow)
        left = column(PanelHeader("", self._tabs), (self._stack, 1), self._errors)
        self._failure = FailureView(self._operations, self._commands)
        self._comparison = CompareView(self._commands, task_asked=self._open_flip)
        self._right = stacked(self._failure, self._comparison)
        vbox(
            split(Qt.Orientation.Horizontal, (left, 470), (self._right, 906), grows=self._right),
            within=self,
        )

    # showing -------------------------------------------------------------------------------------

    def _show_card(self) -> None:
        entry = self._entry
        if entry is None:
            return
        self._errors.show_card(entry.row.name, self._reader.card(entry))
        self._show_slices()
        self._narrow(self._errors.kind)

    def _show_slices(self) -> None:
        shown = [entry for entry in (self._entry, self._other) if entry is not None]
        self._slices.show_cards(self._reader.named([entry for entry in shown if entry in self._reader]))

    def _narrow(self, kind: str) -> None:
        """List the failed tasks of one kind, or all of them."""
        entry = self._entry
        if entry is None or entry not in self._reader:
            return
        card = self._reader.card(entry)
        tasks = failed_tasks(card, kind)
        if self._wanted_task is not None and self._wanted_task not in {(t.case, t.task) for t in tasks}:
            tasks = failed_tasks(card, ALL)
        total = len(failed_tasks(card))
        words = (
            f"{total:,}"
            if len(tasks) == total
            else tr("{tasks_count:,} of {total:,}", tasks_count=len(tasks), total=total)
        )
        self._tabs.setTabText(_FAILURES, tr("Failed tasks · {words}", words=words))
        self.navigation.show_run(entry, card, tasks)
        self._failures.show_items(tasks, key=attrgetter("case", "task"))
        if self._wanted_task is not None:
            self.navigation.go_to(*self._wanted_task)
            self._wanted_task = None
        current = self.navigation.current
        if current is not None:
            self._failures.mark((current.case, current.task))
        self._block()

    def _compare(self) -> None:
        first, second = self._entry, self._other
        if first is None or second is None:
            return
        (one, first_card), (two, second_card) = self._reader.named((first, second))
        self._show_slices()
        self._tabs.setCurrentIndex(_SLICES)
        self._operations.run_outside(
            partial(compare_two, TwoRuns(one, first_card, two, second_card)),
            then=self._show_comparison,
            failed=self._notice.show_error,
            newest_of=self,
        )

    def _show_comparison(self, comparison: RunComparison) -> None:
        if self._other is not None:
            self._comparison.show_comparison(comparison)
            self._right.setCurrentWidget(self._comparison)
            self._comparison.setFocus()

    # going from failure to failure -----------------------------------------------------------------

    def _step(self, by: int) -> None:
        self.navigation.step(by)

    def _go_to(self, key: Hashable) -> None:
        if isinstance(key, tuple):
            self.navigation.go_to(*key)

    def _follow(self, key: Hashable) -> None:
        if key is not None:
            self._failures.mark(key)
        self._block()

    def _open_flip(self, case: str, task: int) -> None:
        """Show the failure of a flipped task, in the run that got it wrong."""
        first, second = self._entry, self._other
        if first is None or second is None:
            return
        is_first_wrong = any((t.case, t.task) == (case, task) for t in failed_tasks(self._reader.card(first)))
        self._show_task(first if is_first_wrong else second, (case, task))

    def _open_suspect(self, case: str, task: int, runs: object) -> None:
        """Show what a run did in a task beside the gold: the shown one, or another that accuses."""
        entry = self._entry
        if entry is None or not isinstance(runs, tuple) or not runs:
            return
        same = [one for one in self._beside if one.row.cases_sha256 == entry.row.cases_sha256]
        accusing = [one for one in (entry, *same) if one.row.name in runs]
        if accusing:
            self._show_task(accusing[0], (case, task))

    def _show_task(self, entry: RunEntry, key: tuple[str, int]) -> None:
        """Show what a run did in a task; the run is the marked one from now on."""
        self._wanted_task, self._entry, self._other = key, entry, None
        self._right.setCurrentWidget(self._failure)
        self._reader.need((entry,), self._show_card)
        self.shown.emit(entry.row.id)

    def _open_case(self, _: object = None) -> None:
        current = self.navigation.current
        if current is not None:
            self.case_wanted.emit(current.case)

    def ask_task(self) -> None:
        """Ask what every run did with the failed task that is shown, or with any where there is none."""
        current = self.navigation.current
        release = self._entry.row.release if self._entry is not None else None
        self.task_wanted.emit(current.case if current else "", current.task if current else 0, release or "")

    def _block(self) -> None:
        of_failure = "" if self.navigation.current is not None else tr("There is no failed task.")
        self._commands.block_each(
            "runs",
            {
                **dict.fromkeys(("failure_next", "failure_before", "open_case"), of_failure),
                "end_comparison": "" if self._other is not None else tr("No two runs are compared."),
            },
        )
