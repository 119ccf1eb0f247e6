"""The runs page: the leaderboard, and below it the run that is marked."""

from collections.abc import Hashable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from annotator.project.changes import Changes
from annotator.release.freeze import ReleaseRow, list_releases
from annotator.release.runs.model_run import RunState
from annotator.release.runs.orders import ImportedRun, PredictionsOrder, ReportOrder, RunOrder
from annotator.release.runs.recorded_runs import list_runs, run_scorecard, set_model_cards
from scoring.model.taxonomy import InfraErrors, Protocol, ReportFormat, Semantics
from scoring.model_card import ModelCard
from scoring.scorecard import Scorecard
from scoring.wording import counted
from ui.runs.active_runs import ActiveRuns
from ui.runs.card_dialog import card_dialog
from ui.runs.entries import (
    APART,
    NO_RELEASE,
    RunEntry,
    are_comparable,
    columns,
    entries_of,
    leaderboard,
)
from ui.runs.run_details import RunDetails
from ui.runs.run_dialog import RunDialog
from ui.runs.score_dialogs import PredictionsDialog, imported_words
from ui.runs.slices import FORM_WORDS, with_suffix
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.operations import Operations
from ui.services.topics import set_topic
from ui.theme import ButtonKind, EmptyState, TextLabel, Tone
from ui.theme.buttons import ChoiceChip
from ui.theme.dialogs import open_dialog
from ui.theme.layouts import STRETCH, build, column, hbox, split, stacked, vbox
from ui.theme.menus import open_choices
from ui.theme.panels import PageHead, TabBar
from ui.theme.tables import FigureTable

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace

_ALL = ""
_NOTHING = (
    "chart-bar",
    "No run yet",
    "Import a predictions file to score it against a release, or run a model.",
)


