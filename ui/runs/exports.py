"""Writing the shown runs: reports in every form, and all their pictures."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QWidget

from annotator.release.runs.orders import ReportOrder
from scoring.model.taxonomy import ReportFormat
from ui.runs.board import Leaderboard
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme import Tone
from ui.theme.dialogs import open_dialog
from ui.theme.layouts import build
from ui.theme.menus import open_choices

FORM_WORDS = {
    ReportFormat.HTML: ("HTML report…", "HTML (*.html)"),
    ReportFormat.MARKDOWN: ("Markdown tables…", "Markdown (*.md)"),
    ReportFormat.LATEX: ("LaTeX tables…", "LaTeX (*.tex)"),
    ReportFormat.XLSX: ("Excel workbook…", "Excel (*.xlsx)"),
    ReportFormat.CSV: ("CSV…", "CSV (*.csv)"),
}
SUFFIXES = {
    ReportFormat.HTML: ".html",
    ReportFormat.MARKDOWN: ".md",
    ReportFormat.LATEX: ".tex",
    ReportFormat.XLSX: ".xlsx",
    ReportFormat.CSV: ".csv",
}


class RunExports:
    """Offers what can be written of the runs on the leaderboard.

    Args:
        page: Where dialogs open and whose command it is.
        board: Which runs, in which order and groups.
        operations: Who writes.
        commands: Where the command is added.
        notice: Where it is said that something was written.
    """

    def __init__(
        self,
        page: QWidget,
        board: Leaderboard,
        operations: Operations,
        *,
        commands: Commands,
        notice: ErrorBanner,
    ) -> None:
        self._page = page
        self._board = board
        self._operations = operations
        self._notice = notice
        commands.add(Command("runs.export", "Export the table", "Runs", self._open, keys="E"), page)
        self.button = commands.button("runs.export", "Export…", name="runs-export")
        """Opens the choices."""

    def _open(self) -> None:
        tables = ((words, partial(self._ask_file, form)) for form, (words, _) in FORM_WORDS.items())
        pictures = ("Pictures…", self._ask_folder)
        copy = ("Copy the table", self._copy)
        open_choices(self.button, "export-menu", (*tables, pictures, ("", None), copy))

    def _copy(self) -> None:
        self._board.table.copy_all()
        self._notice.show_message("Table copied to the clipboard.", tone=Tone.OK)

    def _ask_file(self, form: ReportFormat, _: bool = False) -> None:
        mode = QFileDialog.AcceptMode.AcceptSave
        chosen = partial(self.export, form)
        self._ask("Export", chosen, f"runs.{form.value}", FORM_WORDS[form][1], acceptMode=mode)

    def _ask_folder(self) -> None:
        mode = QFileDialog.FileMode.Directory
        self._ask("Folder for the pictures", self.export_pictures, fileMode=mode)

    def _ask(self, title: str, chosen: Callable[[str], None], *names: str, **modes: Any) -> None:
        open_dialog(build(QFileDialog, self._page, title, *names, fileSelected=chosen, **modes))

    def export(self, form: ReportFormat, file: str) -> None:
        """Write the report of the shown runs into a file."""
        path = Path(file)
        self._write(form, path if path.suffix else path.with_suffix(SUFFIXES[form]))

    def export_pictures(self, folder: str) -> None:
        """Write every picture of the shown runs into a folder."""
        self._write(None, Path(folder))

    def _write(self, form: ReportFormat | None, path: Path) -> None:
        filters = self._board.filters
        runs = tuple((run.row.id, run.row.name) for run in self._board.in_order())
        order = ReportOrder(runs=runs, form=form, path=path, infra_errors=filters.infra_errors, by=filters.by)
        self._operations.start_job(
            order.carry_out, "Export the runs", then=self._say_exported, failed=self._notice.show_error
        )

    def _say_exported(self, path: Path) -> None:
        self._notice.show_message("Exported.", str(path), tone=Tone.OK)
