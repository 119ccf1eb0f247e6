"""The Generate page: runs of the generator with their dialogues, what waits for a person, and toolsets."""

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal

from annotator.generation.choices import waiting_candidates
from annotator.generation.estimate import Estimate
from annotator.generation.generation_run import (
    GenerationRow,
    GenerationRun,
    find_run,
    list_runs,
    state_of,
)
from annotator.generation.orders import GenerationOrder
from annotator.generation.plan import GenerationPlan, Policies
from annotator.generation.records import GenerationState, RunStatus
from annotator.generation.roles import AgentRole
from annotator.project.changes import Changes
from scoring.texts import tr
from ui.generate.candidates_panel import CandidatesPanel
from ui.generate.generate_lines import RUN_WORDS, state_words
from ui.generate.run_dialog import GenerateDialog, resume_dialog
from ui.generate.run_view import RunStrip, RunView
from ui.generate.toolset_view import ToolsetView
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.jobs import JobState, WindowJob
from ui.services.operations import Operations
from ui.services.pages import ProjectPage
from ui.theme import ButtonKind, EmptyState, Tone
from ui.theme.buttons import ChoiceChip
from ui.theme.layouts import stacked, vbox
from ui.theme.panels import PageHead, TabBar
from ui.theme.words import LOADING, day_words

_PAGE = "how_to/generate_dialogues.md#3-watch-it"
"""Of the manual, about runs under way and what became of them."""
_NOTHING = (
    "sparkle",
    tr("Nothing generated yet"),
    tr("Start a run: five roles, each played by a model, make dialogues over your toolsets."),
)
_TABS = (tr("Run"), tr("Candidates"), tr("Toolsets"))
_TOOLSETS = 2