class RunsPage(QWidget):
    """How models did on the cases of this project.

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
        views: Sequence[tuple[str, QWidget]] = (),
        **properties: Any,
    ) -> None:
        build(super().__init__, objectName="runs-page", **properties)
        set_topic("measure", self)
        self._operations = operations
        self._views = views
        self._commands = commands
        self._entries: tuple[RunEntry, ...] = ()
        self._releases: tuple[ReleaseRow, ...] = ()
        self._wanted: int | None = None
        """A run to be marked as soon as it is in the table."""
        self._add_commands()
        self._build()
        operations.changed.connect(self._note_changes)
        self._read()

    def _add_commands(self) -> None:
        self._commands.add_all(
            self,
            Command("runs.new", "New run", "Runs", self.ask_run, keys="R"),
            Command("runs.import", "Import predictions", "Runs", self.ask_import, keys="I"),
            Command("runs.compare", "Compare with another run", "Runs", self._open_compare, keys="C"),
            Command("runs.card", "Model card", "Runs", self.ask_card, keys="M"),
            Command("runs.export", "Export the table", "Runs", self._open_export, keys="E"),
        )

    def _build(self) -> None:
        outside = [
            (InfraErrors.WRONG, "Failed outside: wrong"),
            (InfraErrors.LEFT_OUT, "Failed outside: excluded"),
        ]
        self._release, self._protocol, self._semantics, self._outside = (
            ChoiceChip(f"runs-{about.split()[-1].lower()}", about, choices, chosen=self._show_entries)
            for about, choices in (
                ("Release", ()),
                ("Protocol", ()),
                ("Semantics", ()),
                ("Failed outside", outside),
            )
        )
        self._outside.setToolTip("How tasks that failed outside the model count in every figure")
        self._count = TextLabel("", "muted", objectName="run-count")
        self._apart = TextLabel(APART, "small-muted", objectName="runs-apart", visible=False)
        set_topic("semantics", self._semantics, self._apart)
        titles = ("Dialogues", *(title for title, _ in self._views))
        self._kinds = TabBar("run-kinds", titles, look="plain")
        self._kinds.currentChanged.connect(self._choose_kind)
        button, primary = self._commands.button, ButtonKind.PRIMARY
        self._compare_button = button("runs.compare", "Compare…", name="runs-compare")
        self._export_button = button("runs.export", "Export…", name="runs-export")
        imports = button("runs.import", "Import…", name="runs-import")
        new = button("runs.new", "New run", name="runs-new", kind=primary)
        right = (self._count, self._compare_button, self._export_button, imports, new)
        self._of_dialogues = (self._release, *right)
        head = PageHead("Runs", self._kinds, self._release, STRETCH, *right)
        self._notice = ErrorBanner(objectName="runs-notice")
        self._table = FigureTable("runs", "Runs", columns(), marked=self._show_marked)
        self._details = RunDetails(
            self._operations,
            self._commands,
            self._notice,
            case_wanted=self.case_wanted.emit,
            task_wanted=self.task_wanted.emit,
            shown=self._table.mark,
        )
        self._live = ActiveRuns(
            self._operations, self._notice, recorded=self._say_run, changed=self._choose_view
        )
        chips = self._protocol, self._semantics, self._outside
        card = button("runs.card", "Model card…", name="runs-card", kind=ButtonKind.GHOST)
        counted_how = hbox(*chips, STRETCH, self._apart, card, gap=None, margins=(16, 4))
        upper = column(counted_how, (self._table, 1), self._live)
        members = (upper, 200), (self._details, 580)
        splitter = split(Qt.Orientation.Vertical, *members, grows=self._details)
        start = button("runs.import", "Import predictions…", name="empty-import", kind=primary)
        self._stack = stacked(splitter, EmptyState(*_NOTHING, button=start))
        vbox(head, self._notice, (self._stack, 1), *((view, 1) for _, view in self._views), within=self)
        self._kinds.setVisible(bool(self._views))  # Only once on the page: before, it would flash up alone.
        self._choose_kind(0)
        self.setFocusProxy(self._table)

    def _choose_kind(self, number: int) -> None:
        """Show the runs over dialogues, or another view of results."""
        for widget in (*self._of_dialogues, self._stack):
            widget.setVisible(number == 0)
        for place, (_, view) in enumerate(self._views, 1):
            view.setVisible(place == number)

    # reading -------------------------------------------------------------------------------------

    def _read(self) -> None:
        self._operations.run(list_releases, then=self._take_releases)
        failed = unread(self._operations.failure.emit, self._table, self._details)
        self._operations.run(_entries, then=self._take_entries, failed=failed)

    def _note_changes(self, changes: Changes) -> None:
        if changes.has_runs or changes.has_releases:
            self._read()

    def _take_releases(self, rows: tuple[ReleaseRow, ...]) -> None:
        self._releases = rows
        self._details.navigation.note_releases(rows)

    def _take_entries(self, entries: tuple[RunEntry, ...]) -> None:
        self._entries = entries
        self._show_entries()
        if self._wanted is not None:
            self._table.mark(self._wanted)
            self._wanted = None

    def _mark_run(self, run_id: int) -> None:
        """Mark a run, at once or as soon as it is in the table."""
        self._table.mark(run_id)
        self._wanted = run_id if self._table.marked_key != run_id else None

    # showing -------------------------------------------------------------------------------------

    def _offer_choices(self) -> None:
        names = dict.fromkeys(entry.release for entry in self._entries)
        tasks = {entry.release: entry.summary.tasks for entry in self._entries}
        self._release.set_choices(
            [(_ALL, "All releases"), *((name, _release_words(name, tasks[name])) for name in names)]
        )
        protocols = {entry.row.protocol for entry in self._entries}
        self._protocol.set_choices(
            [(_ALL, "All protocols"), *((p.value, f"protocol {p}") for p in Protocol if p in protocols)]
        )
        semantics = {entry.row.semantics for entry in self._entries}
        self._semantics.set_choices(
            [(_ALL, "All semantics"), *((s.value, f"semantics {s}") for s in Semantics if s in semantics)]
        )

    def _shown(self) -> tuple[RunEntry, ...]:
        return tuple(
            entry
            for entry in self._entries
            if self._release.value in (_ALL, entry.release)
            and self._protocol.value in (_ALL, entry.row.protocol)
            and self._semantics.value in (_ALL, entry.row.semantics)
        )

    def _show_entries(self) -> None:
        self._offer_choices()
        shown = self._shown()
        self._choose_view()
        self._count.setText(counted(len(shown), "run"))
        wanted = InfraErrors(self._outside.value)
        self._outside.setVisible(any(entry.summary.infra_errors for entry in self._entries))
        rows = leaderboard(shown, datetime.now().astimezone(), infra_errors=wanted)
        self._apart.setVisible(any(row.is_heading for row in rows))
        self._table.show_rows(rows)
        self._details.count_infra_errors(wanted)
        self._details.show_run(self._marked() if shown else None, beside=self._in_order())
        self._commands.block("runs.export", "" if shown else "There is no run to export.")
        self._block_compare()
        self._commands.block("runs.card", "" if shown else "There is no run.")

    def _choose_view(self) -> None:
        self._stack.setCurrentIndex(0 if self._entries or self._live.rows else 1)

    def _in_order(self) -> tuple[RunEntry, ...]:
        """The runs of the table as they stand in it."""
        entries = {entry.row.id: entry for entry in self._entries}
        return tuple(entries[row.key] for row in self._table.rows if row.key in entries)

    def _marked(self) -> RunEntry | None:
        return next((entry for entry in self._entries if entry.row.id == self._table.marked_key), None)

    def _show_marked(self, _: Hashable) -> None:
        self._details.show_run(self._marked(), beside=self._in_order())
        self._block_compare()

    # comparing -----------------------------------------------------------------------------------

    def _rivals(self) -> tuple[RunEntry, ...]:
        """The runs the marked one can be compared with: on the same basis, or but for the history shown."""
        marked = self._marked()
        if marked is None:
            return ()
        return tuple(e for e in self._entries if e != marked and are_comparable(e, marked))

    def _block_compare(self) -> None:
        reason = "" if self._rivals() else "There is no other run over the same cases under the same rules."
        self._commands.block("runs.compare", reason)

    def _open_compare(self) -> None:
        rule, marked = InfraErrors(self._outside.value), self._marked()
        rivals = []
        for entry in self._rivals():
            words = f"{entry.row.name} · {entry.summary.counting(rule).accuracy.tasks.percent or '–'}"
            if marked is not None and entry.row.protocol != marked.row.protocol:
                words += f" · protocol {entry.row.protocol}"
            rivals.append((words, partial(self._compare, entry)))
        open_choices(self._compare_button, "compare-menu", rivals)

    def _compare(self, entry: RunEntry, _: bool = False) -> None:
        self._details.compare_with(entry)

    # the card of a model -------------------------------------------------------------------------

    def ask_card(self) -> None:
        """Ask what is known of the model of the marked run."""
        entry = self._marked()
        if entry is not None:
            read = partial(run_scorecard, run_id=entry.row.id)
            self._operations.run(read, then=partial(self._open_card, entry.row.id))

    def _open_card(self, run_id: int, card: Scorecard) -> None:
        known = card.known_card or ModelCard(model=f"run {run_id}")
        card_dialog(known, parent=self).ask(partial(self._save_card, run_id))

    def _save_card(self, run_id: int, card: ModelCard) -> None:
        self._operations.run(partial(set_model_cards, cards={run_id: card}), failed=self._notice.show_error)

    # importing -----------------------------------------------------------------------------------

    def ask_import(self) -> None:
        """Ask which predictions to score."""
        wanted = self._release.value
        dialog = PredictionsDialog(self._releases, wanted="" if wanted == NO_RELEASE else wanted, parent=self)
        dialog.ask(self._import)

    def _import(self, order: PredictionsOrder) -> None:
        self._operations.start_job(
            order.carry_out,
            f"Score {order.name or order.files[0].stem}",
            then=partial(self._say_imported, order),
            failed=self._notice.show_error,
            origin=self,
        )

    def _say_imported(self, order: PredictionsOrder, run: ImportedRun) -> None:
        self._details.navigation.note_files(run.run_id, order.files, cases=order.cases)
        self._mark_run(run.run_id)
        title, text = imported_words(run)
        tone = Tone.WARN if run.summary.ignored or run.summary.missing else Tone.OK
        self._notice.show_message(title, text, tone=tone)

    # running -------------------------------------------------------------------------------------

    def ask_run(self) -> None:
        """Ask which model to run."""
        project, wanted = self._operations.project, self._release.value
        dialog = RunDialog(
            self._releases,
            project=project.address if project else "",
            wanted="" if wanted == NO_RELEASE else wanted,
            parent=self,
        )
        dialog.ask(self._run)

    def _run(self, order: RunOrder) -> None:
        if self._live.is_writing(order):
            words = "Wait for it, or choose another file for the answers of this run."
            self._notice.show_message(f"A run is writing {order.out.name} already.", words, tone=Tone.WARN)
            return
        self._live.start(order)

    def _say_run(self, order: RunOrder, state: RunState) -> None:
        if state.run is not None:
            self._details.navigation.note_files(state.run, (order.out,), cases=order.cases)
            self._mark_run(state.run)
        title = f"{order.model}: {state.correct:,} of {counted(state.total, 'task')} right."
        failed = f"{state.infra_errors:,} failed outside the model; the same run again asks only these."
        if state.infra_errors:
            self._notice.show_message(title, failed, tone=Tone.WARN)
        else:
            self._notice.show_message(title, tone=Tone.OK)

    # exporting -----------------------------------------------------------------------------------

    def _open_export(self) -> None:
        tables = ((words, partial(self._ask_file, form)) for form, (words, _) in FORM_WORDS.items())
        pictures = ("Pictures…", self._ask_folder)
        copy = ("Copy the table", self._copy)
        open_choices(self._export_button, "export-menu", (*tables, pictures, ("", None), copy))

    def _copy(self) -> None:
        self._table.copy_all()
        self._notice.show_message("Table copied to the clipboard.", tone=Tone.OK)

    def _ask_file(self, form: ReportFormat, _: bool = False) -> None:
        open_dialog(
            build(
                QFileDialog,
                self,
                "Export",
                f"runs.{form.value}",
                FORM_WORDS[form][1],
                acceptMode=QFileDialog.AcceptMode.AcceptSave,
                fileSelected=partial(self.export, form),
            )
        )

    def _ask_folder(self) -> None:
        open_dialog(
            build(
                QFileDialog,
                self,
                "Folder for the pictures",
                fileMode=QFileDialog.FileMode.Directory,
                fileSelected=self.export_pictures,
            )
        )

    def export(self, form: ReportFormat, file: str) -> None:
        """Write the report of the shown runs into a file."""
        self._write(form, with_suffix(file, form))

    def export_pictures(self, folder: str) -> None:
        """Write every picture of the shown runs into a folder."""
        self._write(None, Path(folder))

    def _write(self, form: ReportFormat | None, path: Path) -> None:
        shown = {entry.row.id: entry.row.name for entry in self._shown()}
        runs = tuple((row.key, shown[row.key]) for row in self._table.rows if isinstance(row.key, int))
        order = ReportOrder(runs=runs, form=form, path=path, infra_errors=InfraErrors(self._outside.value))
        self._operations.start_job(
            order.carry_out, "Export the runs", then=self._say_exported, failed=self._notice.show_error
        )

    def _say_exported(self, path: Path) -> None:
        self._notice.show_message("Exported.", str(path), tone=Tone.OK)


def _release_words(name: str, task_count: int) -> str:
    words = name if name == NO_RELEASE else f"Release {name}"
    return f"{words} · {counted(task_count, 'task')}"


def _entries(workspace: "Workspace") -> tuple[RunEntry, ...]:
    return entries_of(list_runs(workspace))
