"""Importing files: which, as what, into which batch; and what did not land."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from scoring.model.record import Record
from scoring.model.taxonomy import CaseFormat
from ui.theme import Button, ButtonKind, TextLabel, theme
from ui.theme.dialogs import open_dialog
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.words import counted

if TYPE_CHECKING:
    from annotator.cases.importing import ImportReport, Reject
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace

_FILTER = "Dialogues (*.jsonl *.json);;All files (*)"
_REJECT_COLUMNS = (Column("File", 160), Column("Line", 72, is_figure=True), Column("Reason"))
_FORMATS = {
    "Recognise each line": None,
    "Annotator (native)": CaseFormat.NATIVE,
    "WildToolBench": CaseFormat.WILDTOOL,
    "C3-Bench": CaseFormat.C3,
    "OpenAI messages": CaseFormat.OPENAI,
}


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
        from annotator.cases.importing import import_files  # brings every format; the queue needs none

        return import_files(workspace, self.files, context=context, format=self.format, batch=self.batch)


class ImportDialog(QDialog):
    """Asks what to import."""

    ordered = Signal(object)
    """An `ImportOrder`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("import-dialog")
        self.setWindowTitle("Import cases")
        look = theme()
        self.setMinimumWidth(look.px(520))
        self.setAcceptDrops(True)
        self._files: list[Path] = []
        self._list = QListWidget()
        self._list.setObjectName("import-files")
        self._list.setAccessibleName("Files")
        self._list.setFixedHeight(look.px(120))
        add = Button("Add files…", icon_name="plus")
        add.setObjectName("import-add")
        add.clicked.connect(self.ask_files)
        remove = Button("Remove", ButtonKind.GHOST)
        remove.setObjectName("import-remove")
        remove.clicked.connect(self._remove_marked)
        self._format = QComboBox()
        self._format.setObjectName("import-format")
        self._format.addItems(list(_FORMATS))
        self._batch = QLineEdit()
        self._batch.setObjectName("import-batch")
        self._batch.setMaxLength(200)
        form = QFormLayout()
        form.setHorizontalSpacing(look.px(16))
        form.addRow("Format", self._format)
        form.addRow("Batch", self._batch)
        cancel = Button("Cancel")
        cancel.setObjectName("import-cancel")
        cancel.clicked.connect(self.reject)
        self._go = Button("Import", ButtonKind.PRIMARY, keys="↵")
        self._go.setObjectName("import-go")
        self._go.setDefault(True)
        self._go.clicked.connect(self._order)
        files = QHBoxLayout()
        files.addWidget(add)
        files.addWidget(remove)
        files.addStretch(1)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self._go)
        note = TextLabel("A line that is no case is listed and never stops the others.", "small-muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(*(look.px(16),) * 4)
        column.setSpacing(look.px(12))
        column.addWidget(TextLabel("Import cases", "title"))
        column.addWidget(self._list)
        column.addLayout(files)
        column.addLayout(form)
        column.addWidget(note)
        column.addLayout(buttons)
        self._refresh()

    def add_files(self, files: Sequence[str]) -> None:
        """Add files to the list; one that is in it already stays once."""
        self._files = list(dict.fromkeys([*self._files, *map(Path, files)]))
        self._refresh()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.add_files([url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()])
        event.acceptProposedAction()

    def ask_files(self) -> None:
        """Ask for files."""
        dialog = QFileDialog(self, "Import", "", _FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.add_files)
        open_dialog(dialog)

    def _remove_marked(self) -> None:
        row = self._list.currentRow()
        if 0 <= row < len(self._files):
            del self._files[row]
            self._refresh()

    def _refresh(self) -> None:
        self._list.clear()
        self._list.addItems([str(file) for file in self._files])
        if not self._files:
            nothing = QListWidgetItem("Add files, or drop them here.")
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
            self._list.addItem(nothing)
        self._batch.setPlaceholderText(self._files[0].stem if self._files else "Name of the first file")
        self._go.set_blocked("" if self._files else "Add a file first.")

    def _order(self) -> None:
        order = ImportOrder(
            files=tuple(self._files),
            format=_FORMATS[self._format.currentText()],
            batch=self._batch.text().strip(),
        )
        self.accept()
        self.ordered.emit(order)


def report_words(report: "ImportReport", batch: str) -> str:
    """Say in one sentence what an import did."""
    parts = [f"{counted(report.imported, 'case')} imported into {batch}"]
    if report.duplicates:
        parts.append(f"{counted(report.duplicates, 'duplicate')} left out")
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
    """Lists the lines that did not land, to be read, copied or kept in a file."""

    def __init__(self, report: "ImportReport", *, batch: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rejects-dialog")
        self.setWindowTitle("Lines that did not land")
        look = theme()
        self.resize(look.px(760), look.px(420))
        self._report = report
        table = FigureTable("rejects", "Rejected lines", _REJECT_COLUMNS)
        table.show_rows([_reject_row(place, reject) for place, reject in enumerate(report.rejects)])
        self._message = TextLabel("", "small-muted")
        self._message.setObjectName("rejects-message")
        self._copy = Button("Copy", icon_name="copy")
        self._copy.setObjectName("rejects-copy")
        self._copy.clicked.connect(self.copy)
        save = Button("Save…", icon_name="floppy-disk")
        save.setObjectName("rejects-save")
        save.clicked.connect(self._ask_file)
        close = Button("Close", ButtonKind.PRIMARY)
        close.setObjectName("rejects-close")
        close.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.addWidget(self._message, 1)
        for button in (self._copy, save, close):
            buttons.addWidget(button)
        words = TextLabel(report_words(report, batch), "muted")
        words.setWordWrap(True)
        column_layout = QVBoxLayout(self)
        column_layout.setContentsMargins(*(look.px(16),) * 4)
        column_layout.setSpacing(look.px(12))
        column_layout.addWidget(TextLabel(f"{counted(report.rejected, 'line')} did not land", "title"))
        column_layout.addWidget(words)
        column_layout.addWidget(table, 1)
        column_layout.addLayout(buttons)

    def copy(self) -> None:
        """Put the list on the clipboard."""
        QGuiApplication.clipboard().setText(rejects_text(self._report))
        self._message.setText("Copied.")

    def save(self, file: str) -> None:
        """Write the list to a file."""
        try:
            Path(file).write_text(rejects_text(self._report), encoding="utf-8")
        except OSError as exc:
            self._message.set_look("error")
            self._message.setText(f"{file} cannot be written: {exc.strerror}.")
        else:
            self._message.set_look("small-muted")
            self._message.setText(f"Saved as {file}.")

    def _ask_file(self) -> None:
        dialog = QFileDialog(self, "Save the list", "rejects.tsv", "Text (*.tsv *.txt)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.fileSelected.connect(self.save)
        open_dialog(dialog)
