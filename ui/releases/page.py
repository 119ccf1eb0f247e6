"""The releases page: the list, freezing, verifying and comparing."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from operator import attrgetter
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFileDialog

from annotator.project.changes import Changes
from annotator.release.errata import ERRATA, Errata, unwritten_errata, write_errata
from annotator.release.freeze import FreezeOrder, FreezePreview, ReleaseRow, freeze_preview, list_releases
from annotator.release.manifest import Manifest
from annotator.release.quality import draw_planned, plan, quality
from annotator.release.verification import ReleaseDiff, VerifyReport, diff_releases, verify_release
from scoring.model.taxonomy import Role
from scoring.texts import tr, tr_count, with_commas
from ui.releases.freeze_wizard import FreezeDialog
from ui.releases.quality import QualityBar, QualityView, SampleDialog
from ui.releases.release_details import ReleaseDetails, default_folder, errata_dialog
from ui.services.calls import job_of
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.jobs import WindowJob
from ui.services.operations import Operations
from ui.services.pages import ProjectPage
from ui.theme import ButtonKind, EmptyState, TextLabel, Tone
from ui.theme.cells import Cell, count_cell, moment_cell
from ui.theme.dialogs import ask_file
from ui.theme.events import follow_events
from ui.theme.layouts import show_either, split, stacked, vbox
from ui.theme.panels import PageHead, TabBar
from ui.theme.tables import Column, FigureTable

_MOST_NAMED = 20


def release_columns(unwritten: Mapping[str, tuple[str, ...]]) -> tuple[Column[ReleaseRow], ...]:
    """What is said of a release; `unwritten` has the cases its errata do not name yet, by its name."""

    def errata(row: ReleaseRow) -> Cell:
        cases = unwritten.get(row.name, ())
        return (
            Cell(
                tr("{cases_count:,} to write", cases_count=len(cases)),
                tip=with_commas(cases[:_MOST_NAMED]),
                chip=Tone.WARN,
            )
            if cases
            else Cell("")
        )

    return (
        Column(tr("Name"), cell=lambda row: Cell(row.name, tip=row.directory, is_strong=True)),
        Column(tr("Cases"), 72, lambda row: count_cell(row.case_count), is_figure=True),
        Column(
            tr("Content"),
            120,
            lambda row: Cell(
                row.content_sha256[:12],
                tip=tr("SHA-256 {content_sha256}", content_sha256=row.content_sha256),
                is_mono=True,
            ),
            tip=tr("First digits of the content hash; equal content has an equal hash"),
            leave_out=1,
        ),
        Column(
            tr("Errata"),
            132,
            errata,
            tip=tr("Cases corrected or rejected since that errata.json does not name yet"),
        ),
        Column(tr("By"), 120, lambda row: row.person, leave_out=2),
        Column(tr("Frozen", context="column"), 112, lambda row: moment_cell(row.at), is_figure=True),
    )


class ReleasesPage(ProjectPage):
    """What was frozen in this project."""

    def __init__(self, operations: Operations, commands: Commands) -> None:
        super().__init__("releases", operations, commands)
        self._rows: tuple[ReleaseRow, ...] = ()
        self._unwritten: dict[str, tuple[str, ...]] = {}
        self._preview: WindowJob | None = None
        self._just_frozen = ""
        self._table = FigureTable("releases", tr("Releases"), release_columns({}), marked=self._show_marked)
        self._add_commands()
        self._build()
        follow_events(self, self._read_figures, QEvent.Type.Show)
        self._read()

    def _add_commands(self) -> None:
        marked = self._table.with_marked
        self._commands.add_all(
            self,
            Command("releases.freeze", tr("Freeze a release"), tr("Releases"), self.ask_freeze, keys="F"),
            Command(
                "releases.verify",
                tr("Verify the selected release"),
                tr("Releases"),
                marked(self._verify),
                keys="V",
            ),
            Command("releases.sample", tr("Sample more cases"), tr("Releases"), self.ask_sample, keys="S"),
            Command(
                "releases.compare",
                tr("Compare with…"),
                tr("Releases"),
                lambda: self._details.open_compare_menu(),
                keys="C",
            ),
            Command(
                "releases.errata",
                tr("Write the errata of the selected release"),
                tr("Releases"),
                marked(self._ask_errata),
                keys="E",
            ),
        )
        for command_id, roles, reason in (
            ("releases.freeze", (Role.MANAGER,), tr("Only managers freeze releases.")),
            ("releases.sample", (Role.MANAGER, Role.EXPERT), tr("Only experts and managers draw samples.")),
        ):
            self._commands.block(command_id, "" if self._operations.has_role(*roles) else reason)

    def _build(self) -> None:
        self._count = TextLabel("", "muted", objectName="release-count")
        button = self._commands.button
        freeze = button("releases.freeze", tr("Freeze…"), name="release-freeze", kind=ButtonKind.PRIMARY)
        self._kinds = TabBar(
            "release-kinds",
            (tr("Frozen"), tr("Quality")),
            look="plain",
            currentChanged=self._choose_kind,
        )
        self._notice = ErrorBanner(objectName="releases-notice")
        self._details = ReleaseDetails(
            self._commands,
            compare_asked=self._compare_with,
            errata_asked=self._table.with_marked(self._ask_errata),
        )
        self._stack = stacked(
            split(Qt.Orientation.Horizontal, (self._table, 900), (self._details, 476), grows=self._table),
            EmptyState(
                "cube",
                tr("No release yet"),
                tr("A release is a checksummed folder of all final cases, with its statistics."),
                button=button("releases.freeze", tr("Freeze…"), name="empty-freeze"),
            ),
        )
        self._quality = QualityBar(self._commands)
        self._figures = QualityView(self._operations, self._notice, visible=False)
        vbox(
            PageHead(tr("Releases"), (self._kinds, self._count), [freeze]),
            self._quality,
            self._notice,
            (self._stack, 1),
            (self._figures, 1),
            within=self,
            focus=self._table,
        )

    def _choose_kind(self, number: int) -> None:
        """Show what was frozen, or all that is known of how right the cases are."""
        show_either(self._stack, self._figures, on=number == 0)

    # reading -------------------------------------------------------------------------------------

    def _read(self) -> None:
        self._operations.run(
            list_releases, then=self._take_rows, failed=unread(self._operations.failure.emit, self._table)
        )
        self._read_figures()

    def _read_figures(self) -> None:
        """Read what changes with the cases: the bound, and errata that are not written yet."""
        self._operations.run(
            quality,
            then=self._quality.show_quality,
            failed=unread(self._operations.failure.emit, self._quality.headline),
        )
        self._operations.run(unwritten_errata, then=self._take_unwritten)

    def _note_changes(self, changes: Changes) -> None:
        if changes.has_releases:
            self._read()
        elif changes.case_ids and self.isVisible():
            self._read_figures()

    def _take_rows(self, rows: tuple[ReleaseRow, ...]) -> None:
        self._rows = rows
        self._show_rows(self._just_frozen)
        self._just_frozen = ""

    def _take_unwritten(self, unwritten: dict[str, tuple[str, ...]]) -> None:
        if unwritten != self._unwritten:
            self._unwritten = unwritten
            self._show_rows(str(self._table.marked_key or ""))

    def _show_rows(self, marked: str) -> None:
        rows = self._rows
        self._count.setText(tr_count(len(rows), "release"))
        self._stack.setCurrentIndex(0 if rows else 1)
        self._table.show_items(rows, key=attrgetter("name"), columns=release_columns(self._unwritten))
        self._table.mark(marked)
        self._commands.block_all(
            "" if rows else tr("There is no release yet."),
            "releases.verify",
            "releases.compare",
            "releases.errata",
        )
        self._show_marked()

    def _show_marked(self) -> None:
        self._table.use_marked(self._show_release)

    def _show_release(self, row: ReleaseRow) -> None:
        self._details.show_release(row, others=tuple(o.name for o in self._rows if o.name != row.name))
        self._details.show_unwritten(self._unwritten.get(row.name, ()))

    # freezing ------------------------------------------------------------------------------------

    def ask_freeze(self) -> None:
        """Show what a freeze would take, and ask for name and folder."""
        self._read()  # names others took meanwhile are not proposed
        self._preview = self._operations.start_job(
            job_of(freeze_preview),
            tr("Look what a release would take"),
            then=self._ask_freeze,
            failed=self._notice.show_error,
            instead_of=self._preview,
        )

    def _ask_freeze(self, preview: FreezePreview) -> None:
        if not self.isVisible():  # the person has gone on: no key typed elsewhere may freeze anything
            return
        project = self._operations.project
        folder = default_folder(self._rows, project.address if project else "")
        FreezeDialog(preview, folder=folder, name=self._next_name(folder), parent=self).ask(self._freeze)

    def _next_name(self, folder: Path) -> str:
        month = f"{datetime.now().astimezone():%Y.%m}"
        taken = {row.name for row in self._rows}
        names = (month, *(f"{month}.{number}" for number in range(2, 1000)))
        return next((name for name in names if name not in taken and not (folder / name).exists()), "")

    def _freeze(self, order: FreezeOrder) -> None:
        self._operations.start_job(
            order.carry_out,
            tr("Freeze {name}", name=order.name),
            then=partial(self._say_frozen, order),
            failed=self._notice.show_error,
            origin=self,
        )

    def _say_frozen(self, order: FreezeOrder, manifest: Manifest) -> None:
        self._just_frozen = order.name
        self._notice.show_message(
            tr(
                "{case} frozen as {name}.",
                case=tr_count(manifest.content.case_count, "case"),
                name=order.name,
            ),
            str(order.directory),
            tone=Tone.OK,
        )

    # sampling ------------------------------------------------------------------------------------

    def ask_sample(self) -> None:
        """Ask for which bound experts should look at more cases."""
        dialog = SampleDialog(parent=self)
        dialog.asked.connect(partial(self._plan, dialog))
        dialog.ask(self._draw)
        dialog.ask_plan()

    def _plan(self, dialog: SampleDialog, bound: float) -> None:
        self._operations.run(
            partial(plan, bound=bound),
            then=partial(dialog.show_plan, bound),
            failed=dialog.show_error,
        )

    def _draw(self, bound: float) -> None:
        self._operations.run(
            partial(draw_planned, bound=bound),
            then=partial(
                self._notice.tell,
                lambda planned: tr("{case} drawn for the experts.", case=tr_count(planned.cases, "case")),
                hint=lambda _: tr("They find them in the queue, at the stage expert."),
            ),
            failed=self._notice.show_error,
            origin=self,
        )

    # verifying and comparing -----------------------------------------------------------------------

    def _verify(self, row: ReleaseRow) -> None:
        """Check every byte of a release."""
        self._operations.start_job(
            job_of(lambda workspace: verify_release(Path(row.directory), recorded_in=workspace)),
            tr("Verify {name}", name=row.name),
            then=partial(self._show_report, row.name),
            failed=self._notice.show_error,
        )

    def _show_report(self, name: str, report: VerifyReport) -> None:
        if self._table.marked_key == name:
            self._details.show_report(report)

    def _ask_errata(self, row: ReleaseRow) -> None:
        """Ask before a frozen folder is written to; where its errata say all that is known, it is not."""
        case_ids = self._unwritten.get(row.name, ())
        if case_ids:
            errata_dialog(self, row, case_ids).ask(
                lambda _: self._operations.run(
                    partial(write_errata, release=row.name),
                    then=self._say_errata,
                    failed=self._notice.show_error,
                )
            )
        else:
            self._notice.show_message(
                tr("Nothing to write: no erratum of {name} is missing in its folder.", name=row.name),
                tr("A case is listed there once it was corrected or rejected."),
                tone=Tone.OK,
            )

    def _say_errata(self, errata: Errata) -> None:
        self._notice.show_message(
            errata.headline,
            tr("{errata} says so; every other file of the release is unchanged.", errata=ERRATA),
            tone=Tone.OK,
        )
        self._read_figures()

    def _compare_with(self, name: str) -> None:
        if not name:
            ask_file(
                self,
                tr("Release folder to compare with"),
                fileMode=QFileDialog.FileMode.Directory,
                fileSelected=self.compare_with_folder,
            )
            return
        other = next(row for row in self._rows if row.name == name)
        self._table.use_marked(partial(self._compare, Path(other.directory), name))

    def compare_with_folder(self, folder: str) -> None:
        """Compare the marked release with a release folder from anywhere."""
        self._table.use_marked(partial(self._compare, Path(folder), Path(folder).name))

    def _compare(self, other: Path, name: str, row: ReleaseRow) -> None:
        self._operations.start_job(
            job_of(lambda _: diff_releases(other, Path(row.directory))),
            tr("Compare {name} with {name2}", name=name, name2=row.name),
            then=partial(self._show_diff, name, row.name),
            failed=self._notice.show_error,
        )

    def _show_diff(self, first: str, second: str, diff: ReleaseDiff) -> None:
        if self._table.marked_key == second:
            self._details.show_diff(diff, first=first, second=second)