class GeneratePage(ProjectPage):
    """Makes raw dialogues, in full view."""

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""
    state_told = Signal(object)
    """A `GenerationState`, from the thread of a job."""

    def __init__(self, operations: Operations, commands: Commands, **properties: Any) -> None:
        super().__init__("generate", operations, commands, **properties)
        self._rows: tuple[GenerationRow, ...] = ()
        self._order: GenerationOrder | None = None
        """What the job that runs carries out."""
        self._job: WindowJob | None = None
        self._files: tuple[Path, ...] = ()
        self._estimating: WindowJob | None = None
        self._estimated: GenerationOrder | None = None
        self._commands.add_all(
            self,
            Command(
                "generate.new",
                tr("New generation"),
                tr("Generate"),
                partial(self._ask, Policies.ALL),
                keys="R",
            ),
            Command(
                "generate.missing", tr("Generate what is missing"), tr("Generate"), self.ask_missing, keys="G"
            ),
            Command(
                "generate.resume",
                tr("Resume or pause the run"),
                tr("Generate"),
                self.toggle,
                keys="P",
                waits=True,
            ),
            Command(
                "generate.candidates", tr("Candidates"), tr("Generate"), partial(self.show_tab, 1), keys="C"
            ),
            Command(
                "generate.toolsets",
                tr("Toolsets"),
                tr("Generate"),
                partial(self.show_tab, _TOOLSETS),
                keys="T",
            ),
        )
        self._build()
        self.state_told.connect(self._take_state)
        self._read()

    def _build(self) -> None:
        self._run = ChoiceChip("generate-run", tr("Run"), chosen=self._show_run)
        self._tabs = TabBar("generate-tabs", _TABS, look="plain", currentChanged=self._choose_view)
        button = self._commands.button
        head = PageHead(
            tr("Generate"),
            (self._run, self._tabs),
            (
                button("generate.missing", tr("Generate what is missing…"), name="generate-missing"),
                button("generate.new", tr("New generation"), name="generate-new", kind=ButtonKind.PRIMARY),
            ),
        )
        self._notice = ErrorBanner(objectName="generate-notice")
        self._strip = RunStrip(self._commands)
        self._view = RunView(self._operations, case_wanted=self.case_wanted.emit)
        self._candidates = CandidatesPanel(self._operations, self._commands, settled=self._show_run)
        self._toolsets = ToolsetView(self._operations, self._notice)
        self._nothing = EmptyState(
            _NOTHING[0],
            LOADING,
            "",
            button=button(
                "generate.new", tr("New generation…"), name="empty-generate", kind=ButtonKind.PRIMARY
            ),
        )
        self._stack = stacked(self._view, self._candidates, self._toolsets, self._nothing)
        vbox(head, self._notice, self._strip, (self._stack, 1), within=self, focus=self._tabs)
        self._choose_view()

    def show_tab(self, number: int) -> None:
        """Show the run, the candidates or the toolsets."""
        self._tabs.setCurrentIndex(number)
        if number == _TOOLSETS:
            self._toolsets.take_keys()

    def _choose_view(self) -> None:
        tab = self._tabs.currentIndex()
        self._stack.setCurrentIndex(tab if tab or self._rows else 3)
        self._strip.setVisible(bool(self._rows) and tab != _TOOLSETS)

    # reading -------------------------------------------------------------------------------------

    def _read(self) -> None:
        self._operations.run(
            list_runs,
            then=self._take_runs,
            failed=unread(self._operations.failure.emit, self._nothing, self._candidates.nothing),
        )

    def _note_changes(self, changes: Changes) -> None:
        if changes.is_everything or changes.has_new_cases:
            self._read()

    def _take_runs(self, rows: tuple[GenerationRow, ...]) -> None:
        self._rows = rows
        self._nothing.set_words(*_NOTHING[1:])
        if not rows:
            self._candidates.note_count(0)
        self._run.set_choices(
            [
                (
                    str(row.id),
                    f"{row.name} · {day_words(row.at.date())} {row.at:%H:%M}"
                    f" · {RUN_WORDS[RunStatus(row.status)]}",
                )
                for row in rows
            ]
        )
        self._run.setVisible(bool(rows))
        self._choose_view()
        self._show_run()

    @property
    def shown_run(self) -> int | None:
        """Number of the run that is shown."""
        return int(self._run.value) if self._rows and self._run.value else None

    def _show_run(self, _: object = None) -> None:
        run = self.shown_run
        if run is None:
            return
        self._view.show_run(run)
        self._operations.run(partial(state_of, run=run), then=self._take_state)

    def _take_state(self, state: GenerationState) -> None:
        """Show how a run stands; a run that has just begun comes to the front."""
        if state.run not in {row.id for row in self._rows}:
            self._operations.run(list_runs, then=self._take_runs)
            return
        if state.run != self.shown_run:
            if self._is_running(state.run):
                self._run.choose(str(state.run))
                self._view.show_run(state.run)
            else:
                return
        self._strip.show_state(state, is_running=self._is_running(state.run))
        self._view.show_state(state)
        self._tabs.setTabText(
            1, tr("Candidates · {waiting:,}", waiting=state.waiting) if state.waiting else _TABS[1]
        )
        self._candidates.note_count(state.waiting)
        self._operations.run(
            partial(waiting_candidates, run=state.run),
            then=partial(self._candidates.show_waiting, state.run),
        )

    def _is_running(self, run: int) -> bool:
        return self._job is not None and (self._order is None or self._order.run in (None, run))

    # running -------------------------------------------------------------------------------------

    def ask_missing(self) -> None:
        """Ask for a run that fills what the coverage lacks."""
        self._ask(Policies.MISSING)

    def _ask(self, policies: Policies) -> None:
        """Ask what to generate."""
        plans = [GenerationPlan.model_validate_json(row.plan) for row in self._rows[:1]]
        dialog = GenerateDialog(
            policies=policies,
            files=self._files,
            model=plans[0].models[AgentRole.USER][0] if plans else None,
            parent=self,
        )
        dialog.estimate_wanted.connect(partial(self._estimate, dialog))
        dialog.ask(self.start)

    def _estimate(self, dialog: GenerateDialog, order: GenerationOrder) -> None:
        self._estimated = order
        self._estimating = self._operations.start_job(
            order.estimate,
            tr("Estimate the generation"),
            then=partial(self._show_estimate, dialog, order),
            failed=dialog.show_problem,
            instead_of=self._estimating,
        )

    def _show_estimate(self, dialog: GenerateDialog, order: GenerationOrder, found: Estimate) -> None:
        # A job that was cancelled too late may end after the one that followed it.
        if order is self._estimated:
            dialog.show_estimate(found)

    def start(self, order: GenerationOrder) -> None:
        """Start a run, or go on with it; one run at a time."""
        if self._job is not None:
            self._notice.show_message(
                tr("A run is under way."),
                tr("Pause it, or wait until it has ended."),
                tone=Tone.WARN,
                page=_PAGE,
            )
            return
        self._files = order.files or self._files
        self._order = order
        self.show_tab(0)
        self._job = self._operations.start_job(
            partial(order.carry_out, listen=self.state_told.emit),
            tr("Generation run “{name}”", name=order.plan.name),
            then=self._say_end,
            failed=self._notice.show_error,
            changes=Changes(has_new_cases=True),
        )
        self._job.ended.connect(self._forget_job)

    def toggle(self) -> None:
        """Pause the run under way, or resume the one that is shown."""
        if self._job is not None:
            self._job.cancel()
            self._commands.block("generate.resume", tr("It stops once the pending replies have arrived."))
            return
        if (run := self.shown_run) is not None:
            self._operations.run(partial(find_run, run=run), then=self._ask_resume)

    def _ask_resume(self, found: GenerationRun) -> None:
        """Ask before models are sent requests again, which may cost money."""
        resume_dialog(self, found.plan).ask(
            lambda _: self.start(GenerationOrder(plan=found.plan, run=found.number))
        )

    def _forget_job(self, state: JobState) -> None:
        self._job = None
        self._order = None
        if state is not JobState.DONE:
            self._show_run()

    def _say_end(self, state: GenerationState) -> None:
        self._take_state(state)
        title = tr("The run is finished.") if state.is_finished else tr("The run waits.")
        if state.is_over_budget:
            title = tr("The run stopped at its spending limit.")
        elif not state.is_finished and state.waiting:
            title = tr("The run waits for requests to be picked.")
        self._notice.show_message(
            title,
            state_words(state),
            tone=Tone.OK if state.as_wanted == state.total else Tone.WARN,
            page=_PAGE,
        )
