"""The lower half of the page: one run's slices, errors and failed tasks, or two runs compared."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.release.reports.score_tables import Cards, named
from annotator.release.runs.recorded_runs import run_scorecard
from scoring.model.taxonomy import InfraErrors
from scoring.scorecard import Scorecard
from ui.runs.comparison import CompareView, RunComparison, TwoRuns, compare_two
from ui.runs.entries import RunEntry
from ui.runs.error_panel import ErrorPanel
from ui.runs.failure_navigation import FailureNavigation
from ui.runs.failure_view import ALL, COLUMNS, FailureView, failed_tasks
from ui.runs.slices import MOST_RUNS, ChartPanel, slice_columns, slice_rows
from ui.runs.suspect_panel import SuspectPanel
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.operations import Operations
from ui.theme import PanelHeader
from ui.theme.layouts import build, column, split, stacked, vbox
from ui.theme.panels import TabBar
from ui.theme.tables import FigureTable
from ui.theme.words import LOADING

if TYPE_CHECKING:
    from ui.services.calls import Pending

_KEPT_CARDS = MOST_RUNS + 2
_RUN, _CHARTS = "run", "charts"
"""What scorecards are read for."""
_SLICES, _FAILURES, _SUSPECTS = 1, 2, 3
"""Places of the tabs with the slices, with the failed tasks and with the suspects."""


class RunDetails(QWidget):
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
        build(super().__init__, objectName="run-details", **properties)
        self._operations = operations
        self._notice = notice
        self._commands = commands
        self._entry: RunEntry | None = None
        self._other: RunEntry | None = None
        self._beside: tuple[RunEntry, ...] = ()
        self._wanted_task: tuple[str, int] | None = None
        self._cards: OrderedDict[int, Scorecard] = OrderedDict()
        self._pending: dict[str, Pending] = {}
        self._infra_errors = InfraErrors.WRONG
        self._add_commands()
        self._build()
        self.navigation = FailureNavigation(operations, self._failure, notice, moved=self._follow)
        self._block()

    def show_run(self, entry: RunEntry | None, *, beside: Sequence[RunEntry] = ()) -> None:
        """Show a run; None if there is none.

        Args:
            entry: The run.
            beside: The runs that stand beside it in the charts, itself among them, in their order.
        """
        self._beside = tuple(beside)
        if entry == self._entry and self._other is None:
            self._show_charts()
            return
        self._entry, self._other = entry, None
        self._suspects.show_release(entry.row.release if entry is not None else None)
        self._right.setCurrentWidget(self._failure)
        if entry is None:
            self.navigation.leave("No run yet", "Import predictions, or start a run.")
            self._errors.show_card("", None)
            self._charts.show_cards(())
            self._slices.show_rows(())
            self._failures.show_rows(())
        else:
            self._errors.show_card(entry.row.name, None)
            if entry.row.id not in self._cards:
                self._slices.show_rows(())
                self._failures.show_rows(())
                self.navigation.leave("", "")
                self.say(LOADING)
            self._need(_RUN, (entry,), self._show_card)
        self._block()

    def say(self, words: str) -> None:
        """Say how reading the run stands, where none is shown."""
        if self.navigation.current is None:
            for shown in (self._slices, self._failures, self._failure.empty):
                shown.say(words)

    def count_infra_errors(self, infra_errors: InfraErrors) -> None:
        """Count tasks that failed outside the model in one way, in everything that is shown."""
        if infra_errors is self._infra_errors:
            return
        self._infra_errors = infra_errors
        for run_id, card in tuple(self._cards.items()):
            self._cards[run_id] = card.counting(infra_errors)
        if self._other is not None:
            self._compare()
        elif self._entry is not None and self._entry.row.id in self._cards:
            self._show_card()

    def compare_with(self, other: RunEntry) -> None:
        """Compare the shown run with another one."""
        if self._entry is not None:
            self._other = other
            self._need(_RUN, (self._entry, other), self._compare)
            self._block()

    def end_comparison(self) -> None:
        """Show the failed tasks again."""
        if self._other is not None:
            self._other = None
            self._right.setCurrentWidget(self._failure)
            self._show_slices()
            self._show_charts()
            self._block()

    # building ------------------------------------------------------------------------------------

    def _add_commands(self) -> None:
        self._commands.add_all(
            self,
            Command("runs.failure_next", "Next failed task", "Runs", partial(self._step, 1), keys="J"),
            Command("runs.failure_before", "Previous failed task", "Runs", partial(self._step, -1), keys="K"),
            Command("runs.open_case", "Open the case of the failed task", "Runs", self._open_case, keys="O"),
            Command("runs.task", "What every run did with the task", "Runs", self._ask_task, keys="W"),
            Command("runs.end_comparison", "End the comparison", "Runs", self.end_comparison, keys="Shift+C"),
        )

    def _build(self) -> None:
        self._tabs = TabBar("run-tabs", ("Charts", "Slices", "Failed tasks", "Suspects"))
        self._slices = FigureTable("slices", "Slices", slice_columns(()), is_sortable=False)
        self._failures = FigureTable(
            "failures", "Failed tasks", COLUMNS, marked=self._go_to, opened=self._open_case
        )
        self._charts = ChartPanel(self._operations)
        self._suspects = SuspectPanel(
            self._operations,
            self._commands,
            self._notice,
            task_asked=self._open_suspect,
            told=self._name_suspects,
        )
        self._stack = stacked(self._charts, self._slices, self._failures, self._suspects)
        self._tabs.currentChanged.connect(self._stack.setCurrentIndex)
        self._errors = ErrorPanel(chosen=self._narrow)
        left = column(PanelHeader("", self._tabs), (self._stack, 1), self._errors)
        self._failure = FailureView(self._operations, self._commands)
        self._comparison = CompareView(self._commands, task_asked=self._open_flip)
        self._right = stacked(self._failure, self._comparison)
        members = (left, 470), (self._right, 906)
        vbox(split(Qt.Orientation.Horizontal, *members, grows=self._right), within=self)

    # reading -------------------------------------------------------------------------------------

    def _need(self, purpose: str, entries: Sequence[RunEntry], then: Callable[[], None]) -> None:
        """Do something once the scorecards of some runs are there, instead of what the purpose had before."""
        before = self._pending.pop(purpose, None)
        if before is not None:
            before.cancel()
        missing = [entry.row.id for entry in entries if entry.row.id not in self._cards]
        if not missing:
            for entry in entries:
                self._cards.move_to_end(entry.row.id)
            then()
            return
        take = partial(self._take, purpose, missing[0], tuple(entries), then)
        work, failed = partial(run_scorecard, run_id=missing[0]), unread(self._notice.show_error, self)
        self._pending[purpose] = self._operations.run(work, then=take, failed=failed)

    def _take(
        self,
        purpose: str,
        run_id: int,
        entries: Sequence[RunEntry],
        then: Callable[[], None],
        card: Scorecard,
    ) -> None:
        self._pending.pop(purpose, None)
        self._cards[run_id] = card.counting(self._infra_errors)
        while len(self._cards) > _KEPT_CARDS:
            self._cards.popitem(last=False)
        self._need(purpose, entries, then)

    # showing -------------------------------------------------------------------------------------

    def _show_card(self) -> None:
        entry = self._entry
        if entry is None:
            return
        self._errors.show_card(entry.row.name, self._cards[entry.row.id])
        self._show_slices()
        self._narrow(self._errors.kind)
        self._show_charts()

    def _show_charts(self) -> None:
        """Draw the runs that stand beside the shown one, or the two compared; reads what is missing."""
        if self._entry is not None:
            self._need(_CHARTS, self._drawn(), self._draw)

    def _drawn(self) -> tuple[RunEntry, ...]:
        if self._entry is None:
            return ()
        if self._other is not None:
            return (self._entry, self._other)
        mine = self._entry.counting(self._infra_errors).basis
        same = [entry for entry in self._beside if entry.counting(self._infra_errors).basis == mine]
        shown = same[:MOST_RUNS]
        return tuple(shown) if self._entry in shown else (self._entry, *shown[: MOST_RUNS - 1])

    def _draw(self) -> None:
        self._charts.show_cards(self._named(self._drawn()))

    def _named(self, entries: Sequence[RunEntry]) -> Cards:
        """Runs whose scorecards are there, under names that tell them apart."""
        found = [(entry.row.name, self._cards[entry.row.id]) for entry in entries]
        return named([card.model_copy(update={"name": name}) for name, card in found])

    def _show_slices(self) -> None:
        shown = [entry for entry in (self._entry, self._other) if entry is not None]
        cards = self._named([entry for entry in shown if entry.row.id in self._cards])
        self._slices.show_rows(slice_rows(cards), columns=slice_columns([name for name, _ in cards]))

    def _narrow(self, kind: str) -> None:
        """List the failed tasks of one kind, or all of them."""
        entry = self._entry
        if entry is None or entry.row.id not in self._cards:
            return
        card = self._cards[entry.row.id]
        tasks = failed_tasks(card, kind)
        if self._wanted_task is not None and self._wanted_task not in {(t.case, t.task) for t in tasks}:
            tasks = failed_tasks(card, ALL)
        total = len(failed_tasks(card))
        words = f"{total:,}" if len(tasks) == total else f"{len(tasks):,} of {total:,}"
        self._tabs.setTabText(_FAILURES, f"Failed tasks · {words}")
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
        (one, first_card), (two, second_card) = self._named((first, second))
        runs = TwoRuns(one, first_card, two, second_card)
        self._show_slices()
        self._tabs.setCurrentIndex(_SLICES)
        self._draw()
        self._pending[_RUN] = self._operations.run_outside(
            partial(compare_two, runs), then=self._show_comparison, failed=self._notice.show_error
        )

    def _show_comparison(self, comparison: RunComparison) -> None:
        self._pending.pop(_RUN, None)
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
        card = self._cards[first.row.id]
        is_first_wrong = any((t.case, t.task) == (case, task) for t in failed_tasks(card))
        self._wanted_task = (case, task)
        self._entry, self._other = (first if is_first_wrong else second), None
        self._right.setCurrentWidget(self._failure)
        self._need(_RUN, (self._entry,), self._show_card)
        self.shown.emit(self._entry.row.id)

    def _open_suspect(self, case: str, task: int, runs: object) -> None:
        """Show what a run did in a task beside the gold: the shown one, or another that accuses."""
        entry = self._entry
        if entry is None or not isinstance(runs, tuple) or not runs:
            return
        same = [one for one in self._beside if one.row.cases_sha256 == entry.row.cases_sha256]
        accusing = [one for one in (entry, *same) if one.row.name in runs]
        if not accusing:
            return
        self._wanted_task = (case, task)
        self._entry, self._other = accusing[0], None
        self._right.setCurrentWidget(self._failure)
        self._need(_RUN, (accusing[0],), self._show_card)
        if accusing[0] != entry:
            self.shown.emit(accusing[0].row.id)

    def _name_suspects(self, words: str) -> None:
        self._tabs.setTabText(_SUSPECTS, f"Suspects · {words}" if words else "Suspects")

    def _open_case(self, _: object = None) -> None:
        current = self.navigation.current
        if current is not None:
            self.case_wanted.emit(current.case)

    def _ask_task(self) -> None:
        current = self.navigation.current
        release = self._entry.row.release if self._entry is not None else None
        self.task_wanted.emit(current.case if current else "", current.task if current else 0, release or "")

    def _block(self) -> None:
        reason = "" if self.navigation.current is not None else "There is no failed task."
        for command in ("runs.failure_next", "runs.failure_before", "runs.open_case"):
            self._commands.block(command, reason)
        comparing = "" if self._other is not None else "No two runs are compared."
        self._commands.block("runs.end_comparison", comparing)
