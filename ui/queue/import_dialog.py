"""Importing files: which, as what, into which batch; and what rejected."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFileDialog, QLineEdit, QWidget

from annotator.files import replace_text
from scoring.errors import StoreError
from scoring.model.record import Record
from scoring.model.taxonomy import CaseFormat
from ui.theme import Button, ButtonKind
from ui.theme.dialogs import DialogFrame, open_dialog
from ui.theme.fields import DropDown, FilesField
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.words import counted

if TYPE_CHECKING:
    from annotator.cases.file_import import ImportReport, Reject
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace

_FILTER = "Dialogues (*.jsonl *.json);;All files (*)"
_REJECT_COLUMNS = (Column("File", 160), Column("Line", 72, is_figure=True), Column("Reason"))


def _formats() -> list[tuple[str, CaseFormat | None]]:
    from scoring.formats.codecs import CODECS  # the queue starts without any of them

    return [("Detect automatically", None), *((codec.title, name) for name, codec in CODECS.items())]


class ImportOrder(Record):
    """What is to be imported; an empty batch takes the first file's name."""

    files: tuple[Path, ...]
    format: CaseFormat | None = None
    batch: str = ""

    @property
    def shown_batch(self) -> str:
        """The name the batch will have."""
        return self.batch or self.files[0].stem

    def carry_out(self, context: "JobContext", workspace: "Workspace") -> "ImportReport":
        """Import; a job."""
        from annotator.cases.file_import import import_files  # brings every format; the queue needs none

        return import_files(workspace, self.files, context=context, format=self.format, batch=self.batch)


class ImportDialog(QDialog):
    """Asks what to import."""

    ordered = Signal(object)
    """An `ImportOrder`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("import-dialog")
        self.setWindowTitle("Import cases")
        self._files = FilesField("import", "Import", filters=_FILTER, drops_on=self)
        self._files.changed.connect(self._check)
        self._format = DropDown("import-format", _formats())
        self._batch = QLineEdit()
        self._batch.setObjectName("import-batch")
        self._batch.setMaxLength(200)
        frame = DialogFrame(self, "Import cases", width=520)
        frame.add(self._files, stretch=1)
        form = frame.add_form()
        form.addRow("Format", self._format)
        form.addRow("Batch", self._batch)
        frame.explain("Lines that are not cases are listed; all other lines are imported.", "small-muted")
        self._go = frame.confirm("Import", "import-go", self._order)
        self._check()

    def add_files(self, files: Sequence[str]) -> None:
        """Add files to the list; one that is in it already stays once."""
        self._files.add(files)

    def _check(self) -> None:
        files = self._files.files
        self._batch.setPlaceholderText(files[0].stem if files else "Name of the first file")
        self._go.set_blocked("" if files else "Add a file first.")

    def _order(self) -> None:
        order = ImportOrder(
            files=self._files.files,
            format=self._format.currentData(),
            batch=self._batch.text().strip(),
        )
        self.accept()
        self.ordered.emit(order)


def report_words(report: "ImportReport", batch: str) -> str:
    """Say in one sentence what an import did."""
    parts = [f"{counted(report.imported, 'case')} imported into {batch}"]
    if report.duplicates:
        parts.append(f"{counted(report.duplicates, 'duplicate')} skipped")
    if report.rejected:
        parts.append(f"{counted(report.rejected, 'line')} rejected")
    if report.imported:
        parts.append(counted(report.findings, "finding"))
    return ", ".join(parts) + "."


def rejects_text(report: "ImportReport") -> str:
    """Rejected lines as tab-separated text with a heading."""
    lines = ["file\tline\treason"]
    lines += [f"{one.file}\t{one.line}\t{' '.join(one.reason.split())}" for one in report.rejects]
    return "\n".join(lines) + "\n"


def _reject_row(place: int, reject: "Reject") -> Row:
    reason = " ".join(reject.reason.split())
    return Row(
        place,
        (
            Cell(Path(reject.file).name, tip=reject.file),
            Cell(f"{reject.line:,}", key=reject.line),
            Cell(reason, tip=reject.reason),
        ),
    )


class RejectsDialog(QDialog):
    """Lists the lines that rejected, to be read, copied or kept in a file."""

    def __init__(self, report: "ImportReport", *, batch: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rejects-dialog")
        self.setWindowTitle("Rejected lines")
        self._report = report
        table = FigureTable("rejects", "Rejected lines", _REJECT_COLUMNS)
        table.show_rows([_reject_row(place, reject) for place, reject in enumerate(report.rejects)])
        self._copy = Button("Copy", icon_name="copy")
        self._copy.setObjectName("rejects-copy")
        self._copy.clicked.connect(self.copy)
        save = Button("Save…", icon_name="floppy-disk")
        save.setObjectName("rejects-save")
        save.clicked.connect(self._ask_file)
        close = Button("Close", ButtonKind.PRIMARY, keys="Esc")
        close.setObjectName("rejects-close")
        close.setDefault(True)
        close.clicked.connect(self.accept)
        frame = DialogFrame(self, f"{counted(report.rejected, 'line')} rejected", width=760, height=420)
        frame.explain(report_words(report, batch))
        frame.add(table, stretch=1)
        self._message = frame.explain("", "small-muted")
        self._message.setObjectName("rejects-message")
        self._message.hide()
        frame.end_with(self._copy, save, close, cancel="")

    def copy(self) -> None:
        """Put the list on the clipboard."""
        QGuiApplication.clipboard().setText(rejects_text(self._report))
        self._say("Copied.")

    def save(self, file: str) -> None:
        """Write the list to a file."""
        try:
            replace_text(Path(file), rejects_text(self._report))
        except StoreError as exc:
            self._say(exc.message, look="error")
        else:
            self._say(f"Saved as {file}.")

    def _say(self, words: str, *, look: str = "small-muted") -> None:
        self._message.set_look(look)
        self._message.setText(words)
        self._message.show()

    def _ask_file(self) -> None:
        dialog = QFileDialog(self, "Save the list", "rejects.tsv", "Text (*.tsv *.txt)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.fileSelected.connect(self.save)
        open_dialog(dialog)
