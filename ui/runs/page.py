"""The runs page: the leaderboard with its pictures, and the run that is marked."""

from collections.abc import Hashable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.project.changes import Changes
from annotator.project.workspace import Workspace
from annotator.release.freeze import ReleaseRow, list_releases
from annotator.release.runs.model_run import RunState
from annotator.release.runs.orders import ImportedRun, PredictionsOrder, RunOrder
from annotator.release.runs.recorded_runs import list_runs, run_scorecard, set_model_cards
from scoring.model_card import ModelCard
from scoring.scorecard import Scorecard
from scoring.texts import tr, tr_count
from ui.runs.active_runs import ActiveRuns
from ui.runs.board import Leaderboard
from ui.runs.entries import NO_RELEASE, RunEntry, are_comparable, entries_of
from ui.runs.exports import RunExports
from ui.runs.gallery import Gallery
from ui.runs.run_details import RunDetails
from ui.runs.run_dialog import RunDialog
from ui.runs.score_dialogs import PredictionsDialog, card_dialog, imported_words
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.operations import Operations
from ui.services.pages import ProjectPage
from ui.services.preferences import Preferences
from ui.theme import ButtonKind, EmptyState, TextLabel, Tone
from ui.theme.layouts import STRETCH, column, show_all, split, stacked, vbox
from ui.theme.menus import open_choices
from ui.theme.panels import Bar, PageHead, TabBar

_ASKED, _REPLIES = "how_to/run_models.md#ask-one-model", "how_to/run_models.md#use-replies-you-have"
"""Of the manual, about a model that is asked, and about replies that are there."""
_BOARD, _DETAILS, _EMPTY = range(3)
"""What is shown of the runs over dialogues."""


