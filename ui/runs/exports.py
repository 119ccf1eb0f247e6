"""Writing the shown runs: reports in every form, all their pictures, and the results section of a paper."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from annotator.release.reports.dataset_tables import set_name
from annotator.release.reports.paper import MANIFEST
from annotator.release.runs.orders import ReportOrder
from scoring.model.taxonomy import ReportFormat
from scoring.texts import tr
from ui.runs.board import Leaderboard
from ui.runs.entries import RunEntry
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme import Tone
from ui.theme.dialogs import FormDialog, ask_file
from ui.theme.fields import PathField
from ui.theme.menus import open_choices

_FORMS = {
    ReportFormat.HTML: (tr("HTML report…"), tr("HTML (*.html)"), ".html"),
    ReportFormat.MARKDOWN: (tr("Markdown tables…"), tr("Markdown (*.md)"), ".md"),
    ReportFormat.LATEX: (tr("LaTeX tables…"), tr("LaTeX (*.tex)"), ".tex"),
    ReportFormat.XLSX: (tr("Excel workbook…"), tr("Excel (*.xlsx)"), ".xlsx"),
    ReportFormat.CSV: (tr("CSV…"), tr("CSV (*.csv)"), ".csv"),
}
"""What each is called in a menu, its files in the words of Qt, and their ending."""


def paper_dialog(proposed: Path, *, parent: QWidget) -> FormDialog:
    """Ask for the folder of a paper, new or there already; answers its path."""
    title = tr("Results section of a paper")
    dialog = FormDialog("paper", title, title, width=560, parent=parent)
    folder = PathField("paper-folder", tr("Folder for the paper, new or written before"))
    folder.show_path(proposed)
    folder.line.textChanged.connect(dialog.check)
    dialog.frame.add_form(
        (tr("Folder"), folder),
        about=tr(
            "A new folder, or one of a former paper, which is replaced. In any other it gets one of its own."
        ),
    )
    return dialog.end_with(
        tr("Write"), folder.read, missing=lambda: "" if folder.read() else tr("Name a folder.")
    )


class RunExports:
    """Offers what can be written of the runs on the leaderboard.

    Args:
        page: Where dialogs open and whose command it is.
        board: Which runs, in which order and groups.
        operations: Who writes.
        commands: Where the command is added.
        notice: Where it is said that something was written.
        cases_of: Where the cases of a run are; None where nobody knows.
        teval: Folders of T-Eval scores that are shown beside the runs.
    """

    def __init__(
        self,
        page: QWidget,
        board: Leaderboard,
        operations: Operations,
        *,
        commands: Commands,
        notice: ErrorBanner,
        cases_of: Callable[[RunEntry], Path | None],
        teval: Callable[[], tuple[Path, ...]],
    ) -> None:
        self._page = page
        self._board = board
        self._operations = operations
        self._notice = notice
        self._cases_of = cases_of
        self._teval = teval
        commands.add_all(
            page,
            Command("runs.export", tr("Export the table"), tr("Runs"), self._open, keys="E"),
            Command(
                "runs.paper",
                tr("Write the results section of a paper"),
                tr("Runs"),
                self._ask_paper,
                keys="P",
            ),
        )
        self.button = commands.button("runs.export", tr("Export…"), name="runs-export")
        """Opens the choices."""

    def _open(self) -> None:
        open_choices(
            self.button,
            "export-menu",
            (
                *((words, partial(self._ask_file, form)) for form, (words, _, _) in _FORMS.items()),
                (tr("Pictures…"), self._ask_folder),
                (tr("Results section of a paper…"), self._ask_paper),
                ("", None),
                (tr("Copy the table"), self._copy),
            ),
        )

    def _copy(self) -> None:
        self._board.table.copy_all()
        self._notice.show_message(tr("Table copied to the clipboard."), tone=Tone.OK)

    def _ask_file(self, form: ReportFormat, _: bool = False) -> None:
        ask_file(
            self._page,
            tr("Export"),
            f"runs.{form.value}",
            _FORMS[form][1],
            saves=True,
            fileSelected=partial(self.export, form),
        )

    def _ask_folder(self) -> None:
        ask_file(
            self._page,
            tr("Folder for the pictures"),
            fileMode=QFileDialog.FileMode.Directory,
            fileSelected=self.export_pictures,
        )

    def export(self, form: ReportFormat, file: str) -> None:
        """Write the report of the shown runs into a file."""
        path = Path(file)
        self._write(form, path if path.suffix else path.with_suffix(_FORMS[form][2]))

    def _ask_paper(self) -> None:
        if (run := self._board.marked_run or next(iter(self._board.in_order()), None)) is None:
            return
        cases = self._cases_of(run)
        if cases is None:
            self._notice.show_message(
                tr("The cases of {name} are not available.", name=run.row.name),
                tr(
                    "Scored against no release of this project: name their file under Details, "
                    "at a failed task."
                ),
                tone=Tone.WARN,
                page="how_to/run_models.md#use-replies-you-have",
            )
            return
        proposed = cases.with_name(f"{set_name(cases)}-paper")
        paper_dialog(proposed, parent=self._page).ask(partial(self.write_paper, cases, run))

    def write_paper(self, cases: Path, run: RunEntry, folder: Path) -> None:
        """Write the results section of the shown runs that answered the cases of one, into a folder.

        A folder that is there and holds no former paper gets one inside it.
        """
        holds_other = folder.is_dir() and not (folder / MANIFEST).exists()
        self._write(
            None,
            folder / "paper" if holds_other else folder,
            runs=[one for one in self._board.in_order() if one.row.cases_sha256 == run.row.cases_sha256],
            cases=cases,
        )

    def export_pictures(self, folder: str) -> None:
        """Write every picture of the shown runs into a folder."""
        self._write(None, Path(folder))

    def _write(
        self,
        form: ReportFormat | None,
        path: Path,
        *,
        runs: Sequence[RunEntry] | None = None,
        cases: Path | None = None,
    ) -> None:
        filters = self._board.filters
        shown = self._board.in_order() if runs is None else runs
        self._operations.start_job(
            ReportOrder(
                runs=tuple((run.row.id, run.row.name) for run in shown),
                form=form,
                path=path,
                infra_errors=filters.infra_errors,
                by=filters.by,
                cases=cases,
                teval=self._teval(),
            ).carry_out,
            tr("Export the runs"),
            then=partial(self._notice.tell, lambda _: tr("Exported."), hint=str),
            failed=self._notice.show_error,
        )