class RunsPage(ProjectPage):
    """How models did on the cases of this project; `exports` writes what is shown.

    Args:
        views: Further views of results, each with the title of its tab.
    """

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""
    task_wanted = Signal(str, int, str)
    """As `RunDetails.task_wanted`."""

    def __init__(
        self,
        operations: Operations,
        commands: Commands,
        preferences: Preferences,
        views: Sequence[tuple[str, QWidget]] = (),
        **properties: Any,
    ) -> None:
        super().__init__("runs", operations, commands, **properties, topic="measure")
        self._preferences = preferences
        self._views = views
        self._releases: tuple[ReleaseRow, ...] = ()
        self._wanted: int | None = None
        """A run to be marked as soon as it is in the table."""
        self._dialogues = QWidget()
        """What is shown of the runs over dialogues; its commands are those of the page while it is shown."""
        self._add_commands()
        self._notice = ErrorBanner(objectName="runs-notice")
        self._board = Leaderboard(
            commands,
            preferences,
            changed=self._show_shown,
            marked=self._show_marked,
            opened=self.toggle_details,
        )
        self.exports = RunExports(
            self._dialogues,
            self._board,
            operations,
            commands=commands,
            notice=self._notice,
            cases_of=lambda entry: self._details.navigation.place_of(entry),
            teval=self._teval,
        )
        self._build()
        self._read()

    def _add_commands(self) -> None:
        self._commands.add_all(
            self._dialogues,
            Command("runs.new", tr("New run"), tr("Runs"), self.ask_run, keys="R"),
            Command("runs.import", tr("Import predictions"), tr("Runs"), self.ask_import, keys="I"),
            Command("runs.compare", tr("Compare with another run"), tr("Runs"), self._open_compare, keys="C"),
            Command("runs.card", tr("Model card"), tr("Runs"), self.ask_card, keys="M"),
            Command(
                "runs.task",
                tr("What every run did with the task"),
                tr("Runs"),
                lambda: self._details.ask_task(),
                keys="W",
            ),
            Command(
                "runs.details", tr("Details of the run, or back"), tr("Runs"), self.toggle_details, keys="D"
            ),
        )

    def _build(self) -> None:
        self._kinds = TabBar(
            "run-kinds",
            (tr("Dialogues"), *(title for title, _ in self._views)),
            look="plain",
            currentChanged=self._choose_kind,
        )
        button, primary, ghost = self._commands.button, ButtonKind.PRIMARY, ButtonKind.GHOST
        self._compare_button = button("runs.compare", tr("Compare…"), name="runs-compare")
        card = button("runs.card", tr("Model card…"), name="runs-card", kind=ghost)
        self._of_dialogues = (
            button("runs.details", tr("Details"), name="runs-details"),
            self._compare_button,
            self.exports.button,
            button("runs.import", tr("Import…"), name="runs-import"),
            button("runs.new", tr("New run"), name="runs-new", kind=primary),
        )
        head = PageHead(tr("Runs"), [self._kinds], self._of_dialogues)
        self._details = RunDetails(
            self._operations,
            self._commands,
            self._notice,
            case_wanted=self.case_wanted.emit,
            task_wanted=self.task_wanted.emit,
            shown=self._board.table.mark,
        )
        self._gallery = Gallery(self._operations, self._commands, self._notice)
        self._live = ActiveRuns(
            self._operations, self._notice, recorded=self._say_run, changed=self._choose_view
        )
        members = (column((self._board, 1), self._live, focus=self._board), 1040), (self._gallery, 336)
        back = button("runs.details", tr("Leaderboard"), name="runs-back", kind=ghost)
        self._run_name = TextLabel("", "mono-strong", objectName="details-run")
        self._stack = stacked(
            split(Qt.Orientation.Horizontal, *members, grows=members[0][0]),
            column(Bar("bar", back, self._run_name, STRETCH, card, height=36), (self._details, 1)),
            EmptyState(
                "chart-bar",
                tr("No run yet"),
                tr("Import a predictions file to score it against a release, or run a model."),
                button=button("runs.import", tr("Import predictions…"), name="empty-import", kind=primary),
            ),
        )
        vbox((self._stack, 1), within=self._dialogues)
        vbox(
            head,
            self._notice,
            (self._dialogues, 1),
            *((view, 1) for _, view in self._views),
            within=self,
            focus=self._board,
        )
        self._kinds.setVisible(bool(self._views))  # Only once on the page: before, it would flash up alone.
        self._choose_kind(0)

    def _teval(self) -> tuple[Path, ...]:
        """Folders of T-Eval scores that are shown in this project."""
        project = self._operations.project
        known = self._preferences.settings.teval_results
        return tuple(map(Path, known.get(project.address, ()) if project else ()))

    def _choose_kind(self, number: int) -> None:
        """Show the runs over dialogues, or another view of results."""
        show_all(*self._of_dialogues, self._dialogues, on=number == 0)
        for place, (_, view) in enumerate(self._views, 1):
            view.setVisible(place == number)
        if self.isVisible():
            (self._views[number - 1][1] if number else self._board).setFocus()

    # reading -------------------------------------------------------------------------------------

    def _read(self) -> None:
        self._operations.run(list_releases, then=self._take_releases)
        self._operations.run(
            _entries,
            then=self._take_entries,
            failed=unread(self._operations.failure.emit, self._board.table, self._details),
        )

    def _note_changes(self, changes: Changes) -> None:
        if changes.has_runs or changes.has_releases:
            self._read()

    def _take_releases(self, rows: tuple[ReleaseRow, ...]) -> None:
        self._releases = rows
        self._details.navigation.note_releases(rows)

    def _take_entries(self, entries: tuple[RunEntry, ...]) -> None:
        self._board.show_entries(entries)
        if self._wanted is not None:
            self._board.table.mark(self._wanted)
            self._wanted = None

    def _mark_run(self, run_id: int) -> None:
        """Mark a run, at once or as soon as it is in the table."""
        self._board.table.mark(run_id)
        self._wanted = run_id if self._board.table.marked_key != run_id else None

    # showing -------------------------------------------------------------------------------------

    def toggle_details(self) -> None:
        """Show the marked run alone, or the leaderboard again."""
        if self._board.marked_run is None:
            return
        is_board = self._stack.currentIndex() == _BOARD
        self._stack.setCurrentIndex(_DETAILS if is_board else _BOARD)
        (self._details if is_board else self._board).setFocus()

    def _show_shown(self) -> None:
        """Follow the leaderboard: other runs, or other ways to count and group them."""
        board = self._board
        self._choose_view()
        self._details.count_infra_errors(board.filters.infra_errors)
        self._commands.block_all(
            "" if board.shown else tr("There is no run."),
            "runs.export",
            "runs.paper",
            "runs.card",
            "runs.details",
        )
        self._show_marked(None)

    def _choose_view(self) -> None:
        if not self._board.has_runs and not self._live.rows:
            self._stack.setCurrentIndex(_EMPTY)
        elif self._stack.currentIndex() == _EMPTY or self._board.marked_run is None:
            self._stack.setCurrentIndex(_BOARD)

    def _show_marked(self, _: Hashable) -> None:
        marked, every = self._board.marked_run, self._board.in_order()
        self._run_name.setText(marked.row.name if marked is not None else "")
        self._details.show_run(marked, beside=every)
        self._gallery.show_runs(
            [] if marked is None else [run for run in every if run.basis == marked.basis],
            self._board.filters.infra_errors,
            self._teval(),
        )
        self._commands.block(
            "runs.compare",
            "" if self._rivals() else tr("There is no other run over the same cases under the same rules."),
        )

    # comparing -----------------------------------------------------------------------------------

    def _rivals(self) -> tuple[RunEntry, ...]:
        """The runs the marked one can be compared with: on the same basis, or but for the history shown."""
        marked = self._board.marked_run
        if marked is None:
            return ()
        return tuple(
            run for run in self._board.shown if run.row.id != marked.row.id and are_comparable(run, marked)
        )

    def _open_compare(self) -> None:
        rule, marked = self._board.filters.infra_errors, self._board.marked_run
        rivals = []
        for entry in self._rivals():
            words = f"{entry.row.name} · {entry.summary.counting(rule).accuracy.tasks.percent or '–'}"
            if marked is not None and entry.row.protocol != marked.row.protocol:
                words += tr(" · protocol {protocol}", protocol=entry.row.protocol)
            rivals.append((words, partial(self._compare, entry)))
        open_choices(self._compare_button, "compare-menu", rivals)

    def _compare(self, entry: RunEntry, _: bool = False) -> None:
        self._stack.setCurrentIndex(_DETAILS)
        self._details.compare_with(entry)

    # the card of a model -------------------------------------------------------------------------

    def ask_card(self) -> None:
        """Ask what is known of the model of the marked run."""
        entry = self._board.marked_run
        if entry is not None:
            self._operations.run(
                partial(run_scorecard, run_id=entry.row.id), then=partial(self._open_card, entry.row.id)
            )

    def _open_card(self, run_id: int, card: Scorecard) -> None:
        known = card.known_card or ModelCard(model=tr("run {run_id}", run_id=run_id))
        card_dialog(known, parent=self).ask(
            lambda said: self._operations.run(
                partial(set_model_cards, cards={run_id: said}), failed=self._notice.show_error
            )
        )

    # importing -----------------------------------------------------------------------------------

    def ask_import(self) -> None:
        """Ask which predictions to score."""
        wanted = self._board.filters.release
        dialog = PredictionsDialog(self._releases, wanted="" if wanted == NO_RELEASE else wanted, parent=self)
        dialog.ask(self._import)

    def _import(self, order: PredictionsOrder) -> None:
        self._operations.start_job(
            order.carry_out,
            tr("Score {value}", value=order.name or order.files[0].stem),
            then=partial(self._say_imported, order),
            failed=self._notice.show_error,
            origin=self,
        )

    def _say_imported(self, order: PredictionsOrder, run: ImportedRun) -> None:
        self._details.navigation.note_files(run.run_id, order.files, cases=order.cases)
        self._mark_run(run.run_id)
        title, text = imported_words(run)
        self._notice.show_message(
            title,
            text,
            tone=Tone.WARN if run.summary.ignored or run.summary.missing else Tone.OK,
            page=_REPLIES,
        )

    # running -------------------------------------------------------------------------------------

    def ask_run(self) -> None:
        """Ask which model to run."""
        project, wanted = self._operations.project, self._board.filters.release
        RunDialog(
            self._releases,
            project=project.address if project else "",
            wanted="" if wanted == NO_RELEASE else wanted,
            parent=self,
        ).ask(self._run)

    def _run(self, order: RunOrder) -> None:
        if self._live.is_writing(order):
            self._notice.show_message(
                tr("A run is writing {name} already.", name=order.out.name),
                tr("Wait for it, or choose another file for the answers of this run."),
                tone=Tone.WARN,
                page=_ASKED,
            )
            return
        self._live.start(order)

    def _say_run(self, order: RunOrder, state: RunState) -> None:
        if state.run is not None:
            self._details.navigation.note_files(state.run, (order.out,), cases=order.cases)
            self._mark_run(state.run)
        failed = tr(
            "{infra_errors:,} failed outside the model; the same run again asks only these.",
            infra_errors=state.infra_errors,
        )
        hint, tone = (failed, Tone.WARN) if state.infra_errors else ("", Tone.OK)
        self._notice.show_message(
            tr(
                "{model}: {correct:,} of {task} right.",
                model=order.model,
                correct=state.correct,
                task=tr_count(state.total, "task"),
            ),
            hint,
            tone=tone,
            page=_ASKED,
        )


def _entries(workspace: Workspace) -> tuple[RunEntry, ...]:
    return entries_of(list_runs(workspace))
